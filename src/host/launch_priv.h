/* launch: launches as they are checked, run and counted (launch.c, launch_run.c, client_counts.c). */
#ifndef LW_HOST_LAUNCH_PRIV_H
#define LW_HOST_LAUNCH_PRIV_H

#include "exec/exec.h"
#include "host/children.h"
#include "host/emit_priv.h"
#include "host/launch.h"

/* What event_launch.owner points to. */
typedef struct host_launch_facts {
    host_context *context;
    const host_op *op;
    const exec_result *result; /* NULL until the launch has run, and if it could not */
} host_launch_facts;

/* Settles the cluster size; all else that can be refused of a configuration, with the reason (refuse.h). */
host_error host_cluster_check(const host_kernel *kernel, host_launch_config *config, bool any_size);
host_error host_launch_check(const host_kernel *kernel, host_launch_config *config);

host_launches *host_launches_make(void);
void host_launches_reset(host_context *context); /* frees what launches share */
/* Runs a checked kernel operation; what it launches is added to children. */
void host_launch_run(host_context *context, const host_op *op, const host_place *at, host_children *children);

/* Which launches are counted: those that the options name (selection.c). */
void host_selection_set(host_context *context);
/* Whether the next launch is counted, if it is of this kernel. */
bool host_selection_has(host_context *context, host_kernel *kernel);
/* The same of a launch that begins now, which is noted. */
bool host_selection_take(host_context *context, host_kernel *kernel);

#endif
