/* defined.c: undefined bits through registers: before a micro-operation runs, those of its results are found from the
 * values and undefined bits of its operands; where undefined bits decide something, the clients are told, and the bits
 * count as defined from then on. */
#include "exec/defined_parts.h"
#include "exec/defined_rules.h"
#include "exec/operand.h"
#include "ptx/semantics.h"

#include <string.h>

/* ---------------------------------------------------------------- lane by lane */
/* A row of insns.def. */
static void pass_row(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r)
{
    const exec_row_shape *s = &exec_row_shapes[i->op];
    const code_ref ref[3] = {i->a, i->b, s->sources == 3 ? i->c : CODE_NO_REF};
    uint32_t count = s->sources;
    for (uint32_t k = 0; k < count; k++) exec_unknown_inherit(x, r, ref[k]);
    r->origin.computed |= !exec_only_moves(i->op);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint64_t value[3] = {0}, undefined[3] = {0};
        for (uint32_t k = 0; k < count; k++) {
            value[k] = exec_known_at(x, ref[k], s->operand[k], l);
            undefined[k] = exec_unknown_at(x, ref[k], s->operand[k], l);
        }
        r->bits[l] = exec_undefined_result(i, value, undefined);
    }
}

/* A comparison's results take predicate c in: like and, or, xor of the two. `word` holds the lanes where it holds. */
static void combine(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r)
{
    if (i->alu.combine) exec_unknown_inherit(x, r, i->c);
    if (!r->any || !i->alu.combine) return;
    LANES_OF(mask)
    {
        uint64_t c = exec_known_at(x, i->c, 0, l), unknown = exec_unknown_at(x, i->c, 0, l);
        bool decided = !unknown && ((i->alu.combine == COMBINE_AND && !c) || (i->alu.combine == COMBINE_OR && c));
        r->bits[l] = decided ? 0 : r->bits[l] | unknown;
    }
}

/* Without knowing what the comparison gave: c alone may decide. */
static void pass_compare(exec_ctx *x, const code_insn *i, uint32_t mask, const exec_undecided *open)
{
    exec_unknown r = {.any = false};
    pass_row(x, i, mask, &r);
    combine(x, i, mask, &r);
    exec_unknown_leave_open(&r, open, mask);
    exec_unknown_set(x, i->d, 0, mask | open->lanes, &r);
    exec_unknown_set(x, i->e, 0, mask | open->lanes, &r);
}

static uint64_t chosen(const exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t lane)
{
    uint64_t first = exec_unknown_at(x, i->a, bytes, lane), second = exec_unknown_at(x, i->b, bytes, lane);
    if (!exec_unknown_at(x, i->c, 0, lane)) return exec_known_at(x, i->c, 0, lane) ? first : second;
    return first | second | (exec_known_at(x, i->a, bytes, lane) ^ exec_known_at(x, i->b, bytes, lane));
}

static void pass_select(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, i->a);
    exec_unknown_inherit(x, r, i->b);
    bool moved = r->any;
    exec_unknown_inherit(x, r, i->c);
    r->origin.computed |= !moved;
    if (r->any) LANES_OF(mask) r->bits[l] = chosen(x, i, bytes, l);
}

static void pass_bit_field(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, exec_unknown *r)
{
    const code_ref ref[4] = {i->a, i->b, i->c, i->e};
    for (uint32_t k = 0; k < 4; k++) exec_unknown_inherit(x, r, ref[k]);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint64_t a = exec_unknown_at(x, i->a, bytes, l), b = exec_unknown_at(x, i->b, bytes, l);
        u32 at = (u32)exec_known_at(x, i->c, 4, l), count = (u32)exec_known_at(x, i->e, 4, l);
        bool unknown = exec_unknown_at(x, i->c, 4, l) || exec_unknown_at(x, i->e, 4, l);
        if (unknown) r->bits[l] = UINT64_MAX;
        else r->bits[l] = bytes == 8 ? bfi_b64(a, b, at, count) : bfi_b32((u32)a, (u32)b, at, count);
    }
}

/* Any undefined bit of the operands makes all of the result undefined. */
static void pass_any(exec_ctx *x, const code_ref *ref, const uint32_t *bytes, uint32_t count, uint32_t mask,
                     exec_unknown *r)
{
    for (uint32_t k = 0; k < count; k++) exec_unknown_inherit(x, r, ref[k]);
    r->origin.computed = true;
    if (!r->any) return;
    LANES_OF(mask)
    for (uint32_t k = 0; k < count; k++)
        if (exec_unknown_at(x, ref[k], bytes[k], l)) r->bits[l] = UINT64_MAX;
}

static void pass_moved(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, ref);
    if (r->any) LANES_OF(mask) r->bits[l] = exec_unknown_at(x, ref, bytes, l);
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
    exec_unknown r = {.any = false};
    for (uint32_t k = 0; k < i->pack.count; k++) exec_unknown_inherit(x, &r, list->ref[k]);
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
        if (!exec_undefined_lanes(x, ref, each, FULL_MASK)) exec_make_all_defined(x, ref);
    }
}

/* d and the predicate list[0], which list[1] takes part in. */
static void pass_lop3(exec_ctx *x, const code_insn *i, uint32_t mask, const exec_undecided *open)
{
    const code_list *list = i->lop3.list;
    const code_ref ref[3] = {i->a, i->b, i->c};
    code_insn plain = {.op = OP_lop3_b32, .alu.imm = i->lop3.table};
    exec_unknown r = {.any = false}, p;
    for (uint32_t k = 0; k < 3; k++) exec_unknown_inherit(x, &r, ref[k]);
    p = r;
    exec_unknown_inherit(x, &p, list->ref[1]);
    LANES_OF(mask)
    {
        uint64_t value[3], undefined[3];
        for (uint32_t k = 0; k < 3; k++) {
            value[k] = exec_known_at(x, ref[k], 4, l);
            undefined[k] = exec_unknown_at(x, ref[k], 4, l);
        }
        r.bits[l] = r.any ? exec_undefined_result(&plain, value, undefined) : 0;
        u32 v = lop3((u32)value[0], (u32)value[1], (u32)value[2], i->lop3.table);
        p.bits[l] = (r.bits[l] && !(v & ~r.bits[l])) || exec_unknown_at(x, list->ref[1], 0, l);
    }
    p.origin.computed = true;
    exec_unknown_leave_open(&r, open, mask);
    exec_unknown_leave_open(&p, open, mask);
    exec_unknown_set(x, i->d, 4, mask | open->lanes, &r);
    exec_unknown_set(x, list->ref[0], 0, mask | open->lanes, &p);
}

static void pass_carry(exec_ctx *x, const code_insn *i, uint32_t mask, const exec_undecided *open)
{
    uint32_t width = i->carry.bytes;
    const code_ref ref[4] = {i->a, i->b, i->op == OP_mad_cc ? i->c : CODE_NO_REF, i->carry.reads ? i->e : CODE_NO_REF};
    const uint32_t bytes[4] = {width, width, width, 0};
    exec_unknown r = {.any = false};
    pass_any(x, ref, bytes, 4, mask, &r);
    exec_unknown_leave_open(&r, open, mask);
    exec_unknown_set(x, i->d, width, mask | open->lanes, &r);
    if (i->carry.writes) exec_unknown_set(x, i->e, 0, mask | open->lanes, &r);
}

/* ---------------------------------------------------------------- results */
/* One result d of so many bytes. false: the operation has none, or others. */
static bool pass_one(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r, uint32_t *bytes)
{
    const code_ref abc[3] = {i->a, i->b, i->c};
    const uint32_t address[3] = {i->window.bytes, 4, 0}, words[3] = {4, 4, 4};
    *bytes = 4;
    switch (i->op) {
    case OP_select_pred:
        *bytes = i->value.bytes;
        exec_unknown_inherit(x, r, i->c);
        r->origin.computed = true;
        if (r->any) LANES_OF(mask) r->bits[l] = exec_unknown_at(x, i->c, 0, l) ? i->value.bits : 0;
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

/* Results of what computes on registers alone. false: it is something else. */
static bool pass(exec_ctx *x, const code_insn *i, uint32_t mask, const exec_undecided *open)
{
    exec_unknown r = {.any = false};
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
    exec_unknown_leave_open(&r, open, mask);
    exec_unknown_set(x, i->d, bytes, mask | open->lanes, &r);
    return true;
}

void exec_run_undefined(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t deciding)
{
    exec_undecided open = {.lanes = deciding};
    if (deciding) open.origin = *exec_undefined_origin(x, i->guard & ~3u);
    if (exec_is_collective(i->op) || i->op == OP_mma) {
        if (mask && i->op == OP_mma) exec_undefined_product(x, i, mask);
        else if (mask) exec_undefined_collective(x, i, mask);
        return;
    }
    if (i->op == OP_wgmma) {
        if (mask) exec_undefined_group_product(x, i, mask);
        return;
    }
    if (!pass(x, i, mask, &open) && mask) exec_undefined_use_operands(x, i, mask);
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
        if (deciding && exec_guard_decides(i->op, &what)) {
            exec_undefined_use(x, i, guard, 0, deciding, what);
            deciding = 0;
        }
        uint32_t p = *(uint32_t *)(x->file[CODE_FRAME] + guard);
        mask &= i->guard & 1 ? ~p : p;
        if (!(mask | deciding)) return;
    }
    exec_run_undefined(x, i, mask, deciding);
}
