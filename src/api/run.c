/* run: include/lanewise/run.h over the rooms device, fatbin, result and report. Nothing but translation: internal types
 * stay inside, statuses become return values, errors become messages. The room api stands above all others. */
#include "lanewise/run.h"

#include "api/devices.h"
#include "api/results.h"
#include "check/check.h"
#include "memory/memory.h"
#include "device/profile.h"
#include "fatbin/fatbin.h"
#include "report/report.h"
#include "report/words.h"
#include "result/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns status as the API's return value and hands its text over. */
static int finish(lw_status status, const lw_error *error, lw_message *message)
{
    if (status && message)
        snprintf(message->text, sizeof message->text, "%s", *error->message ? error->message : lw_status_text(status));
    return (int)status;
}

/* ---- devices ---- */

struct visitor {
    void (*visit)(void *user, const lw_device_info *device);
    void *user;
};

static void visit_profile(void *user, const device_profile *profile)
{
    const struct visitor *visitor = user;
    lw_device_info info = api_device_info(profile);
    visitor->visit(visitor->user, &info);
}

int lw_device_each(void (*visit)(void *user, const lw_device_info *device), void *user, lw_message *message)
{
    lw_error error = {0};
    struct visitor visitor = {visit, user};
    return finish(device_each(visit_profile, &visitor, &error), &error, message);
}

int lw_device_find(const char *spec, lw_device_info *out, lw_message *message)
{
    lw_error error = {0};
    device_profile profile;
    lw_status status = device_find(spec, &profile, &error);
    if (!status) *out = api_device_info(&profile);
    return finish(status, &error, message);
}

/* ---- programs ---- */

static lw_program_verdict refuse(lw_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
static lw_program_verdict refuse(lw_message *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (message) vsnprintf(message->text, sizeof message->text, format, args);
    va_end(args);
    return LW_PROGRAM_REFUSED;
}

static lw_program_verdict check_images(const struct fatbin_program *program, const char *path,
                                       const lw_device_info *device, lw_message *message)
{
    int sm = device->major * 10 + device->minor;
    if (program->ptx_fits || program->ptx_count + program->machine_code_count == 0)
        return program->runtime == FATBIN_RUNTIME_SHARED ? LW_PROGRAM_SHARED : LW_PROGRAM_FINE;
    if (!program->ptx_count)
        return refuse(message,
                      "%s carries machine code only (%s). lanewise executes PTX: rebuild with\n"
                      "  NVCC_APPEND_FLAGS=\"-lineinfo -gencode arch=compute_%d,code=compute_%d\"",
                      path, program->images, sm, sm);
    return refuse(message,
                  "%s carries no PTX for cc %d.%d (%s). Choose another --device, or rebuild with\n"
                  "  NVCC_APPEND_FLAGS=\"-lineinfo -gencode arch=compute_%d,code=compute_%d\"",
                  path, device->major, device->minor, program->images, sm, sm);
}

lw_program_verdict lw_program_check(const char *path, const lw_device_info *device, const char *library_dir,
                                    lw_message *message)
{
    struct fatbin_program program;
    uint32_t sm = LW_MAX((uint32_t)(device->major * 10 + device->minor), FATBIN_OLDEST_TARGET);
    if (fatbin_program_read(path, sm, device->major >= 9, &program, NULL)) return LW_PROGRAM_FINE;
    if (program.kind != FATBIN_PROGRAM_ELF) return LW_PROGRAM_FINE;
    if (program.runtime == FATBIN_RUNTIME_NVIDIA_STATIC)
        return refuse(
            message,
            "%s contains NVIDIA's own CUDA runtime, which accepts only NVIDIA's driver. Relink it: run its build "
            "again as\n  lanewise build make   (or whatever builds it; from scratch)\nor with\n"
            "  NVCC_APPEND_FLAGS=\"-lineinfo -L%s\"",
            path, library_dir);
    if (program.runtime == FATBIN_RUNTIME_SHARED && strcmp(program.needed_cudart, "libcudart.so.13"))
        return refuse(message,
                      "%s needs %s; lanewise has libcudart.so.13. Rebuild it with CUDA 13, or statically:\n"
                      "  NVCC_APPEND_FLAGS=\"-lineinfo -cudart static -L%s\"",
                      path, program.needed_cudart, library_dir);
    if (program.runtime == FATBIN_RUNTIME_NONE && !program.needs_libcuda) return LW_PROGRAM_FINE;
    return check_images(&program, path, device, message);
}

bool lw_program_uses_closed_library(const char *path, lw_message *message)
{
    struct fatbin_program program;
    if (fatbin_program_read(path, FATBIN_OLDEST_TARGET, false, &program, NULL)) return false;
    if (program.kind != FATBIN_PROGRAM_ELF || !program.closed_library[0]) return false;
    const char *slash = strrchr(path, '/');
    snprintf(
        message->text, sizeof message->text,
        "%s uses %s, one of NVIDIA's closed libraries, which do not run under lanewise: their calls return errors, "
        "and what the program computes after them is not its own result",
        slash ? slash + 1 : path, program.closed_library);
    return true;
}

/* ---- checks ---- */

int lw_checks_valid(const char *list, lw_message *message)
{
    lw_error error = {0};
    uint32_t set;
    return finish(check_parse(list, &set, &error), &error, message);
}

bool lw_fill_valid(const char *text)
{
    mem_fill fill;
    return mem_fill_parse(text, &fill);
}

/* ---- results ---- */

int lw_results_create(const char *path, lw_message *message)
{
    lw_error error = {0};
    return finish(result_log_create(path, &error), &error, message);
}

static bool has_text(const char *s) { return s && *s; }

static void name_device(result_set *set, const lw_device_info *device)
{
    if (has_text(set->device_name) || !device) return;
    set->device_name = lw_arena_strdup(&set->arena, device->name);
    set->device_cc = lw_arena_printf(&set->arena, "%d.%d", device->major, device->minor);
}

int lw_results_read(const char *path, const lw_device_info *device, lw_results **out, lw_message *message)
{
    lw_error error = {0};
    lw_results *results = lw_alloc(sizeof *results);
    result_set *set = &results->set;
    lw_status status = result_log_read(path, set, &error);
    results->attached = has_text(set->device_name) || set->launches.count || set->findings.count || set->messages.count;
    if (!status) name_device(set, device);
    if (status) {
        lw_results_free(results);
        results = NULL;
    }
    *out = results;
    return finish(status, &error, message);
}

void lw_results_free(lw_results *results)
{
    if (!results) return;
    result_set_free(&results->set);
    free(results);
}

bool lw_results_attached(const lw_results *results) { return results->attached; }
size_t lw_results_launches(const lw_results *results) { return results->set.launches.count; }
size_t lw_results_findings(const lw_results *results) { return results->set.findings.count; }

size_t lw_results_failures(const lw_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->set.findings.count; i++)
        count += result_severities[result_severity_find(results->set.findings.items[i].severity)].counts;
    return count;
}

static lw_status suppress(result_set *set, const char *path, lw_error *error)
{
    char *text;
    size_t size;
    LW_TRY(lw_file_read(path, &text, &size, error));
    lw_status status = result_suppress(set, path, text, size, error);
    free(text);
    return status;
}

int lw_suppressions_valid(const char *path, lw_message *message)
{
    lw_error error = {0};
    result_set none = {0};
    lw_status status = suppress(&none, path, &error);
    result_set_free(&none);
    return finish(status, &error, message);
}

int lw_results_suppress(lw_results *results, const char *path, lw_message *message)
{
    lw_error error = {0};
    return finish(suppress(&results->set, path, &error), &error, message);
}

/* Hands a text over as a malloc'ed string, never NULL. */
static char *take(lw_text *text) { return text->data ? text->data : lw_strdup(""); }

char *lw_results_suppressions(const lw_results *results)
{
    lw_text text = {0};
    for (size_t i = 0; i < results->set.findings.count; i++) {
        const result_finding *f = &results->set.findings.items[i];
        if (result_severities[result_severity_find(f->severity)].counts) result_suppression_of(f, &text);
    }
    return take(&text);
}

void lw_results_times(const lw_results *results, void (*visit)(void *user, const lw_launch_time *time), void *user)
{
    const result_set *set = &results->set;
    for (size_t i = 0; i < set->launches.count; i++) {
        const result_launch *l = &set->launches.items[i];
        if (!l->time.count) continue;
        const result_row *slowest = report_slowest(l);
        const result_occupancy *o = &l->occupancy;
        lw_launch_time time = {
            .kernel = l->kernel ? l->kernel : l->kernel_mangled,
            .launches = l->time.count,
            .seconds = l->time.seconds,
            .low = l->time.low,
            .high = l->time.high,
            .bottleneck = result_resource_names[result_bottleneck(&l->time)],
            .occupancy = o->max_warps_per_sm ? (double)o->warps_per_sm / o->max_warps_per_sm : 0,
            .file = slowest ? slowest->file : NULL,
            .line = slowest ? slowest->line : 0,
        };
        memcpy(time.grid, l->grid, sizeof time.grid);
        memcpy(time.block, l->block, sizeof time.block);
        visit(user, &time);
    }
}

double lw_results_device_seconds(const lw_results *results) { return report_timeline_seconds(&results->set); }

int lw_results_text(const lw_results *results, const lw_report_options *options, char **out, lw_message *message)
{
    (void)message; /* the text report leaves out what it cannot read */
    lw_text text = {0};
    report_options internal = {.colour = options->colour,
                               .unicode = options->unicode,
                               .width = options->width,
                               .lines = options->lines,
                               .all = options->all,
                               .only_bad = options->only_bad,
                               .cwd = options->cwd};
    report_text(&results->set, &internal, &text);
    *out = take(&text);
    return LW_OK;
}

const lw_word *lw_word_find(const char *name) { return report_word_find(name); }
const lw_word *lw_word_at(size_t index) { return index < report_word_count ? &report_words[index] : NULL; }

void lw_results_keep_sources(lw_results *results) { report_keep_sources(&results->set); }

static lw_status check_budgets(const result_set *set, const char *path, lw_text *out, size_t *over, lw_error *error)
{
    char *text;
    size_t size;
    LW_TRY(lw_file_read(path, &text, &size, error));
    lw_status status = report_budgets(set, path, text, size, out, over, error);
    free(text);
    return status;
}

int lw_budgets_valid(const char *path, lw_message *message)
{
    lw_error error = {0};
    lw_text text = {0};
    result_set none = {0};
    size_t over;
    lw_status status = check_budgets(&none, path, &text, &over, &error);
    lw_text_free(&text);
    return finish(status, &error, message);
}

int lw_results_budgets(const lw_results *results, const char *path, char **out, size_t *over, lw_message *message)
{
    lw_error error = {0};
    lw_text text = {0};
    lw_status status = check_budgets(&results->set, path, &text, over, &error);
    *out = take(&text);
    return finish(status, &error, message);
}

static lw_status read_report(const char *path, result_set *out, lw_error *error)
{
    char *text;
    size_t size;
    LW_TRY(lw_file_read(path, &text, &size, error));
    lw_status status = report_json_read(text, size, out, error);
    free(text);
    if (!status) return LW_OK;
    lw_error inner = *error;
    *error = (lw_error){0};
    return lw_fail(error, status, "%s: %s", path, inner.message);
}

int lw_diff(const char *before, const char *after, const lw_diff_options *options, char **out, size_t *failed,
            lw_message *message)
{
    lw_error error = {0};
    lw_text text = {0};
    result_set a = {0};
    result_set b = {0};
    report_diff_options internal = {.colour = options->colour,
                                    .unicode = options->unicode,
                                    .json = options->json,
                                    .html = options->html,
                                    .width = options->width,
                                    .cwd = options->cwd,
                                    .conditions = options->conditions,
                                    .condition_count = options->condition_count};
    lw_status status = read_report(before, &a, &error);
    if (!status) status = read_report(after, &b, &error);
    if (!status) status = report_diff(&a, &b, &internal, &text, failed, &error);
    *out = take(&text);
    result_set_free(&a);
    result_set_free(&b);
    return finish(status, &error, message);
}

int lw_results_html(const lw_results *results, const lw_report_options *options, char **out, lw_message *message)
{
    lw_error error = {0};
    lw_text text = {0};
    report_options internal = {.cwd = options->cwd};
    lw_status status = report_html(&results->set, &internal, &text, &error);
    *out = NULL;
    if (status) lw_text_free(&text);
    else *out = take(&text);
    return finish(status, &error, message);
}

int lw_results_form(const lw_results *results, lw_report_form form, const lw_report_options *options, char **out,
                    lw_message *message)
{
    lw_text text = {0};
    const result_set *set = &results->set;
    *out = NULL;
    switch (form) {
    case LW_REPORT_HTML: return lw_results_html(results, options, out, message);
    case LW_REPORT_SARIF: report_sarif(set, options->cwd, &text); break;
    case LW_REPORT_JUNIT: report_junit(set, options->cwd, &text); break;
    case LW_REPORT_MARKDOWN: report_markdown(set, options->cwd, &text); break;
    }
    *out = take(&text);
    return LW_OK;
}

int lw_results_json(const lw_results *results, char **out, lw_message *message)
{
    lw_error error = {0};
    lw_text text = {0};
    lw_status status = report_json(&results->set, &text, &error);
    *out = NULL;
    if (status) lw_text_free(&text);
    else *out = take(&text);
    return finish(status, &error, message);
}
