/* occupancy: against answers of NVIDIA's cuda_occupancy.h of CUDA 13.0 recorded over a sample of a grid
 * (tests/hw/cuda-occupancy.csv; -1 = unlimited), and against an H200 (tests/hw/h200-clusters.csv). */
#include "model/occupancy.h"
#include "unit.h"

static bool next_row(FILE *f, long long *value, int count)
{
    static char line[1024];
    if (!fgets(line, sizeof line, f)) return false;
    char *p = line;
    for (int i = 0; i < count; i++) {
        value[i] = strtoll(p, &p, 10);
        if (*p == ',') p++;
    }
    return true;
}

static FILE *open_table(const char *name)
{
    FILE *f = fopen(unit_path(name), "r");
    for (int c = 0; f && c != '\n' && c != EOF;) c = fgetc(f); /* the header */
    return f;
}

static bool is_limit(uint32_t got, long long want) { return got == (want < 0 ? OCCUPANCY_UNLIMITED : want); }

UNIT_CASE(answers_as_nvidias_header)
{
    FILE *f = open_table("hw/cuda-occupancy.csv");
    REQUIRE(f != NULL);
    long long v[16];
    int rows = 0, cc = 0;
    device_profile d;
    while (next_row(f, v, 16)) {
        char name[32];
        lw_error error = {0};
        snprintf(name, sizeof name, "cc:%d.%d", (int)v[0] / 10, (int)v[0] % 10);
        if (cc != (int)v[0]) REQUIRE(device_find(name, &d, &error) == LW_OK);
        cc = (int)v[0];
        occupancy_query q = {(uint32_t)v[1], (uint32_t)v[2], (uint32_t)v[3], (uint32_t)v[4], (uint32_t)v[5], v[6] != 0,
                             (int32_t)v[7], (uint32_t)v[8]};
        occupancy o;
        REQUIRE(model_occupancy(&d, &q, &o, NULL) == LW_OK);
        bool same = o.blocks_per_sm == v[9] && o.by_warps == v[10] && is_limit(o.by_registers, v[11]) &&
                    is_limit(o.by_shared, v[12]) && is_limit(o.by_barriers, v[13]) &&
                    o.shared_per_block == (uint64_t)v[15];
        /* the header forgets the other limits when barriers lower the result */
        if (o.by_barriers == OCCUPANCY_UNLIMITED || o.by_barriers > o.blocks_per_sm)
            same = same && o.limited_by == v[14];
        if (!same)
            UNIT_FAIL("%s threads %lld registers %lld static %lld dynamic %lld of %lld opted in %lld carveout %lld: %u "
                      "blocks "
                      "(%u %u %u %u), by %x; expected %lld (%lld %lld %lld %lld), by %llx",
                      name, v[1], v[2], v[3], v[4], v[5], v[6], v[7], o.blocks_per_sm, o.by_warps, o.by_registers,
                      o.by_shared, o.by_barriers, o.limited_by, v[9], v[10], v[11], v[12], v[13], v[14]);
        rows++;
    }
    fclose(f);
    CHECK(rows > 1500);
}

UNIT_CASE(known_answers_of_cc_90)
{
    static const struct {
        uint32_t threads, registers, static_shared, dynamic_shared, blocks;
    } known[] = {{256, 32, 0, 0, 8},       {256, 40, 0, 0, 6}, {128, 37, 0, 0, 12}, {320, 37, 0, 0, 4},
                 {1024, 64, 0, 0, 1},      {64, 168, 0, 0, 6}, {32, 16, 0, 0, 32},  {256, 64, 49152, 0, 4},
                 {128, 255, 0, 232448, 1}, {1024, 65, 0, 0, 0}};
    device_profile d;
    REQUIRE(device_find("h200", &d, NULL) == LW_OK);
    for (size_t i = 0; i < LW_COUNT(known); i++) {
        occupancy o;
        occupancy_query q = {.threads = known[i].threads,
                             .registers = known[i].registers,
                             .static_shared = known[i].static_shared,
                             .dynamic_shared = known[i].dynamic_shared,
                             .max_dynamic_shared = known[i].dynamic_shared,
                             .opted_in = true,
                             .carveout = -1};
        CHECK_EQ_INT(model_occupancy(&d, &q, &o, NULL), LW_OK);
        CHECK_EQ_INT(o.blocks_per_sm, known[i].blocks);
    }
}

UNIT_CASE(clusters_as_on_an_h200)
{
    FILE *f = open_table("hw/h200-clusters.csv");
    REQUIRE(f != NULL);
    long long v[6];
    int rows = 0;
    device_profile d;
    REQUIRE(device_find("h200", &d, NULL) == LW_OK);
    while (next_row(f, v, 6)) {
        occupancy o;
        bool exact = false;
        occupancy_query q = {.threads = (uint32_t)v[2], .registers = (uint32_t)v[3], .dynamic_shared = (uint32_t)v[1],
                             .max_dynamic_shared = 232448, .opted_in = true, .carveout = -1};
        CHECK_EQ_INT(model_occupancy(&d, &q, &o, NULL), LW_OK);
        CHECK_EQ_INT(o.blocks_per_sm, v[5]);
        CHECK_EQ_INT(model_active_clusters(&d, &o, (uint32_t)v[0], &exact), v[4]);
        CHECK(exact);
        rows++;
    }
    fclose(f);
    CHECK_EQ_INT(rows, 150);
    REQUIRE(device_find("h100", &d, NULL) == LW_OK);
    occupancy o = {.blocks_per_sm = 1};
    bool exact = true;
    CHECK_EQ_INT(model_active_clusters(&d, &o, 8, &exact), 16);
    CHECK(!exact);
    CHECK_EQ_INT(model_active_clusters(&d, &o, 32, NULL), 0);
    REQUIRE(device_find("a100", &d, NULL) == LW_OK);
    CHECK_EQ_INT(model_active_clusters(&d, &o, 2, NULL), 0);
}

UNIT_CASE(bad_queries)
{
    device_profile d;
    REQUIRE(device_find(NULL, &d, NULL) == LW_OK);
    occupancy o;
    occupancy_query none = {.carveout = -1}, carveout = {.threads = 32, .carveout = 101};
    CHECK_EQ_INT(model_occupancy(&d, &none, &o, NULL), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(model_occupancy(&d, &carveout, &o, NULL), LW_INVALID_ARGUMENT);
}

UNIT_MAIN()
