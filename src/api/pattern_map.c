/* api: which bank every lane of a shared access lands in, and in which pass it is served: the picture of the rules that
 * src/model counts by. A test holds the two together: the passes drawn are the wavefronts counted, on every capability.
 */
#include "api/pattern_priv.h"

#include <string.h>

/* How a generation serves one access. */
typedef struct bank_rule {
    uint32_t banks, bank_bytes, shift; /* bank = address >> shift & (banks - 1) */
    uint32_t row_shift;                /* lanes in one bank and one row are served together */
    uint32_t groups;                   /* runs of 32 / groups lanes */
    uint32_t parts;                    /* 4-byte requests that one lane is split into (cc 1.x) */
    bool merge;                        /* ... are they? */
    bool broadcast;                    /* cc 1.x: of the words of a pass only one may be shared by lanes */
} bank_rule;

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return !strcmp(word, a) || !strcmp(word, b) || !strcmp(word, c);
}

/* Lanes i and i^k, where both are active, name the same bytes. */
static bool is_paired(const lw_access *a, uint32_t k)
{
    for (uint32_t i = 0; i < LW_LANES; i++)
        if (a->offset[i] >= 0 && a->offset[i ^ k] >= 0 && a->offset[i] != a->offset[i ^ k]) return false;
    return true;
}

static bank_rule rule_of(const device_profile *d, const lw_access *a, const lw_access_options *options)
{
    uint32_t bytes = a->op->bytes, wide = LW_MAX(bytes / 4, 1u);
    bank_rule r = {32, 4, 2, 7, wide, 1, true, false};
    if (d->cc < 20) {
        r = (bank_rule){16, 4, 2, 6, 2, wide, true, !strcmp(a->op->op, "load")};
        r.merge = r.broadcast;
    } else if (d->cc < 30) {
        r.groups = bytes <= 4 ? 1 : wide;
    } else if (d->cc < 50) {
        if (options && options->bank_bytes == 8) r.bank_bytes = 8, r.shift = 3;
        r.row_shift = 8;
        r.groups = bytes <= 8 ? 1 : 2;
    } else {
        r.merge = !is_one_of(a->op->op, "atomic", "reduction", "copy") &&
                  !is_one_of(a->op->op, "cas", "exchange", "increment");
        bool is_load = !strcmp(a->op->op, "load");
        if (a->op->matrices) r.groups = 4; /* of which the first `matrices` count */
        else if (is_load && wide > 1 && (is_paired(a, 1) || is_paired(a, 2))) r.groups = wide / 2;
    }
    return r;
}

static lw_bank_mark mark_of(const bank_rule *r, const lw_access *a, uint32_t lane, uint32_t part)
{
    uint64_t at = (uint64_t)a->offset[lane] + 4 * part;
    uint32_t width = r->parts > 1 ? 1 : LW_MAX(a->op->bytes / r->bank_bytes, 1u);
    uint32_t group = (lane / (LW_LANES / r->groups)) * r->parts + part;
    return (lw_bank_mark){(uint8_t)group, (uint8_t)lane, (uint8_t)(at >> r->shift & (r->banks - 1)), (uint8_t)width, 0};
}

/* ---- passes: every bank serves one row at a time ---- */

static void serve_rows(const bank_rule *r, const lw_access *a, lw_bank_mark *marks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t most = 0;
        for (size_t k = 0; k < i && !marks[i].pass; k++) {
            if (marks[k].bank != marks[i].bank) continue;
            if (marks[k].pass > most) most = marks[k].pass;
            bool same = (a->offset[marks[k].lane] ^ a->offset[marks[i].lane]) >> r->row_shift == 0;
            if (r->merge && same) marks[i].pass = marks[k].pass;
        }
        if (!marks[i].pass) marks[i].pass = (uint8_t)(most + 1);
    }
}

/* ---- passes of cc 1.x: the word that most lanes read goes to all of them, every other bank serves one address ---- */

static int64_t word_of(const lw_access *a, const lw_bank_mark *m, uint32_t part)
{
    return (a->offset[m->lane] >> 2) + part;
}

static int64_t broadcast_word(const lw_access *a, const lw_bank_mark *marks, size_t n, uint32_t part)
{
    int64_t best = -1;
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        size_t lanes = 0;
        for (size_t k = 0; k < n; k++)
            lanes += !marks[k].pass && word_of(a, &marks[k], part) == word_of(a, &marks[i], part);
        if (!marks[i].pass && lanes > most) most = lanes, best = word_of(a, &marks[i], part);
    }
    return best;
}

static void serve_broadcast(const bank_rule *r, const lw_access *a, lw_bank_mark *marks, size_t n, uint32_t part)
{
    for (uint8_t pass = 1;; pass++) {
        int64_t word = broadcast_word(a, marks, n, part);
        uint32_t used = r->broadcast ? 1u << (word & 15) : 0, left = 0;
        if (word < 0) return;
        for (size_t i = 0; i < n; i++) {
            if (marks[i].pass) continue;
            bool together = r->broadcast && word_of(a, &marks[i], part) == word;
            if (together || !(used >> marks[i].bank & 1)) marks[i].pass = pass;
            else left++;
            used |= 1u << marks[i].bank;
        }
        if (!left) return;
    }
}

static void serve_group(const bank_rule *r, const lw_access *a, lw_bank_map *map, uint32_t group)
{
    size_t first = map->mark_count;
    uint32_t part = group % r->parts, size = LW_LANES / r->groups, lane = group / r->parts * size;
    uint8_t passes = 0;
    for (uint32_t i = lane; i < lane + size; i++)
        if (a->offset[i] >= 0) map->marks[map->mark_count++] = mark_of(r, a, i, part);
    size_t n = map->mark_count - first;
    if (r->banks == 16) serve_broadcast(r, a, map->marks + first, n, part);
    else serve_rows(r, a, map->marks + first, n);
    for (size_t i = first; i < map->mark_count; i++) passes = LW_MAX(passes, map->marks[i].pass);
    map->passes += passes;
}

int lw_access_banks(const char *device, const lw_access *access, const lw_access_options *options, lw_bank_map *out,
                    lw_message *message)
{
    device_profile profile;
    memset(out, 0, sizeof *out);
    if (strcmp(access->op->space, "shared")) return pattern_fail(message, "%s memory has no banks", access->op->space);
    if (pattern_device(device, &profile, message)) return 1;
    bank_rule rule = rule_of(&profile, access, options);
    out->banks = rule.banks, out->bank_bytes = rule.bank_bytes;
    out->groups = access->op->matrices ? access->op->matrices : rule.groups * rule.parts;
    out->factor = !strcmp(access->op->op, "cas") ? 2 : 1;
    if (profile.cc_major == 2 && access->op->bytes == 16) out->extra = 4;
    for (uint32_t g = 0; g < out->groups; g++) serve_group(&rule, access, out, g);
    return 0;
}
