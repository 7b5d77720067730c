/* defined.c: undefined bits through registers: before a micro-operation runs, those of its results are found from the
 * values and undefined bits of its operands; where undefined bits decide something, the clients are told, and the bits
 * count as defined from then on. */
#include "exec/defined.h"
#include "exec/defined_rules.h"
#include "exec/operand.h"
#include "ptx/semantics.h"

#include <string.h>

/* ---------------------------------------------------------------- registers */
static uint32_t file_bytes(uint32_t bytes) { return bytes ? 32 * bytes : 4; }

void exec_defined_forget(exec_defined *d)
{
    if (!d || !d->count) return;
    memset(d->dirty, 0, d->bytes / 4);
    d->count = 0;
}

static exec_defined *defined_of(exec_ctx *x, exec_frame *f)
{
    uint32_t bytes = f->function->register_bytes;
    if (f->defined && f->defined->bytes >= bytes) return f->defined;
    exec_defined *d = LW_NEW(&x->worker->arena, exec_defined);
    d->bytes = bytes;
    d->bits = lw_arena_alloc_aligned(&x->worker->arena, bytes, 64);
    d->dirty = LW_NEW_ARRAY(&x->worker->arena, uint8_t, bytes / 4);
    d->origin = LW_NEW_ARRAY(&x->worker->arena, event_origin, bytes / 4);
    f->defined = d;
    return d;
}

uint32_t exec_undefined_lanes(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask)
{
    const uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    uint32_t lanes = 0;
    if (!bits) return 0;
    if (!bytes) {
        memcpy(&lanes, bits, 4);
        return lanes & mask;
    }
    LANES_OF(mask)
    for (uint32_t k = 0; k < bytes; k++)
        if (bits[l * bytes + k]) lanes |= 1u << l;
    return lanes;
}

uint8_t *exec_make_dirty(exec_ctx *x, code_ref ref, uint32_t bytes, const event_origin *origin)
{
    exec_defined *d = defined_of(x, x->group->frame);
    uint8_t *bits = d->bits + ref;
    if (!d->dirty[ref >> 2]) {
        d->dirty[ref >> 2] = 1;
        d->count++;
        memset(bits, 0, file_bytes(bytes));
    }
    d->origin[ref >> 2] = *origin;
    return bits;
}

void exec_make_all_defined(exec_ctx *x, code_ref ref)
{
    exec_defined *d = x->group->frame->defined;
    if (ref == CODE_NO_REF || (ref & 3) != CODE_FRAME || !d || !d->dirty[ref >> 2]) return;
    d->dirty[ref >> 2] = 0;
    d->count--;
}

static bool is_zero(const uint8_t *bits, uint32_t bytes)
{
    uint32_t any = 0;
    for (uint32_t k = 0; k < bytes; k++) any |= bits[k];
    return !any;
}

void exec_make_defined(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask)
{
    uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    if (!bits) return;
    if (mask != FULL_MASK) {
        if (!bytes) *(uint32_t *)bits &= ~mask;
        else LANES_OF(mask) memset(bits + (size_t)l * bytes, 0, bytes);
        if (!is_zero(bits, file_bytes(bytes))) return;
    }
    exec_make_all_defined(x, ref);
}

/* ---------------------------------------------------------------- operands and results */
/* A result while it is found. */
typedef struct result {
    uint64_t bits[32]; /* undefined ones; of predicates bit 0 */
    event_origin origin;
    bool any; /* an operand has undefined bits: origin is one of theirs */
} result;

static void inherit(exec_ctx *x, result *r, code_ref ref)
{
    if (ref == CODE_NO_REF || !exec_undefined_bits(x, ref)) return;
    if (!r->any) r->origin = *exec_undefined_origin(x, ref);
    r->any = true;
}

static uint64_t bits_at(const uint8_t *bits, uint32_t bytes, uint32_t lane)
{
    uint64_t v = 0;
    if (!bytes) {
        uint32_t word;
        memcpy(&word, bits, 4);
        return word >> lane & 1;
    }
    memcpy(&v, bits + (size_t)lane * bytes, LW_MIN(bytes, 8u));
    return v;
}

static uint64_t undefined_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    const uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    return bits ? bits_at(bits, bytes, lane) : 0;
}

static uint64_t value_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    return ref == CODE_NO_REF ? 0 : bits_at(x->file[ref & 3] + (ref & ~3u), bytes, lane);
}

static void put_lanes(uint8_t *bits, uint32_t bytes, uint32_t mask, const result *r)
{
    if (bytes) {
        LANES_OF(mask) memcpy(bits + (size_t)l * bytes, &r->bits[l], bytes);
        return;
    }
    uint32_t word;
    memcpy(&word, bits, 4);
    LANES_OF(mask) word = (word & ~(1u << l)) | (uint32_t)(r->bits[l] & 1) << l;
    memcpy(bits, &word, 4);
}

/* The lanes of mask of a register get the undefined bits of r. */
static void set_result(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, const result *r)
{
    uint64_t any = 0;
    if (ref == CODE_NO_REF) return;
    if (r->any) LANES_OF(mask) any |= r->bits[l];
    if (any) put_lanes(exec_make_dirty(x, ref, bytes, &r->origin), bytes, mask, r);
    else exec_make_defined(x, ref, bytes, mask);
}

static void fill_lanes(result *r, uint32_t lanes) { LANES_OF(lanes) r->bits[l] = UINT64_MAX; }

/* Lanes of which an undefined guard decides whether the operation is done. */
typedef struct undecided {
    uint32_t lanes;
    event_origin origin; /* of the guard's bits */
} undecided;

/* Either the old result or the new one: unknown. */
static void leave_open(result *r, const undecided *open, uint32_t mask)
{
    if (!open->lanes) return;
    if (!r->any) {
        LANES_OF(mask) r->bits[l] = 0;
        r->origin = open->origin;
    }
    r->any = r->origin.computed = true;
    fill_lanes(r, open->lanes);
}

/* ---------------------------------------------------------------- uses */
/* Bits that decide: tells of the lanes, which count as defined from then on. */
static void use(exec_ctx *x, const code_insn *i, code_ref ref, uint32_t bytes, uint32_t mask, event_use what)
{
    uint32_t lanes = exec_undefined_lanes(x, ref, bytes, mask);
    if (!lanes) return;
    event_origin origin = *exec_undefined_origin(x, ref);
    exec_emit_undefined_use(x, i, what, lanes, &origin);
    exec_make_defined(x, ref, bytes, lanes);
}

static void use_address(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    use(x, i, i->a, i->mem.narrow ? 4 : 8, mask, EVENT_USE_ADDRESS);
}

static void use_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[1], 4, mask, EVENT_USE_OPERAND);
    use(x, i, list->ref[2], 8, mask, EVENT_USE_ADDRESS);
}

/* Addresses of the map, the mbarrier and shared memory; coordinates and offsets. */
static void use_tensor(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    uint32_t rank = i->mem.tensor.dimensions;
    use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[1], 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[2], 2, mask, EVENT_USE_OPERAND);
    for (uint32_t k = 3; k < 3 + rank; k++) use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 3 + rank; k < list->count; k++) use(x, i, list->ref[k], 2, mask, EVENT_USE_ADDRESS);
}

static void use_copy(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    use_address(x, i, mask);
    use(x, i, list->ref[0], 8, mask, EVENT_USE_ADDRESS);
    use(x, i, list->ref[1], 4, mask, EVENT_USE_OPERAND);
    use(x, i, i->c, 0, mask, EVENT_USE_OPERAND);
}

static void use_texture(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 4; k < list->count; k++) use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 0; k < 4; k++) exec_make_all_defined(x, list->ref[k]);
    exec_make_all_defined(x, i->d);
}

static void use_surface(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    use(x, i, i->a, 8, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = i->mem.vector; k < list->count; k++) use(x, i, list->ref[k], 4, mask, EVENT_USE_ADDRESS);
    for (uint32_t k = 0; i->op == OP_suld && k < i->mem.vector; k++) exec_make_all_defined(x, list->ref[k]);
}

static void use_arguments(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_call *call = i->call;
    for (uint32_t k = 0; k < call->argument_count; k++)
        use(x, i, call->arguments[k].ref, call->arguments[k].bytes, mask, EVENT_USE_SYSTEM);
    for (uint32_t k = 0; k < call->result_count; k++) exec_make_all_defined(x, call->results[k].ref);
}

/* What is neither an access nor a result: where undefined bits decide at once. */
static void use_operands(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    switch (i->op) {
    case OP_ld:
    case OP_st:
    case OP_atom:
    case OP_ldmatrix:
    case OP_stmatrix: use_address(x, i, mask); break;
    case OP_mbarrier:
        use_address(x, i, mask);
        exec_make_all_defined(x, i->d);
        break;
    case OP_st_async:
        use_address(x, i, mask);
        use(x, i, i->mem.list->ref[0], 8, mask, EVENT_USE_ADDRESS);
        break;
    case OP_st_bulk:
        use_address(x, i, mask);
        use(x, i, i->b, 8, mask, EVENT_USE_OPERAND);
        break;
    case OP_cp_async: use_copy(x, i, mask); break;
    case OP_bulk: use_bulk(x, i, mask); break;
    case OP_tensor_copy: use_tensor(x, i, mask); break;
    case OP_tensor_map_replace: use_address(x, i, mask); break;
    case OP_tensor_map_copy:
        use_address(x, i, mask);
        use(x, i, i->b, 8, mask, EVENT_USE_ADDRESS);
        break;
    case OP_tex: use_texture(x, i, mask); break;
    case OP_suld:
    case OP_sust:
    case OP_sured: use_surface(x, i, mask); break;
    case OP_builtin: use_arguments(x, i, mask); break;
    case OP_brx: use(x, i, i->a, 4, mask, EVENT_USE_BRANCH); break;
    case OP_call: use(x, i, i->a, 8, mask, EVENT_USE_BRANCH); break;
    case OP_bar:
        use(x, i, i->a, 4, mask, EVENT_USE_OPERAND);
        use(x, i, i->b, 4, mask, EVENT_USE_OPERAND);
        use(x, i, i->c, 0, mask, EVENT_USE_OPERAND);
        exec_make_all_defined(x, i->d);
        break;
    case OP_warpsync: use(x, i, i->a, 4, mask, EVENT_USE_OPERAND); break;
    default:
        exec_make_all_defined(x, i->d); /* special registers, stack addresses */
        break;
    }
}

/* What an undefined guard decides; of other operations only the results. */
static bool guard_decides(uint32_t op, event_use *out)
{
    switch (op) {
    case OP_bra:
    case OP_brx:
    case OP_call:
    case OP_builtin:
    case OP_ret:
    case OP_exit:
    case OP_trap: *out = EVENT_USE_BRANCH; return true;
    case OP_ld:
    case OP_st:
    case OP_ld_frame:
    case OP_st_frame:
    case OP_atom:
    case OP_bar:
    case OP_cluster_bar:
    case OP_warpsync:
    case OP_vote:
    case OP_match:
    case OP_shfl:
    case OP_redux:
    case OP_elect:
    case OP_cp_async:
    case OP_cp_async_group:
    case OP_mma:
    case OP_bulk:
    case OP_tensor_copy:
    case OP_tensor_map_replace:
    case OP_tensor_map_copy:
    case OP_mbarrier:
    case OP_st_async:
    case OP_st_bulk:
    case OP_ldmatrix:
    case OP_stmatrix:
    case OP_suld:
    case OP_sust:
    case OP_sured:
    case OP_tex: *out = EVENT_USE_GUARD; return true;
    default: return false;
    }
}

/* ---------------------------------------------------------------- lane by lane */
/* A row of insns.def. */
static void pass_row(exec_ctx *x, const code_insn *i, uint32_t mask, result *r)
{
    const exec_row_shape *s = &exec_row_shapes[i->op];
    const code_ref ref[3] = {i->a, i->b, s->sources == 3 ? i->c : CODE_NO_REF};
    uint32_t count = s->sources;
    for (uint32_t k = 0; k < count; k++) inherit(x, r, ref[k]);
    r->origin.computed |= !exec_only_moves(i->op);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint64_t value[3] = {0}, undefined[3] = {0};
        for (uint32_t k = 0; k < count; k++) {
            value[k] = value_at(x, ref[k], s->operand[k], l);
            undefined[k] = undefined_at(x, ref[k], s->operand[k], l);
        }
        r->bits[l] = exec_undefined_result(i, value, undefined);
    }
}

/* A comparison's results take predicate c in: like and, or, xor of the two. `word` holds the lanes where it holds. */
static void combine(exec_ctx *x, const code_insn *i, uint32_t mask, result *r)
{
    if (i->alu.combine) inherit(x, r, i->c);
    if (!r->any || !i->alu.combine) return;
    LANES_OF(mask)
    {
        uint64_t c = value_at(x, i->c, 0, l), unknown = undefined_at(x, i->c, 0, l);
        bool decided = !unknown && ((i->alu.combine == COMBINE_AND && !c) || (i->alu.combine == COMBINE_OR && c));
        r->bits[l] = decided ? 0 : r->bits[l] | unknown;
    }
}

/* Without knowing what the comparison gave: c alone may decide. */
static void pass_compare(exec_ctx *x, const code_insn *i, uint32_t mask, const undecided *open)
{
    result r = {.any = false};
    pass_row(x, i, mask, &r);
    combine(x, i, mask, &r);
    leave_open(&r, open, mask);
    set_result(x, i->d, 0, mask | open->lanes, &r);
    set_result(x, i->e, 0, mask | open->lanes, &r);
}

static uint64_t chosen(const exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t lane)
{
    uint64_t first = undefined_at(x, i->a, bytes, lane), second = undefined_at(x, i->b, bytes, lane);
    if (!undefined_at(x, i->c, 0, lane)) return value_at(x, i->c, 0, lane) ? first : second;
    return first | second | (value_at(x, i->a, bytes, lane) ^ value_at(x, i->b, bytes, lane));
}

static void pass_select(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, result *r)
{
    inherit(x, r, i->a);
    inherit(x, r, i->b);
    bool moved = r->any;
    inherit(x, r, i->c);
    r->origin.computed |= !moved;
    if (r->any) LANES_OF(mask) r->bits[l] = chosen(x, i, bytes, l);
}

static void pass_bit_field(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, result *r)
{
    const code_ref ref[4] = {i->a, i->b, i->c, i->e};
    for (uint32_t k = 0; k < 4; k++) inherit(x, r, ref[k]);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint64_t a = undefined_at(x, i->a, bytes, l), b = undefined_at(x, i->b, bytes, l);
        u32 at = (u32)value_at(x, i->c, 4, l), count = (u32)value_at(x, i->e, 4, l);
        bool unknown = undefined_at(x, i->c, 4, l) || undefined_at(x, i->e, 4, l);
        if (unknown) r->bits[l] = UINT64_MAX;
        else r->bits[l] = bytes == 8 ? bfi_b64(a, b, at, count) : bfi_b32((u32)a, (u32)b, at, count);
    }
}

/* Any undefined bit of the operands makes all of the result undefined. */
static void pass_any(exec_ctx *x, const code_ref *ref, const uint32_t *bytes, uint32_t count, uint32_t mask, result *r)
{
    for (uint32_t k = 0; k < count; k++) inherit(x, r, ref[k]);
    r->origin.computed = true;
    if (!r->any) return;
    LANES_OF(mask)
    for (uint32_t k = 0; k < count; k++)
        if (undefined_at(x, ref[k], bytes[k], l)) r->bits[l] = UINT64_MAX;
}

static void pass_moved(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, result *r)
{
    inherit(x, r, ref);
    if (r->any) LANES_OF(mask) r->bits[l] = undefined_at(x, ref, bytes, l);
}

static void pass_mov128(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const uint8_t *from = exec_undefined_bits(x, i->a);
    if (!from) {
        exec_make_defined(x, i->d, 16, mask);
        return;
    }
    event_origin origin = *exec_undefined_origin(x, i->a);
    uint8_t *to = exec_make_dirty(x, i->d, 16, &origin);
    LANES_OF(mask) memmove(to + 16 * l, from + 16 * l, 16);
}

/* A part of each element of pack and unpack: `whole` bytes hold the elements. */
static void pass_pack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    uint32_t each = i->pack.bytes;
    result r = {.any = false};
    for (uint32_t k = 0; k < i->pack.count; k++) inherit(x, &r, list->ref[k]);
    exec_make_defined(x, i->d, i->pack.whole_bytes, mask);
    if (!r.any) return;
    uint8_t *to = exec_make_dirty(x, i->d, i->pack.whole_bytes, &r.origin);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        const uint8_t *from = exec_undefined_bits(x, list->ref[k]);
        if (from) LANES_OF(mask) memcpy(to + (size_t)l * i->pack.whole_bytes + k * each, from + (size_t)l * each, each);
    }
}

static void pass_unpack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    uint32_t each = i->pack.bytes, whole = i->pack.whole_bytes;
    const uint8_t *from = exec_undefined_bits(x, i->a);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        code_ref ref = list->ref[k];
        if (ref == CODE_NO_REF) continue;
        if (!from) {
            exec_make_defined(x, ref, each, mask);
            continue;
        }
        event_origin origin = *exec_undefined_origin(x, i->a);
        uint8_t *to = exec_make_dirty(x, ref, each, &origin);
        LANES_OF(mask) memcpy(to + (size_t)l * each, from + (size_t)l * whole + k * each, each);
        if (is_zero(to, file_bytes(each))) exec_make_all_defined(x, ref);
    }
}

/* d and the predicate list[0], which list[1] takes part in. */
static void pass_lop3(exec_ctx *x, const code_insn *i, uint32_t mask, const undecided *open)
{
    const code_list *list = i->lop3.list;
    const code_ref ref[3] = {i->a, i->b, i->c};
    code_insn plain = {.op = OP_lop3_b32, .alu.imm = i->lop3.table};
    result r = {.any = false}, p;
    for (uint32_t k = 0; k < 3; k++) inherit(x, &r, ref[k]);
    p = r;
    inherit(x, &p, list->ref[1]);
    LANES_OF(mask)
    {
        uint64_t value[3], undefined[3];
        for (uint32_t k = 0; k < 3; k++) {
            value[k] = value_at(x, ref[k], 4, l);
            undefined[k] = undefined_at(x, ref[k], 4, l);
        }
        r.bits[l] = r.any ? exec_undefined_result(&plain, value, undefined) : 0;
        u32 v = lop3((u32)value[0], (u32)value[1], (u32)value[2], i->lop3.table);
        p.bits[l] = (r.bits[l] && !(v & ~r.bits[l])) || undefined_at(x, list->ref[1], 0, l);
    }
    p.origin.computed = true;
    leave_open(&r, open, mask);
    leave_open(&p, open, mask);
    set_result(x, i->d, 4, mask | open->lanes, &r);
    set_result(x, list->ref[0], 0, mask | open->lanes, &p);
}

static void pass_carry(exec_ctx *x, const code_insn *i, uint32_t mask, const undecided *open)
{
    uint32_t width = i->carry.bytes;
    const code_ref ref[4] = {i->a, i->b, i->op == OP_mad_cc ? i->c : CODE_NO_REF, i->carry.reads ? i->e : CODE_NO_REF};
    const uint32_t bytes[4] = {width, width, width, 0};
    result r = {.any = false};
    pass_any(x, ref, bytes, 4, mask, &r);
    leave_open(&r, open, mask);
    set_result(x, i->d, width, mask | open->lanes, &r);
    if (i->carry.writes) set_result(x, i->e, 0, mask | open->lanes, &r);
}

/* ---------------------------------------------------------------- collectives */
/* Lanes that take part with lane l; members: the mask, CODE_NO_REF: all. */
static uint32_t partners(const exec_ctx *x, code_ref members, uint32_t mask, uint32_t l)
{
    uint32_t m = members == CODE_NO_REF ? mask : (uint32_t)value_at(x, members, 4, l) & mask;
    return m ? m : 1u << l;
}

static uint64_t vote_bits(const exec_ctx *x, const code_insn *i, uint32_t lanes, uint32_t unknown)
{
    uint32_t votes = PREDICATE(i->c) & lanes & ~unknown, against = lanes & ~votes & ~unknown;
    if (!unknown) return 0;
    switch (i->warp.operation) {
    case VOTE_ALL: return !against;
    case VOTE_ANY: return !votes;
    case VOTE_UNI: return !(votes && against);
    default: return unknown; /* ballot */
    }
}

static void pass_vote(exec_ctx *x, const code_insn *i, uint32_t mask, result *r)
{
    inherit(x, r, i->c);
    r->origin.computed = true;
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint32_t lanes = partners(x, i->a, mask, l);
        r->bits[l] = vote_bits(x, i, lanes, exec_undefined_lanes(x, i->c, 0, lanes));
    }
}

static void pass_collected(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, result *r)
{
    inherit(x, r, i->b);
    r->origin.computed = true;
    if (!r->any) return;
    LANES_OF(mask)
    if (exec_undefined_lanes(x, i->b, bytes, partners(x, i->a, mask, l))) r->bits[l] = UINT64_MAX;
}

/* As run_shfl(), which says what c holds. */
static uint32_t source_lane(const code_insn *i, uint32_t l, uint32_t b, uint32_t c)
{
    uint32_t clamp = c & 31, segment = c >> 8 & 31;
    uint32_t top = (l & segment) | (clamp & ~segment), bottom = l & segment, j;
    b &= 31;
    switch (i->warp.operation) {
    case SHFL_UP: j = l - b; break;
    case SHFL_DOWN: j = l + b; break;
    case SHFL_BFLY: j = l ^ b; break;
    default: j = bottom | (b & ~segment); break;
    }
    bool inside = i->warp.operation == SHFL_UP ? (int32_t)j >= (int32_t)top : j <= top;
    return (inside ? j : l) & 31;
}

static void pass_shuffle(exec_ctx *x, const code_insn *i, uint32_t mask, result *r)
{
    inherit(x, r, i->a);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint32_t b = (uint32_t)value_at(x, i->b, 4, l), c = (uint32_t)value_at(x, i->c, 4, l);
        r->bits[l] = undefined_at(x, i->a, 4, source_lane(i, l, b, c));
    }
}

static void pass_matrix(exec_ctx *x, const code_insn *i, uint32_t mask, result *r)
{
    inherit(x, r, i->a);
    if (r->any && exec_undefined_lanes(x, i->a, 4, FULL_MASK)) fill_lanes(r, mask);
}

static void use_collective(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (i->op == OP_movmatrix) return;
    if (i->op != OP_shfl) {
        use(x, i, i->a, 4, mask, EVENT_USE_OPERAND);
        return;
    }
    use(x, i, i->b, 4, mask, EVENT_USE_OPERAND);
    use(x, i, i->c, 4, mask, EVENT_USE_OPERAND);
    use(x, i, i->warp.members->ref[0], 4, mask, EVENT_USE_OPERAND);
}

/* One undefined bit of an operand makes all of the product undefined. */
static void run_product(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->tensor.list;
    uint32_t results = i->tensor.form->registers_c, bytes = i->tensor.form->a == TENSOR_F64 ? 8 : 4;
    bool undefined = false;
    result r = {.any = false};
    for (uint32_t k = results; k < list->count; k++) {
        inherit(x, &r, list->ref[k]);
        undefined |= exec_undefined_lanes(x, list->ref[k], bytes, FULL_MASK) != 0;
    }
    r.origin.computed = true;
    if (undefined) fill_lanes(&r, mask);
    i->run(x, i, mask);
    if (!x->group) return;
    for (uint32_t k = 0; k < results; k++) set_result(x, list->ref[k], bytes, mask, &r);
}

/* The group may have to wait: then the results come when it runs. */
static void run_collective(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    result r = {.any = false};
    uint32_t bytes = i->op == OP_vote && i->warp.operation != VOTE_BALLOT ? 0 : 4;
    use_collective(x, i, mask);
    switch (i->op) {
    case OP_vote: pass_vote(x, i, mask, &r); break;
    case OP_match: pass_collected(x, i, i->warp.bytes, mask, &r); break;
    case OP_redux: pass_collected(x, i, 4, mask, &r); break;
    case OP_shfl: pass_shuffle(x, i, mask, &r); break;
    case OP_movmatrix: pass_matrix(x, i, mask, &r); break;
    default: break;
    }
    i->run(x, i, mask);
    if (!x->group) return;
    set_result(x, i->d, bytes, mask, &r);
    if (i->op == OP_match) set_result(x, i->e, 0, mask, &r);
    else exec_make_defined(x, i->e, 0, mask);
}

/* ---------------------------------------------------------------- results */
/* One result d of so many bytes. false: the operation has none, or others. */
static bool pass_one(exec_ctx *x, const code_insn *i, uint32_t mask, result *r, uint32_t *bytes)
{
    const code_ref abc[3] = {i->a, i->b, i->c};
    const uint32_t address[3] = {i->window.bytes, 4, 0}, words[3] = {4, 4, 4};
    *bytes = 4;
    switch (i->op) {
    case OP_select_pred:
        *bytes = i->value.bytes;
        inherit(x, r, i->c);
        r->origin.computed = true;
        if (r->any) LANES_OF(mask) r->bits[l] = undefined_at(x, i->c, 0, l) ? i->value.bits : 0;
        return true;
    case OP_selp16: pass_select(x, i, *bytes = 2, mask, r); return true;
    case OP_selp32: pass_select(x, i, 4, mask, r); return true;
    case OP_selp64: pass_select(x, i, *bytes = 8, mask, r); return true;
    case OP_bfi32: pass_bit_field(x, i, 4, mask, r); return true;
    case OP_bfi64: pass_bit_field(x, i, *bytes = 8, mask, r); return true;
    case OP_cvta: pass_moved(x, i->a, *bytes = i->window.bytes, mask, r); return true;
    case OP_isspacep:
        *bytes = 0;
        pass_any(x, abc, address, 1, mask, r);
        return true;
    case OP_mapa:
        *bytes = i->window.bytes;
        pass_any(x, abc, address, 2, mask, r);
        return true;
    case OP_getctarank: pass_any(x, abc, address, 1, mask, r); return true;
    case OP_video: pass_any(x, abc, words, 3, mask, r); return true;
    default: return false;
    }
}

static bool is_collective(uint32_t op)
{
    switch (op) {
    case OP_vote:
    case OP_match:
    case OP_shfl:
    case OP_redux:
    case OP_elect:
    case OP_movmatrix: return true;
    default: return false;
    }
}

/* Results of what computes on registers alone. false: it is something else. */
static bool pass(exec_ctx *x, const code_insn *i, uint32_t mask, const undecided *open)
{
    result r = {.any = false};
    uint32_t bytes = exec_row_shapes[i->op].result;
    bool is_row = exec_row_shapes[i->op].sources != 0;
    switch (i->op) {
    case OP_mov128: pass_mov128(x, i, mask); return true;
    case OP_pack: pass_pack(x, i, mask); return true;
    case OP_unpack: pass_unpack(x, i, mask); return true;
    case OP_lop3_pred: pass_lop3(x, i, mask, open); return true;
    case OP_add_cc:
    case OP_mad_cc: pass_carry(x, i, mask, open); return true;
    default: break;
    }
    if (exec_row_shapes[i->op].compares) {
        pass_compare(x, i, mask, open);
        return true;
    }
    if (is_row) pass_row(x, i, mask, &r);
    else if (!pass_one(x, i, mask, &r, &bytes)) return false;
    leave_open(&r, open, mask);
    set_result(x, i->d, bytes, mask | open->lanes, &r);
    return true;
}

void exec_run_undefined(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t deciding)
{
    undecided open = {.lanes = deciding};
    if (deciding) open.origin = *exec_undefined_origin(x, i->guard & ~3u);
    if (is_collective(i->op) || i->op == OP_mma) {
        if (mask && i->op == OP_mma) run_product(x, i, mask);
        else if (mask) run_collective(x, i, mask);
        return;
    }
    if (!pass(x, i, mask, &open) && mask) use_operands(x, i, mask);
    if (mask) i->run(x, i, mask);
}

void exec_step_undefined(exec_ctx *x)
{
    const code_insn *i = x->pc++;
    uint32_t mask = x->mask, deciding = 0;
    event_use what;
    if (i->guard != CODE_NO_REF) {
        code_ref guard = i->guard & ~3u;
        deciding = exec_undefined_lanes(x, guard, 0, mask);
        if (deciding && guard_decides(i->op, &what)) {
            use(x, i, guard, 0, deciding, what);
            deciding = 0;
        }
        uint32_t p = *(uint32_t *)(x->file[CODE_FRAME] + guard);
        mask &= i->guard & 1 ? ~p : p;
        if (!(mask | deciding)) return;
    }
    exec_run_undefined(x, i, mask, deciding);
}
