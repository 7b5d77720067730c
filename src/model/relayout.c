/* An array of structures shows as a distance between lanes, a matrix that is walked the other way likewise, rows that begin in the
 * middle of a sector as a distance between warps. */
#include "model/relayout.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 32,      /* bytes */
    LINE = 128,       /* bytes */
    DISTANCES = 4096, /* slots of the table of distances: a power of two */
    MOST_DISTANCES = 3000,
    MOST_PITCHES = 6, /* that are tried */
    MOST_SHIFTS = 2
};

typedef struct distance {
    uint64_t bytes;  /* 0: the slot is free */
    uint64_t weight; /* sectors above the ideal of the accesses that have it */
} distance;

typedef struct evidence {
    distance *slots;
    uint32_t used;
    uint64_t starts[SECTOR]; /* by offset in a sector of an access's begin: sectors above the ideal */
} evidence;

/* ---- single accesses ---- */
static event_memory event_of(const model_touch *t, const uint64_t address[32])
{
    return (event_memory){.insn = t->insn,
                          .space = t->space,
                          .op = t->op,
                          .atomic = t->atomic,
                          .bytes = t->bytes,
                          .flags = t->flags,
                          .shape = EVENT_GENERAL,
                          .mask = t->mask,
                          .address = address};
}

static bool is_in(const model_block *b, const model_touch *t)
{
    return t->space == EVENT_GLOBAL &&
           t->base + (uint64_t)((int64_t)(t->other ? 0 : __builtin_ctz(t->mask)) * t->step) - b->begin < b->bytes;
}

/* ---- distances ---- */
static void add_distance(evidence *e, uint64_t bytes, uint64_t weight)
{
    uint32_t at = (uint32_t)(bytes * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    for (;; at++) {
        distance *d = &e->slots[at & (DISTANCES - 1)];
        if (d->bytes != bytes && d->bytes) continue;
        if (!d->bytes && e->used++ >= MOST_DISTANCES) {
            e->used--;
            return;
        }
        d->bytes = bytes;
        d->weight += weight;
        return;
    }
}

static uint64_t apart(uint64_t a, uint64_t b) { return a < b ? b - a : a - b; }

/* Between lanes that are neighbours in the order of a warp, of half a row of it, ... */
static void add_lanes(evidence *e, const model_touch *t, const uint64_t address[32], uint64_t weight)
{
    for (uint32_t step = 1; step < 32; step *= 2) {
        uint64_t last = 0;
        for (uint32_t i = 0; i + step < 32; i += step) {
            if (!(t->mask >> i & 1) || !(t->mask >> (i + step) & 1)) continue;
            uint64_t bytes = apart(address[i], address[i + step]);
            if (bytes == last || !bytes) continue; /* once for a run of equal ones */
            last = bytes;
            add_distance(e, bytes, weight);
        }
    }
}

static void add_start(evidence *e, const model_touch *t, const uint64_t address[32], uint64_t weight)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t m = t->mask; m; m &= m - 1) least = LW_MIN(least, address[__builtin_ctz(m)]);
    e->starts[least % SECTOR] += weight;
}

/* What the pricer has counted for this access alone, above the ideal. */
static uint64_t excess(model *m, void *worker, const model_touch *t, const uint64_t address[32])
{
    event_memory e = event_of(t, address);
    e.insn = 0;
    counter_set before = model_result(m, 0, EVENT_GLOBAL, (event_op)t->op);
    model_count(worker, &e);
    counter_set after = model_result(m, 0, EVENT_GLOBAL, (event_op)t->op);
    uint64_t sectors = after.value[COUNTER_SECTORS] - before.value[COUNTER_SECTORS];
    uint64_t ideal = after.value[COUNTER_SECTORS_IDEAL] - before.value[COUNTER_SECTORS_IDEAL];
    return sectors > ideal ? sectors - ideal : 0;
}

/* The last access of each instruction, for the distance to the next of its block. */
typedef struct last_touch {
    uint64_t base;
    uint32_t block;
    bool known;
} last_touch;

static void gather_one(const model_trace *trace, const model_block *b, model *m, evidence *e)
{
    LW_VEC(last_touch) last = {0};
    void *worker = model_worker_begin(m, 0);
    uint64_t address[32];
    for (size_t k = 0; k < model_trace_count(trace); k++) {
        const model_touch *t = model_trace_at(trace, k, address);
        if (!is_in(b, t)) continue;
        while (last.count <= t->insn) lw_vec_push(&last, ((last_touch){0, 0, false}));
        last_touch *before = &last.items[t->insn];
        uint64_t weight = excess(m, worker, t, address);
        if (weight) {
            add_lanes(e, t, address, weight);
            add_start(e, t, address, weight);
            if (before->known && before->block == t->block && before->base != t->base)
                add_distance(e, apart(before->base, t->base), weight);
        }
        *before = (last_touch){t->base, t->block, true};
    }
    lw_vec_free(&last);
}

static bool gather(const model_traces *traces, const model_block *b, const device_profile *device, evidence *e)
{
    model *m;
    if (model_create(&m, device, 1, NULL)) return false;
    e->slots = lw_alloc(DISTANCES * sizeof *e->slots);
    for (size_t k = 0; k < traces->count; k++) gather_one(traces->items[k], b, m, e);
    model_destroy(m);
    return true;
}

static int by_weight(const void *left, const void *right)
{
    const distance *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* ---- layouts ---- */
static void add_layout(model_relayouts *out, const model_layout *layout)
{
    for (size_t k = 0; k < out->count; k++) {
        const model_layout *l = &out->items[k];
        if (l->kind == layout->kind && l->pitch == layout->pitch && l->element == layout->element &&
            l->pad == layout->pad)
            return;
    }
    lw_vec_push(out, *layout);
}

static void add_padded(model_relayouts *out, model_layout layout, uint32_t to)
{
    layout.kind = MODEL_LAYOUT_PADDED;
    layout.pad = (to - layout.pitch % to) % to;
    if (layout.pitch < SECTOR || !layout.pad || layout.pad % layout.element) return;
    add_layout(out, &layout);
}

static void add_pitch(model_relayouts *out, const model_block *b, uint64_t pitch)
{
    if (pitch >= b->bytes || pitch % b->narrow || pitch == b->narrow) return;
    model_layout layout = {.bytes = (uint32_t)b->bytes, .element = b->narrow, .pitch = (uint32_t)pitch};
    add_padded(out, layout, SECTOR);
    add_padded(out, layout, LINE);
    if (b->bytes % pitch) return;
    layout.kind = MODEL_LAYOUT_TRANSPOSED;
    add_layout(out, &layout);
    layout.element = b->wide;
    if (b->wide != b->narrow && pitch % b->wide == 0 && pitch != b->wide) add_layout(out, &layout);
}

/* The array begins later, so that accesses that begin in the middle of a sector no longer do. */
static void add_shifts(model_relayouts *out, const model_block *b, evidence *e)
{
    for (uint32_t k = 0; k < MOST_SHIFTS; k++) {
        uint32_t most = 0;
        for (uint32_t at = 1; at < SECTOR; at++)
            if (e->starts[at] > e->starts[most] || !most) most = at;
        if (!e->starts[most]) return;
        e->starts[most] = 0;
        model_layout layout = {.kind = MODEL_LAYOUT_SHIFTED, .bytes = (uint32_t)b->bytes, .element = b->narrow};
        layout.pitch = b->narrow;
        layout.pad = SECTOR - most;
        if (layout.pad % b->narrow == 0) add_layout(out, &layout);
    }
}

void model_relayouts_of(const model_traces *traces, const model_block *b, const device_profile *device,
                        model_relayouts *out)
{
    evidence e = {0};
    if (!gather(traces, b, device, &e)) return;
    e.starts[0] = 0;
    add_shifts(out, b, &e);
    qsort(e.slots, DISTANCES, sizeof *e.slots, by_weight);
    for (uint32_t k = 0; k < MOST_PITCHES && e.slots[k].weight && !b->fixed; k++) add_pitch(out, b, e.slots[k].bytes);
    free(e.slots);
}

/* ---- counting ---- */
/* Moves an access, `at` bytes into each lane's; false: `bytes` of a lane would not be aligned, or be torn apart. */
static bool move(const model_touch *t, const model_block *b, const model_layout *layout, uint32_t at, uint32_t bytes,
                 const uint64_t from[32], uint64_t to[32])
{
    for (uint32_t m = t->mask; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        uint64_t offset = from[i] + at - b->begin;
        if (!model_layout_keeps(layout, offset, bytes)) return false;
        to[i] = b->begin + model_layout_at(layout, offset);
    }
    return true;
}

/* What the assembler has joined, one by one; false: a part is torn apart. */
static bool count_parts(const model_touch *t, const model_block *b, const model_layout *layout, void *worker,
                        const uint64_t from[32])
{
    uint64_t to[32] = {0};
    uint32_t bytes = b->parts[t->insn];
    if (bytes >= t->bytes) return false;
    for (uint32_t at = 0; at < t->bytes; at += bytes) {
        if (!move(t, b, layout, at, bytes, from, to)) return false;
        event_memory e = event_of(t, to);
        e.bytes = (uint8_t)bytes;
        model_count(worker, &e);
    }
    return true;
}

static bool count_one(const model_touch *t, const model_block *b, const model_layout *layout, void *worker,
                      const uint64_t from[32])
{
    uint64_t to[32] = {0};
    if (layout && !move(t, b, layout, 0, t->bytes, from, to)) return count_parts(t, b, layout, worker, from);
    event_memory e = event_of(t, layout ? to : from);
    model_count(worker, &e);
    return true;
}

static bool count_trace(const model_trace *trace, const model_block *b, const model_layout *layout, void *worker,
                        uint32_t *insn)
{
    uint64_t address[32];
    for (size_t k = 0; k < model_trace_count(trace); k++) {
        const model_touch *t = model_trace_at(trace, k, address);
        if (!is_in(b, t)) continue;
        *insn = t->insn;
        if (!count_one(t, b, layout, worker, address)) return false;
    }
    return true;
}

static uint64_t sectors_of(model *m, uint32_t insn)
{
    uint64_t sum = 0;
    for (int op = 0; op < EVENT_OP_COUNT; op++)
        sum += model_result(m, insn, EVENT_GLOBAL, (event_op)op).value[COUNTER_SECTORS];
    return sum;
}

bool model_relayout_count(const model_traces *traces, const model_block *b, const model_layout *layout,
                          const device_profile *device, uint32_t insns, uint64_t *by_insn, uint32_t *insn)
{
    model *m;
    bool fine = true;
    if (model_create(&m, device, insns, NULL)) return false;
    void *worker = model_worker_begin(m, 0);
    for (size_t k = 0; k < traces->count && fine; k++) fine = count_trace(traces->items[k], b, layout, worker, insn);
    for (uint32_t k = 0; k < insns && fine; k++) by_insn[k] = sectors_of(m, k);
    model_destroy(m);
    return fine;
}
