/*
 * Plans of rows at any address, copied or reversed (flip.cu): which kernel, how rows are cut into pieces, or how many
 * of them a block takes.
 */
#include "flip/flip.h"

static int mode_of(int elem, int low)
{
    if (elem == 0) return LW_FLIP_COPY;
    if (elem == 1) return LW_FLIP_1;
    if (elem == 2) return low >= 2 ? LW_FLIP_2 : LW_FLIP_ANY;
    if (elem % 16 == 0 && low >= 16) return LW_FLIP_16;
    if (elem % 8 == 0 && low >= 8) return LW_FLIP_8;
    if (elem % 4 == 0 && low >= 4) return LW_FLIP_4;
    return elem % 2 ? LW_FLIP_ODD : LW_FLIP_EVEN;
}

int lw_flip_align(const lw_flip_rows *f)
{
    static const int align[LW_FLIP_MODES] = {
        [LW_FLIP_COPY] = 1, [LW_FLIP_1] = 1,    [LW_FLIP_2] = 2,   [LW_FLIP_4] = 4,   [LW_FLIP_8] = 8,
        [LW_FLIP_16] = 16,  [LW_FLIP_EVEN] = 1, [LW_FLIP_ODD] = 1, [LW_FLIP_ANY] = 1,
    };
    return align[f->mode];
}

const char *lw_flip_mode_text(const lw_flip_rows *f)
{
    static const char *const text[LW_FLIP_MODES] = {
        [LW_FLIP_COPY] = "copied",       [LW_FLIP_1] = "by bytes of words", [LW_FLIP_2] = "by halves of words",
        [LW_FLIP_4] = "by 4 bytes",      [LW_FLIP_8] = "by 8 bytes",        [LW_FLIP_16] = "by 16 bytes",
        [LW_FLIP_EVEN] = "joined, even", [LW_FLIP_ODD] = "joined, odd",     [LW_FLIP_ANY] = "byte by byte",
    };
    return text[f->mode];
}

/* A row's pieces have about equal sizes. */
static int64_t cut_long(lw_flip_rows *f, bool in_place, bool halves)
{
    int64_t elem = f->elem.d, pieces;
    if (in_place) {
        f->bytes = (uint32_t)(LW_FLIP_CHUNK / elem * elem);
        pieces = ((halves ? (f->len + 1) / 2 : f->len) + f->bytes - 1) / f->bytes;
    } else {
        int64_t reach = f->len + 127;
        pieces = (reach + LW_FLIP_SEGMENT - 1) / LW_FLIP_SEGMENT;
        f->bytes = (uint32_t)(((reach + pieces - 1) / pieces + 127) / 128 * 128);
    }
    f->bytes_mod = f->bytes % (uint32_t)elem;
    if (pieces < 0x7fffffff) f->segments = lw_fdiv_make((uint32_t)pieces);
    return pieces;
}

/* Threads to a piece that waste the fewest words (each makes four or none), more threads first. */
static uint32_t choose_lanes(int64_t words)
{
    uint32_t best = 0;
    int64_t least = INT64_MAX;
    for (uint32_t lanes = LW_BLOCK; lanes >= 32; lanes /= 2) {
        int64_t places = (words + 4 * lanes - 1) / (4 * lanes) * (4 * lanes);
        if (places >= least) continue;
        least = places;
        best = lanes;
    }
    return best;
}

bool lw_flip_fill(lw_flip_rows *f, int64_t len, int elem, uint64_t bits, int64_t rows, int64_t dense, bool in_place,
                  int slots, uint32_t *grid)
{
    uint32_t unit = elem ? (uint32_t)elem : 1;
    f->mode = mode_of(elem, lw_low_bit(bits, 16));
    f->len = len;
    f->elem = lw_fdiv_make(unit);
    f->whole = (127 / unit + 1) * unit;
    f->segments = f->windows = lw_fdiv_make(1);
    f->slots = (uint32_t)slots;
    f->lanes = LW_BLOCK;
    if (rows >= 0x7fffffff) return false;
    f->rows = (uint32_t)rows;
    const int64_t most = LW_FLIP_BYTES / 16, windows = (len + 30) / 16;
    if (dense && elem && len <= LW_FLIP_SEGMENT) {
        f->dense = 1;
        f->rows = (uint32_t)dense;
        f->windows = lw_fdiv_make((uint32_t)len);
        f->rows_per_block = (uint32_t)(LW_FLIP_SEGMENT / len);
        int64_t blocks = (dense + f->rows_per_block - 1) / f->rows_per_block;
        f->segments = lw_fdiv_make((uint32_t)blocks);
        *grid = (uint32_t)(rows / dense * blocks);
        return true;
    }
    if (windows * slots > most / 2) {
        int64_t pieces = cut_long(f, in_place, slots == 1);
        *grid = (uint32_t)(rows * pieces);
        return pieces < 0x7fffffff && (double)rows * (double)pieces < 0x7fffffff;
    }
    int word = f->mode == LW_FLIP_16 ? 16 : f->mode == LW_FLIP_8 ? 8 : 4;
    int64_t pieces = most / windows < LW_FLIP_MAX_PIECES ? most / windows : LW_FLIP_MAX_PIECES;
    f->windows = lw_fdiv_make((uint32_t)windows);
    f->lanes = choose_lanes((len + 30 + word) / word);
    f->rows_per_block = (uint32_t)(pieces / slots);
    *grid = (uint32_t)((rows + f->rows_per_block - 1) / f->rows_per_block);
    return true;
}
