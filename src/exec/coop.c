/* coop.c: warp-level collectives: vote, match, activemask, shfl, redux, elect. */
#include "exec/emit.h"

#include <string.h>

/* Member masks may differ from lane to lane (tiles of a warp): the collective runs once for each distinct mask. */
typedef struct collective {
    uint32_t left;   /* lanes not served yet */
    uint32_t lanes;  /* lanes that take part with `served` */
    uint32_t served; /* lanes of the executing group with this mask */
} collective;

/* Lanes that are not in their own mask, and lanes whose mask is not that of the lanes it names. */
static void check_masks(exec_ctx *x, const code_insn *i, const uint32_t *members, uint32_t mask)
{
    uint32_t outside = 0, differ = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (!(members[l] >> l & 1)) outside |= m & -m;
        for (uint32_t n = members[l] & mask; n; n &= n - 1)
            if (members[__builtin_ctz(n)] != members[l]) differ |= m & -m;
    }
    if (outside) exec_emit_misuse(x, i, EVENT_MISUSE_OWN_LANE, outside, outside);
    if (differ & ~outside) exec_emit_misuse(x, i, EVENT_MISUSE_MASKS_DIFFER, differ, differ);
}

/* A card ends a kernel whose lanes name different masks, one of them without its own lane (an H100: votes; WARPSYNC of a
 * register). Of a mask that is one for the warp, the assembler makes nothing where the lanes are together. */
static bool masks_fault(exec_ctx *x, const code_insn *i, const uint32_t *members, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        if (members[l] >> l & 1) continue;
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, l, 0, 0, false, "code",
                  "a thread calls a warp-level function with a mask that its own lane is not in (0x%x)", members[l]);
        return true;
    }
    return false;
}

static bool collective_begin(exec_ctx *x, const code_insn *i, code_ref members, uint32_t mask, collective *c)
{
    uint32_t all = 0, common = UINT32_MAX, lanes;
    *c = (collective){.left = mask};
    if (members == CODE_NO_REF) return true;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t member = LANES(uint32_t, members)[__builtin_ctz(m)];
        all |= member;
        common &= member;
    }
    if (all != common && mask && masks_fault(x, i, LANES(uint32_t, members), mask)) return false;
    if (!exec_warpsync_ready(x, i, all, mask, &lanes)) return false;
    exec_emit_warp_syncs(x, i, members, mask);
    if (exec_wants(x, EVENT_MISUSE)) check_masks(x, i, LANES(uint32_t, members), mask);
    return true;
}

static bool collective_next(exec_ctx *x, code_ref members, uint32_t mask, collective *c)
{
    if (!c->left) return false;
    if (members == CODE_NO_REF) {
        c->lanes = c->served = mask;
        c->left = 0;
        return true;
    }
    const uint32_t *m = LANES(uint32_t, members);
    uint32_t value = m[__builtin_ctz(c->left)];
    c->served = 0;
    for (uint32_t n = c->left; n; n &= n - 1)
        if (m[__builtin_ctz(n)] == value) c->served |= n & -n;
    c->left &= ~c->served;
    c->lanes = value & x->warp->live & x->mask;
    if (!c->lanes) c->lanes = c->served;
    return true;
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
    collective c;
    if (!collective_begin(x, i, i->a, mask, &c)) return;
    uint32_t votes = PREDICATE(i->c); /* read before d, which may be the same predicate, is written */
    while (collective_next(x, i->a, mask, &c)) {
        uint32_t p = votes & c.lanes;
        switch (i->warp.operation) {
        case VOTE_ALL: set_predicate(x, i->d, c.served, p == c.lanes ? ~0u : 0); break;
        case VOTE_ANY: set_predicate(x, i->d, c.served, p ? ~0u : 0); break;
        case VOTE_UNI: set_predicate(x, i->d, c.served, p == c.lanes || !p ? ~0u : 0); break;
        default: set_all(x, i->d, c.served, p); break;
        }
    }
}

void run_activemask(exec_ctx *x, const code_insn *i, uint32_t mask) { set_all(x, i->d, mask, mask); }

void run_match(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    collective c;
    uint64_t value[32];
    if (!collective_begin(x, i, i->a, mask, &c)) return;
    for (uint32_t l = 0; l < 32; l++)
        value[l] = i->warp.bytes == 8 ? LANES(uint64_t, i->b)[l] : LANES(uint32_t, i->b)[l];
    while (collective_next(x, i->a, mask, &c)) {
        uint32_t equal[32] = {0};
        for (uint32_t m = c.lanes; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            for (uint32_t n = c.lanes; n; n &= n - 1)
                if (value[__builtin_ctz(n)] == value[l]) equal[l] |= n & -n;
        }
        bool all = equal[__builtin_ctz(c.lanes)] == c.lanes;
        uint32_t *d = LANES(uint32_t, i->d);
        for (uint32_t m = c.served; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            d[l] = i->warp.operation == MATCH_ALL ? (all ? c.lanes : 0) : equal[l];
        }
        if (i->e != CODE_NO_REF) set_predicate(x, i->e, c.served, all ? ~0u : 0);
    }
}

/* Each lane of mask reads from its source: does that take part? */
static void check_sources(exec_ctx *x, const code_insn *i, const uint32_t *members, uint32_t mask,
                          const uint32_t source[32])
{
    bool tail = i->warp.operation == SHFL_UP || i->warp.operation == SHFL_DOWN;
    uint32_t readers = 0, sources = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint32_t from = 1u << source[l];
        if (from & mask & members[l]) continue;
        readers |= m & -m;
        sources |= from;
    }
    if (!readers) return;
    exec_emit_misuse(x, i, tail ? EVENT_MISUSE_SOURCE_TAIL : EVENT_MISUSE_SOURCE, readers, sources);
}

/* PTX ISA, shfl: c holds the clamp (bits 0-4) and the segment mask (bits 8-12). What a lane that does not take part
 * gives is undefined by the letter; an H200 gives 0, whatever its register holds. */
void run_shfl(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->warp.members;
    collective c;
    if (!collective_begin(x, i, list->ref[0], mask, &c)) return;
    uint32_t a[32], valid = 0;
    memcpy(a, LANES(uint32_t, i->a), sizeof a);
    const uint32_t *bb = LANES(uint32_t, i->b), *cc = LANES(uint32_t, i->c);
    bool up = i->warp.operation == SHFL_UP;
    uint32_t result[32], source[32];
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t b = bb[l] & 31, clamp = cc[l] & 31, segment = cc[l] >> 8 & 31;
        uint32_t top = (l & segment) | (clamp & ~segment), bottom = l & segment, j;
        switch (i->warp.operation) {
        case SHFL_UP: j = l - b; break;
        case SHFL_DOWN: j = l + b; break;
        case SHFL_BFLY: j = l ^ b; break;
        default: j = bottom | (b & ~segment); break;
        }
        bool p = up ? (int32_t)j >= (int32_t)top : j <= top;
        if (!p) j = l;
        source[l] = j & 31;
        result[l] = mask >> source[l] & 1 ? a[source[l]] : 0;
        valid |= (uint32_t)p << l;
    }
    if (exec_wants(x, EVENT_MISUSE) && list->ref[0] != CODE_NO_REF)
        check_sources(x, i, LANES(uint32_t, list->ref[0]), mask, source);
    uint32_t *d = LANES(uint32_t, i->d);
    for (uint32_t l = 0; l < 32; l++)
        if (mask >> l & 1) d[l] = result[l];
    if (i->e != CODE_NO_REF) set_predicate(x, i->e, mask, valid);
}

static uint32_t reduce(const uint32_t *v, uint32_t lanes, uint32_t operation)
{
    uint32_t r = v[__builtin_ctz(lanes)];
    for (uint32_t m = lanes & (lanes - 1); m; m &= m - 1) {
        uint32_t y = v[__builtin_ctz(m)];
        switch (operation) {
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
    return r;
}

void run_redux(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    collective c;
    uint32_t v[32];
    if (!collective_begin(x, i, i->a, mask, &c)) return;
    memcpy(v, LANES(uint32_t, i->b), sizeof v);
    while (collective_next(x, i->a, mask, &c)) set_all(x, i->d, c.served, reduce(v, c.lanes, i->warp.operation));
}

/* elect.sync: the lowest member; d: its lane */
void run_elect(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    collective c;
    if (!collective_begin(x, i, i->a, mask, &c)) return;
    while (collective_next(x, i->a, mask, &c)) {
        uint32_t leader = (uint32_t)__builtin_ctz(c.lanes);
        set_all(x, i->d, c.served, leader);
        if (i->e != CODE_NO_REF) set_predicate(x, i->e, c.served, 1u << leader);
    }
}
