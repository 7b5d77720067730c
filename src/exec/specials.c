/* specials.c: special registers and the other values that no instruction computes: parameters, immediates, addresses of
 * shared variables. They stand in lane files, per launch, block and warp, as 32 lanes each (predicates: one word). */
#include "exec/operand.h"
#include "exec/schedule.h"
#include "exec/warp.h"

#include <string.h>

/* ---------------------------------------------------------------- special registers */
static bool in_explicit_cluster(const exec_run_state *run)
{
    return run->cluster_size > 1 || run->launch->kernel->entry->explicitcluster;
}

static uint32_t thread_index(const exec_launch *launch, const exec_warp *warp, uint32_t lane, uint32_t c)
{
    uint32_t thread[3];
    exec_thread_of_lane(warp, lane, launch->block, thread);
    return thread[c];
}

/* %globaltimer counts nanoseconds of the epoch: some day in 2023, the same in every run. */
#define TIME_OF_CLOCK_0 UINT64_C(1700000000000000000)

static uint64_t nanoseconds(const exec_run_state *run, const exec_warp *warp)
{
    if (!run->launch->timed) return TIME_OF_CLOCK_0 + warp->clock; /* a cycle is a nanosecond */
    return TIME_OF_CLOCK_0 + warp->clock * 1000000 / LW_MAX(run->launch->device.clock_khz, 1u);
}

/* Who reads a special register: what the expressions of special.def name. */
typedef struct special_reader {
    const exec_run_state *run;
    const exec_block *block; /* of registers that change by block, or when read; else NULL */
    const exec_warp *warp;   /* of registers that change by lane, or when read; else NULL */
    uint32_t lane;           /* of registers that change by lane */
} special_reader;

/* The value of a row of special.def. c: 0 to 3 for .x .y .z .w; number: of a numbered register */
static uint64_t special_value(const special_reader *reader, uint16_t special, uint32_t c, uint32_t number)
{
    const exec_run_state *run = reader->run;
    const exec_launch *launch = run->launch;
    const exec_block *block = reader->block;
    const exec_warp *warp = reader->warp;
    uint32_t lane = reader->lane;
    (void)number;         /* no row depends on it yet: what a number selects is 0, or has a row of its own */
    if (c == 3) return 0; /* of every vector */
    switch (special) {
#define PTX_SPECIAL(id, name, type, shape, changes, makes, value)                                                      \
    case PTX_SPECIAL_##id: return (uint64_t)(value);
#include "ptx/special.def"
#undef PTX_SPECIAL
    default: return 0;
    }
}

static void note_wait(exec_worker *worker, uint32_t site, uint64_t cycles)
{
    bool longer = cycles > worker->clock_wait;
    bool earlier = cycles == worker->clock_wait && site < worker->clock_site;
    if (longer || earlier) worker->clock_site = site;
    if (longer) worker->clock_wait = cycles;
}

/* A warp that reads the clock again and again in a loop that does nothing else waits until it shows some value: time then
 * goes by in steps of a part of what has gone by, so that no wait takes more than some hundred rounds. */
static uint64_t clock_step(exec_ctx *x, const code_insn *i)
{
    exec_warp *w = x->warp;
    uint64_t loop = x->worker->run->launch->timed ? EXEC_CLOCK_LOOP_TIMED : EXEC_CLOCK_LOOP;
    bool again = w->clock_reader == i && w->clock - w->clock_read <= loop;
    if (!again || !w->clock_reads) {
        w->clock_reader = i;
        w->clock_reads = 0;
        w->clock_since = w->clock;
    }
    if (++w->clock_reads < EXEC_CLOCK_PATIENCE) return EXEC_CLOCK_READ;
    uint64_t step = LW_MAX((w->clock - w->clock_since) / EXEC_CLOCK_PART, (uint64_t)EXEC_CLOCK_READ);
    note_wait(x->worker, i->site, w->clock - w->clock_since + step);
    return step;
}

/* A register that changes from read to read: the same for all lanes. */
void run_special(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    x->warp->clock += clock_step(x, i);
    x->warp->clock_read = x->warp->clock;
    special_reader reader = {.run = x->worker->run, .block = x->block, .warp = x->warp};
    uint64_t value = special_value(&reader, i->special.which, 0, i->special.number);
    uint8_t *d = x->file[i->d & 3] + (i->d & ~3u);
    LANES_OF(mask) memcpy(d + (size_t)l * i->special.bytes, &value, i->special.bytes);
    x->warp->clock += i->special.cycles;
}

/* ---------------------------------------------------------------- lane files */
static void store_lane(uint8_t *file, const code_fill *f, uint32_t lane, const void *value)
{
    memcpy(file + f->offset + (size_t)lane * f->bytes, value, f->bytes);
}

/* The same value for every lane. */
static void store_all(uint8_t *file, const code_fill *f, const void *value)
{
    bool predicate = !f->bytes;
    if (predicate) memcpy(file + f->offset, value, 4);
    for (uint32_t lane = 0; lane < 32 && !predicate; lane++) store_lane(file, f, lane, value);
}

/* param_bytes of the parameter image at f->value, with their sign if it counts. */
static void read_param(const exec_run_state *run, const code_fill *f, uint64_t out[2])
{
    memcpy(out, run->params + f->value, f->param_bytes);
    bool negative = f->param_bytes < 8 && (out[0] >> (8 * f->param_bytes - 1) & 1);
    if (f->is_signed && negative) out[0] |= ~(uint64_t)0 << (8 * f->param_bytes);
}

void exec_fill_launch(exec_run_state *run)
{
    special_reader reader = {.run = run};
    const code_file *file = &run->launch->kernel->body->launch;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        uint64_t value[2] = {0}; /* lanes have up to 16 bytes */
        switch (f->kind) {
        case FILL_PARAM: read_param(run, f, value); break;
        case FILL_PARAM_ADDRESS: value[0] = run->params_address + f->value; break;
        case FILL_SPECIAL: value[0] = special_value(&reader, f->special, f->component, f->number); break;
        default: value[0] = f->value; break;
        }
        store_all(run->launch_file, f, value);
    }
}

static uint64_t shared_address(const exec_block *b, const code_fill *f)
{
    uint64_t slot = (uint64_t)b->rank << MEM_SHARED_SLOT_SHIFT;
    return slot + f->value + (f->generic ? MEM_SHARED_WINDOW : 0);
}

void exec_fill_block(const exec_run_state *run, exec_block *b)
{
    special_reader reader = {.run = run, .block = b};
    const code_file *file = &run->launch->kernel->body->block;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        LW_ASSERT(f->kind != FILL_SHARED || f->value <= run->shared_bytes);
        uint64_t value =
            f->kind == FILL_SHARED ? shared_address(b, f) : special_value(&reader, f->special, f->component, f->number);
        store_all(b->file, f, &value);
    }
}

void exec_fill_warp(const exec_run_state *run, exec_warp *w)
{
    const code_file *file = &run->launch->kernel->body->warp;
    special_reader reader = {.run = run, .warp = w};
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        for (reader.lane = 0; reader.lane < 32; reader.lane++) {
            uint64_t value = special_value(&reader, f->special, f->component, f->number);
            store_lane(w->file, f, reader.lane, &value);
        }
    }
}
