/* surface.c: suld, sust, sured. A surface is an array in device memory: what its accesses touch is checked and told as
 * global memory; they count as the texture unit's, which carries them out. */
#include "exec/emit.h"

#include <math.h>
#include <string.h>

#include "exec/operand.h"
#include "ptx/semantics.h"

/* An access by lanes that all name one surface. */
typedef struct surface_access {
    exec_ctx *x;
    const code_insn *insn;
    exec_surface surface;
    uint32_t bytes;       /* of a lane, in memory */
    uint32_t located;     /* lanes whose place exists */
    uint64_t address[32]; /* of these */
    uint8_t *pointer[32]; /* of these */
    uint32_t sector[32];  /* of these, for counting */
} surface_access;

/* Bytes of a lane's access: formatted ones convert between registers and texels. */
static uint32_t access_bytes(const code_insn *i, const exec_surface *s)
{
    uint32_t values = LW_MIN((uint32_t)i->mem.vector, (uint32_t)s->channels);
    if (i->mem.surface.formatted && i->op == OP_sust) return values * (s->texel_bytes / s->channels);
    return (uint32_t)i->mem.bytes * i->mem.vector;
}

static bool fail_range(const surface_access *a, uint32_t lane, uint32_t which, int64_t at, uint64_t end, bool in_bytes)
{
    static const char *const names[] = {"x", "y", "z", "layer"};
    const exec_ctx *x = a->x;
    exec_fail(a->x, a->insn, EXEC_ILLEGAL_ADDRESS, lane, LANES(uint64_t, a->insn->a)[lane], a->bytes,
              a->insn->op != OP_suld, "surface",
              "surface %s out of range: %s = %lld%s, the surface has %llu%s; the boundary mode is .trap",
              a->insn->op == OP_suld ? "read" : "write", names[which], (long long)at, in_bytes ? " bytes" : "",
              (unsigned long long)end, in_bytes ? " in a row (x counts bytes)" : "");
    return false;
}

/* One coordinate under the boundary mode: *at becomes a place from 0 to end - size. false: out of range, *lane_ok says
 * whether the launch goes on. */
static bool bound(const surface_access *a, uint32_t lane, uint32_t which, uint64_t end, uint32_t size, int64_t *at,
                  bool *goes_on)
{
    const code_insn *i = a->insn;
    if (*at >= 0 && (uint64_t)*at < end && end - (uint64_t)*at >= size) return true;
    switch (i->mem.surface.boundary) {
    case CODE_BOUNDARY_CLAMP: *at = *at < 0 || end < size ? 0 : (int64_t)(end - size); return end >= size;
    case CODE_BOUNDARY_ZERO: return false;
    default: *goes_on = fail_range(a, lane, which, *at, end, which == 0 && !i->mem.surface.formatted); return false;
    }
}

/* The address that a lane names. false: none, or (not *goes_on) the launch has failed. */
static bool place_lane(surface_access *a, uint32_t lane, bool *goes_on)
{
    const code_insn *i = a->insn;
    const exec_ctx *x = a->x;
    const exec_surface *s = &a->surface;
    const code_ref *at = i->mem.list->ref + i->mem.vector;
    uint32_t dimensions = i->mem.surface.dimensions, layered = i->mem.surface.layered;
    bool formatted = i->mem.surface.formatted;
    uint64_t address = s->address;
    uint32_t sector = 0;
    for (uint32_t d = 0; d < dimensions; d++) {
        int64_t value = (int32_t)LANES(uint32_t, at[layered + d])[lane];
        uint64_t end = d == 0 && !formatted ? (uint64_t)s->size[0] * s->texel_bytes : s->size[d];
        uint32_t size = d == 0 && !formatted ? a->bytes : 1;
        if (!bound(a, lane, d, end, size, &value, goes_on)) return false;
        uint64_t step = d == 0 ? (formatted ? s->texel_bytes : 1) : d == 1 ? s->pitch : s->slice;
        address += (uint64_t)value * step;
        sector += d == 0   ? exec_tile_x((uint32_t)((uint64_t)value * step))
                  : d == 1 ? exec_tile_y(s->tiles, (uint32_t)value)
                           : exec_tile_z(s->tiles, (uint32_t)value);
    }
    if (layered) {
        int64_t layer = LANES(uint32_t, at[0])[lane];
        if (!bound(a, lane, 3, s->size[2], 1, &layer, goes_on)) return false;
        address += (uint64_t)layer * s->slice;
        sector += exec_tile_z(s->tiles, (uint32_t)layer);
    }
    a->address[lane] = address;
    a->sector[lane] = sector;
    return true;
}

/* Places and pointers of the lanes of mask. false: the launch has failed. */
static bool locate(surface_access *a, uint32_t mask)
{
    /* aligned to texels: a larger access may begin at any (as recorded on an H100) */
    uint32_t texel = a->surface.texel_bytes, size = lw_is_power_of_2(a->bytes) ? LW_MIN(a->bytes, texel) : texel;
    LANES_OF(mask)
    {
        bool goes_on = true;
        event_space space;
        uint64_t seen;
        bool there = place_lane(a, l, &goes_on);
        if (!goes_on) return false;
        if (!there) continue;
        a->pointer[l] =
            exec_lane_pointer(a->x, a->insn, PTX_GLOBAL, l, a->address[l], size, a->insn->op != OP_suld, &space, &seen);
        if (!a->pointer[l]) return false;
        a->located |= 1u << l;
    }
    return true;
}

/* ---------------------------------------------------------------- what moves */
static void load_lane(const surface_access *a, uint32_t lane, const uint8_t *from)
{
    const code_insn *i = a->insn;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        code_ref ref = i->mem.list->ref[k];
        uint64_t value = 0;
        if (ref == CODE_NO_REF) continue;
        if (from) memcpy(&value, from + (size_t)k * i->mem.bytes, i->mem.bytes);
        memcpy(exec_lane_bytes(a->x, ref, i->mem.surface.reg_bytes, lane), &value, i->mem.surface.reg_bytes);
    }
}

/* Truncated; what is too large becomes the largest number (as recorded on an H100). */
static uint32_t half_truncated(uint32_t bits)
{
    float f = f32_bits(bits);
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 255, fraction = bits & 0x7fffff;
    if (f != f) return 0x7e00;
    if (exponent == 255) return sign | 0x7c00;
    if (exponent > 127 + 15) return sign | 0x7bff;
    if (exponent > 127 - 15) return sign | (exponent - 112) << 10 | fraction >> 13;
    return exponent < 103 ? sign : sign | (fraction | 0x800000) >> (126 - exponent);
}

/* A register's 32 bits as a channel of the surface, as recorded on an H100: floats narrow, fractions are rounded, integers
 * saturate. */
static uint32_t to_channel(const exec_surface *s, uint32_t value)
{
    uint32_t bits = 8u * s->texel_bytes / s->channels;
    if (s->kind == 'F') return bits == 32 ? value : half_truncated(value);
    if (bits == 32) return value;
    bool is_signed = s->kind == 'S';
    int64_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1, least = is_signed ? -most - 1 : 0;
    if (s->normalized) {
        float f = f32_bits(value);
        f = f > 1 ? 1 : f > (is_signed ? -1 : 0) ? f : f < 0 && is_signed ? -1.0f : 0.0f; /* of no number: 0 */
        float x = f * (float)most; /* to the nearest, halves towards zero */
        return (uint32_t)(int32_t)(x < 0 ? -ceilf(-x - 0.5f) : ceilf(x - 0.5f));
    }
    int64_t wide = is_signed ? (int64_t)(int32_t)value : (int64_t)value;
    return (uint32_t)LW_MIN(LW_MAX(wide, least), most);
}

static void store_lane(const surface_access *a, uint32_t lane, uint8_t *to)
{
    const code_insn *i = a->insn;
    const exec_surface *s = &a->surface;
    uint32_t channel = s->texel_bytes / s->channels;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        const uint8_t *from = exec_lane_bytes(a->x, i->mem.list->ref[k], i->mem.surface.reg_bytes, lane);
        if (!i->mem.surface.formatted) {
            memcpy(to + (size_t)k * i->mem.bytes, from, i->mem.bytes);
        } else if (k < s->channels) {
            uint32_t value;
            memcpy(&value, from, sizeof value);
            value = to_channel(s, value);
            memcpy(to + (size_t)k * channel, &value, channel);
        }
    }
}

static void reduce_lane(const surface_access *a, uint32_t lane, uint8_t *at)
{
    const code_insn *i = a->insn;
    ptx_type type = (ptx_type)i->mem.surface.type;
    uint64_t value = exec_lane_uint(a->x, i->mem.list->ref[0], i->mem.bytes, lane);
    if (type == PTX_B32 && a->surface.kind == 'S') type = PTX_S32;
    if (type == PTX_B64 && a->surface.kind == 'S') type = PTX_S64;
    exec_atomic_update(a->x, i->mem.surface.operation, type, at, EVENT_GLOBAL, value);
}

/* From the highest lane down: of lanes that store to one place the lowest one's value stays, as of other stores. */
static void move_lanes(const surface_access *a)
{
    exec_ctx *x = a->x;
    const code_insn *i = a->insn;
    bool watched = x->fields != 0, writes = i->op != OP_suld;
    LANES_DOWN(a->located)
    {
        if (watched) exec_watch_before(x, l, a->pointer[l], a->bytes);
        if (i->op == OP_suld) load_lane(a, l, a->pointer[l]);
        else if (i->op == OP_sust) store_lane(a, l, a->pointer[l]);
        else reduce_lane(a, l, a->pointer[l]);
        if (watched) exec_watch_after(x, l, a->pointer[l], a->bytes, i->op != OP_sust, writes);
    }
}

/* Those of `lanes` that name the surface of the first one. */
static uint32_t lanes_of_first(const uint64_t *handle, uint32_t lanes)
{
    uint64_t first = handle[__builtin_ctz(lanes)];
    uint32_t same = 0;
    LANES_OF(lanes) same |= (uint32_t)(handle[l] == first) << l;
    return same;
}

/* Why a card's sectors may be others; NULL: they are these, as recorded (tests/hw/h100-more-textures.csv, h200-surfaces.csv). */
static const char *why_not_sectors(const surface_access *a)
{
    bool recorded = a->insn->op != OP_sured || a->bytes == 4;
    return recorded ? NULL : "the sectors of reductions on surfaces of other words than of 32 bits were not recorded";
}

/* Lanes that go together: of a reduction on one texel by several lanes of a group only one at a time. */
static uint32_t lanes_of_turn(const surface_access *a, uint32_t lanes, uint32_t together)
{
    uint32_t turn = 0, group = (1u << together) - 1;
    if (a->insn->op != OP_sured) return lanes;
    LANES_OF(lanes)
    {
        bool taken = false;
        for (uint32_t m = turn & group << l / together * together; m; m &= m - 1)
            taken |= a->address[__builtin_ctz(m)] == a->address[l];
        if (!taken) turn |= 1u << l;
    }
    return turn;
}

/* Tells the access. Eight lanes are carried out at once, four of surfaces with slices or layers. */
static void tell_access(const surface_access *a)
{
    event_texels texels; /* most of it stays untouched */
    bool flat = a->insn->mem.surface.dimensions < 3 && !a->insn->mem.surface.layered;
    uint32_t rest = a->located, together = flat ? 8 : 4;
    texels.sets = 0;
    texels.rows = 1;
    texels.texel_bytes = a->bytes;
    texels.why = why_not_sectors(a);
    do { /* at most as many turns as lanes go together */
        uint32_t turn = lanes_of_turn(a, rest, together);
        texels.set[texels.sets++] = (event_texel_set){
            .mask = turn, .rows = 1, .together = (uint8_t)together, .passes = 1, .base = a->surface.address};
        rest &= ~turn;
    } while (rest);
    memcpy(texels.sector[0], a->sector, sizeof a->sector);
    exec_emit_access(a->x, a->insn,
                     &(exec_access){.mask = a->located,
                                    .space = EVENT_GLOBAL,
                                    .surface = true,
                                    .bytes = (uint8_t)a->bytes,
                                    .address = a->address,
                                    .texels = &texels});
}

/* The lanes of `lanes`, which name one surface. false: the launch has failed. */
static bool access_surface(exec_ctx *x, const code_insn *i, uint32_t lanes)
{
    const exec_services *s = &x->launch->services;
    surface_access a = {.x = x, .insn = i};
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint64_t handle = LANES(uint64_t, i->a)[first];
    if (!s->surface || !s->surface(s->user, handle, &a.surface)) {
        exec_fail(x, i, EXEC_ILLEGAL_ADDRESS, first, handle, 0, i->op != OP_suld, "surface",
                  "0x%llx is no surface object", (unsigned long long)handle);
        return false;
    }
    a.bytes = access_bytes(i, &a.surface);
    if (!locate(&a, lanes)) return false;
    bool watched = x->fields != 0 && a.located;
    if (watched) exec_watch_begin(x, i, a.located, a.pointer, a.bytes);
    move_lanes(&a);
    if (i->op == OP_suld) LANES_OF(lanes & ~a.located) load_lane(&a, l, NULL);
    if (a.located && exec_wants_access(x, i)) tell_access(&a);
    if (watched) exec_watch_end(x);
    return true;
}

static void run_surface(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    x->lanes_on[i->site] += lw_popcount(mask);
    for (uint32_t rest = mask; rest;) {
        uint32_t lanes = lanes_of_first(LANES(uint64_t, i->a), rest);
        if (!access_surface(x, i, lanes)) return;
        rest &= ~lanes;
    }
}
void run_suld(exec_ctx *x, const code_insn *i, uint32_t mask) { run_surface(x, i, mask); }
void run_sust(exec_ctx *x, const code_insn *i, uint32_t mask) { run_surface(x, i, mask); }
void run_sured(exec_ctx *x, const code_insn *i, uint32_t mask) { run_surface(x, i, mask); }
