/*
 * Steps of a permutation in place through the tiles and chunks of panel.cu: tiles are turned in shared memory where they
 * stand, chunks (whole lines of tiles) go round in cycles with a few of them saved.
 */
#include <stdio.h>
#include <cuda_runtime_api.h>
#include "inplace/steps.h"

#define TILE_SHARED (68 << 10) /* of a tile in shared memory: three on a multiprocessor of compute capability 9.0 */
#define CHUNK_BYTES 1024       /* of a line of a panel, if the sides allow it */
#define CHUNK_LEAST 256
#define CHUNKS_SAVED 12 /* one chunk in so many is saved */

/* ---- the two kinds ---- */

static int one_launch(const lw_step *s)
{
    (void)s;
    return 1;
}

static int two_launches(const lw_step *s)
{
    (void)s;
    return 2;
}

static lw_ops_status run_chunks(const lw_step *s, char *data, char *scratch, lw_stream stream)
{
    lw_panel_params p = s->panel;
    size_t saved = (size_t)p.saved * p.chunk;
    int e = (int)cudaMemcpy2DAsync(scratch, saved, data, (size_t)p.one, saved, p.batches, cudaMemcpyDeviceToDevice,
                                   (cudaStream_t)stream);
    p.data = data;
    p.scratch = scratch;
    if (!e) e = lw_chunk_launch(&p, lw_low_bit((uint64_t)(uintptr_t)data, 16), stream);
    return e ? LW_OPS_LAUNCH : LW_OPS_OK;
}

static lw_ops_status run_tiles(const lw_step *s, char *data, char *scratch, lw_stream stream)
{
    (void)scratch;
    lw_panel_params p = s->panel;
    p.data = data;
    return lw_panel_launch(&p, s->unit, s->tiles, s->turn_shared, stream) ? LW_OPS_LAUNCH : LW_OPS_OK;
}

static int describe_tiles(const lw_step *s, char *text, size_t size)
{
    return snprintf(text, size, "tiles of %u x %u", s->panel.rows.d, s->panel.cols.d);
}

static int describe_chunks(const lw_step *s, char *text, size_t size)
{
    return snprintf(text, size, "%u x %u chunks of %u bytes", s->panel.source.d, s->panel.others, s->panel.chunk);
}

static const lw_step_kind tiles = {one_launch, run_tiles, describe_tiles};
static const lw_step_kind chunks = {two_launches, run_chunks, describe_chunks}; /* with the copy of the saved ones */

/* ---- creation ---- */

/* Elements from one line of a tile in shared memory to the next: an odd number of words. */
static int64_t tile_pitch(int64_t rows, int64_t elem)
{
    if (elem >= 4) return rows | 1;
    int64_t words = (rows * elem + 3) / 4;
    return (words | 1) * 4 / elem;
}

/* The longest divisor of a side that makes chunks of CHUNK_LEAST to `most` bytes, whole vectors; lines of tiles with
 * so many lines of that length must fit into shared memory. 0: there is none. */
static int64_t chunk_of(int64_t side, int64_t elem, int64_t most, int64_t lines, int64_t shared)
{
    for (int64_t c = lw_smaller(most / elem, side); c * elem >= CHUNK_LEAST; c--) {
        if (side % c == 0 && c * elem % 16 == 0 && tile_pitch(c, elem) * lines * elem <= shared) return c;
    }
    return 0;
}

/* batch times rows x cols elements become cols x rows, or back. */
static void tiles_step(lw_step *s, int64_t batch, int64_t rows, int64_t cols, int64_t elem, bool back)
{
    lw_panel_params *p = &s->panel;
    s->kind = &tiles;
    s->unit = (int)elem;
    s->turn_shared = (uint32_t)(tile_pitch(rows, elem) * cols * elem);
    s->tiles = (uint32_t)batch;
    p->panel_bytes = rows * cols * elem;
    p->rows = lw_fdiv_make((uint32_t)rows);
    p->cols = lw_fdiv_make((uint32_t)cols);
    p->pitch = (uint32_t)tile_pitch(rows, elem);
    p->back = back;
}

/* batch times m x n chunks become n x m. */
static bool chunks_step(lw_step *s, int64_t batch, int64_t m, int64_t n, int64_t chunk, int64_t cap)
{
    lw_panel_params *p = &s->panel;
    int64_t all = m * n, saved = lw_smaller(lw_bigger(all / CHUNKS_SAVED, 1), cap / chunk / batch);
    int64_t warps = saved + (all - saved + 31) / 32;
    if (all >= 0x7fffffff || saved < 1 || (double)batch * (double)warps >= 0x7fffffff) return false;
    s->kind = &chunks;
    s->scratch = batch * saved * chunk;
    p->chunk = (uint32_t)chunk;
    p->chunks = (uint32_t)all;
    p->saved = (uint32_t)saved;
    p->one = all * chunk;
    p->warps = lw_fdiv_make((uint32_t)warps);
    p->batches = (uint32_t)batch;
    p->source = lw_fdiv_make((uint32_t)m); /* place j m + i has what stood at i n + j */
    p->others = (uint32_t)n;
    return true;
}

int lw_tiles_steps(const lw_ops *ops, lw_step *s, int64_t batch, int64_t m, int64_t n, int64_t elem, int64_t cap)
{
    bool back = n > m;
    int64_t few = lw_smaller(m, n), many = lw_bigger(m, n), shared = lw_smaller(TILE_SHARED, ops->shared_optin - 1024);
    if (elem > 16 || (elem & (elem - 1)) || few < 2 || (double)batch * (double)m >= 0x7fffffff ||
        (double)batch * (double)n >= 0x7fffffff) {
        return 0;
    }
    int64_t p = chunk_of(many, elem, CHUNK_BYTES, few, shared);
    if (p && many > p) { /* few columns */
        int64_t panels = many / p;
        tiles_step(&s[back ? 1 : 0], batch * panels, p, few, elem, back);
        return chunks_step(&s[back ? 0 : 1], batch, back ? few : panels, back ? panels : few, p * elem, cap) ? 2 : 0;
    }
    int64_t side = elem; /* bytes of a square tile's side */
    while ((side + elem) * (side + elem) <= shared * elem) side += elem;
    p = chunk_of(m, elem, side, 0, shared);
    int64_t q = p ? chunk_of(n, elem, side, 0, shared) : 0;
    if (!q || tile_pitch(p, elem) * q * elem > shared || (double)batch * (m / p) * (n / q) >= 0x7fffffff) return 0;
    if (!chunks_step(&s[0], batch * (m / p), p, n / q, q * elem, cap)) return 0;
    tiles_step(&s[1], batch * (m / p) * (n / q), p, q, elem, false);
    return chunks_step(&s[2], batch, m / p, n, p * elem, cap) ? 3 : 0;
}
