/* what_if: the client that keeps the accesses of a launch (client_what_if.c), and what they would have cost with other layouts of its
 * arrays: in shared memory (what_if.c), in global memory (what_if_global.c), with what both have in common (what_if_table.c). */
#ifndef LW_HOST_WHAT_IF_PRIV_H
#define LW_HOST_WHAT_IF_PRIV_H

#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/state_priv.h"
#include "model/layout.h"
#include "model/recount.h"
#include "model/trace.h"
#include "result/result.h"

/* What was seen of a launch. */
typedef struct what_if_seen {
    model_accesses *accesses;     /* to shared memory */
    LW_VEC(model_trace *) traces; /* of accesses to global memory, and those of textures; by host thread */
    int64_t budget;               /* bytes that the traces may still take */
    bool bulk;                    /* a bulk copy has moved shared memory: as one piece */
    bool clusters;                /* other blocks of the cluster have accessed it */
} what_if_seen;

/* Of the launch that has just ended; NULL: not asked for, or a launch like it was recounted before. */
what_if_seen *host_what_if_seen(const host_context *context);
/* From now on launches like this one are not kept. */
void host_what_if_done(host_context *context, const host_launch_facts *facts);
lw_arena *host_what_if_arena(host_context *context); /* until the next launch begins */

/* ---- the table ---- */
/* The work on one launch. */
typedef struct recount {
    host_context *context;
    const host_launch_facts *facts;
    const what_if_seen *seen;
    const host_kernel *kernel;
    const host_launch_config *config;
    lw_arena *arena;
    result_launch *launch;
    result_row *rows;
    const uint32_t *row_of;           /* of the space that is looked at */
    uint64_t *row_before, *row_after; /* of the array's accesses, by row */
    LW_VEC(result_what_if) table;
} recount;

/* A layout that was counted. */
typedef struct ranked {
    result_what_if what;
    const model_layout *layout; /* in the order of the candidates */
} ranked;
typedef LW_VEC(ranked) ranked_list;

/* "kernel(float*)::tile" -> "tile" */
const char *host_what_if_short_name(lw_arena *arena, const char *mangled);
const char *host_what_if_place(const recount *r, uint32_t insn); /* "a.cu:7" */
const char *host_what_if_text(lw_arena *arena, lw_text *text);   /* kept in the arena; the text is freed */
/* Bytes of a lane of an instruction as PTX has it; 0: it does not say. *element: of what it is a vector of. */
uint32_t host_what_if_parts(const char *mnemonic, uint32_t *element);
void host_what_if_sum_rows(const recount *r, const uint64_t *by_insn, uint64_t *by_row);
/* Why what was counted speaks against the layout, by r->row_before and row_after; NULL: nothing does. */
const char *host_what_if_no_gain(const recount *r, const result_what_if *w);
/* What is recommended first; then the cheapest; of equals the one whose rows are more likely those of the program. */
void host_what_if_sort(ranked_list *list);
/* Advice for each row that the layout makes better. `what`: "tile[32][33] instead of tile[32][32]"; `more`: how the sentence ends. */
void host_what_if_advise(const recount *r, const result_what_if *best, uint32_t element, const char *what,
                         const char *more);
/* Adds the first of the list to the launch's table, and empties the list. */
void host_what_if_show(recount *r, ranked_list *list);

/* ---- what is counted ---- */
/* Arrays in global memory; r->row_of is of that space. */
void host_what_if_global(recount *r);
/* Counts the candidates, and gives the launch its table and rows their advice. By site, the number + 1 of the row that its accesses
 * to shared and to global memory are counted in. */
void host_what_if_add(host_context *context, const host_launch_facts *facts, result_launch *launch, result_row *rows,
                      const uint32_t *shared_row_of, const uint32_t *global_row_of);

#endif
