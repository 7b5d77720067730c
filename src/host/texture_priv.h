/* textures: what the table of handles (texture.c) and the sampler (texture_sample.c) share. */
#ifndef LW_HOST_TEXTURE_PRIV_H
#define LW_HOST_TEXTURE_PRIV_H

#include "exec/exec.h"
#include "host/texture.h"

typedef struct tex_shape {
    uint64_t address, pitch, slice;
    int64_t size[3]; /* 1 for dimensions there are not */
} tex_shape;

typedef struct host_texture_sampler host_texture_sampler;

typedef struct host_texture {
    const host_texture_sampler *sampler;
    host_texture_desc desc;
    tex_shape shape;
    uint32_t bytes, width, channels; /* of a texel, of a channel; channels */
    int mode[3];                     /* address modes as they act */
    bool small;                      /* 8-bit texels read as normalised floats */
    bool plain;                      /* 32-bit texels that are read as they stand */
    bool together;                   /* a warp's lanes may be sampled together */
    uint32_t byte_value[256];        /* of 8-bit texels: what each reads as */
} host_texture;

/* The sampler, as built for a host's instruction set. */
struct host_texture_sampler {
    /* Fills what the sampler derives from a texture, once. */
    void (*prepare)(host_texture *texture);
    /* The fetch of `lanes`, which all name this texture. */
    void (*sample)(const host_texture *texture, const exec_texture_fetch *fetch, uint32_t lanes);
    /* The same, lane by lane: what sample() must agree with to the bit. */
    void (*sample_each)(const host_texture *texture, const exec_texture_fetch *fetch, uint32_t lanes);
};
const host_texture_sampler *host_texture_sampler_of_host(void);
const host_texture *host_texture_find(host_context *context, uint64_t handle);

#endif
