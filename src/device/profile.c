/* device: reading profiles. A profile is a JSON object:
 *
 *   { "id": "h200", "name": "NVIDIA H200", "aliases": ["H200"], "inherits": "cc:9.0",
 *     "sources": { "h200": "where numbers with this source come from" },
 *     "numbers": { "sm_count": {"value": 132, "source": "h200", "confidence": "measured"}, ... } }
 *
 * A capability has "cc": "9.0" and "chip": the board whose numbers stand in where it has none itself; "abstract"
 * profiles exist to be inherited from. A number's source is a key of "sources" or a text. Confidence is measured (by
 * the project), derived (from other numbers), header or vendor (NVIDIA's), reported (by others, of a card of theirs),
 * remembered or assumed. Texts are parsed with jansson at each look-up: it is not a hot path. */
#include "device/profile.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "device/data.h"

#define MAX_DEPTH 4
#define MAX_VALUE ((json_int_t)1 << 48) /* products of two numbers stay far below 2^64 in practice */

enum { CARVEOUTS_FIELD = DEVICE_FIELD_COUNT, GPCS_FIELD, ALL_FIELDS };
_Static_assert(ALL_FIELDS == DEVICE_FACT_COUNT, "two lists follow the numbers");

static const struct {
    const char *name, *unit, *text;
    size_t offset;
} fields[ALL_FIELDS] = {
#define FIELD(name, unit, text) {#name, unit, text, offsetof(device_profile, name)},
#include "device/fields.def"
#undef FIELD
    [CARVEOUTS_FIELD] = {"shared_carveouts", "bytes", "what the shared memory of a multiprocessor can be set to", 0},
    [GPCS_FIELD] = {"gpc_sms", "", "multiprocessors in each group that can hold a cluster", 0},
};

/* Numbers that something is divided by, or without which nothing runs. */
static const device_field positive[] = {
    DEVICE_sm_count,         DEVICE_warp_size,         DEVICE_warps_per_sm,         DEVICE_blocks_per_sm,
    DEVICE_registers_per_sm, DEVICE_register_unit,     DEVICE_register_partitions,  DEVICE_registers_per_block,
    DEVICE_warp_unit,        DEVICE_shared_per_sm,     DEVICE_shared_unit,          DEVICE_shared_banks,
    DEVICE_memory_bytes,     DEVICE_shared_bank_bytes, DEVICE_threads_per_block,    DEVICE_block_dim_x,
    DEVICE_block_dim_y,      DEVICE_block_dim_z,       DEVICE_grid_dim_x,           DEVICE_grid_dim_y,
    DEVICE_grid_dim_z,       DEVICE_clock_khz,         DEVICE_registers_per_thread,
};

/* While a profile is put together: which numbers are there, and where they came from. */
typedef struct builder {
    device_profile *out;
    bool known[ALL_FIELDS];
    const char *file, *text; /* of the profile being read, for messages; text is NUL-terminated */
    lw_error *error;
    device_fact *facts; /* ALL_FIELDS of them, or NULL: sources are not wanted */
} builder;

static uint64_t *field_of(device_profile *p, size_t field) { return (uint64_t *)((char *)p + fields[field].offset); }

/* The line of the text in which an object's key stands; 0: in none. */
static int line_of_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    int line = 1;
    for (const char *s = text; s && *s; s++) {
        line += *s == '\n';
        if (*s != '"' || strncmp(s + 1, key, length) || s[length + 1] != '"') continue;
        if (s[length + 2 + strspn(s + length + 2, " \t\r\n")] == ':') return line;
    }
    return 0;
}

static lw_status bad(const builder *b, const char *key, const char *what, const char *name)
{
    int line = line_of_key(b->text, key);
    if (!line) line = 1;
    return lw_fail(b->error, LW_CORRUPT, "device profile %s:%d: %s '%.60s'", b->file, line, what, name);
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* ---- one file ---- */

static size_t find_field(const char *name)
{
    for (size_t i = 0; i < ALL_FIELDS; i++)
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
    if (field == CARVEOUTS_FIELD) {
        if (!read_list(value, p->shared_carveouts, DEVICE_CARVEOUTS, &p->shared_carveout_count)) return false;
        for (uint32_t i = 1; i < p->shared_carveout_count; i++)
            if (p->shared_carveouts[i] <= p->shared_carveouts[i - 1]) return false;
        return true;
    }
    if (field == GPCS_FIELD) {
        if (!read_list(value, list, DEVICE_GPCS, &p->gpc_count)) return false;
        for (uint32_t i = 0; i < p->gpc_count; i++) p->gpc_sms[i] = (uint32_t)list[i];
        return true;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > MAX_VALUE) return false;
    *field_of(p, field) = (uint64_t)json_integer_value(value);
    return true;
}

static bool is_one_of(const char *text, const char *const *known)
{
    for (; *known; known++)
        if (!strcmp(text, *known)) return true;
    return false;
}

/* "value", "source" and "confidence" of one number, and nothing else. */
static lw_status check_entry(const builder *b, const char *name, const json_t *entry)
{
    static const char *const keys[] = {"value", "source", "confidence", NULL};
    static const char *const confidences[] = {"measured", "derived",    "header",  "vendor",
                                              "reported", "remembered", "assumed", NULL};
    const char *key;
    json_t *item;
    if (find_field(name) == ALL_FIELDS) return bad(b, name, "unknown number", name);
    if (!json_is_object(entry)) return bad(b, name, "missing value, source or confidence for", name);
    json_object_foreach((json_t *)entry, key, item) if (!is_one_of(key, keys)) return bad(b, name,
                                                                                          "a number has no key", key);
    if (!*string_of(entry, "source")) return bad(b, name, "no source for", name);
    if (!is_one_of(string_of(entry, "confidence"), confidences)) return bad(b, name, "no known confidence for", name);
    return LW_OK;
}

static void note_source(const builder *b, size_t field, const json_t *sources, const json_t *entry)
{
    const char *source = string_of(entry, "source"), *text = string_of(sources, source);
    device_fact *fact = &b->facts[field];
    snprintf(fact->source, sizeof fact->source, "%s", *text ? text : source);
    snprintf(fact->confidence, sizeof fact->confidence, "%s", string_of(entry, "confidence"));
}

/* Numbers that are already known (of the heir) stay. */
static lw_status read_numbers(builder *b, const json_t *root)
{
    json_t *numbers = json_object_get(root, "numbers"), *entry;
    const char *name;
    if (!json_is_object(numbers)) return bad(b, "numbers", "missing", "numbers");
    json_object_foreach(numbers, name, entry)
    {
        LW_TRY(check_entry(b, name, entry));
        size_t field = find_field(name);
        device_profile ignored;
        if (!read_value(b->known[field] ? &ignored : b->out, field, json_object_get(entry, "value")))
            return bad(b, name, "invalid value for", name);
        if (!b->known[field] && b->facts) note_source(b, field, json_object_get(root, "sources"), entry);
        b->known[field] = true;
    }
    return LW_OK;
}

/* Every key of the profile is one we know and of its type: a slip of the pen does not pass in silence. */
static lw_status check_keys(const builder *b, const json_t *root)
{
    static const char *const texts[] = {"id", "name", "cc", "inherits", "chip", NULL};
    static const char *const others[] = {"aliases", "abstract", "sources", "numbers", NULL};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)root, key, value)
    {
        bool text = is_one_of(key, texts);
        if (!text && !is_one_of(key, others)) return bad(b, key, "unknown key", key);
        if (text && !json_is_string(value)) return bad(b, key, "not a text:", key);
        if (!strcmp(key, "aliases") && !json_is_array(value)) return bad(b, key, "not a list:", key);
        if (!strcmp(key, "abstract") && !json_is_boolean(value)) return bad(b, key, "not true or false:", key);
        if (!strcmp(key, "sources") && !json_is_object(value)) return bad(b, key, "not an object:", key);
    }
    if (strlen(string_of(root, "id")) >= sizeof b->out->id) return bad(b, "id", "too long:", string_of(root, "id"));
    if (strlen(string_of(root, "name")) >= sizeof b->out->name)
        return bad(b, "name", "too long:", string_of(root, "name"));
    return LW_OK;
}

/* "9.0" or "12.0" */
static bool read_cc(const char *text, device_profile *out)
{
    unsigned major, minor;
    char rest;
    if (sscanf(text, "%2u.%1u%c", &major, &minor, &rest) != 2 || !major) return false;
    out->cc_major = major;
    out->cc_minor = minor;
    out->cc = 10 * major + minor;
    return true;
}

static const struct device_data *data_of_id(const char *id);
static json_t *parse_text(const char *text, size_t size, const char *file, lw_error *error);

static lw_status read_object(builder *b, const json_t *root, int depth);

static lw_status read_parent(builder *b, const char *key, const char *id, int depth)
{
    const struct device_data *data = data_of_id(id);
    if (!data) return bad(b, key, "unknown profile", id);
    if (depth >= MAX_DEPTH) return bad(b, key, "inheritance too deep at", id);
    const char *file = b->file, *text = b->text;
    json_t *root = parse_text(data->json, strlen(data->json), data->file, b->error);
    if (!root) return LW_CORRUPT;
    b->file = data->file;
    b->text = data->json;
    lw_status status = read_object(b, root, depth + 1);
    b->file = file;
    b->text = text;
    json_decref(root);
    return status;
}

static lw_status read_object(builder *b, const json_t *root, int depth)
{
    LW_TRY(check_keys(b, root));
    LW_TRY(read_numbers(b, root));
    const char *cc = string_of(root, "cc"), *parent = string_of(root, "inherits"), *chip = string_of(root, "chip");
    if (*cc && !b->out->cc && !read_cc(cc, b->out)) return bad(b, "cc", "bad capability", cc);
    if (*chip && depth == 0) LW_TRY(read_parent(b, "chip", chip, depth)); /* before what all capabilities share */
    if (*parent) LW_TRY(read_parent(b, "inherits", parent, depth));
    return LW_OK;
}

/* What is not a matter of one number. */
static lw_status check_whole(const builder *b)
{
    const device_profile *p = b->out;
    for (size_t i = 0; i < DEVICE_FIELD_COUNT; i++)
        if (!b->known[i]) return bad(b, "numbers", "missing number", fields[i].name);
    for (size_t i = 0; i < LW_COUNT(positive); i++)
        if (!*field_of(b->out, positive[i]))
            return bad(b, fields[positive[i]].name, "must not be 0:", fields[positive[i]].name);
    if (p->warp_size != 32) return bad(b, "warp_size", "must be 32:", "warp_size");
    if (p->shared_per_block > p->shared_per_block_optin)
        return bad(b, "shared_per_block_optin", "less than shared_per_block:", "shared_per_block_optin");
    if (p->shared_per_block_optin > p->shared_per_sm)
        return bad(b, "shared_per_sm", "less than shared_per_block_optin:", "shared_per_sm");
    return LW_OK;
}

static void finish_facts(const builder *b)
{
    static const struct {
        size_t first;
        const char *text;
    } groups[] = {{DEVICE_sm_count, "the multiprocessor"},
                  {DEVICE_l2_bytes, "the chip and the board"},
                  {DEVICE_block_dim_x, "limits of launches, pointers and textures"},
                  {CARVEOUTS_FIELD, "lists"}};
    size_t group = 0;
    for (size_t i = 0; i < ALL_FIELDS; i++) {
        if (group + 1 < LW_COUNT(groups) && groups[group + 1].first == i) group++;
        b->facts[i].name = fields[i].name;
        b->facts[i].unit = fields[i].unit;
        b->facts[i].text = fields[i].text;
        b->facts[i].group = groups[group].text;
        if (i < DEVICE_FIELD_COUNT) b->facts[i].value = *field_of(b->out, i);
    }
    b->facts[CARVEOUTS_FIELD].value = b->out->shared_carveout_count;
    b->facts[GPCS_FIELD].value = b->out->gpc_count;
}

static lw_status build(builder *b, const json_t *root)
{
    memset(b->out, 0, sizeof *b->out);
    if (b->facts) memset(b->facts, 0, ALL_FIELDS * sizeof *b->facts);
    if (!json_is_object(root)) return bad(b, "", "not an object:", b->file);
    LW_TRY(check_keys(b, root));
    snprintf(b->out->id, sizeof b->out->id, "%s", string_of(root, "id"));
    snprintf(b->out->name, sizeof b->out->name, "%s", string_of(root, "name"));
    if (!b->out->id[0]) return bad(b, "id", "missing", "id");
    LW_TRY(read_object(b, root, 0));
    bool generic = !strncmp(b->out->id, "cc:", 3);
    if (!b->out->name[0] && !generic) snprintf(b->out->name, sizeof b->out->name, "%s", b->out->id);
    if (!b->out->name[0])
        snprintf(b->out->name, sizeof b->out->name, "generic device %u.%u", b->out->cc_major, b->out->cc_minor);
    if (!b->out->cc) return bad(b, "cc", "missing", "cc");
    LW_TRY(check_whole(b));
    if (b->facts) finish_facts(b);
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

/* Letters between what was asked for and the id or the nearest alias. */
static size_t distance_to(const char *squeezed, const json_t *root)
{
    char text[64];
    squeeze(string_of(root, "id"), text, sizeof text);
    size_t least = edit_distance(squeezed, text);
    const json_t *aliases = json_object_get(root, "aliases");
    for (size_t i = 0; i < json_array_size(aliases); i++) {
        const char *alias = json_string_value(json_array_get(aliases, i));
        squeeze(alias ? alias : "", text, sizeof text);
        if (strlen(text) > 3) least = LW_MIN(least, edit_distance(squeezed, text));
    }
    return least;
}

/* With the nearest names, if any is near: of a capability, those of its generation. */
static lw_status fail_unknown(const char *name, const char *squeezed, const char *capability, lw_error *error)
{
    lw_text near = {0};
    size_t least = 3, major = strcspn(capability, ".") + 1;
    for (size_t i = 0; i < device_data_count; i++) {
        json_t *root = parse_text(device_data[i].json, strlen(device_data[i].json), device_data[i].file, NULL);
        const char *id = string_of(root, "id");
        if (root && !json_is_true(json_object_get(root, "abstract"))) {
            size_t distance = distance_to(squeezed, root);
            if (!strncmp(capability, "cc:", 3)) distance = strncmp(capability, id, major) ? 99 : 1;
            if (distance < least) near.size = 0;
            if (distance <= LW_MIN(least, 2)) {
                lw_text_add(&near, "%s%s", near.size ? " or " : "", id);
                least = distance;
            }
        }
        json_decref(root);
    }
    lw_status status = lw_fail(error, LW_NOT_FOUND, "unknown device '%.80s'%s%s%s; `lanewise devices` lists them", name,
                               near.size ? " (did you mean " : "", near.size ? near.data : "", near.size ? "?)" : "");
    lw_text_free(&near);
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
            b->text = device_data[i].json;
            status = build(b, root);
        }
        json_decref(root);
        if (found) return status;
    }
    return fail_unknown(name ? name : "", squeezed, capability, b->error);
}

lw_status device_find(const char *name, device_profile *out, lw_error *error)
{
    builder b = {.out = out, .error = error};
    return find(name, &b);
}

lw_status device_describe(const char *name, device_profile *out, device_fact facts[DEVICE_FACT_COUNT], lw_error *error)
{
    builder b = {.out = out, .error = error, .facts = facts};
    return find(name, &b);
}

lw_status device_parse_facts(const char *json, size_t size, const char *source_name, device_profile *out,
                             device_fact facts[DEVICE_FACT_COUNT], lw_error *error)
{
    json_t *root = parse_text(json, size, source_name, error);
    if (!root) return LW_CORRUPT;
    char *text = lw_alloc(size + 1); /* for the lines of messages: NUL-terminated */
    memcpy(text, json, size);
    builder b = {.out = out, .file = source_name, .text = text, .error = error, .facts = facts};
    lw_status status = build(&b, root);
    free(text);
    json_decref(root);
    return status;
}

lw_status device_parse(const char *json, size_t size, const char *source_name, device_profile *out, lw_error *error)
{
    return device_parse_facts(json, size, source_name, out, NULL, error);
}

lw_status device_get_fact(const char *name, device_field field, device_fact *out, lw_error *error)
{
    device_profile profile;
    memset(out, 0, sizeof *out);
    if ((unsigned)field >= DEVICE_FIELD_COUNT) return lw_fail(error, LW_INVALID_ARGUMENT, "unknown number");
    device_fact *facts = lw_alloc(ALL_FIELDS * sizeof *facts);
    lw_status status = device_describe(name, &profile, facts, error);
    if (!status) *out = facts[field];
    free(facts);
    return status;
}

lw_status device_each(void (*visit)(void *user, const device_profile *profile), void *user, lw_error *error)
{
    for (int capabilities = 0; capabilities < 2; capabilities++)
        for (size_t i = 0; i < device_data_count; i++) {
            device_profile profile;
            builder b = {.out = &profile, .file = device_data[i].file, .text = device_data[i].json, .error = error};
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
