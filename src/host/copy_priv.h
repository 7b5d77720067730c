/* copy: copies and fills as they are carried out (copy.c). */
#ifndef LW_HOST_COPY_PRIV_H
#define LW_HOST_COPY_PRIV_H

#include "host/copy.h"

void host_copy_run(const host_copy *copy);
void host_fill_run(const host_fill *fill);

#endif
