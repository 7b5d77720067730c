/* The page of --html over results made by hand: what the run says cannot become markup, nothing is fetched, and the data that the
 * page reads is what the run was. Leaves pages in the build directory, which tests/browser/check.py opens. */
#include "unit.h"

#include "report/report.h"
#include "report/words.h"

#include <jansson.h>
#include <sys/stat.h>

#define BIT(id) (1u << COUNTER_##id)
/* Names as a program can have them: each would end a script, a comment or a string if it were not escaped. */
#define HOSTILE_KERNEL "k</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
#define HOSTILE_FILE "/tmp/\"><script>document.title='owned'</script>.cu"
#define HOSTILE_TEXT "<!--<script>\xe2\x80\xa8\xe2\x80\xa9&lt;]]>${document.title='owned'}`'\"\\ \x01\x7f"

static counter_set shared_counts(uint64_t wavefronts, uint64_t ideal)
{
    counter_set c = {BIT(INST_EXECUTED) | BIT(LANES) | BIT(WAVEFRONTS) | BIT(WAVEFRONTS_IDEAL), {0}};
    c.value[COUNTER_INST_EXECUTED] = ideal;
    c.value[COUNTER_LANES] = 32 * ideal;
    c.value[COUNTER_WAVEFRONTS] = wavefronts;
    c.value[COUNTER_WAVEFRONTS_IDEAL] = ideal;
    return c;
}

static counter_set global_counts(uint64_t sectors, uint64_t ideal)
{
    counter_set c = {BIT(INST_EXECUTED) | BIT(LANES) | BIT(REQUESTS) | BIT(SECTORS) | BIT(SECTORS_IDEAL), {0}};
    c.value[COUNTER_INST_EXECUTED] = ideal / 4;
    c.value[COUNTER_LANES] = 8 * ideal;
    c.value[COUNTER_REQUESTS] = ideal / 4;
    c.value[COUNTER_SECTORS] = sectors;
    c.value[COUNTER_SECTORS_IDEAL] = ideal;
    return c;
}

static result_row row_of(const char *file, uint32_t line, const char *space, counter_set counters)
{
    return (result_row){.file = file,
                        .line = line,
                        .space = space,
                        .op = "load",
                        .bytes_per_lane = 4,
                        .exact = true,
                        .counters = counters};
}

static result_launch launch_of(const char *kernel, const result_row *rows, size_t count)
{
    return (result_launch){.kernel = kernel,
                           .kernel_mangled = kernel,
                           .grid = {8, 1, 1},
                           .block = {256, 1, 1},
                           .cluster = {1, 1, 1},
                           .count = 1,
                           .seconds = 1e-3,
                           .inst_executed = 1000,
                           .thread_inst = 32000,
                           .rows = rows,
                           .row_count = count};
}

static char *page_of(const result_set *set)
{
    report_options options = {.cwd = "/nowhere"};
    lw_text text = {0};
    CHECK_EQ_INT(report_html(set, &options, &text, NULL), LW_OK);
    return text.data;
}

static void keep_page(const char *name, const char *page)
{
    const char *build = getenv("LW_BUILD_DIR");
    char path[4200];
    if (!build) return;
    snprintf(path, sizeof path, "%s/pages", build);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/pages/%s.html", build, name);
    CHECK_EQ_INT(lw_file_write(path, page, strlen(page), NULL), LW_OK);
}

static size_t occurrences(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

/* The data of a script element. */
static json_t *data_of(const char *page, const char *id)
{
    char mark[128];
    snprintf(mark, sizeof mark, "<script type=\"application/json\" id=\"%s\">", id);
    const char *begin = strstr(page, mark);
    if (!begin) return NULL;
    begin += strlen(mark);
    return json_loadb(begin, (size_t)(strstr(begin, "</script>") - begin), 0, NULL);
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static result_sample stride_sample(uint64_t bytes, uint64_t cost, uint64_t alike, uint64_t of)
{
    result_sample s = {.cost = cost, .alike = alike, .of = of, .mask = UINT32_MAX, .block = 3, .warp = 1};
    for (uint32_t i = 0; i < 32; i++) s.address[i] = i * bytes;
    return s;
}

static void make_hostile(result_set *set, result_row rows[2], result_sample samples[RESULT_SAMPLES], result_finding *f,
                         result_related *related)
{
    rows[0] = row_of(HOSTILE_FILE, 7, "shared", shared_counts(3200, 100));
    rows[1] = row_of(HOSTILE_FILE, 9, "global", global_counts(400, 400));
    samples[RESULT_WORST] = stride_sample(128, 32, 10, 12);
    samples[RESULT_TYPICAL] = stride_sample(4, 1, 2, 12);
    rows[0].samples = samples;
    rows[0].advice = HOSTILE_TEXT;
    static const result_related steps[] = {
        {.message = "barrier of the block", .file = HOSTILE_FILE, .line = 5, .role = RESULT_COMMON, .side = 0},
        {.message = "barrier of the block", .file = HOSTILE_FILE, .line = 5, .role = RESULT_COMMON, .side = 1},
        {.message = "reads", .file = HOSTILE_FILE, .line = 9, .thread = {1}, .role = RESULT_ACCESS, .side = 0},
        {.message = "writes", .file = HOSTILE_FILE, .line = 7, .role = RESULT_ACCESS, .side = 1},
        {.message = HOSTILE_TEXT, .role = RESULT_MISSING}};
    *related = (result_related){.message = HOSTILE_TEXT, .file = HOSTILE_FILE, .line = 9};
    *f = (result_finding){.check = "racecheck",
                          .severity = "error",
                          .message = HOSTILE_TEXT,
                          .kernel = HOSTILE_KERNEL,
                          .file = HOSTILE_FILE,
                          .line = 7,
                          .has_place = true,
                          .count = 1,
                          .related = related,
                          .related_count = 1,
                          .steps = steps,
                          .step_count = LW_COUNT(steps)};
    set->device_name = "NVIDIA H200";
    set->device_cc = "9.0";
    set->complete = true;
    lw_vec_push(&set->launches, launch_of(HOSTILE_KERNEL, rows, 2));
    lw_vec_push(&set->findings, *f);
    lw_vec_push(&set->messages, HOSTILE_TEXT);
    lw_vec_push(&set->checks, "racecheck");
}

UNIT_CASE(hostile_names_stay_text)
{
    result_set set = {0};
    result_row rows[2];
    result_sample samples[RESULT_SAMPLES];
    result_finding f;
    result_related related;
    make_hostile(&set, rows, samples, &f, &related);
    char *page = page_of(&set);
    keep_page("hostile", page);
    CHECK_EQ_INT(occurrences(page, "</script"), 3); /* a kernel, the run, the page's own */
    CHECK_EQ_INT(occurrences(page, "owned'</"), 0);
    CHECK_EQ_INT(occurrences(page, "<!--"), 0);
    CHECK_EQ_INT(occurrences(page, "\xe2\x80\xa8"), 0);
    json_t *run = data_of(page, "lw-run");
    json_t *kernel = data_of(page, "lw-kernel-0");
    REQUIRE(run && kernel);
    CHECK_STR(text_at(kernel, "kernel"), HOSTILE_KERNEL);
    CHECK_STR(text_at(json_array_get(json_object_get(run, "findings"), 0), "message"), HOSTILE_TEXT);
    const json_t *line = json_array_get(json_object_get(kernel, "lines"), 0);
    CHECK_STR(text_at(line, "advice"), HOSTILE_TEXT);
    CHECK_STR(text_at(line, "file"), HOSTILE_FILE);
    CHECK_EQ_INT(json_array_size(json_object_get(line, "samples")), RESULT_SAMPLES);
    json_decref(run);
    json_decref(kernel);
    free(page);
    result_set_free(&set);
}

/* With --time and --what-if: what the timeline, the roofline and the table of layouts are drawn from. */
UNIT_CASE(times_and_layouts)
{
    result_set set = {.device_name = "NVIDIA H200", .device_cc = "9.0", .complete = true};
    result_row rows[] = {row_of("a.cu", 3, "shared", shared_counts(320, 10)),
                         row_of("module.ptx", 3, "global", global_counts(800, 400))};
    rows[1].ptx = true;
    result_launch launch = launch_of("timed", rows, LW_COUNT(rows));
    result_what_if what[] = {
        {.array = "tile",
         .now = "tile[32][32]",
         .then = HOSTILE_TEXT,
         .index = "i + i / 32",
         .best = true,
         .exact = true,
         .before = 320,
         .after = 10},
        {.array = "other", .now = "other", .refused = "bulk copies move shared memory as one piece", .before = 7},
        {.array = "arg1",
         .about = "a block of 4096 bytes",
         .now = "arg1[512][2]",
         .then = "arg1[2][512]",
         .index = "i % 2 * 512 + i / 2",
         .best = true,
         .global = true,
         .exact = true,
         .before = 1234,
         .after = 617}};
    static const uint8_t level[] = {0, 63, 21, 0};
    result_blocks blocks = {
        .count = 7, .columns = 2, .rows = 2, .across = 7, .fold = {2, 1}, .in_line = true, .sm_count = 132};
    blocks.worst = 1, blocks.least = 1, blocks.most = 64, blocks.mean = 20;
    blocks.level = level;
    launch.blocks = &blocks;
    launch.ptx = "F\ta.cu\n3\t7\tld.shared.f32 %f1, [%r1];\n3\t0\t" HOSTILE_FILE
                 "\nF\tb.cu\n3\t9\tnot.of.this.file;\nF\tmodule.ptx\n3\t8\tst.global.u32 [%rd1], %r2;\n";
    launch.occupancy = (result_occupancy){.max_warps_per_sm = 64, .warps_per_sm = 64, .blocks_per_sm = 8};
    launch.what_if = what;
    launch.what_if_count = LW_COUNT(what);
    launch.counters.present = BIT(FLOP_FP32) | BIT(DRAM_READ_BYTES);
    launch.counters.value[COUNTER_FLOP_FP32] = 4000000;
    launch.counters.value[COUNTER_DRAM_READ_BYTES] = 1000000;
    launch.time =
        (result_time){.count = 1, .seconds = 2e-6, .low = 1e-6, .high = 3e-6, .launch_below = 5e-6, .busy_from = 0.37};
    launch.time.resource[RESULT_DRAM] = 1e-6;
    launch.time.busy[RESULT_DRAM] = 1e-6;
    launch.time.resource[RESULT_FP32] = 1e-7;
    lw_vec_push(&set.launches, launch);
    result_span kernel = {
        .kind = RESULT_SPAN_KERNEL, .process = 1, .stream = 2, .name = HOSTILE_KERNEL, .end = 2e-6, .count = 1};
    result_span copy = {
        .kind = RESULT_SPAN_TO_HOST, .process = 1, .begin = 2e-6, .end = 5e-6, .bytes = 4096, .count = 1};
    result_span mark = {.kind = RESULT_SPAN_MARK, .process = 1, .begin = 5e-6, .end = 5e-6, .count = 1};
    lw_vec_push(&set.spans, kernel);
    lw_vec_push(&set.spans, copy);
    lw_vec_push(&set.spans, mark);
    char *page = page_of(&set);
    keep_page("timed", page);
    json_t *run = data_of(page, "lw-run");
    json_t *data = data_of(page, "lw-kernel-0");
    REQUIRE(run && data);
    const json_t *spans = json_object_get(run, "spans");
    CHECK_EQ_INT(json_array_size(spans), 2); /* marks take no time */
    CHECK_STR(json_string_value(json_array_get(json_array_get(spans, 0), 3)), HOSTILE_KERNEL);
    CHECK_STR(json_string_value(json_array_get(json_array_get(spans, 1), 0)), "to host");
    CHECK_STR(text_at(json_object_get(data, "blocks"), "levels"), "A_VA");
    const json_t *layouts = json_object_get(data, "what_if");
    CHECK_EQ_INT(json_array_size(layouts), 3);
    CHECK_STR(text_at(json_array_get(layouts, 0), "then"), HOSTILE_TEXT);
    CHECK(!text_at(json_array_get(layouts, 1), "then"));
    json_decref(run);
    json_decref(data);
    free(page);
    result_set_free(&set);
}

UNIT_CASE(nothing_is_fetched)
{
    static const char *const ways[] = {" src=", "url(", "@import", "<link", "http:", "https:", "fetch(", "XMLHttp"};
    result_set set = {.complete = true};
    char *page = page_of(&set);
    char *svg = strstr(page, "http://www.w3.org/2000/svg"); /* the name of a namespace, which nobody opens */
    REQUIRE(svg);
    memcpy(svg, "name", 4);
    for (size_t i = 0; i < LW_COUNT(ways); i++) CHECK(!strstr(page, ways[i]));
    CHECK_HAS(page, "default-src 'none'");
    CHECK_EQ_INT(occurrences(page, "@CSS@") + occurrences(page, "@JS@") + occurrences(page, "@DATA@"), 0);
    free(page);
    result_set_free(&set);
}

UNIT_CASE(kernels_and_lines_by_cost)
{
    result_set set = {.device_name = "NVIDIA H200", .device_cc = "9.0", .complete = true};
    result_row cheap = row_of("a.cu", 3, "shared", shared_counts(20, 10));
    result_row dear[] = {row_of("a.cu", 5, "global", global_counts(4000, 1000)),
                         row_of("a.cu", 5, "shared", shared_counts(100, 50)),
                         row_of("a.cu", 4, "shared", shared_counts(10, 10))};
    lw_vec_push(&set.launches, launch_of("cheap", &cheap, 1));
    lw_vec_push(&set.launches, launch_of("dear", dear, 3));
    char *page = page_of(&set);
    json_t *run = data_of(page, "lw-run");
    REQUIRE(run);
    const json_t *kernels = json_object_get(run, "kernels");
    CHECK_STR(text_at(json_array_get(kernels, 0), "name"), "dear");
    CHECK_STR(text_at(json_array_get(kernels, 1), "name"), "cheap");
    const json_t *worst = json_object_get(run, "worst");
    CHECK_EQ_INT(json_array_size(worst), 2); /* line 5 once, and line 3 */
    CHECK_EQ_INT(json_integer_value(json_object_get(json_array_get(worst, 0), "line")), 5);
    CHECK_STR(text_at(json_array_get(worst, 0), "unit"), "sectors");
    CHECK_EQ_INT(json_integer_value(json_object_get(json_array_get(worst, 1), "line")), 3);
    json_decref(run);
    free(page);
    result_set_free(&set);
}

UNIT_CASE(every_word_has_a_picture)
{
    for (size_t i = 0; i < report_word_count; i++) {
        const report_word *w = &report_words[i];
        if (!w->picture[0]) printf("%s\n", w->name);
        CHECK(w->picture[0]);
        for (const char *line = w->picture; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
            CHECK(strcspn(line, "\n") <= 76); /* columns of `lanewise explain` */
    }
}

/* What the tables have names for, and the other words of report and page. */
UNIT_CASE(every_word_is_explained)
{
    static const char *const shown[] = {
#define COUNTER(id, name, metric, text) name,
#include "result/counters.def"
#undef COUNTER
#define RESOURCE(id, name) name,
#include "result/resources.def"
#undef RESOURCE
#define CHECK_ROW(id, name, standard, text) name,
#include "check/checks.def"
#undef CHECK_ROW
#define SEVERITY(id, name, counts) name,
#include "result/severities.def"
#undef SEVERITY
        "ideal",
        "16.0x",
        "lost",
        "lost here",
        "shared",
        "memory",
        "global",
        "local",
        "dshared",
        "constant",
        "texture",
        "L1",
        "L2",
        "hit",
        "DRAM",
        "FLOP",
        "time",
        "predicted",
        "limited by",
        "occupancy",
        "registers",
        "~",
        "[1]",
        "layouts",
        "Counted",
        "recommended",
        "blocks",
        "waves",
        "timeline",
        "default",
        "roofline",
        "kernel",
        "launches",
        "launched once",
        "emulated",
        "instr.",
        "thread instructions",
        "grid",
        "block",
        "cluster",
        "warp",
        "lane",
        "bank",
        "bank conflicts",
        "pass",
        "stride",
        "padding",
        "swizzle",
        "structure of arrays",
        "indices swapped",
        "load",
        "store",
        "atomic",
        "reduction",
        "copy",
        "matrix",
        "inlined",
        "PTX",
        "incomplete",
        "schedule-dependent",
        "barrier",
        "api",
        "assert",
        "finding"};
    for (size_t i = 0; i < LW_COUNT(shown); i++) {
        if (!report_word_find(shown[i])) printf("%s\n", shown[i]);
        CHECK(report_word_find(shown[i]));
    }
    for (size_t i = 0; i < report_other_count; i++) { /* leads to a row, and is not the name of another one */
        const report_also *also = &report_others[i];
        const report_word *found = report_word_find(also->other);
        REQUIRE(found);
        CHECK_STR(found->name, also->name);
    }
    CHECK(!report_word_find("no such word") && !report_word_find(""));
}

#define KERNELS 1000
#define ROWS 12
UNIT_CASE(a_thousand_kernels)
{
    static result_row rows[KERNELS][ROWS];
    static result_sample samples[RESULT_SAMPLES];
    static char names[KERNELS][64];
    result_set set = {.device_name = "NVIDIA H200", .device_cc = "9.0", .complete = true};
    samples[RESULT_WORST] = stride_sample(128, 32, 10, 12);
    samples[RESULT_TYPICAL] = stride_sample(4, 1, 2, 12);
    static uint8_t level[1024];
    for (uint32_t k = 0; k < LW_COUNT(level); k++) level[k] = (uint8_t)(k % 64);
    result_blocks blocks = {.count = 1024, .columns = 64, .rows = 16, .across = 1024, .fold = {1, 1}, .in_line = true};
    blocks.most = 64, blocks.mean = 32;
    blocks.level = level;
    lw_text ptx = {0};
    lw_text_add(&ptx, "F\tsrc/model/layer.cu\n");
    for (uint32_t k = 0; k < 60; k++)
        lw_text_add(&ptx, "%u\t%u\tld.global.f32 %%f%u, [%%rd%u+%u];\n", k % ROWS, 32 * k, k, k, 4 * k);
    for (uint32_t k = 0; k < KERNELS; k++) {
        snprintf(names[k], sizeof names[k], "void kernel_%u<float, %u>(float *, int)", k, k % 7);
        for (uint32_t r = 0; r < ROWS; r++) {
            bool costs = r % 3 == 0;
            counter_set c = r % 2 ? global_counts(costs ? 800 + k : 400, 400) : shared_counts(costs ? 3200 : 100, 100);
            rows[k][r] = row_of("src/model/layer.cu", 10 * k + r, r % 2 ? "global" : "shared", c);
            if (costs) rows[k][r].samples = samples;
        }
        result_launch launch = launch_of(names[k], rows[k], ROWS);
        launch.ptx = ptx.data;
        launch.blocks = &blocks;
        lw_vec_push(&set.launches, launch);
    }
    char *page = page_of(&set);
    keep_page("thousand", page);
    CHECK_EQ_INT(occurrences(page, "</script"), KERNELS + 2);
    CHECK(strlen(page) < 12u << 20);
    CHECK(occurrences(page, "\"ptx\"") > 0);
    free(page);
    lw_text_free(&ptx);
    result_set_free(&set);
}

UNIT_MAIN()
