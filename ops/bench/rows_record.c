/*
 * Rows of AoS <-> SoA: fields of 4 bytes, mixed sizes, many fields, padded records, odd bases. Useful bytes of padded
 * records leave the padding out, which is moved nevertheless: 8 bytes a record for 5 useful ones can reach 0.77.
 */
#include <string.h>
#include "bench.h"

typedef struct record_context {
    bench_state *b;
    lw_plan *plan;
    lw_record layout;
    int64_t records;
    size_t shift; /* bytes that every base lies behind a multiple of 256 */
    bool to_soa;
} record_context;

static int call_record(void *context, int set, cudaStream_t stream)
{
    record_context *c = context;
    void *fields[LW_OPS_MAX_FIELDS];
    size_t at = c->shift;
    (void)set;
    for (int f = 0; f < c->layout.fields; f++) {
        fields[f] = (c->to_soa ? c->b->b : c->b->a) + at;
        at += ((size_t)c->records * (size_t)c->layout.size[f] + 255) & ~(size_t)255;
    }
    if (c->to_soa) return (int)lw_aos_to_soa(c->plan, fields, c->b->a + c->shift, stream);
    return (int)lw_soa_to_aos(c->plan, c->b->b + c->shift, (const void *const *)fields, stream);
}

/* One layout, both ways: fields of these sizes one after the other, the record ending `tail` bytes behind them. */
static void layout_rows(bench_state *b, const char *name, int fields, const int *sizes, int tail, size_t shift)
{
    char what[96], chosen[128];
    record_context c;
    memset(&c, 0, sizeof c);
    c.b = b;
    c.shift = shift;
    c.layout.fields = fields;
    int at = 0;
    for (int f = 0; f < fields; f++) {
        c.layout.offset[f] = at;
        c.layout.size[f] = sizes[f];
        at += sizes[f];
    }
    c.layout.record_bytes = at + tail;
    c.records = ((int64_t)1 << 30) / c.layout.record_bytes;
    if (lw_record_plan(b->ops, &c.layout, c.records, LW_PAD_ZERO, &c.plan, NULL) != LW_OPS_OK) return;
    lw_plan_describe(c.plan, chosen, sizeof chosen);
    for (int way = 0; way < 2; way++) {
        c.to_soa = way == 0;
        snprintf(what, sizeof what, "%s", name);
        double bytes = lw_plan_useful_bytes(c.plan);
        bench_row row = {.op = way ? "soa2aos" : "aos2soa",
                         .what = what,
                         .plan = chosen,
                         .bytes = bytes,
                         .in_bytes = (size_t)1 << 30,
                         .call = call_record,
                         .context = &c,
                         .peer_name = ""};
        bench_measure(b, &row);
    }
    lw_plan_destroy(c.plan);
}

void bench_rows_record(bench_state *b)
{
    static const int counts[] = {2, 3, 4, 5, 7, 8, 12, 16};
    static const int mixed[] = {8, 4, 2, 2, 1, 1, 4, 2, 8, 16};
    static const int odd[] = {1, 2, 4, 8}, twelve[] = {12, 1, 3}, bytes[] = {1, 1, 1, 1}, halves[] = {2, 2, 2};
    static const int eights[] = {8, 8, 8}, sixteens[] = {16, 16}, tagged[] = {4, 1};
    int words[16], many[64];
    char name[64];
    for (int i = 0; i < 16; i++) words[i] = 4;
    for (int i = 0; i < 64; i++) many[i] = 1 << i % 4;
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "%d fields of %d bytes", counts[i], 4 * counts[i]);
        layout_rows(b, name, counts[i], words, 0, 0);
    }
    layout_rows(b, "4 fields of 16 bytes mixed", 4, mixed, 0, 0);
    layout_rows(b, "10 fields of 48 bytes mixed", 10, mixed, 0, 0);
    layout_rows(b, "{1 2 4 8} packed", 4, odd, 0, 0);
    layout_rows(b, "{12 1 3}", 3, twelve, 0, 0);
    layout_rows(b, "{1 1 1}", 3, bytes, 0, 0);
    layout_rows(b, "{1 1 1 1}", 4, bytes, 0, 0);
    layout_rows(b, "{2 2 2}", 3, halves, 0, 0);
    layout_rows(b, "{8 8 8}", 3, eights, 0, 0);
    layout_rows(b, "{16 16}", 2, sixteens, 0, 0);
    layout_rows(b, "64 fields of 240 bytes mixed", 64, many, 0, 0);
    layout_rows(b, "{4 1} in 8 bytes", 2, tagged, 3, 0);
    layout_rows(b, "4 fields of 16 bytes, bases + 4", 4, words, 0, 4);
    layout_rows(b, "10 fields of 48 bytes mixed, bases + 1", 10, mixed, 0, 1);
}
