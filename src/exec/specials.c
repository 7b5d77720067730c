/* specials.c: special registers and the other values that no instruction computes: parameters, immediates, addresses of
 * shared variables. They stand in lane files, per launch, block and warp, as 32 lanes each (predicates: one word). */
#include "exec/schedule.h"

#include <string.h>

/* ---------------------------------------------------------------- special registers */
static uint64_t launch_special(const exec_run_state *run, const code_fill *f)
{
    const exec_launch *l = run->launch;
    uint32_t c = f->component;
    uint32_t dims[3] = {l->grid[0] / l->cluster[0], l->grid[1] / l->cluster[1], l->grid[2] / l->cluster[2]};
    switch (f->special) {
    case PTX_SPECIAL_NTID: return c < 3 ? l->block[c] : 0;
    case PTX_SPECIAL_NCTAID: return c < 3 ? l->grid[c] : 0;
    case PTX_SPECIAL_NWARPID: return 64;
    case PTX_SPECIAL_NSMID: return l->device.sm_count;
    case PTX_SPECIAL_GRIDID: return l->grid_id;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        return run->cluster_size > 1 || l->kernel->entry->explicitcluster ? ~(uint64_t)0 : 0;
    case PTX_SPECIAL_NCLUSTERID: return c < 3 ? dims[c] : 0;
    case PTX_SPECIAL_CLUSTER_NCTAID: return c < 3 ? l->cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return run->cluster_size;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
    case PTX_SPECIAL_AGGR_SMEM_SIZE: return run->shared_bytes;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return l->dynamic_shared_bytes;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_BEGIN:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_0: return run->reserved_at;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_1: return run->reserved_at + EXEC_RESERVED_PART;
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_END:
    case PTX_SPECIAL_RESERVED_SMEM_OFFSET_CAP: return run->shared_end;
    case PTX_SPECIAL_ENVREG:
        if (f->number == 1) return run->grid_workspace >> 32;
        return f->number == 2 ? (uint32_t)run->grid_workspace : 0;
    default: return 0;
    }
}

static uint64_t block_special(const exec_block *b, const exec_launch *l, const code_fill *f)
{
    uint32_t c = f->component;
    uint32_t in_cluster[3] = {b->id[0] % l->cluster[0], b->id[1] % l->cluster[1], b->id[2] % l->cluster[2]};
    switch (f->special) {
    case PTX_SPECIAL_CTAID: return c < 3 ? b->id[c] : 0;
    case PTX_SPECIAL_SMID: return b->linear % LW_MAX(l->device.sm_count, 1u);
    case PTX_SPECIAL_CLUSTERID: return c < 3 ? b->id[c] / l->cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_CTAID: return c < 3 ? in_cluster[c] : 0;
    case PTX_SPECIAL_CLUSTER_CTARANK: return b->rank;
    default: return 0;
    }
}

static uint64_t warp_special(const exec_warp *w, const exec_launch *l, const code_fill *f, uint32_t lane)
{
    uint32_t thread[3], bit = 1u << lane;
    switch (f->special) {
    case PTX_SPECIAL_TID:
        exec_thread_of_lane(w, lane, l->block, thread);
        return f->component < 3 ? thread[f->component] : 0;
    case PTX_SPECIAL_LANEID: return lane;
    case PTX_SPECIAL_WARPID: return w->index;
    case PTX_SPECIAL_LANEMASK_EQ: return bit;
    case PTX_SPECIAL_LANEMASK_LE: return bit | (bit - 1);
    case PTX_SPECIAL_LANEMASK_LT: return bit - 1;
    case PTX_SPECIAL_LANEMASK_GE: return ~(bit - 1);
    case PTX_SPECIAL_LANEMASK_GT: return ~(bit | (bit - 1));
    default: return 0;
    }
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
    const code_file *file = &run->launch->kernel->body->launch;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        uint64_t value[2] = {0}; /* lanes have up to 16 bytes */
        switch (f->kind) {
        case FILL_PARAM: read_param(run, f, value); break;
        case FILL_PARAM_ADDRESS: value[0] = run->params_address + f->value; break;
        case FILL_SPECIAL: value[0] = launch_special(run, f); break;
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
    const code_file *file = &run->launch->kernel->body->block;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *f = &file->fills[k];
        LW_ASSERT(f->kind != FILL_SHARED || f->value <= run->shared_bytes);
        uint64_t value = f->kind == FILL_SHARED ? shared_address(b, f) : block_special(b, run->launch, f);
        store_all(b->file, f, &value);
    }
}

void exec_fill_warp(const exec_run_state *run, exec_warp *w)
{
    const code_file *file = &run->launch->kernel->body->warp;
    for (uint32_t k = 0; k < file->count; k++)
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t value = warp_special(w, run->launch, &file->fills[k], lane);
            store_lane(w->file, &file->fills[k], lane, &value);
        }
}
