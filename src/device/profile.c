/* device: reading profiles. A profile is a JSON object:
 *
 *   { "id": "h200", "name": "NVIDIA H200", "aliases": ["H200"], "inherits": "cc:9.0",
 *     "sources": { "h200": "where numbers with this source come from" },
 *     "numbers": { "sm_count": {"value": 132, "source": "h200", "confidence": "measured"}, ... } }
 *
 * A capability has "cc": "9.0" and "chip": the board whose numbers stand in where the capability has none; "abstract"
 * profiles exist to be inherited from. A number's source is a key of "sources" or a text; confidence is measured,
 * derived, header, vendor, remembered or assumed. Texts are parsed with jansson at each look-up: it is not a hot path. */
#include "device/profile.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "device/data.h"

#define MAX_DEPTH 4

enum { CARVEOUTS_FIELD = DEVICE_FIELD_COUNT, GPCS_FIELD, ALL_FIELDS };

static const struct {
    const char *name, *unit, *text;
    size_t offset;
} fields[DEVICE_FIELD_COUNT] = {
#define FIELD(name, unit, text) {#name, unit, text, offsetof(device_profile, name)},
#include "device/fields.def"
#undef FIELD
};

/* While a profile is put together: which numbers are there, and where one of interest came from. */
typedef struct builder {
    device_profile *out;
    bool known[ALL_FIELDS];
    const char *file;
    lw_error *error;
    device_fact *fact; /* NULL, or whose source is wanted */
    size_t fact_field;
} builder;

static uint64_t *field_of(device_profile *p, size_t field) { return (uint64_t *)((char *)p + fields[field].offset); }

static lw_status bad(const builder *b, const char *what, const char *name)
{
    return lw_fail(b->error, LW_CORRUPT, "device profile %s: %s '%s'", b->file, what, name);
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* ---- one file ---- */

static size_t find_field(const char *name)
{
    if (!strcmp(name, "shared_carveouts")) return CARVEOUTS_FIELD;
    if (!strcmp(name, "gpc_sms")) return GPCS_FIELD;
    for (size_t i = 0; i < DEVICE_FIELD_COUNT; i++)
        if (!strcmp(fields[i].name, name)) return i;
    return ALL_FIELDS;
}

/* A list of up to max numbers from 0 to 2^31. */
static bool read_list(const json_t *list, uint64_t *out, uint32_t max, uint32_t *out_count)
{
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count > max) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        json_int_t value = json_integer_value(item);
        if (!json_is_integer(item) || value < 0 || value > INT32_MAX) return false;
        out[i] = (uint64_t)value;
    }
    *out_count = (uint32_t)count;
    return true;
}

static bool read_value(device_profile *p, size_t field, const json_t *value)
{
    uint64_t list[DEVICE_GPCS];
    if (field == CARVEOUTS_FIELD)
        return read_list(value, p->shared_carveouts, DEVICE_CARVEOUTS, &p->shared_carveout_count);
    if (field == GPCS_FIELD) {
        if (!read_list(value, list, DEVICE_GPCS, &p->gpc_count)) return false;
        for (uint32_t i = 0; i < p->gpc_count; i++) p->gpc_sms[i] = (uint32_t)list[i];
        return true;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *field_of(p, field) = (uint64_t)json_integer_value(value);
    return true;
}

static bool is_confidence(const char *text)
{
    static const char *const known[] = {"measured", "derived", "header", "vendor", "remembered", "assumed"};
    for (size_t i = 0; i < LW_COUNT(known); i++)
        if (!strcmp(text, known[i])) return true;
    return false;
}

/* Numbers that are already known (of the heir) stay. */
static lw_status read_numbers(builder *b, const json_t *root)
{
    json_t *numbers = json_object_get(root, "numbers"), *entry;
    const json_t *sources = json_object_get(root, "sources");
    const char *name;
    if (!json_is_object(numbers)) return bad(b, "missing", "numbers");
    json_object_foreach(numbers, name, entry)
    {
        size_t field = find_field(name);
        const char *source = string_of(entry, "source"), *confidence = string_of(entry, "confidence");
        if (field == ALL_FIELDS) return bad(b, "unknown number", name);
        if (!*source) return bad(b, "no source for", name);
        if (!is_confidence(confidence)) return bad(b, "no known confidence for", name);
        const char *text = string_of(sources, source);
        device_profile ignored;
        if (!read_value(b->known[field] ? &ignored : b->out, field, json_object_get(entry, "value")))
            return bad(b, "no valid value for", name);
        if (!b->known[field] && b->fact && b->fact_field == field) {
            snprintf(b->fact->source, sizeof b->fact->source, "%s", *text ? text : source);
            snprintf(b->fact->confidence, sizeof b->fact->confidence, "%s", confidence);
        }
        b->known[field] = true;
    }
    return LW_OK;
}

/* "9.0" or "12.0" */
static bool read_cc(const char *text, device_profile *out)
{
    unsigned major, minor;
    char rest;
    if (sscanf(text, "%2u.%1u%c", &major, &minor, &rest) != 2) return false;
    out->cc_major = major;
    out->cc_minor = minor;
    out->cc = 10 * major + minor;
    return true;
}

static const struct device_data *data_of_id(const char *id);
static json_t *parse_text(const char *text, size_t size, const char *file, lw_error *error);

static lw_status read_object(builder *b, const json_t *root, int depth);

static lw_status read_parent(builder *b, const char *id, int depth)
{
    const struct device_data *data = data_of_id(id);
    if (!data) return bad(b, "unknown profile", id);
    if (depth >= MAX_DEPTH) return bad(b, "inheritance too deep at", id);
    const char *file = b->file;
    json_t *root = parse_text(data->json, strlen(data->json), data->file, b->error);
    if (!root) return LW_CORRUPT;
    b->file = data->file;
    lw_status status = read_object(b, root, depth + 1);
    b->file = file;
    json_decref(root);
    return status;
}

static lw_status read_object(builder *b, const json_t *root, int depth)
{
    if (!json_is_object(root)) return bad(b, "not an object:", b->file);
    LW_TRY(read_numbers(b, root));
    const char *cc = string_of(root, "cc"), *parent = string_of(root, "inherits"), *chip = string_of(root, "chip");
    if (*cc && !b->out->cc && !read_cc(cc, b->out)) return bad(b, "bad capability", cc);
    if (*parent) LW_TRY(read_parent(b, parent, depth));
    if (*chip && depth == 0) LW_TRY(read_parent(b, chip, depth));
    return LW_OK;
}

static lw_status build(builder *b, const json_t *root)
{
    memset(b->out, 0, sizeof *b->out);
    if (!json_is_object(root)) return bad(b, "not an object:", b->file);
    snprintf(b->out->id, sizeof b->out->id, "%s", string_of(root, "id"));
    snprintf(b->out->name, sizeof b->out->name, "%s", string_of(root, "name"));
    if (!b->out->id[0]) return bad(b, "missing", "id");
    LW_TRY(read_object(b, root, 0));
    if (!b->out->name[0])
        snprintf(b->out->name, sizeof b->out->name, "generic device %u.%u", b->out->cc_major, b->out->cc_minor);
    if (!b->out->cc) return bad(b, "missing", "cc");
    for (size_t i = 0; i < DEVICE_FIELD_COUNT; i++)
        if (!b->known[i]) return bad(b, "missing number", fields[i].name);
    return LW_OK;
}

/* ---- all files ---- */

static json_t *parse_text(const char *text, size_t size, const char *file, lw_error *error)
{
    json_error_t why;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root) lw_fail(error, LW_CORRUPT, "device profile %s:%d: %s", file, why.line, why.text);
    return root;
}

/* Built-in texts are found by file name: "cc:9.0" is cc-9.0.json. */
static const struct device_data *data_of_id(const char *id)
{
    char file[64];
    snprintf(file, sizeof file, "%.40s.json", id);
    if (!strncmp(file, "cc:", 3)) file[2] = '-';
    for (size_t i = 0; i < device_data_count; i++)
        if (!strcmp(device_data[i].file, file)) return &device_data[i];
    return NULL;
}

/* Letters and digits of a name, small: "RTX 3090" = "rtx3090". */
static void squeeze(const char *name, char *out, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++) {
        if (*name >= 'A' && *name <= 'Z') out[n++] = (char)(*name + 'a' - 'A');
        else if ((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9') || *name == '.' || *name == ':')
            out[n++] = *name;
    }
    out[n] = 0;
}

static bool is_named(const json_t *root, const char *squeezed)
{
    char text[128];
    squeeze(string_of(root, "id"), text, sizeof text);
    if (!strcmp(text, squeezed)) return true;
    squeeze(string_of(root, "name"), text, sizeof text);
    if (*text && !strcmp(text, squeezed)) return true;
    const json_t *aliases = json_object_get(root, "aliases");
    for (size_t i = 0; i < json_array_size(aliases); i++) {
        const char *alias = json_string_value(json_array_get(aliases, i));
        squeeze(alias ? alias : "", text, sizeof text);
        if (*text && !strcmp(text, squeezed)) return true;
    }
    return false;
}

/* "sm_90", "sm90a", "compute_90", "9.0" -> "cc:9.0" */
static void name_capability(const char *squeezed, char out[64])
{
    const char *digits = squeezed;
    unsigned number, major, minor;
    char rest[3] = "";
    snprintf(out, 64, "%.60s", squeezed);
    if (sscanf(squeezed, "%2u.%1u%2s", &major, &minor, rest) == 2) {
        snprintf(out, 64, "cc:%u.%u", major, minor);
        return;
    }
    if (!strncmp(digits, "sm", 2)) digits += 2;
    else if (!strncmp(digits, "compute", 7)) digits += 7;
    else return;
    int n = sscanf(digits, "%3u%2s", &number, rest);
    if (n == 1 || (n == 2 && (!strcmp(rest, "a") || !strcmp(rest, "f"))))
        snprintf(out, 64, "cc:%u.%u", number / 10, number % 10);
}

/* Letters to change, add or drop to get from a to b. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[64], m = strlen(b);
    if (m > 62) return 99;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t least = LW_MIN(row[j], row[j - 1]) + 1, change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = LW_MIN(least, change);
        }
    }
    return row[m];
}

/* The nearest names first, if any is near; all of them follow. */
static lw_status fail_unknown(const char *name, const char *squeezed, lw_error *error)
{
    lw_text near = {0}, all = {0};
    size_t least = 3;
    for (size_t i = 0; i < device_data_count; i++) {
        json_t *root = parse_text(device_data[i].json, strlen(device_data[i].json), device_data[i].file, NULL);
        const char *id = string_of(root, "id");
        if (root && !json_is_true(json_object_get(root, "abstract"))) {
            lw_text_add(&all, "%s%s", all.size ? ", " : "", id);
            size_t distance = edit_distance(squeezed, id);
            if (distance < least) near.size = 0;
            if (distance <= LW_MIN(least, 2)) {
                lw_text_add(&near, "%s%s", near.size ? " or " : "", id);
                least = distance;
            }
        }
        json_decref(root);
    }
    lw_status status = lw_fail(error, LW_NOT_FOUND, "unknown device '%.80s'%s%s%s; there are: %s", name,
                               near.size ? " (did you mean " : "", near.size ? near.data : "", near.size ? "?)" : "",
                               all.data ? all.data : "none");
    lw_text_free(&near);
    lw_text_free(&all);
    return status;
}

static lw_status find(const char *name, builder *b)
{
    char squeezed[64], capability[64];
    squeeze(name && *name ? name : DEVICE_DEFAULT, squeezed, sizeof squeezed);
    name_capability(squeezed, capability);
    for (size_t i = 0; i < device_data_count; i++) {
        json_t *root = parse_text(device_data[i].json, strlen(device_data[i].json), device_data[i].file, b->error);
        if (!root) return LW_CORRUPT;
        bool found = !json_is_true(json_object_get(root, "abstract")) && is_named(root, capability);
        lw_status status = LW_OK;
        if (found) {
            b->file = device_data[i].file;
            status = build(b, root);
        }
        json_decref(root);
        if (found) return status;
    }
    return fail_unknown(name ? name : "", squeezed, b->error);
}

lw_status device_find(const char *name, device_profile *out, lw_error *error)
{
    builder b = {.out = out, .error = error};
    return find(name, &b);
}

lw_status device_parse(const char *json, size_t size, const char *source_name, device_profile *out, lw_error *error)
{
    builder b = {.out = out, .file = source_name, .error = error};
    json_t *root = parse_text(json, size, source_name, error);
    if (!root) return LW_CORRUPT;
    lw_status status = build(&b, root);
    json_decref(root);
    return status;
}

lw_status device_get_fact(const char *name, device_field field, device_fact *out, lw_error *error)
{
    device_profile profile;
    builder b = {.out = &profile, .error = error, .fact = out, .fact_field = (size_t)field};
    memset(out, 0, sizeof *out);
    if ((unsigned)field >= DEVICE_FIELD_COUNT) return lw_fail(error, LW_INVALID_ARGUMENT, "no such number of a device");
    LW_TRY(find(name, &b));
    out->name = fields[field].name;
    out->unit = fields[field].unit;
    out->text = fields[field].text;
    out->value = *field_of(&profile, (size_t)field);
    return LW_OK;
}

lw_status device_each(void (*visit)(void *user, const device_profile *profile), void *user, lw_error *error)
{
    for (int capabilities = 0; capabilities < 2; capabilities++)
        for (size_t i = 0; i < device_data_count; i++) {
            device_profile profile;
            builder b = {.out = &profile, .file = device_data[i].file, .error = error};
            json_t *root = parse_text(device_data[i].json, strlen(device_data[i].json), device_data[i].file, error);
            if (!root) return LW_CORRUPT;
            bool wanted = !json_is_true(json_object_get(root, "abstract")) &&
                          (json_object_get(root, "chip") != NULL) == capabilities;
            lw_status status = wanted ? build(&b, root) : LW_OK;
            json_decref(root);
            LW_TRY(status);
            if (wanted) visit(user, &profile);
        }
    return LW_OK;
}
