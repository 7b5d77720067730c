/* pieces.c: loops that go round in pieces, as the assembler has unrolled them (code_pieces). Lanes that have not the rounds of a
 * piece left wait at the loop's head, also those that have none: all leave it together. */
#include "exec/warp.h"

enum { LONGEST_PIECE = 4, BETWEEN = UINT8_MAX }; /* rounds of a group that is through with a piece */

static bool holds(const code_pieces *p, uint64_t counter, uint64_t bound)
{
    int64_t a = p->bytes == 8 ? (int64_t)counter : (int32_t)counter,
            b = p->bytes == 8 ? (int64_t)bound : (int32_t)bound;
    bool less = p->is_signed ? a < b : (uint64_t)a < (uint64_t)b; /* extended alike, the order of numbers stays */
    bool result = false;
    switch ((enum code_relation)p->relation) {
    case CODE_LESS: result = less; break;
    case CODE_LESS_EQUAL: result = less || a == b; break;
    case CODE_GREATER: result = !less && a != b; break;
    case CODE_GREATER_EQUAL: result = !less; break;
    case CODE_NOT_EQUAL: result = a != b; break;
    }
    return result != (p->branch->guard & 1);
}

static uint64_t value_of(exec_ctx *x, const code_pieces *p, code_ref r, uint32_t lane)
{
    return p->bytes == 8 ? LANES(uint64_t, r)[lane] : LANES(uint32_t, r)[lane];
}

/* How many rounds a lane has left, of no more than the longest piece has. */
static uint32_t rounds_left(exec_ctx *x, const code_pieces *p, uint32_t lane)
{
    uint64_t counter = value_of(x, p, p->compare->a, lane), bound = value_of(x, p, p->compare->b, lane);
    uint32_t rounds = 0;
    for (; rounds < LONGEST_PIECE && holds(p, counter, bound); rounds++) counter += p->step;
    return rounds;
}

/* The lanes of the running group with at least so many rounds left as the piece has that is next, and its rounds; 0: none has
 * any. Lanes that have none and come from elsewhere go the first round, which is for all, before the others. */
static uint32_t next_piece(exec_ctx *x, const code_pieces *p, uint32_t *lanes)
{
    uint32_t with[LONGEST_PIECE + 1] = {0};
    for (uint32_t m = x->mask; m; m &= m - 1)
        for (uint32_t n = rounds_left(x, p, (uint32_t)__builtin_ctz(m)); n; n--) with[n] |= m & -m;
    *lanes = x->mask & ~with[1];
    if (!x->group->rounds && *lanes) return 1;
    uint32_t rounds = LONGEST_PIECE;
    while (rounds && !with[rounds]) rounds /= 2;
    *lanes = with[rounds];
    return rounds;
}

/* A group comes to the head from elsewhere, or is through with a piece. false: it does not go round now. */
static bool begin_piece(exec_ctx *x, const code_insn *head)
{
    const code_pieces *p = head->block.pieces;
    if (!exec_meet(x, head)) return false;
    exec_group *g = x->group;
    uint32_t lanes, rounds = next_piece(x, p, &lanes);
    g->rounds = (uint8_t)rounds;
    if (!rounds) {
        x->pc = p->branch + 1;
        return false;
    }
    uint32_t rest = x->mask & ~lanes;
    if (!rest) return true;
    x->parted[p->branch->site] = true;
    return exec_group_part(x, rest, head, head, p->branch);
}

static void run_head(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    (void)mask;
    uint8_t rounds = x->group->rounds;
    if ((!rounds || rounds == BETWEEN) && !begin_piece(x, i)) return;
    exec_enter_block(x, i);
}

static void end_round(exec_ctx *x, const code_pieces *p)
{
    if (!--x->group->rounds) x->group->rounds = BETWEEN;
    x->pc = p->head;
    x->worker->spin_branch = p->branch;
    exec_count_jump(x);
}

static void run_branch(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (x->group->rounds) end_round(x, i->branch.to->pieces);
    else run_bra(x, i, mask);
}

/* The block behind the branch: where lanes come if none takes it. */
static void run_behind(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    if (x->group->rounds) end_round(x, i->block.pieces);
    else run_block(x, i, mask);
}

code_run_fn exec_piece_run(const code_insn *i)
{
    if (i->op == OP_bra) return i->branch.to->pieces ? run_branch : NULL;
    if (i->op != OP_block || !i->block.pieces) return NULL;
    return i->block.pieces->head == i ? run_head : run_behind;
}
