/* texture.c: tex on texture objects. What a texture is, and how it filters, the launch's texture service knows; here
 * are lanes, results and the event. */
#include "exec/emit.h"

void run_tex(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    const exec_services *s = &x->launch->services;
    bool layered = i->mem.texture.layered;
    uint32_t coordinates = i->mem.texture.dimensions + (uint32_t)layered;
    uint64_t address[32] = {0};
    uint32_t located = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), at[4] = {0}, out[4] = {0};
        uint64_t handle = LANES(uint64_t, i->a)[lane];
        for (uint32_t k = 0; k < coordinates; k++) at[k] = LANES(uint32_t, list->ref[4 + k])[lane];
        if (!s->texture || !s->texture(s->user, handle, i->mem.texture.dimensions, layered, i->mem.texture.real, at,
                                       (ptx_type)i->mem.texture.type, out, &address[lane])) {
            exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, lane, handle, 0, false, "texture",
                      "0x%llx is no texture object of %u dimension%s", (unsigned long long)handle,
                      i->mem.texture.dimensions, i->mem.texture.dimensions == 1 ? "" : "s");
            return;
        }
        if (address[lane]) located |= 1u << lane;
        for (uint32_t k = 0; k < 4; k++)
            if (list->ref[k] != CODE_NO_REF) LANES(uint32_t, list->ref[k])[lane] = out[k];
    }
    if (i->d != CODE_NO_REF) PREDICATE(i->d) |= mask;
    x->lanes_on[i->site] += lw_popcount(mask);
    if (!located || !exec_wants_access(x, i)) return;
    exec_emit_access(x, i, &(exec_access){.mask = located, .space = EVENT_TEXTURE, .address = address});
}
