/* occupancy: against NVIDIA's cuda_occupancy.h over the grid of tests/hw/occupancy_grid.h: its answers recorded from
 * CUDA 13.0 (tests/hw/cuda-occupancy-sums.csv, a sample in full in cuda-occupancy.csv, -1 = unlimited; how: see
 * tests/hw/record_occupancy.c) and, where there is a toolkit, the header itself; capabilities 1.x and 2.x, which that
 * header does not know, against answers worked out by hand; clusters against an H200 (tests/hw/h200-clusters.csv). */
#include "model/occupancy.h"
#include "unit.h"

#include "../hw/occupancy_grid.h"

#include <sys/wait.h>
#include <unistd.h>

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

static bool find_cc(int cc, device_profile *out)
{
    char name[32];
    lw_error error = {0};
    snprintf(name, sizeof name, "cc:%d.%d", cc / 10, cc % 10);
    if (!device_find(name, out, &error)) return true;
    UNIT_FAIL("%s", error.message);
    return false;
}

/* ---- the grid ---- */

static occupancy_query query_of(const occ_input *in)
{
    static const occupancy_cache caches[] = {OCCUPANCY_CACHE_NONE, OCCUPANCY_CACHE_SHARED, OCCUPANCY_CACHE_L1,
                                             OCCUPANCY_CACHE_EQUAL};
    return (occupancy_query){.threads = (uint32_t)in->threads,
                             .registers = (uint32_t)in->registers,
                             .static_shared = (uint32_t)in->static_shared,
                             .dynamic_shared = (uint32_t)in->dynamic_shared,
                             .max_dynamic_shared = (uint32_t)in->max_dynamic,
                             .opted_in = in->opted_in != 0,
                             .carveout = in->carveout,
                             .barriers = (uint32_t)in->barriers,
                             .cache = caches[in->cache]};
}

static long long limit(uint32_t n) { return n == OCCUPANCY_UNLIMITED ? -1 : (long long)n; }

static occ_answer answer_of(const device_profile *d, const occ_input *in)
{
    occupancy o;
    occupancy_query q = query_of(in);
    CHECK_EQ_INT(model_occupancy(d, &q, &o, NULL), LW_OK);
    return (occ_answer){
        limit(o.blocks_per_sm),       limit(o.by_warps),    limit(o.by_registers), limit(o.by_shared),
        limit(o.by_blocks),           limit(o.by_barriers), o.limited_by,          (long long)o.registers_per_block,
        (long long)o.shared_per_block};
}

/* As record_occupancy.c does it; threads 0: the block size suggested. */
static uint64_t sum_of(const device_profile *d, int threads)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < OCC_PER_BLOCK_SIZE; i++) {
        occ_input in = occ_at(threads, i);
        if (threads) {
            occ_answer a = answer_of(d, &in);
            sum = occ_fold(sum, &a);
        } else {
            occupancy o;
            uint32_t best;
            occupancy_query q = query_of(&in);
            CHECK_EQ_INT(model_occupancy_best(d, &q, &best, &o, NULL), LW_OK);
            sum = occ_mix(occ_mix(sum, o.blocks_per_sm), best);
        }
    }
    return sum;
}

/* Lines "cc,threads,sum". Returns the number of devices. */
static int check_sums(FILE *f)
{
    device_profile d = {0};
    char line[128];
    int devices = 0, last = 0, cc, threads;
    bool known = false;
    unsigned long long sum;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d,%d,%llx", &cc, &threads, &sum) != 3) continue;
        if (cc != last) known = find_cc(cc, &d), devices++;
        last = cc;
        if (known && sum_of(&d, threads) != sum)
            UNIT_FAIL("cc %d.%d, blocks of %d threads (0: the size suggested): some answer differs from the header's; "
                      "see record_occupancy rows %d %d",
                      cc / 10, cc % 10, threads, cc, threads);
    }
    return devices;
}

UNIT_CASE(sample_as_nvidias_header)
{
    FILE *f = open_table("hw/cuda-occupancy.csv");
    REQUIRE(f != NULL);
    long long v[19];
    int rows = 0, cc = 0;
    bool known = false;
    device_profile d = {0};
    while (next_row(f, v, 19)) {
        if (cc != (int)v[0]) known = find_cc((int)v[0], &d);
        cc = (int)v[0];
        rows++;
        if (!known) continue;
        occ_input in = {(int)v[1], (int)v[2], (int)v[3],  (int)v[4], (int)v[5],
                        (int)v[6], (int)v[7], (int)v[16], (int)v[8]};
        occ_answer want = {v[9], v[10], v[11], v[12], v[17], v[13], v[14], v[18], v[15]}, got = answer_of(&d, &in);
        if (occ_fold(0, &got) != occ_fold(0, &want))
            UNIT_FAIL("cc %d threads %d registers %d static %d dynamic %d of %d opted in %d carveout %d cache %d "
                      "barriers %d: %lld blocks (%lld %lld %lld %lld %lld), by %llx; expected %lld (%lld %lld %lld "
                      "%lld %lld), by %llx",
                      cc, in.threads, in.registers, in.static_shared, in.dynamic_shared, in.max_dynamic, in.opted_in,
                      in.carveout, in.cache, in.barriers, got.blocks, got.by_warps, got.by_registers, got.by_shared,
                      got.by_blocks, got.by_barriers, got.limited_by, want.blocks, want.by_warps, want.by_registers,
                      want.by_shared, want.by_blocks, want.by_barriers, want.limited_by);
    }
    fclose(f);
    CHECK(rows > 1500);
}

/* Recorded on an H100: tests/hw/h100-carveouts.csv. */
UNIT_CASE(carve_outs_as_the_driver_chooses)
{
    FILE *f = fopen(unit_path("hw/h100-carveouts.csv"), "r");
    char line[128];
    unsigned registers, threads, fixed, dynamic, kib, rows = 0, wrong = 0;
    device_profile d;
    REQUIRE(f != NULL && !device_find("h200", &d, NULL));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%u,%u,%u,%u,%u", &registers, &threads, &fixed, &dynamic, &kib) != 5) continue;
        occupancy_query q = {.threads = threads,
                             .registers = registers,
                             .static_shared = fixed,
                             .dynamic_shared = dynamic,
                             .max_dynamic_shared = 200000,
                             .opted_in = true,
                             .carveout = -1};
        occupancy o;
        REQUIRE(!model_occupancy(&d, &q, &o, NULL));
        wrong += model_driver_carveout(&d, &q, &o) != (uint64_t)kib << 10;
        q.carveout = 100;
        CHECK_EQ_INT(model_driver_carveout(&d, &q, &o), d.shared_per_sm);
        rows++;
    }
    fclose(f);
    CHECK(rows > 700);
    CHECK_EQ_INT(wrong, 0);
}

UNIT_CASE(whole_grid_as_nvidias_header)
{
    FILE *f = open_table("hw/cuda-occupancy-sums.csv");
    REQUIRE(f != NULL);
    CHECK_EQ_INT(check_sums(f), 24);
    fclose(f);
}

/* The toolkit's include directory, or NULL. */
static const char *toolkit(void)
{
    static char path[1024];
    const char *homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda", "/usr"};
    for (size_t i = 0; i < LW_COUNT(homes); i++) {
        snprintf(path, sizeof path, "%s/include/cuda_occupancy.h", homes[i] && *homes[i] ? homes[i] : "/nowhere");
        if (!access(path, R_OK)) return *strrchr(path, '/') = 0, path;
    }
    return NULL;
}

/* The toolkit of the machine may be another than the recorded one; what it knows must be answered as it does. */
UNIT_CASE(header_of_the_toolkit_here)
{
    const char *include = toolkit(), *temporary = getenv("TMPDIR");
    if (!include || system("cc --version >/dev/null 2>&1")) {
        printf("skipped: no cuda_occupancy.h here, or no cc\n");
        return;
    }
    char directory[512], command[4096];
    snprintf(directory, sizeof directory, "%s/lw-occupancy-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    REQUIRE(mkdtemp(directory) != NULL);
    snprintf(command, sizeof command, "cc -O1 -w -I'%s' -o '%s/record' '%s' && '%s/record' sums", include, directory,
             unit_path("hw/record_occupancy.c"), directory);
    FILE *f = popen(command, "r");
    int devices = f ? check_sums(f) : 0, status = f ? pclose(f) : -1;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    CHECK_EQ_INT(system(command), 0);
    CHECK_EQ_INT(status, 0);
    CHECK(devices > 5);
}

/* ---- before 3.0 ---- */

/* The rules are those of cuda_occupancy.h of CUDA 7.0. 1.x: warps in pairs, registers of the block in units of 256
 * (1.2, 1.3: 512), shared memory in units of 512 bytes. 2.x: registers of a warp in units of 64, of 128 for 21, 22, 29,
 * 30, 37, 38, 45 and 46 registers, a half of them for each of two partitions; shared memory in units of 128. */
UNIT_CASE(answers_of_1_x_and_2_x)
{
    static const struct {
        uint32_t cc, threads, registers, shared, blocks, limited_by;
        occupancy_cache cache;
    } known[] = {
        /* Best Practices Guide: 128 threads of 12 registers are 5 blocks, 83 %; 256 threads are 2 blocks, 66 % */
        {10, 128, 12, 0, 5, 2, 0},
        {10, 256, 12, 0, 2, 2, 0},
        /* Programming Guide 3.x, 5.2.3: 512 threads of 16 registers twice on 1.2, of 17 once */
        {12, 512, 16, 0, 2, 1 | 2, 0},
        {12, 512, 17, 0, 1, 2, 0},
        /* 16,384 / (512 x 10 = 5,120); 8,192 / 5,120 */
        {13, 512, 10, 0, 2, 1, 0},
        {11, 512, 10, 0, 1, 1 | 2, 0},
        /* 3 warps count as 4: 24 / 4 and 8,192 / (128 x 10 = 1,280) */
        {10, 96, 10, 0, 6, 1 | 2, 0},
        /* 1 warp counts as 2; 8 block slots */
        {10, 32, 16, 0, 8, 2 | 8, 0},
        /* 192 x 11 = 2,112 is 2,304 in units of 256, 2,560 in units of 512 */
        {10, 192, 11, 0, 3, 2, 0},
        {13, 192, 11, 0, 5, 1, 0},
        /* 2,100 bytes are 2,560: 16,384 / 2,560 */
        {13, 64, 8, 2100, 6, 4, 0},
        {10, 64, 8, 16384, 1, 4, 0},
        /* 20 registers: 640 a warp, 16,384 / 640 = 25 in each half, 50 / 8 = 6 = 48 / 8 */
        {20, 256, 20, 0, 6, 1 | 2, 0},
        /* 21 registers: 672 is 768 in units of 128, 21 in each half, 42 / 8 */
        {20, 256, 21, 0, 5, 2, 0},
        /* 23 registers: 736 is 768 */
        {21, 256, 23, 0, 5, 2, 0},
        /* 46: 1,472 is 1,536, 10 in each half, 20 / 6; 47: 1,504 is 1,536 */
        {20, 192, 46, 0, 3, 2, 0},
        {20, 192, 47, 0, 3, 2, 0},
        /* 63: 2,016 is 2,048, 8 in each half, 16 / 16 */
        {20, 512, 63, 0, 1, 2, 0},
        /* 3 x 2,048, as 4 warps: fits; 17 warps as 18 x 2,048 do not */
        {20, 96, 63, 0, 5, 2, 0},
        {20, 544, 63, 0, 0, 2, 0},
        /* 12,000 bytes are 12,032: 49,152 / 12,032; with a preference for L1 16,384 / 12,032 */
        {20, 128, 16, 12000, 4, 4, 0},
        {20, 128, 16, 12000, 1, 4, OCCUPANCY_CACHE_L1},
        {20, 128, 16, 12000, 4, 4, OCCUPANCY_CACHE_EQUAL},
        /* more than 16 KiB: the preference for L1 gives way */
        {21, 128, 16, 20000, 2, 4, OCCUPANCY_CACHE_L1},
        /* what no thread or block of these can have */
        {10, 513, 8, 0, 0, 1, 0},
        {20, 1025, 16, 0, 0, 1, 0},
        {20, 32, 64, 0, 0, 2, 0},
        {13, 32, 8, 16385, 0, 4, 0},
    };
    for (size_t i = 0; i < LW_COUNT(known); i++) {
        occupancy o;
        device_profile d;
        if (!find_cc((int)known[i].cc, &d)) continue;
        occupancy_query q = {.threads = known[i].threads,
                             .registers = known[i].registers,
                             .static_shared = known[i].shared,
                             .carveout = -1,
                             .cache = known[i].cache};
        CHECK_EQ_INT(model_occupancy(&d, &q, &o, NULL), LW_OK);
        if (o.blocks_per_sm != known[i].blocks || o.limited_by != known[i].limited_by)
            UNIT_FAIL("cc %u, %u threads, %u registers, %u bytes: %u blocks by %x (warps %u registers %u shared %u), "
                      "expected %u by %x",
                      known[i].cc, q.threads, q.registers, q.static_shared, o.blocks_per_sm, o.limited_by, o.by_warps,
                      o.by_registers, o.by_shared, known[i].blocks, known[i].limited_by);
    }
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
        occupancy_query q = {.threads = (uint32_t)v[2],
                             .registers = (uint32_t)v[3],
                             .dynamic_shared = (uint32_t)v[1],
                             .max_dynamic_shared = 232448,
                             .opted_in = true,
                             .carveout = -1};
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
