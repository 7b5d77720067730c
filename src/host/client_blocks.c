/* What the blocks of a launch cost, as a client: for the picture of the grid that --html draws. Only with LANEWISE_SAMPLES.
 *
 * A cell stands for a block, or for neighbouring blocks of a large grid. Every access is counted by a model of a single instruction,
 * which is read when a worker comes to another cell: blocks mostly run one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/blocks_priv.h"
#include "host/launch_priv.h"
#include "model/model.h"

enum { MOST_COLUMNS = 64, MOST_IN_LINE = 1024 }; /* cells of a row; of a grid with one dimension */

struct host_blocks {
    result_blocks *last; /* of the last launch, until the next begins; cells are sums while it runs */
    double *cells;
    const device_profile *device;
    lw_arena arena;
};

typedef struct blocks_worker {
    const result_blocks *shape;
    double *cells;
    model *model;
    void *counting;
    uint32_t cell;
    double known; /* cycles that were given to cells */
} blocks_worker;

static uint32_t cells_of(const result_blocks *b) { return b->columns * b->rows; }

static void *session_begin(const event_session *session)
{
    host_context *c = session->owner;
    if (!c->options.samples || !c->device) return NULL;
    c->blocks = lw_alloc(sizeof *c->blocks);
    c->blocks->device = c->device;
    return c;
}

static void drop_launch(host_blocks *blocks)
{
    free(blocks->cells);
    lw_arena_free(&blocks->arena);
    blocks->arena = (lw_arena){0};
    blocks->cells = NULL;
    blocks->last = NULL;
}

static void session_end(void *session)
{
    host_context *c = session;
    drop_launch(c->blocks);
    free(c->blocks);
    c->blocks = NULL;
}

/* A grid of one dimension is cut into lines; of others x goes across, y and z down. */
static void shape_of(const uint32_t grid[3], result_blocks *to)
{
    uint64_t down = (uint64_t)grid[1] * grid[2];
    to->across = grid[0];
    to->in_line = down == 1;
    if (to->in_line) {
        to->fold[0] = (grid[0] + MOST_IN_LINE - 1) / MOST_IN_LINE;
        uint32_t cells = (grid[0] + to->fold[0] - 1) / to->fold[0];
        to->columns = LW_MIN(cells, (uint32_t)MOST_COLUMNS);
        to->rows = (cells + to->columns - 1) / to->columns;
        to->fold[1] = 1;
        return;
    }
    to->fold[0] = (grid[0] + MOST_COLUMNS - 1) / MOST_COLUMNS;
    to->fold[1] = (uint32_t)((down + MOST_COLUMNS - 1) / MOST_COLUMNS);
    to->columns = (grid[0] + to->fold[0] - 1) / to->fold[0];
    to->rows = (uint32_t)((down + to->fold[1] - 1) / to->fold[1]);
}

static uint32_t cell_of(const result_blocks *b, uint32_t block)
{
    if (b->in_line) return block / b->fold[0];
    return block / b->across / b->fold[1] * b->columns + block % b->across / b->fold[0];
}

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    const host_launch_facts *facts = launch->owner;
    drop_launch(c->blocks);
    if (!host_selection_has(c, facts->op->u.kernel.kernel)) return NULL;
    result_blocks *b = LW_NEW(&c->blocks->arena, result_blocks);
    b->count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    shape_of(launch->grid, b);
    b->sm_count = c->device->sm_count;
    c->blocks->cells = lw_alloc(cells_of(b) * sizeof *c->blocks->cells);
    c->blocks->last = b;
    return c->blocks;
}

static void *worker_begin(void *launch, uint32_t worker)
{
    const host_blocks *b = launch;
    blocks_worker *w = lw_alloc(sizeof *w);
    w->shape = b->last;
    w->cells = lw_alloc(cells_of(b->last) * sizeof *w->cells);
    if (!model_create(&w->model, b->device, 1, NULL)) w->counting = model_worker_begin(w->model, worker);
    return w;
}

static void add_site(void *user, const model_site_result *site)
{
    const counter_set *c = &site->counters;
    double *cycles = user;
    if (c->present >> COUNTER_WAVEFRONTS & 1) *cycles += (double)c->value[COUNTER_WAVEFRONTS];
    else if (c->present >> COUNTER_SECTORS & 1) *cycles += (double)c->value[COUNTER_SECTORS] / 2;
    else if (c->present >> COUNTER_TRANSACTIONS & 1) *cycles += (double)c->value[COUNTER_TRANSACTIONS] / 2;
}

/* What was counted since the last time belongs to the cell. */
static void settle(blocks_worker *w)
{
    double cycles = 0;
    model_each(w->model, add_site, &cycles);
    w->cells[w->cell] += cycles - w->known;
    w->known = cycles;
}

static void memory(void *state, const event_memory *e)
{
    blocks_worker *w = state;
    if (!w->counting) return;
    uint32_t cell = cell_of(w->shape, e->block);
    if (cell != w->cell) settle(w);
    w->cell = cell;
    event_memory one = *e;
    one.insn = 0;
    model_count(w->counting, &one);
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    host_blocks *b = launch;
    blocks_worker *w = state;
    (void)worker;
    if (w->counting) settle(w);
    for (uint32_t k = 0; k < cells_of(b->last); k++) b->cells[k] += w->cells[k];
    model_destroy(w->model);
    free(w->cells);
    free(w);
}

/* Blocks that a cell stands for: those at the edges may be fewer. */
static double blocks_of(const result_blocks *b, uint32_t cell)
{
    uint64_t down = b->count / b->across;
    if (b->in_line) return (double)LW_MIN(b->fold[0], b->across - LW_MIN(b->across, cell * b->fold[0]));
    uint32_t x = cell % b->columns * b->fold[0], y = cell / b->columns * b->fold[1];
    return (double)LW_MIN(b->fold[0], b->across - x) * (double)LW_MIN((uint64_t)b->fold[1], down - y);
}

const result_blocks *host_blocks_of_launch(const host_context *context)
{
    host_blocks *blocks = context->blocks;
    if (!blocks || !blocks->last) return NULL;
    result_blocks *b = blocks->last;
    double sum = 0;
    b->least = -1;
    for (uint32_t k = 0; k < cells_of(b); k++) {
        double n = blocks_of(b, k);
        if (n <= 0) continue;
        double mean = blocks->cells[k] / n;
        sum += blocks->cells[k];
        if (b->least < 0 || mean < b->least) b->least = mean;
        if (mean > b->most) b->worst = k;
        b->most = LW_MAX(b->most, mean);
    }
    b->mean = sum / (double)b->count;
    uint8_t *level = LW_NEW_ARRAY(&blocks->arena, uint8_t, cells_of(b) + 1);
    for (uint32_t k = 0; k < cells_of(b); k++) {
        double n = blocks_of(b, k);
        level[k] = n > 0 && b->most > 0 ? (uint8_t)lround(RESULT_LEVELS * (blocks->cells[k] / n) / b->most) : 0;
    }
    b->level = level;
    return b;
}

const event_client host_client_blocks = {
    .name = "blocks",
    .kinds = EVENT_BIT(EVENT_COUNTED),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .worker_begin = worker_begin,
    .memory = memory,
    .worker_end = worker_end,
};
