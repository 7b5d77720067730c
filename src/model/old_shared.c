/* model: shared memory of cc 1.0 to 3.7, from the programming guides 4.2 and 5.0 (appendix F): passes of a warp access
 * through the banks. wavefronts = passes; the least is one per request (a group of lanes with an active one), and
 * bank_conflicts is what exceeds it.
 *
 * Plain loops: these devices are not the hot path. Not exact: 16 bytes a lane on 2.x and 3.x (generation.c says so). */
#include <string.h>

#include "model/rules.h"

enum { LANES = 32 };

static void add_passes(model_site *s, const event_memory *e, uint32_t passes, uint32_t least)
{
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lw_popcount(e->mask);
    s->value[COUNTER_WAVEFRONTS] += passes;
    s->value[COUNTER_WAVEFRONTS_IDEAL] += least;
    s->value[COUNTER_BANK_CONFLICTS] += passes - least;
}

/* Lanes first..first+count-1 of the mask. */
static uint32_t lanes_of(uint32_t mask, uint32_t first, uint32_t count)
{
    return mask >> first & (count == LANES ? UINT32_MAX : (1u << count) - 1);
}

static uint64_t address_of(const event_memory *e, uint32_t lane)
{
    return e->shape == EVENT_UNIFORM ? e->address[__builtin_ctz(e->mask)] : e->address[lane];
}

/* ---- 1.x: 16 banks of 4 bytes; half-warps are served one after the other, 8 and 16 bytes as 2 and 4 requests of 4.
 * A step of a load serves every lane of one broadcast word and one address from each other bank; a step of a store one
 * address from each bank. The guide leaves the choice of the word open: here the one most lanes wait for. ---- */

static uint64_t broadcast_word(const uint64_t *address, uint32_t n)
{
    uint64_t best = address[0] >> 2;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;
        for (uint32_t j = i; j < n; j++) same += address[j] >> 2 == address[i] >> 2;
        if (same <= most) continue;
        most = same;
        best = address[i] >> 2;
    }
    return best;
}

/* One step: the addresses that are left move to the front; returns how many. */
static uint32_t serve_step(uint64_t *address, uint32_t n, bool load)
{
    uint64_t word = load ? broadcast_word(address, n) : UINT64_MAX;
    uint32_t used = load ? 1u << (word & 15) : 0, left = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t w = address[i] >> 2;
        if (load && w == word) continue;
        uint32_t bank = 1u << (w & 15);
        if (used & bank) address[left++] = address[i];
        used |= bank;
    }
    return left;
}

static void shared_1x(model_site *s, const event_memory *e, bool load)
{
    uint32_t words = LW_MAX(1, e->bytes / 4), steps = 0, least = 0;
    for (uint32_t first = 0; first < LANES; first += 16) {
        uint64_t start[16], left[16];
        uint32_t n = 0;
        for (uint32_t i = first; i < first + 16; i++)
            if (e->mask >> i & 1) start[n++] = address_of(e, i);
        if (!n) continue;
        for (uint32_t word = 0; word < words; word++) {
            for (uint32_t i = 0; i < n; i++) left[i] = start[i] + 4 * word;
            least++;
            for (uint32_t waiting = n; waiting; steps++) waiting = serve_step(left, waiting, load);
        }
    }
    add_passes(s, e, steps, least);
}

void model_old_shared_load_1x(model_site *s, const event_memory *e) { shared_1x(s, e, true); }
void model_old_shared_store_1x(model_site *s, const event_memory *e) { shared_1x(s, e, false); }

/* ---- 2.x and 3.x: the most different rows in one of 32 banks ---- */

typedef struct bank_rows {
    uint8_t count[32];
    uint64_t row[32][64];
} bank_rows;

static void add_row(bank_rows *b, uint32_t bank, uint64_t row)
{
    for (uint32_t i = 0; i < b->count[bank]; i++)
        if (b->row[bank][i] == row) return;
    b->row[bank][b->count[bank]++] = row;
}

static uint32_t most_rows(const bank_rows *b)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < 32; i++) most = LW_MAX(most, b->count[i]);
    return most;
}

/* Passes of lanes first..first+count-1. width: bytes of a bank; row_log2: what lies in one row is served together
 * (2.x: one word of each bank; 3.x: 256 bytes, also where its banks are used as if they were 4 bytes wide). */
static uint32_t passes_of(const event_memory *e, uint32_t first, uint32_t count, uint32_t width, uint32_t row_log2)
{
    bank_rows b;
    uint32_t width_log2 = width == 8 ? 3 : 2;
    memset(b.count, 0, sizeof b.count);
    for (uint32_t i = first; i < first + count; i++) {
        if (!(e->mask >> i & 1)) continue;
        uint64_t address = address_of(e, i);
        for (uint32_t k = 0; k < e->bytes; k += width)
            add_row(&b, (uint32_t)((address + k) >> width_log2) & 31, (address + k) >> row_log2);
    }
    return most_rows(&b);
}

/* Lanes of a request. */
static uint32_t group_2x(uint32_t bytes)
{
    if (bytes <= 4) return LANES;
    return bytes == 8 ? 16 : 8;
}

/* Halves and quarters of a warp are requests of their own for 8 and 16 bytes a lane. For 16 bytes the guide says that
 * most accesses have two-way conflicts: one pass more for each quarter, also without an active lane. */
void model_old_shared_2x(model_site *s, const event_memory *e)
{
    uint32_t group = group_2x(e->bytes), passes = 0, least = 0;
    uint32_t more = e->bytes > 8;
    for (uint32_t first = 0; first < LANES; first += group) {
        passes += more + passes_of(e, first, group, 4, 2);
        least += more + (lanes_of(e->mask, first, group) != 0);
    }
    add_passes(s, e, passes, least);
}

static void shared_3x(model_site *s, const event_memory *e, uint32_t width)
{
    uint32_t group = e->bytes <= 8 ? LANES : 16, passes = 0, least = 0;
    for (uint32_t first = 0; first < LANES; first += group) {
        passes += passes_of(e, first, group, width, 8);
        least += lanes_of(e->mask, first, group) != 0;
    }
    add_passes(s, e, passes, least);
}

void model_old_shared_3x_4(model_site *s, const event_memory *e) { shared_3x(s, e, 4); }
void model_old_shared_3x_8(model_site *s, const event_memory *e) { shared_3x(s, e, 8); }
