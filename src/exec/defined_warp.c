/* defined_warp.c: undefined bits through operations that the lanes of a warp do together. */
#include "exec/defined_parts.h"
#include "exec/operand.h"
#include "ptx/semantics.h"

#include <string.h>

/* Lanes that take part with lane l; members: the mask, CODE_NO_REF: all. */
static uint32_t partners(const exec_ctx *x, code_ref members, uint32_t mask, uint32_t l)
{
    uint32_t m = members == CODE_NO_REF ? mask : (uint32_t)exec_known_at(x, members, 4, l) & mask;
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

static void pass_vote(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, i->c);
    r->origin.computed = true;
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint32_t lanes = partners(x, i->a, mask, l);
        r->bits[l] = vote_bits(x, i, lanes, exec_undefined_lanes(x, i->c, 0, lanes));
    }
}

static void pass_collected(exec_ctx *x, const code_insn *i, uint32_t bytes, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, i->b);
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

static void pass_shuffle(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, i->a);
    if (!r->any) return;
    LANES_OF(mask)
    {
        uint32_t b = (uint32_t)exec_known_at(x, i->b, 4, l), c = (uint32_t)exec_known_at(x, i->c, 4, l);
        r->bits[l] = exec_unknown_at(x, i->a, 4, source_lane(i, l, b, c));
    }
}

static void pass_matrix(exec_ctx *x, const code_insn *i, uint32_t mask, exec_unknown *r)
{
    exec_unknown_inherit(x, r, i->a);
    if (r->any && exec_undefined_lanes(x, i->a, 4, FULL_MASK)) exec_unknown_fill(r, mask);
}

static void use_collective(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (i->op == OP_movmatrix) return;
    if (i->op != OP_shfl) {
        exec_undefined_use(x, i, i->a, 4, mask, EVENT_USE_OPERAND);
        return;
    }
    exec_undefined_use(x, i, i->b, 4, mask, EVENT_USE_OPERAND);
    exec_undefined_use(x, i, i->c, 4, mask, EVENT_USE_OPERAND);
    exec_undefined_use(x, i, i->warp.members->ref[0], 4, mask, EVENT_USE_OPERAND);
}

bool exec_is_collective(uint32_t op)
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

/* The group may have to wait: then the results come when it runs. */
void exec_undefined_collective(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    exec_unknown r = {.any = false};
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
    exec_unknown_set(x, i->d, bytes, mask, &r);
    if (i->op == OP_match) exec_unknown_set(x, i->e, 0, mask, &r);
    else exec_make_defined(x, i->e, 0, mask);
}

/* ---------------------------------------------------------------- products of matrices */
/* Rows of A and columns of B that have undefined elements: register k of A holds those of rows lane / 4 + 8 (k mod m/8), one
 * of B those of column lane / 4. */
typedef struct product_parts {
    uint32_t rows, columns; /* bit n: row, column n */
    exec_unknown from;      /* whose origin it is */
} product_parts;

static uint32_t fours_of(uint32_t lanes)
{
    uint32_t out = 0;
    LANES_OF(lanes) out |= 1u << l / 4;
    return out;
}

static void find_parts(exec_ctx *x, const code_insn *i, uint32_t bytes, product_parts *p)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *a = i->tensor.list->ref + t->registers_c, *b = a + t->registers_a, *c = b + t->registers_b;
    bool quads = t->m == 8 && t->k == 4 && t->a == TENSOR_F16; /* four products, laid out in another way */
    for (uint32_t k = 0; k < t->registers_a; k++) {
        exec_unknown_inherit(x, &p->from, a[k]);
        p->rows |= fours_of(exec_undefined_lanes(x, a[k], bytes, FULL_MASK)) << 8 * (k % (t->m / 8));
    }
    for (uint32_t k = 0; k < t->registers_b; k++) {
        exec_unknown_inherit(x, &p->from, b[k]);
        p->columns |= fours_of(exec_undefined_lanes(x, b[k], bytes, FULL_MASK));
    }
    for (uint32_t k = 0; k < t->registers_c; k++) exec_unknown_inherit(x, &p->from, c[k]);
    if (t->sparse) exec_unknown_inherit(x, &p->from, c[t->registers_c]);
    bool metadata = t->sparse && exec_undefined_lanes(x, c[t->registers_c], 4, FULL_MASK);
    if (metadata || (quads && (p->rows | p->columns))) p->rows = UINT32_MAX;
}

/* Lanes of register k of D whose elements have an undefined part: of a row lane / 4 and one or two columns. */
static uint32_t lanes_of_result(const code_tensor *t, const product_parts *p, uint32_t k)
{
    uint32_t halves = t->m / 8u, each = LW_MAX(t->registers_c / halves, 1u), lanes = 0;
    uint32_t rows = p->rows >> 8 * (k / each % halves);
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t columns = each == 2 ? 1u << (2 * (l & 3) + (k & 1)) : 3u << 2 * (l & 3);
        if (rows >> l / 4 & 1 || p->columns & columns) lanes |= 1u << l;
    }
    return lanes;
}

/* An element of D is undefined with one of its row of A, of its column of B, or its own of C. */
void exec_undefined_product(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *d = i->tensor.list->ref, *c = d + t->registers_c + t->registers_a + t->registers_b;
    uint32_t bytes = t->a == TENSOR_F64 ? 8 : 4, lanes[8] = {0};
    product_parts p = {.rows = 0};
    LW_ASSERT(t->registers_c <= LW_COUNT(lanes));
    find_parts(x, i, bytes, &p);
    for (uint32_t k = 0; k < t->registers_c; k++)
        lanes[k] = lanes_of_result(t, &p, k) | exec_undefined_lanes(x, c[k], bytes, FULL_MASK);
    p.from.origin.computed = true;
    i->run(x, i, mask);
    if (!x->group) return;
    for (uint32_t k = 0; k < t->registers_c; k++) {
        exec_unknown r = {.any = p.from.any, .origin = p.from.origin};
        exec_unknown_fill(&r, lanes[k]);
        exec_unknown_set(x, d[k], bytes, mask, &r);
    }
}

/* A's undefined registers are reported where they are used; of D stays undefined what was, unless the product begins anew. */
void exec_undefined_group_product(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_tensor *t = i->tensor.form;
    const code_ref *d = i->tensor.list->ref, *a = d + t->registers_c, *b = a + t->registers_a;
    for (uint32_t k = 0; k < t->registers_a; k++)
        exec_undefined_use(x, i, a[k], t->shared_a ? 8 : 4, mask, t->shared_a ? EVENT_USE_ADDRESS : EVENT_USE_OPERAND);
    /* of 16 and 32-bit elements two lanes of four give the metadata */
    bool wide = t->a == TENSOR_F16 || t->a == TENSOR_BF16 || t->a == TENSOR_TF32;
    uint32_t givers = wide ? UINT32_C(0x33333333) << 2 * t->selector : FULL_MASK;
    if (t->sparse) exec_undefined_use(x, i, b[1 + t->registers_c], 4, mask & givers, EVENT_USE_OPERAND);
    exec_undefined_use(x, i, *b, 8, mask, EVENT_USE_ADDRESS);
    exec_undefined_use(x, i, i->c, 0, mask, EVENT_USE_OPERAND);
    bool anew = !(PREDICATE(i->c) & 1);
    for (uint32_t k = 0; anew && k < t->registers_c; k++) exec_make_defined(x, d[k], 4, mask);
    i->run(x, i, mask); /* which marks what it reads in shared memory */
}
