/* Gather and scatter of rows: checks and the division of rows into blocks. They need no plan and no workspace. */
#include <string.h>
#include "convert/convert.h"

#define WINDOWS_PER_BLOCK (4 * LW_BLOCK) /* as in index.cu */

static bool meet(const char *a, int64_t an, const char *b, int64_t bn)
{
    return (uintptr_t)a < (uintptr_t)b + (uintptr_t)bn && (uintptr_t)b < (uintptr_t)a + (uintptr_t)an;
}

static lw_ops_status run(const lw_ops *ops, lw_index_params *p, int index_bytes, int policy, lw_stream stream)
{
    int64_t dense = p->scatter ? p->in_pitch : p->out_pitch, table = p->scatter ? p->out_pitch : p->in_pitch;
    if (!ops || (index_bytes != 4 && index_bytes != 8) || (policy != LW_INDEX_SKIP && policy != LW_INDEX_WRAP)) {
        return LW_OPS_BAD_ARGUMENT;
    }
    if (p->count < 0 || p->table_rows < 0 || p->row_bytes < 0) return LW_OPS_BAD_SHAPE;
    if (p->count == 0 || p->row_bytes == 0 || p->table_rows == 0) return LW_OPS_OK;
    if (!p->in || !p->out || !p->index) return LW_OPS_BAD_ARGUMENT;
    if ((p->count > 1 && dense < p->row_bytes) || (p->table_rows > 1 && table < p->row_bytes)) return LW_OPS_BAD_STRIDE;
    if ((uintptr_t)p->index % (uintptr_t)index_bytes) return LW_OPS_MISALIGNED;
    int64_t in_rows = p->scatter ? p->count : p->table_rows, out_rows = p->scatter ? p->table_rows : p->count;
    int64_t in_bytes = (in_rows - 1) * p->in_pitch + p->row_bytes,
            out_bytes = (out_rows - 1) * p->out_pitch + p->row_bytes;
    if (meet(p->in, in_bytes, p->out, out_bytes) || meet(p->index, p->count * index_bytes, p->out, out_bytes)) {
        return LW_OPS_OVERLAP;
    }
    p->lo = p->in;
    p->hi = p->in + in_bytes;
    p->wide = index_bytes == 8;
    p->wrap = policy == LW_INDEX_WRAP;
    p->gran = (uint32_t)lw_low_bit((uint64_t)(uintptr_t)p->in | (uint64_t)(uintptr_t)p->out | (uint64_t)p->in_pitch |
                                       (uint64_t)p->out_pitch | (uint64_t)p->row_bytes,
                                   8);
    bool aligned = lw_low_bit((uint64_t)(uintptr_t)p->out | (uint64_t)p->out_pitch, 16) == 16;
    int64_t windows = aligned ? (p->row_bytes + 15) / 16 : (p->row_bytes + 15) / 16 + 1, grid;
    if (windows > WINDOWS_PER_BLOCK / 2) {
        int64_t segments = (windows + WINDOWS_PER_BLOCK - 1) / WINDOWS_PER_BLOCK;
        if (segments >= 0x7fffffff || p->count >= 0x7fffffff) return LW_OPS_UNSUPPORTED;
        p->segments = (uint32_t)segments;
        grid = segments * p->count;
    } else {
        p->windows = lw_fdiv_make((uint32_t)windows);
        p->rows_per_block = (uint32_t)(WINDOWS_PER_BLOCK / windows);
        grid = (p->count + p->rows_per_block - 1) / p->rows_per_block;
    }
    if (grid >= 0x7fffffff) return LW_OPS_UNSUPPORTED;
    lw_ops_status st = lw_check_device(ops);
    if (st != LW_OPS_OK) return st;
    return lw_index_launch(p, (uint32_t)grid, stream) ? LW_OPS_LAUNCH : LW_OPS_OK;
}

lw_ops_status lw_gather_rows(const lw_ops *ops, void *dst, int64_t dst_pitch, const void *table, int64_t table_rows,
                             int64_t table_pitch, int64_t row_bytes, const void *index, int index_bytes, int64_t count,
                             int policy, lw_stream stream)
{
    lw_index_params p;
    memset(&p, 0, sizeof p);
    p.out = dst;
    p.in = table;
    p.index = index;
    p.count = count;
    p.table_rows = table_rows;
    p.in_pitch = table_pitch;
    p.out_pitch = dst_pitch;
    p.row_bytes = row_bytes;
    return run(ops, &p, index_bytes, policy, stream);
}

lw_ops_status lw_scatter_rows(const lw_ops *ops, void *table, int64_t table_rows, int64_t table_pitch, const void *src,
                              int64_t src_pitch, int64_t row_bytes, const void *index, int index_bytes, int64_t count,
                              int policy, lw_stream stream)
{
    lw_index_params p;
    memset(&p, 0, sizeof p);
    p.out = table;
    p.in = src;
    p.index = index;
    p.count = count;
    p.table_rows = table_rows;
    p.in_pitch = src_pitch;
    p.out_pitch = table_pitch;
    p.row_bytes = row_bytes;
    p.scatter = 1;
    return run(ops, &p, index_bytes, policy, stream);
}
