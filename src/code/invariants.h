/* invariants.h: what must hold of a decoded kernel: of its control flow, its registers, its operands, its lane files.
 * Execution relies on all of it and checks none of it.
 *
 * With LW_DEBUG (sanitizer builds, and tests/unit/test_invariants_code.c, which breaks each of them on purpose) they are
 * checked once per function or kernel; else the calls are nothing. */
#ifndef LW_CODE_INVARIANTS_H
#define LW_CODE_INVARIANTS_H

#include "code/graph.h"
#include "code/uops.h"

#include <stdlib.h>

/* The slot of a register and the micro-operations, first and last, in which it is live. */
typedef struct code_slot {
    uint32_t start, end;
    uint32_t offset, bytes; /* in the lane file */
} code_slot;

#ifdef LW_DEBUG
enum { CODE_CHECKS = 1 };

/* ---------------------------------------------------------------- control flow */
/* Is node `up` on the way from `node` to the exit in the tree of post-dominators? */
static inline bool code_post_dominates(const code_graph *g, uint32_t up, uint32_t node)
{
    for (uint32_t steps = 0; steps <= g->count && node <= g->count; steps++) {
        if (node == up) return true;
        if (node == g->count) return false;
        node = g->ipdom[node];
    }
    return false;
}

/* Whichever way lanes go from a block, they pass its join: it post-dominates every successor. */
static inline void code_check_joins(const code_graph *g)
{
    LW_ASSERT(g->ipdom[g->count] == g->count);
    for (uint32_t b = 0; b < g->count; b++) {
        LW_ASSERT(g->ipdom[b] != b);
        for (uint32_t e = g->edge_start[b]; e < g->edge_start[b + 1]; e++) {
            LW_ASSERT(g->edges.items[e] <= g->count);
            LW_ASSERT(g->ipdom[b] == CODE_NO_BLOCK || code_post_dominates(g, g->ipdom[b], g->edges.items[e]));
        }
    }
}

/* Lanes go to block micro-operations of their function. */
static inline void code_check_target(const code_function *f, const code_insn *target)
{
    LW_ASSERT(target >= f->insns && target < f->insns + f->insn_count);
    LW_ASSERT(target->op == OP_block);
}

/* They meet at one that says so, or at the function's end. */
static inline void code_check_join(const code_function *f, const code_insn *join)
{
    if (!join) return;
    code_check_target(f, join);
    LW_ASSERT(join->block.joins);
}

static inline void code_check_branch(const code_function *f, const code_insn *i)
{
    const code_branch *to = i->branch.to;
    code_check_target(f, to->target);
    code_check_join(f, to->join);
    LW_ASSERT(to->backward == (to->target <= i));
    LW_ASSERT(to->backward || !to->spin);
}

static inline void code_check_table(const code_function *f, const code_insn *i)
{
    LW_ASSERT(i->table.to->count > 0);
    for (uint32_t k = 0; k < i->table.to->count; k++) code_check_target(f, i->table.to->target[k]);
    code_check_join(f, i->table.to->join);
}

/* ---------------------------------------------------------------- registers */
/* Registers that live at the same time have slots apart; slots: in the order of their starts. A slot is not even used
 * again in the micro-operation that reads it last, which may read lanes after it wrote others. free_from: file_bytes / 4
 * zeros to work with, by 4 bytes a micro-operation. */
static inline void code_check_slots(const code_slot *slots, uint32_t count, uint32_t file_bytes, uint32_t *free_from)
{
    for (uint32_t k = 0; k < count; k++) {
        const code_slot *s = &slots[k];
        LW_ASSERT(s->start <= s->end);
        LW_ASSERT(s->offset % LW_MIN(s->bytes, 64u) == 0 && s->offset + s->bytes <= file_bytes);
        for (uint32_t at = s->offset / 4; at < (s->offset + s->bytes) / 4; at++) {
            LW_ASSERT(free_from[at] <= s->start);
            free_from[at] = s->end + 1;
        }
    }
}

/* ---------------------------------------------------------------- operands */
/* What an operand refers to lies in its lane file; results lie in the frame. */
static inline void code_check_ref(const code_kernel *kernel, const code_function *f, code_ref r, bool written)
{
    const struct code_body *body = kernel->body;
    const uint32_t bytes[] = {f->register_bytes, body->launch.bytes, body->block.bytes, body->warp.bytes};
    if (r == CODE_NO_REF) return;
    LW_ASSERT((r & ~3u) < bytes[r & 3]);
    LW_ASSERT(!written || (r & 3) == CODE_FRAME);
}

/* An operand that is there is one that the micro-operation's row reads or writes: else nobody follows its value. */
static inline void code_check_operands(const code_kernel *kernel, const code_function *f, const code_insn *i)
{
    const code_ref refs[] = {i->d, i->a, i->b, i->c, i->e};
    static const uint8_t names[] = {OPERAND_D, OPERAND_A, OPERAND_B, OPERAND_C, OPERAND_E};
    const code_uop_operands *row = &code_uops[i->op];
    for (uint32_t k = 0; k < LW_COUNT(refs); k++) {
        LW_ASSERT(refs[k] == CODE_NO_REF || ((row->reads | row->writes) & names[k]));
        code_check_ref(kernel, f, refs[k], row->writes & names[k]);
    }
    if (i->guard != CODE_NO_REF) code_check_ref(kernel, f, i->guard & ~1u, false);
}

/* ---------------------------------------------------------------- lane files */
/* Values lie one behind the other, each at a line of the host's cache. */
static inline void code_check_file(const code_kernel *kernel, const code_file *file)
{
    uint32_t free_from = 0;
    for (uint32_t k = 0; k < file->count; k++) {
        const code_fill *fill = &file->fills[k];
        LW_ASSERT(fill->offset % 64 == 0 && fill->offset >= free_from);
        free_from = fill->offset + (fill->bytes ? 32u * fill->bytes : 4u);
        LW_ASSERT(fill->kind != FILL_PARAM || fill->value + fill->param_bytes <= kernel->param_bytes);
        LW_ASSERT(fill->kind != FILL_SPECIAL || fill->special < PTX_SPECIAL_COUNT);
    }
    LW_ASSERT(free_from <= file->bytes);
}

/* ---------------------------------------------------------------- the whole */
static inline void code_check_insn(const code_kernel *kernel, const code_function *f, const code_insn *i)
{
    LW_ASSERT(i->op > OP_none && i->op < CODE_OP_COUNT);
    LW_ASSERT(i->site < LW_MAX(kernel->site_count, 1u));
    code_check_operands(kernel, f, i);
    if (i->op == OP_block) LW_ASSERT(i->block.index < kernel->block_count);
    if (i->op == OP_bra) code_check_branch(f, i);
    if (i->op == OP_brx) code_check_table(f, i);
    if (i->op == OP_call) code_check_join(f, i->call->join);
}

/* A function begins with a block and ends with an instruction that does not go on. */
static inline void code_check_function(const code_kernel *kernel, const code_function *f)
{
    LW_ASSERT(f->insn_count >= 2 && f->insns[0].op == OP_block);
    const code_insn *last = &f->insns[f->insn_count - 1];
    LW_ASSERT((last->op == OP_exit || last->op == OP_ret) && last->guard == CODE_NO_REF);
    LW_ASSERT(f->local_bytes % 16 == 0);
    for (uint32_t k = 0; k < f->insn_count; k++) code_check_insn(kernel, f, &f->insns[k]);
}

static inline void code_check_site(const code_kernel *kernel, const code_site *s)
{
    LW_ASSERT(s->block < kernel->block_count);
    LW_ASSERT(s->exact || s->why);
}

static inline void code_check_kernel(const code_kernel *kernel)
{
    const struct code_body *body = kernel->body;
    for (uint32_t k = 0; k < body->function_count; k++) {
        LW_ASSERT(body->functions[k]->index == k);
        code_check_function(kernel, body->functions[k]);
    }
    for (uint32_t k = 0; k < kernel->site_count; k++) code_check_site(kernel, &kernel->sites[k]);
    code_check_file(kernel, &body->launch);
    code_check_file(kernel, &body->block);
    code_check_file(kernel, &body->warp);
}

#else
enum { CODE_CHECKS = 0 };
static inline void code_check_joins(const code_graph *g) { (void)g; }
static inline void code_check_slots(const code_slot *slots, uint32_t count, uint32_t file_bytes, uint32_t *free_from)
{
    (void)slots, (void)count, (void)file_bytes;
    (void)free_from;
}
static inline void code_check_kernel(const code_kernel *kernel) { (void)kernel; }
#endif

#endif
