/* copy: copies and fills as they are carried out (copy.c). */
#ifndef LW_HOST_COPY_PRIV_H
#define LW_HOST_COPY_PRIV_H

#include "host/copy.h"

/* What can be refused of it; settles the kind. */
host_error host_copy_check(host_context *context, host_copy *copy);
host_error host_fill_check(host_context *context, const host_fill *fill);
void host_copy_run(const host_copy *copy);
void host_fill_run(const host_fill *fill);

#endif
