/* what_if: the client that keeps the accesses of a launch to shared memory (client_what_if.c), and what they would have cost with
 * other layouts of its arrays (what_if.c), for who writes the rows of a launch. */
#ifndef LW_HOST_WHAT_IF_PRIV_H
#define LW_HOST_WHAT_IF_PRIV_H

#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/state_priv.h"
#include "model/recount.h"
#include "result/result.h"

/* What was seen of a launch. */
typedef struct what_if_seen {
    model_accesses *accesses;
    bool bulk;     /* a bulk copy has moved shared memory: as one piece */
    bool clusters; /* other blocks of the cluster have accessed it */
} what_if_seen;

/* Of the launch that has just ended; NULL: not asked for, or a launch like it was recounted before. */
what_if_seen *host_what_if_seen(const host_context *context);
/* From now on launches like this one are not kept. */
void host_what_if_done(host_context *context, const host_launch_facts *facts);
lw_arena *host_what_if_arena(host_context *context); /* until the next launch begins */

/* Counts the candidates, and gives the launch its table and rows their advice. row_of: by site, the number + 1 of the row that
 * its accesses to shared memory are counted in. */
void host_what_if_add(host_context *context, const host_launch_facts *facts, result_launch *launch, result_row *rows,
                      const uint32_t *row_of);

#endif
