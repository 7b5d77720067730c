/* bench: what `lanewise bench` measured: rows of the CSV that lanewise-ops-bench writes. */
#ifndef LW_CLI_BENCH_H
#define LW_CLI_BENCH_H

#include "cli.h"

/* Columns of the CSV, keys of the JSON: BENCH_COLUMN(field, name, kind, required); an empty number is NAN. */
#define BENCH_COLUMNS                                                                                                  \
    BENCH_COLUMN(op, "op", text, true)                                                                                 \
    BENCH_COLUMN(what, "case", text, true)                                                                             \
    BENCH_COLUMN(plan, "plan", text, false)                                                                            \
    BENCH_COLUMN(bytes, "useful_bytes", number, true)                                                                  \
    BENCH_COLUMN(ms, "ms", number, true)                                                                               \
    BENCH_COLUMN(rate, "GB_per_s", number, true)                                                                       \
    BENCH_COLUMN(ratio, "ratio", number, true)                                                                         \
    BENCH_COLUMN(low, "ratio_p10", number, false)                                                                      \
    BENCH_COLUMN(high, "ratio_p90", number, false)                                                                     \
    BENCH_COLUMN(limit, "denominator", text, false)                                                                    \
    BENCH_COLUMN(limit_ms, "denominator_ms", number, false)                                                            \
    BENCH_COLUMN(peer, "peer", text, false)                                                                            \
    BENCH_COLUMN(peer_ratio, "peer_ratio", number, false)

typedef const char *bench_text;
typedef double bench_number;

/* One case. ratio: time of the best plain copy (or read) of the same bytes / time of the op; 1 is the limit. */
typedef struct bench_row {
#define BENCH_COLUMN(field, name, kind, required) bench_##kind field;
    BENCH_COLUMNS
#undef BENCH_COLUMN
} bench_row;

typedef struct bench_result { /* zero-initialise */
    bench_row *rows;
    size_t count, capacity;
    words notes; /* comment lines without their #: device, versions, date, command */
} bench_result;

static inline bool bench_has_peer(const bench_row *r) { return *r->peer && r->peer_ratio > 0; }

/* Rows of one op, which follow each other: first .. end - 1. */
size_t bench_group_end(const bench_result *r, size_t first);

/* Adds the file's rows whose op contains one of `ops` (all if there are none). false: said as FILE:LINE: reason. */
bool bench_read(bench_result *result, const char *file, const words *ops);
/* Moves rows of one op together, in the order in which the ops first came. */
void bench_group(bench_result *result);
/* false: the file cannot be written (errno says why). "-" is stdout. */
bool bench_svg(const char *file, const bench_result *result);
bool bench_json(const char *file, const bench_result *result);
void bench_table(FILE *out, const bench_result *result, bool rows);

#endif
