/* defined_access.c: undefined bits between registers and memory: what stores give to the clients, and what loads take. */
#include "exec/defined.h"
#include "exec/operand.h"

#include <string.h>

/* Elements that an access moves between registers and the lanes' bytes. */
typedef struct elements {
    const code_ref *ref; /* NULL: none */
    uint32_t count;
    uint32_t bytes, reg_bytes; /* of one, in memory and in a lane of its register */
    bool is_signed;            /* loads extend the sign */
} elements;

static elements stored_by(const code_insn *i, const exec_access *a)
{
    switch (i->op) {
    case OP_st:
    case OP_st_frame: return (elements){i->mem.list->ref, i->mem.vector, i->mem.bytes, i->mem.access.reg_bytes, false};
    case OP_sust: return (elements){i->mem.list->ref, i->mem.vector, i->mem.bytes, i->mem.surface.reg_bytes, false};
    case OP_sured: return (elements){i->mem.list->ref, 1, i->mem.bytes, i->mem.bytes, false};
    case OP_atom: return (elements){i->mem.list->ref + i->mem.vector, i->mem.vector, i->mem.bytes, i->mem.bytes, false};
    case OP_st_async: return (elements){i->mem.list->ref + 1, i->mem.vector, i->mem.bytes, i->mem.bytes, false};
    case OP_call:
    case OP_ret: return (elements){a->value, a->value != NULL, a->bytes_total, a->bytes_total, false};
    default: return (elements){0};
    }
}

static elements loaded_by(const code_insn *i, const exec_access *a)
{
    switch (i->op) {
    case OP_ld:
    case OP_ld_frame:
        return (elements){i->mem.list->ref, i->mem.vector, i->mem.bytes, i->mem.access.reg_bytes,
                          i->mem.access.is_signed};
    case OP_suld: return (elements){i->mem.list->ref, i->mem.vector, i->mem.bytes, i->mem.surface.reg_bytes, false};
    case OP_atom: return (elements){i->mem.list->ref, i->mem.vector, i->mem.bytes, i->mem.bytes, false};
    case OP_call:
    case OP_ret: return (elements){a->value, a->value != NULL, a->bytes_total, a->bytes_total, false};
    default: return (elements){0};
    }
}

/* Where the matrix instructions have half h of lane t: the lane that names the row, and the byte there. */
static uint8_t *half_at(const code_insn *i, event_undefined *u, uint32_t k, uint32_t t, uint32_t h)
{
    uint32_t major = t >> 2, minor = 2 * (t & 3) + h;
    uint32_t row = i->mem.matrix.transposed ? minor : major, column = i->mem.matrix.transposed ? major : minor;
    return u->bits[8 * k + row] + 2 * column;
}

/* ---------------------------------------------------------------- from registers */
static void give_element(exec_ctx *x, const elements *n, uint32_t k, uint32_t mask, event_undefined *u, uint32_t at)
{
    const uint8_t *bits = n->ref[k] == CODE_NO_REF ? NULL : exec_undefined_bits(x, n->ref[k]);
    if (!bits) return;
    bool first = !u->lanes;
    LANES_OF(mask)
    {
        const uint8_t *from = bits + (size_t)l * n->reg_bytes;
        for (uint32_t b = 0; b < n->bytes; b++) {
            u->bits[l][at + b] |= from[b];
            if (from[b]) u->lanes |= 1u << l;
        }
    }
    if (first && u->lanes) u->origin = *exec_undefined_origin(x, n->ref[k]);
}

static void give_matrices(exec_ctx *x, const code_insn *i, event_undefined *u)
{
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        const uint8_t *bits = exec_undefined_bits(x, i->mem.list->ref[k]);
        if (!bits) continue;
        u->origin = *exec_undefined_origin(x, i->mem.list->ref[k]);
        LANES_OF(x->mask)
        for (uint32_t h = 0; h < 2; h++) {
            uint8_t *to = half_at(i, u, k, l, h);
            memcpy(to, bits + 4 * l + 2 * h, 2);
            if (to[0] | to[1]) u->lanes |= 1u << ((to - u->bits[0]) / sizeof u->bits[0]);
        }
    }
}

/* Lanes of cp.async that read less than they write. */
static void give_copied(exec_ctx *x, const code_insn *i, const event_memory *e, event_undefined *u)
{
    code_ref bytes = i->mem.list->ref[1];
    if (bytes == CODE_NO_REF) return;
    LANES_OF(e->mask)
    {
        uint32_t n = LANES(uint32_t, bytes)[l];
        if (n >= i->mem.bytes) continue;
        u->lanes |= 1u << l;
        memset(u->bits[l], 0, sizeof u->bits[l]);
        memset(u->bits[l], 0xff, n);
    }
}

void exec_undefined_give(exec_ctx *x, const code_insn *i, event_memory *e, const exec_access *a)
{
    event_undefined *u = x->undefined;
    e->undefined = u;
    u->lanes = 0;
    if (i->op == OP_cp_async && e->op == EVENT_COPY_WRITE) give_copied(x, i, e, u);
    if (!exec_frame_is_dirty(x->group->frame)) return;
    if (e->op != EVENT_STORE && e->op != EVENT_ATOMIC && e->op != EVENT_REDUCTION && e->op != EVENT_MATRIX_STORE)
        return;
    elements n = stored_by(i, a);
    bool swaps = i->op == OP_atom && i->mem.atomic.operation == ATOM_CAS;
    LANES_OF(e->mask) memset(u->bits[l], 0, sizeof u->bits[l]);
    if (i->op == OP_stmatrix) give_matrices(x, i, u);
    if (n.bytes > 16 || n.count * n.bytes > sizeof u->bits[0]) return;
    for (uint32_t k = 0; k < n.count; k++) give_element(x, &n, k, e->mask, u, k * n.bytes);
    if (!swaps) return;
    elements swap = n;
    swap.ref += i->mem.vector;
    for (uint32_t k = 0; k < swap.count; k++) give_element(x, &swap, k, e->mask, u, k * n.bytes);
}

/* ---------------------------------------------------------------- to registers */
static void take_element(exec_ctx *x, const elements *n, uint32_t k, uint32_t mask, const event_undefined *u)
{
    code_ref ref = n->ref[k];
    if (ref == CODE_NO_REF) return;
    exec_make_defined(x, ref, n->reg_bytes, mask & ~u->lanes);
    uint32_t lanes = 0;
    LANES_OF(mask & u->lanes)
    for (uint32_t b = 0; b < n->bytes; b++)
        if (u->bits[l][k * n->bytes + b]) lanes |= 1u << l;
    exec_make_defined(x, ref, n->reg_bytes, mask & u->lanes & ~lanes);
    if (!lanes) return;
    uint8_t *to = exec_make_dirty(x, ref, n->reg_bytes, &u->origin);
    LANES_OF(lanes)
    {
        const uint8_t *from = u->bits[l] + k * n->bytes;
        uint8_t *lane = to + (size_t)l * n->reg_bytes;
        uint32_t bytes = LW_MIN(n->bytes, n->reg_bytes);
        bool extends = n->is_signed && from[n->bytes - 1] & 0x80;
        memcpy(lane, from, bytes);
        memset(lane + bytes, extends ? 0xff : 0, n->reg_bytes - bytes);
    }
}

static void take_matrices(exec_ctx *x, const code_insn *i, event_undefined *u)
{
    LANES_OF(~u->lanes) memset(u->bits[l], 0, sizeof u->bits[l]);
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        code_ref ref = i->mem.list->ref[k];
        if (ref == CODE_NO_REF) continue;
        uint8_t *to = exec_make_dirty(x, ref, 4, &u->origin);
        LANES_OF(x->mask)
        for (uint32_t h = 0; h < 2; h++) memcpy(to + 4 * l + 2 * h, half_at(i, u, k, l, h), 2);
        uint32_t undefined = exec_undefined_lanes(x, ref, 4, FULL_MASK);
        if (!undefined) exec_make_all_defined(x, ref);
    }
}

/* What a filter makes of texels, one of which nobody has written. */
static void take_texel(exec_ctx *x, const code_insn *i, const event_undefined *u)
{
    for (uint32_t k = 0; k < 4; k++) {
        code_ref ref = i->mem.list->ref[k];
        if (ref == CODE_NO_REF) continue;
        uint8_t *to = exec_make_dirty(x, ref, 4, &u->origin);
        LANES_OF(u->lanes) memset(to + 4 * l, 0xff, 4);
    }
}

void exec_undefined_take(exec_ctx *x, const code_insn *i, const event_memory *e, const exec_access *a)
{
    event_undefined *u = x->undefined;
    if (!u->lanes && !exec_frame_is_dirty(x->group->frame)) return;
    if (i->op == OP_wgmma) return; /* exec_undefined_of_operands() */
    if (e->op == EVENT_MATRIX_LOAD) {
        take_matrices(x, i, u);
        return;
    }
    if (e->op != EVENT_LOAD && e->op != EVENT_ATOMIC) return;
    if (i->op == OP_builtin && u->lanes) {
        exec_emit_undefined_use(x, i, EVENT_USE_SYSTEM, u->lanes, &u->origin);
        return;
    }
    if (i->op == OP_tex) {
        if (u->lanes) take_texel(x, i, u);
        return;
    }
    elements n = loaded_by(i, a);
    if (n.bytes > 16 || n.count * n.bytes > sizeof u->bits[0]) return;
    for (uint32_t k = 0; k < n.count; k++) take_element(x, &n, k, e->mask, u);
}

/* Register k of a warp's 16 rows of D: elements of a row lane / 4, or eight below, and of two columns; f16 has both. */
void exec_undefined_of_operands(exec_ctx *x, const code_insn *i, const exec_product_unknown *from)
{
    const code_tensor *t = i->tensor.form;
    uint32_t each = t->c == TENSOR_F16 ? 2 : 4; /* registers of 8 columns */
    event_origin origin = from->origin;
    origin.computed = true;
    for (uint32_t k = 0; k < t->registers_c; k++) {
        uint32_t eight = from->columns[k / each / 4] >> k / each % 4 * 8, half = k % each * 2 / each;
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t pair = eight >> 2 * (l & 3) & 3;
            bool row = from->rows >> (l / 4 + 8 * half) & 1;
            bool first = row || (each == 2 ? pair & 1 : pair >> (k & 1) & 1), second = each == 2 && (row || pair & 2);
            if (!first && !second) continue;
            uint8_t *to = exec_make_dirty(x, i->tensor.list->ref[k], 4, &origin) + 4 * l;
            if (each == 4 || first) memset(to, 0xff, each == 4 ? 4 : 2);
            if (second) memset(to + 2, 0xff, 2);
        }
    }
}
