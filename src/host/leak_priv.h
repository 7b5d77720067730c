/* leak: device memory that is never freed (leak.c). */
#ifndef LW_HOST_LEAK_PRIV_H
#define LW_HOST_LEAK_PRIV_H

#include "host/state_priv.h"

/* leakcheck, if it is wanted: a note for each place that allocated what is there now, before all of it goes. */
void host_leaks_report(host_context *context);

#endif
