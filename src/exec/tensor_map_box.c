/* tensor_map_box.c: the rows of a copy by a tensor map.
 *
 * Interleaved maps (NC/8HWC8 and NC/16HWC16 in the driver's words) are, as recorded (tests/hw/tensor/record_tensor_map.cu): a row is
 * one slice of 16 or 32 bytes; dimension 0 is W, which lies slice by slice, so that it has no stride of its own; the last dimension
 * but one numbers the slices, of which a copy takes one, whatever its box says. */
#include "exec/tensor_map_box.h"

enum { SLICE_LEAST = 16, INTERLEAVE_MOST = 2, BOX_MOST = 256, PIXELS_MOST = 1024, STEP_MOST = 8, SWIZZLE_MOST = 3 };

/* What an encoder would have refused: maps can also be built on the device. */
static const char *check_map(const exec_tensor_map *m, uint32_t rank, bool im2col)
{
    if (m->rank_1 + 1u != rank) return "the tensor map has another number of dimensions";
    if ((m->mode == EXEC_TENSOR_IM2COL) != im2col || m->mode > EXEC_TENSOR_IM2COL)
        return "the tensor map was made for the other mode (tile, im2col)";
    if (m->type >= EXEC_TENSOR_TYPE_COUNT) return "the tensor map's element type does not exist on this device";
    if (m->interleave > INTERLEAVE_MOST) return "the tensor map's interleave mode does not exist";
    if (m->interleave && rank < 3) return "an interleaved tensor map has fewer than 3 dimensions";
    if (m->swizzle > SWIZZLE_MOST || m->atomicity) return "the tensor map's swizzle needs compute capability 10.0";
    if (m->fill > 1) return "the tensor map's fill mode does not exist";
    uint32_t slice = m->interleave == INTERLEAVE_MOST ? 32 : 16;
    if (m->address % slice) return "the tensor's address is no multiple of 16 (interleaved by 32: of 32)";
    for (uint32_t k = 0; k < rank; k++) {
        uint32_t most = im2col && k == 1 ? PIXELS_MOST : BOX_MOST;
        if (m->box_1[k] >= most) return "the tensor map's box is too large";
        if ((k || m->interleave) && m->step_1[k] >= STEP_MOST)
            return "an element stride of the tensor map is more than 8";
        if (k && m->stride[k - 1] % slice)
            return "a stride of the tensor map is no multiple of 16 (interleaved by 32: of 32)";
    }
    return NULL;
}

static uint64_t dim_of(const exec_tensor_map *m, uint32_t k) { return (uint64_t)m->dim_1[k] + 1; }

/* The dimension that numbers the slices of an interleaved map. */
static bool is_slices(const exec_tensor_box *b, uint32_t k) { return b->map->interleave && k + 2 == b->rank; }

static void open_tile(exec_tensor_box *b, const int32_t *coordinates)
{
    b->rows = 1;
    for (uint32_t k = b->outer; k < b->rank; k++) {
        uint32_t count = is_slices(b, k) ? 1 : b->map->box_1[k] / b->step[k] + 1u; /* ceil(box / step) */
        b->start[k] = b->at[k] = coordinates[k];
        b->last[k] = b->start[k] + (int64_t)(count - 1) * b->step[k];
        b->rows *= count;
    }
}

/* Pixels follow each other along W, then H, then D within the bounding box, then image by image. false: the first one lies outside. */
static bool open_im2col(exec_tensor_box *b, const int32_t *coordinates, const uint32_t *offset)
{
    uint32_t images = b->rank - 1;
    bool inside = true;
    b->rows = b->map->box_1[1] + 1u;
    for (uint32_t k = b->outer; k < b->rank; k++) {
        uint32_t corner = k - b->outer;
        b->at[k] = coordinates[k];
        if (is_slices(b, k)) {
            b->start[k] = b->last[k] = b->at[k];
        } else if (k < images) {
            b->start[k] = b->map->lower[corner];
            b->last[k] = (int64_t)dim_of(b->map, k) - 1 + b->map->upper[corner];
            b->offset[k] = offset[corner];
            inside &= b->at[k] >= b->start[k] && b->at[k] <= b->last[k];
        }
    }
    b->start[images] = 0;
    b->last[images] = INT64_MAX;
    return inside;
}

const char *exec_tensor_box_open(exec_tensor_box *b, const exec_tensor_map *map, uint32_t rank, bool im2col,
                                 const int32_t *coordinates, const uint32_t *offset)
{
    const char *why = check_map(map, rank, im2col);
    if (why) return why;
    *b = (exec_tensor_box){.map = map, .rank = rank, .element = exec_tensor_types[map->type].bytes};
    b->outer = map->interleave ? 0 : 1;
    b->row_bytes = map->interleave ? (uint32_t)SLICE_LEAST << (map->interleave - 1) : (map->box_1[0] + 1u) * b->element;
    b->inner = b->row_bytes / b->element;
    b->pitch = map->swizzle && !map->interleave ? 16u << map->swizzle : b->row_bytes;
    if (b->row_bytes % 16) return "the inner dimension of the tensor map's box is no multiple of 16 bytes";
    if (b->row_bytes > b->pitch) return "the inner dimension of the tensor map's box is wider than its swizzle";
    for (uint32_t k = 0; k < rank; k++) b->step[k] = map->step_1[k] + 1u;
    if (!im2col) open_tile(b, coordinates);
    else if (!open_im2col(b, coordinates, offset)) return "the first pixel lies outside the bounding box";
    if (map->interleave) return NULL;
    b->at[0] = coordinates[0];
    return b->at[0] * (int64_t)b->element % 16 ? "the box begins at no multiple of 16 bytes along dimension 0" : NULL;
}

/* What the coordinates of a row add to the address. Returns whether they lie in the tensor, but for that of slices along W. */
static bool find_row(const exec_tensor_box *b, uint64_t *out, bool *slice_inside)
{
    bool inside = true;
    *out = 0;
    *slice_inside = true;
    for (uint32_t k = b->outer; k < b->rank; k++) {
        int64_t x = b->at[k] + b->offset[k];
        bool within = x >= 0 && (uint64_t)x < dim_of(b->map, k);
        if (k) inside &= within;
        else *slice_inside = within;
        *out += (uint64_t)x * (k ? b->map->stride[k - 1] : b->row_bytes);
    }
    return inside;
}

static void advance(exec_tensor_box *b)
{
    b->follows = false;
    for (uint32_t k = b->outer; k < b->rank; k++) {
        b->at[k] += b->step[k];
        b->follows = k == 0 && b->step[0] == 1;
        if (b->at[k] <= b->last[k]) return;
        b->at[k] = b->start[k];
    }
    b->follows = false;
}

exec_tensor_row exec_tensor_box_next(exec_tensor_box *b)
{
    exec_tensor_row row = {.follows = b->follows};
    uint64_t offset = 0;
    bool slice_inside;
    int64_t first = b->outer ? b->at[0] : 0, low = LW_MAX(-first, (int64_t)0), high = b->inner;
    if (b->outer) high = LW_MIN(high, (int64_t)dim_of(b->map, 0) - first);
    bool beyond = !find_row(b, &offset, &slice_inside);
    bool inside = !beyond && slice_inside && low < high;
    row.whole = b->map->address + offset + (uint64_t)first * b->element;
    if (inside) {
        row.skip = (uint32_t)low * b->element;
        row.bytes = (uint32_t)(high - low) * b->element;
        row.address = row.whole + row.skip;
    }
    advance(b);
    return row;
}
