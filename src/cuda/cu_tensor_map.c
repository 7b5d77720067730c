/* Tensor maps: cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapReplaceAddress. */
#include "cuda/driver.h"
#include "host/refuse.h"
#include "host/tensor_map.h"

CU(cuTensorMapEncodeTiled)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill)
{
    CU_NEED_INIT;
    host_tensor_map d = {.type = type,
                         .rank = rank,
                         .address = (uint64_t)(uintptr_t)address,
                         .dims = dims,
                         .strides = strides,
                         .box = box,
                         .steps = steps,
                         .interleave = interleave,
                         .swizzle = swizzle,
                         .promotion = promotion,
                         .fill = fill};
    if (!box) return cu_end(host_refuse(HOST_INVALID_VALUE, "The tensor map has no box."));
    return cu_end(host_tensor_map_encode(host_get(), &d, map));
}

CU(cuTensorMapEncodeIm2col)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                            const uint64_t *strides, const int *lower, const int *upper, uint32_t channels,
                            uint32_t pixels, const uint32_t *steps, int interleave, int swizzle, int promotion,
                            int fill)
{
    CU_NEED_INIT;
    host_tensor_map d = {.type = type,
                         .rank = rank,
                         .address = (uint64_t)(uintptr_t)address,
                         .dims = dims,
                         .strides = strides,
                         .lower = lower,
                         .upper = upper,
                         .channels = channels,
                         .pixels = pixels,
                         .steps = steps,
                         .interleave = interleave,
                         .swizzle = swizzle,
                         .promotion = promotion,
                         .fill = fill};
    return cu_end(host_tensor_map_encode(host_get(), &d, map));
}

/* Needs compute capability 10.0, which no device of ours executes. */
CU(cuTensorMapEncodeIm2colWide)(void *map, int type, uint32_t rank, void *address, const uint64_t *dims,
                                const uint64_t *strides, int lower, int upper, uint32_t channels, uint32_t pixels,
                                const uint32_t *steps, int interleave, int mode, int swizzle, int promotion, int fill)
{
    (void)map, (void)type, (void)rank, (void)address, (void)dims, (void)strides, (void)lower, (void)upper;
    (void)channels, (void)pixels, (void)steps, (void)interleave, (void)mode, (void)swizzle, (void)promotion;
    (void)fill;
    CU_NEED_INIT;
    return cu_end(host_refuse(HOST_NOT_SUPPORTED, "cuTensorMapEncodeIm2colWide needs compute capability 10.0."));
}

CU(cuTensorMapReplaceAddress)(void *map, void *address)
{
    CU_NEED_INIT;
    return cu_end(host_tensor_map_set_address(host_get(), map, (uint64_t)(uintptr_t)address));
}
