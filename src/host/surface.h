/* Surface objects (surface.c). */
#ifndef LW_HOST_SURFACE_H
#define LW_HOST_SURFACE_H

#include "host/array.h"

host_error host_surface_create(host_context *context, host_array *array, uint64_t *out_handle);
host_error host_surface_destroy(host_context *context, uint64_t handle);
host_array *host_surface_array(host_context *context, uint64_t handle); /* NULL: no surface object */

#endif
