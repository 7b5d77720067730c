/* surfaces: what kernels ask of them while they run (surface.c). */
#ifndef LW_HOST_SURFACE_PRIV_H
#define LW_HOST_SURFACE_PRIV_H

#include "exec/exec.h"
#include "host/state_priv.h"
#include "host/surface.h"

host_surfaces *host_surfaces_make(void);
bool host_surface_find(host_context *context, uint64_t handle, exec_surface *out); /* false: no surface object */
void host_surfaces_free(host_context *context);

#endif
