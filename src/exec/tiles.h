/* tiles.h: where texels of arrays lie on a card, as far as counting cares (tests/hw/h100-textures.csv): a sector is 16 bytes
 * of two rows; four of them, 32 bytes of four rows, are neighbours. A texel's sector is the sum of its parts along x, y and z.
 * Numbers of sectors wrap at 2^32, which no array reaches. */
#ifndef LW_EXEC_TILES_H
#define LW_EXEC_TILES_H

#include "base/base.h"

/* What a row of tiles, and a slice (or layer), of an array have in sectors. row_bytes: texels of a row, in bytes. */
typedef struct exec_tiles {
    uint32_t row, slice;
} exec_tiles;

static inline exec_tiles exec_tiles_of(uint64_t row_bytes, uint64_t rows)
{
    uint32_t row = (uint32_t)((row_bytes + 31) / 32) * 4;
    return (exec_tiles){row, row * (uint32_t)((rows + 3) / 4)};
}

static inline uint32_t exec_tile_x(uint32_t byte) { return (byte >> 5) * 4 + (byte >> 4 & 1); }
static inline uint32_t exec_tile_y(exec_tiles t, uint32_t y) { return (y >> 2) * t.row + (y & 2); }
static inline uint32_t exec_tile_z(exec_tiles t, uint32_t z) { return z * t.slice; }

#endif
