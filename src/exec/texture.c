/* texture.c: tex, tld4, txq and suq. What a texture is, and how it filters, the launch's texture service knows; here are
 * lanes, results and the event. */
#include "exec/emit.h"

#include <string.h>

#include "exec/operand.h"
#include "ptx/semantics.h"

/* Component k of the lanes of mask. */
static void put_lanes(exec_ctx *x, code_ref ref, uint32_t mask, const uint32_t value[32])
{
    uint32_t *d = LANES(uint32_t, ref);
    if (mask == UINT32_MAX) {
        memcpy(d, value, 32 * sizeof *d);
        return;
    }
    LANES_OF(mask) d[l] = value[l];
}

static u16 half_of(uint32_t bits) { return (u16)h16_of_f32(f32_bits(bits), 0); }

/* The components as the instruction's type has them; floats become halves by rounding to nearest. */
static void put_results(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t out[4][32], uint32_t gone)
{
    const code_ref *to = i->mem.list->ref;
    switch ((ptx_type)i->mem.texture.type) {
    case PTX_F16:
        for (uint32_t k = 0; k < 4; k++)
            if (to[k] != CODE_NO_REF) LANES_OF(mask) LANES(uint16_t, to[k])[l] = half_of(out[k][l]);
        break;
    case PTX_F16X2:
        for (uint32_t k = 0; k < 2; k++) {
            if (to[k] == CODE_NO_REF) continue;
            LANES_OF(mask)
            LANES(uint32_t, to[k])
            [l] = half_of(out[2 * k][l]) | (uint32_t)half_of(out[2 * k + 1][l]) << 16;
        }
        break;
    default:
        for (uint32_t k = 0; k < 4; k++)
            if (to[k] != CODE_NO_REF && !(gone >> k & 1)) put_lanes(x, to[k], mask, out[k]);
        break;
    }
}

/* Components that the results hold. */
static uint32_t components_of(const code_insn *i)
{
    uint32_t components = 0;
    bool packed = i->mem.texture.type == PTX_F16X2;
    for (uint32_t k = 0; k < 4; k++) components |= (uint32_t)(i->mem.list->ref[packed ? k / 2 : k] != CODE_NO_REF) << k;
    return components;
}

static const uint32_t *operand(const exec_ctx *x, code_ref ref) { return LANES(uint32_t, ref); }

static void read_operands(const exec_ctx *x, const code_insn *i, exec_texture_fetch *f)
{
    const code_ref *ref = i->mem.list->ref;
    uint32_t at = 4, n = f->dimensions;
    for (uint32_t k = 0; k < n + f->layered; k++) f->coordinate[k] = operand(x, ref[at++]);
    if (f->how == CODE_TEXTURE_LEVEL) f->level = operand(x, ref[at++]);
    for (uint32_t k = 0; f->how == CODE_TEXTURE_GRADIENT && k < 2 * n; k++)
        f->gradient[k / n][k % n] = operand(x, ref[at++]);
    for (uint32_t k = 0; k < 3; k++) f->offset[k] = i->mem.texture.offsets && k < n ? operand(x, ref[at++]) : NULL;
}

/* Whole registers of 32 bits need no copy. */
static void allow_registers(exec_ctx *x, const code_insn *i, uint32_t mask, exec_texture_fetch *f)
{
    const code_ref *to = i->mem.list->ref;
    bool whole = mask == UINT32_MAX && f->type != PTX_F16 && f->type != PTX_F16X2;
    for (uint32_t k = 0; k < 4; k++) f->to[k] = whole && to[k] != CODE_NO_REF ? LANES(uint32_t, to[k]) : NULL;
}

static bool fetch(exec_ctx *x, const code_insn *i, const exec_texture_fetch *f)
{
    const exec_services *s = &x->launch->services;
    uint32_t bad = (uint32_t)__builtin_ctz(f->mask);
    if (s->texture && s->texture(s->user, f, &bad)) return true;
    uint64_t handle = f->texture[bad];
    exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, bad, handle, 0, false, "texture",
              "0x%llx is no texture object of %u dimension%s", (unsigned long long)handle, f->dimensions,
              f->dimensions == 1 ? "" : "s");
    return false;
}

void run_tex(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    __attribute__((aligned(64))) uint32_t out[4][32];
    __attribute__((aligned(64))) uint64_t address[32];
    event_texels texels; /* much of it stays untouched */
    bool counted = exec_wants(x, EVENT_COUNTED) && i->event_op != CODE_NO_EVENT;
    uint32_t located = 0, gone = 0;
    exec_texture_fetch f; /* field by field: to clear all of it takes longer than all else here */
    f.mask = mask;
    f.dimensions = i->mem.texture.dimensions;
    f.layered = i->mem.texture.layered;
    f.real = i->mem.texture.real;
    f.cube = i->mem.texture.cube;
    f.how = i->mem.texture.how;
    f.component = i->mem.texture.component;
    f.type = (ptx_type)i->mem.texture.type;
    f.texture = LANES(uint64_t, i->a);
    f.components = components_of(i);
    f.out = out;
    f.gone = &gone;
    allow_registers(x, i, mask, &f);
    f.address = address;
    f.addressed = !x->tells_plain;
    f.located = &located;
    f.texels = counted ? &texels : NULL;
    texels.sets = texels.rows = 0;
    texels.why = NULL;
    read_operands(x, i, &f);
    if (!fetch(x, i, &f)) return;
    put_results(x, i, mask, out, gone);
    if (i->d != CODE_NO_REF) PREDICATE(i->d) |= mask;
    x->lanes_on[i->site] += lw_popcount(mask);
    if (located && exec_wants_access(x, i)) exec_emit_texels(x, i, located, address, &texels);
}

void run_txq(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const exec_services *s = &x->launch->services;
    LANES_OF(mask)
    {
        uint64_t handle = LANES(uint64_t, i->a)[l];
        uint32_t level = i->b == CODE_NO_REF ? 0 : LANES(uint32_t, i->b)[l], value = 0;
        bool surface = i->mem.query.surface;
        if (!s->texture_query || !s->texture_query(s->user, handle, surface, i->mem.query.query, level, &value)) {
            exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, l, handle, 0, false, surface ? "surface" : "texture",
                      "0x%llx is no %s object", (unsigned long long)handle, surface ? "surface" : "texture");
            return;
        }
        LANES(uint32_t, i->d)[l] = value;
    }
}
