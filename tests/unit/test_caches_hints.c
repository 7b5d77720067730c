/* What L2 and L1 still have of an array when another has gone through them, by how long loads and stores say that their lines are to be kept,
 * against what a card did (tests/hw/probes/hints.cu). */
#include "cache_trial.h"
#include "code/decode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define L2_SCALE 6 /* L2 and all that goes through it are smaller than the card's by this power of two, to be quick */
#define L2_MIB_SHIFT (20 - L2_SCALE)
#define WARPS 8u
#define LINE_BYTES 128u

/* How the probe accesses memory: by a word of the mnemonic, a policy, or in an access policy window. */
typedef struct hint {
    const char *name, *word;
    uint8_t policy, window;
    bool past_l1;
} hint;

static const hint hints[] = {{"normal", "", 0, 0, false},
                             {"last", "", EVENT_EVICT_LAST, 0, false},
                             {"first", "", EVENT_EVICT_FIRST, 0, false},
                             {"unchanged", "", EVENT_EVICT_NORMAL, 0, false},
                             {"cs", ".cs", 0, 0, false},
                             {"cg", ".cg", 0, 0, true},
                             {"lu", ".lu", 0, 0, false},
                             {"no_allocate", ".L1::no_allocate", 0, 0, false},
                             {"nc_no_allocate", ".nc.L1::no_allocate", 0, 0, false},
                             {"l1_first", ".L1::evict_first", 0, 0, false},
                             {"l1_last", ".L1::evict_last", 0, 0, false},
                             {"l1_unchanged", ".L1::evict_unchanged", 0, 0, false},
                             {"window", "", 0, EVENT_EVICT_LAST, false},
                             {"streaming_window", "", 0, EVENT_EVICT_FIRST, false}};

static hint hint_of(const char *name)
{
    for (size_t k = 0; k < LW_COUNT(hints); k++)
        if (!strcmp(hints[k].name, name)) return hints[k];
    CHECK(!"a hint of the recorded file");
    return hints[0];
}

static event_insn insn_of(const hint *h, bool stores)
{
    char mnemonic[64];
    code_row row = {0};
    snprintf(mnemonic, sizeof mnemonic, "%s.global%s.f32", stores ? "st" : "ld", h->word);
    decode_parts parts = decode_split(mnemonic);
    event_insn out = code_event_insn(&row, &parts);
    if (h->policy) out.l2_eviction = h->policy;
    return out;
}

/* The share of rows in which what is kept differs by more than a tenth of the array. */
typedef struct tally {
    uint32_t rows, off;
} tally;

static void add_row(tally *t, const char *row, double recorded, double found)
{
    bool off = fabs(found - recorded) > 0.1;
    t->rows++;
    t->off += off;
    if (off) printf("    %.2f where %.2f was recorded: %s", found, recorded, row);
}

/* ---------------------------------------------------------------- L2 */
typedef struct l2_row {
    char kernel[16], kept[32], kept_by[16], again[32], passed[32], by[16];
    unsigned kept_mib, mib, limit_mib;
    double read, written; /* MiB */
} l2_row;

/* MiB from and to DRAM. */
typedef struct moved {
    double read, written;
} moved;

/* Each warp loads or stores a line of an array. */
static moved go_through(trial *t, uint64_t base, unsigned mib, const char *name, bool stores, unsigned limit_mib)
{
    hint h = hint_of(name);
    cache_shape shape = {.blocks = (uint64_t)mib << (10 - L2_SCALE),
                         .warps_per_block = WARPS,
                         .blocks_per_sm = 8,
                         .insns = INSNS,
                         .keep_all = true,
                         .persisting_bytes = (uint64_t)limit_mib << L2_MIB_SHIFT};
    if (h.window)
        shape.window =
            (cache_window){.address = base, .bytes = (uint64_t)mib << L2_MIB_SHIFT, .hit_ratio = 1, .hit = h.window};
    event_insn insns[INSNS] = {insn_of(&h, false), insn_of(&h, true)};
    event_launch launch = {.insns = insns, .insn_count = INSNS};
    t->launch = cache_launch_make(t->session, &shape);
    t->worker[0] = cache_worker_begin(t->launch, 0);
    for (uint32_t b = 0; b < shape.blocks; b++) {
        for (uint32_t w = 0; w < WARPS; w++)
            put_access(t, &(trial_access){.launch = &launch,
                                          .block = b,
                                          .warp = w,
                                          .insn = stores,
                                          .op = stores ? EVENT_STORE : EVENT_LOAD,
                                          .address = base + ((uint64_t)b * WARPS + w) * LINE_BYTES,
                                          .apart = 4});
        end_block(t->worker[0], b);
    }
    const cache_site *s = cache_launch_replay(t->launch);
    moved out = {s[stores].dram_read_bytes / (1 << L2_MIB_SHIFT), s[stores].dram_write_bytes / (1 << L2_MIB_SHIFT)};
    cache_launch_free(t->launch);
    return out;
}

static double try_l2(const l2_row *r)
{
    trial t = {0};
    device_profile d = h200();
    d.l2_bytes >>= L2_SCALE;
    t.session = cache_session_make(&d, false);
    (void)go_through(&t, 3 * BASE, 96, "normal", true, r->limit_mib); /* cudaMemset() */
    (void)go_through(&t, BASE, r->kept_mib, r->kept, !strcmp(r->kept_by, "stores"), r->limit_mib);
    if (strcmp(r->again, "-")) (void)go_through(&t, BASE, r->kept_mib, r->again, false, r->limit_mib);
    (void)go_through(&t, 2 * BASE, r->mib, r->passed, !strcmp(r->by, "stores"), r->limit_mib);
    double read = go_through(&t, BASE, r->kept_mib, "normal", false, r->limit_mib).read;
    cache_session_free(t.session);
    return read;
}

static bool read_l2_row(const char *line, l2_row *r)
{
    return sscanf(line, "%15[^,],%31[^,],%15[^,],%u,%31[^,],%31[^,],%15[^,],%u,%u,%lf,%lf", r->kernel, r->kept,
                  r->kept_by, &r->kept_mib, r->again, r->passed, r->by, &r->mib, &r->limit_mib, &r->read,
                  &r->written) == 11;
}

/* Every seventh row; LANEWISE_ALL=1: all of them. Not as on the card: of what was stored to go first a little less goes there, and the first case
 * of each run of the probe is another. */
UNIT_CASE(what_stays_in_l2_is_what_a_card_keeps)
{
    char line[256];
    tally all = {0};
    unsigned step = getenv("LANEWISE_ALL") ? 1 : 7, row = 0;
    FILE *f = fopen(unit_path("hw/h200-hints.csv"), "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        l2_row r;
        if (!read_l2_row(line, &r) || strcmp(r.kernel, "check") || row++ % step) continue;
        add_row(&all, line, r.read / r.kept_mib, try_l2(&r) / r.kept_mib);
    }
    fclose(f);
    CHECK(all.rows > 500 / step);
    CHECK(all.off < all.rows / 12);
}

/* Recorded (tests/hw/time/h200-hinted.csv, tr): of 16.8 MB that __stcs() stores nothing is written to DRAM, of 37.7 MB 11. */
UNIT_CASE(what_is_stored_to_go_first_is_written_as_late_as_other_lines)
{
    static const struct {
        unsigned mib;
        double least, most;
    } cases[] = {{16, 0, 0}, {36, 4, 15}};
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        trial t = {0};
        device_profile d = h200();
        d.l2_bytes >>= L2_SCALE;
        t.session = cache_session_make(&d, false);
        double written = go_through(&t, BASE, cases[k].mib, "cs", true, 0).written;
        CHECK(written >= cases[k].least && written <= cases[k].most);
        cache_session_free(t.session);
    }
}

/* Of samples of different sizes: what persists is there, however much has gone through L2 since. */
UNIT_CASE(what_persists_does_so_behind_all_that_is_larger)
{
    trial t = {0};
    device_profile d = h200();
    t.session = cache_session_make(&d, false);
    for (int last = 0; last < 2; last++) {
        cache_shape shapes[] = {{.blocks = 1 << 9}, {.blocks = 1 << 15}, {.blocks = 1 << 9}};
        double read = 0;
        for (size_t k = 0; k < LW_COUNT(shapes); k++) {
            event_insn insns[INSNS] = {{.l2_eviction = last && !k ? EVENT_EVICT_LAST : EVENT_EVICT_NORMAL}};
            event_launch launch = {.insns = insns, .insn_count = INSNS};
            shapes[k].warps_per_block = WARPS;
            shapes[k].blocks_per_sm = 8;
            shapes[k].insns = INSNS;
            shapes[k].persisting_bytes = 16 << 20;
            t.launch = cache_launch_make(t.session, &shapes[k]);
            t.worker[0] = cache_worker_begin(t.launch, 0);
            uint64_t base = (k == 1 ? 3 : 1 + (uint64_t)last) * BASE;
            for (uint32_t b = 0; b < shapes[k].blocks; b++) {
                for (uint32_t w = 0; w < WARPS * 4; w++)
                    put_access(&t, &(trial_access){.launch = &launch,
                                                   .block = b,
                                                   .warp = w / 4,
                                                   .address = base + ((uint64_t)b * WARPS * 4 + w) * LINE_BYTES,
                                                   .apart = 4});
                end_block(t.worker[0], b);
            }
            const cache_site *s = cache_launch_replay(t.launch);
            read = s[0].dram_read_bytes / (s[0].sectors * 32);
            cache_launch_free(t.launch);
        }
        CHECK_NEAR(read, last ? 0 : 1, 0.05);
        cache_session_reset_persisting(t.session);
    }
    cache_session_free(t.session);
}

/* ---------------------------------------------------------------- L1 */
static void load_lines(trial *t, const event_launch *launch, uint32_t warp, uint32_t insn, bool past_l1, uint64_t base,
                       uint32_t kib)
{
    for (uint32_t k = warp; k < kib * 1024 / LINE_BYTES; k += WARPS)
        put_access(t, &(trial_access){.launch = launch,
                                      .warp = warp,
                                      .insn = insn,
                                      .op = EVENT_LOAD,
                                      .flags = past_l1 ? EVENT_BYPASS_L1 : 0,
                                      .address = base + (uint64_t)k * LINE_BYTES,
                                      .apart = 4});
}

/* A block loads an array, another (of 0 KiB: the same once more), and the first again: hits for each sector of that. */
static double try_l1(const char *first, uint32_t kib, const char *second, uint32_t other_kib)
{
    trial t = {0};
    cache_shape shape = {.blocks = 1,
                         .warps_per_block = WARPS,
                         .blocks_per_sm = 8,
                         .shared_carveout = 8192,
                         .insns = INSNS,
                         .keep_all = true};
    hint h = hint_of(first), other = hint_of(second);
    event_insn insns[INSNS] = {insn_of(&h, false), insn_of(&other, false)};
    event_launch launch = {.insns = insns, .insn_count = INSNS};
    uint64_t base = other_kib ? 2 * BASE : BASE;
    device_profile d = h200();
    d.l2_bytes >>= L2_SCALE; /* quick to make */
    start_on(&t, &d, &shape);
    for (uint32_t w = 0; w < WARPS; w++) {
        load_lines(&t, &launch, w, 0, h.past_l1, BASE, kib);
        load_lines(&t, &launch, w, 1, other.past_l1, base, other_kib ? other_kib : kib);
        load_lines(&t, &launch, w, 2, false, BASE, kib);
    }
    end_block(t.worker[0], 0);
    const cache_site *s = cache_launch_replay(t.launch);
    double hits = s[0].l1_hits + s[1].l1_hits + s[2].l1_hits;
    stop(&t);
    return hits / (kib * 1024.0 / 32);
}

/* Not as on the card: where all of L1 is just needed, with hints or without, it keeps a little less. */
UNIT_CASE(what_stays_in_l1_is_what_a_card_keeps)
{
    char line[256], first[32], second[32];
    unsigned kib, other_kib;
    double hits;
    tally all = {0};
    FILE *f = fopen(unit_path("hw/h200-hints-l1.csv"), "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "%31[^,],%u,%31[^,],%u,%lf", first, &kib, second, &other_kib, &hits) == 5)
            add_row(&all, line, hits, try_l1(first, kib, second, other_kib));
    fclose(f);
    CHECK(all.rows > 150);
    CHECK(all.off < all.rows / 8);
}

UNIT_MAIN()
