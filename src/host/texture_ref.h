/* Texture and surface references of old PTX: variables of a module that the host binds (texture_ref.c). */
#ifndef LW_HOST_TEXTURE_REF_H
#define LW_HOST_TEXTURE_REF_H

#include "host/texture.h"

typedef struct host_texture_ref {
    struct host_texture_ref *next;
    uint64_t address;       /* of the variable: what kernels name it by */
    host_texture_desc desc; /* what it is to be; changed by the caller, then host_texture_ref_bind() */
    bool bound;             /* desc names what it reads */
    uint64_t object;        /* texture or surface object that it stands for; 0: none */
} host_texture_ref;

/* The reference of the variable at this address; the same one each time. It lives as long as the context. */
host_texture_ref *host_texture_ref_of(host_context *context, uint64_t address);
bool host_texture_ref_valid(host_context *context, const host_texture_ref *ref);
/* Makes the texture object anew from desc, once the reference is bound. What desc says may be incomplete until then. */
void host_texture_ref_bind(host_context *context, host_texture_ref *ref);
host_error host_surface_ref_bind(host_context *context, host_texture_ref *ref, host_array *array);

#endif
