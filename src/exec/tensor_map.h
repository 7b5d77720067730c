/* tensor_map.h: the 128 bytes of a tensor map (CUtensorMap), which the driver's face writes and executors read.
 *
 * The layout of a card is not published; this one is our own, so a map is only good where it was made. It has no magic
 * number and no checksum, since programs copy maps byte by byte and also build them in device memory: 128 zero bytes are
 * a tile-mode map of rank 1 with one 8-bit element, and tensormap.replace sets field by field. Sizes that cannot be 0 are
 * stored less one. */
#ifndef LW_EXEC_TENSOR_MAP_H
#define LW_EXEC_TENSOR_MAP_H

#include "base/base.h"
#include "ptx/module.h"

#define EXEC_TENSOR_DIMS 5
#define EXEC_TENSOR_ALIGNMENT 64u /* of a map in memory */

enum exec_tensor_mode { EXEC_TENSOR_TILE, EXEC_TENSOR_IM2COL };

typedef struct exec_tensor_map {
    uint64_t address;                      /* of element 0 in global memory */
    uint64_t stride[EXEC_TENSOR_DIMS - 1]; /* bytes from one index of dimension k + 1 to the next */
    uint32_t dim_1[EXEC_TENSOR_DIMS];      /* elements of the tensor less one; dimension 0 is the innermost */
    uint16_t box_1[EXEC_TENSOR_DIMS];      /* tile: of the box less one; im2col: [0] channels, [1] pixels, less one */
    int16_t lower[3], upper[3];            /* im2col: corners of the bounding box, W H D */
    uint8_t step_1[EXEC_TENSOR_DIMS];      /* element (traversal) strides less one; that of dimension 0 has no effect */
    uint8_t rank_1;                        /* less one: what tensormap.replace.rank gives */
    uint8_t mode;                          /* enum exec_tensor_mode */
    uint8_t type;                          /* column `ptx` of EXEC_TENSOR_TYPES */
    uint8_t interleave;                    /* 0 none, 1: 16 bytes, 2: 32 bytes; the same in the driver and in PTX */
    uint8_t swizzle;                       /* 0 none, 1: 32 bytes, 2: 64, 3: 128; the same in the driver and in PTX */
    uint8_t atomicity; /* of the swizzle, PTX: 0 16 bytes; the driver's 128B_ATOM_... need cc 10.0 */
    uint8_t fill;      /* of elements out of bounds: 0 zeros, 1 NaN */
    uint8_t promotion; /* of L2 fetches; no effect here */
    uint8_t unused[32];
} exec_tensor_map;
_Static_assert(sizeof(exec_tensor_map) == 128, "a tensor map has 128 bytes");

/* Element types: ROW(ptx, driver, name, bytes, reduces, is_float).
 * ptx: number of tensormap.replace.elemtype (PTX ISA, "tensormap.replace": values of .elemtype); driver:
 * CUtensorMapDataType (they differ from f32.ftz on); reduces: the ptx_type of cp.reduce, PTX_NO_TYPE: none. The packed
 * types of 4 and 6 bits (ptx 13 to 15, driver 13 to 15) need cc 10.0. */
/* clang-format off */
#define EXEC_TENSOR_TYPES(ROW)                  \
    ROW(0, 0, "u8", 1, PTX_NO_TYPE, false)      \
    ROW(1, 1, "u16", 2, PTX_NO_TYPE, false)     \
    ROW(2, 2, "u32", 4, PTX_U32, false)         \
    ROW(3, 3, "s32", 4, PTX_S32, false)         \
    ROW(4, 4, "u64", 8, PTX_U64, false)         \
    ROW(5, 5, "s64", 8, PTX_S64, false)         \
    ROW(6, 6, "f16", 2, PTX_F16, true)          \
    ROW(7, 7, "f32", 4, PTX_F32, true)          \
    ROW(8, 10, "f32.ftz", 4, PTX_F32, true)     \
    ROW(9, 8, "f64", 8, PTX_NO_TYPE, true)      \
    ROW(10, 9, "bf16", 2, PTX_BF16, true)       \
    ROW(11, 11, "tf32", 4, PTX_NO_TYPE, true)   \
    ROW(12, 12, "tf32.ftz", 4, PTX_NO_TYPE, true)
/* clang-format on */
enum { EXEC_TENSOR_F32_FTZ = 8, EXEC_TENSOR_TF32 = 11, EXEC_TENSOR_TF32_FTZ = 12, EXEC_TENSOR_TYPE_COUNT = 13 };

typedef struct exec_tensor_type {
    const char *name;
    uint8_t driver; /* CUtensorMapDataType */
    uint8_t bytes;
    uint8_t reduces; /* ptx_type */
    bool is_float;
} exec_tensor_type;
extern const exec_tensor_type exec_tensor_types[EXEC_TENSOR_TYPE_COUNT]; /* by the number in PTX */

/* tensormap.replace. field: enum code_tensor_field; ordinal: which dimension or stride, of the fields that have several. */
void exec_tensor_replace(exec_tensor_map *map, uint32_t field, uint32_t ordinal, uint64_t value);

#endif
