/* defined_result.c: the undefined bits of registers, and of a result while it is found. */
#include "exec/defined_parts.h"
#include "exec/operand.h"

#include <string.h>

/* ---------------------------------------------------------------- registers */
static uint32_t file_bytes(uint32_t bytes) { return bytes ? 32 * bytes : 4; }

void exec_defined_forget(exec_defined *d)
{
    if (!d || !d->count) return;
    memset(d->dirty, 0, d->bytes / 4);
    d->count = 0;
}

static exec_defined *defined_of(exec_ctx *x, exec_frame *f)
{
    uint32_t bytes = f->function->register_bytes;
    if (f->defined && f->defined->bytes >= bytes) return f->defined;
    exec_defined *d = LW_NEW(&x->worker->arena, exec_defined);
    d->bytes = bytes;
    d->bits = lw_arena_alloc_aligned(&x->worker->arena, bytes, 64);
    d->dirty = LW_NEW_ARRAY(&x->worker->arena, uint8_t, bytes / 4);
    d->origin = LW_NEW_ARRAY(&x->worker->arena, event_origin, bytes / 4);
    f->defined = d;
    return d;
}

uint32_t exec_undefined_lanes(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask)
{
    const uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    uint32_t lanes = 0;
    if (!bits) return 0;
    if (!bytes) {
        memcpy(&lanes, bits, 4);
        return lanes & mask;
    }
    LANES_OF(mask)
    for (uint32_t k = 0; k < bytes; k++)
        if (bits[l * bytes + k]) lanes |= 1u << l;
    return lanes;
}

uint8_t *exec_make_dirty(exec_ctx *x, code_ref ref, uint32_t bytes, const event_origin *origin)
{
    exec_defined *d = defined_of(x, x->group->frame);
    uint8_t *bits = d->bits + ref;
    if (!d->dirty[ref >> 2]) {
        d->dirty[ref >> 2] = 1;
        d->count++;
        memset(bits, 0, file_bytes(bytes));
    }
    d->origin[ref >> 2] = *origin;
    return bits;
}

void exec_make_all_defined(exec_ctx *x, code_ref ref)
{
    exec_defined *d = x->group->frame->defined;
    if (ref == CODE_NO_REF || (ref & 3) != CODE_FRAME || !d || !d->dirty[ref >> 2]) return;
    d->dirty[ref >> 2] = 0;
    d->count--;
}

static bool is_zero(const uint8_t *bits, uint32_t bytes)
{
    uint32_t any = 0;
    for (uint32_t k = 0; k < bytes; k++) any |= bits[k];
    return !any;
}

void exec_make_defined(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask)
{
    uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    if (!bits) return;
    if (mask != FULL_MASK) {
        if (!bytes) *(uint32_t *)bits &= ~mask;
        else LANES_OF(mask) memset(bits + (size_t)l * bytes, 0, bytes);
        if (!is_zero(bits, file_bytes(bytes))) return;
    }
    exec_make_all_defined(x, ref);
}

/* ---------------------------------------------------------------- operands and results */
void exec_unknown_inherit(exec_ctx *x, exec_unknown *r, code_ref ref)
{
    if (ref == CODE_NO_REF || !exec_undefined_bits(x, ref)) return;
    if (!r->any) r->origin = *exec_undefined_origin(x, ref);
    r->any = true;
}

static uint64_t bits_at(const uint8_t *bits, uint32_t bytes, uint32_t lane)
{
    uint64_t v = 0;
    if (!bytes) {
        uint32_t word;
        memcpy(&word, bits, 4);
        return word >> lane & 1;
    }
    memcpy(&v, bits + (size_t)lane * bytes, LW_MIN(bytes, 8u));
    return v;
}

uint64_t exec_unknown_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    const uint8_t *bits = ref == CODE_NO_REF ? NULL : exec_undefined_bits(x, ref);
    return bits ? bits_at(bits, bytes, lane) : 0;
}

uint64_t exec_known_at(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    return ref == CODE_NO_REF ? 0 : bits_at(x->file[ref & 3] + (ref & ~3u), bytes, lane);
}

static void put_lanes(uint8_t *bits, uint32_t bytes, uint32_t mask, const exec_unknown *r)
{
    if (bytes) {
        LANES_OF(mask) memcpy(bits + (size_t)l * bytes, &r->bits[l], bytes);
        return;
    }
    uint32_t word;
    memcpy(&word, bits, 4);
    LANES_OF(mask) word = (word & ~(1u << l)) | (uint32_t)(r->bits[l] & 1) << l;
    memcpy(bits, &word, 4);
}

void exec_unknown_set(exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t mask, const exec_unknown *r)
{
    uint64_t any = 0;
    if (ref == CODE_NO_REF) return;
    if (r->any) LANES_OF(mask) any |= r->bits[l];
    if (any) put_lanes(exec_make_dirty(x, ref, bytes, &r->origin), bytes, mask, r);
    else exec_make_defined(x, ref, bytes, mask);
}

void exec_unknown_fill(exec_unknown *r, uint32_t lanes) { LANES_OF(lanes) r->bits[l] = UINT64_MAX; }

void exec_unknown_leave_open(exec_unknown *r, const exec_undecided *open, uint32_t mask)
{
    if (!open->lanes) return;
    if (!r->any) {
        LANES_OF(mask) r->bits[l] = 0;
        r->origin = open->origin;
    }
    r->any = r->origin.computed = true;
    exec_unknown_fill(r, open->lanes);
}
