/*
 * Plans of plain histograms: one value per sample, counted. The strategy, and the division of blocks into ranges of bins,
 * workers and rows.
 */
#include <stdio.h>
#include "hist/hist_plan.h"
#include "hist/hist_table.h"

#define FIELD_EXTRA (128 + LW_FIELD_QUEUE * 4 * 32) /* packed: unused words and the queues of the warps */
#define CHUNK ((int64_t)LW_HIST_THREADS * LW_HIST_WINDOWS * 16)

/* A way to count: a row of the table below. */
typedef struct hist_strategy {
    const char *name;
    uint32_t (*counters)(const hist_plan *h); /* shared bytes of a block; NULL: none */
    bool ranges;                              /* of bins, where shared memory is too small for all */
    bool fields;                              /* counters of a few bits */
    bool edges;                               /* are kept in shared memory, too */
    bool bytes;                               /* samples of one byte only */
    /* Beyond divide(); NULL: nothing. False: the case or the device forbids it */
    bool (*plan)(const lw_ops *ops, hist_plan *h, lw_hist_params *p, size_t *workspace);
    int (*launch)(const hist_plan *h, lw_hist_params *p, char *workspace, lw_stream stream);
} hist_strategy;

static const hist_strategy strategies[LW_HIST_STRATEGY_COUNT];

const char *lw_hist_strategy_name(int strategy) { return strategies[strategy].name; }

static bool has_samples(const lw_hist *w) { return w->rows > 0 && w->row_samples > 0; }

/* ---- counters of a block ---- */

static uint32_t lanes_bytes(const hist_plan *h)
{
    (void)h;
    return 4 * 256 * 32;
}

static uint32_t pairs_bytes(const hist_plan *h)
{
    (void)h;
    return 4 * (32768 + 256);
}

/* What is not counted goes behind the counters: one word for each lane, */
static uint32_t packed_bytes(const hist_plan *h)
{
    return (h->p.field_window + h->p.field_per - 1) / h->p.field_per * 4 + FIELD_EXTRA;
}

/* or one word. */
static uint32_t shared_bytes(const hist_plan *h) { return (uint32_t)(h->window + 1) * 4; }

/* ---- division ---- */

/* Packed: as few ranges of bins as possible, then counters as wide as possible. Ranges are interleaved by 32 bins. */
static void choose_fields(const lw_ops *ops, hist_plan *h, lw_hist_params *p)
{
    static const struct {
        uint32_t per, bits;
    } widths[] = {{2, 16}, {4, 8}, {5, 6}, {6, 5}, {8, 4}, {10, 3}};
    int64_t words = (ops->shared_optin - FIELD_EXTRA) / 4, groups = (h->entries + 31) / 32;
    h->passes = (int)((groups + words * 10 / 32 - 1) / (words * 10 / 32));
    int64_t window = (groups + h->passes - 1) / h->passes * 32;
    int i = 0;
    while (i < 5 && (window + widths[i].per - 1) / widths[i].per > words) i++;
    p->field_per = widths[i].per;
    p->field_bits = widths[i].bits;
    p->field_window = (uint32_t)window;
    p->field_per_m = 0xffffffffu / widths[i].per + 1;
    p->ranges_m = 0xffffffffu / (uint32_t)h->passes + 1;
    h->window = h->entries; /* every block looks at all samples' bins */
}

/* Ranges of bins, workers and rows; false if the device cannot. */
static bool divide(const lw_ops *ops, hist_plan *h, lw_hist_params *p)
{
    const lw_hist *w = &h->what;
    const hist_strategy *s = &strategies[h->strategy];
    int64_t most = s->ranges ? ops->shared_optin / 4 - 1 : h->entries;
    h->passes = (int)((h->entries + most - 1) / most);
    h->window = (h->entries + h->passes - 1) / h->passes;
    if (s->fields) choose_fields(ops, h, p);
    h->shared = s->counters ? s->counters(h) : 0;
    if (h->shared > (uint32_t)ops->shared_optin || h->passes > ops->sms) return false;
    if (s->edges) lw_hist_place_edges(ops, w, p, &h->shared);
    /* 1024 threads with 64 registers fill a multiprocessor; the kernel for bytes needs half of that */
    bool two = h->strategy == LW_HIST_LANES && ops->shared_sm >= 2 * (int)(h->shared + 1024);
    int blocks = two ? 2 * ops->sms : ops->sms;
    int64_t bytes = lw_type_bytes(w->sample_type);
    p->rows = w->rows;
    p->row_bytes = w->row_samples * bytes;
    p->row_pitch = w->rows > 1 ? w->row_pitch : 0;
    p->segmented = w->segmented != 0 && w->rows > 1;
    if (!p->segmented && p->row_pitch == p->row_bytes) {
        p->row_bytes *= p->rows;
        p->rows = 1;
    }
    p->chunks_per_row = (p->row_bytes + 15 + CHUNK - 1) / CHUNK;
    int64_t jobs = p->segmented ? p->rows : 1, chunks = p->chunks_per_row * (p->segmented ? 1 : p->rows);
    int64_t workers = blocks / h->passes / (jobs < blocks ? jobs : blocks);
    if (workers > chunks) workers = chunks;
    if (workers < 1) workers = 1; /* also without samples */
    int64_t together = blocks / h->passes / workers;
    if (together < 1) together = 1;
    if (jobs > together) jobs = together;
    p->ranges = h->passes;
    p->keep = h->passes > 1;
    p->workers = (int32_t)workers;
    p->window = h->window;
    p->entries = h->entries;
    h->blocks = (int)(jobs * workers * h->passes);
    return true;
}

/*
 * Few samples of one row, unless a strategy is forced. Every block adds its counts to the result: with twice the
 * samples only 1.4 times the blocks.
 */
static void plan_few(const lw_ops *ops, hist_plan *h)
{
    int64_t bytes = h->p.row_bytes, blocks = 1;
    bool many = bytes > (int64_t)FEW_MANY * ops->sms && h->entries <= FEW_ENTRIES;
    if (h->what.strategy || h->strategy != LW_HIST_SHARED || h->passes > 1 || h->p.rows != 1) return;
    if (h->mode == LW_HIST_EDGES || h->entries > FEW_MOST) return;
    if (bytes > (int64_t)FEW_BYTES * (many ? 2 : 1) * ops->sms) return;
    while (blocks < ops->sms && blocks * blocks * FEW_SQUARE < bytes) blocks++;
    h->few = many ? LW_FEW_COUNTERS : 1;
    h->blocks = (int)blocks;
    h->shared = ((uint32_t)(h->entries + 1) * 4 * (uint32_t)h->few + 15) & ~15u;
}

/* Rounds of tiles over a workspace of at most the caller's limit; false if the case or the workspace forbids it. */
static bool divide_parts(const lw_ops *ops, hist_plan *h, lw_hist_params *p, size_t *workspace)
{
    const lw_hist *w = &h->what;
    int64_t bytes = lw_type_bytes(w->sample_type), limit = w->workspace_limit ? w->workspace_limit : (int64_t)1 << 30;
    if (bytes < 4 || p->segmented || (size_t)ops->shared_optin < (size_t)4 << LW_PART_BITS) return false;
    p->parts = (uint32_t)((h->entries - 1) >> LW_PART_BITS) + 1;
    while (((uint32_t)1 << p->part_bits) < p->parts) p->part_bits++;
    p->table_pitch = (p->parts + 2) & ~1u;
    p->tile_samples = (uint32_t)(CHUNK / bytes);
    int64_t tiles = p->chunks_per_row * p->rows, per_tile = 2 * (int64_t)p->tile_samples + 2 * p->table_pitch;
    int64_t fixed = 8 * (int64_t)p->parts + 3 * 256, most = (limit - fixed) / per_tile;
    if (tiles == 0) tiles = 1;
    if (most > tiles) most = tiles;
    if (most < 1 || (most < tiles && most < 8 * ops->sms))
        return false; /* rounds that small cost more than they save */
    h->shared = 2 * p->tile_samples + 4 * (2 * 32 + 1) * (p->parts + 1) + 4 * p->parts;
    if (h->shared > (uint32_t)ops->shared_optin) return false;
    h->round_tiles = most;
    h->tiles_bytes = (size_t)(2 * (int64_t)p->tile_samples * most);
    h->table_bytes = ((size_t)(2 * (int64_t)p->table_pitch * most) + 255) & ~(size_t)255;
    *workspace = h->tiles_bytes + h->table_bytes + 8 * (size_t)p->parts;
    p->edges_at = 0;
    p->window = h->entries;
    p->ranges = 1;
    p->keep = 0;
    p->workers = ops->sms;
    h->passes = 1;
    h->blocks = (int)(most < ops->sms ? most : ops->sms);
    return true;
}

/* Clusters of as few blocks as hold the counters; 32,768 in each, less if two suffice. */
static bool divide_clusters(const lw_ops *ops, hist_plan *h, lw_hist_params *p, size_t *workspace)
{
    (void)workspace;
    if (ops->cc < 90 || lw_type_bytes(h->what.sample_type) < 4 || p->segmented || h->entries > 8 << LW_PART_BITS)
        return false;
    p->part_bits = LW_PART_BITS;
    while (p->part_bits > 1 && (int64_t)1 << p->part_bits >= h->entries) p->part_bits--;
    h->cluster = 2;
    while ((int64_t)h->cluster << p->part_bits < h->entries) h->cluster *= 2;
    h->shared = 4u << p->part_bits;
    int64_t clusters = ops->sms / h->cluster, chunks = p->chunks_per_row * p->rows;
    if (clusters * h->cluster > chunks) clusters = (chunks + h->cluster - 1) / h->cluster;
    h->blocks = (int)(clusters > 0 ? clusters : 1) * h->cluster;
    p->edges_at = 0;
    p->window = h->entries;
    p->keep = 0;
    h->passes = 1;
    return true;
}

/* ---- launches ---- */

static int launch_parts(const hist_plan *h, lw_hist_params *p, char *workspace, lw_stream stream)
{
    int64_t tiles = p->chunks_per_row * p->rows;
    int e = 0;
    p->tiles = (uint16_t *)workspace;
    p->table = (uint16_t *)(workspace + h->tiles_bytes);
    p->totals = (unsigned long long *)(workspace + h->tiles_bytes + h->table_bytes);
    for (int64_t first = 0; first < tiles && !e; first += h->round_tiles) {
        p->first_tile = first;
        p->end_tile = first + h->round_tiles < tiles ? first + h->round_tiles : tiles;
        e = lw_hist_part_launch(p, lw_hist_kind_of(h->what.sample_type), h->mode, (uint32_t)h->blocks, h->shared,
                                stream);
    }
    return e;
}

static int launch_cluster(const hist_plan *h, lw_hist_params *p, char *workspace, lw_stream stream)
{
    (void)workspace;
    return lw_hist_cluster_launch(p, lw_hist_kind_of(h->what.sample_type), h->mode, (uint32_t)h->blocks,
                                  (uint32_t)h->cluster, h->shared, stream);
}

static int launch_few(const hist_plan *h, lw_hist_params *p, lw_stream stream)
{
    return lw_hist_few_launch(p, lw_hist_kind_of(h->what.sample_type), h->mode, h->few > 1, (uint32_t)h->blocks,
                              h->shared, stream);
}

static int launch(const hist_plan *h, lw_hist_params *p, char *workspace, lw_stream stream)
{
    (void)workspace;
    return lw_hist_launch(p, lw_hist_kind_of(h->what.sample_type), h->mode, h->strategy, (uint32_t)h->blocks, h->shared,
                          stream);
}

/* clang-format off */
static const hist_strategy strategies[LW_HIST_STRATEGY_COUNT] = {
    [LW_HIST_AUTO] = {.name = "auto"},
    [LW_HIST_SHARED] = {"shared", shared_bytes, .ranges = true, .edges = true, .launch = launch},
    [LW_HIST_PACKED] = {"packed", packed_bytes, .fields = true, .edges = true, .launch = launch},
    [LW_HIST_CLUSTER] = {"cluster", NULL, .plan = divide_clusters, .launch = launch_cluster},
    [LW_HIST_GLOBAL] = {"global", NULL, .launch = launch},
    [LW_HIST_LANES] = {"lanes", lanes_bytes, .bytes = true, .launch = launch},
    [LW_HIST_PAIRS] = {"pairs", pairs_bytes, .bytes = true, .launch = launch},
    [LW_HIST_PARTITION] = {"partition", NULL, .plan = divide_parts, .launch = launch_parts},
};
/* clang-format on */

/* ---- the plan ---- */

static int choose_strategy(const lw_ops *ops, const lw_hist *w, int64_t entries)
{
    int best = LW_HIST_GLOBAL, best_cc = 0;
    for (size_t i = 0; i < sizeof lw_hist_choices / sizeof *lw_hist_choices; i++) {
        const lw_hist_choice *c = &lw_hist_choices[i];
        if (c->cc > ops->cc || c->cc <= best_cc || entries > c->entries) continue;
        if (c->sample_bytes && c->sample_bytes != lw_type_bytes(w->sample_type)) continue;
        best = c->strategy;
        best_cc = c->cc;
    }
    if (best == LW_HIST_PARTITION && w->rows * w->row_samples < 4194304)
        best = LW_HIST_GLOBAL; /* not worth two passes */
    return best;
}

/* With that strategy; false: it cannot count this on this device. */
static bool try_strategy(hist_plan *h, int strategy, size_t *workspace)
{
    const hist_strategy *s = &strategies[strategy];
    const lw_ops *ops = h->base.ops;
    h->strategy = strategy;
    if (s->bytes && lw_type_bytes(h->what.sample_type) != 1) return false;
    if (!divide(ops, h, &h->p)) return false;
    return !s->plan || s->plan(ops, h, &h->p, workspace);
}

/* The wanted strategy, the best one, or what does with little shared memory or no workspace for a partition. */
static bool plan_strategy(hist_plan *h, size_t *workspace)
{
    const lw_hist *w = &h->what;
    int strategy = w->strategy ? w->strategy : choose_strategy(h->base.ops, w, h->entries);
    if (try_strategy(h, strategy, workspace)) return true;
    if (w->strategy) return false;
    bool packed = strategy == LW_HIST_PARTITION && h->entries <= 1000000;
    return (packed && try_strategy(h, LW_HIST_PACKED, workspace)) || try_strategy(h, LW_HIST_GLOBAL, workspace);
}

lw_ops_status lw_hist_plan_plain(hist_plan *h, lw_ops_error *err)
{
    lw_plan *q = &h->base;
    const lw_hist *w = &h->what;
    size_t workspace = 0;
    h->entries = w->bins + (w->outside == LW_HIST_COUNT ? 2 : 0);
    lw_hist_constants(w, &h->p);
    h->mode = lw_hist_mode_of(w, &h->p, h->entries);
    if (!plan_strategy(h, &workspace)) {
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "strategy %s cannot be used for this histogram on this device",
                           strategies[h->strategy].name);
    }
    plan_few(q->ops, h);
    int64_t tiles = h->p.chunks_per_row * h->p.rows;
    int64_t histograms = h->p.segmented ? w->rows : 1;
    int count_bytes = lw_type_bytes(w->count_type);
    q->align = lw_type_bytes(w->sample_type);
    q->workspace += workspace;
    h->clear_bytes = w->accumulate ? 0 : (size_t)(h->entries * count_bytes * histograms);
    /* counts that are added to are read as well */
    q->useful_bytes = (double)w->rows * (double)w->row_samples * lw_type_bytes(w->sample_type) +
                      (double)h->entries * (double)histograms * ((w->accumulate ? 2.0 : 1.0) * count_bytes);
    if (has_samples(w)) {
        q->launches += h->strategy == LW_HIST_PARTITION ? (int)((tiles + h->round_tiles - 1) / h->round_tiles) * 3 : 1;
    }
    q->launches += h->clear_bytes > 0;
    return LW_OPS_OK;
}

int lw_hist_run_plain(const hist_plan *h, void *counts, const void *samples, const void *edges, char *workspace,
                      lw_stream stream)
{
    int e = h->clear_bytes ? lw_hist_clear(counts, h->clear_bytes, stream) : 0;
    if (e || !has_samples(&h->what)) return e;
    lw_hist_params p = h->p;
    p.samples = samples;
    p.edges = edges;
    p.counts = counts;
    if (h->few) return launch_few(h, &p, stream);
    return strategies[h->strategy].launch(h, &p, workspace, stream);
}

void lw_hist_describe_plain(const hist_plan *h, char *text, size_t size)
{
    char bits[32] = "";
    if (strategies[h->strategy].fields) snprintf(bits, sizeof bits, ", %u-bit counters", h->p.field_bits);
    if (h->few > 1) snprintf(bits, sizeof bits, ", %d counters a bin", h->few);
    snprintf(text, size, "%s%s, %d range%s, %d blocks, %u shared bytes", strategies[h->strategy].name, bits, h->passes,
             h->passes > 1 ? "s" : "", h->blocks, h->shared);
}
