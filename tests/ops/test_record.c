/*
 * AoS <-> SoA, gather and scatter against the CPU: packed and padded layouts, odd field sizes, 1 to 64 fields, sizes 0,
 * 1, 31, 32, 33 and more, misaligned pointers, indices outside the table.
 */
#include "few_handle.h"

typedef struct record_case {
    lw_plan *plan;
    void *aos;
    void *fields[LW_OPS_MAX_FIELDS];
    bool to_soa;
} record_case;

static lw_ops_status run_case(void *context, cudaStream_t stream)
{
    record_case *c = context;
    return c->to_soa ? lw_aos_to_soa(c->plan, c->fields, c->aos, stream)
                     : lw_soa_to_aos(c->plan, c->aos, (const void *const *)c->fields, stream);
}

static void compare(test_state *t, const lw_record *l, int64_t records, int mis, int padding, bool capture)
{
    static test_buffer field[LW_OPS_MAX_FIELDS];
    void *host_fields[LW_OPS_MAX_FIELDS];
    char what[128];
    lw_ops_error err;
    test_buffer aos = test_buffer_make(t, (size_t)(records * l->record_bytes), (size_t)mis);
    record_case c = {NULL, test_device(&aos), {NULL}, true};
    test_upload(t, &aos);
    for (int f = 0; f < l->fields; f++) {
        field[f] = test_buffer_make(t, (size_t)(records * l->size[f]), (size_t)(mis * (f + 1) % 16));
        test_upload(t, &field[f]);
        c.fields[f] = test_device(&field[f]);
        host_fields[f] = test_host(&field[f]);
    }
    lw_ops_status st = lw_record_plan(t->ops, l, records, padding, &c.plan, &err);
    snprintf(what, sizeof what, "%d fields of %d bytes, %lld records, mis %d padding %d", l->fields, l->record_bytes,
             (long long)records, mis, padding);
    test_check(t, st == LW_OPS_OK, "%s: %s", what, st == LW_OPS_OK ? "" : err.text);
    for (int way = 0; way < 2 && st == LW_OPS_OK; way++) {
        c.to_soa = way == 0;
        if (way == 1) { /* new fields into the same records */
            for (int f = 0; f < l->fields; f++) {
                for (size_t i = 0; i < field[f].bytes; i++)
                    ((unsigned char *)host_fields[f])[i] ^= (unsigned char)(i + f);
                test_upload(t, &field[f]);
            }
        }
        test_check(t, run_case(&c, t->stream) == LW_OPS_OK, "%s way %d", what, way);
        if (way == 0) lw_ref_aos_to_soa(l, records, host_fields, test_host(&aos));
        else lw_ref_soa_to_aos(l, records, padding, test_host(&aos), (const void *const *)host_fields);
        for (int f = 0; f < l->fields; f++) test_same(t, &field[f], what);
        test_same(t, &aos, what);
    }
    test_graph g;
    c.to_soa = true;
    if (st == LW_OPS_OK && capture && test_capture(t, &g, run_case, &c)) {
        for (int replay = 0; replay < 2; replay++) {
            for (size_t i = 0; i < aos.bytes; i++) ((unsigned char *)test_host(&aos))[i] += (unsigned char)(i | 1);
            test_upload(t, &aos);
            test_replay(t, &g);
            lw_ref_aos_to_soa(l, records, host_fields, test_host(&aos));
            for (int f = 0; f < l->fields; f++) test_same(t, &field[f], what);
        }
        test_graph_free(&g);
    }
    lw_plan_destroy(c.plan);
    for (int f = 0; f < l->fields; f++) test_buffer_free(&field[f]);
    test_buffer_free(&aos);
}

static lw_record layout(int fields, const int *sizes, int gap, int tail)
{
    lw_record l;
    int at = 0;
    memset(&l, 0, sizeof l);
    l.fields = fields;
    for (int f = 0; f < fields; f++) {
        l.offset[f] = at;
        l.size[f] = sizes[f];
        at += sizes[f] + gap;
    }
    l.record_bytes = at + tail;
    return l;
}

static void records(test_state *t)
{
    static const int64_t counts[] = {0, 1, 31, 32, 33, 500, 1501};
    static const int words[] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    static const int mixed[] = {1, 8, 2, 4, 16, 3, 12, 5};
    static const int halves[] = {2, 2, 4, 6}, ones[] = {1, 1, 1, 1}, twos[] = {2, 2, 2, 2}, eights[] = {8, 8};
    int bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = 1 + i % 3;
    for (int i = 0; i < 7; i++) {
        for (int mis = 0; mis < 6; mis += 4) {
            lw_record l[] = {layout(1, words, 0, 0),    layout(3, words, 0, 0),  layout(4, words, 0, 0),
                             layout(16, words, 0, 0),   layout(2, words, 4, 8),  layout(8, mixed, 0, 0),
                             layout(8, mixed, 1, 3),    layout(4, halves, 0, 0), layout(64, bytes, 0, 0),
                             layout(1, words, 0, 3000), layout(2, words, 0, 0),  layout(2, eights, 0, 0),
                             layout(2, ones, 0, 0),     layout(4, ones, 0, 0),   layout(2, twos, 0, 0),
                             layout(4, twos, 0, 0),     layout(2, eights, 0, 1)};
            for (size_t k = 0; k < sizeof l / sizeof *l; k++) {
                if (counts[i] * l[k].record_bytes > 60000) continue;
                compare(t, &l[k], counts[i], k == 5 && mis ? 3 : mis, (int)(k + i) % 2, i == 4 && k == 1);
            }
        }
    }
}

/* Fields of any sizes in any order, gaps between them now and then, records and bases aligned or not. */
static void random_layouts(test_state *t)
{
    static const int sizes[] = {1, 2, 3, 4, 4, 4, 5, 8, 8, 12, 16, 20, 32, 7};
    for (int i = 0; i < 2 * t->cases; i++) {
        lw_record l;
        memset(&l, 0, sizeof l);
        l.fields = 1 + (int)test_random(t, i % 8 ? 9 : 64);
        int align = 1 << test_random(t, 4), gap = (int)test_random(t, 3), at = 0, last = 0;
        int words = (int)test_random(t, 3) == 0;
        for (int f = 0; f < l.fields; f++) {
            int size = words ? 4 : sizes[test_random(t, sizeof sizes / sizeof *sizes)];
            int step = size & -size;
            if (gap && step < align) step = align;
            if (gap) at = (at + step - 1) / step * step;
            l.offset[f] = at;
            l.size[f] = size;
            at += size + (gap > 1 && test_random(t, 4) == 0 ? align : 0);
        }
        for (int f = l.fields - 1; f > 0; f--) { /* in any order */
            int g = (int)test_random(t, (uint64_t)f + 1);
            int offset = l.offset[f], size = l.size[f];
            l.offset[f] = l.offset[g];
            l.size[f] = l.size[g];
            l.offset[g] = offset;
            l.size[g] = size;
        }
        for (int f = 0; f < l.fields; f++) {
            if (l.offset[f] + l.size[f] > last) last = l.offset[f] + l.size[f];
        }
        l.record_bytes = gap ? (last + align - 1) / align * align : last;
        int64_t n = (int64_t)test_random(t, (uint64_t)(60000 / l.record_bytes));
        compare(t, &l, n, (int)(test_random(t, 2) * test_random(t, 16)), (int)test_random(t, 2), false);
    }
}

/* In place: every field at records * offset, then back to what it was. */
static void inplace(test_state *t)
{
    static const int64_t counts[] = {0, 1, 2, 33, 500, 1501};
    static const int mixed[] = {1, 8, 2, 4, 16, 3, 12, 5}, words[] = {4, 8, 4, 12, 4}, same[] = {8, 8, 8};
    const lw_record l[] = {layout(3, same, 0, 0),  layout(5, words, 0, 0), layout(8, mixed, 0, 0),
                           layout(5, words, 4, 8), layout(8, mixed, 1, 3), layout(1, same, 0, 0)};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t k = 0; k < sizeof l / sizeof *l; k++) {
            int64_t n = counts[i], bytes = n * l[k].record_bytes;
            test_buffer d = test_buffer_make(t, (size_t)bytes, 0);
            lw_plan *there = NULL, *back = NULL;
            lw_ops_error err = {0};
            char what[96];
            snprintf(what, sizeof what, "records in place, layout %zu, %lld records", k, (long long)n);
            int64_t scratch = i % 2 ? bytes / 3 + 64 : 0;
            lw_ops_status st = lw_record_inplace_plan(t->ops, &l[k], n, 1, scratch, &there, &err);
            if (st == LW_OPS_OK) st = lw_record_inplace_plan(t->ops, &l[k], n, 0, scratch, &back, &err);
            test_check(t, st == LW_OPS_OK, "%s: %s", what, err.text);
            test_buffer w = test_buffer_make(t, lw_plan_workspace(there) + lw_plan_workspace(back), 0);
            unsigned char *got = malloc((size_t)bytes + 1), *host = test_host(&d);
            test_upload(t, &d);
            void *p = test_device(&d);
            test_check(t, lw_plan_run(there, p, p, test_device(&w), t->stream) == LW_OPS_OK, "%s", what);
            test_cuda(t, (int)cudaStreamSynchronize(t->stream), what);
            test_cuda(t, (int)cudaMemcpy(got, p, (size_t)bytes, cudaMemcpyDeviceToHost), what);
            bool right = true;
            for (int f = 0; f < l[k].fields; f++) {
                for (int64_t r = 0; r < n; r++) {
                    right = right && !memcmp(got + n * l[k].offset[f] + r * l[k].size[f],
                                             host + r * l[k].record_bytes + l[k].offset[f], (size_t)l[k].size[f]);
                }
            }
            test_check(t, right, "%s: fields", what);
            test_check(t, lw_plan_run(back, p, p, test_device(&w), t->stream) == LW_OPS_OK, "%s", what);
            test_same(t, &d, what);
            lw_plan_destroy(there);
            lw_plan_destroy(back);
            free(got);
            test_buffer_free(&d);
            test_buffer_free(&w);
        }
    }
}

static void rows_by_index(test_state *t)
{
    static const int64_t sizes[][4] = {
        /* row bytes, rows, table rows, extra pitch */
        {4, 33, 10, 0},  {92, 40, 7, 4},   {16, 0, 5, 0},     {1, 31, 32, 0},
        {429, 17, 9, 3}, {40000, 3, 2, 0}, {64, 100, 50, 16},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int v = 0; v < 8; v++) {
            int64_t bytes = sizes[i][0], n = sizes[i][1], table = sizes[i][2], pitch = bytes + sizes[i][3];
            int wide = v & 1 ? 8 : 4, policy = v >> 1 & 1, scatter = v >> 2;
            test_buffer index = test_buffer_make(t, (size_t)(n * wide), 0);
            test_buffer a = test_buffer_make(t, (size_t)(table * pitch), (size_t)(v == 3 ? 1 : 0));
            test_buffer b = test_buffer_make(t, (size_t)(n * pitch), (size_t)(v == 5 ? 4 : 0));
            for (int64_t r = 0; r < n; r++) {
                int64_t at = (int64_t)test_random(t, (uint64_t)table + 2) - 1;
                if (scatter && policy) at = r < table ? r : table + r; /* every row once */
                if (scatter && !policy) at = r < table ? table - 1 - r : -1 - r;
                memcpy((char *)test_host(&index) + r * wide, &at, (size_t)wide);
            }
            test_upload(t, &index);
            test_upload(t, &a);
            test_upload(t, &b);
            for (int64_t r = 0; r < n; r++) {
                int64_t at = 0;
                if (wide == 8) memcpy(&at, (char *)test_host(&index) + r * 8, 8);
                else at = ((int32_t *)test_host(&index))[r];
                if (policy && at < 0) at += table;
                if (at < 0 || at >= table) continue;
                char *row = (char *)test_host(&a) + at * pitch, *other = (char *)test_host(&b) + r * pitch;
                if (scatter) memcpy(row, other, (size_t)bytes);
                else memcpy(other, row, (size_t)bytes);
            }
            lw_ops_status st = scatter ? lw_scatter_rows(t->ops, test_device(&a), table, pitch, test_device(&b), pitch,
                                                         bytes, test_device(&index), wide, n, policy, t->stream)
                                       : lw_gather_rows(t->ops, test_device(&b), pitch, test_device(&a), table, pitch,
                                                        bytes, test_device(&index), wide, n, policy, t->stream);
            test_check(t, st == LW_OPS_OK, "rows by index: %s", lw_ops_status_text(st));
            char what[96];
            snprintf(what, sizeof what, "%s rows of %lld bytes, variant %d", scatter ? "scatter" : "gather",
                     (long long)bytes, v);
            test_same(t, &a, what);
            test_same(t, &b, what);
            test_buffer_free(&index);
            test_buffer_free(&a);
            test_buffer_free(&b);
        }
    }
}

static void refusals(test_state *t)
{
    static const int sizes[] = {4, 4};
    lw_record l = layout(2, sizes, 0, 0);
    lw_plan *plan = NULL;
    lw_ops_error err;
    l.offset[1] = 2;
    test_check(t, lw_record_plan(t->ops, &l, 5, 0, &plan, &err) == LW_OPS_BAD_STRIDE && !plan, "overlapping fields");
    l.offset[1] = 6;
    test_check(t, lw_record_plan(t->ops, &l, 5, 0, &plan, &err) == LW_OPS_BAD_ARGUMENT, "field outside");
    test_check(t, lw_gather_rows(t->ops, NULL, 4, NULL, 5, 4, 4, NULL, 3, 5, 0, NULL) == LW_OPS_BAD_ARGUMENT,
               "3-byte index");
}

int main(void)
{
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    lw_ops *all = t.ops;
    t.ops = test_few_handle(&t); /* more than 16 KiB count as much */
    records(&t);
    random_layouts(&t);
    lw_ops_destroy(t.ops);
    t.ops = all;
    records(&t);
    random_layouts(&t);
    inplace(&t);
    rows_by_index(&t);
    refusals(&t);
    return test_end(&t, "record");
}
