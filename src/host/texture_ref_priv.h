/* texture references: what kernels name by them (texture_ref.c). */
#ifndef LW_HOST_TEXTURE_REF_PRIV_H
#define LW_HOST_TEXTURE_REF_PRIV_H

#include "host/state_priv.h"
#include "host/texture_ref.h"

/* The object behind what a kernel names: the handle itself, or that of the reference at this address. 0: of none. */
uint64_t host_texture_ref_object(const host_context *context, uint64_t handle);
void host_texture_refs_free(host_context *context);

#endif
