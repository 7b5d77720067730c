/* model: the rules against counters measured on cards: tests/hw/h200-patterns.csv, h100-random-patterns.csv, and adds to shared
 * memory that are loops (h100-spin-loops.csv). */
#include "model/model.h"
#include "model/rules.h"
#include "unit.h"

static device_profile device_of(uint32_t cc)
{
    device_profile d;
    memset(&d, 0, sizeof d);
    d.cc = cc;
    return d;
}

/* ---- the hardware table ---- */

enum {
    OP,
    NAME,
    OFFSETS,
    REQUESTS,
    WAVEFRONTS,
    CONFLICTS,
    W_SOURCE,
    W_IDEAL,
    SECTORS,
    TAGS,
    T_WAVEFRONTS,
    S_SOURCE,
    S_IDEAL,
    CONSTANT,
    COLUMNS
};

/* Splits a line in place; absent columns are "". */
static void split(char *line, char *column[COLUMNS])
{
    line[strcspn(line, "\r\n")] = 0;
    for (int c = 0; c < COLUMNS; c++) {
        column[c] = line;
        line += strcspn(line, ",");
        if (*line) *line++ = 0;
    }
}

static void read_offsets(const char *text, int64_t out[32])
{
    char *end = NULL;
    for (int i = 0; i < 32; i++, text = end) out[i] = strtoll(text, &end, 10);
}

static int compared, rows;
static int marked_differ; /* counters that differ, of rows that the model calls not exact */
static bool row_is_marked;

static void compare(char *const column[COLUMNS], int c, const counter_set *set, counter_id id)
{
    if (!column[c][0] || !(set->present >> id & 1)) return;
    compared++;
    long long want = atoll(column[c]), got = (long long)set->value[id];
    if (got != want && row_is_marked) marked_differ++;
    else if (got != want)
        UNIT_FAIL("%s %s: %s is %lld, the hardware counted %lld", column[OP], column[NAME], counter_descs[id].name, got,
                  want);
}

/* The ideal of a shared access is least(wavefronts, lanes * bytes / 128). The column was made from the source metric of
 * wavefronts, which reads 1 and 2 less than the hardware counter in these two patterns: it decides the merging of lane
 * pairs per half-warp, the hardware per warp. */
static bool is_known_ideal(char *const column[COLUMNS])
{
    return !strcmp(column[OP], "lds128") && (!strcmp(column[NAME], "x1only_h0") || !strcmp(column[NAME], "mixed_cond"));
}

static void compare_row(char *column[COLUMNS], const device_profile *device)
{
    int64_t offsets[32];
    counter_set set;
    lw_error error = {0};
    read_offsets(column[OFFSETS], offsets);
    if (!strcmp(column[OP], "cpg16")) return; /* cp.async.cg: recorded, no rule */
    const char *why = NULL;
    if (model_pattern(device, NULL, column[OP], offsets, &set, &why, &error) != LW_OK) {
        UNIT_FAIL("%s %s: %s", column[OP], column[NAME], error.message);
        return;
    }
    rows++;
    row_is_marked = why != NULL;
    if (!strcmp(column[OP], "ldci")) { /* the measuring kernel itself makes 34 */
        compared++;
        CHECK_EQ_INT(set.value[COUNTER_REQUESTS] + 34, atoll(column[CONSTANT]));
        return;
    }
    compare(column, REQUESTS, &set, COUNTER_REQUESTS);
    compare(column, WAVEFRONTS, &set, COUNTER_WAVEFRONTS);
    compare(column, CONFLICTS, &set, COUNTER_BANK_CONFLICTS);
    compare(column, SECTORS, &set, COUNTER_SECTORS);
    compare(column, TAGS, &set, COUNTER_TAGS);
    compare(column, T_WAVEFRONTS, &set, COUNTER_T_WAVEFRONTS);
    if (is_known_ideal(column)) CHECK(set.value[COUNTER_WAVEFRONTS_IDEAL] > (uint64_t)atoll(column[W_IDEAL]));
    else compare(column, W_IDEAL, &set, COUNTER_WAVEFRONTS_IDEAL);
    if (column[OP][0] != 'd') compare(column, S_IDEAL, &set, COUNTER_SECTORS_IDEAL); /* the metric does not see DSM */
}

static void compare_file(const char *path)
{
    FILE *f = fopen(unit_path(path), "r");
    REQUIRE(f != NULL);
    static char line[4096];
    char *column[COLUMNS];
    device_profile device = device_of(90);
    compared = rows = marked_differ = 0;
    REQUIRE(fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f)) {
        split(line, column);
        compare_row(column, &device);
    }
    fclose(f);
    printf("%s: %d counters of %d rows compared, %d differ in marked rows\n", path, compared, rows, marked_differ);
}

UNIT_CASE(every_measured_pattern)
{
    compare_file("hw/h200-patterns.csv");
    CHECK_EQ_INT(rows, 547); /* 553 less 6 of cp.async.cg */
    CHECK(compared >= 1700);
    CHECK_EQ_INT(marked_differ, 0);
}

/* Random offsets, recorded on an H100 and on an H200: all counters of both are equal. */
UNIT_CASE(random_patterns_of_two_cards)
{
    compare_file("hw/h100-random-patterns.csv");
    CHECK_EQ_INT(rows, 426);
    CHECK(compared >= 1380);
    CHECK_EQ_INT(marked_differ, 0);
}

/* ---- adds to shared memory that are loops (tests/hw/h100-spin-loops.csv) ---- */

/* A row: kernel, mask, words, and what the kernel counted, LOOP_COUNTS numbers. */
enum { LOOP_LOADS, LOOP_LOAD_WAVEFRONTS, LOOP_SWAPS, LOOP_SWAP_WAVEFRONTS, LOOP_IDEAL, LOOP_COUNTS };

static void add_counts(model *m, uint64_t *got)
{
    counter_set load = model_result(m, 0, EVENT_SHARED, EVENT_LOAD);
    counter_set store = model_result(m, 0, EVENT_SHARED, EVENT_STORE);
    counter_set swap = model_result(m, 0, EVENT_SHARED, EVENT_ATOMIC);
    got[LOOP_LOADS] = load.value[COUNTER_INST_EXECUTED];
    got[LOOP_LOAD_WAVEFRONTS] = load.value[COUNTER_WAVEFRONTS];
    got[LOOP_SWAPS] = swap.value[COUNTER_INST_EXECUTED];
    got[LOOP_SWAP_WAVEFRONTS] = swap.value[COUNTER_WAVEFRONTS];
    got[LOOP_IDEAL] = load.value[COUNTER_WAVEFRONTS_IDEAL] + store.value[COUNTER_WAVEFRONTS_IDEAL] +
                      swap.value[COUNTER_WAVEFRONTS_IDEAL];
}

static bool all_certain;
static void see_site(void *user, const model_site_result *site)
{
    if (site->insn == *(uint32_t *)user && site->why) all_certain = false;
}
static bool certain_of(model *m, uint32_t insn)
{
    all_certain = true;
    model_each(m, see_site, &insn);
    return all_certain;
}

/* The measuring kernel: 32 stores of a warp, the atomic, a load by all lanes. */
static void count_loop_kernel(const char *kernel, uint32_t mask, const int64_t *word, uint64_t *got)
{
    model *m;
    lw_error error = {0};
    device_profile device = device_of(90);
    uint64_t address[32];
    uint8_t bytes = strstr(kernel, "f32") ? 4 : 8;
    REQUIRE(model_create(&m, &device, 1, &error) == LW_OK);
    void *worker = model_worker_begin(m, 0);
    for (int i = 0; i < 32; i++) address[i] = (uint64_t)word[i] * bytes;
    event_memory e = {.space = EVENT_SHARED, .op = EVENT_ATOMIC, .bytes = bytes, .mask = mask, .address = address};
    e.atomic = strstr(kernel, "u64") ? EVENT_ATOMIC_ADD : EVENT_ATOMIC_FADD;
    model_count(worker, &e);
    e.atomic = EVENT_ATOMIC_NONE;
    e.op = EVENT_LOAD;
    e.mask = UINT32_MAX;
    model_count(worker, &e);
    e.op = EVENT_STORE;
    for (int i = 0; i < 32; i++) address[i] = (uint64_t)i * bytes;
    for (int k = 0; k < 32; k++) model_count(worker, &e);
    add_counts(m, got);
    model_destroy(m);
}

UNIT_CASE(loops_of_compare_and_swaps)
{
    static char line[4096];
    int loops = 0;
    FILE *f = fopen(unit_path("hw/h100-spin-loops.csv"), "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f)) {
        char *field[3 + LOOP_COUNTS] = {0};
        int64_t word[32];
        uint64_t got[LOOP_COUNTS];
        if (line[0] == '#' || !strncmp(line, "kernel,", 7)) continue;
        field[0] = strtok(line, ",");
        for (int k = 1; k < 3 + LOOP_COUNTS; k++) REQUIRE((field[k] = strtok(NULL, ",")) != NULL);
        read_offsets(field[2], word);
        count_loop_kernel(field[0], (uint32_t)strtoul(field[1], NULL, 0), word, got);
        loops++;
        for (int k = 0; k < LOOP_COUNTS; k++)
            if (got[k] != strtoull(field[3 + k], NULL, 10))
                UNIT_FAIL("%s %s %s: counter %d is %llu, the hardware counted %s", field[0], field[1], field[2], k,
                          (unsigned long long)got[k], field[3 + k]);
    }
    fclose(f);
    CHECK_EQ_INT(loops, 192);
}

/* A second warp that adds to the same word: not certain. Its own words, or another block's: certain. */
UNIT_CASE(loops_where_warps_meet)
{
    static const struct {
        uint32_t block, warp;
        uint64_t word;
        bool certain;
    } next[] = {{0, 0, 0, true}, {0, 1, 4, true}, {1, 1, 0, true}, {1, 2, 0, false}};
    model *m;
    lw_error error = {0};
    device_profile device = device_of(90);
    REQUIRE(model_create(&m, &device, 4, &error) == LW_OK);
    void *worker = model_worker_begin(m, 0);
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t address[32] = {next[k].word};
        event_memory e = {.space = EVENT_SHARED, .op = EVENT_REDUCTION, .bytes = 4, .mask = 1, .address = address};
        e.atomic = EVENT_ATOMIC_FADD;
        e.insn = k;
        e.block = next[k].block;
        e.warp = next[k].warp;
        model_count(worker, &e);
        CHECK_EQ_INT(certain_of(m, k), next[k].certain);
    }
    model_destroy(m);
}

/* ---- printf: tests/hw/printf/calls.csv, without the kernels' own stores of the arguments ---- */

typedef struct print_row {
    const char *kernel;
    event_print print; /* at, format, arguments, wide, strings, text bytes, of them local, shared, their room */
    uint32_t mask;
    uint64_t requests[MODEL_PRINT_PARTS]; /* global loads, stores, atomics, local loads, stores */
    uint64_t local_sectors;               /* of loads */
} print_row;

static const print_row print_rows[] = {
    {"length_0", {0, 0, 0, 0, 0, 0, 0, 0, 0, false, false}, UINT32_MAX, {1, 0, 0, 35, 37}, 140},
    {"length_10", {0, 10, 0, 0, 0, 0, 0, 0, 0, false, false}, UINT32_MAX, {35, 222, 5, 463, 60}, 1846},
    {"length_250", {0, 250, 0, 0, 0, 0, 0, 0, 0, false, false}, 1, {755, 471, 5, 479, 60}, 479},
    {"ints_1, 16 lanes", {0, 3, 1, 0, 0, 0, 0, 0, 0, false, false}, 0xffff, {14, 215, 5, 476, 72}, 950},
    {"ints_27", {0, 55, 27, 0, 0, 0, 0, 0, 0, false, false}, 1, {170, 282, 5, 738, 228}, 738},
    {"mixed_lid", {0, 11, 3, 2, 0, 0, 0, 0, 0, false, false}, UINT32_MAX, {38, 201, 5, 456, 88}, 1818},
    {"string_5", {0, 11, 5, 5, 5, 30, 0, 0, 40, false, false}, UINT32_MAX, {128, 187, 5, 425, 126}, 1694},
    {"string_null", {0, 3, 1, 1, 1, 0, 0, 0, 0, false, false}, 1, {14, 215, 5, 485, 78}, 485},
    {"string_local", {0, 3, 1, 1, 1, 12, 12, 0, 16, false, false}, UINT32_MAX, {14, 215, 5, 497, 78}, 1982},
};

typedef struct print_sums {
    model_call_result part[8];
    uint32_t count;
} print_sums;

static void keep_print(void *user, const model_call_result *print)
{
    print_sums *sums = user;
    if (sums->count < LW_COUNT(sums->part)) sums->part[sums->count++] = *print;
}

/* What `warps` warps of block 0 count that call printf once each, from two workers. */
static print_sums count_prints(uint32_t cc, const event_print *print, uint32_t mask, uint32_t warps)
{
    device_profile device = device_of(cc);
    print_sums sums = {.count = 0};
    model *m;
    lw_error error;
    CHECK(model_create(&m, &device, 4, &error) == LW_OK);
    void *workers[2] = {model_worker_begin(m, 0), model_worker_begin(m, 1)};
    for (uint32_t k = 0; k < warps; k++) {
        event_sync e = {.kind = EVENT_PRINT, .insn = 3, .mask = mask, .warp = k, .print = print};
        model_client.sync(workers[k % 2], &e);
    }
    model_each_call(m, keep_print, &sums);
    model_destroy(m);
    return sums;
}

UNIT_CASE(calls_of_printf)
{
    for (size_t k = 0; k < LW_COUNT(print_rows); k++) {
        const print_row *row = &print_rows[k];
        print_sums sums = count_prints(90, &row->print, row->mask, 1);
        uint32_t n = 0;
        for (uint32_t p = 0; p < MODEL_PRINT_PARTS; p++) {
            if (!row->requests[p]) continue; /* there is no row */
            REQUIRE(n < sums.count);
            const model_call_result *r = &sums.part[n++];
            const uint64_t *value = r->counters.value;
            bool each = r->space == EVENT_GLOBAL && r->op == EVENT_STORE;
            uint64_t lanes = (uint64_t)__builtin_popcount(row->mask);
            CHECK_EQ_INT(value[COUNTER_REQUESTS], row->requests[p]);
            CHECK(!r->why && r->insn == 3);
            if (r->space == EVENT_GLOBAL) CHECK_EQ_INT(value[COUNTER_SECTORS], row->requests[p] * (each ? lanes : 1));
            else if (r->op == EVENT_LOAD) CHECK_EQ_INT(value[COUNTER_SECTORS], row->local_sectors);
        }
        CHECK_EQ_INT(sums.count, n);
    }
}

UNIT_CASE(calls_of_printf_that_are_not_certain)
{
    event_print print = {.format_bytes = 3, .arguments = 1};
    print_sums sums = count_prints(90, &print, 1, 2); /* two warps: ints_1 of 64 threads */
    REQUIRE(sums.count == MODEL_PRINT_PARTS);
    CHECK_EQ_INT(sums.part[2].counters.value[COUNTER_REQUESTS], 9);
    CHECK(sums.part[2].why && !sums.part[0].why && !sums.part[4].why);
    sums = count_prints(80, &print, 1, 1);
    CHECK(sums.count == MODEL_PRINT_PARTS && sums.part[0].why && !sums.part[0].counters.present);
    print.differs = true;
    sums = count_prints(90, &print, 1, 1);
    CHECK(sums.count == MODEL_PRINT_PARTS && sums.part[0].why && sums.part[0].counters.present);
    print = (event_print){.format_bytes = 230}; /* where the second record begins was not recorded */
    CHECK(count_prints(90, &print, 1, 1).part[0].why);
    print = (event_print){.format_bytes = 90, .arguments = 30};
    CHECK(count_prints(90, &print, 1, 1).part[0].why);
}

/* A shared add of 1 with a dead result merges lanes on one word: measured with one-warp kernels that are not in the
 * table. */
UNIT_CASE(shared_increments_merge)
{
    device_profile device = device_of(90);
    int64_t same[32], pairs[32], quads[32], column[32];
    for (int i = 0; i < 32; i++) same[i] = 64, pairs[i] = i / 2 * 4, quads[i] = i / 4 * 4, column[i] = i * 128;
    const int64_t *pattern[] = {same, pairs, quads, column};
    static const uint64_t want[] = {1, 1, 1, 32};
    for (int i = 0; i < 4; i++) {
        counter_set set;
        CHECK_EQ_INT(model_pattern(&device, NULL, "reds_inc1", pattern[i], &set, NULL, NULL), LW_OK);
        CHECK_EQ_INT(set.value[COUNTER_WAVEFRONTS], want[i]);
        CHECK_EQ_INT(set.value[COUNTER_BANK_CONFLICTS], want[i] - 1);
        CHECK_EQ_INT(set.value[COUNTER_WAVEFRONTS_IDEAL], 1);
    }
}

UNIT_MAIN()
