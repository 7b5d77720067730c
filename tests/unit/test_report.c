/* The report over results made by hand: measures, advice, and whole reports compared with tests/golden/report/.
 * LANEWISE_UPDATE=1 in the environment rewrites the expected files. */
#include "unit.h"

#include "report/pen.h"
#include "report/report.h"

#include "lanewise/version.h"

#include <jansson.h>

#define C(id, n) [COUNTER_##id] = (n)
#define P(id) (1u << COUNTER_##id)
#define P_SHARED (P(INST_EXECUTED) | P(LANES) | P(WAVEFRONTS) | P(WAVEFRONTS_IDEAL) | P(BANK_CONFLICTS))
#define P_GLOBAL (P(INST_EXECUTED) | P(LANES) | P(REQUESTS) | P(SECTORS) | P(SECTORS_IDEAL) | P(TAGS))
#define SHARED(n, lanes, w, ideal)                                                                                     \
    {                                                                                                                  \
        P_SHARED,                                                                                                      \
        {                                                                                                              \
            C(INST_EXECUTED, n), C(LANES, lanes), C(WAVEFRONTS, w), C(WAVEFRONTS_IDEAL, ideal),                        \
                C(BANK_CONFLICTS, (w) - (n))                                                                           \
        }                                                                                                              \
    }
#define GLOBAL(n, lanes, s, ideal)                                                                                     \
    {                                                                                                                  \
        P_GLOBAL,                                                                                                      \
        {                                                                                                              \
            C(INST_EXECUTED, n), C(LANES, lanes), C(REQUESTS, n), C(SECTORS, s), C(SECTORS_IDEAL, ideal), C(TAGS, n)   \
        }                                                                                                              \
    }

#define CONSTANT(n, lanes, r)                                                                                          \
    {                                                                                                                  \
        P(INST_EXECUTED) | P(LANES) | P(REQUESTS), { C(INST_EXECUTED, n), C(LANES, lanes), C(REQUESTS, r) }            \
    }

static const char *golden_dir(void)
{
    static char dir[4096]; /* unit_path's own place is used again */
    snprintf(dir, sizeof dir, "%s", unit_path("golden/report"));
    return dir;
}

static const char *source_file(void)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s/transpose.cu", golden_dir());
    return path;
}

/* Every "from" in text becomes "to": version and directory do not belong into golden files. */
static char *replace_all(char *text, const char *from, const char *to)
{
    lw_text out = {0};
    char *at = text, *hit;
    while ((hit = strstr(at, from))) {
        lw_text_append(&out, at, (size_t)(hit - at));
        lw_text_append(&out, to, strlen(to));
        at = hit + strlen(from);
    }
    lw_text_append(&out, at, strlen(at));
    free(text);
    return out.data;
}

static void check_golden(const char *name, lw_text *text)
{
    char path[1200];
    char *expected = NULL, *got = lw_strdup(text->data ? text->data : "");
    size_t size = 0;
    got = replace_all(got, source_file(), "transpose.cu");
    got = replace_all(got, LANEWISE_VERSION, "VERSION");
    snprintf(path, sizeof path, "%s/%s", golden_dir(), name);
    if (getenv("LANEWISE_UPDATE")) CHECK(!lw_file_write(path, got, strlen(got), NULL));
    CHECK(!lw_file_read(path, &expected, &size, NULL));
    CHECK_STR(got, expected);
    free(expected);
    free(got);
    lw_text_free(text);
}

/* ---- results by hand ---- */

static void transpose_rows(result_row rows[7])
{
    const char *cu = source_file();
    static result_frame chain[2];
    chain[0] = (result_frame){cu, 4, "scale(float, const float*)"};
    chain[1] = (result_frame){cu, 12, "smem(float*, const float*, int)"};
    rows[0] = (result_row){.file = cu,
                           .line = 9,
                           .space = "global",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = GLOBAL(1024, 32768, 4096, 4096)};
    rows[1] = (result_row){.file = cu,
                           .line = 9,
                           .space = "shared",
                           .op = "store",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = SHARED(1024, 32768, 1024, 1024)};
    rows[2] = (result_row){.file = cu,
                           .line = 11,
                           .space = "global",
                           .op = "store",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = GLOBAL(1024, 32768, 32768, 4096)};
    rows[3] = (result_row){.file = cu,
                           .line = 11,
                           .space = "shared",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = SHARED(1024, 32768, 32768, 1024)};
    rows[4] = (result_row){.file = cu,
                           .line = 4,
                           .inlined = chain,
                           .inlined_count = 2,
                           .space = "global",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = false,
                           .why = "the loop around it may be unrolled differently",
                           .counters = GLOBAL(512, 16384, 4096, 2048)};
    rows[5] = (result_row){.file = cu,
                           .line = 12,
                           .space = "constant",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = {P(INST_EXECUTED) | P(LANES) | P(REQUESTS),
                                        {C(INST_EXECUTED, 512), C(LANES, 16384), C(REQUESTS, 512)}}};
    rows[6] = (result_row){.file = cu,
                           .line = 12,
                           .space = "global",
                           .op = "store",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = GLOBAL(512, 16384, 2560, 2048)};
}

static result_launch transpose_launch(const result_row *rows)
{
    return (result_launch){.kernel = "smem(float*, const float*, int)",
                           .kernel_mangled = "_Z4smemPfPKfi",
                           .grid = {32, 32, 1},
                           .block = {32, 32, 1},
                           .cluster = {1, 1, 1},
                           .count = 2,
                           .seconds = 0.0125,
                           .inst_executed = 40960,
                           .thread_inst = 1310720,
                           .occupancy = {.max_warps_per_sm = 64,
                                         .blocks_per_sm = 1,
                                         .warps_per_sm = 32,
                                         .limited_by = 3, /* warps, registers */
                                         .registers = 40,
                                         .registers_known = true,
                                         .static_shared_bytes = 4096},
                           .counters = GLOBAL(3072, 98304, 43520, 12288),
                           .rows = rows,
                           .row_count = 7};
}

static result_set *transpose_set(void)
{
    static result_row rows[7];
    result_set *set = lw_alloc(sizeof *set);
    transpose_rows(rows);
    set->device_name = "NVIDIA H200";
    set->device_cc = "9.0";
    set->complete = true;
    lw_vec_push(&set->launches, transpose_launch(rows));
    return set;
}

static void free_set(result_set *set)
{
    lw_vec_free(&set->launches);
    lw_vec_free(&set->findings);
    lw_vec_free(&set->messages);
    free(set);
}

/* A second kernel without line information, a cluster, dynamic shared memory, findings, messages. */
static result_set *full_set(void)
{
    static const result_row ptx_rows[] = {{.file = "histogram",
                                           .line = 83,
                                           .ptx = true,
                                           .space = "shared",
                                           .op = "atomic",
                                           .bytes_per_lane = 4,
                                           .exact = true,
                                           .counters = SHARED(2048, 65536, 65536, 2048)},
                                          {.file = "histogram",
                                           .line = 61,
                                           .ptx = true,
                                           .space = "global",
                                           .op = "load",
                                           .bytes_per_lane = 16,
                                           .exact = true,
                                           .counters = GLOBAL(2048, 65536, 32768, 32768)}};
    static const result_related birth = {.message = "it was allocated by cudaMalloc(4096)", .file = NULL};
    result_set *set = transpose_set();
    result_launch histogram = {
        .kernel = "void histogram<unsigned int, 256>(unsigned int const*, unsigned int*, unsigned long)",
        .kernel_mangled = "_Z9histogramIjLi256EEvPKjPjm",
        .grid = {1024, 1, 1},
        .block = {256, 1, 1},
        .cluster = {2, 1, 1},
        .dynamic_shared_bytes = 1024,
        .count = 1,
        .seconds = 2.5,
        .inst_executed = 123456789,
        .thread_inst = 3950617248,
        .occupancy = {.max_warps_per_sm = 64,
                      .blocks_per_sm = 8,
                      .warps_per_sm = 64,
                      .limited_by = 1,
                      .registers = 18,
                      .static_shared_bytes = 1024,
                      .active_clusters = 528,
                      .clusters_exact = true},
        .schedule_dependent = true,
        .note = "interrupted",
        .counters = SHARED(2048, 65536, 65536, 2048),
        .rows = ptx_rows,
        .row_count = 2};
    result_finding bounds = {
        .check = "memcheck",
        .severity = "error",
        .message = "global store of 4 bytes at 0x700000001000 is out of bounds: 0 bytes after an allocation "
                   "of 4,096 bytes at 0x700000000000",
        .kernel = "smem(float*, const float*, int)",
        .file = source_file(),
        .line = 11,
        .block = {3, 0, 0},
        .thread = {31, 2, 0},
        .has_place = true,
        .address = 0x700000001000,
        .has_address = true,
        .bytes = 4,
        .count = 96,
        .related = &birth,
        .related_count = 1};
    result_finding leak = {
        .check = "leakcheck", .severity = "warning", .message = "4,096 bytes were never freed", .count = 1};
    lw_vec_push(&set->launches, histogram);
    lw_vec_push(&set->findings, bounds);
    lw_vec_push(&set->findings, leak);
    lw_vec_push(&set->messages, "cudaGraphInstantiate: conditional nodes are not supported");
    set->complete = false;
    return set;
}

/* A race of two warps behind a common barrier: the drawing, and the same in JSON, where steps are no related places. */
UNIT_CASE(a_race_is_drawn)
{
    const result_related steps[] = {
        {"the other access, a write", "k.cu", 12, {0, 0, 0}, {63, 0, 0}, RESULT_PLACE, 0},
        {"barrier of the block", "k.cu", 9, {0, 0, 0}, {63, 0, 0}, RESULT_COMMON, 0},
        {"writes", "k.cu", 12, {0, 0, 0}, {63, 0, 0}, RESULT_ACCESS, 0},
        {"fence", "k.cu", 13, {0, 0, 0}, {63, 0, 0}, RESULT_STEP, 0},
        {"barrier of the block", "k.cu", 9, {0, 0, 0}, {1, 0, 0}, RESULT_COMMON, 1},
        {"reads", "k.cu", 14, {0, 0, 0}, {1, 0, 0}, RESULT_ACCESS, 1},
        {"no barrier of the block", NULL, 0, {0, 0, 0}, {0, 0, 0}, RESULT_MISSING, 0},
    };
    const char *drawing = "      thread (63,0,0)                      | thread (1,0,0)\n"
                          "      k.cu:9 barrier of the block          + k.cu:9 barrier of the block\n"
                          "      k.cu:12 writes                       |\n"
                          "      k.cu:13 fence                        |\n"
                          "                              x no barrier of the block x\n"
                          "                                           | k.cu:14 reads\n";
    result_set *set = transpose_set();
    result_finding race = {.check = "racecheck", .severity = "error", .message = "m", .file = "k.cu", .line = 14};
    result_finding_relate(&race, steps, LW_COUNT(steps));
    CHECK_EQ_INT(race.related_count, 1);
    lw_vec_push(&set->findings, race);
    lw_text text = {0};
    report_text(set, &(report_options){.width = 80, .no_source = true}, &text);
    if (!strstr(text.data, drawing)) UNIT_FAIL("not drawn:\n%s", text.data);
    lw_text_free(&text);
    free_set(set);
}

UNIT_CASE(text_is_as_recorded)
{
    const struct {
        const char *name;
        report_options options;
    } looks[] = {{"transpose_80.txt", {.width = 80}},
                 {"transpose_120.txt", {.width = 120, .unicode = true}},
                 {"transpose_colour.txt", {.width = 100, .unicode = true, .colour = true}},
                 {"transpose_short.txt", {.width = 80, .lines = 1, .no_source = true}}};
    for (size_t i = 0; i < LW_COUNT(looks); i++) {
        result_set *set = transpose_set();
        lw_text text = {0};
        report_options options = looks[i].options;
        options.cwd = golden_dir();
        report_text(set, &options, &text);
        check_golden(looks[i].name, &text);
        free_set(set);
    }
    result_set *set = full_set();
    lw_text text = {0};
    report_text(set, &(report_options){.width = 100, .cwd = golden_dir()}, &text);
    check_golden("full_100.txt", &text);
    free_set(set);
}

UNIT_CASE(what_is_left_out_is_counted)
{
    result_set set = {.complete = true};
    char names[40][16];
    result_finding finding = {.check = "memcheck", .severity = "error", .message = "m", .count = 1};
    result_row row = {.file = "a.cu",
                      .line = 1,
                      .space = "shared",
                      .op = "load",
                      .bytes_per_lane = 4,
                      .exact = true,
                      .counters = SHARED(1, 32, 32, 1)};
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "kernel_%d()", i);
        result_launch launch = {.kernel = names[i], .kernel_mangled = names[i], .count = 1};
        if (i < 30) launch.rows = &row, launch.row_count = 1;
        lw_vec_push(&set.launches, launch);
        lw_vec_push(&set.findings, finding);
    }
    lw_text text = {0};
    report_text(&set, &(report_options){.width = 80}, &text);
    CHECK_HAS(text.data, "and 18 more kernels");
    CHECK_HAS(text.data, "Memory traffic at the ideal in every line: kernel_30, kernel_31");
    CHECK_HAS(text.data, "and 20 more findings");
    lw_text_free(&text);
    report_text(&set, &(report_options){.width = 80, .all = true}, &text);
    CHECK(!strstr(text.data, "more"));
    CHECK_HAS(text.data, "kernel_39()");
    lw_text_free(&text);
    lw_vec_free(&set.launches);
    lw_vec_free(&set.findings);
}

/* Errors before notes; which call, where; --no-report shows what counts for the exit status alone. */
UNIT_CASE(failed_calls)
{
    result_set set = {.complete = true};
    result_finding note = {.check = "api", .severity = "note", .message = "cudaFree returned e.", .count = 1};
    result_finding error = {.check = "api",
                            .severity = "error",
                            .message = "k was not launched.",
                            .kernel = "k",
                            .call = "cudaLaunchKernel",
                            .error = "cudaErrorInvalidValue",
                            .call_number = 1203,
                            .site = "main (app+0x10)",
                            .count = 2};
    lw_vec_push(&set.findings, note);
    lw_text text = {0};
    report_text(&set, &(report_options){.width = 80, .only_bad = true}, &text);
    CHECK_EQ_INT(text.size, 0);
    lw_vec_push(&set.findings, error);
    report_text(&set, &(report_options){.width = 80}, &text);
    CHECK_HAS(text.data, "\n1 finding, 1 note\n");
    CHECK_HAS(text.data, "1,203rd call of cudaLaunchKernel, in main (app+0x10); 2 times");
    CHECK(strstr(text.data, "error api:") < strstr(text.data, "note api:"));
    lw_text_free(&text);
    report_text(&set, &(report_options){.width = 80, .only_bad = true}, &text);
    CHECK(text.data && !strncmp(text.data, "1 finding\n", 10) && !strstr(text.data, "note"));
    lw_text_free(&text);
    CHECK_EQ_INT(report_json(&set, &text, NULL), LW_OK);
    CHECK_HAS(text.data, "\"call\": \"cudaLaunchKernel\"");
    CHECK_HAS(text.data, "\"error\": \"cudaErrorInvalidValue\"");
    CHECK_HAS(text.data, "\"call_number\": 1203");
    CHECK_HAS(text.data, "\"severity\": \"note\"");
    lw_text_free(&text);
    lw_vec_free(&set.findings);
}

UNIT_CASE(equal_advice_is_said_once)
{
    result_set set = {.complete = true};
    result_row rows[3] = {{.file = "a.cu",
                           .line = 1,
                           .space = "shared",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = SHARED(2, 64, 64, 2)}};
    rows[1] = rows[2] = rows[0];
    rows[1].counters = (counter_set)SHARED(1, 32, 32, 1);
    rows[2].line = 2;
    rows[2].counters = (counter_set)SHARED(1, 32, 32, 1);
    result_launch launch = {.kernel = "k()", .kernel_mangled = "k", .count = 1, .rows = rows, .row_count = 3};
    lw_vec_push(&set.launches, launch);
    lw_text text = {0};
    report_text(&set, &(report_options){.width = 80}, &text);
    char *first = strstr(text.data, "Each access takes 32 passes");
    REQUIRE(first != NULL);
    CHECK(!strstr(first + 1, "Each access"));
    CHECK_HAS(first, "As at a.cu:1.");
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

static uint32_t times_in(const char *text, const char *part)
{
    uint32_t n = 0;
    for (; (text = strstr(text, part)); text++) n++;
    return n;
}

/* s[i] += s[i + k] loads twice and stores once: three counts, one reason. */
UNIT_CASE(a_load_and_a_store_of_one_line_share_a_hint)
{
    result_set set = {.complete = true};
    result_row rows[2] = {{.file = "a.cu",
                           .line = 1,
                           .space = "shared",
                           .op = "load",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = SHARED(64, 2048, 250, 64)}};
    rows[1] = rows[0];
    rows[1].op = "store";
    rows[1].counters = (counter_set)SHARED(32, 1024, 120, 32);
    result_launch launch = {.kernel = "k()", .kernel_mangled = "k", .count = 1, .rows = rows, .row_count = 2};
    lw_vec_push(&set.launches, launch);
    lw_text text = {0};
    report_text(&set, &(report_options){.width = 80}, &text);
    CHECK_EQ_INT(times_in(text.data, "Each access takes"), 1);
    rows[1] = (result_row){.file = "a.cu",
                           .line = 1,
                           .space = "global",
                           .op = "store",
                           .bytes_per_lane = 4,
                           .exact = true,
                           .counters = GLOBAL(32, 1024, 1024, 128)};
    lw_text_free(&text);
    report_text(&set, &(report_options){.width = 80}, &text);
    CHECK_EQ_INT(times_in(text.data, "Each access takes"), 1);
    CHECK_EQ_INT(times_in(text.data, "Each lane touches"), 1);
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

UNIT_CASE(after_an_error_the_counters_are_one_line)
{
    result_set *set = transpose_set();
    lw_text text = {0};
    set->launches.items[0].note = RESULT_STOPPED_BY_ERROR;
    report_text(set, &(report_options){.width = 140, .cwd = golden_dir()}, &text);
    CHECK_HAS(text.data, "stopped by an error: until then shared 33,792 wavefronts (16.5x), global 43,520 sectors");
    CHECK(!strstr(text.data, "transpose.cu:11"));
    lw_text_free(&text);
    report_text(set, &(report_options){.width = 140, .cwd = golden_dir(), .all = true}, &text);
    CHECK_HAS(text.data, "stopped by an error: what ran until then is counted");
    CHECK_HAS(text.data, "transpose.cu:11");
    lw_text_free(&text);
    free_set(set);
}

/* Launches of one kernel in several configurations: told apart in the table, one name in the list. */
UNIT_CASE(configurations_are_told_apart)
{
    result_set set = {.complete = true};
    static const uint32_t grids[5][3] = {{1, 1, 1}, {8, 8, 1}, {8, 8, 1}, {4, 2, 2}, {7, 1, 1}};
    lw_text text = {0};
    for (int i = 0; i < 5; i++) {
        result_launch launch = {.kernel = i < 4 ? "void scan<int>(int*)" : "other(int)",
                                .kernel_mangled = i < 4 ? "_Z4scanIiEvPi" : "_Z5otheri",
                                .count = 1,
                                .block = {256, 1, 1},
                                .dynamic_shared_bytes = i == 2 ? 64 : 0};
        memcpy(launch.grid, grids[i], sizeof grids[i]);
        lw_vec_push(&set.launches, launch);
    }
    report_text(&set, &(report_options){.width = 100}, &text);
    static const char *const words[] = {"  scan<int><<<1, 256>>> ",
                                        "  scan<int><<<8x8, 256>>> ",
                                        "  scan<int><<<8x8, 256, 64>>> ",
                                        "  scan<int><<<4x2x2, 256>>> ",
                                        "  other ",
                                        "in every line: scan<int> (4 configurations), other ("};
    for (size_t i = 0; i < LW_COUNT(words); i++) CHECK_HAS(text.data, words[i]);
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

/* Numba's names are shortened for people, kept for programs, and the advice is Numba's. */
UNIT_CASE(numba_is_spoken_to_in_its_terms)
{
    static const char name[] =
        "__main__::add[abi:v1][abi:cw51cXTLSUwv1sDUaKthqaNgqamjgOR3W3CwAkMXLaJtQYkOIgxJU0gCqOkEJoHkbttqdhh"
        "oqtspAGNFHTZiCzNFHTBCo](Array<float, 1, C, mutable, aligned>, long long)";
    static const char mangled[] = "_ZN8__main__3addB2v1B90cw51cXTLSUwv1sDUaKthqaNE5ArrayIfLi1E1C7mutable7alignedEx";
    result_row row = {.file = "<cudapy>",
                      .line = 60,
                      .ptx = true,
                      .space = "global",
                      .op = "load",
                      .bytes_per_lane = 4,
                      .exact = true,
                      .counters = GLOBAL(64, 2048, 256, 256)};
    result_set set = {.complete = true};
    result_launch launch = {.kernel = name, .kernel_mangled = mangled, .count = 1, .rows = &row, .row_count = 1};
    result_finding finding = {.check = "memcheck", .severity = "error", .message = "m", .kernel = name, .count = 1};
    lw_text text = {0};
    lw_vec_push(&set.launches, launch);
    lw_vec_push(&set.findings, finding);
    report_text(&set, &(report_options){.width = 100}, &text);
    CHECK_EQ_INT(times_in(text.data, "__main__::add(Array<float, 1, C, mutable, aligned>, long long)"), 2);
    CHECK(!strstr(text.data, "[abi:"));
    CHECK_HAS(text.data, "@cuda.jit(lineinfo=True)");
    CHECK(!strstr(text.data, "-lineinfo"));
    lw_text_free(&text);
    REQUIRE(!report_json(&set, &text, NULL));
    CHECK_HAS(text.data, name);
    lw_text_free(&text);
    lw_vec_free(&set.launches);
    lw_vec_free(&set.findings);
}

/* Columns of the widest line. */
static uint32_t widest(const char *text)
{
    uint32_t most = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = lw_printf("%.*s", (int)n, text);
        most = LW_MAX(most, pen_columns(line));
        free(line);
        text += n + (text[n] == '\n');
    }
    return most;
}

UNIT_CASE(no_line_is_wider_than_the_page)
{
    char name[600];
    memset(name, 'k', sizeof name - 1);
    name[sizeof name - 1] = 0;
    for (uint32_t width = 72; width <= 140; width += 17) {
        result_set *set = full_set();
        for (size_t i = 0; i < set->launches.count; i++) set->launches.items[i].kernel = name;
        for (size_t i = 0; i < set->findings.count; i++) set->findings.items[i].kernel = name;
        lw_text text = {0};
        report_text(set, &(report_options){.width = width, .unicode = true, .cwd = golden_dir()}, &text);
        CHECK(widest(text.data) <= width);
        lw_text_free(&text);
        free_set(set);
    }
}

UNIT_CASE(json_is_as_recorded)
{
    result_set *set = full_set();
    lw_text text = {0};
    REQUIRE(!report_json(set, &text, NULL));
    check_golden("full.json", &text);
    free_set(set);
}

UNIT_CASE(json_survives_hostile_texts)
{
    result_set set = {.complete = true, .device_name = "a\"b\\\n\xff"};
    lw_text text = {0};
    result_launch launch = {.kernel = "\xc3(", .kernel_mangled = "", .thread_inst = UINT64_MAX};
    lw_vec_push(&set.launches, launch);
    REQUIRE(!report_json(&set, &text, NULL));
    json_t *root = json_loadb(text.data, text.size, 0, NULL);
    REQUIRE(root != NULL);
    CHECK_STR(json_string_value(json_object_get(json_object_get(root, "device"), "name")), "a\"b\\\n?");
    json_t *first = json_array_get(json_object_get(root, "launches"), 0);
    CHECK_STR(json_string_value(json_object_get(first, "kernel")), "?(");
    CHECK(json_integer_value(json_object_get(first, "thread_inst")) == INT64_MAX);
    CHECK(json_is_array(json_object_get(root, "findings")));
    json_decref(root);
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

/* NVRTC gives lines of a text that may be in no file. */
UNIT_CASE(a_source_that_is_nowhere_is_named)
{
    result_row row = {.file = "saxpy.cu",
                      .line = 3,
                      .space = "global",
                      .op = "load",
                      .bytes_per_lane = 4,
                      .exact = true,
                      .counters = GLOBAL(64, 2048, 2048, 256)};
    result_launch launch = {.kernel = "saxpy", .kernel_mangled = "saxpy", .count = 1, .rows = &row, .row_count = 1};
    result_set set = {.complete = true};
    lw_text text = {0};
    lw_vec_push(&set.launches, launch);
    report_text(&set, &(report_options){.width = 140}, &text);
    CHECK_HAS(text.data, "There is no file saxpy.cu, so the text of its lines is not shown.");
    CHECK_HAS(text.data, "nvrtcCreateProgram()");
    lw_text_free(&text);
    row.file = "/no/such/place/saxpy.cu";
    report_text(&set, &(report_options){.width = 140}, &text);
    CHECK(!strstr(text.data, "There is no file"));
    lw_text_free(&text);
    row.file = source_file();
    report_text(&set, &(report_options){.width = 140}, &text);
    CHECK(!strstr(text.data, "There is no file"));
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

UNIT_CASE(an_empty_run_has_a_report)
{
    result_set set = {.complete = true};
    lw_text text = {0};
    report_text(&set, &(report_options){0}, &text);
    CHECK_HAS(text.data, "0 kernels, 0 launches");
    lw_text_free(&text);
}

UNIT_CASE(a_kernel_name_cannot_steer_the_terminal)
{
    result_set set = {.complete = true, .device_name = "x"};
    result_launch launch = {
        .kernel = "k\033[2J\x07\xc2\x9b", .kernel_mangled = "k", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    lw_text text = {0};
    lw_vec_push(&set.launches, launch);
    report_text(&set, &(report_options){.unicode = true}, &text);
    CHECK(!strchr(text.data, '\033'));
    CHECK(!strchr(text.data, '\a'));
    CHECK(!strstr(text.data, "\xc2\x9b"));
    lw_text_free(&text);
    lw_vec_free(&set.launches);
}

/* ---- parts ---- */

UNIT_CASE(cost_orders_lines_by_time_lost)
{
    counter_set conflict = SHARED(32, 1024, 1024, 32), strided = GLOBAL(32, 1024, 1024, 128),
                good = GLOBAL(32, 1024, 128, 128);
    CHECK_NEAR(report_cost(&conflict), 992, 0);
    CHECK_NEAR(report_cost(&strided), 448, 0);
    CHECK_NEAR(report_cost(&good), 0, 0);
    report_measure m = report_measure_of(&strided);
    CHECK_STR(m.unit, "sectors");
    CHECK_EQ_INT(m.actual, 1024);
    CHECK_EQ_INT(m.ideal, 128);
    CHECK(report_measure_of(&(counter_set){0}).unit == NULL);
}

UNIT_CASE(advice_fits_the_pattern)
{
    static const struct {
        const char *space, *op;
        uint32_t bytes;
        counter_set counters;
        const char *says; /* NULL: no advice */
    } rows[] = {
        {"shared", "load", 4, SHARED(64, 2048, 1024, 64),
         "16 lanes access 16 rows of one bank, as in a column of a tile"},
        {"shared", "store", 4, SHARED(64, 2048, 2048, 64), "32 lanes access 32 rows of one bank"},
        {"shared", "load", 4, SHARED(64, 2048, 128, 64), "stride of 2 words"},
        {"shared", "load", 4, SHARED(64, 2048, 219, 64), "3.4 passes on average instead of 1"},
        {"shared", "store", 4, SHARED(64, 2048, 219, 64), "The stride changes from one execution to the next"},
        {"shared", "load", 4, SHARED(17, 512, 128, 16), "8 passes instead of 1:"}, /* one of the 17 faulted */
        {"shared", "load", 16, SHARED(64, 2048, 512, 256), "16-byte elements"},
        {"shared", "atomic", 4, SHARED(64, 2048, 2048, 64), "32 lanes of a warp update one word"},
        {"shared", "atomic", 4, SHARED(64, 2048, 400, 64), "6.2 passes"},
        {"shared", "matrix", 16, SHARED(64, 2048, 2048, 256), "Pad the row of the tile by 16 bytes"},
        {"shared", "load", 4, SHARED(64, 2048, 64, 64), NULL},
        {"global", "load", 4, GLOBAL(64, 2048, 2048, 256), "a 32-byte sector of its own: 8 times the bytes"},
        {"global", "load", 4, GLOBAL(64, 2048, 320, 256), "begins inside a sector"},
        {"global", "store", 4, GLOBAL(248, 256, 256, 248), "branches before it have split the warps"},
        {"global", "load", 4, GLOBAL(64, 512, 128, 64), "begins inside a sector"}, /* if (i < 8) */
        {"global", "load", 4, GLOBAL(64, 2048, 512, 256), "elements lie about 2 apart"},
        {"global", "load", 4, GLOBAL(64, 2048, 380, 256), "33 % of what is moved is not used"},
        {"global", "atomic", 4, GLOBAL(64, 2048, 2048, 256), "32 sector operations instead of 4"},
        {"local", "load", 4, GLOBAL(64, 2048, 2048, 256), "indexed differently"},
        {"local", "store", 8, GLOBAL(3, 3, 6, 3), "One lane of the warp"},
        {"local", "store", 8, GLOBAL(2, 8, 4, 2), "4 of the 32 lanes of a warp use their own arrays together"},
        {"global", "load", 4, GLOBAL(64, 2048, 64, 64), NULL},
        {"global", "load", 4, GLOBAL(0, 0, 0, 0), NULL},
        {"constant", "load", 4, CONSTANT(64, 2048, 2048), "read 32 different addresses of constant memory"},
        {"constant", "load", 4, CONSTANT(64, 2048, 64), NULL},
    };
    for (size_t i = 0; i < LW_COUNT(rows); i++) {
        lw_arena arena = {0};
        result_row row = {
            .space = rows[i].space, .op = rows[i].op, .bytes_per_lane = rows[i].bytes, .counters = rows[i].counters};
        const char *advice = report_advice(&row, NULL, &arena);
        if (rows[i].says) CHECK_HAS(advice, rows[i].says);
        else CHECK(advice == NULL);
        row.advice = "said by the model";
        CHECK_STR(report_advice(&row, NULL, &arena), "said by the model");
        lw_arena_free(&arena);
    }
}

/* A warp of a block that is 16 wide is two rows: bytes of 16 neighbours are half a sector. */
UNIT_CASE(narrow_blocks_take_pieces_of_rows)
{
    static const uint32_t narrow[3] = {16, 16, 1}, wide[3] = {32, 8, 1};
    lw_arena arena = {0};
    result_row row = {.space = "global", .op = "store", .bytes_per_lane = 1, .counters = GLOBAL(64, 2048, 128, 64)};
    CHECK_HAS(report_advice(&row, narrow, &arena), "16 threads wide, so that a warp takes pieces of 2 rows");
    CHECK_HAS(report_advice(&row, wide, &arena), "begins inside a sector");
    row.bytes_per_lane = 4; /* 16 elements are two whole sectors */
    row.counters = (counter_set)GLOBAL(64, 2048, 320, 256);
    CHECK_HAS(report_advice(&row, narrow, &arena), "begins inside a sector");
    lw_arena_free(&arena);
}

UNIT_CASE(source_lines_are_read)
{
    report_sources sources = {0};
    CHECK_STR(report_source_line(&sources, source_file(), 2), "#define TILE 32");
    CHECK_STR(report_source_line(&sources, source_file(), 10), "__syncthreads();");
    CHECK(report_source_line(&sources, source_file(), 0) == NULL);
    CHECK(report_source_line(&sources, source_file(), 5000) == NULL);
    CHECK(report_source_line(&sources, "no/such/file.cu", 1) == NULL);
    CHECK(report_source_line(&sources, golden_dir(), 1) == NULL);
    report_sources_free(&sources);
}

UNIT_CASE(numbers_are_readable)
{
    char b[PEN_NUMBER];
    CHECK_STR(pen_count(b, 0), "0");
    CHECK_STR(pen_count(b, 999), "999");
    CHECK_STR(pen_count(b, 1000), "1,000");
    CHECK_STR(pen_count(b, 99999999), "99,999,999");
    CHECK_STR(pen_count(b, 123456789), "123 M");
    CHECK_STR(pen_short(b, 1310720), "1.31 M");
    CHECK_STR(pen_short(b, 999.6e6), "1.00 G");
    CHECK_STR(pen_time(b, 0.0125), "12.5 ms");
    CHECK_STR(pen_ratio(b, 32, 2), "16.0x");
    CHECK_STR(pen_ratio(b, 1001, 1000), ">1.00x");
    CHECK_STR(pen_ratio(b, 1000, 1000), "1.0x");
    CHECK_STR(pen_ratio(b, 5, 0), "");
}

UNIT_MAIN()
