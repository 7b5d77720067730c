/* include/lanewise/run.h as a tool uses it: devices, programs, a results file written by a process and rendered. */
#include "unit.h"

#include "lanewise/devices.h"
#include "lanewise/run.h"
#include "result/result.h"

#include <sys/wait.h>
#include <unistd.h>

static void count_device(void *user, const lw_device_info *device)
{
    int *count = user;
    lw_device_info again;
    ++*count;
    CHECK(device->major >= 1 && device->multiprocessors > 0 && device->shared_per_block > 0);
    REQUIRE(!lw_device_find(device->id, &again, NULL));
    CHECK_STR(again.name, device->name);
}

UNIT_CASE(numbers_of_a_device)
{
    lw_message message = {""};
    lw_device_profile *d = NULL;
    const lw_device_number *n;
    REQUIRE(!lw_device_open("gtx280", &d, &message));
    CHECK_STR(lw_device_profile_info(d)->id, "gtx280");
    CHECK_EQ_INT(lw_device_profile_info(d)->multiprocessors, 30);
    size_t count = lw_device_numbers(d, &n);
    CHECK(count > 60);
    CHECK_STR(n[0].name, "sm_count");
    CHECK_EQ_INT(n[0].value, 30);
    for (size_t i = 0; i < count; i++) CHECK(n[i].text[0] && n[i].group[0] && (n[i].list || n[i].source[0]));
    char *json = NULL;
    REQUIRE(!lw_device_json(&d, 1, &json, &message));
    CHECK_HAS(json, "\"cc\": \"1.3\"");
    CHECK(strstr(json, "gpc_sms") == NULL); /* not known: left out */
    free(json);
    lw_device_close(d);
    CHECK(lw_device_open("gtx281", &d, &message) != 0);
    CHECK(d == NULL);
    CHECK_HAS(message.text, "did you mean gtx280?");
    CHECK(lw_device_open_file("/no/such/file", &d, NULL) != 0);
    lw_device_close(NULL);
}

UNIT_CASE(every_listed_device_is_found)
{
    int count = 0;
    REQUIRE(!lw_device_each(count_device, &count, NULL));
    CHECK(count > 3);
    lw_device_info device;
    lw_message message = {""};
    REQUIRE(!lw_device_find(NULL, &device, NULL));
    CHECK_STR(device.id, "h200");
    CHECK_EQ_INT(device.major * 10 + device.minor, 90);
    CHECK(lw_device_find("no such device", &device, &message) != 0);
    CHECK_HAS(message.text, "no such device");
}

UNIT_CASE(programs_without_cuda_are_fine)
{
    lw_device_info device;
    lw_message message = {""};
    REQUIRE(!lw_device_find(NULL, &device, NULL));
    CHECK_EQ_INT(lw_program_check("/proc/self/exe", &device, "/lib", &message), LW_PROGRAM_FINE);
    CHECK_EQ_INT(lw_program_check("/no/such/file", &device, "/lib", &message), LW_PROGRAM_FINE);
    CHECK_STR(message.text, "");
}

static char *new_path(void)
{
    char *path = lw_strdup("/tmp/lanewise-test-XXXXXX");
    int fd = mkstemp(path);
    if (fd >= 0) close(fd);
    return path;
}

/* What a process of the program does: one launch, one finding; says goodbye or not. */
static void guest(const char *path, bool goodbye)
{
    result_log *log = NULL;
    if (result_log_open(&log, path, "NVIDIA H200", "9.0", NULL)) _exit(1);
    result_row row = {.file = "a.cu", .line = 3, .space = "global", .op = "load", .bytes_per_lane = 4, .exact = true};
    row.counters.present = 1u << COUNTER_REQUESTS;
    row.counters.value[COUNTER_REQUESTS] = 7;
    result_launch launch = {.kernel = "k()",
                            .kernel_mangled = "_Z1kv",
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .cluster = {1, 1, 1},
                            .count = 1,
                            .rows = &row,
                            .row_count = 1};
    result_finding finding = {.check = "memcheck", .severity = "error", .message = "out of bounds", .count = 1};
    result_log_launch(log, &launch);
    result_log_launch(log, &launch);
    result_log_finding(log, &finding);
    if (goodbye) result_log_close(log);
    _exit(0);
}

static lw_results *run_guest(const char *path, bool goodbye)
{
    lw_results *results = NULL;
    lw_device_info device;
    int status = 1;
    if (lw_results_create(path, NULL) || lw_device_find(NULL, &device, NULL)) return NULL;
    pid_t pid = fork();
    if (!pid) guest(path, goodbye);
    if (waitpid(pid, &status, 0) != pid || status) return NULL;
    lw_results_read(path, &device, &results, NULL);
    return results;
}

UNIT_CASE(results_of_a_process_are_rendered)
{
    char *path = new_path(), *text = NULL, *json = NULL;
    lw_results *results = run_guest(path, true);
    REQUIRE(results != NULL);
    CHECK(lw_results_attached(results));
    CHECK_EQ_INT(lw_results_launches(results), 1);
    CHECK_EQ_INT(lw_results_findings(results), 1);
    REQUIRE(!lw_results_text(results, &(lw_report_options){.width = 80}, &text, NULL));
    CHECK_HAS(text, "1 kernel, 2 launches");
    CHECK_HAS(text, "error memcheck: out of bounds");
    CHECK_HAS(text, "a.cu:3");
    CHECK(!strstr(text, "INCOMPLETE"));
    REQUIRE(!lw_results_json(results, &json, NULL));
    CHECK_HAS(json, "\"requests\": 14");
    CHECK_HAS(json, "\"complete\": true");
    free(text);
    free(json);
    lw_results_free(results);
    unlink(path);
    free(path);
}

UNIT_CASE(a_process_without_goodbye_makes_it_incomplete)
{
    char *path = new_path(), *text = NULL;
    lw_results *results = run_guest(path, false);
    REQUIRE(results != NULL);
    REQUIRE(!lw_results_text(results, &(lw_report_options){.width = 80}, &text, NULL));
    CHECK_HAS(text, "INCOMPLETE");
    CHECK_HAS(text, "1 kernel, 2 launches");
    free(text);
    lw_results_free(results);
    unlink(path);
    free(path);
}

UNIT_CASE(a_run_without_processes_names_the_device)
{
    char *path = new_path(), *json = NULL;
    lw_device_info device;
    lw_results *results = NULL;
    REQUIRE(!lw_device_find("cc:8.6", &device, NULL));
    REQUIRE(!lw_results_create(path, NULL));
    REQUIRE(!lw_results_read(path, &device, &results, NULL));
    CHECK(!lw_results_attached(results));
    REQUIRE(!lw_results_json(results, &json, NULL));
    CHECK_HAS(json, "\"cc\": \"8.6\"");
    free(json);
    lw_results_free(results);
    unlink(path);
    free(path);
}

UNIT_CASE(files_that_are_no_results_are_named)
{
    lw_results *results = NULL;
    lw_message message = {""};
    CHECK(lw_results_read("/no/such/file", NULL, &results, &message) != 0);
    CHECK(results == NULL);
    CHECK_HAS(message.text, "/no/such/file");
    lw_results_free(results);
}

UNIT_MAIN()
