/* The options of a context: read from the environment, or copied. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/options.h"

#define HOST_MOST_THREADS 1024u

/* NULL for a variable that is not set, or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_on(const char *name)
{
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *value = variable(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static double seconds(const char *name)
{
    const char *value = variable(name);
    double number = value ? strtod(value, NULL) : 0;
    return number > 0 ? number : 0;
}

/* "512M", "2G", "1000000"; 0 if not set or malformed. */
static uint64_t size(const char *name)
{
    const char *text = variable(name);
    if (!text) return 0;
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || value <= 0) return 0;
    switch (*end) {
    case 'k':
    case 'K': return (uint64_t)(value * 1024);
    case 'm':
    case 'M': return (uint64_t)(value * (1 << 20));
    case 'g':
    case 'G': return (uint64_t)(value * (1 << 30));
    case 't':
    case 'T': return (uint64_t)(value * 1024 * (1 << 30));
    default: return (uint64_t)value;
    }
}

/* A list that cannot be read is none: the command has refused it. */
static check_options checks(void)
{
    check_options options = {0};
    const char *list = variable("LANEWISE_CHECK");
    if (list) check_parse(list, &options.set, NULL);
    options.init_at_load = is_on("LANEWISE_INIT_AT_LOAD");
    return options;
}

/* Likewise. */
static mem_fill fill(void)
{
    mem_fill out = {.kind = MEM_FILL_NONE};
    const char *text = variable("LANEWISE_FILL");
    if (text) mem_fill_parse(text, &out);
    return out;
}

host_options host_options_from_environment(void)
{
    const char *count = variable("LANEWISE_COUNT"), *on_error = variable("LANEWISE_ON_ERROR");
    return (host_options){
        .device = variable("LANEWISE_DEVICE"),
        .devices = (uint32_t)number("LANEWISE_DEVICES", 1),
        .threads = (uint32_t)number("LANEWISE_THREADS", 0),
        .memory_bytes = size("LANEWISE_MEMORY"),
        .results = variable("LANEWISE_RESULTS"),
        .kernels = variable("LANEWISE_KERNEL"),
        .launch_skip = number("LANEWISE_LAUNCH_SKIP", 0),
        .launch_count = number("LANEWISE_LAUNCH_COUNT", UINT64_MAX),
        .count_ptx = count && !strcmp(count, "ptx"),
        .no_report = is_on("LANEWISE_NO_REPORT"),
        .stop_at_errors = on_error && !strcmp(on_error, "stop"),
        .caches = variable("LANEWISE_CACHES"),
        .time = is_on("LANEWISE_TIME"),
        .samples = is_on("LANEWISE_SAMPLES"),
        .what_if = is_on("LANEWISE_WHAT_IF"),
        .schedule = variable("LANEWISE_SCHEDULE"),
        .timeout = seconds("LANEWISE_TIMEOUT"),
        .fill = fill(),
        .checks = checks(),
        .find_seed = number("LANEWISE_FIND_SEED", 0),
        .progress = is_on("LANEWISE_PROGRESS"),
    };
}

static uint32_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

static char *copy_text(const char *text) { return text ? lw_strdup(text) : NULL; }

host_options host_options_copy(const host_options *options)
{
    host_options copy = *options;
    copy.threads = LW_MIN(copy.threads ? copy.threads : processors(), HOST_MOST_THREADS);
    copy.devices = LW_MIN(LW_MAX(copy.devices, 1u), (uint32_t)HOST_DEVICES_MOST);
    copy.device = copy_text(options->device);
    copy.results = copy_text(options->results);
    copy.kernels = copy_text(options->kernels);
    copy.caches = copy_text(options->caches);
    copy.schedule = copy_text(options->schedule);
    return copy;
}

void host_options_free(host_options *options)
{
    free((char *)options->device);
    free((char *)options->results);
    free((char *)options->kernels);
    free((char *)options->caches);
    free((char *)options->schedule);
    *options = (host_options){0};
}

/* As a card's driver reads it: the first entry that is no device ends the list; one that comes twice makes it worthless. */
host_error host_options_choose_visible(host_options *o)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    if (!list || o->devices < 2 || !strncmp(list, "GPU-", 4) || !strncmp(list, "MIG-", 4)) return 0;
    uint32_t seen = 0, count = 0;
    for (char *end;; list = end + 1) {
        long device = strtol(list, &end, 10);
        if (end == list || device < 0 || device >= (long)o->devices) break;
        if (seen >> device & 1) return HOST_INVALID_DEVICE;
        seen |= 1u << device;
        o->numbers[count++] = (uint8_t)device;
        if (*end != ',') break;
    }
    o->hides = true;
    o->devices = LW_MAX(count, 1u);
    return count ? 0 : HOST_NO_DEVICE;
}
