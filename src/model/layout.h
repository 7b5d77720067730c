/* layout: other orders of the elements of an array, so that their cost can be counted instead of guessed. The
 * array is taken as rows of `pitch` bytes; the last row may be cut short. */
#ifndef LW_MODEL_LAYOUT_H
#define LW_MODEL_LAYOUT_H

#include "base/base.h"

typedef enum model_layout_kind {
    MODEL_LAYOUT_PADDED,     /* `pad` unused bytes behind each row */
    MODEL_LAYOUT_SWIZZLED,   /* within a row, pieces of `unit` bytes change places: their number XOR that of the row */
    MODEL_LAYOUT_TRANSPOSED, /* columns become rows: element by element */
    MODEL_LAYOUT_SHIFTED     /* the array begins `pad` bytes later */
} model_layout_kind;

typedef struct model_layout {
    model_layout_kind kind;
    uint32_t begin,
        bytes;        /* of the array: its offset in the block's shared memory (0 of global arrays), and its size */
    uint32_t element; /* bytes; a pitch is a multiple of it */
    uint32_t pitch;   /* bytes of a row as it is now */
    uint32_t pad;     /* PADDED, SHIFTED: bytes, a multiple of the element */
    uint32_t unit;    /* SWIZZLED: bytes; a row has a power of two of them */
} model_layout;

/* Where what lies at an offset of the array goes. The array's begin stays where it is. */
uint64_t model_layout_at(const model_layout *layout, uint64_t address);
/* Whether `bytes` from an address on stay neighbours, and aligned to their size. */
bool model_layout_keeps(const model_layout *layout, uint64_t address, uint32_t bytes);
uint32_t model_layout_bytes(const model_layout *layout); /* of the array then */

/* "tile[32][32]", as it is now, and "tile[32][33]", as it would be. */
void model_layout_now(const model_layout *layout, const char *name, lw_text *out);
void model_layout_then(const model_layout *layout, const char *name, lw_text *out);
/* Where element i goes: "i + i / 32". */
void model_layout_index(const model_layout *layout, lw_text *out);

#endif
