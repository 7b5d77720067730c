/* Histograms: checks, and what plain ones and those with channels, dimensions or weights have in common. */
#include <stdio.h>
#include "hist/hist_plan.h"
#include "hist/hist_table.h"

static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type hist_type = {.bytes = sizeof(hist_plan), .describe = describe};

static lw_ops_status check(const lw_hist *w, lw_ops_error *err)
{
    int bytes = lw_type_bytes(w->sample_type);
    if (!bytes || w->sample_type > LW_F64) return lw_ops_fail(err, LW_OPS_BAD_TYPE, "unknown sample type");
    if (w->bins < 1 || w->bins > LW_HIST_MAX_BINS)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "a histogram has 1 to 16777216 bins");
    if (w->binning < LW_HIST_INTEGER || w->binning > LW_HIST_EDGES || w->outside < LW_HIST_DROP ||
        w->outside > LW_HIST_COUNT || w->strategy < 0 || w->strategy >= LW_HIST_STRATEGY_COUNT) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "unknown binning, outside policy or strategy");
    }
    lw_ops_status st = lw_hist_check_any(w, err);
    if (st != LW_OPS_OK) return st;
    if (w->rows < 0 || w->row_samples < 0)
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "a negative number of rows or samples");
    if (w->rows > 1 && (w->row_pitch < 0 || w->row_pitch % bytes)) {
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "the row pitch is negative, or not a multiple of the sample size");
    }
    return w->range ? LW_OPS_OK : lw_hist_check_levels(w, err);
}

/* Edges or a range that are given in device memory. */
static double edges_bytes(const lw_hist *w)
{
    double edges = (double)w->bins + 1;
    for (int i = 0; w->joint && i + 1 < (w->counted ? w->counted : w->channels); i++) {
        edges += (double)w->axis[i].bins + 1;
    }
    if (w->range) edges = w->range == LW_HIST_RANGE_DEVICE ? 2 : 0;
    else if (w->binning != LW_HIST_EDGES) edges = 0;
    return edges * lw_type_bytes(lw_hist_edge_type(w->sample_type));
}

lw_ops_status lw_hist_plan(const lw_ops *ops, const lw_hist *what, lw_plan **plan, lw_ops_error *err)
{
    if (plan) *plan = NULL;
    if (!ops || !what || !plan)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle, the description or the plan pointer is NULL");
    lw_ops_status st = check(what, err);
    if (st != LW_OPS_OK) return st;
    lw_plan *q = lw_plan_new(ops, &hist_type);
    if (!q) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    hist_plan *h = (hist_plan *)q;
    h->what = *what;
    h->is_any = lw_hist_is_any(what);
    if (what->range) { /* the levels become edges in the workspace */
        h->what.binning = LW_HIST_EDGES;
        h->edges_bytes = (256 + (size_t)(what->bins + 1) * 8 + 255) & ~(size_t)255;
        q->workspace = h->edges_bytes;
        q->launches = what->range == LW_HIST_RANGE_FOUND ? 3 : 1;
    }
    st = h->is_any ? lw_hist_plan_any(h, err) : lw_hist_plan_plain(h, err);
    if (st == LW_OPS_OK) *plan = q;
    else lw_plan_destroy(q);
    if (st == LW_OPS_OK) q->useful_bytes += edges_bytes(what);
    return st;
}

lw_ops_status lw_hist_run_weighted(const lw_plan *plan, void *sums, const void *samples, const void *weights,
                                   const void *edges, void *workspace, lw_stream stream)
{
    if (!plan || plan->type != &hist_type) return LW_OPS_BAD_ARGUMENT;
    if (plan->workspace && (!workspace || (uintptr_t)workspace % 256)) return LW_OPS_WORKSPACE;
    const hist_plan *h = (const hist_plan *)plan;
    const lw_hist *w = &h->what;
    bool some = w->rows > 0 && w->row_samples > 0,
         edged = w->range ? w->range == LW_HIST_RANGE_DEVICE : w->binning == LW_HIST_EDGES;
    int weight_bytes = lw_type_bytes(w->weight_type), edge_bytes = lw_type_bytes(lw_hist_edge_type(w->sample_type));
    if (!sums || (some && !samples) || (edged && !edges) || (some && !weights != !weight_bytes))
        return LW_OPS_BAD_ARGUMENT;
    if ((uintptr_t)samples % (uintptr_t)plan->align || (uintptr_t)sums % (uintptr_t)lw_type_bytes(w->count_type) ||
        (edged && (uintptr_t)edges % (uintptr_t)edge_bytes) ||
        (weight_bytes && (uintptr_t)weights % (uintptr_t)weight_bytes)) {
        return LW_OPS_MISALIGNED;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    char *room = workspace;
    int e = 0;
    if (w->range) {
        e = lw_hist_make_edges(h, samples, edges, room, &edges, stream);
        room += h->edges_bytes;
    }
    if (!e && h->is_any)
        e = lw_hist_run_any(h, sums, samples, weights, w->binning == LW_HIST_EDGES ? edges : NULL, room, stream);
    else if (!e) e = lw_hist_run_plain(h, sums, samples, edges, room, stream);
    return lw_launch_status(e);
}

lw_ops_status lw_hist_run(const lw_plan *plan, void *counts, const void *samples, const void *edges, void *workspace,
                          lw_stream stream)
{
    return lw_hist_run_weighted(plan, counts, samples, NULL, edges, workspace, stream);
}

lw_ops_status lw_hist_count(const lw_ops *ops, const lw_hist *what, void *counts, const void *samples,
                            const void *edges, lw_stream stream, lw_ops_error *err)
{
    if (!what) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the description is NULL");
    lw_hist w = *what;
    lw_plan *plan;
    w.workspace_limit = -1;
    if (w.range || w.weight_type || w.strategy == LW_HIST_PARTITION) {
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this histogram needs a workspace or weights: create a plan");
    }
    lw_ops_status st = lw_hist_plan(ops, &w, &plan, err);
    if (st == LW_OPS_OK) st = lw_hist_run(plan, counts, samples, edges, NULL, stream);
    if (st != LW_OPS_OK && plan) lw_ops_fail(err, st, "%s", lw_ops_status_text(st));
    lw_plan_destroy(plan);
    return st;
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const hist_plan *h = (const hist_plan *)plan;
    if (h->is_any) lw_hist_describe_any(h, text, size);
    else lw_hist_describe_plain(h, text, size);
}

void lw_hist_table(int compute_capability, char *text, size_t size)
{
    size_t used = 0;
    int cc = 0;
    if (!text || !size) return;
    text[0] = 0;
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices; i++) {
        if (lw_hist_choices[i].cc <= compute_capability && lw_hist_choices[i].cc > cc) cc = lw_hist_choices[i].cc;
    }
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices && used < size; i++) {
        const lw_hist_choice *c = &lw_hist_choices[i];
        if (c->cc != cc) continue;
        char samples[32] = "samples";
        if (c->sample_bytes) snprintf(samples, sizeof samples, "%d-byte samples", c->sample_bytes);
        int n = snprintf(text + used, size - used, "%s, up to %lld entries: %s\n", samples, (long long)c->entries,
                         lw_hist_strategy_name(c->strategy));
        if (n > 0) used += (size_t)n;
    }
}
