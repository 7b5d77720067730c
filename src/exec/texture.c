/* texture.c: tex on texture objects. What a texture is, and how it filters, the launch's texture service knows; here
 * are lanes, results and the event. */
#include "exec/emit.h"

#include <string.h>

/* Component k of the lanes of mask. */
static void put_lanes(exec_ctx *x, code_ref ref, uint32_t mask, const uint32_t value[32])
{
    uint32_t *d = LANES(uint32_t, ref);
    if (mask == UINT32_MAX) {
        memcpy(d, value, 32 * sizeof *d);
        return;
    }
    for (uint32_t m = mask; m; m &= m - 1) d[__builtin_ctz(m)] = value[__builtin_ctz(m)];
}

void run_tex(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    const exec_services *s = &x->launch->services;
    uint32_t out[4][32], located = 0, bad = (uint32_t)__builtin_ctz(mask);
    uint64_t address[32];
    exec_texture_fetch f = {.mask = mask,
                            .dimensions = i->mem.texture.dimensions,
                            .layered = i->mem.texture.layered,
                            .real = i->mem.texture.real,
                            .type = (ptx_type)i->mem.texture.type,
                            .texture = LANES(uint64_t, i->a),
                            .out = out,
                            .address = address,
                            .located = &located};
    for (uint32_t k = 0; k < f.dimensions + f.layered; k++) f.coordinate[k] = LANES(uint32_t, list->ref[4 + k]);
    for (uint32_t k = 0; k < 4; k++) f.components |= (uint32_t)(list->ref[k] != CODE_NO_REF) << k;
    if (!s->texture || !s->texture(s->user, &f, &bad)) {
        uint64_t handle = f.texture[bad];
        exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, bad, handle, 0, false, "texture",
                  "0x%llx is no texture object of %u dimension%s", (unsigned long long)handle, f.dimensions,
                  f.dimensions == 1 ? "" : "s");
        return;
    }
    for (uint32_t k = 0; k < 4; k++)
        if (list->ref[k] != CODE_NO_REF) put_lanes(x, list->ref[k], mask, out[k]);
    if (i->d != CODE_NO_REF) PREDICATE(i->d) |= mask;
    x->lanes_on[i->site] += lw_popcount(mask);
    if (!located || !exec_wants_access(x, i)) return;
    exec_emit_access(x, i, &(exec_access){.mask = located, .space = EVENT_TEXTURE, .address = address});
}
