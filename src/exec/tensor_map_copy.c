/* tensor_map_copy.c: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace, tensormap.cp_fenceproxy.
 *
 * As with other bulk copies the data lands when the instruction is issued, and completes at once: bytes on the mbarrier
 * are those of the whole box, what lies outside the tensor included.
 *
 * tests/hw/tensor/record_tensor_map.cu has recorded what lands in shared memory. Not known: how conversion to tf32 rounds ties
 * (here away from zero). */
#include "exec/async.h"
#include "exec/bulk_count.h"
#include "exec/operand.h"
#include "exec/tensor_map_box.h"

#include <string.h>

enum { ROW_MOST = 256 * 8, SHARED_ALIGNMENT = 128 };

/* One lane's copy. */
typedef struct tensor_copy {
    exec_ctx *x;
    const code_insn *insn;
    uint32_t lane;
    exec_tensor_map map;
    exec_tensor_box box; /* before its first row */
    uint64_t bytes;      /* of all elements of the box */
    uint32_t extent;     /* bytes that they take in shared memory */
    uint64_t shared;     /* rank << 24 | offset */
    uint64_t barrier;    /* loads: the same */
    uint32_t ranks;      /* multicast: destination blocks, a bit each */
    uint32_t number;     /* as an asynchronous operation */
} tensor_copy;

/* The side in shared memory. */
typedef struct tensor_tile {
    uint8_t *p;
    event_space space;
    uint64_t seen; /* its address as events give it */
} tensor_tile;

static bool refuse(const tensor_copy *c, const char *why)
{
    exec_fail(c->x, c->insn, EXEC_ILLEGAL_INSTRUCTION, c->lane, c->shared, (uint32_t)c->bytes, false, "global",
              "copy by a tensor map: %s", why);
    return false;
}

/* ---------------------------------------------------------------- events */
/* Byte `at` of the box's rows in shared memory, as an offset from the tile's beginning. */
static uint64_t place_of(const tensor_copy *c, const tensor_tile *tile, uint64_t at)
{
    return exec_tensor_swizzle(&c->map, tile->seen + at) - tile->seen;
}

/* The bytes [from, to) of a row, which begins at byte `start` of the tile: pieces that lie together on both sides.
 * global: of the row's byte `from`; 0: they are filled. op: of the side that is written. */
static void tell_pieces(const tensor_copy *c, const tensor_tile *tile, event_op op, uint64_t start, uint32_t from,
                        uint32_t to, uint64_t global)
{
    bool loads = c->insn->mem.tensor.direction == BULK_GLOBAL_TO_SHARED;
    for (uint32_t k = from, n; k < to; k += n) {
        n = c->map.swizzle ? LW_MIN(16 - k % 16, to - k) : to - k;
        uint64_t there = tile->seen + place_of(c, tile, start + k), here = global + (k - from);
        exec_bulk_side side = {.op = op,
                               .space = loads ? tile->space : EVENT_GLOBAL,
                               .lane = c->lane,
                               .bytes = n,
                               .address = loads ? there : here,
                               .other = loads ? here : there,
                               .async = c->number,
                               .one_sided = !global,
                               .only = EVENT_ACCESS + 1};
        exec_tell_bulk(c->x, c->insn, &side);
    }
}

/* What is counted of the side in shared memory; of what is read also what it accesses. */
static void tell_tile(const tensor_copy *c, const tensor_tile *tile, event_op op, uint8_t only)
{
    exec_bulk_side side = {.op = op,
                           .space = tile->space,
                           .lane = c->lane,
                           .bytes = only == EVENT_COUNTED + 1 ? (uint32_t)c->bytes : c->extent,
                           .address = tile->seen,
                           .other = c->map.address,
                           .async = c->number,
                           .only = only};
    exec_tell_bulk(c->x, c->insn, &side);
}

/* ---------------------------------------------------------------- rows */
static uint8_t *global_row(const tensor_copy *c, const exec_tensor_row *row, bool writes)
{
    event_space space;
    uint64_t seen;
    return exec_lane_range(c->x, c->insn, PTX_GLOBAL, c->lane, row->address, row->bytes, writes, &space, &seen);
}

static void fill_row(const tensor_copy *c, uint8_t *row)
{
    static const uint16_t nan = 0x7ff7; /* whatever the type */
    if (!c->map.fill || !exec_tensor_types[c->map.type].is_float) {
        memset(row, 0, c->box.row_bytes);
        return;
    }
    for (uint32_t k = 0; k < c->box.row_bytes; k += 2) memcpy(row + k, &nan, 2);
}

static uint32_t to_tf32(uint32_t v)
{
    bool special = (v & 0x7f800000u) == 0x7f800000u;
    if (special) return v & 0x7fffffu ? 0x7fffe000u : v;
    return (v + 0x1000u) & ~UINT32_C(0x1fff);
}

/* Types that change f32 values on the way into shared memory; those with ftz flush nothing there. */
static void convert_row(const tensor_copy *c, uint8_t *row, uint32_t bytes)
{
    uint8_t type = c->map.type;
    if (type != EXEC_TENSOR_TF32 && type != EXEC_TENSOR_TF32_FTZ) return;
    for (uint32_t k = 0; k < bytes; k += 4) {
        uint32_t v;
        memcpy(&v, row + k, 4);
        v = to_tf32(v);
        memcpy(row + k, &v, 4);
    }
}

/* Between a row and the tile, chunk by chunk. */
static void put_row(const tensor_copy *c, const tensor_tile *tile, uint64_t start, const uint8_t *row)
{
    if (!c->map.swizzle) {
        memcpy(tile->p + start, row, c->box.row_bytes);
        return;
    }
    for (uint32_t k = 0; k < c->box.row_bytes; k += 16) memcpy(tile->p + place_of(c, tile, start + k), row + k, 16);
}

static void take_row(const tensor_copy *c, const tensor_tile *tile, uint64_t start, uint8_t *row)
{
    if (!c->map.swizzle) {
        memcpy(row, tile->p + start, c->box.row_bytes);
        return;
    }
    for (uint32_t k = 0; k < c->box.row_bytes; k += 16) memcpy(row + k, tile->p + place_of(c, tile, start + k), 16);
}

/* ---------------------------------------------------------------- loads */
static exec_bulk_teller teller_of(const tensor_copy *c, event_op op, uint64_t other)
{
    return (exec_bulk_teller){
        .x = c->x, .insn = c->insn, .lane = c->lane, .number = c->number, .op = op, .other = other};
}

/* Every row is checked, and told, before the first is written. */
static bool check_rows(const tensor_copy *c, bool writes)
{
    exec_tensor_box box = c->box;
    exec_bulk_teller counted = teller_of(c, EVENT_COPY_READ, c->shared), read = counted;
    counted.only = EVENT_COUNTED + 1;
    counted.cast = c->insn->mem.list->ref[2] != CODE_NO_REF;
    read.only = EVENT_ACCESS + 1;
    for (uint64_t r = 0; r < box.rows; r++) {
        exec_tensor_row row = exec_tensor_box_next(&box);
        if (row.bytes && !global_row(c, &row, writes)) return false;
        if (writes) continue;
        uint64_t shared = c->shared + r * box.pitch;
        if (c->map.interleave) exec_bulk_count_slice(&counted, &row, box.row_bytes, shared);
        else exec_bulk_count_row(&counted, &row, box.row_bytes, shared);
        exec_bulk_tell_row(&read, row.address, row.bytes);
    }
    if (writes) return true;
    exec_bulk_flush(&counted);
    if (read.bytes) exec_bulk_flush(&read);
    return true;
}

static bool load_row(const tensor_copy *c, const tensor_tile *tile, uint64_t start, const exec_tensor_row *row)
{
    uint8_t bytes[ROW_MOST];
    uint32_t end = row->skip + row->bytes;
    if (row->bytes < c->box.row_bytes) fill_row(c, bytes);
    if (row->bytes) {
        const uint8_t *from = global_row(c, row, false);
        if (!from) return false;
        memcpy(bytes + row->skip, from, row->bytes);
        convert_row(c, bytes + row->skip, row->bytes);
    }
    put_row(c, tile, start, bytes);
    if (!exec_wants_stated(c->x)) return true;
    tell_pieces(c, tile, EVENT_COPY_WRITE, start, 0, row->skip, 0);
    tell_pieces(c, tile, EVENT_COPY_WRITE, start, row->skip, end, row->address);
    tell_pieces(c, tile, EVENT_COPY_WRITE, start, end, c->box.row_bytes, 0);
    return true;
}

/* The box into one block; its mbarrier lies in the same block. */
static bool load_into(const tensor_copy *c, uint64_t to, uint64_t barrier)
{
    tensor_tile tile;
    exec_tensor_box box = c->box;
    if (exec_shared_rank(to) != exec_shared_rank(barrier))
        return refuse(c, "the destination and the mbarrier must lie in one block");
    tile.p = exec_lane_range(c->x, c->insn, PTX_SHARED_CLUSTER, c->lane, to, c->extent, true, &tile.space, &tile.seen);
    if (!tile.p) return false;
    for (uint64_t r = 0; r < box.rows; r++) {
        exec_tensor_row row = exec_tensor_box_next(&box);
        if (!load_row(c, &tile, r * box.pitch, &row)) return false;
    }
    exec_note_overwrite(c->x, tile.p, c->extent);
    tell_tile(c, &tile, EVENT_COPY_WRITE, EVENT_COUNTED + 1);
    return exec_async_complete_on(c->x, c->insn, c->lane, barrier, (uint32_t)c->bytes, c->number);
}

static bool load(tensor_copy *c)
{
    c->number = exec_async_number(c->x);
    exec_async_issue_on(c->x, c->insn, c->lane, c->barrier, (uint32_t)c->bytes, c->number);
    if (!check_rows(c, false)) return false;
    if (c->insn->mem.list->ref[2] == CODE_NO_REF) return load_into(c, c->shared, c->barrier);
    for (uint32_t m = c->ranks; m; m &= m - 1) {
        uint64_t slot = exec_shared_slot((uint32_t)__builtin_ctz(m));
        if (!load_into(c, slot + exec_shared_offset(c->shared), slot + exec_shared_offset(c->barrier))) return false;
    }
    return true;
}

/* ---------------------------------------------------------------- stores and reductions */
static void reduce_row(const tensor_copy *c, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    ptx_type type = (ptx_type)exec_tensor_types[c->map.type].reduces;
    uint8_t *pointer[32];
    pointer[c->lane] = to;
    if (c->x->fields) {
        exec_watch_begin(c->x, c->insn, 1u << c->lane, pointer, bytes);
        exec_watch_before(c->x, c->lane, to, bytes);
    }
    for (uint32_t k = 0; k < bytes; k += c->box.element) {
        uint64_t value = 0;
        memcpy(&value, from + k, c->box.element);
        exec_atomic_update(c->x, c->insn->mem.tensor.operation, type, to + k, EVENT_GLOBAL, value);
    }
    if (c->x->fields) exec_watch_after(c->x, c->lane, to, bytes, true, true);
}

/* The part of a row that lies in the tensor, as a card counts it. */
static void count_stored(const tensor_copy *c, const tensor_tile *tile, uint64_t start, const exec_tensor_row *row,
                         exec_bulk_teller *t)
{
    exec_tensor_row stored = {
        .whole = row->address, .address = row->address, .bytes = row->bytes, .follows = row->follows};
    t->other = tile->seen + start + row->skip;
    if (c->map.interleave) exec_bulk_count_slice(t, &stored, row->bytes, t->other);
    else exec_bulk_count_row(t, &stored, row->bytes, t->other);
}

static bool store_row(const tensor_copy *c, const tensor_tile *tile, uint64_t start, const exec_tensor_row *row,
                      exec_bulk_teller *t)
{
    uint8_t bytes[ROW_MOST];
    bool reduces = t->op == EVENT_REDUCTION;
    if (!row->bytes) return true;
    uint8_t *to = global_row(c, row, true);
    if (!to) return false;
    take_row(c, tile, start, bytes);
    if (reduces) {
        reduce_row(c, to, bytes + row->skip, row->bytes);
    } else {
        memcpy(to, bytes + row->skip, row->bytes);
        exec_note_overwrite(c->x, to, row->bytes);
    }
    count_stored(c, tile, start, row, t);
    if (exec_wants_stated(c->x)) tell_pieces(c, tile, t->op, start, row->skip, row->skip + row->bytes, row->address);
    if (reduces && c->x->fields) exec_watch_end(c->x);
    return true;
}

/* Does the operation exist for elements of the map's type? */
static bool reduces_type(const tensor_copy *c)
{
    uint32_t operation = c->insn->mem.tensor.operation;
    ptx_type type = (ptx_type)exec_tensor_types[c->map.type].reduces;
    bool real = exec_tensor_types[c->map.type].is_float;
    switch (operation) {
    case ATOM_ADD: return type != PTX_NO_TYPE && type != PTX_S64;
    case ATOM_MIN:
    case ATOM_MAX: return type != PTX_NO_TYPE && type != PTX_F32;
    case ATOM_INC:
    case ATOM_DEC: return type == PTX_U32;
    default: return type != PTX_NO_TYPE && !real;
    }
}

static bool store(tensor_copy *c)
{
    tensor_tile tile;
    exec_tensor_box box = c->box;
    bool reduces = c->insn->mem.tensor.operation != CODE_NO_OPERATION;
    if (reduces && !reduces_type(c)) return refuse(c, "the reduction does not exist for the tensor map's element type");
    c->number = exec_groups_issue(c->x, c->insn, 1u << c->lane, (uint32_t)c->bytes);
    tile.p = exec_lane_range(c->x, c->insn, PTX_SHARED_CLUSTER, c->lane, c->shared, c->extent, false, &tile.space,
                             &tile.seen);
    if (!tile.p || !check_rows(c, true)) return false;
    tell_tile(c, &tile, EVENT_COPY_READ, EVENT_COUNTED + 1);
    tell_tile(c, &tile, EVENT_COPY_READ, EVENT_ACCESS + 1);
    exec_bulk_teller t = teller_of(c, reduces ? EVENT_REDUCTION : EVENT_COPY_WRITE, tile.seen);
    t.only = EVENT_COUNTED + 1;
    for (uint64_t r = 0; r < box.rows; r++) {
        exec_tensor_row row = exec_tensor_box_next(&box);
        if (!store_row(c, &tile, r * box.pitch, &row, &t)) return false;
    }
    exec_bulk_flush(&t);
    return true;
}

/* ---------------------------------------------------------------- one lane */
static bool read_map(tensor_copy *c, uint64_t address)
{
    event_space space;
    uint64_t seen;
    if (address % EXEC_TENSOR_ALIGNMENT) {
        exec_fail(c->x, c->insn, EXEC_MISALIGNED, c->lane, address, sizeof c->map, false, "global",
                  "tensor map at 0x%llx: its address must be a multiple of %u", (unsigned long long)address,
                  EXEC_TENSOR_ALIGNMENT);
        return false;
    }
    const uint8_t *p =
        exec_lane_range(c->x, c->insn, PTX_GENERIC, c->lane, address, sizeof c->map, false, &space, &seen);
    if (!p) return false;
    if (space != EVENT_GLOBAL) return refuse(c, "the tensor map lies in shared or local memory");
    memcpy(&c->map, p, sizeof c->map);
    return true;
}

/* The box that the operand list names. */
static bool read_box(tensor_copy *c)
{
    const exec_ctx *x = c->x;
    const code_insn *i = c->insn;
    const code_list *list = i->mem.list;
    uint32_t rank = i->mem.tensor.dimensions, offset[3] = {0};
    int32_t coordinates[EXEC_TENSOR_DIMS] = {0};
    for (uint32_t k = 0; k < rank; k++) coordinates[k] = LANES(int32_t, list->ref[3 + k])[c->lane];
    for (uint32_t k = 0; i->mem.tensor.im2col && k + 2 < rank; k++)
        if (list->ref[3 + rank + k] != CODE_NO_REF) offset[k] = LANES(uint16_t, list->ref[3 + rank + k])[c->lane];
    if (i->mem.tensor.direction == BULK_SHARED_TO_GLOBAL && !i->mem.tensor.im2col) /* as an H200 answers */
        for (uint32_t k = 0; k < rank; k++)
            if (coordinates[k] < 0) return refuse(c, "a store must not begin at a negative coordinate");
    const char *why = exec_tensor_box_open(&c->box, &c->map, rank, i->mem.tensor.im2col, coordinates, offset);
    if (why) return refuse(c, why);
    c->bytes = c->box.rows * c->box.row_bytes;
    if (c->box.rows * c->box.pitch > exec_shared_slot(1)) return refuse(c, "the box is larger than shared memory");
    c->extent = (uint32_t)c->box.rows * c->box.pitch;
    if (c->map.swizzle)
        c->extent = (uint32_t)lw_round_up(c->extent, 16u << c->map.swizzle); /* slices change places there, too */
    return true;
}

static bool check_shared(const tensor_copy *c)
{
    bool own = exec_shared_rank(c->shared) == c->x->block->rank;
    if (c->insn->mem.space == PTX_SHARED && !own)
        return refuse(c, "the address does not lie in the block's own shared memory");
    if (c->shared % SHARED_ALIGNMENT == 0) return true;
    exec_fail(c->x, c->insn, EXEC_MISALIGNED, c->lane, c->shared, (uint32_t)c->bytes, false, "shared",
              "copy by a tensor map: the shared memory address 0x%llx must be a multiple of %d",
              (unsigned long long)c->shared, SHARED_ALIGNMENT);
    return false;
}

void run_tensor_copy(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    bool loads = i->mem.tensor.direction == BULK_GLOBAL_TO_SHARED;
    x->lanes_on[i->site] += lw_popcount(mask);
    LANES_OF(mask)
    {
        tensor_copy c = {.x = x, .insn = i, .lane = l, .shared = LANES(uint64_t, i->a)[l]};
        if (loads) c.barrier = LANES(uint64_t, list->ref[1])[l];
        if (list->ref[2] != CODE_NO_REF) c.ranks = LANES(uint16_t, list->ref[2])[l];
        if (!read_map(&c, LANES(uint64_t, list->ref[0])[l]) || !read_box(&c) || !check_shared(&c)) return;
        if (loads ? !load(&c) : !store(&c)) return;
    }
}

/* ---------------------------------------------------------------- changing maps on the device */
/* An access to the whole map by one lane. */
static void tell_map(exec_ctx *x, const code_insn *i, event_op op, event_space space, uint32_t lane, uint64_t seen,
                     const uint64_t *other)
{
    exec_bulk_side side = {.op = op,
                           .space = space,
                           .lane = lane,
                           .bytes = sizeof(exec_tensor_map),
                           .address = seen,
                           .other = other ? *other : 0,
                           .one_sided = !other,
                           .flags = EVENT_BULK,
                           .only = EVENT_ACCESS + 1};
    exec_tell_bulk(x, i, &side);
}

static uint8_t *map_at(exec_ctx *x, const code_insn *i, ptx_space in, uint32_t lane, uint64_t address, bool writes,
                       event_space *space, uint64_t *seen)
{
    uint32_t bytes = sizeof(exec_tensor_map);
    uint8_t *p = exec_lane_range(x, i, in, lane, address, bytes, writes, space, seen);
    if (!p || *seen % EXEC_TENSOR_ALIGNMENT == 0) return p;
    exec_fail(x, i, EXEC_MISALIGNED, lane, address, bytes, writes, exec_space_name(*space),
              "tensor map at 0x%llx: its address must be a multiple of %u", (unsigned long long)address,
              EXEC_TENSOR_ALIGNMENT);
    return NULL;
}

void run_tensor_map_replace(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32];
    exec_lane_addresses(x, i, address);
    bool wide = i->mem.tensor_map.field == TENSOR_ADDRESS || i->mem.tensor_map.field == TENSOR_GLOBAL_STRIDE;
    LANES_OF(mask)
    {
        event_space space;
        uint64_t seen, value = exec_lane_uint(x, i->b, wide ? 8 : 4, l);
        exec_tensor_map map;
        uint8_t *p = map_at(x, i, (ptx_space)i->mem.space, l, address[l], true, &space, &seen);
        if (!p) return;
        memcpy(&map, p, sizeof map);
        if (i->mem.tensor_map.sixteenths) value <<= 4;
        exec_tensor_replace(&map, i->mem.tensor_map.field, i->mem.tensor_map.ordinal, value);
        memcpy(p, &map, sizeof map);
        exec_note_overwrite(x, p, sizeof map);
        tell_map(x, i, EVENT_STORE, space, l, seen, NULL);
    }
}

/* The warp copies together: lanes that name the same places copy once. */
void run_tensor_map_copy(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t to[32], last_to = 0, last_from = 0;
    const uint64_t *from = LANES(uint64_t, i->b);
    bool first = true;
    exec_lane_addresses(x, i, to);
    LANES_OF(mask)
    {
        event_space to_space, from_space;
        uint64_t to_seen, from_seen;
        if (!first && to[l] == last_to && from[l] == last_from) continue;
        first = false;
        last_to = to[l];
        last_from = from[l];
        const uint8_t *source = map_at(x, i, PTX_SHARED_CLUSTER, l, from[l], false, &from_space, &from_seen);
        if (!source) return;
        uint8_t *p = map_at(x, i, PTX_GLOBAL, l, to[l], true, &to_space, &to_seen);
        if (!p) return;
        memcpy(p, source, sizeof(exec_tensor_map));
        exec_note_overwrite(x, p, sizeof(exec_tensor_map));
        tell_map(x, i, EVENT_COPY_READ, from_space, l, from_seen, &to_seen);
        tell_map(x, i, EVENT_COPY_WRITE, to_space, l, to_seen, &from_seen);
    }
}
