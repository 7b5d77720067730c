/* decode_tensor_map.c: copies by tensor maps (cp.async.bulk.tensor and its kin), tensormap.replace and
 * tensormap.cp_fenceproxy.
 *
 * The operand list of OP_tensor_copy: address of the map, mbarrier, block mask of a multicast (CODE_NO_REF without),
 * coordinates, innermost first, im2col offsets. Cache hints have no effect. Forms that need sm_100 (pairs of blocks,
 * gather and scatter of four rows, im2col along the width) are refused by name. */
#include "code/decode.h"

#include <string.h>

/* ---------------------------------------------------------------- the words */
typedef struct tensor_form {
    uint32_t dimensions; /* 1 to 5 */
    int direction;       /* enum code_bulk; -1: a prefetch */
    bool im2col;
    bool multicast, policy;
    bool own;      /* to .shared::cta */
    int operation; /* of a reduction: enum code_atomic; else -1 */
} tensor_form;

static uint32_t dimensions_in(const decode_parts *p)
{
    static const char *const names[] = {"1d", "2d", "3d", "4d", "5d"};
    for (uint32_t n = 0; n < LW_COUNT(names); n++)
        if (decode_parts_have(p, names[n])) return n + 1;
    return 0;
}

static int direction_in(const decode_parts *p)
{
    for (uint32_t k = 3; k + 1 < p->count; k++) {
        if (decode_part_is(p, k, "global") && decode_part_is(p, k + 1, "shared::cta")) return BULK_SHARED_TO_GLOBAL;
        bool shared = decode_part_is(p, k, "shared::cluster") || decode_part_is(p, k, "shared::cta");
        if (shared && decode_part_is(p, k + 1, "global")) return BULK_GLOBAL_TO_SHARED;
    }
    return -1;
}

/* Does the completion mechanism belong to the direction? */
static bool completes_right(decoder *d, const decode_parts *p, int direction)
{
    bool loads = direction == BULK_GLOBAL_TO_SHARED;
    bool right = decode_parts_have(p, loads ? "mbarrier::complete_tx::bytes" : "bulk_group") &&
                 !decode_parts_have(p, loads ? "bulk_group" : "mbarrier::complete_tx::bytes");
    if (!right)
        decode_problem(d, "'%s': %s", d->in->mnemonic,
                       direction < 0 ? "tensor copies between these state spaces do not exist"
                                     : "this completion mechanism does not exist for its destination");
    return right && direction >= 0;
}

static bool read_form(decoder *d, const decode_parts *p, tensor_form *f)
{
    *f = (tensor_form){.dimensions = dimensions_in(p),
                       .direction = direction_in(p),
                       .multicast = decode_parts_have(p, "multicast::cluster"),
                       .policy = decode_parts_have(p, "L2::cache_hint"),
                       .own = decode_parts_have(p, "shared::cta"),
                       .operation = -1};
    bool plain_im2col = decode_parts_have(p, "im2col");
    bool no_offsets = decode_parts_have(p, "im2col_no_offs");
    f->im2col = plain_im2col || no_offsets;
    if (decode_refused_word(d, p)) return false;
    if (!f->dimensions || (f->im2col && f->dimensions < 3)) {
        decode_problem(d, "'%s': a number of dimensions is missing or not possible in this mode", d->in->mnemonic);
        return false;
    }
    bool stores = f->direction == BULK_SHARED_TO_GLOBAL;
    if ((stores && plain_im2col) || (!stores && no_offsets)) {
        decode_problem(d, "'%s': this mode does not exist for its destination", d->in->mnemonic);
        return false;
    }
    return true;
}

/* ---------------------------------------------------------------- operands */
/* [map, {coordinates}] as the list's first items. */
static bool put_box(decoder *d, const ptx_operand *o, const tensor_form *f, code_list *l)
{
    bool right = o->kind == PTX_OP_TEX && o->item_count == 2 &&
                 (f->dimensions == 1 ? o->items[1].kind != PTX_OP_VECTOR || o->items[1].item_count == 1
                                     : o->items[1].kind == PTX_OP_VECTOR && o->items[1].item_count == f->dimensions);
    if (!right) {
        decode_problem(d, "'%s' takes the address of a tensor map and %u coordinates", d->in->mnemonic, f->dimensions);
        return false;
    }
    ptx_operand map = o->items[0];
    map.kind = PTX_OP_ADDRESS;
    l->ref[0] = decode_address_value(d, &map, PTX_GENERIC);
    for (uint32_t k = 0; k < f->dimensions; k++)
        l->ref[3 + k] = decode_source(d, decode_element(&o->items[1], k), LANE_s32);
    return true;
}

static bool put_offsets(decoder *d, const ptx_operand *o, const tensor_form *f, code_list *l)
{
    uint32_t count = f->dimensions - 2;
    bool right = count == 1 ? o->kind != PTX_OP_VECTOR || o->item_count == 1
                            : o->kind == PTX_OP_VECTOR && o->item_count == count;
    if (!right) {
        decode_problem(d, "'%s' takes %u offsets", d->in->mnemonic, count);
        return false;
    }
    for (uint32_t k = 0; k < count; k++)
        l->ref[3 + f->dimensions + k] = decode_source(d, decode_element(o, k), LANE_u16);
    return true;
}

static code_insn *emit(decoder *d, const tensor_form *f, code_list *l, code_ref shared, ptx_space space)
{
    bool reduces = f->operation >= 0;
    code_insn *i = decode_emit(d, OP_tensor_copy);
    i->a = shared;
    decode_set_memory(i, l, space, 16, 1);
    i->mem.tensor.operation = reduces ? (uint8_t)f->operation : CODE_NO_OPERATION;
    i->mem.tensor.dimensions = (uint8_t)(f->dimensions & 7);
    i->mem.tensor.im2col = f->im2col;
    i->mem.tensor.direction = (uint8_t)f->direction;
    if (reduces) i->mem.tensor.event_class = EVENT_ATOMIC_OTHER;
    i->event_op = reduces ? EVENT_REDUCTION : EVENT_COPY_WRITE;
    i->event_flags = EVENT_BULK;
    decode_last_info(d)->list = l;
    decode_note_memory(d);
    return i;
}

/* ---------------------------------------------------------------- the instructions */
/* [dst], [map, {coords}], [mbar] {, {offsets}} {, ctaMask} {, policy} */
static void decode_tensor_load(decoder *d, const tensor_form *f)
{
    uint32_t want = 3u + f->im2col + f->multicast + f->policy, k = 3;
    if (!decode_operands_between(d, want, want)) return;
    ptx_space space = f->own ? PTX_SHARED : PTX_SHARED_CLUSTER;
    code_list *l = decode_new_list(d, 3 + 5 + 3);
    code_ref to = decode_address_value(d, &d->ops[0], space);
    if (!put_box(d, &d->ops[1], f, l)) return;
    l->ref[1] = decode_address_value(d, &d->ops[2], space);
    if (f->im2col && !put_offsets(d, &d->ops[k++], f, l)) return;
    if (f->multicast) l->ref[2] = decode_source(d, &d->ops[k++], LANE_u16);
    emit(d, f, l, to, space);
    if (f->multicast) d->kernel->uses_cluster = true;
}

/* [map, {coords}], [src] {, policy} */
static void decode_tensor_store(decoder *d, const tensor_form *f)
{
    if (!decode_operands_are(d, 2u + f->policy)) return;
    code_list *l = decode_new_list(d, 3 + 5 + 3);
    if (!put_box(d, &d->ops[0], f, l)) return;
    code_ref from = decode_address_value(d, &d->ops[1], PTX_SHARED);
    emit(d, f, l, from, PTX_SHARED);
}

void decode_cp_async_bulk_tensor(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    tensor_form f;
    if (!read_form(d, &p, &f) || !completes_right(d, &p, f.direction) ||
        !decode_known_parts(d, &p, 4,
                            "1d 2d 3d 4d 5d shared::cluster shared::cta global tile im2col im2col_no_offs "
                            "mbarrier::complete_tx::bytes bulk_group multicast::cluster L2::cache_hint"))
        return;
    if (f.direction == BULK_GLOBAL_TO_SHARED) decode_tensor_load(d, &f);
    else decode_tensor_store(d, &f);
}

void decode_cp_reduce_async_bulk_tensor(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    tensor_form f;
    if (!read_form(d, &p, &f) || !completes_right(d, &p, f.direction) ||
        !decode_known_parts(d, &p, 5,
                            "1d 2d 3d 4d 5d global shared::cta tile im2col_no_offs bulk_group L2::cache_hint "
                            "add min max inc dec and or xor"))
        return;
    f.operation = decode_operation_in(&p);
    if (f.operation < 0 || f.direction != BULK_SHARED_TO_GLOBAL) {
        decode_problem(d, "'%s': the operation or direction does not exist", d->in->mnemonic);
        return;
    }
    decode_tensor_store(d, &f);
}

/* Into the L2 cache: no effect on results. */
void decode_cp_async_bulk_prefetch_tensor(decoder *d)
{
    decode_parts p = decode_split(d->in->mnemonic);
    tensor_form f;
    if (!read_form(d, &p, &f) || !decode_known_parts(d, &p, 5, "1d 2d 3d 4d 5d L2 global tile im2col L2::cache_hint") ||
        !decode_operands_are(d, 1u + f.im2col + f.policy))
        return;
    code_list *l = decode_new_list(d, 3 + 5 + 3);
    if (!put_box(d, &d->ops[0], &f, l)) return;
    if (f.im2col && !put_offsets(d, &d->ops[1], &f, l)) return;
    decode_emit(d, OP_nop);
}

/* ---------------------------------------------------------------- maps */
typedef struct field_row {
    const char *word;
    uint32_t ordinals; /* 0: the field is one value */
    uint8_t bytes;     /* of the value; 0: a constant */
} field_row;

static const field_row fields[TENSOR_FIELD_COUNT] = {
    [TENSOR_ADDRESS] = {"global_address", 0, 8},
    [TENSOR_RANK] = {"rank", 0, 4},
    [TENSOR_BOX_DIM] = {"box_dim", 5, 4},
    [TENSOR_GLOBAL_DIM] = {"global_dim", 5, 4},
    [TENSOR_GLOBAL_STRIDE] = {"global_stride", 4, 8},
    [TENSOR_ELEMENT_STRIDE] = {"element_stride", 5, 4},
    [TENSOR_ELEMTYPE] = {"elemtype", 0, 0},
    [TENSOR_INTERLEAVE] = {"interleave_layout", 0, 0},
    [TENSOR_SWIZZLE] = {"swizzle_mode", 0, 0},
    [TENSOR_FILL] = {"fill_mode", 0, 0},
    [TENSOR_ATOMICITY] = {"swizzle_atomicity", 0, 0},
};

static uint32_t field_in(const decode_parts *p)
{
    uint32_t k = 0;
    while (k < TENSOR_FIELD_COUNT && !decode_parts_have(p, fields[k].word)) k++;
    return k;
}

/* tensormap.replace.tile.field{.global, .shared::cta}.b1024.b32|b64 [map], {ordinal,} value. Programs compiled before PTX
 * 8.5 give strides in units of 16 bytes. */
void decode_tensormap_replace(decoder *d)
{
    enum { STRIDES_IN_BYTES = 85 };
    decode_parts p = decode_split(d->in->mnemonic);
    uint32_t field = field_in(&p);
    int64_t ordinal = 0, constant = 0;
    if (!decode_known_parts(
            d, &p, 2,
            "tile global_address rank box_dim global_dim global_stride element_stride elemtype "
            "interleave_layout swizzle_mode fill_mode swizzle_atomicity global shared::cta b1024 b32 b64"))
        return;
    if (field == TENSOR_FIELD_COUNT) {
        decode_problem(d, "'%s': no field of a tensor map is named", d->in->mnemonic);
        return;
    }
    const field_row *row = &fields[field];
    if (!decode_operands_are(d, 2u + (row->ordinals != 0))) return;
    const ptx_operand *value = &d->ops[1 + (row->ordinals != 0)];
    bool right = !row->ordinals || (decode_is_int(&d->ops[1], &ordinal) && ordinal >= 0 && ordinal < row->ordinals);
    if (!row->bytes) right = right && decode_is_int(value, &constant);
    if (!right) {
        decode_problem(d, "'%s': the ordinal or value is not a constant of its range", d->in->mnemonic);
        return;
    }
    ptx_space space = decode_space_in(&p);
    decode_place at = decode_address(d, &d->ops[0], space);
    code_ref v = decode_source(d, value, row->bytes == 8 ? LANE_u64 : LANE_u32);
    code_insn *i = decode_emit(d, OP_tensor_map_replace);
    decode_set_address(i, &at);
    decode_set_memory(i, NULL, space, 16, 1);
    i->b = v;
    i->mem.tensor_map.field = (uint8_t)field;
    i->mem.tensor_map.ordinal = (uint8_t)ordinal;
    i->mem.tensor_map.sixteenths = field == TENSOR_GLOBAL_STRIDE && d->module->version < STRIDES_IN_BYTES;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], [src], 128 */
void decode_tensormap_cp_fenceproxy(decoder *d)
{
    int64_t bytes = 0;
    if (!decode_operands_are(d, 3)) return;
    if (!decode_is_int(&d->ops[2], &bytes) || bytes != 128) {
        decode_problem(d, "the size of '%s' must be 128", d->in->mnemonic);
        return;
    }
    decode_place to = decode_address(d, &d->ops[0], PTX_GLOBAL);
    code_ref from = decode_address_value(d, &d->ops[1], PTX_SHARED);
    code_insn *i = decode_emit(d, OP_tensor_map_copy);
    decode_set_address(i, &to);
    decode_set_memory(i, NULL, PTX_GLOBAL, 16, 1);
    i->b = from;
    decode_emit(d, OP_fence);
}
