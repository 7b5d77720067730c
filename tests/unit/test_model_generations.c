/* model: the rules of cc 1.0 to 6.2 against tests/data/generations.csv (results of a second writing of the rules), and
 * against the examples that the programming guides give. Bytes and ideals of transactions are checked by hand and by
 * what must hold for every access. */
#include "model/model.h"
#include "unit.h"

static device_profile device_of(uint32_t cc)
{
    device_profile d;
    memset(&d, 0, sizeof d);
    d.cc = cc;
    d.cc_major = cc / 10, d.cc_minor = cc % 10;
    return d;
}

static const char *why;

/* The counters of one access; a failure is reported and gives an empty set. */
static counter_set count(uint32_t cc, const model_options *options, const char *op, const int64_t offsets[32])
{
    device_profile d = device_of(cc);
    counter_set set;
    lw_error error = {0};
    if (model_pattern(&d, options, op, offsets, &set, &why, &error) != LW_OK)
        UNIT_FAIL("cc %u %s: %s", cc, op, error.message);
    return set;
}

static bool has(const counter_set *set, counter_id id) { return set->present >> id & 1; }

/* ---- the file ---- */

typedef enum what { PLAIN, SIZES } what;
typedef struct expectation {
    const char *column;
    const char *op; /* lds sts ldg stg, the width is added */
    uint8_t cc[6];  /* each gives the same; 0 ends */
    counter_id counter;
    model_options options;
    what what; /* SIZES: "32:64:128" transactions */
} expectation;

#define WIDE {.bank_bytes = 8}
#define L1 {.global_l1 = MODEL_L1_CACHED}
#define L2 {.global_l1 = MODEL_L1_UNCACHED}
#define NONE {.global_l1 = MODEL_L1_DEFAULT}

static const expectation expectations[] = {
    {"sh1_load", "lds", {10, 11, 12, 13}, COUNTER_WAVEFRONTS, NONE, PLAIN},
    {"sh1_store", "sts", {10, 11, 12, 13}, COUNTER_WAVEFRONTS, NONE, PLAIN},
    {"sh1_load", "lds", {13}, COUNTER_WAVEFRONTS, WIDE, PLAIN}, /* takes no notice */
    {"sh2", "lds", {20, 21}, COUNTER_WAVEFRONTS, NONE, PLAIN},
    {"sh2", "sts", {20, 21}, COUNTER_WAVEFRONTS, WIDE, PLAIN},
    {"sh2_conflicts", "lds", {20, 21}, COUNTER_BANK_CONFLICTS, NONE, PLAIN},
    {"sh3b4", "lds", {30, 32, 35, 37}, COUNTER_WAVEFRONTS, NONE, PLAIN},
    {"sh3b4", "sts", {30, 32, 35, 37}, COUNTER_WAVEFRONTS, {.bank_bytes = 4}, PLAIN},
    {"sh3b4_conflicts", "sts", {30, 35}, COUNTER_BANK_CONFLICTS, NONE, PLAIN},
    {"sh3b8", "lds", {30, 32, 35, 37}, COUNTER_WAVEFRONTS, WIDE, PLAIN},
    {"sh3b8", "sts", {30, 32, 35, 37}, COUNTER_WAVEFRONTS, WIDE, PLAIN},
    {"sh3b8_conflicts", "lds", {30, 35}, COUNTER_BANK_CONFLICTS, WIDE, PLAIN},
    {"sh5_load", "lds", {50, 52, 61, 75, 89, 121}, COUNTER_WAVEFRONTS, WIDE, PLAIN},
    {"sh5_load_conflicts", "lds", {50, 53, 62, 70, 103, 120}, COUNTER_BANK_CONFLICTS, NONE, PLAIN},
    {"sh5_store", "sts", {50, 52, 61, 75, 89, 121}, COUNTER_WAVEFRONTS, NONE, PLAIN},
    {"sh5_store_conflicts", "sts", {50, 52, 61, 75, 110, 121}, COUNTER_BANK_CONFLICTS, NONE, PLAIN},
    {"g10", "ldg", {10, 11}, COUNTER_TRANSACTIONS, NONE, SIZES},
    {"g10", "stg", {10, 11}, COUNTER_TRANSACTIONS, L1, SIZES},
    {"g12", "ldg", {12, 13}, COUNTER_TRANSACTIONS, L2, SIZES},
    {"g12", "stg", {12, 13}, COUNTER_TRANSACTIONS, NONE, SIZES},
    {"g2_l1", "ldg", {20, 21}, COUNTER_TRANSACTIONS_128, NONE, PLAIN},
    {"g2_l1", "ldg", {20, 35, 37}, COUNTER_TRANSACTIONS_128, L1, PLAIN},
    {"g2_l2", "ldg", {20, 21, 30, 32, 35, 37}, COUNTER_TRANSACTIONS_32, L2, PLAIN},
    {"g2_l2", "ldg", {30, 32, 35, 37}, COUNTER_TRANSACTIONS_32, NONE, PLAIN},
    {"g2_l2", "ldg", {30, 32}, COUNTER_TRANSACTIONS_32, L1, PLAIN}, /* these have no choice */
    {"g2_l2", "stg", {20, 21, 30, 32, 35, 37}, COUNTER_TRANSACTIONS_32, L1, PLAIN},
    {"sectors", "ldg", {50, 53, 60, 70, 89, 121}, COUNTER_SECTORS, NONE, PLAIN},
    {"sectors", "stg", {52, 61, 62, 72, 100, 120}, COUNTER_SECTORS, NONE, PLAIN},
    {"tags", "ldg", {50, 53, 60, 70, 89, 121}, COUNTER_TAGS, NONE, PLAIN},
};

static bool same_sizes(const counter_set *s, const char *want)
{
    unsigned long long small, medium, large;
    return sscanf(want, "%llu:%llu:%llu", &small, &medium, &large) == 3 && has(s, COUNTER_TRANSACTIONS_32) &&
           s->value[COUNTER_TRANSACTIONS_32] == small && s->value[COUNTER_TRANSACTIONS_64] == medium &&
           s->value[COUNTER_TRANSACTIONS_128] == large && s->value[COUNTER_TRANSACTIONS] == small + medium + large;
}

/* What holds for all transactions. */
static void check_bytes(const counter_set *s, uint32_t lanes, uint32_t bytes)
{
    uint64_t moved = s->value[COUNTER_BYTES_MOVED], useful = s->value[COUNTER_BYTES_USEFUL];
    CHECK_EQ_INT(moved, 32 * s->value[COUNTER_TRANSACTIONS_32] + 64 * s->value[COUNTER_TRANSACTIONS_64] +
                            128 * s->value[COUNTER_TRANSACTIONS_128]);
    CHECK(useful > 0 && useful <= moved && useful <= lanes * bytes);
    CHECK(s->value[COUNTER_TRANSACTIONS_IDEAL] > 0);
    CHECK(s->value[COUNTER_TRANSACTIONS_IDEAL] <= s->value[COUNTER_TRANSACTIONS]);
    CHECK(!has(s, COUNTER_SECTORS) && !has(s, COUNTER_TAGS) && !has(s, COUNTER_WAVEFRONTS));
    CHECK_EQ_INT(s->value[COUNTER_REQUESTS], 1);
}

static int compared;

static void compare(const expectation *x, const char *want, uint32_t bytes, const int64_t offsets[32], int line)
{
    char op[16];
    uint32_t lanes = 0;
    for (int i = 0; i < 32; i++) lanes += offsets[i] >= 0;
    snprintf(op, sizeof op, "%s%u", x->op, 8 * bytes);
    for (int i = 0; i < 6 && x->cc[i] && unit_failures < 5; i++) {
        counter_set s = count(x->cc[i], &x->options, op, offsets);
        compared++;
        CHECK_EQ_INT(s.value[COUNTER_INST_EXECUTED], 1);
        CHECK_EQ_INT(s.value[COUNTER_LANES], lanes);
        bool equal = x->what == SIZES ? same_sizes(&s, want)
                     : want[0]        ? has(&s, x->counter) && s.value[x->counter] == strtoull(want, NULL, 10)
                                      : !has(&s, x->counter);
        if (!equal)
            UNIT_FAIL("line %d, cc %u %s: %s is %llu, expected %s", line, x->cc[i], op, counter_descs[x->counter].name,
                      (unsigned long long)s.value[x->counter], want);
        if (x->cc[i] < 50 && x->op[2] == 'g') check_bytes(&s, lanes, bytes);
        if (x->cc[i] < 50 && x->op[2] == 's') CHECK(!has(&s, COUNTER_TRANSACTIONS) && !has(&s, COUNTER_REQUESTS));
        if (x->cc[i] >= 50) CHECK(!has(&s, COUNTER_TRANSACTIONS) && !has(&s, COUNTER_BYTES_USEFUL));
    }
}

enum { MOST_COLUMNS = 32 };

static int split(char *line, char *column[MOST_COLUMNS])
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    while (n < MOST_COLUMNS) {
        column[n++] = line;
        line += strcspn(line, ",");
        if (!*line) break;
        *line++ = 0;
    }
    return n;
}

static bool read_units(const char *text, uint32_t bytes, int64_t out[32])
{
    for (int i = 0; i < 32; i++) {
        char *end;
        text += strspn(text, " ");
        bool off = text[0] == '-';
        out[i] = off ? -1 : strtoll(text, &end, 10) * bytes;
        if (off) end = (char *)text + 1;
        if (end == text) return false;
        text = end;
    }
    return !*text;
}

UNIT_CASE(every_generation_equals_its_reference)
{
    FILE *f = fopen(unit_path("data/generations.csv"), "r");
    REQUIRE(f != NULL);
    static char header[4096], line[4096];
    char *name[MOST_COLUMNS], *column[MOST_COLUMNS];
    int64_t offsets[32];
    int number = 2, rows = 0;
    compared = 0;
    REQUIRE(fgets(header, sizeof header, f) && fgets(header, sizeof header, f)); /* a remark, the names */
    int columns = split(header, name);
    while (fgets(line, sizeof line, f) && unit_failures < 5) {
        number++;
        if (split(line, column) != columns || !read_units(column[1], (uint32_t)atoi(column[0]), offsets)) {
            UNIT_FAIL("line %d cannot be read", number);
            break;
        }
        rows++;
        for (size_t x = 0; x < LW_COUNT(expectations); x++) {
            int c = 0;
            while (c < columns && strcmp(name[c], expectations[x].column)) c++;
            if (c == columns) UNIT_FAIL("no column %s", expectations[x].column);
            else compare(&expectations[x], column[c], (uint32_t)atoi(column[0]), offsets, number);
        }
    }
    fclose(f);
    CHECK(rows >= 800 && compared > 50000);
}

/* ---- by hand ---- */

static void stride(int64_t offsets[32], int64_t bytes, int64_t start)
{
    for (int i = 0; i < 32; i++) offsets[i] = start + i * bytes;
}

static void check_traffic(uint32_t cc, const model_options *options, const char *op, const int64_t offsets[32],
                          const uint32_t want[6]) /* of 32, 64, 128 bytes; moved, useful, ideal */
{
    static const counter_id ids[6] = {COUNTER_TRANSACTIONS_32, COUNTER_TRANSACTIONS_64, COUNTER_TRANSACTIONS_128,
                                      COUNTER_BYTES_MOVED,     COUNTER_BYTES_USEFUL,    COUNTER_TRANSACTIONS_IDEAL};
    counter_set s = count(cc, options, op, offsets);
    for (int i = 0; i < 6; i++)
        if (s.value[ids[i]] != want[i])
            UNIT_FAIL("cc %u %s: %s is %llu, expected %u", cc, op, counter_descs[ids[i]].name,
                      (unsigned long long)s.value[ids[i]], want[i]);
}
#define TRAFFIC(cc, options, op, ...) check_traffic(cc, options, op, offsets, (const uint32_t[6]){__VA_ARGS__})

UNIT_CASE(transactions_of_aligned_shifted_and_strided_words)
{
    static const model_options l2 = L2;
    int64_t offsets[32];
    stride(offsets, 4, 0);
    TRAFFIC(10, NULL, "ldg32", 0, 2, 0, 128, 128, 2);
    TRAFFIC(13, NULL, "ldg32", 0, 2, 0, 128, 128, 2);
    TRAFFIC(20, NULL, "ldg32", 0, 0, 1, 128, 128, 1);
    TRAFFIC(20, &l2, "ldg32", 4, 0, 0, 128, 128, 4);
    TRAFFIC(35, NULL, "ldg32", 4, 0, 0, 128, 128, 4);
    TRAFFIC(20, NULL, "stg32", 4, 0, 0, 128, 128, 4);
    stride(offsets, 4, 4); /* the guides' misaligned access */
    TRAFFIC(10, NULL, "ldg32", 32, 0, 0, 1024, 128, 2);
    TRAFFIC(13, NULL, "ldg32", 1, 1, 1, 224, 128, 2); /* bytes 4-67; 68-127 and 128-131 */
    TRAFFIC(20, NULL, "ldg32", 0, 0, 2, 256, 128, 1);
    TRAFFIC(20, &l2, "ldg32", 5, 0, 0, 160, 128, 4);
    stride(offsets, 16, 0);
    TRAFFIC(10, NULL, "ldg128", 0, 0, 4, 512, 512, 4);
    TRAFFIC(20, NULL, "ldg128", 0, 0, 4, 512, 512, 4);
    TRAFFIC(35, NULL, "ldg128", 16, 0, 0, 512, 512, 16);
    stride(offsets, 128, 0);
    TRAFFIC(12, NULL, "ldg32", 32, 0, 0, 1024, 128, 2);
    TRAFFIC(20, NULL, "ldg32", 0, 0, 32, 4096, 128, 1);
    stride(offsets, 0, 64);
    TRAFFIC(10, NULL, "ldg32", 32, 0, 0, 1024, 128, 2);
    TRAFFIC(12, NULL, "ldg32", 2, 0, 0, 64, 8, 2);
    TRAFFIC(20, NULL, "ldg32", 0, 0, 1, 128, 4, 1);
    TRAFFIC(20, &l2, "ldg32", 1, 0, 0, 32, 4, 1);
    stride(offsets, 1, 0);
    TRAFFIC(11, NULL, "ldg8", 32, 0, 0, 1024, 32, 2);
    TRAFFIC(12, NULL, "ldg8", 2, 0, 0, 64, 32, 2);
}

UNIT_CASE(local_memory_lies_interleaved)
{
    int64_t offsets[32];
    stride(offsets, 0, 16); /* one index: each word of a lane is 128 bytes of a warp */
    TRAFFIC(10, NULL, "ldl32", 0, 2, 0, 128, 128, 2);
    CHECK(why == NULL);
    TRAFFIC(13, NULL, "stl64", 0, 4, 0, 256, 256, 4);
    TRAFFIC(20, NULL, "ldl128", 0, 0, 4, 512, 512, 4);
    TRAFFIC(35, NULL, "stl32", 0, 0, 1, 128, 128, 1);
    TRAFFIC(35, NULL, "ldl8", 0, 0, 1, 128, 32, 1);
    CHECK(why == NULL);
    stride(offsets, 4, 0); /* lane i reads its word i: 32 lines */
    TRAFFIC(10, NULL, "ldl32", 32, 0, 0, 1024, 128, 2);
    TRAFFIC(13, NULL, "ldl32", 32, 0, 0, 1024, 128, 2);
    TRAFFIC(20, NULL, "ldl32", 0, 0, 32, 4096, 128, 1);
    CHECK_HAS(why, "different indices");
}

UNIT_CASE(constant_memory_takes_a_request_for_each_address)
{
    int64_t offsets[32];
    stride(offsets, 0, 64);
    CHECK_EQ_INT(count(10, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 2); /* half-warps */
    CHECK_EQ_INT(count(20, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 1);
    CHECK_EQ_INT(count(61, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 1);
    stride(offsets, 4, 0);
    for (int i = 0; i < 32; i++) offsets[i] &= ~7;
    CHECK_EQ_INT(count(13, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 16);
    CHECK_EQ_INT(count(35, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 16);
    offsets[0] = -1, offsets[1] = -1;
    CHECK_EQ_INT(count(13, NULL, "ldci", offsets).value[COUNTER_REQUESTS], 15);
    CHECK(why == NULL);
}

UNIT_CASE(what_is_not_exact_says_why)
{
    int64_t offsets[32];
    stride(offsets, 16, 0);
    counter_set s = count(20, NULL, "lds128", offsets);
    CHECK_HAS(why, "16-byte");
    CHECK(has(&s, COUNTER_WAVEFRONTS) && !has(&s, COUNTER_BANK_CONFLICTS));
    count(35, NULL, "sts128", offsets);
    CHECK_HAS(why, "16-byte");
    count(13, NULL, "lds128", offsets);
    CHECK(why == NULL);
    s = count(20, NULL, "atoms_add", offsets);
    CHECK_HAS(why, "loops");
    CHECK_EQ_INT(s.present, 1u << COUNTER_INST_EXECUTED | 1u << COUNTER_LANES);
    s = count(35, NULL, "red32", offsets);
    CHECK_HAS(why, "global atomics");
    CHECK_EQ_INT(s.present, 1u << COUNTER_INST_EXECUTED | 1u << COUNTER_LANES | 1u << COUNTER_REQUESTS);
    CHECK_EQ_INT(s.value[COUNTER_REQUESTS], 1);
    count(61, NULL, "lds64", offsets);
    CHECK_HAS(why, "7.0");
    count(61, NULL, "lds32", offsets);
    CHECK(why == NULL);
    count(90, NULL, "lds128", offsets);
    CHECK(why == NULL);
}

typedef struct first_cc {
    const char *op;
    uint32_t cc; /* the first that has it */
} first_cc;

UNIT_CASE(an_access_that_a_capability_lacks_is_refused)
{
    static const uint32_t all[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60,  61, 62,
                                   70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
    static const first_cc ops[] = {{"lds32", 10},  {"stg128", 10},  {"ldl64", 10},     {"ldci", 10},
                                   {"atom32", 11}, {"red64", 12},   {"atoms_add", 12}, {"atoms_ex64", 20},
                                   {"ldsm4", 75},  {"cpa16", 80},   {"stsm1", 90},     {"dld32", 90},
                                   {"datom", 90},  {"ldg256", 100}, {"stg256", 100}};
    int64_t offsets[32];
    stride(offsets, 32, 0);
    for (size_t o = 0; o < LW_COUNT(ops); o++)
        for (size_t i = 0; i < LW_COUNT(all); i++) {
            device_profile d = device_of(all[i]);
            counter_set set;
            lw_error error = {0};
            lw_status status = model_pattern(&d, NULL, ops[o].op, offsets, &set, NULL, &error);
            CHECK_EQ_INT(status, all[i] < ops[o].cc ? LW_UNSUPPORTED : LW_OK);
            if (status) CHECK_HAS(error.message, ops[o].op);
            if (!status) CHECK(set.present != 0);
        }
}

UNIT_CASE(options_are_checked)
{
    static const model_options odd = {.bank_bytes = 16};
    device_profile d = device_of(35);
    int64_t offsets[32];
    counter_set set;
    lw_error error = {0};
    stride(offsets, 4, 0);
    CHECK_EQ_INT(model_pattern(&d, &odd, "lds32", offsets, &set, NULL, &error), LW_INVALID_ARGUMENT);
    CHECK_HAS(error.message, "16");
}

/* Event by event: .cg and .nc choose the way of a load; what does not exist is counted as executed and says why. */
static counter_set count_event(uint32_t cc, const model_options *options, uint8_t space, uint8_t op, uint8_t flags)
{
    device_profile d = device_of(cc);
    model *m;
    counter_set set = {0, {0}};
    uint64_t address[32];
    for (uint32_t i = 0; i < 32; i++) address[i] = 0x10000 + 4 * i;
    static event_texels texels = {
        .sets = 1, .rows = 1, .texel_bytes = 4, .set[0] = {.mask = UINT32_MAX, .rows = 1, .together = 4, .passes = 1}};
    event_memory e = {.space = space,
                      .op = op,
                      .bytes = 4,
                      .mask = UINT32_MAX,
                      .flags = flags,
                      .texels = space == EVENT_TEXTURE ? &texels : NULL,
                      .address = address,
                      .shape = EVENT_CONSECUTIVE};
    if (model_create(&m, &d, 1, NULL) || (options && model_set_options(m, options, NULL))) return set;
    model_client.memory(model_client.worker_begin(m, 0), &e);
    set = model_result(m, 0, (event_space)space, (event_op)op);
    model_destroy(m);
    return set;
}

UNIT_CASE(cache_operators_choose_the_way_of_a_load)
{
    static const model_options cached = L1;
    CHECK_EQ_INT(count_event(20, NULL, EVENT_GLOBAL, EVENT_LOAD, 0).value[COUNTER_TRANSACTIONS], 1);
    CHECK_EQ_INT(count_event(20, NULL, EVENT_GLOBAL, EVENT_LOAD, EVENT_BYPASS_L1).value[COUNTER_TRANSACTIONS], 4);
    CHECK_EQ_INT(count_event(20, NULL, EVENT_GLOBAL, EVENT_LOAD, EVENT_NON_COHERENT).value[COUNTER_TRANSACTIONS], 1);
    CHECK_EQ_INT(count_event(35, &cached, EVENT_GLOBAL, EVENT_LOAD, 0).value[COUNTER_TRANSACTIONS], 1);
    CHECK_EQ_INT(count_event(35, &cached, EVENT_GLOBAL, EVENT_LOAD, EVENT_BYPASS_L1).value[COUNTER_TRANSACTIONS], 4);
    CHECK_EQ_INT(count_event(35, &cached, EVENT_GLOBAL, EVENT_LOAD, EVENT_NON_COHERENT).value[COUNTER_TRANSACTIONS], 4);
    CHECK_EQ_INT(count_event(13, NULL, EVENT_GLOBAL, EVENT_LOAD, EVENT_BYPASS_L1).value[COUNTER_TRANSACTIONS], 2);
    counter_set s = count_event(35, NULL, EVENT_SHARED, EVENT_COPY_WRITE, 0); /* cp.async */
    CHECK_EQ_INT(s.present, 1u << COUNTER_INST_EXECUTED | 1u << COUNTER_LANES);
    s = count_event(35, NULL, EVENT_TEXTURE, EVENT_LOAD, 0);
    CHECK_EQ_INT(s.present, 1u << COUNTER_INST_EXECUTED | 1u << COUNTER_LANES);
    s = count_event(90, NULL, EVENT_TEXTURE, EVENT_LOAD, 0);
    CHECK_EQ_INT(s.value[COUNTER_SECTORS], 8);
    CHECK_EQ_INT(s.value[COUNTER_SECTORS_IDEAL], 8);
}

/* A row of counters.def without a rule would never be seen. */
UNIT_CASE(every_counter_has_an_access)
{
    static const uint32_t generations[] = {10, 13, 20, 35, 50, 70, 90, 100};
    uint32_t present = 0;
    for (size_t g = 0; g < LW_COUNT(generations); g++)
        for (uint8_t space = 0; space < EVENT_SPACE_COUNT; space++)
            for (uint8_t op = 0; op < EVENT_OP_COUNT; op++) {
                present |= count_event(generations[g], NULL, space, op, 0).present;
                present |= count_event(generations[g], NULL, space, op, EVENT_BULK).present;
            }
    for (uint32_t c = 0; c < COUNTER_L1_SECTORS; c++) /* from there on: the caches', tests/unit/test_caches.c */
        if (!(present >> c & 1)) UNIT_FAIL("no access has the counter %s", counter_descs[c].name);
}

UNIT_MAIN()
