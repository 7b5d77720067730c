/* plan_values.c: what the assembler can know of a register's value, for the count plan: is it the same in all lanes of
 * a warp, and how many of its low bits are zero. One forward fixpoint over the micro-operations of a function, before
 * registers get slots; it does not follow control flow: a register with several definitions has the weakest of them. */
#include "code/plan.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ZEROS = 10 }; /* shared memory starts at a multiple of 1024 */

static uint8_t zeros_of(uint64_t value)
{
    return value ? (uint8_t)LW_MIN(__builtin_ctzll(value), MOST_ZEROS) : MOST_ZEROS;
}

static const code_fill *fill_of(const decoder *d, code_ref r)
{
    uint32_t file = r & 3;
    for (size_t k = 0; k < d->builder->fills[file].count; k++)
        if (d->builder->fills[file].items[k].offset == (r & ~3u)) return &d->builder->fills[file].items[k];
    return NULL;
}

bool plan_constant(const decoder *d, code_ref r, uint64_t *out)
{
    if (r == CODE_NO_REF || (r & VIRTUAL) || (r & 3) != CODE_LAUNCH) return false;
    const code_fill *f = fill_of(d, r);
    if (!f || f->kind != FILL_IMM) return false;
    *out = f->value;
    return true;
}

/* Where a variable lies the assembler does not know, and it makes nothing of its declared alignment. */
static uint8_t constant_zeros(const code_fill *f) { return f->number ? 0 : zeros_of(f->value); }

/* The assembler places static arrays itself, but if what it makes is linked later (machine code of ptxas 13.0 -c): then it
 * knows of the variable there what its declaration says. */
uint8_t plan_shared_alignment(const decoder *d, uint64_t offset)
{
    const kernel_builder *b = d->builder;
    uint32_t alignment = 0;
    if (!b->options.relocatable) return MOST_ZEROS;
    for (size_t k = 0; k < b->shared_variables.count && b->shared_variables.items[k].offset <= offset; k++)
        alignment = b->shared_alignments.items[k];
    return zeros_of(alignment);
}

/* A dynamic array lies behind the static ones, at an offset that the assembler does not know. */
static uint8_t shared_zeros(const decoder *d, uint64_t offset)
{
    uint8_t zeros = LW_MIN(zeros_of(offset), plan_shared_alignment(d, offset));
    const kernel_builder *b = d->builder;
    if (offset < b->shared_bytes) return zeros;
    for (size_t k = 0; k < b->dynamic_shared.count; k++)
        zeros = LW_MIN(zeros, zeros_of(LW_MAX(b->dynamic_shared.items[k]->alignment, 1u)));
    return zeros;
}

/* An 8-byte parameter may be a pointer; arrays are told apart by the parameter that points to them. */
static uint8_t base_of(const code_fill *f)
{
    enum { MOST_BASES = 31 };
    bool pointer = f->kind == FILL_PARAM && f->param_bytes == 8;
    return pointer && f->value / 8 < MOST_BASES ? (uint8_t)(f->value / 8 + 1) : 0;
}

plan_value plan_value_of(const decoder *d, const plan_value *values, code_ref r)
{
    if (r == CODE_NO_REF) return (plan_value){.uniform = PLAN_UNIFORM, .zeros = MOST_ZEROS};
    if (r & VIRTUAL) return values[(r & ~VIRTUAL) >> 2];
    if ((r & 3) == CODE_WARP || (r & 3) == CODE_FRAME) return (plan_value){.uniform = PLAN_VARIES};
    const code_fill *f = fill_of(d, r);
    if (!f) return (plan_value){.uniform = PLAN_VARIES};
    if (f->kind == FILL_IMM) return (plan_value){.uniform = PLAN_UNIFORM, .zeros = constant_zeros(f)};
    if (f->kind == FILL_SHARED) return (plan_value){.uniform = PLAN_UNIFORM, .zeros = shared_zeros(d, f->value)};
    return (plan_value){.uniform = PLAN_UNIFORM, .base = base_of(f)};
}

/* How the low zero bits of d = op(a, b, c) follow from those of its operands. */
enum zeros_rule {
    ZEROS_NONE,
    ZEROS_OF_A,     /* copies and conversions */
    ZEROS_COMMON,   /* sums, or, xor, selects: those that a and b both have */
    ZEROS_OF_SUB,   /* differences: the same if one of both is constant; of two registers the assembler knows none */
    ZEROS_EITHER,   /* and: those of the one that has more */
    ZEROS_ADDED,    /* products */
    ZEROS_OF_MAD,   /* a * b + c */
    ZEROS_OF_SHIFT, /* a << b, by as much as b if it is constant */
};

/* As the assembler knows them (machine code of ptxas 13.0, of a kernel for each). Others tell it nothing, but for bfi, remainders
 * and differences of products, which are hardly ever made for addresses. */
#define ZEROS_CONVERTED(to)                                                                                            \
    [OP_cvt_##to##_u8] = ZEROS_OF_A, [OP_cvt_##to##_s8] = ZEROS_OF_A, [OP_cvt_##to##_u16] = ZEROS_OF_A,                \
    [OP_cvt_##to##_s16] = ZEROS_OF_A, [OP_cvt_##to##_u32] = ZEROS_OF_A, [OP_cvt_##to##_s32] = ZEROS_OF_A,              \
    [OP_cvt_##to##_u64] = ZEROS_OF_A, [OP_cvt_##to##_s64] = ZEROS_OF_A
static const uint8_t zeros_rules[CODE_OP_COUNT] = {
    ZEROS_CONVERTED(u8),
    ZEROS_CONVERTED(s8),
    ZEROS_CONVERTED(u16),
    ZEROS_CONVERTED(s16),
    ZEROS_CONVERTED(u32),
    ZEROS_CONVERTED(s32),
    ZEROS_CONVERTED(u64),
    ZEROS_CONVERTED(s64),
    [OP_mov_b16] = ZEROS_OF_A,
    [OP_mov_b32] = ZEROS_OF_A,
    [OP_mov_b64] = ZEROS_OF_A,
    [OP_cvta] = ZEROS_OF_A,
    [OP_neg_s32] = ZEROS_OF_A,
    [OP_add_s16] = ZEROS_COMMON,
    [OP_add_u16] = ZEROS_COMMON,
    [OP_add_s32] = ZEROS_COMMON,
    [OP_add_u32] = ZEROS_COMMON,
    [OP_add_s64] = ZEROS_COMMON,
    [OP_add_u64] = ZEROS_COMMON,
    [OP_sub_s32] = ZEROS_OF_SUB,
    [OP_sub_u32] = ZEROS_OF_SUB,
    [OP_sub_s64] = ZEROS_OF_SUB,
    [OP_sub_u64] = ZEROS_OF_SUB,
    [OP_or_b16] = ZEROS_COMMON,
    [OP_or_b32] = ZEROS_COMMON,
    [OP_or_b64] = ZEROS_COMMON,
    [OP_xor_b16] = ZEROS_COMMON,
    [OP_xor_b32] = ZEROS_COMMON,
    [OP_xor_b64] = ZEROS_COMMON,
    [OP_selp16] = ZEROS_COMMON,
    [OP_selp32] = ZEROS_COMMON,
    [OP_selp64] = ZEROS_COMMON,
    [OP_and_b16] = ZEROS_EITHER,
    [OP_and_b32] = ZEROS_EITHER,
    [OP_and_b64] = ZEROS_EITHER,
    [OP_mul_lo_s16] = ZEROS_ADDED,
    [OP_mul_lo_u16] = ZEROS_ADDED,
    [OP_mul_lo_s32] = ZEROS_ADDED,
    [OP_mul_lo_u32] = ZEROS_ADDED,
    [OP_mul_lo_s64] = ZEROS_ADDED,
    [OP_mul_lo_u64] = ZEROS_ADDED,
    [OP_mul_wide_s16] = ZEROS_ADDED,
    [OP_mul_wide_u16] = ZEROS_ADDED,
    [OP_mul_wide_s32] = ZEROS_ADDED,
    [OP_mul_wide_u32] = ZEROS_ADDED,
    [OP_mul24_lo_s32] = ZEROS_ADDED,
    [OP_mul24_lo_u32] = ZEROS_ADDED,
    [OP_mad_lo_s16] = ZEROS_OF_MAD,
    [OP_mad_lo_u16] = ZEROS_OF_MAD,
    [OP_mad_lo_s32] = ZEROS_OF_MAD,
    [OP_mad_lo_u32] = ZEROS_OF_MAD,
    [OP_mad_lo_s64] = ZEROS_OF_MAD,
    [OP_mad_lo_u64] = ZEROS_OF_MAD,
    [OP_mad_wide_s16] = ZEROS_OF_MAD,
    [OP_mad_wide_u16] = ZEROS_OF_MAD,
    [OP_mad_wide_s32] = ZEROS_OF_MAD,
    [OP_mad_wide_u32] = ZEROS_OF_MAD,
    [OP_mad24_lo_s32] = ZEROS_OF_MAD,
    [OP_mad24_lo_u32] = ZEROS_OF_MAD,
    [OP_shl_b16] = ZEROS_OF_SHIFT,
    [OP_shl_b32] = ZEROS_OF_SHIFT,
    [OP_shl_b64] = ZEROS_OF_SHIFT,
};
#undef ZEROS_CONVERTED

static uint32_t shifted_by(const decoder *d, code_ref r)
{
    uint64_t count;
    return plan_constant(d, r, &count) ? (uint32_t)LW_MIN(count, MOST_ZEROS) : 0;
}

/* Low zero bits of d = op(a, b, c). */
uint32_t plan_result_zeros(const decoder *d, const code_insn *i, plan_value a, plan_value b, plan_value c)
{
    uint64_t by;
    switch (zeros_rules[i->op]) {
    case ZEROS_OF_A: return a.zeros;
    case ZEROS_COMMON: return LW_MIN(a.zeros, b.zeros);
    case ZEROS_OF_SUB: return plan_constant(d, i->a, &by) || plan_constant(d, i->b, &by) ? LW_MIN(a.zeros, b.zeros) : 0;
    case ZEROS_EITHER: return LW_MAX(a.zeros, b.zeros);
    case ZEROS_ADDED: return (uint32_t)a.zeros + b.zeros;
    case ZEROS_OF_MAD: return LW_MIN((uint32_t)a.zeros + b.zeros, c.zeros);
    case ZEROS_OF_SHIFT: return a.zeros + shifted_by(d, i->b);
    default: return 0;
    }
}

bool plan_has_slow_path(uint16_t op)
{
    switch (op) {
    case OP_div_f32:
    case OP_rcp_f32:
    case OP_sqrt_f32:
    case OP_div_f64:
    case OP_rcp_f64:
    case OP_sqrt_f64:
    case OP_div_s64:
    case OP_div_u64:
    case OP_rem_s64:
    case OP_rem_u64: return true;
    default: return false;
    }
}

uint32_t plan_halves(const code_insn *i)
{
    switch (i->op) {
    case OP_block:
    case OP_nop:
    case OP_cvta:
    case OP_pack:
    case OP_unpack:
    case OP_cvt_u64_u32:
    case OP_cvt_s64_s32:
    case OP_cvt_u32_u64:
    case OP_cvt_s64_u32:
    case OP_cvt_u64_s32:
    case OP_mul_wide_s32: /* one with the addition behind it */
    case OP_mul_wide_u32: return 0;
    case OP_shl_b64: return 4;
    default: return 2;
    }
}

/* A ticket: all add to one place, and each number is given once. A loop that goes on as long as there are some goes round as
 * often for all together, whoever gets which. */
static bool is_ticket(const code_insn *i, plan_value address)
{
    bool counts = i->mem.atomic.operation == ATOM_ADD || i->mem.atomic.operation == ATOM_INC;
    return counts && address.uniform == PLAN_UNIFORM && !address.order;
}

bool plan_splits_block(const decoder *d, const code_insn *i)
{
    uint64_t by;
    switch (i->op) {
    case OP_div_s16:
    case OP_div_u16:
    case OP_div_s32:
    case OP_div_u32:
    case OP_rem_s16:
    case OP_rem_u16:
    case OP_rem_s32:
    case OP_rem_u32: return !plan_constant(d, i->b, &by);
    default: return false;
    }
}

static uint8_t order_of_atomic(const code_insn *i, plan_value address)
{
    bool is_shared = i->mem.space == PTX_SHARED || i->mem.space == PTX_SHARED_CLUSTER;
    uint8_t order = is_shared ? PLAN_ORDER_WARPS : PLAN_ORDER_WARPS | PLAN_ORDER_BLOCKS;
    return is_ticket(i, address) ? order : order | PLAN_ORDER_ROUNDS;
}

/* The array of a pointer that is made of both. */
static uint8_t joined_base(uint8_t a, uint8_t b) { return a && b && a != b ? PLAN_SEVERAL : a | b; }

/* The array that d = op(a, b) points into. */
static uint8_t result_base(const code_insn *i, plan_value a, plan_value b)
{
    switch (i->op) {
    case OP_mov_b64:
    case OP_cvta: return a.base;
    case OP_add_s64:
    case OP_add_u64:
    case OP_sub_s64:
    case OP_sub_u64:
    case OP_selp64: return joined_base(a.base, b.base);
    default: return 0;
    }
}

static plan_value with_source(plan_value r, plan_value source)
{
    r.order |= source.order;
    r.from |= source.from;
    r.behind |= source.behind;
    return r;
}

/* What a load gives does not follow its address's order; it comes from the array that the address points into. */
static plan_value loaded(const code_insn *i, plan_value address, plan_value r)
{
    bool known = i->mem.space == PTX_GLOBAL && address.base && address.base != PLAN_SEVERAL;
    r.order = 0;
    r.base = 0;
    r.from = known ? UINT32_C(1) << address.base : 0;
    r.behind = r.from | address.behind;
    return r;
}

/* The values of all virtual registers while they are being found. */
typedef struct value_walk {
    plan_value *values;
    uint32_t *definitions; /* how many micro-operations write the register */
    plan_value by;         /* what the micro-operation at hand computes */
    bool changed;
    LW_VEC(uint32_t) ordered_stores; /* to fixed places of shared memory, of values with an order */
    bool fills_in_order;             /* something is stored to shared memory where an atomic said */
} value_walk;

/* Does the address lie at a fixed place of shared memory? */
static bool is_fixed_shared(const code_insn *i)
{
    return i->mem.space == PTX_SHARED && (i->a == CODE_NO_REF || !(i->a & VIRTUAL));
}

plan_value plan_stored(const decoder *d, const plan_value *values, const code_insn *store)
{
    plan_value all = {0};
    for (uint32_t k = 0; k < store->mem.vector; k++)
        all = with_source(all, plan_value_of(d, values, store->mem.list->ref[k]));
    return all;
}

static void find_ordered_stores(const decoder *d, value_walk *w)
{
    w->ordered_stores.count = 0;
    for (uint32_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        if (i->op != OP_st) continue;
        w->fills_in_order |= i->mem.space == PTX_SHARED && plan_value_of(d, w->values, i->a).order;
        if (is_fixed_shared(i) && plan_stored(d, w->values, i).order) lw_vec_push(&w->ordered_stores, u);
    }
}

/* The order of what the block stores to the fixed place that is loaded from: one thread asks an atomic where the block's
 * results go, and the others read it there. */
static uint8_t order_of_place(const decoder *d, const value_walk *w, const code_insn *load)
{
    uint8_t order = 0;
    for (size_t k = 0; k < w->ordered_stores.count && is_fixed_shared(load); k++) {
        const code_insn *i = &d->insns.items[w->ordered_stores.items[k]];
        if (i->a == load->a && i->mem.offset == load->mem.offset) order |= plan_stored(d, w->values, i).order;
    }
    return order;
}

/* Threads put data on a stack in shared memory and take from it, both where atomics say (HeCBench ss): what a lane gets
 * depends on the order of warps, and so does what it loads from there on. */
static uint8_t order_of_data(const value_walk *w, const code_insn *load, plan_value address)
{
    bool taken = w->fills_in_order && load->mem.space == PTX_SHARED && address.order;
    return taken || address.order & PLAN_ORDER_DATA ? PLAN_ORDER_WARPS | PLAN_ORDER_DATA : 0;
}

/* A local array lies at a multiple of its alignment, and of 8. Where several lie the assembler alone knows. */
static uint8_t frame_zeros(const decoder *d, const code_insn *i)
{
    size_t arrays = 0, at = 0;
    for (size_t k = 0; k < d->f->local_count; k++) { /* parameters of calls are among them */
        if (d->f->locals[k]->space != PTX_LOCAL) continue;
        arrays++;
        at = k;
    }
    if (!d->f->is_entry || arrays != 1) return 0;
    uint8_t aligned = zeros_of(LW_MAX(d->f->locals[at]->alignment, 8u));
    return LW_MIN(aligned, zeros_of((uint64_t)i->stack.offset - d->local_offset[at]));
}

/* The value that a micro-operation computes from its operands. */
static plan_value result_of(const decoder *d, const value_walk *w, const code_insn *i, const uop_info *n)
{
    const plan_value *values = w->values;
    plan_value a = plan_value_of(d, values, i->a);
    plan_value b = plan_value_of(d, values, i->b);
    plan_value c = plan_value_of(d, values, i->c);
    plan_value guard = plan_value_of(d, values, i->guard);
    plan_value r = {
        .uniform = PLAN_VARIES,
        .order = a.order | b.order | c.order,
        .base = result_base(i, a, b),
        .from = a.from | b.from | c.from | guard.from,
        .behind = a.behind | b.behind | c.behind | guard.behind,
    };
    if (i->op == OP_atom) r.order |= order_of_atomic(i, a);
    bool sources = i->a != CODE_NO_REF || i->b != CODE_NO_REF || i->c != CODE_NO_REF;
    for (uint32_t k = 0; n->list && k < n->list->count; k++)
        if (k >= n->list->results) r = with_source(r, plan_value_of(d, values, n->list->ref[k]));
    if (i->op == OP_ld) {
        r = loaded(i, a, r);
        r.order = order_of_place(d, w, i) | order_of_data(w, i, a);
    }
    if (i->op == OP_frame_address) r.zeros = frame_zeros(d, i);
    if (n->call || !sources || i->op == OP_atom) return r;
    if (n->list && i->op != OP_ld && i->op != OP_unpack && i->op != OP_pack) return r;
    r.uniform = LW_MIN(LW_MIN(a.uniform, b.uniform), LW_MIN(c.uniform, guard.uniform));
    if (i->op == OP_ld && i->mem.space == PTX_LOCAL) r.uniform = PLAN_VARIES;
    for (uint32_t k = 0; n->list && k < n->list->count; k++)
        if (k >= n->list->results) r.uniform = LW_MIN(r.uniform, plan_value_of(d, values, n->list->ref[k]).uniform);
    r.zeros = (uint8_t)LW_MIN(plan_result_zeros(d, i, a, b, c), MOST_ZEROS);
    return r;
}

static void count_definition(void *user, code_ref r, code_operand what)
{
    (void)what;
    ((value_walk *)user)->definitions[code_vreg_of(r)]++;
}

/* What the micro-operation gives to one of its results: d the value itself, a list unaligned ones, others anything. */
static plan_value value_for(const value_walk *w, code_operand what)
{
    if (what == OPERAND_D) return w->by;
    const plan_value *by = &w->by;
    if (what == OPERAND_LIST)
        return (plan_value){.uniform = by->uniform, .order = by->order, .from = by->from, .behind = by->behind};
    return (plan_value){.uniform = PLAN_VARIES};
}

static void weaken_definition(void *user, code_ref r, code_operand what)
{
    value_walk *w = user;
    uint32_t v = code_vreg_of(r);
    plan_value by = value_for(w, what), *now = &w->values[v], old = *now;
    if (w->definitions[v] > 1) by.uniform = LW_MIN(by.uniform, PLAN_PERHAPS_UNIFORM);
    now->uniform = LW_MIN(old.uniform, by.uniform);
    now->zeros = LW_MIN(old.zeros, by.zeros);
    now->order |= by.order;
    now->from |= by.from;
    now->behind |= by.behind;
    now->base = joined_base(old.base, by.base);
    w->changed |= memcmp(now, &old, sizeof old) != 0;
}

static void each_definition(const decoder *d, value_walk *w, code_operand_fn visit)
{
    w->changed = false;
    find_ordered_stores(d, w);
    for (size_t u = 0; u < d->insns.count; u++) {
        const code_insn *i = &d->insns.items[u];
        const uop_info *n = &d->infos.items[u];
        w->by = result_of(d, w, i, n);
        code_each_written(i, n, visit, w);
    }
}

plan_value *plan_values(const decoder *d)
{
    size_t count = d->vregs.count;
    value_walk w = {.values = lw_alloc((count + 1) * sizeof *w.values),
                    .definitions = lw_alloc((count + 1) * sizeof *w.definitions)};
    for (size_t v = 0; v < count; v++) w.values[v] = (plan_value){.uniform = PLAN_UNIFORM, .zeros = MOST_ZEROS};
    each_definition(d, &w, count_definition);
    for (size_t v = 0; v < count; v++)
        if (!w.definitions[v])
            w.values[v] = (plan_value){.uniform = PLAN_VARIES}; /* arguments, and what is never written */
    do each_definition(d, &w, weaken_definition);
    while (w.changed);
    free(w.definitions);
    lw_vec_free(&w.ordered_stores);
    return w.values;
}
