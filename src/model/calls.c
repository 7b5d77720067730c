/* model: what calls access by themselves, beside the kernel's own instructions.
 *
 * - Functions that machine code calls by CUDA's ABI store registers of their caller when they begin and load them back before
 *   they return (code/plan_frames.c): 4 bytes of each lane, side by side in local memory. One for each register.
 * - malloc and free of the device: the driver's functions. Constant for one lane at a time, as long as all blocks fit into one
 *   of the allocator's chunks: tests/hw/h200-heap.csv, of which those it holds for are 17 blocks of 24 and 40 bytes, and 3
 *   of up to 512 (driver 580.159.04; an H100 does the same). With more it makes chunks, and searches them. */
#include "model/calls.h"

#include <stdlib.h>

typedef enum call_kind { CALL_SAVES, CALL_HEAP } call_kind;

/* Requests of one call, and whose sectors: of one lane, or each 8 lanes' words. */
typedef struct call_part {
    uint8_t space, op;
    uint8_t malloc, free;
} call_part;

static const call_part heap_parts[] = {
    {EVENT_GLOBAL, EVENT_LOAD, 24, 23}, {EVENT_GLOBAL, EVENT_STORE, 6, 0},  {EVENT_GLOBAL, EVENT_ATOMIC, 8, 8},
    {EVENT_LOCAL, EVENT_LOAD, 71, 47},  {EVENT_LOCAL, EVENT_STORE, 78, 46},
};
enum { HEAP_PARTS = LW_COUNT(heap_parts), RECORDED_CC = 90, CHUNK_BYTES = 1632 };

typedef struct call_site {
    uint32_t insn;
    call_kind kind;
    bool loads;                 /* CALL_SAVES: RESTORE */
    uint64_t requests, sectors; /* CALL_SAVES */
    uint64_t mallocs, frees;
    uint64_t taken; /* by what malloc gave */
} call_site;

struct model_calls {
    LW_VEC(call_site) sites;
    uint64_t heap_warp;          /* block and warp that called malloc or free, + 1; 0: none */
    bool heap_lanes, heap_warps; /* several lanes called at once; several warps called */
    bool again;                  /* a function was active twice, and not for the same lanes */
};

static call_site *site_at(model_calls **calls, uint32_t insn, call_kind kind, bool loads)
{
    if (!*calls) *calls = lw_alloc(sizeof **calls);
    size_t count = (*calls)->sites.count;
    for (size_t k = 0; k < count; k++) {
        call_site *s = &(*calls)->sites.items[k];
        if (s->insn == insn && s->kind == kind && s->loads == loads) return s;
    }
    lw_vec_push(&(*calls)->sites, ((call_site){.insn = insn, .kind = kind, .loads = loads}));
    return &(*calls)->sites.items[count];
}

/* Groups of 8 lanes, whose words on the stack share a sector. */
static uint32_t groups_of(uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < 4; k++) n += (mask >> 8 * k & 0xff) != 0;
    return n;
}

static void note_heap_warp(model_calls *calls, uint64_t warp)
{
    calls->heap_warps |= calls->heap_warp && warp && calls->heap_warp != warp;
    if (warp) calls->heap_warp = warp;
}

void model_calls_add(model_calls **calls, const event_sync *e)
{
    if (e->kind == EVENT_HEAP_CALL) {
        call_site *s = site_at(calls, e->insn, CALL_HEAP, false);
        *(e->frees ? &s->frees : &s->mallocs) += (uint32_t)__builtin_popcount(e->mask);
        s->taken += e->frees ? 0 : model_heap_taken(e->bytes);
        (*calls)->heap_lanes |= (e->mask & (e->mask - 1)) != 0;
        note_heap_warp(*calls, ((uint64_t)e->block << 6 | e->warp) + 1);
        return;
    }
    call_site *s = site_at(calls, e->insn, CALL_SAVES, e->kind == EVENT_RESTORE);
    (*calls)->again |= e->again;
    s->requests += e->count;
    s->sectors += (uint64_t)e->count * groups_of(e->mask);
}

void model_calls_merge(model_calls **into, const model_calls *from)
{
    for (size_t n = 0; from && n < from->sites.count; n++) {
        const call_site *f = &from->sites.items[n];
        call_site *s = site_at(into, f->insn, f->kind, f->loads);
        s->requests += f->requests;
        s->sectors += f->sectors;
        s->mallocs += f->mallocs;
        s->frees += f->frees;
        s->taken += f->taken;
    }
    if (!from) return;
    (*into)->again |= from->again;
    (*into)->heap_lanes |= from->heap_lanes;
    (*into)->heap_warps |= from->heap_warps;
    note_heap_warp(*into, from->heap_warp);
}

static int compare_sites(const void *a, const void *b)
{
    const call_site *x = a, *y = b;
    if (x->insn != y->insn) return x->insn < y->insn ? -1 : 1;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : (int)x->loads - (int)y->loads;
}

/* Why what malloc and free access is not certain; NULL: it is. */
static const char *heap_doubt(const model_calls *calls, uint32_t cc, uint64_t taken)
{
    for (size_t k = 0; k < calls->sites.count; k++) taken += calls->sites.items[k].taken;
    if (cc != RECORDED_CC) return "what malloc and free access was recorded on compute capability 9.0 alone";
    if (calls->heap_warps || calls->heap_lanes)
        return "several threads call malloc or free: what these access then was not recorded";
    return taken > CHUNK_BYTES
               ? "malloc and free search where blocks in use fill more than 1.6 KB: for how long is not known"
               : NULL;
}

typedef struct call_visit {
    void (*visit)(void *user, const model_call_result *call);
    void *user;
    const char *heap_why;
} call_visit;

static void tell(const call_visit *v, model_call_result *r, uint64_t requests, uint64_t sectors, uint64_t tags)
{
    if (!requests && !r->why) return; /* where it is not certain, none may be some */
    r->counters.present = MODEL_BIT(REQUESTS) | MODEL_BIT(SECTORS) | MODEL_BIT(TAGS);
    r->counters.value[COUNTER_REQUESTS] = requests;
    r->counters.value[COUNTER_SECTORS] = sectors;
    r->counters.value[COUNTER_TAGS] = tags;
    v->visit(v->user, r);
}

static void tell_site(const call_visit *v, const call_site *s)
{
    model_call_result r = {.insn = s->insn, .what = MODEL_SAVES, .space = EVENT_LOCAL};
    r.op = s->loads ? EVENT_LOAD : EVENT_STORE;
    if (s->kind == CALL_SAVES) {
        tell(v, &r, s->requests, s->sectors, s->requests);
        return;
    }
    for (uint32_t k = 0; k < HEAP_PARTS; k++) {
        const call_part *p = &heap_parts[k];
        uint64_t n = s->mallocs * p->malloc + s->frees * p->free;
        r = (model_call_result){
            .insn = s->insn, .what = MODEL_HEAP, .space = p->space, .op = p->op, .why = v->heap_why};
        tell(v, &r, n, n, n);
    }
}

void model_calls_each(model_calls *calls, uint32_t cc, uint64_t taken,
                      void (*visit)(void *user, const model_call_result *call), void *user)
{
    if (!calls) return;
    call_visit v = {visit, user, heap_doubt(calls, cc, taken)};
    qsort(calls->sites.items, calls->sites.count, sizeof *calls->sites.items, compare_sites);
    for (size_t k = 0; k < calls->sites.count; k++) tell_site(&v, &calls->sites.items[k]);
}

bool model_calls_again(const model_calls *calls) { return calls && calls->again; }

void model_calls_free(model_calls *calls)
{
    if (!calls) return;
    lw_vec_free(&calls->sites);
    free(calls);
}
