/* samples: the client that keeps addresses of single warps (client_samples.c), for who writes the rows of a launch. */
#ifndef LW_HOST_SAMPLES_PRIV_H
#define LW_HOST_SAMPLES_PRIV_H

#include "host/state_priv.h"
#include "model/model.h"

/* Gives a row what was kept of a site: of several sites the worst access, and the typical one of the site with most
 * accesses. Nothing happens if no samples are asked for. What the row gets lives until the next launch. */
void host_samples_add(const host_context *context, const model_site_result *site, result_row *row);

#endif
