/* cmd_pattern_json: the report of one access as JSON. Keys are those of docs/REPORT.md where they mean the same. */
#include "cli.h"
#include "pattern.h"

#include "lanewise/version.h"

#include <string.h>

static void json_offsets(FILE *out, const lw_access *a)
{
    fputs("\"offsets\": [", out);
    for (uint32_t i = 0; i < LW_LANES; i++) fprintf(out, "%s%lld", i ? ", " : "", (long long)a->offset[i]);
    fputc(']', out);
}

static void json_device(FILE *out, const lw_device_info *d)
{
    fputs("\"device\": {\"id\": ", out);
    json_text(out, d->id);
    fputs(", \"name\": ", out);
    json_text(out, d->name);
    fprintf(out, ", \"cc\": \"%d.%d\"}", d->major, d->minor);
}

static void json_counts(FILE *out, const lw_access_counts *c)
{
    fputs("\"counters\": {", out);
    for (size_t i = 0; i < c->counter_count; i++)
        fprintf(out, "%s\"%s\": %llu", i ? ", " : "", c->counters[i].name, (unsigned long long)c->counters[i].value);
    fprintf(out, "}, \"cost\": {\"counter\": \"%s\", \"value\": %llu, \"ideal\": %llu}, \"exact\": %s", c->cost_name,
            (unsigned long long)c->cost, (unsigned long long)c->ideal, *c->why ? "false" : "true");
    if (!*c->why) return;
    fputs(", \"why\": ", out);
    json_text(out, c->why);
}

static void json_banks(FILE *out, const lw_bank_map *m)
{
    fprintf(out, ",\n  \"banks\": {\"count\": %u, \"bytes\": %u, \"groups\": %u, \"marks\": [", m->banks, m->bank_bytes,
            m->groups);
    for (size_t i = 0; i < m->mark_count; i++)
        fprintf(out, "%s{\"group\": %u, \"lane\": %u, \"bank\": %u, \"banks\": %u, \"pass\": %u}", i ? ", " : "",
                m->marks[i].group, m->marks[i].lane, m->marks[i].bank, m->marks[i].banks, m->marks[i].pass);
    fputs("]}", out);
}

static void json_remedies(FILE *out, const pattern_report *r)
{
    static const char *const kinds[] = {"pad", "swizzle", "align", "soa", "whole", "order", "tight", "hint"};
    fputs(",\n  \"remedies\": [", out);
    for (size_t i = 0; i < r->remedy_count; i++) {
        const lw_remedy *m = &r->remedies[i];
        fprintf(out, "%s\n    {\"kind\": \"%s\", \"text\": ", i ? "," : "", kinds[m->kind]);
        json_text(out, m->text);
        if (m->kind != LW_REMEDY_HINT) {
            fprintf(out, ", \"cost\": %llu, \"ideal\": %llu, \"free\": %s, \"bytes\": %llu, ",
                    (unsigned long long)m->cost, (unsigned long long)m->ideal, m->cost == m->ideal ? "true" : "false",
                    (unsigned long long)m->bytes);
            json_offsets(out, &m->access);
        }
        fputc('}', out);
    }
    fputs(r->remedy_count ? "\n  ]" : "]", out);
}

static void json_all(FILE *out, const pattern_generations *all)
{
    fputs(",\n  \"all\": [", out);
    for (size_t i = 0; i < all->count; i++) {
        const pattern_generation *g = &all->items[i];
        fprintf(out, "%s\n    {", i ? "," : "");
        json_device(out, &g->device);
        fputs(", ", out);
        if (*g->reason) {
            fputs("\"error\": ", out);
            json_text(out, g->reason);
        } else {
            json_counts(out, &g->counts);
        }
        fputc('}', out);
    }
    fputs("\n  ]", out);
}

void pattern_json(FILE *out, const pattern_report *r, const pattern_generations *all)
{
    const lw_access_op *op = r->access.op;
    fprintf(out,
            "{\n  \"lanewise\": \"%s\", \"schema\": 1,\n  \"access\": {\"name\": \"%s\", \"space\": \"%s\", \"op\": "
            "\"%s\", "
            "\"bytes_per_lane\": %u,\n    ",
            LANEWISE_VERSION, op->name, op->space, op->op, op->bytes);
    json_offsets(out, &r->access);
    fputc('}', out);
    if (all) {
        json_all(out, all);
    } else {
        fputs(",\n  ", out);
        json_device(out, &r->counts.device);
        fputs(",\n  ", out);
        json_counts(out, &r->counts);
        if (r->has_banks) json_banks(out, &r->banks);
        json_remedies(out, r);
    }
    fputs("\n}\n", out);
}
