/* tensor_map.c: the rules of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA driver API 13.0, "Tensor Map
 * Object Management"), each HOST_INVALID_VALUE with the rule in words, and the 128 bytes that come of it. What the
 * packed types of 4 and 6 bits and the swizzles with larger atoms need (compute capability 10.0) no device here has. */
#include "host/tensor_map.h"

#include <string.h>

#include "exec/tensor_map.h"
#include "host/device.h"
#include "host/device_priv.h"
#include "host/refuse.h"

enum {
    DRIVER_TYPES = 16,  /* CUtensorMapDataType */
    DRIVER_PACKED = 13, /* from here on packed, cc 10.0 */
    INTERLEAVE_32B = 2,
    SWIZZLE_128B = 3,
    SWIZZLE_COUNT = 7, /* 4 to 6: larger atoms, cc 10.0 */
    PROMOTION_COUNT = 4,
    BOX_MOST = 256,
    STEP_MOST = 8,
    PIXELS_MOST = 1024,
    BYTES_MOST = (1 << 20) - 1 /* the limit of a card was not recorded: it lies below 32 MiB */
};

#define REFUSE(...) host_refuse(HOST_INVALID_VALUE, __VA_ARGS__)

/* The number in PTX of a type of the driver; EXEC_TENSOR_TYPE_COUNT: none. */
static uint32_t ptx_number(int driver)
{
    uint32_t k = 0;
    while (k < EXEC_TENSOR_TYPE_COUNT && exec_tensor_types[k].driver != driver) k++;
    return k;
}

/* ---------------------------------------------------------------- rules */
static host_error check_enums(const host_tensor_map *d)
{
    if (d->type < 0 || d->type >= DRIVER_TYPES) return REFUSE("The tensor map's data type %d does not exist.", d->type);
    if (d->type >= DRIVER_PACKED)
        return REFUSE("The tensor map's data type is one of 4 or 6 bits: these need compute capability 10.0.");
    if (d->interleave < 0 || d->interleave > INTERLEAVE_32B)
        return REFUSE("The tensor map's interleave mode %d does not exist.", d->interleave);
    if (d->swizzle < 0 || d->swizzle >= SWIZZLE_COUNT)
        return REFUSE("The tensor map's swizzle mode %d does not exist.", d->swizzle);
    if (d->swizzle > SWIZZLE_128B)
        return REFUSE(
            "The tensor map's swizzle mode has atoms of more than 16 bytes: it needs compute capability 10.0.");
    if (d->promotion < 0 || d->promotion >= PROMOTION_COUNT)
        return REFUSE("The tensor map's L2 promotion %d does not exist.", d->promotion);
    if (d->fill < 0 || d->fill > 1) return REFUSE("The tensor map's fill mode %d does not exist.", d->fill);
    if (d->fill && !exec_tensor_types[ptx_number(d->type)].is_float)
        return REFUSE("A tensor map of integers cannot be filled with NaN out of bounds.");
    return 0;
}

static host_error check_rank(const host_tensor_map *d)
{
    uint32_t least = d->interleave || !d->box ? 3 : 1;
    if (d->rank >= least && d->rank <= EXEC_TENSOR_DIMS) return 0;
    return REFUSE("The tensor map's rank is %u; it must be %u to %u here.", d->rank, least, EXEC_TENSOR_DIMS);
}

static host_error check_tensor(const host_tensor_map *d)
{
    uint64_t alignment = d->interleave == INTERLEAVE_32B ? 32 : 16;
    if (d->address % alignment)
        return REFUSE("The tensor's address 0x%llx is no multiple of %llu.", (unsigned long long)d->address,
                      (unsigned long long)alignment);
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->dims[k] < 1 || d->dims[k] > UINT64_C(1) << 32)
            return REFUSE("Dimension %u of the tensor is %llu; it must be 1 to 2^32.", k,
                          (unsigned long long)d->dims[k]);
    for (uint32_t k = 0; k + 1 < d->rank; k++)
        if (d->strides[k] % alignment || d->strides[k] >> 40)
            return REFUSE("Stride %u of the tensor is %llu bytes; it must be a multiple of %llu below 2^40.", k,
                          (unsigned long long)d->strides[k], (unsigned long long)alignment);
    for (uint32_t k = 0; k < d->rank; k++) {
        if (d->steps[k] < 1 || d->steps[k] > STEP_MOST)
            return REFUSE("Element stride %u is %u; it must be 1 to %d.", k, d->steps[k], STEP_MOST);
    }
    return 0;
}

/* inner: bytes of the box along dimension 0. */
static host_error check_inner(const host_tensor_map *d, uint64_t inner)
{
    uint64_t span = d->swizzle ? UINT64_C(16) << d->swizzle : UINT64_MAX;
    if (inner % 16)
        return REFUSE("The box's inner dimension has %llu bytes: no multiple of 16.", (unsigned long long)inner);
    if (!d->interleave && inner > span)
        return REFUSE(
            "The box's inner dimension has %llu bytes; with this swizzle mode it must not have more than %llu.",
            (unsigned long long)inner, (unsigned long long)span);
    return 0;
}

static host_error check_box(const host_tensor_map *d, uint32_t bytes)
{
    for (uint32_t k = 0; k < d->rank; k++)
        if (d->box[k] < 1 || d->box[k] > BOX_MOST)
            return REFUSE("Dimension %u of the box is %u; it must be 1 to %d.", k, d->box[k], BOX_MOST);
    uint64_t all = bytes;
    for (uint32_t k = 0; k < d->rank; k++) all *= d->box[k];
    if (all > BYTES_MOST)
        return REFUSE("The box has %llu bytes: more than an mbarrier can wait for.", (unsigned long long)all);
    return check_inner(d, (uint64_t)d->box[0] * bytes);
}

/* Corners have 16, 8 or 5 bits, by the rank. */
static host_error check_corners(const host_tensor_map *d)
{
    static const int most[] = {32767, 127, 15};
    int limit = most[d->rank - 3];
    for (uint32_t k = 0; k < d->rank - 2; k++) {
        int64_t end = (int64_t)d->dims[d->interleave ? k : k + 1] + d->upper[k];
        if (d->lower[k] < -limit - 1 || d->lower[k] > limit || d->upper[k] < -limit - 1 || d->upper[k] > limit)
            return REFUSE("Corner %u of the pixel box is %d and %d; with this rank corners must be %d to %d.", k,
                          d->lower[k], d->upper[k], -limit - 1, limit);
        if (end <= d->lower[k]) return REFUSE("The pixel box is empty along dimension %u.", k + 1);
    }
    return 0;
}

static host_error check_column(const host_tensor_map *d, uint32_t bytes)
{
    if (d->channels < 1 || d->channels > BOX_MOST)
        return REFUSE("The channels of a pixel are %u; they must be 1 to %d.", d->channels, BOX_MOST);
    if (d->pixels < 1 || d->pixels > PIXELS_MOST)
        return REFUSE("The pixels of a column are %u; they must be 1 to %d.", d->pixels, PIXELS_MOST);
    host_error error = check_corners(d);
    return error ? error : check_inner(d, (uint64_t)d->channels * bytes);
}

static host_error check(const host_tensor_map *d)
{
    bool given = d->dims && d->steps && (d->strides || d->rank < 2) && (d->box || (d->lower && d->upper));
    if (!given) return REFUSE("An array of the tensor map's description is missing.");
    host_error error = check_enums(d);
    if (!error) error = check_rank(d);
    if (!error) error = check_tensor(d);
    if (error) return error;
    uint32_t bytes = exec_tensor_types[ptx_number(d->type)].bytes;
    return d->box ? check_box(d, bytes) : check_column(d, bytes);
}

/* ---------------------------------------------------------------- the map */
static bool is_place(const void *map) { return map && !((uintptr_t)map % EXEC_TENSOR_ALIGNMENT); }

static void set_box(exec_tensor_map *m, const host_tensor_map *d)
{
    for (uint32_t k = 0; d->box && k < d->rank; k++) m->box_1[k] = (uint16_t)(d->box[k] - 1);
    if (d->box) return;
    m->mode = EXEC_TENSOR_IM2COL;
    m->box_1[0] = (uint16_t)(d->channels - 1);
    m->box_1[1] = (uint16_t)(d->pixels - 1);
    for (uint32_t k = 0; k < d->rank - 2; k++) {
        m->lower[k] = (int16_t)d->lower[k];
        m->upper[k] = (int16_t)d->upper[k];
    }
}

host_error host_tensor_map_encode(host_context *c, const host_tensor_map *d, void *out)
{
    exec_tensor_map m = {.address = d->address};
    if (host_device_cc(c) < 90) return host_refuse(HOST_NOT_SUPPORTED, "Tensor maps need compute capability 9.0.");
    if (!is_place(out)) return REFUSE("The tensor map's own address must be a multiple of 64.");
    host_error error = check(d);
    if (error) return error;
    m.rank_1 = (uint8_t)(d->rank - 1);
    m.type = (uint8_t)ptx_number(d->type);
    m.interleave = (uint8_t)d->interleave;
    m.swizzle = (uint8_t)d->swizzle;
    m.promotion = (uint8_t)d->promotion;
    m.fill = (uint8_t)d->fill;
    for (uint32_t k = 0; k < d->rank; k++) {
        bool ignored = k == 0 && !d->interleave;
        m.dim_1[k] = (uint32_t)(d->dims[k] - 1);
        m.step_1[k] = ignored ? 0 : (uint8_t)(d->steps[k] - 1);
        if (k + 1 < d->rank) m.stride[k] = d->strides[k];
    }
    set_box(&m, d);
    memcpy(out, &m, sizeof m);
    return 0;
}

host_error host_tensor_map_set_address(host_context *c, void *map, uint64_t address)
{
    exec_tensor_map m;
    (void)c;
    if (!is_place(map)) return REFUSE("The tensor map's own address must be a multiple of 64.");
    memcpy(&m, map, sizeof m);
    uint64_t alignment = m.interleave == INTERLEAVE_32B ? 32 : 16;
    if (address % alignment)
        return REFUSE("The tensor's address 0x%llx is no multiple of %llu.", (unsigned long long)address,
                      (unsigned long long)alignment);
    m.address = address;
    memcpy(map, &m, sizeof m);
    return 0;
}
