/* json_read: the JSON report read back into a result set, strictly: a member of a wrong type, a negative count, or a schema that is not
 * ours fail with the name of the member. Members that are missing are empty; members that are not known are skipped, so that reports of
 * later versions can be compared. Strings live in the set's arena. */
#include "report/document.h"

#include <string.h>

typedef struct json_reader {
    result_set *out;
    lw_error *error;
    const char *where; /* part of the document, for messages */
    bool failed;
} json_reader;

static void fail(json_reader *r, const char *key, const char *wanted)
{
    if (!r->failed) lw_fail(r->error, LW_CORRUPT, "no report of lanewise: %s: \"%s\" is not %s", r->where, key, wanted);
    r->failed = true;
}

static const char *text_of(json_reader *r, const json_t *object, const char *key, const char *otherwise)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return otherwise;
    if (!json_is_string(value)) {
        fail(r, key, "a string");
        return otherwise;
    }
    return lw_arena_strndup(&r->out->arena, json_string_value(value), json_string_length(value));
}

static uint64_t count_of(json_reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        fail(r, key, "a count");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static uint32_t number_of(json_reader *r, const json_t *object, const char *key)
{
    uint64_t n = count_of(r, object, key);
    if (n > UINT32_MAX) fail(r, key, "below 2^32");
    return (uint32_t)n;
}

static double real_of(json_reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_number(value)) fail(r, key, "a number");
    return json_number_value(value);
}

static bool is_true(json_reader *r, const json_t *object, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(object, key);
    if (!value) return otherwise;
    if (!json_is_boolean(value)) fail(r, key, "true or false");
    return json_is_true(value);
}

/* An array; NULL if it is missing. */
static const json_t *array_of(json_reader *r, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_array(value)) fail(r, key, "an array");
    return json_is_array(value) ? value : NULL;
}

static void triple_of(json_reader *r, const json_t *object, const char *key, uint32_t out[3])
{
    const json_t *array = array_of(r, object, key);
    if (!array) return;
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(array, i);
        bool fine = json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= UINT32_MAX;
        if (!fine) fail(r, key, "three numbers");
        else out[i] = (uint32_t)json_integer_value(value);
    }
}

static counter_set counters_of(json_reader *r, const json_t *object)
{
    counter_set set = {0, {0}};
    const json_t *all = json_object_get(object, "counters");
    if (all && !json_is_object(all)) fail(r, "counters", "an object");
    for (int c = 0; c < COUNTER_COUNT; c++) {
        if (!json_object_get(all, counter_descs[c].name)) continue;
        set.present |= 1u << c;
        set.value[c] = count_of(r, all, counter_descs[c].name);
    }
    return set;
}

static void read_frames(json_reader *r, const json_t *object, result_row *row)
{
    const json_t *all = array_of(r, object, "inlined");
    size_t count = json_array_size(all);
    result_frame *frames = LW_NEW_ARRAY(&r->out->arena, result_frame, count + 1);
    for (size_t i = 0; i < count; i++) {
        const json_t *frame = json_array_get(all, i);
        frames[i] = (result_frame){text_of(r, frame, "file", "?"), number_of(r, frame, "line"),
                                   text_of(r, frame, "function", NULL)};
    }
    row->inlined = frames;
    row->inlined_count = (uint32_t)count;
}

static result_row read_row(json_reader *r, const json_t *object)
{
    result_row row = {
        .file = text_of(r, object, "file", "?"),
        .line = number_of(r, object, "line"),
        .function = text_of(r, object, "function", NULL),
        .ptx = is_true(r, object, "ptx", false),
        .space = text_of(r, object, "space", "?"),
        .op = text_of(r, object, "op", "?"),
        .dir = text_of(r, object, "dir", NULL),
        .bytes_per_lane = number_of(r, object, "bytes_per_lane"),
        .exact = is_true(r, object, "exact", true),
        .why = text_of(r, object, "why", NULL),
        .source = text_of(r, object, "source", NULL),
        .counters = counters_of(r, object),
    };
    read_frames(r, object, &row);
    return row;
}

static void read_rows(json_reader *r, const json_t *object, result_launch *launch)
{
    const json_t *all = array_of(r, object, "lines");
    size_t count = json_array_size(all);
    result_row *rows = LW_NEW_ARRAY(&r->out->arena, result_row, count + 1);
    for (size_t i = 0; i < count; i++) rows[i] = read_row(r, json_array_get(all, i));
    launch->rows = rows;
    launch->row_count = count;
}

static void read_time(json_reader *r, const json_t *object, result_launch *launch)
{
    const json_t *time = json_object_get(object, "time");
    if (!time || !launch->count) return;
    double count = (double)launch->count;
    launch->time.count = launch->count;
    launch->time.seconds = real_of(r, time, "seconds") * count;
    launch->time.low = real_of(r, time, "low") * count;
    launch->time.high = real_of(r, time, "high") * count;
}

static void read_launch(json_reader *r, const json_t *object)
{
    r->where = "launches";
    if (!json_is_object(object)) fail(r, "launches", "an array of objects");
    result_launch launch = {
        .kernel = text_of(r, object, "kernel", "?"),
        .kernel_mangled = text_of(r, object, "kernel_mangled", ""),
        .dynamic_shared_bytes = number_of(r, object, "dynamic_shared_bytes"),
        .count = count_of(r, object, "count"),
        .seconds = real_of(r, object, "seconds"),
        .inst_executed = count_of(r, object, "inst_executed"),
        .thread_inst = count_of(r, object, "thread_inst"),
        .counters = counters_of(r, object),
    };
    triple_of(r, object, "grid", launch.grid);
    triple_of(r, object, "block", launch.block);
    triple_of(r, object, "cluster", launch.cluster);
    read_time(r, object, &launch);
    read_rows(r, object, &launch);
    lw_vec_push(&r->out->launches, launch);
}

static void read_finding(json_reader *r, const json_t *object)
{
    r->where = "findings";
    if (!json_is_object(object)) fail(r, "findings", "an array of objects");
    result_finding f = {
        .check = text_of(r, object, "check", "?"),
        .severity = text_of(r, object, "severity", "error"),
        .message = text_of(r, object, "message", ""),
        .kernel = text_of(r, object, "kernel", NULL),
        .file = text_of(r, object, "file", NULL),
        .line = number_of(r, object, "line"),
        .count = count_of(r, object, "count"),
    };
    lw_vec_push(&r->out->findings, f);
}

static void read_document(json_reader *r, const json_t *root)
{
    r->where = "document";
    const json_t *device = json_object_get(root, "device");
    if (!json_object_get(root, "lanewise")) fail(r, "lanewise", "there");
    if (count_of(r, root, "schema") != 1) fail(r, "schema", "1");
    r->out->complete = is_true(r, root, "complete", true);
    r->out->device_name = text_of(r, device, "name", "");
    r->out->device_cc = text_of(r, device, "cc", "");
    const json_t *launches = array_of(r, root, "launches");
    const json_t *findings = array_of(r, root, "findings");
    for (size_t i = 0; i < json_array_size(launches) && !r->failed; i++) read_launch(r, json_array_get(launches, i));
    for (size_t i = 0; i < json_array_size(findings) && !r->failed; i++) read_finding(r, json_array_get(findings, i));
}

lw_status report_json_read(const char *data, size_t size, result_set *out, lw_error *error)
{
    json_error_t wrong;
    memset(out, 0, sizeof *out);
    json_t *root = json_loadb(data, size, JSON_REJECT_DUPLICATES, &wrong);
    if (!root) return lw_fail(error, LW_CORRUPT, "not JSON: line %d: %s", wrong.line, wrong.text);
    json_reader r = {.out = out, .error = error};
    if (!json_is_object(root)) lw_fail(error, LW_CORRUPT, "no report of lanewise: not an object");
    bool fine = json_is_object(root);
    if (fine) read_document(&r, root);
    json_decref(root);
    if (fine && !r.failed) return LW_OK;
    result_set_free(out);
    memset(out, 0, sizeof *out);
    return LW_CORRUPT;
}
