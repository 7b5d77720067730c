/* bench_text: what was measured as a table for people and as JSON. */
#include "bench.h"

#include "lanewise/version.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- table ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *v, size_t count)
{
    qsort(v, count, sizeof *v, by_value);
    return (v[(count - 1) / 2] + v[count / 2]) / 2;
}

/* Medians of ratios, over all cases and over those that have a peer: ours and the peer's. */
static void summary(FILE *out, const bench_row *rows, size_t count)
{
    double *all = keep(count * sizeof *all), *ours = keep(count * sizeof *ours), *theirs = keep(count * sizeof *theirs);
    size_t peers = 0, above = 0, ahead = 0;
    for (size_t i = 0; i < count; i++) {
        all[i] = rows[i].ratio;
        above += rows[i].ratio > 1;
        if (!bench_has_peer(&rows[i])) continue;
        ahead += rows[i].ratio > rows[i].peer_ratio;
        ours[peers] = rows[i].ratio;
        theirs[peers++] = rows[i].peer_ratio;
    }
    double middle = median(all, count);
    fprintf(out, "%-12s %5zu   %6.3f %6.3f %6.3f", rows->op, count, all[0], middle, all[count - 1]);
    if (peers)
        fprintf(out, "   %6.3f %6.3f   ahead in %zu of %zu", median(ours, peers), median(theirs, peers), ahead, peers);
    fprintf(out, "%s\n", above ? text_of("%s%zu above 1", peers ? "; " : "   ", above) : "");
}

static void cases(FILE *out, const bench_row *rows, size_t count)
{
    fprintf(out, "\n%s\n%-42s %9s %6s  %s\n", rows->op, "  case", "GB/s", "ratio", "peer");
    for (size_t i = 0; i < count; i++) {
        const bench_row *r = &rows[i];
        fprintf(out, "  %-40s %9.1f %6.3f%s", r->what, r->rate, r->ratio, r->ratio > 1 ? "!" : "");
        if (bench_has_peer(r)) fprintf(out, "%s %.3f %s", r->ratio > 1 ? "" : " ", r->peer_ratio, r->peer);
        fputc('\n', out);
    }
}

void bench_table(FILE *out, const bench_result *result, bool rows)
{
    for (size_t i = 0; i < result->notes.count; i++) fprintf(out, "%s\n", result->notes.items[i]);
    fprintf(out,
            "\nratio: time of the best plain copy (or read) of the same bytes / time of the op; 1 is the limit\n\n"
            "%-12s %5s   %6s %6s %6s   %s\n",
            "op", "cases", "worst", "median", "best", "with a peer: median, peer's");
    for (size_t i = 0, end; i < result->count; i = end) {
        end = bench_group_end(result, i);
        summary(out, &result->rows[i], end - i);
    }
    if (rows) fputs("\n!: above the limit, suspect\n", out);
    for (size_t i = 0, end; rows && i < result->count; i = end) {
        end = bench_group_end(result, i);
        cases(out, &result->rows[i], end - i);
    }
}

/* ---- JSON ---- */

/* What does not apply is left out. */
static void json_field_text(FILE *out, const char *name, bench_text value)
{
    if (!*value) return;
    fprintf(out, ", \"%s\": ", name);
    json_text(out, value);
}

static void json_field_number(FILE *out, const char *name, bench_number value)
{
    if (!isnan(value)) fprintf(out, ", \"%s\": %.12g", name, value);
}

static void json_row(FILE *out, bench_row r)
{
    if (!bench_has_peer(&r)) r.peer_ratio = NAN;
    fprintf(out, "{\"suspect\": %s", r.ratio > 1 ? "true" : "false");
#define BENCH_COLUMN(field, name, kind, required) json_field_##kind(out, name, r.field);
    BENCH_COLUMNS
#undef BENCH_COLUMN
    fputc('}', out);
}

bool bench_json(const char *file, const bench_result *result)
{
    FILE *out = strcmp(file, "-") ? fopen(file, "w") : stdout;
    if (!out) return false;
    fprintf(out, "{\"lanewise\": \"%s\", \"schema\": 1,\n \"notes\": [", LANEWISE_VERSION);
    for (size_t i = 0; i < result->notes.count; i++) {
        fputs(i ? ", " : "", out);
        json_text(out, result->notes.items[i]);
    }
    fputs("],\n \"rows\": [", out);
    for (size_t i = 0; i < result->count; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        json_row(out, result->rows[i]);
    }
    fputs("\n ]}\n", out);
    bool fine = !ferror(out);
    return out == stdout ? !fflush(out) && fine : !fclose(out) && fine;
}
