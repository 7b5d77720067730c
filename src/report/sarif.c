/* sarif: the report as SARIF 2.1.0, for code scanning: findings as results, a rule per check; lines above their ideal as notes, a rule
 * per measure. Both sides of a race are related locations and a code flow. Files below the working directory are relative to SRCROOT, as
 * scanners want them; others are file: URIs. */
#include "report/document.h"
#include "report/place.h"
#include "report/words.h"

#include "lanewise/version.h"

#include <math.h>
#include <string.h>

#define SARIF_SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define LEAST_RATIO 1.25 /* lines nearer to their ideal than this are no results */
#define MOST_LINES 200   /* the costliest ones */

typedef struct sarif_run {
    const result_set *set;
    const char *cwd;
    lw_arena arena;
    json_t *rules, *results;
} sarif_run;

static void put(json_t *object, const char *key, const char *s)
{
    if (s) json_object_set_new(object, key, report_document_text(s));
}

static json_t *message_of(const char *text)
{
    json_t *object = json_object();
    put(object, "text", text && *text ? text : "?");
    return object;
}

/* ---- rules ---- */

/* The index of the rule of this name, which is added if it is new. */
static size_t rule_of(sarif_run *run, const char *id, const char *level)
{
    for (size_t i = 0; i < json_array_size(run->rules); i++)
        if (!strcmp(json_string_value(json_object_get(json_array_get(run->rules, i), "id")), id)) return i;
    const report_word *word = report_word_find(strncmp(id, "memory/", 7) ? id : id + 7);
    json_t *rule = json_object();
    put(rule, "id", id);
    json_object_set_new(rule, "shortDescription", message_of(word ? word->title : id));
    json_object_set_new(rule, "fullDescription", message_of(word ? word->text : id));
    json_object_set_new(rule, "help", message_of(word ? word->text : id));
    json_object_set_new(rule, "defaultConfiguration", json_pack("{s:s}", "level", level));
    json_array_append_new(run->rules, rule);
    return json_array_size(run->rules) - 1;
}

/* ---- places ---- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c);
}

/* A path as part of a URI. */
static const char *escaped(lw_arena *arena, const char *path)
{
    lw_text out = {0};
    for (const char *c = path; *c; c++) {
        if (is_plain(*c)) lw_text_append(&out, c, 1);
        else lw_text_add(&out, "%%%02X", (unsigned)(unsigned char)*c);
    }
    const char *kept = lw_arena_strdup(arena, out.data ? out.data : "");
    lw_text_free(&out);
    return kept;
}

static json_t *artifact(sarif_run *run, const char *file)
{
    json_t *object = json_object();
    size_t n = run->cwd ? strlen(run->cwd) : 0;
    bool below = n > 1 && !strncmp(file, run->cwd, n) && file[n] == '/';
    if (below || *file != '/') {
        put(object, "uri", escaped(&run->arena, below ? file + n + 1 : file));
        put(object, "uriBaseId", "SRCROOT");
    } else {
        put(object, "uri", lw_arena_printf(&run->arena, "file://%s", escaped(&run->arena, file)));
    }
    return object;
}

/* text: what happens here, or NULL. */
static json_t *location(sarif_run *run, const char *file, uint32_t line, const char *function, const char *text)
{
    json_t *object = json_object();
    if (file && *file) {
        json_t *place = json_object();
        json_object_set_new(place, "artifactLocation", artifact(run, file));
        if (line) json_object_set_new(place, "region", json_pack("{s:i}", "startLine", (int)LW_MIN(line, INT32_MAX)));
        json_object_set_new(object, "physicalLocation", place);
    }
    if (function) {
        json_t *logical = json_object();
        put(logical, "fullyQualifiedName", function);
        put(logical, "kind", "function");
        json_object_set_new(object, "logicalLocations", json_pack("[o]", logical));
    }
    if (text) json_object_set_new(object, "message", message_of(text));
    return object;
}

static const char *thread_text(sarif_run *run, const char *what, const uint32_t b[3], const uint32_t t[3])
{
    return lw_arena_printf(&run->arena, "%s: block (%u,%u,%u), thread (%u,%u,%u)", what, b[0], b[1], b[2], t[0], t[1],
                           t[2]);
}

/* ---- results ---- */

static json_t *result(sarif_run *run, const char *rule, const char *level, const char *text, json_t *where)
{
    json_t *object = json_object();
    put(object, "ruleId", rule);
    json_object_set_new(object, "ruleIndex", report_document_count(rule_of(run, rule, level)));
    put(object, "level", level);
    json_object_set_new(object, "message", message_of(text));
    json_object_set_new(object, "locations", json_pack("[o]", where));
    json_array_append_new(run->results, object);
    return object;
}

/* What makes a result the same one in the next run, whatever its line is then. */
static void put_fingerprint(sarif_run *run, json_t *object, const char *a, const char *b, const char *c)
{
    const char *key = lw_arena_printf(&run->arena, "%s\n%s\n%s", a ? a : "", b ? b : "", c ? c : "");
    unsigned long long hash = lw_hash(key, strlen(key), 0);
    json_t *prints = json_object();
    put(prints, "lanewise/v1", lw_arena_printf(&run->arena, "%016llx", hash));
    json_object_set_new(object, "partialFingerprints", prints);
}

/* The other side of a race as the first step, the finding's own place as the second. */
static void put_sides(sarif_run *run, json_t *object, const result_finding *f)
{
    json_t *related = json_array();
    json_t *steps = json_array();
    for (size_t i = 0; i < f->related_count; i++) {
        const result_related *r = &f->related[i];
        const char *text = thread_text(run, r->message ? r->message : "related", r->block, r->thread);
        json_t *place = location(run, r->file, r->line, f->kernel, text);
        json_object_set_new(place, "id", report_document_count(i + 1));
        json_array_append_new(related, place);
        json_array_append_new(steps, json_pack("{s:o}", "location", location(run, r->file, r->line, f->kernel, text)));
    }
    const char *own = f->has_place ? thread_text(run, "this access", f->block, f->thread) : "here";
    json_array_append_new(steps, json_pack("{s:o}", "location", location(run, f->file, f->line, f->kernel, own)));
    json_object_set_new(object, "relatedLocations", related);
    json_object_set_new(object, "codeFlows", json_pack("[{s:[{s:o}]}]", "threadFlows", "locations", steps));
}

static void add_finding(sarif_run *run, const result_finding *f)
{
    const char *level = result_severities[result_severity_find(f->severity)].name; /* SARIF has the same names */
    json_t *where = location(run, f->file, f->line, f->kernel ? f->kernel : f->site, NULL);
    json_t *object = result(run, f->check, level, f->message, where);
    put_fingerprint(run, object, f->check, f->kernel ? f->kernel : f->call, f->message);
    if (f->count > 1) json_object_set_new(object, "occurrenceCount", report_document_count(f->count));
    if (f->related_count) put_sides(run, object, f);
}

static void add_line(sarif_run *run, const report_costly *c)
{
    const result_row *row = c->row;
    report_measure m = report_measure_of(&row->counters);
    double ratio = (double)m.actual / (double)m.ideal;
    if (row->ptx || ratio < LEAST_RATIO) return;
    const char *advice = report_advice(row, c->launch->block, &run->arena);
    const char *text = lw_arena_printf(&run->arena, "%.1fx: %s %s, %llu %s, ideal %llu.%s%s", ratio, row->space,
                                       row->op, (unsigned long long)m.actual, m.unit, (unsigned long long)m.ideal,
                                       advice ? " " : "", advice ? advice : "");
    const char *rule = lw_arena_printf(&run->arena, "memory/%s", m.unit);
    json_t *object = result(run, rule, "note", text, location(run, row->file, row->line, c->launch->kernel, NULL));
    put_fingerprint(run, object, rule, c->launch->kernel, lw_arena_printf(&run->arena, "%s %s", row->space, row->op));
    json_object_set_new(object, "properties", json_pack("{s:f,s:f}", "ratio", ratio, "cost", c->cost));
}

static json_t *run_object(sarif_run *run)
{
    json_t *driver = json_object();
    json_t *object = json_object();
    put(driver, "name", "lanewise");
    put(driver, "version", LANEWISE_VERSION);
    json_object_set(driver, "rules", run->rules);
    json_object_set_new(object, "tool", json_pack("{s:o}", "driver", driver));
    if (run->cwd && *run->cwd == '/') {
        const char *root = lw_arena_printf(&run->arena, "file://%s/", escaped(&run->arena, run->cwd));
        json_object_set_new(object, "originalUriBaseIds", json_pack("{s:{s:s}}", "SRCROOT", "uri", root));
    }
    put(object, "columnKind", "unicodeCodePoints");
    json_object_set_new(object, "invocations", json_pack("[{s:b}]", "executionSuccessful", (int)run->set->complete));
    json_object_set(object, "results", run->results);
    return object;
}

static int append(const char *buffer, size_t size, void *data)
{
    lw_text_append(data, buffer, size);
    return 0;
}

void report_sarif(const result_set *set, const char *cwd, lw_text *out)
{
    sarif_run run = {.set = set, .cwd = cwd, .rules = json_array(), .results = json_array()};
    report_costly *lines;
    size_t count = report_costly_lines(set, &run.arena, &lines);
    for (size_t i = 0; i < set->findings.count; i++) add_finding(&run, &set->findings.items[i]);
    for (size_t i = 0; i < LW_MIN(count, (size_t)MOST_LINES); i++) add_line(&run, &lines[i]);
    json_t *root = json_object();
    put(root, "$schema", SARIF_SCHEMA);
    put(root, "version", "2.1.0");
    json_object_set_new(root, "runs", json_pack("[o]", run_object(&run)));
    json_dump_callback(root, append, out, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
    lw_text_append(out, "\n", 1);
    json_decref(root);
    json_decref(run.rules);
    json_decref(run.results);
    lw_arena_free(&run.arena);
}
