/* test_invariants_code: every invariant of decoded kernels is broken on purpose, and its assertion is seen to fire. The
 * checks are compiled here with LW_DEBUG, so that this runs in every build. Dominators, which such a check rests on, are
 * compared with what can be reached without them. */
#include "fires.h"
#include "fixture.h"

#include "code/dominators.h"
#include "code/invariants.h"

/* ---------------------------------------------------------------- joins */
/* 0 -> 1, 2; 1 -> 3; 2 -> 3; 3 -> the exit, 4 */
static uint32_t starts[] = {0, 2, 3, 4, 5};
static const uint32_t diamond_edges[] = {1, 2, 3, 3, 4}, diamond_ipdom[] = {3, 3, 3, 4, 4};

#define BROKEN_GRAPH(expected, BREAK)                                                                                  \
    do {                                                                                                               \
        uint32_t edges[5], ipdom[5];                                                                                   \
        memcpy(edges, diamond_edges, sizeof edges);                                                                    \
        memcpy(ipdom, diamond_ipdom, sizeof ipdom);                                                                    \
        code_graph g = {.count = 4, .edge_start = starts, .ipdom = ipdom};                                             \
        g.edges.items = edges;                                                                                         \
        g.edges.count = 5;                                                                                             \
        BREAK;                                                                                                         \
        FIRES(expected, code_check_joins(&g));                                                                         \
    } while (0)

#define ON_ALL_WAYS "g->ipdom[b] == CODE_NO_BLOCK || code_post_dominates(g, g->ipdom[b], g->edges.items[e])"

UNIT_CASE(joins_are_on_all_ways)
{
    BROKEN_GRAPH("nothing", );
    BROKEN_GRAPH("nothing", ipdom[0] = CODE_NO_BLOCK);
    BROKEN_GRAPH(ON_ALL_WAYS, ipdom[0] = 1);
    BROKEN_GRAPH(ON_ALL_WAYS, edges[2] = 4);
    BROKEN_GRAPH("g->ipdom[b] != b", ipdom[3] = 3);
    BROKEN_GRAPH("g->edges.items[e] <= g->count", edges[4] = 5);
    BROKEN_GRAPH("g->ipdom[g->count] == g->count", ipdom[4] = 3);
}

/* ---------------------------------------------------------------- dominators */
/* What a node dominates is what the root does not reach around it. */
static void check_dominators(const code_digraph *g, const code_dominators *d)
{
    uint8_t reached[16] = {0}, around[16];
    code_digraph_reach(g, 0, reached);
    for (uint32_t over = 0; over < g->nodes; over++) {
        memset(around, 0, sizeof around);
        around[over] = 1;
        if (over) code_digraph_reach(g, 0, around);
        for (uint32_t n = 0; n < g->nodes; n++) {
            bool expected = over == n || (reached[over] && reached[n] && !around[n]);
            CHECK_EQ_INT(code_dominates(d, over, n), expected);
        }
    }
}

UNIT_CASE(dominators_are_what_cannot_be_passed_by)
{
    uint32_t state = 1, reached = 0;
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t nodes = 1 + round % 16;
        code_edges edges = {0};
        for (uint32_t k = 0; k < nodes + nodes / 2; k++) {
            state = state * 1664525 + 1013904223;
            lw_vec_push(&edges, ((code_edge){(state >> 8) % nodes, (state >> 20) % nodes}));
        }
        code_digraph g = code_digraph_new(nodes, &edges);
        code_dominators d = code_dominators_new(&g, 0);
        check_dominators(&g, &d);
        for (uint32_t n = 0; n < nodes; n++) {
            CHECK_EQ_INT(d.up[n] == CODE_NO_NODE, d.order[n] == 0);
            reached += d.order[n] != 0;
        }
        code_dominators_free(&d);
        code_digraph_free(&g);
        lw_vec_free(&edges);
    }
    CHECK(reached > 4000); /* most graphs hold more than their root */
}

/* ---------------------------------------------------------------- slots */
#define SLOTS(expected, ...)                                                                                           \
    do {                                                                                                               \
        code_slot slots[] = {__VA_ARGS__};                                                                             \
        uint32_t free_from[64] = {0};                                                                                  \
        FIRES(expected, code_check_slots(slots, LW_COUNT(slots), 256, free_from));                                     \
    } while (0)

#define IN_THE_FILE "s->offset % LW_MIN(s->bytes, 64u) == 0 && s->offset + s->bytes <= file_bytes"

UNIT_CASE(slots_of_live_registers_are_apart)
{
    SLOTS("nothing", {0, 4, 0, 128}, {2, 9, 128, 128}, {5, 6, 0, 128});
    SLOTS("free_from[at] <= s->start", {0, 4, 0, 128}, {2, 9, 64, 128});
    SLOTS("free_from[at] <= s->start", {0, 4, 0, 128}, {4, 6, 0, 128}); /* in the micro-operation that reads it last */
    SLOTS("free_from[at] <= s->start", {0, 4, 4, 4}, {1, 1, 4, 4});     /* predicates */
    SLOTS("s->start <= s->end", {3, 2, 0, 64});
    SLOTS(IN_THE_FILE, {0, 1, 32, 128});
    SLOTS(IN_THE_FILE, {0, 1, 192, 128});
}

/* ---------------------------------------------------------------- kernels */
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[64];\n"
    ".func f(.param .u32 n)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [n];\nst.shared.u32 [s], %r1;\nret;\n}\n"
    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<3>;\n"
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nsetp.lt.u32 %p1, %r1, 7;\n"
    "L: @%p1 bra M;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%rd1], %r1;\n"
    "M: sub.u32 %r1, %r1, 1;\nsetp.gt.u32 %p2, %r1, 3;\n@%p2 bra L;\n"
    "T: .branchtargets A, B;\nbrx.idx %r2, T;\nA: add.u32 %r1, %r1, 1;\nB:\n"
    "{\n.param .b32 q;\nst.param.b32 [q], %r1;\ncall f, (q);\n}\nret;\n}\n";

/* A kernel to break: its parts are constant only for those who use it. */
typedef struct subject {
    fixture f;
    code_kernel *kernel;
    struct code_body *body;
    code_function *entry;
    code_insn *bra, *back, *brx, *call, *add;
} subject;

static code_insn *find(const code_function *f, code_op op, uint32_t which)
{
    for (uint32_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].op == op && which-- == 0) return &f->insns[k];
    return NULL;
}

/* Of four components the first is read by the next round of the loop, the third behind it. */
static const char fetches[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 p)\n{\n"
    ".reg .f32 %f<9>;\n.reg .b64 %rd<3>;\n.reg .pred %p1;\nld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [p];\n"
    "mov.f32 %f1, 0f00000000;\nL: tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f1}];\n"
    "setp.lt.f32 %p1, %f3, 0f3F800000;\n@%p1 bra L;\nst.global.f32 [%rd2], %f3;\nret;\n}\n";

UNIT_CASE(components_that_nobody_reads_are_not_fetched)
{
    fixture f;
    REQUIRE(load(&f, fetches, "k"));
    const code_insn *tex = find(f.kernel->body->functions[0], OP_tex, 0);
    REQUIRE(tex);
    for (uint32_t k = 0; k < 4; k++) CHECK_EQ_INT(tex->mem.list->ref[k] != CODE_NO_REF, k % 2 == 0);
    unload(&f);
}

static bool subject_load(subject *s)
{
    if (!load(&s->f, text, "k")) return false;
    s->kernel = s->f.kernel;
    s->body = (struct code_body *)s->kernel->body;
    s->entry = s->body->functions[0];
    s->bra = find(s->entry, OP_bra, 0);
    s->back = find(s->entry, OP_bra, 1);
    s->brx = find(s->entry, OP_brx, 0);
    s->call = find(s->entry, OP_call, 0);
    s->add = find(s->entry, OP_add_u32, 0);
    return s->bra && s->back && s->brx && s->call && s->add;
}

/* The text of the assertion that a kernel broken by BREAK fires. */
#define BROKEN(expected, BREAK)                                                                                        \
    do {                                                                                                               \
        static subject subject_;                                                                                       \
        subject *s = &subject_;                                                                                        \
        REQUIRE(subject_load(s));                                                                                      \
        BREAK;                                                                                                         \
        FIRES(expected, code_check_kernel(s->kernel));                                                                 \
        unload(&s->f);                                                                                                 \
    } while (0)

#define BRANCH(insn) ((code_branch *)(insn)->branch.to)
#define TABLE(insn) ((code_table *)(insn)->table.to)
#define FILL(file, k) ((code_fill *)&(file).fills[k])
#define SITE(k) ((code_site *)&s->kernel->sites[k])
#define INSIDE "target >= f->insns && target < f->insns + f->insn_count"

UNIT_CASE(a_kernel_in_order_fires_nothing) { BROKEN("nothing", ); }

UNIT_CASE(branches_stay_in_their_function)
{
    BROKEN(INSIDE, BRANCH(s->bra)->target = s->body->functions[1]->insns);
    BROKEN(INSIDE, BRANCH(s->bra)->target = s->entry->insns + s->entry->insn_count);
    BROKEN("target->op == OP_block", BRANCH(s->bra)->target++);
    BROKEN("to->backward == (to->target <= i)", BRANCH(s->bra)->backward = true);
    BROKEN("to->backward == (to->target <= i)", BRANCH(s->back)->backward = false);
    BROKEN("to->backward || !to->spin", BRANCH(s->bra)->spin = true);
    BROKEN(INSIDE, TABLE(s->brx)->target[1] = NULL);
    BROKEN("i->table.to->count > 0", TABLE(s->brx)->count = 0);
    BROKEN(INSIDE, ((code_call *)s->call->call)->join = s->entry->insns - 1);
}

UNIT_CASE(lanes_meet_at_joins)
{
    BROKEN("join->block.joins", ((code_insn *)BRANCH(s->bra)->join)->block.joins = false);
    BROKEN("target->op == OP_block", BRANCH(s->bra)->join++);
    BROKEN(INSIDE, TABLE(s->brx)->join = s->body->functions[1]->insns);
}

UNIT_CASE(operands_are_those_of_the_row)
{
    BROKEN("refs[k] == CODE_NO_REF || ((row->reads | row->writes) & names[k])", s->add->e = s->add->d);
    BROKEN("(r & ~3u) < bytes[r & 3]", s->add->a = s->entry->register_bytes);
    BROKEN("(r & ~3u) < bytes[r & 3]", s->add->a = s->body->launch.bytes | CODE_LAUNCH);
    BROKEN("(r & ~3u) < bytes[r & 3]", s->add->b = VIRTUAL | 4);
    BROKEN("(r & ~3u) < bytes[r & 3]", s->back->guard = VIRTUAL | 1);
    BROKEN("!written || (r & 3) == CODE_FRAME", s->add->d = CODE_LAUNCH);
}

UNIT_CASE(values_of_lane_files_are_apart)
{
    BROKEN("fill->offset % 64 == 0 && fill->offset >= free_from", FILL(s->body->launch, 1)->offset = 0);
    BROKEN("fill->offset % 64 == 0 && fill->offset >= free_from", FILL(s->body->warp, 0)->offset = 4);
    BROKEN("free_from <= file->bytes", s->body->block.bytes = 32);
    BROKEN("fill->kind != FILL_PARAM || fill->value + fill->param_bytes <= kernel->param_bytes",
           s->kernel->param_bytes = 4);
    BROKEN("fill->kind != FILL_SPECIAL || fill->special < PTX_SPECIAL_COUNT",
           FILL(s->body->warp, 0)->special = PTX_SPECIAL_COUNT);
}

UNIT_CASE(functions_and_sites)
{
    BROKEN("body->functions[k]->index == k", s->entry->index = 1);
    BROKEN("f->insn_count >= 2 && f->insns[0].op == OP_block", s->entry->insns[0].op = OP_nop);
    BROKEN("(last->op == OP_exit || last->op == OP_ret) && last->guard == CODE_NO_REF", s->entry->insn_count--);
    BROKEN("f->local_bytes % 16 == 0", s->entry->local_bytes += 8);
    BROKEN("i->op > OP_none && i->op < CODE_OP_COUNT", s->add->op = CODE_OP_COUNT);
    BROKEN("i->site < LW_MAX(kernel->site_count, 1u)", s->add->site = s->kernel->site_count);
    BROKEN("i->block.index < kernel->block_count", s->entry->insns[0].block.index = s->kernel->block_count);
    BROKEN("s->block < kernel->block_count", SITE(0)->block = s->kernel->block_count);
    BROKEN("s->exact || s->why", (SITE(0)->exact = false, SITE(0)->why = NULL));
}

UNIT_MAIN()
