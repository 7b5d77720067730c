/* tensor_map.c: the fields of a tensor map (tensor_map.h), and tensormap.replace. */
#include "exec/tensor_map.h"

#include "code/code_priv.h"

const exec_tensor_type exec_tensor_types[EXEC_TENSOR_TYPE_COUNT] = {
#define ROW(ptx, driver, name, bytes, reduces, is_float) [ptx] = {name, driver, bytes, reduces, is_float},
    EXEC_TENSOR_TYPES(ROW)
#undef ROW
};

/* A size that is stored less one, no higher than the field holds: what is too high is found when the map is used. */
static uint32_t less_one(uint64_t value, uint32_t most) { return value ? (uint32_t)LW_MIN(value - 1, most) : 0; }

void exec_tensor_replace(exec_tensor_map *map, uint32_t field, uint32_t ordinal, uint64_t value)
{
    uint8_t small = (uint8_t)LW_MIN(value, 255);
    LW_ASSERT(ordinal < EXEC_TENSOR_DIMS);
    switch (field) {
    case TENSOR_ADDRESS: map->address = value; break;
    case TENSOR_RANK: map->rank_1 = small; break;
    case TENSOR_BOX_DIM: map->box_1[ordinal] = (uint16_t)less_one(value, UINT16_MAX); break;
    case TENSOR_GLOBAL_DIM: map->dim_1[ordinal] = (uint32_t)value - 1; break; /* 0 stands for 2^32 */
    case TENSOR_GLOBAL_STRIDE:
        LW_ASSERT(ordinal < EXEC_TENSOR_DIMS - 1);
        map->stride[ordinal] = value;
        break;
    case TENSOR_ELEMENT_STRIDE: map->step_1[ordinal] = (uint8_t)less_one(value, UINT8_MAX); break;
    case TENSOR_ELEMTYPE: map->type = small; break;
    case TENSOR_INTERLEAVE: map->interleave = small; break;
    case TENSOR_SWIZZLE: map->swizzle = small; break;
    case TENSOR_FILL: map->fill = small; break;
    case TENSOR_ATOMICITY: map->atomicity = small; break;
    default: LW_ASSERT(false); break;
    }
}
