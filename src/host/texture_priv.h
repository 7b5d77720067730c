/* textures: what the table of handles (texture.c) and the sampler (texture_sample.c) share. */
#ifndef LW_HOST_TEXTURE_PRIV_H
#define LW_HOST_TEXTURE_PRIV_H

#include "exec/exec.h"
#include "exec/tiles.h"
#include "host/slots_priv.h"
#include "host/state_priv.h"
#include "host/texture.h"

/* One level: where texel 0 lies, and the bytes from row to row and from slice (or layer) to slice. */
typedef struct tex_shape {
    uint64_t address, pitch, slice;
    int32_t size[3];  /* texels, below TEX_MOST_INDEX; 1 for dimensions there are not; layers in [2] */
    exec_tiles tiles; /* of arrays; of other memory no rows: sectors are 32 bytes in a row */
} tex_shape;

enum { TEX_MOST_INDEX = 1 << 30 }; /* coordinates from here on are brought nearer first */

/* How channels are stored, and what they read as. */
typedef enum tex_texel {
    TEX_WORD, /* 32 bits, as they stand */
    TEX_BYTE, /* 8 bits, by byte_value */
    TEX_HALF, /* f16 -> f32 */
    TEX_U16,  /* integers */
    TEX_S16,
    TEX_U16_FRACTION, /* of 65535 */
    TEX_S16_FRACTION  /* of 32767 */
} tex_texel;

typedef struct host_texture_sampler host_texture_sampler;

typedef struct host_texture {
    const host_texture_sampler *sampler;
    host_texture_desc desc;
    uint32_t level_count;
    tex_shape level[HOST_MIPMAP_LEVELS];
    uint32_t bytes, width, channels; /* of a texel, of a channel; channels */
    int mode[3];                     /* address modes as they act */
    tex_texel texel;
    uint32_t border[4];          /* of each channel, as a fetch gives it */
    bool small;                  /* read as fractions, not sRGB: filtered as integers */
    int32_t least_lod, most_lod; /* 256ths of a level */
    uint32_t byte_value[2][256]; /* of 8-bit texels: what each reads as; [1]: the fourth channel */
} host_texture;

/* All textures, and the references that stand for some of them (texture_ref.c). */
struct host_textures {
    host_slots slots;
    struct host_texture_ref *refs;
};

/* The sampler, as built for a host's instruction set. */
struct host_texture_sampler {
    /* The fetch of `lanes`, which all name this texture. */
    void (*sample)(const host_texture *texture, const exec_texture_fetch *fetch, uint32_t lanes);
};
const host_texture_sampler *host_texture_sampler_of_host(void);
const host_texture *host_texture_find(host_context *context, uint64_t handle);

#endif
