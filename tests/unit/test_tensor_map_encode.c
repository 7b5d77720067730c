/* test_tensor_map_encode: cuTensorMapEncodeTiled, EncodeIm2col, EncodeIm2colWide and ReplaceAddress: every rule of the
 * driver API's "Tensor Map Object Management" broken alone, its limits kept, and the 128 bytes that come of it. */
#include "cuda/driver.h"
#include "exec/tensor_map.h"
#include "unit.h"

enum { OK = 0, INVALID = 1, NOT_SUPPORTED = 801, NOT_INITIALIZED = 3 };

int lw_cuda_cuInit(unsigned flags);
int lw_cuda_cuTensorMapEncodeTiled(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                                   const uint32_t *, int, int, int, int);
int lw_cuda_cuTensorMapEncodeIm2col(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const int *,
                                    const int *, uint32_t, uint32_t, const uint32_t *, int, int, int, int);
int lw_cuda_cuTensorMapEncodeIm2colWide(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, int, int,
                                        uint32_t, uint32_t, const uint32_t *, int, int, int, int, int);
int lw_cuda_cuTensorMapReplaceAddress(void *, void *);

/* The arguments of one call. Tiled: lower[0] == UNUSED. */
typedef struct arguments {
    int type;
    uint32_t rank;
    uint64_t address, dims[5], strides[4];
    uint32_t box[5], steps[5];
    int interleave, swizzle, promotion, fill;
    int lower[3], upper[3];
    uint32_t channels, pixels;
    uint32_t shift; /* of the map in memory */
} arguments;

/* Maps that are right, each varied by the rows below. */
static const arguments tiled = {.type = 6,
                                .rank = 3,
                                .address = 0x1000,
                                .dims = {64, 32, 16, 4, 2},
                                .strides = {128, 4096, 65536, 262144},
                                .box = {64, 8, 2, 1, 1},
                                .steps = {1, 1, 1, 1, 1}};
static const arguments im2col = {.type = 6,
                                 .rank = 4,
                                 .address = 0x1000,
                                 .dims = {64, 32, 16, 4, 2},
                                 .strides = {128, 4096, 65536, 262144},
                                 .steps = {1, 1, 1, 1, 1},
                                 .channels = 64,
                                 .pixels = 128};

typedef struct change {
    int32_t want;
    const char *what;
    size_t at; /* in arguments */
    uint8_t bytes;
    uint64_t value;
    /* a second one */
    size_t at2;
    uint8_t bytes2;
    uint64_t value2;
} change;

#define SET(field, v) offsetof(arguments, field), sizeof(((arguments *)0)->field), (uint64_t)(v)

static const change tiled_rows[] = {
    {OK, "as it is", SET(type, 6), SET(type, 6)},
    {INVALID, "map aligned to 32", SET(shift, 32), SET(type, 6)},
    {INVALID, "no such type", SET(type, 16), SET(type, 16)},
    {INVALID, "negative type", SET(type, -1), SET(type, -1)},
    {INVALID, "packed type", SET(type, 13), SET(type, 13)},
    {OK, "last plain type", SET(type, 12), SET(box[0], 32)},
    {INVALID, "rank 0", SET(rank, 0), SET(type, 6)},
    {OK, "rank 1", SET(rank, 1), SET(type, 6)},
    {OK, "rank 5", SET(rank, 5), SET(type, 6)},
    {INVALID, "rank 6", SET(rank, 6), SET(type, 6)},
    {INVALID, "interleaved, rank 2", SET(interleave, 1), SET(rank, 2)},
    {OK, "interleaved, rank 3", SET(interleave, 1), SET(rank, 3)},
    {INVALID, "address + 8", SET(address, 0x1008), SET(type, 6)},
    {INVALID, "dimension 0", SET(dims[2], 0), SET(type, 6)},
    {OK, "dimension 2^32", SET(dims[2], UINT64_C(1) << 32), SET(type, 6)},
    {INVALID, "dimension 2^32 + 1", SET(dims[2], (UINT64_C(1) << 32) + 1), SET(type, 6)},
    {INVALID, "stride + 8", SET(strides[1], 4104), SET(type, 6)},
    {OK, "largest stride", SET(strides[1], (UINT64_C(1) << 40) - 16), SET(type, 6)},
    {INVALID, "stride 2^40", SET(strides[1], UINT64_C(1) << 40), SET(type, 6)},
    {OK, "stride beyond the rank is not looked at", SET(strides[2], 1), SET(type, 6)},
    {INVALID, "box 0", SET(box[1], 0), SET(type, 6)},
    {INVALID, "box of 1 MiB", SET(box[1], 256), SET(box[2], 256)},
    {OK, "box 256", SET(box[1], 256), SET(type, 6)},
    {INVALID, "box 257", SET(box[1], 257), SET(type, 6)},
    {OK, "box beyond the tensor", SET(box[2], 200), SET(type, 6)},
    {INVALID, "inner box of 24 bytes", SET(box[0], 12), SET(type, 6)},
    {INVALID, "interleaved, inner box of 24 bytes", SET(box[0], 12), SET(interleave, 1)},
    {INVALID, "step 0 of dimension 0", SET(steps[0], 0), SET(type, 6)},
    {INVALID, "interleaved, step 0 of dimension 0", SET(steps[0], 0), SET(interleave, 1)},
    {INVALID, "step 0", SET(steps[1], 0), SET(type, 6)},
    {OK, "step 8", SET(steps[1], 8), SET(type, 6)},
    {INVALID, "step 9", SET(steps[1], 9), SET(type, 6)},
    {INVALID, "interleave 3", SET(interleave, 3), SET(type, 6)},
    {OK, "interleaved by 32 without its swizzle", SET(interleave, 2), SET(type, 6)},
    {OK, "interleaved by 32 with its swizzle", SET(interleave, 2), SET(swizzle, 1)},
    {OK, "swizzle 128, 128 bytes", SET(swizzle, 3), SET(type, 6)},
    {INVALID, "swizzle 64, 128 bytes", SET(swizzle, 2), SET(type, 6)},
    {OK, "swizzle 64, 64 bytes", SET(swizzle, 2), SET(box[0], 32)},
    {INVALID, "swizzle 32, 64 bytes", SET(swizzle, 1), SET(box[0], 32)},
    {OK, "swizzle 32, 16 bytes", SET(swizzle, 1), SET(box[0], 8)},
    {INVALID, "swizzle 128 with larger atoms", SET(swizzle, 4), SET(type, 6)},
    {INVALID, "swizzle 7", SET(swizzle, 7), SET(type, 6)},
    {OK, "promotion 256 bytes", SET(promotion, 3), SET(type, 6)},
    {INVALID, "promotion 4", SET(promotion, 4), SET(type, 6)},
    {OK, "NaN fill", SET(fill, 1), SET(type, 6)},
    {INVALID, "NaN fill of integers", SET(fill, 1), SET(type, 1)},
    {INVALID, "fill 2", SET(fill, 2), SET(type, 6)},
    {INVALID, "interleaved by 32, address aligned to 16", SET(interleave, 2), SET(address, 0x1010)},
};

static const change im2col_rows[] = {
    {OK, "as it is", SET(type, 6), SET(type, 6)},
    {INVALID, "rank 2", SET(rank, 2), SET(type, 6)},
    {OK, "rank 3", SET(rank, 3), SET(type, 6)},
    {INVALID, "channels 0", SET(channels, 0), SET(type, 6)},
    {OK, "channels 256", SET(channels, 256), SET(type, 6)},
    {INVALID, "channels 264", SET(channels, 264), SET(type, 6)},
    {INVALID, "channels of 24 bytes", SET(channels, 12), SET(type, 6)},
    {INVALID, "channels wider than the swizzle", SET(channels, 128), SET(swizzle, 3)},
    {INVALID, "pixels 0", SET(pixels, 0), SET(type, 6)},
    {OK, "pixels 1024", SET(pixels, 1024), SET(type, 6)},
    {INVALID, "pixels 1025", SET(pixels, 1025), SET(type, 6)},
    {OK, "rank 4, corner -128", SET(lower[0], -128), SET(type, 6)},
    {INVALID, "rank 4, corner -129", SET(lower[0], -129), SET(type, 6)},
    {OK, "rank 4, corner 127", SET(upper[1], 127), SET(type, 6)},
    {INVALID, "rank 4, corner 128", SET(upper[1], 128), SET(type, 6)},
    {OK, "rank 3, corner -32768", SET(lower[0], -32768), SET(rank, 3)},
    {INVALID, "rank 5, corner -17", SET(lower[2], -17), SET(rank, 5)},
    {OK, "rank 5, corner 15", SET(upper[2], 15), SET(rank, 5)},
    {OK, "box of one pixel", SET(upper[0], -31), SET(type, 6)},
    {INVALID, "empty box", SET(upper[0], -32), SET(type, 6)},
};

static void apply(arguments *a, size_t at, uint8_t bytes, uint64_t value) { memcpy((char *)a + at, &value, bytes); }

static int encode(void *map, const arguments *a, bool column)
{
    void *address = (void *)(uintptr_t)a->address;
    if (column)
        return lw_cuda_cuTensorMapEncodeIm2col(map, a->type, a->rank, address, a->dims, a->strides, a->lower, a->upper,
                                               a->channels, a->pixels, a->steps, a->interleave, a->swizzle,
                                               a->promotion, a->fill);
    return lw_cuda_cuTensorMapEncodeTiled(map, a->type, a->rank, address, a->dims, a->strides, a->box, a->steps,
                                          a->interleave, a->swizzle, a->promotion, a->fill);
}

static void try_rows(const change *rows, size_t count, const arguments *base, bool column)
{
    for (size_t k = 0; k < count; k++) {
        char room[256] __attribute__((aligned(64)));
        arguments a = *base;
        memset(room, 0x5a, sizeof room);
        apply(&a, rows[k].at, rows[k].bytes, rows[k].value);
        apply(&a, rows[k].at2, rows[k].bytes2, rows[k].value2);
        int got = encode(room + a.shift, &a, column);
        if (got != rows[k].want) UNIT_FAIL("%s: %d, expected %d", rows[k].what, got, rows[k].want);
        bool written = room[0] != 0x5a || room[9] != 0x5a || room[127] != 0x5a;
        if (written != (got == OK))
            UNIT_FAIL("%s: a refused map was written, or one that is right was not", rows[k].what);
    }
}

UNIT_CASE(without_a_driver)
{
    char map[128] __attribute__((aligned(64)));
    CHECK_EQ_INT(encode(map, &tiled, false), NOT_INITIALIZED);
    CHECK_EQ_INT(lw_cuda_cuInit(0), OK);
}

UNIT_CASE(rules_of_tiles) { try_rows(tiled_rows, LW_COUNT(tiled_rows), &tiled, false); }
UNIT_CASE(rules_of_columns) { try_rows(im2col_rows, LW_COUNT(im2col_rows), &im2col, true); }

UNIT_CASE(missing_arrays)
{
    char map[128] __attribute__((aligned(64)));
    const arguments *a = &tiled;
    void *address = (void *)(uintptr_t)a->address;
    CHECK_EQ_INT(encode(NULL, a, false), INVALID);
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeTiled(map, 6, 3, address, NULL, a->strides, a->box, a->steps, 0, 0, 0, 0),
                 INVALID);
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeTiled(map, 6, 3, address, a->dims, NULL, a->box, a->steps, 0, 0, 0, 0),
                 INVALID);
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeTiled(map, 6, 1, address, a->dims, NULL, a->box, a->steps, 0, 0, 0, 0), OK);
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeTiled(map, 6, 3, address, a->dims, a->strides, NULL, a->steps, 0, 0, 0, 0),
                 INVALID);
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeTiled(map, 6, 3, address, a->dims, a->strides, a->box, NULL, 0, 0, 0, 0),
                 INVALID);
}

UNIT_CASE(needs_a_newer_device)
{
    char map[128] __attribute__((aligned(64)));
    void *address = (void *)(uintptr_t)im2col.address;
    CHECK_EQ_INT(lw_cuda_cuTensorMapEncodeIm2colWide(map, 6, 4, address, im2col.dims, im2col.strides, 0, 0, 64, 64,
                                                     im2col.steps, 0, 0, 0, 0, 0),
                 NOT_SUPPORTED);
}

/* The numbers of types differ between the driver and PTX. */
UNIT_CASE(what_is_written)
{
    static const uint8_t ptx_of[] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 11, 12};
    exec_tensor_map map __attribute__((aligned(64)));
    arguments a = tiled;
    for (int type = 0; type < 13; type++) {
        a.type = type;
        a.box[0] = 16;
        CHECK_EQ_INT(encode(&map, &a, false), OK);
        CHECK_EQ_INT(map.type, ptx_of[type]);
    }
    a = im2col;
    a.lower[0] = -1;
    a.upper[1] = -2;
    CHECK_EQ_INT(encode(&map, &a, true), OK);
    CHECK_EQ_INT(map.mode, EXEC_TENSOR_IM2COL);
    CHECK_EQ_INT(map.rank_1, 3);
    CHECK_EQ_INT(map.lower[0], -1);
    CHECK_EQ_INT(map.upper[1], -2);
    CHECK_EQ_INT(map.box_1[0], 63);
    CHECK_EQ_INT(map.box_1[1], 127);
    CHECK_EQ_INT(lw_cuda_cuTensorMapReplaceAddress(&map, (void *)0x2010), OK);
    CHECK_EQ_INT(map.address, 0x2010);
    CHECK_EQ_INT(map.dim_1[0], 63);
    CHECK_EQ_INT(lw_cuda_cuTensorMapReplaceAddress(&map, (void *)0x2008), INVALID);
    CHECK_EQ_INT(lw_cuda_cuTensorMapReplaceAddress((char *)&map + 16, (void *)0x2010), INVALID);
    CHECK_EQ_INT(map.address, 0x2010);
}

UNIT_MAIN()
