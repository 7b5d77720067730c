/* coop.c: warp-level collectives: vote, match, activemask, shfl, redux, elect. */
#include "exec/exec_priv.h"

#include <string.h>

static uint32_t members_of(exec_ctx *x, code_ref ref, uint32_t mask)
{
    return ref == CODE_NO_REF ? mask : LANES(uint32_t, ref)[__builtin_ctz(mask)];
}

static void set_predicate(exec_ctx *x, code_ref ref, uint32_t mask, uint32_t word)
{
    PREDICATE(ref) = (PREDICATE(ref) & ~mask) | (word & mask);
}

static void set_all(exec_ctx *x, code_ref ref, uint32_t mask, uint32_t value)
{
    uint32_t *d = LANES(uint32_t, ref);
    for (uint32_t m = mask; m; m &= m - 1) d[__builtin_ctz(m)] = value;
}

void run_vote(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes, members = members_of(x, i->a, mask);
    if (!warpsync_ready(x, i, members, mask, &lanes)) return;
    uint32_t p = PREDICATE(i->c) & lanes;
    switch (i->sub) {
    case VOTE_ALL: set_predicate(x, i->d, mask, p == lanes ? ~0u : 0); break;
    case VOTE_ANY: set_predicate(x, i->d, mask, p ? ~0u : 0); break;
    case VOTE_UNI: set_predicate(x, i->d, mask, p == lanes || !p ? ~0u : 0); break;
    default: set_all(x, i->d, mask, p); break;
    }
}

void run_activemask(exec_ctx *x, const code_insn *i, uint32_t mask) { set_all(x, i->d, mask, mask); }

void run_match(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes, members = members_of(x, i->a, mask), equal[32] = {0};
    if (!warpsync_ready(x, i, members, mask, &lanes)) return;
    uint64_t value[32];
    for (uint32_t l = 0; l < 32; l++) value[l] = i->bytes == 8 ? LANES(uint64_t, i->b)[l] : LANES(uint32_t, i->b)[l];
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        for (uint32_t n = lanes; n; n &= n - 1)
            if (value[__builtin_ctz(n)] == value[l]) equal[l] |= n & -n;
    }
    bool all = lanes && equal[__builtin_ctz(lanes)] == lanes;
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        d[l] = i->sub ? (all ? lanes : 0) : equal[l];
    }
    if (i->e != CODE_NO_REF) set_predicate(x, i->e, mask, all ? ~0u : 0);
}

/* PTX ISA, shfl: c holds the clamp (bits 0-4) and the segment mask (bits 8-12). */
void run_shfl(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->ptr;
    uint32_t lanes, members = members_of(x, list->ref[0], mask);
    if (!warpsync_ready(x, i, members, mask, &lanes)) return;
    uint32_t a[32], valid = 0;
    memcpy(a, LANES(uint32_t, i->a), sizeof a);
    const uint32_t *bb = LANES(uint32_t, i->b), *cc = LANES(uint32_t, i->c);
    uint32_t result[32];
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t b = bb[l] & 31, clamp = cc[l] & 31, segment = cc[l] >> 8 & 31;
        uint32_t top = (l & segment) | (clamp & ~segment), bottom = l & segment, j;
        bool p;
        switch (i->sub) {
        case SHFL_UP: j = l - b, p = (int32_t)j >= (int32_t)top; break;
        case SHFL_DOWN: j = l + b, p = j <= top; break;
        case SHFL_BFLY: j = l ^ b, p = j <= top; break;
        default: j = bottom | (b & ~segment), p = j <= top; break;
        }
        if (!p) j = l;
        result[l] = a[j & 31];
        valid |= (uint32_t)p << l;
    }
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t l = 0; l < 32; l++)
        if (mask >> l & 1) d[l] = result[l];
    if (i->e != CODE_NO_REF) set_predicate(x, i->e, mask, valid);
}

void run_redux(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes, members = members_of(x, i->a, mask);
    if (!warpsync_ready(x, i, members, mask, &lanes)) return;
    const uint32_t *v = LANES(uint32_t, i->b);
    uint32_t r = v[__builtin_ctz(lanes)];
    for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
        uint32_t y = v[__builtin_ctz(m)];
        switch (i->sub) {
        case REDUX_MIN_S: r = (int32_t)y < (int32_t)r ? y : r; break;
        case REDUX_MIN_U: r = y < r ? y : r; break;
        case REDUX_MAX_S: r = (int32_t)y > (int32_t)r ? y : r; break;
        case REDUX_MAX_U: r = y > r ? y : r; break;
        case REDUX_AND: r &= y; break;
        case REDUX_OR: r |= y; break;
        case REDUX_XOR: r ^= y; break;
        default: r += y; break;
        }
    }
    set_all(x, i->d, mask, r);
}

/* elect.sync: the lowest member; d: its lane */
void run_elect(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes, members = members_of(x, i->a, mask);
    if (!warpsync_ready(x, i, members, mask, &lanes)) return;
    uint32_t leader = (uint32_t)__builtin_ctz(lanes);
    set_all(x, i->d, mask, leader);
    if (i->e != CODE_NO_REF) set_predicate(x, i->e, mask, 1u << leader);
}
