/* plan.h: inside code/: the count plan's parts. */
#ifndef LW_CODE_PLAN_H
#define LW_CODE_PLAN_H

#include "code/uops.h"
#include "event/event.h"

enum plan_rule {
#define PLAN(id, exact, why, proof) PLAN_##id,
#include "code/plan.def"
#undef PLAN
};
/* Marks a site as not exact if the rule says so; perhaps later, in plan_settle(). */
void plan_mark(decoder *d, uint32_t site, enum plan_rule rule);
/* The same, whatever the rule and the machine code say. */
void plan_mark_surely(decoder *d, uint32_t site, enum plan_rule rule);
/* The same, should the lanes of a warp part at a branch of the sites first to last. */
void plan_mark_parting(decoder *d, uint32_t site, uint32_t first, uint32_t last, enum plan_rule rule);

/* The same, should blocks have several warps. */
void plan_mark_warps(decoder *d, uint32_t site, enum plan_rule rule);

void plan_mark_kernel(kernel_builder *b, enum plan_rule rule);

/* ---- what the assembler can know of a register (plan_values.c) ---- */
enum { PLAN_VARIES, PLAN_PERHAPS_UNIFORM, PLAN_UNIFORM }; /* perhaps: several definitions */
enum {
    PLAN_ORDER_WARPS = 1,
    PLAN_ORDER_BLOCKS = 2, /* the atomic was not one on shared memory */
    PLAN_ORDER_ROUNDS = 4, /* and no ticket: all together do not go round as often in any order */
    PLAN_ORDER_DATA = 8    /* data that were put where an atomic said, and taken from where one said: whose they are */
};
enum { PLAN_SEVERAL = 0xff };
typedef struct plan_value {
    uint8_t uniform;
    uint8_t zeros; /* low bits that are zero */
    uint8_t order; /* derives from what an atomic returned: PLAN_ORDER_*, or 0 */
    uint8_t
        base; /* a pointer: the array that it points into, 1 to 31 by the kernel's parameters; 0: none, PLAN_SEVERAL */
    uint32_t from;   /* bit of each array that was loaded from to compute it */
    uint32_t behind; /* the same, and of those whose values said where to load from */
} plan_value;
plan_value *plan_values(const decoder *d); /* by virtual register; free() it */
plan_value plan_value_of(const decoder *d, const plan_value *values, code_ref r);
/* How many low bits of what it is relative to are zero, of an address in shared memory that is known but for that. */
uint8_t plan_shared_alignment(const decoder *d, uint64_t offset);
plan_value plan_stored(const decoder *d, const plan_value *values, const code_insn *store); /* order and from alone */
bool plan_constant(const decoder *d, code_ref r, uint64_t *out);

/* Low zero bits of the result, given those of the operands. */
uint32_t plan_result_zeros(const decoder *d, const code_insn *i, plan_value a, plan_value b, plan_value c);

/* Divisions and roots branch to a slow path in machine code, and so end the basic block. */
bool plan_has_slow_path(uint16_t op);

/* Divisions of whole numbers of up to 32 bits by what is no constant: loads are joined around them, but stores are not, and
 * what stands behind one does not leave its loop. */
bool plan_splits_block(const decoder *d, const code_insn *i);

/* Halves of machine instructions that the assembler executes under a predicate instead of branching around them: of blocks
 * that load from global memory, whose latency it hides behind what stands before and behind; of others. */
enum { PLAN_HALVES = 2 * 8, PLAN_LONGEST_HALVES = 2 * 20 };
/* Machine instructions of a micro-operation, in halves: about as many as the assembler makes of it. */
uint32_t plan_halves(const code_insn *i);

/* ---- alignment that accesses prove (plan_align.c) ---- */
typedef struct plan_alignment plan_alignment;
plan_alignment *plan_alignment_new(const decoder *d, const plan_value *values); /* borrows both */
void plan_alignment_free(plan_alignment *a);
/* The access at micro-operation u, in this block, shows that so many low bits of its base are zero. */
void plan_alignment_prove(plan_alignment *a, uint32_t u, uint32_t block, uint32_t zeros);
/* How many of the base's low bits are known to be zero in this block. */
uint32_t plan_zeros_at(const plan_alignment *a, code_ref base, uint32_t block);
/* Do all ways to a block lead through the block `over`? Its immediate dominator; the first block's is itself. */
bool plan_dominates(const plan_alignment *a, uint32_t over, uint32_t block);
uint32_t plan_dominator(const plan_alignment *a, uint32_t block);
/* The one micro-operation that writes the register, or NULL. */
const code_insn *plan_definition(const plan_alignment *a, code_ref r);
/* Do several micro-operations write the register? */
bool plan_has_several(const plan_alignment *a, code_ref r);

/* ---- which parts of values are needed (plan_words.c) ---- */
enum {
    PLAN_LOW_HALF = 1,  /* of a 64-bit register: bits 0 to 31 */
    PLAN_HIGH_HALF = 2, /* bits 32 to 63 */
    PLAN_EXTENDED = 4   /* of a 16-bit register: with zeros above it */
};
uint8_t *plan_needs(const decoder *d); /* by virtual register; free() it */

/* ---- addresses that are loaded from arrays which the kernel changes (plan_chase.c) ---- */
void plan_chase(decoder *d, const plan_value *values);
/* Arrays that the kernel changes, and that it loads from where other data say: what other threads change. As plan_value.from. */
uint32_t plan_changed(const decoder *d, const plan_value *values);

/* ---- what machine code shows of the rules (plan_machine.c) ---- */
/* Which loads or stores of machine code the micro-operation is among: space, direction, log2 of bytes; false: among none. */
typedef struct plan_access {
    uint8_t space, direction, width;
} plan_access;
bool plan_access_of(const code_insn *i, plan_access *out);
typedef struct plan_machine {
    bool known;
    bool equal[CODE_ACCESS_SPACES][CODE_ACCESS_DIRECTIONS]; /* as many of each width as the plan has */
    code_accesses planned;
} plan_machine;
/* Compares what is planned with the kernel's machine code; behind all that joins, splits and drops. */
plan_machine plan_compare(const decoder *d);
/* Are there as many of its kind? */
bool plan_is_equal(const plan_machine *m, const code_insn *i);
/* Marks what no comparison rules out, of what plan_mark() was told. */
void plan_settle(decoder *d, const plan_machine *m);

/* ---- loops (plan_loops.c) ---- */
void plan_loops(decoder *d, const plan_value *values, const plan_alignment *a);
/* Counted loops that the assembler may unroll further; behind plan_compare(). known: what plan_pieces() says. */
void plan_counted_loops(decoder *d, const plan_value *values, const plan_machine *m, bool known);
/* Are so many more loads the copies of those of one innermost counted loop, or of all, unrolled in pieces? */
bool plan_loads_in_pieces(const decoder *d, const plan_value *values, bool (*loads)(const code_insn *), uint32_t more);
/* Does the branch at u end an innermost counted loop, and do its lanes leave it at different times? */
bool plan_ends_counted_loop(const decoder *d, uint32_t u, const plan_value *values, bool *varies);
/* By how much a register goes on in each round of the loop [first, last], as far as sums, products and shifts show; 0: it
 * does not, or that is not known. */
int64_t plan_step(const decoder *d, uint32_t first, uint32_t last, code_ref r);
/* Do micro-operations first to last add a constant to the register? */
bool plan_adds_constant(const decoder *d, uint32_t first, uint32_t last, code_ref r);

/* ---- neighbouring accesses and unread words (plan_merge.c); reads: how often each virtual register is read ---- */
bool plan_ends_search(const code_insn *i); /* ends what is joined, and known */
void plan_merge(decoder *d, const plan_value *values, const uint32_t *reads, plan_alignment *alignment);

/* ---- loops that are unrolled in pieces (plan_pieces.c) ---- */
/* Lets lanes go round them as in machine code. Is it known of all counted loops of the kernel that they do? */
bool plan_pieces(decoder *d, const plan_value *values, const plan_machine *m);

/* ---- loads that are joined with those of the next rounds (plan_rounds.c) ---- */
/* Where the machine code shows it; it is then as planned. */
void plan_rounds(decoder *d, const plan_value *values, plan_machine *m);

/* ---- loads whose value is already there (plan_again.c) ---- */
/* Loads in one basic block of what is in registers; what that changes of how often registers are read. */
void plan_once(decoder *d, uint32_t *reads, const plan_alignment *blocks);
void plan_overwritten(decoder *d); /* stores in one basic block that another makes nothing of; behind plan_once() */
void plan_again(decoder *d, const plan_alignment *blocks);

/* ---- stores that one of two ways overwrites (plan_meet.c); behind plan_overwritten() ---- */
void plan_meet(decoder *d, const plan_alignment *definitions);

/* ---- frames in machine code (plan_frames.c); all but the first need kernel_builder.frames ---- */
void plan_frames(kernel_builder *b);             /* reads them; before anything is decoded */
bool plan_frames_known(const kernel_builder *b); /* all of what calls store and load; false without frames */
bool plan_frames_spill(const kernel_builder *b); /* is there more than saves and the arrays of PTX? */
bool plan_frame_keeps_arrays(const decoder *d);  /* has this function those arrays, and nothing beside? */
bool plan_frame_has_none(const decoder *d);      /* or nothing at all? */

/* ---- loads that only a select reads (plan_select.c) ---- */
void plan_select(decoder *d, const uint32_t *reads);

#endif
