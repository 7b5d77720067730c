/* Where lanes collide, the distance between them is a row of what the program takes the array for, or several rows. */
#include "model/candidates.h"

#include <stdlib.h>

enum {
    MOST_DISTANCES = 64, /* that are told apart */
    MOST_PITCHES = 6,    /* of them that are tried */
    BANK_LINE = 128,     /* bytes of all banks: a pitch that is always tried, for arrays without rows */
    MOST_PAD = 32        /* bytes */
};

typedef struct distance {
    uint32_t bytes;
    uint64_t weight; /* wavefronts above the ideal of the accesses that have it */
} distance;

typedef struct shape {
    LW_VEC(distance) distances;
    uint32_t wide; /* bytes of a lane: the most of all accesses */
} shape;

bool model_array_has(const model_array *array, const model_access *access)
{
    uint32_t bytes = access->matrices ? 16 : access->bytes;
    for (uint32_t m = access->mask; m; m &= m - 1) {
        uint32_t at = access->address[__builtin_ctz(m)];
        if (at < array->begin || at + bytes > array->begin + array->bytes) return false;
    }
    return true;
}

static uint64_t price_now(model_pricer *pricer, const model_access *access, uint64_t *ideal)
{
    uint64_t address[32];
    for (uint32_t i = 0; i < 32; i++) address[i] = access->address[i];
    return model_price(pricer, access, address, ideal);
}

static void add_distance(shape *s, uint32_t bytes, uint64_t weight)
{
    for (size_t k = 0; k < s->distances.count; k++) {
        if (s->distances.items[k].bytes != bytes) continue;
        s->distances.items[k].weight += weight;
        return;
    }
    if (s->distances.count == MOST_DISTANCES) return;
    distance fresh = {bytes, weight};
    lw_vec_push(&s->distances, fresh);
}

/* Between lanes that are neighbours in the order of a warp, of half a row of it, ... */
static void add_distances(shape *s, const model_access *a, uint64_t weight)
{
    for (uint32_t apart = 1; apart < 32; apart *= 2) {
        uint32_t last = 0;
        for (uint32_t i = 0; i + apart < 32; i += apart) {
            if (!(a->mask >> i & 1) || !(a->mask >> (i + apart) & 1)) continue;
            uint32_t low = LW_MIN(a->address[i], a->address[i + apart]);
            uint32_t bytes = LW_MAX(a->address[i], a->address[i + apart]) - low;
            if (bytes == last || !bytes) continue; /* once for a run of equal ones */
            last = bytes;
            add_distance(s, bytes, weight);
        }
    }
}

static shape shape_of(const model_accesses *accesses, const model_array *array, model_pricer *pricer)
{
    shape s = {.wide = array->element};
    for (uint32_t k = 0; k < model_accesses_count(accesses); k++) {
        uint64_t times, ideal;
        const model_access *a = model_accesses_at(accesses, k, &times);
        if (!model_array_has(array, a)) continue;
        s.wide = LW_MAX(s.wide, a->bytes);
        uint64_t now = price_now(pricer, a, &ideal);
        if (now > ideal) add_distances(&s, a, (now - ideal) * times);
    }
    return s;
}

static int by_weight(const void *left, const void *right)
{
    const distance *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* ---- layouts of one pitch ---- */
static void add_padded(model_layouts *out, model_layout layout, uint32_t wide)
{
    layout.kind = MODEL_LAYOUT_PADDED;
    for (uint32_t pad = layout.element; pad <= MOST_PAD; pad *= 2) {
        if (pad < 4 || pad >= layout.pitch) continue;
        if (pad > wide && pad > 16) continue;
        layout.pad = pad;
        lw_vec_push(out, layout);
    }
}

static void add_swizzled(model_layouts *out, model_layout layout, uint32_t wide)
{
    layout.kind = MODEL_LAYOUT_SWIZZLED;
    layout.unit = LW_MAX(wide, 4u);
    bool whole = lw_is_power_of_2(layout.pitch) && layout.bytes % layout.pitch == 0;
    if (whole && layout.pitch >= 2 * layout.unit && layout.unit <= 16) lw_vec_push(out, layout);
}

static void add_transposed(model_layouts *out, model_layout layout)
{
    layout.kind = MODEL_LAYOUT_TRANSPOSED;
    if (layout.bytes % layout.pitch == 0) lw_vec_push(out, layout);
}

static void add_pitch(model_layouts *out, const model_array *array, const shape *s, uint32_t pitch)
{
    bool usable = pitch > array->element && pitch % array->element == 0 && pitch < array->bytes;
    for (size_t k = 0; k < out->count; k++) usable &= out->items[k].pitch != pitch;
    if (!usable) return;
    model_layout layout = {.begin = array->begin, .bytes = array->bytes, .element = array->element, .pitch = pitch};
    add_padded(out, layout, s->wide);
    add_swizzled(out, layout, s->wide);
    add_transposed(out, layout);
}

void model_candidates(const model_accesses *accesses, const model_array *array, model_pricer *pricer,
                      model_layouts *out)
{
    shape s = shape_of(accesses, array, pricer);
    if (s.distances.count) {
        qsort(s.distances.items, s.distances.count, sizeof *s.distances.items, by_weight);
        for (size_t k = 0; k < s.distances.count && k < MOST_PITCHES; k++)
            add_pitch(out, array, &s, s.distances.items[k].bytes);
        add_pitch(out, array, &s, BANK_LINE);
    }
    lw_vec_free(&s.distances);
}

/* Moves an access, `at` bytes into each lane's; false: `bytes` of a lane would not be aligned, or be torn apart. */
static bool move(const model_access *a, const model_layout *layout, uint32_t at, uint32_t bytes, uint64_t address[32])
{
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        address[i] = a->address[i] + at;
        if (!layout) continue;
        if (!model_layout_keeps(layout, address[i], bytes)) return false;
        address[i] = model_layout_at(layout, address[i]);
    }
    return true;
}

/* As the accesses that the assembler joined. */
static bool price_parts(const model_access *a, const model_layout *layout, model_pricer *pricer, uint32_t bytes,
                        uint64_t *out)
{
    model_access part = *a;
    uint64_t address[32] = {0};
    part.bytes = (uint8_t)bytes;
    *out = 0;
    for (uint32_t at = 0; at < a->bytes; at += bytes) {
        if (!move(a, layout, at, bytes, address)) return false;
        *out += model_price(pricer, &part, address, NULL);
    }
    return true;
}

static bool price_then(const model_access *a, const model_array *array, const model_layout *layout,
                       model_pricer *pricer, uint64_t *out)
{
    uint64_t address[32] = {0};
    uint64_t parts;
    bool joined = layout && array->parts[a->insn] < a->bytes && !a->matrices;
    bool whole = move(a, layout, 0, a->bytes, address);
    if (whole) *out = model_price(pricer, a, address, NULL);
    if (!joined) return whole;
    if (!price_parts(a, layout, pricer, array->parts[a->insn], &parts)) return false;
    *out = whole ? LW_MAX(*out, parts) : parts;
    return true;
}

bool model_recount(const model_accesses *accesses, const model_array *array, const model_layout *layout,
                   model_pricer *pricer, uint64_t *by_insn, uint32_t *insn)
{
    for (uint32_t k = 0; k < model_accesses_count(accesses); k++) {
        uint64_t times, price;
        const model_access *a = model_accesses_at(accesses, k, &times);
        if (!model_array_has(array, a)) continue;
        *insn = a->insn;
        if (!price_then(a, array, layout, pricer, &price)) return false;
        by_insn[a->insn] += times * price;
    }
    return true;
}
