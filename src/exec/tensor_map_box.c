/* tensor_map_box.c: the rows of a copy by a tensor map. */
#include "exec/tensor_map_box.h"

enum { BOX_MOST = 256, PIXELS_MOST = 1024, STEP_MOST = 8, SWIZZLE_MOST = 3 };

/* What an encoder would have refused: maps can also be built on the device. */
static const char *check_map(const exec_tensor_map *m, uint32_t rank, bool im2col)
{
    if (m->rank_1 + 1u != rank) return "the tensor map has another number of dimensions";
    if ((m->mode == EXEC_TENSOR_IM2COL) != im2col || m->mode > EXEC_TENSOR_IM2COL)
        return "the tensor map was made for the other mode (tile, im2col)";
    if (m->type >= EXEC_TENSOR_TYPE_COUNT) return "the tensor map's element type does not exist on this device";
    if (m->interleave) return "interleaved tensor maps are not supported (how their slices lie is not published)";
    if (m->swizzle > SWIZZLE_MOST || m->atomicity) return "the tensor map's swizzle needs compute capability 10.0";
    if (m->fill > 1) return "the tensor map's fill mode does not exist";
    if (m->address % 16) return "the tensor's address is no multiple of 16";
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t most = im2col && k == 1 ? PIXELS_MOST : BOX_MOST;
        if (m->box_1[k] >= most) return "the tensor map's box is too large";
        if (k && m->step_1[k] >= STEP_MOST) return "an element stride of the tensor map is more than 8";
        if (k && m->stride[k - 1] % 16) return "a stride of the tensor map is no multiple of 16";
    }
    return NULL;
}

static uint64_t dim_of(const exec_tensor_map *m, uint32_t k) { return (uint64_t)m->dim_1[k] + 1; }

static void open_tile(exec_tensor_box *b, const int32_t *coordinates)
{
    b->rows = 1;
    for (uint32_t k = 1; k < b->rank; k++) {
        uint32_t count = b->map->box_1[k] / b->step[k] + 1u; /* ceil(box / step) */
        b->start[k] = b->at[k] = coordinates[k];
        b->last[k] = b->start[k] + (int64_t)(count - 1) * b->step[k];
        b->rows *= count;
    }
}

/* Pixels follow each other along W, then H, then D within the bounding box, then image by image. */
static void open_im2col(exec_tensor_box *b, const int32_t *coordinates, const uint32_t *offset)
{
    uint32_t images = b->rank - 1;
    b->rows = b->map->box_1[1] + 1u;
    for (uint32_t k = 1; k < images; k++) {
        b->at[k] = coordinates[k];
        b->start[k] = b->map->lower[k - 1];
        b->last[k] = (int64_t)dim_of(b->map, k) - 1 + b->map->upper[k - 1];
        b->offset[k] = offset[k - 1];
    }
    b->at[images] = coordinates[images];
    b->start[images] = 0;
    b->last[images] = INT64_MAX;
}

const char *exec_tensor_box_open(exec_tensor_box *b, const exec_tensor_map *map, uint32_t rank, bool im2col,
                                 const int32_t *coordinates, const uint32_t *offset)
{
    const char *why = check_map(map, rank, im2col);
    if (why) return why;
    *b = (exec_tensor_box){.map = map, .rank = rank, .element = exec_tensor_types[map->type].bytes};
    b->inner = map->box_1[0] + 1u;
    b->row_bytes = b->inner * b->element;
    b->pitch = map->swizzle ? 16u << map->swizzle : b->row_bytes;
    if (b->row_bytes % 16) return "the inner dimension of the tensor map's box is no multiple of 16 bytes";
    if (b->row_bytes > b->pitch) return "the inner dimension of the tensor map's box is wider than its swizzle";
    for (uint32_t k = 0; k < rank; k++) b->step[k] = map->step_1[k] + 1u;
    b->at[0] = coordinates[0];
    if (b->at[0] * (int64_t)b->element % 16) return "the box begins at no multiple of 16 bytes along dimension 0";
    if (im2col) open_im2col(b, coordinates, offset);
    else open_tile(b, coordinates);
    return NULL;
}

/* What all coordinates but the innermost add to the address. Returns whether they lie in the tensor. */
static bool find_row(const exec_tensor_box *b, uint64_t *out)
{
    bool inside = true;
    *out = 0;
    for (uint32_t k = 1; k < b->rank; k++) {
        int64_t x = b->at[k] + b->offset[k];
        inside &= x >= 0 && (uint64_t)x < dim_of(b->map, k);
        *out += (uint64_t)x * b->map->stride[k - 1];
    }
    return inside;
}

static void advance(exec_tensor_box *b)
{
    for (uint32_t k = 1; k < b->rank; k++) {
        b->at[k] += b->step[k];
        if (b->at[k] <= b->last[k]) return;
        b->at[k] = b->start[k];
    }
}

exec_tensor_row exec_tensor_box_next(exec_tensor_box *b)
{
    exec_tensor_row row = {0};
    uint64_t offset = 0;
    int64_t first = b->at[0], low = LW_MAX(-first, (int64_t)0);
    int64_t high = LW_MIN((int64_t)b->inner, (int64_t)dim_of(b->map, 0) - first);
    row.beyond = !find_row(b, &offset);
    bool inside = !row.beyond && low < high;
    row.whole = b->map->address + offset + (uint64_t)first * b->element;
    if (inside) {
        row.skip = (uint32_t)low * b->element;
        row.bytes = (uint32_t)(high - low) * b->element;
        row.address = row.whole + row.skip;
    }
    advance(b);
    return row;
}
