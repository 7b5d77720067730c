/* textures: what the table of handles (texture.c) and the sampler (texture_sample.c) share. */
#ifndef LW_HOST_TEXTURE_PRIV_H
#define LW_HOST_TEXTURE_PRIV_H

#include "exec/exec.h"
#include "exec/tiles.h"
#include "host/slots_priv.h"
#include "host/state_priv.h"
#include "host/texture.h"

/* What an index of a dimension adds: `bytes` times it to the distance of a texel; to the number of a sector, of u = index x scale:
 * (u >> high) x times + (u >> low & mask). */
typedef struct tex_step {
    uint32_t size, bytes, scale, high, times, low, mask;
    float half; /* of a 256th, from which a weight is rounded up */
    float least,
        most; /* coordinates between which nothing changes any more, unless they repeat; of a border: outside */
} tex_step;

/* One level: where texel 0 lies, and the bytes from row to row and from slice (or layer) to slice. */
typedef struct tex_shape {
    uint64_t address, pitch, slice;
    int32_t size[3]; /* texels, below TEX_MOST_INDEX; 1 for dimensions there are not; layers in [2] */
    bool near;       /* less than 2^31 bytes, and 2^22 texels a dimension */
    tex_step step[3];
    exec_tiles tiles; /* of arrays; of other memory no rows: sectors are 32 bytes in a row */
} tex_shape;

enum { TEX_MOST_INDEX = 1 << 30 }; /* coordinates from here on are brought nearer first */

/* How channels are stored, and what they read as. */
typedef enum tex_texel {
    TEX_WORD, /* 32 bits, as they stand */
    TEX_HALF, /* f16 -> f32 */
    TEX_U8,   /* integers */
    TEX_S8,
    TEX_U16,
    TEX_S16,
    TEX_U8_FRACTION, /* of 255 */
    TEX_S8_FRACTION, /* of 127 */
    TEX_U16_FRACTION,
    TEX_S16_FRACTION,
    TEX_SRGB /* 8 bits, by a table; the fourth channel is a fraction */
} tex_texel;

typedef struct host_texture_sampler host_texture_sampler;

typedef struct host_texture {
    const host_texture_sampler *sampler;
    host_texture_desc desc;
    uint32_t level_count;
    tex_shape level[HOST_MIPMAP_LEVELS];
    uint32_t bytes, width, channels; /* of a texel, of a channel; channels */
    int mode[3];                     /* address modes as they act */
    tex_texel texel[4];
    uint32_t border[4];          /* of each channel, as a fetch gives it */
    bool small;                  /* read as fractions, not sRGB: filtered as integers */
    int32_t least_lod, most_lod; /* 256ths of a level */
    uint32_t srgb[256];          /* what TEX_SRGB's bytes read as */
} host_texture;

/* All textures, and the references that stand for some of them (texture_ref.c). */
struct host_textures {
    host_slots slots;
    struct host_texture_ref *refs;
};

/* The sampler, as built for a host's instruction set. */
struct host_texture_sampler {
    /* The fetch of those of `lanes` that name the texture of the first one, which is this; returns them. */
    uint32_t (*sample)(const host_texture *texture, const exec_texture_fetch *fetch, uint32_t lanes);
};
const host_texture_sampler *host_texture_sampler_of_host(void);
const host_texture *host_texture_find(host_context *context, uint64_t handle);

#endif
