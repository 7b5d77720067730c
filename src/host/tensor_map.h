/* Tensor maps (tensor_map.c): what cuTensorMapEncode... checks and writes. */
#ifndef LW_HOST_TENSOR_MAP_H
#define LW_HOST_TENSOR_MAP_H

#include "host/types.h"

/* The arguments of both encoders, as the driver gives them; arrays have a value for each dimension. */
typedef struct host_tensor_map {
    int type;                  /* CUtensorMapDataType */
    uint32_t rank;             /* dimensions */
    uint64_t address;          /* of the tensor in global memory */
    const uint64_t *dims;      /* elements */
    const uint64_t *strides;   /* bytes, of dimensions 1 and up */
    const uint32_t *box;       /* tiles: elements; NULL: im2col */
    const int *lower, *upper;  /* im2col: corners of the bounding box, W H D */
    uint32_t channels, pixels; /* im2col: of a column */
    const uint32_t *steps;     /* element strides */
    int interleave, swizzle, promotion, fill;
} host_tensor_map;
/* Writes 128 bytes. HOST_INVALID_VALUE says which rule is broken. */
host_error host_tensor_map_encode(host_context *context, const host_tensor_map *desc, void *out);
host_error host_tensor_map_set_address(host_context *context, void *map, uint64_t address);

#endif
