/* result: counter sets and the result log: summing, new rows, several processes, crashes, forks, cut files, cost. */
#include "result/log_format.h"
#include "result/result.h"
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[256];

static const char *new_log(void)
{
    const char *folder = getenv("TMPDIR");
    static int number;
    snprintf(path, sizeof path, "%s/lw-test-result-%d-%d", folder ? folder : "/tmp", (int)getpid(), number++);
    lw_error error = {0};
    if (result_log_create(path, &error) != LW_OK) printf("%s\n", error.message), exit(2);
    return path;
}

static result_log *open_log(void)
{
    result_log *log;
    lw_error error = {0};
    if (result_log_open(&log, path, "NVIDIA H200", "9.0", &error) != LW_OK) printf("%s\n", error.message), exit(2);
    return log;
}

static result_set read_log(void)
{
    result_set set;
    lw_error error = {0};
    if (result_log_read(path, &set, &error) != LW_OK) printf("%s\n", error.message), exit(2);
    return set;
}

static counter_set one_counter(counter_id id, uint64_t value)
{
    counter_set s = {1u << id, {0}};
    s.value[id] = value;
    return s;
}

static const result_frame chain[2] = {{"cub.cuh", 7, "leaf"}, {"a.cu", 12, NULL}};

static result_row row_at(uint32_t line, uint64_t sectors)
{
    result_row r = {.file = "a.cu",
                    .line = line,
                    .function = "k",
                    .space = "global",
                    .op = "load",
                    .bytes_per_lane = 4,
                    .exact = true};
    r.counters = one_counter(COUNTER_SECTORS, sectors);
    return r;
}

static result_launch launch_of(const char *kernel, const result_row *rows, size_t count)
{
    result_launch l = {.kernel = kernel,
                       .kernel_mangled = kernel,
                       .grid = {4, 1, 1},
                       .block = {32, 1, 1},
                       .cluster = {1, 1, 1},
                       .count = 1,
                       .seconds = 0.5,
                       .inst_executed = 10,
                       .thread_inst = 320,
                       .occupancy = {.max_warps_per_sm = 64,
                                     .blocks_per_sm = 32,
                                     .warps_per_sm = 32,
                                     .limited_by = 8,
                                     .registers = 17,
                                     .registers_known = true,
                                     .static_shared_bytes = 12,
                                     .active_clusters = 5,
                                     .clusters_exact = true},
                       .rows = rows,
                       .row_count = count};
    for (size_t i = 0; i < count; i++) counter_set_add(&l.counters, &rows[i].counters);
    return l;
}

UNIT_CASE(counter_sets_add)
{
    counter_set a = one_counter(COUNTER_TAGS, 3), b = one_counter(COUNTER_SECTORS, 5);
    b.value[COUNTER_TAGS] = 99; /* does not apply: must not be added */
    counter_set_add(&a, &b);
    CHECK_EQ_INT(a.present, 1u << COUNTER_TAGS | 1u << COUNTER_SECTORS);
    CHECK_EQ_INT(a.value[COUNTER_TAGS], 3);
    CHECK_EQ_INT(a.value[COUNTER_SECTORS], 5);
    CHECK_STR(counter_descs[COUNTER_T_WAVEFRONTS].name, "t_wavefronts");
}

UNIT_CASE(launches_are_summed_by_row)
{
    new_log();
    result_log *log = open_log();
    result_row rows[3] = {row_at(1, 4), row_at(2, 8), row_at(3, 16)};
    rows[1].inlined = chain, rows[1].inlined_count = 2;
    rows[2].exact = false, rows[2].why = "spills";
    result_launch l = launch_of("_Z1kPi", rows, 2);
    result_log_launch(log, &l);
    result_row swapped[2] = {rows[2], rows[0]}; /* other rows, other order */
    swapped[1].advice = "pad";
    result_launch m = launch_of("_Z1kPi", swapped, 2);
    m.schedule_dependent = true;
    m.note = "interrupted";
    result_log_launch(log, &m);
    l.grid[0] = 5;
    result_log_launch(log, &l); /* another configuration */
    result_log_close(log);
    result_set set = read_log();
    CHECK(set.complete);
    CHECK_STR(set.device_name, "NVIDIA H200");
    CHECK_STR(set.device_cc, "9.0");
    REQUIRE(set.launches.count == 2);
    const result_launch *k = &set.launches.items[0];
    CHECK_STR(k->kernel_mangled, "_Z1kPi");
    CHECK(!memcmp(&k->occupancy, &l.occupancy, sizeof k->occupancy));
    CHECK_EQ_INT(k->count, 2);
    CHECK_EQ_INT(k->inst_executed, 20);
    CHECK_NEAR(k->seconds, 1.0, 1e-12);
    CHECK(k->schedule_dependent);
    CHECK_STR(k->note, "interrupted");
    CHECK_EQ_INT(k->counters.value[COUNTER_SECTORS], 4 + 8 + 16 + 4);
    REQUIRE(k->row_count == 3);
    CHECK_EQ_INT(k->rows[0].counters.value[COUNTER_SECTORS], 8);
    CHECK_STR(k->rows[0].advice, "pad");
    CHECK_EQ_INT(k->rows[1].counters.value[COUNTER_SECTORS], 8);
    REQUIRE(k->rows[1].inlined_count == 2);
    CHECK_STR(k->rows[1].inlined[0].function, "leaf");
    CHECK_STR(k->rows[1].inlined[1].function, NULL);
    CHECK_EQ_INT(k->rows[1].inlined[1].line, 12);
    CHECK_EQ_INT(k->rows[2].counters.value[COUNTER_SECTORS], 16);
    CHECK(!k->rows[2].exact && k->rows[0].exact);
    CHECK_STR(k->rows[2].why, "spills");
    CHECK_EQ_INT(set.launches.items[1].grid[0], 5);
    CHECK_EQ_INT(set.launches.items[1].count, 1);
    result_set_free(&set);
    unlink(path);
}

/* A finding stays what it is until each of its occurrences is settled. */
UNIT_CASE(open_findings)
{
    new_log();
    result_log *log = open_log();
    result_finding f = {
        .check = "api", .severity = "error", .message = "m", .call = "cudaFree", .error = "e", .count = 1};
    result_open *first = result_log_open_finding(log, &f, "note");
    CHECK(result_log_open_finding(log, &f, "note") == first);
    f.site = "app+0x10"; /* another place */
    f.call_number = 3;
    result_open *other = result_log_open_finding(log, &f, "note");
    CHECK(other != first);
    result_log_settle(log, other);
    result_log_settle(log, first);
    result_set set = read_log();
    REQUIRE(set.findings.count == 2);
    CHECK_STR(set.findings.items[0].severity, "error");
    CHECK_EQ_INT(set.findings.items[0].count, 2);
    CHECK_STR(set.findings.items[1].severity, "note");
    CHECK_STR(set.findings.items[1].site, "app+0x10");
    CHECK_STR(set.findings.items[1].call, "cudaFree");
    CHECK_STR(set.findings.items[1].error, "e");
    CHECK_EQ_INT(set.findings.items[1].call_number, 3);
    result_set_free(&set);
    result_log_settle(log, first);
    result_log_close(log);
    set = read_log();
    CHECK_STR(set.findings.items[0].severity, "note");
    CHECK(!result_severities[result_severity_find("note")].counts && result_severities[RESULT_WARNING].counts);
    result_set_free(&set);
    unlink(path);
}

UNIT_CASE(findings_and_messages)
{
    new_log();
    result_log *log = open_log();
    result_related related = {"the other access", "b.cu", 9, {1, 2, 3}, {4, 5, 6}, RESULT_PLACE, 0};
    result_finding f = {.check = "racecheck",
                        .severity = "error",
                        .message = "race on s[3]",
                        .kernel = "k(int *)",
                        .file = "a.cu",
                        .line = 7,
                        .block = {1, 0, 0},
                        .thread = {2, 0, 0},
                        .has_place = true,
                        .address = 0x1234,
                        .has_address = true,
                        .bytes = 4,
                        .count = 2,
                        .related = &related,
                        .related_count = 1};
    result_log_finding(log, &f);
    f.block[0] = 9; /* the same finding again: the first place stays */
    result_log_finding(log, &f);
    f.line = 8;
    f.kernel = f.file = NULL;
    result_log_finding(log, &f);
    result_log_message(log, "cudaFoo is not supported");
    result_log_message(log, "cudaFoo is not supported");
    result_log_close(log);
    log = open_log();
    result_log_message(log, "cudaFoo is not supported");
    result_log_message(log, "");
    result_log_close(log);
    result_set set = read_log();
    REQUIRE(set.findings.count == 2);
    const result_finding *a = &set.findings.items[0];
    CHECK_STR(a->check, "racecheck");
    CHECK_STR(a->message, "race on s[3]");
    CHECK_EQ_INT(a->count, 4);
    CHECK_EQ_INT(a->block[0], 1);
    CHECK(a->has_place && a->has_address);
    CHECK_EQ_INT(a->address, 0x1234);
    REQUIRE(a->related_count == 1);
    CHECK_STR(a->related[0].message, "the other access");
    CHECK_EQ_INT(a->related[0].thread[2], 6);
    CHECK_STR(set.findings.items[1].kernel, NULL);
    REQUIRE(set.messages.count == 2);
    CHECK_STR(set.messages.items[0], "cudaFoo is not supported");
    result_set_free(&set);
    unlink(path);
}

UNIT_CASE(a_killed_process_leaves_its_results)
{
    new_log();
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        result_log *log = open_log();
        result_row row = row_at(1, 4);
        result_launch l = launch_of("k", &row, 1);
        for (int i = 0; i < 10; i++) result_log_launch(log, &l);
        if (write(ready[1], "", 1) != 1) _exit(1);
        for (;;) result_log_launch(log, &l); /* killed in the middle of this */
    }
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    usleep(20000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    result_set set = read_log();
    CHECK(!set.complete);
    REQUIRE(set.launches.count == 1);
    const result_launch *k = &set.launches.items[0];
    CHECK(k->count > 10);
    /* a launch that was being added may be there in part, and then it is marked */
    uint64_t rows = k->rows[0].counters.value[COUNTER_SECTORS];
    CHECK(rows == 4 * k->count || (k->note && !strcmp(k->note, "interrupted") && rows + 4 == 4 * k->count));
    result_set_free(&set);
    close(ready[0]);
    close(ready[1]);
    unlink(path);
}

UNIT_CASE(forked_children_write_their_own)
{
    new_log();
    result_log *log = open_log();
    result_row row = row_at(1, 4);
    result_launch l = launch_of("k", &row, 1);
    result_log_launch(log, &l);
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (int k = 0; k < 1000; k++) result_log_launch(log, &l);
            if (i == 3) _exit(0); /* no goodbye */
            result_log_close(log);
            _exit(0);
        }
    }
    for (int k = 0; k < 1000; k++) result_log_launch(log, &l);
    for (int i = 0; i < 4; i++) wait(NULL);
    result_log_close(log);
    result_set set = read_log();
    CHECK(!set.complete);
    REQUIRE(set.launches.count == 1);
    CHECK_EQ_INT(set.launches.items[0].count, 5001);
    REQUIRE(set.launches.items[0].row_count == 1);
    CHECK_EQ_INT(set.launches.items[0].rows[0].counters.value[COUNTER_SECTORS], 4 * 5001);
    result_set_free(&set);
    unlink(path);
}

static void *many_kernels(void *user)
{
    char name[64];
    result_row row = row_at(1, 1);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "kernel_with_a_long_name_%d", i % 1500);
        result_launch l = launch_of(name, &row, 1);
        result_log_launch(user, &l);
    }
    return NULL;
}

UNIT_CASE(uncounted_launches_are_summed)
{
    new_log();
    for (int process = 0; process < 2; process++) {
        result_log *log = open_log();
        result_log_uncounted(log, "a(int*)", RESULT_NOT_SELECTED);
        result_log_uncounted(log, "a(int*)", RESULT_NOT_SELECTED);
        result_log_uncounted(log, "a(int*)", RESULT_NOT_IN_RANGE);
        result_launch l = launch_of("k", NULL, 0);
        l.built = 1700000000;
        result_log_launch(log, &l);
        result_log_close(log);
    }
    result_set set = read_log();
    REQUIRE(set.uncounted.count == 2);
    CHECK_STR(set.uncounted.items[0].kernel, "a(int*)");
    CHECK_EQ_INT(set.uncounted.items[0].why, RESULT_NOT_SELECTED);
    CHECK_EQ_INT(set.uncounted.items[0].count, 4);
    CHECK_EQ_INT(set.uncounted.items[1].why, RESULT_NOT_IN_RANGE);
    CHECK_EQ_INT(set.uncounted.items[1].count, 2);
    REQUIRE(set.launches.count == 1);
    CHECK_EQ_INT(set.launches.items[0].built, 1700000000);
    result_set_free(&set);
    unlink(path);
}

/* Enough records that the file grows while several processes and threads write. */
UNIT_CASE(threads_and_processes_grow_the_file)
{
    new_log();
    for (int p = 0; p < 3; p++) {
        if (fork()) continue;
        result_log *log = open_log();
        pthread_t t[3];
        for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, many_kernels, log);
        for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
        result_log_close(log);
        _exit(0);
    }
    for (int p = 0; p < 3; p++) {
        int status;
        wait(&status);
        CHECK_EQ_INT(status, 0);
    }
    struct stat st;
    stat(path, &st);
    CHECK((uint64_t)st.st_size > 2 * LOG_STEP);
    result_set set = read_log();
    CHECK(set.complete);
    CHECK_EQ_INT(set.launches.count, 1500);
    uint64_t launches = 0;
    for (size_t i = 0; i < set.launches.count; i++) launches += set.launches.items[i].count;
    CHECK_EQ_INT(launches, 3 * 3 * 3000);
    result_set_free(&set);
    unlink(path);
}

UNIT_CASE(repeated_launches_are_cheap)
{
    enum { ROWS = 20, LAUNCHES = 100000 };
    new_log();
    result_log *log = open_log();
    result_row rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        rows[i] = row_at((uint32_t)i, 4);
        for (int c = 0; c < COUNTER_COUNT; c++) rows[i].counters.present |= 1u << c;
        rows[i].inlined = chain, rows[i].inlined_count = 2;
    }
    result_launch l = launch_of("_Z20a_kernel_of_some_sizePKfPf", rows, ROWS);
    result_log_launch(log, &l);
    struct stat before, after;
    stat(path, &before);
    uint64_t used = 0, used_after = 0;
    FILE *f = fopen(path, "rb");
    REQUIRE(f && !fseek(f, (long)offsetof(log_header, used), SEEK_SET) && fread(&used, 8, 1, f) == 1);
    clock_t start = clock(); /* processor time: the machine may be busy */
    for (int i = 1; i < LAUNCHES; i++) result_log_launch(log, &l);
    double each = (double)(clock() - start) / CLOCKS_PER_SEC / LAUNCHES / ROWS;
    REQUIRE(!fseek(f, (long)offsetof(log_header, used), SEEK_SET) && fread(&used_after, 8, 1, f) == 1);
    fclose(f);
    stat(path, &after);
    printf("%.0f ns per row\n", each * 1e9);
    CHECK_EQ_INT(after.st_size, before.st_size);
    CHECK_EQ_INT(used_after, used);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    CHECK(each < 1e-6);
#endif
    result_log_close(log);
    result_set set = read_log();
    CHECK_EQ_INT(set.launches.items[0].count, LAUNCHES);
    CHECK_EQ_INT(set.launches.items[0].rows[19].counters.value[COUNTER_SECTORS], 4 * LAUNCHES);
    result_set_free(&set);
    unlink(path);
}

/* Any cut and any damaged byte: no crash, no hang; what is whole is still read. */
UNIT_CASE(a_timeline_is_bounded)
{
    enum { OPERATIONS = 3000 };
    new_log();
    result_log *log = open_log();
    for (int i = 0; i < OPERATIONS; i++) {
        result_span span = {.kind = RESULT_SPAN_KERNEL, .stream = (uint64_t)i % 2, .name = "k", .count = 1};
        span.begin = i;
        span.seconds = 0.5;
        span.end = i + span.seconds;
        result_log_span(log, &span);
    }
    result_log_close(log);
    result_set set = read_log();
    CHECK_EQ_INT(set.spans.count, RESULT_SPANS_MOST + 2);
    const result_span *folded = &set.spans.items[RESULT_SPANS_MOST + 1];
    CHECK_EQ_INT(folded->count, (OPERATIONS - RESULT_SPANS_MOST) / 2);
    CHECK_EQ_INT(folded->process, 1);
    CHECK_NEAR(folded->begin, RESULT_SPANS_MOST + 1, 0);
    CHECK_NEAR(folded->end, OPERATIONS - 0.5, 0);
    CHECK_NEAR(folded->seconds, (OPERATIONS - RESULT_SPANS_MOST) / 2 * 0.5, 1e-9);
    CHECK(folded->name && !strcmp(folded->name, "k"));
    result_set_free(&set);
    unlink(path);
}

UNIT_CASE(damaged_files)
{
    new_log();
    result_log *log = open_log();
    result_row rows[2] = {row_at(1, 4), row_at(2, 8)};
    rows[1].inlined = chain, rows[1].inlined_count = 2;
    result_launch l = launch_of("k", rows, 2);
    result_related related = {"x", NULL, 9, {1, 2, 3}, {4, 5, 6}, RESULT_PLACE, 0};
    result_finding f = {.check = "c", .severity = "error", .message = "m", .related = &related, .related_count = 1};
    result_log_launch(log, &l);
    result_log_finding(log, &f);
    result_log_message(log, "hello");
    result_log_close(log);
    char *data;
    size_t size;
    REQUIRE(lw_file_read(path, &data, &size, NULL) == LW_OK);
    size_t used = (size_t)((log_header *)data)->used;
    CHECK(used < size && used < 16384);
    for (size_t at = 0; at < used; at += at < 64 || at > LOG_FIRST ? 3 : 500) {
        result_set set;
        lw_file_write(path, data, at, NULL);
        if (result_log_read(path, &set, NULL) == LW_OK) result_set_free(&set);
        char old = data[at];
        data[at] = (char)(at % 2 ? 0xff : old ^ 0x10);
        lw_file_write(path, data, used, NULL);
        if (result_log_read(path, &set, NULL) == LW_OK) result_set_free(&set);
        data[at] = old;
    }
    result_set set;
    lw_file_write(path, data, used, NULL);
    CHECK_EQ_INT(result_log_read(path, &set, NULL), LW_OK);
    CHECK_EQ_INT(set.launches.count, 1);
    CHECK_EQ_INT(set.messages.count, 1);
    result_set_free(&set);
    free(data);
    unlink(path);
}

/* Space that a process took before it died, without a word in it, does not hide what comes after. */
UNIT_CASE(taken_space_is_skipped)
{
    new_log();
    result_log *log = open_log();
    FILE *f = fopen(path, "r+b");
    uint64_t used;
    REQUIRE(f && !fseek(f, (long)offsetof(log_header, used), SEEK_SET) && fread(&used, 8, 1, f) == 1);
    used += 4096;
    REQUIRE(!fseek(f, (long)offsetof(log_header, used), SEEK_SET) && fwrite(&used, 8, 1, f) == 1);
    fclose(f);
    result_log_message(log, "after the gap");
    result_log_close(log);
    result_set set = read_log();
    REQUIRE(set.messages.count == 1);
    CHECK_STR(set.messages.items[0], "after the gap");
    result_set_free(&set);
    unlink(path);
}

UNIT_CASE(bad_files_are_named)
{
    lw_error error = {0};
    result_log *log;
    result_set set;
    CHECK_EQ_INT(result_log_create("/nonexistent/folder/x", &error), LW_IO);
    CHECK_HAS(error.message, "/nonexistent/folder/x");
    error.status = LW_OK;
    CHECK_EQ_INT(result_log_open(&log, "/dev/null", "", "", &error), LW_CORRUPT);
    error.status = LW_OK;
    CHECK_EQ_INT(result_log_read("/dev/null", &set, &error), LW_CORRUPT);
    result_log_close(NULL);
    result_set_free(NULL);
}

/* Where the log's file is mapped; NULL: nowhere. */
static char *mapped_at(const char *file)
{
    char line[1024];
    char *at = NULL;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !at && fgets(line, sizeof line, maps))
        if (strstr(line, file)) at = (char *)(uintptr_t)strtoull(line, NULL, 16);
    if (maps) fclose(maps);
    return at;
}

/* A program whose own memory lies just below and that writes past it. */
UNIT_CASE(what_lies_below_the_log_cannot_be_written)
{
    new_log();
    result_log *log = open_log();
    result_log_message(log, "kept");
    volatile char *base = mapped_at(path);
    REQUIRE(base);
    pid_t child = fork();
    if (!child) {
        signal(SIGSEGV, SIG_DFL);
        for (int k = -4096; k < 4096; k++) base[k] = 1;
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != 0); /* a sanitizer exits with a status of its own */
    result_set set = read_log();
    CHECK_EQ_INT(set.messages.count, 1);
    result_set_free(&set);
    result_log_close(log);
}

UNIT_MAIN()
