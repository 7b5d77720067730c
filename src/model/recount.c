/* The kept accesses are a hash table without deletion; prices come from a model of one instruction. */
#include "model/recount.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct kept_access {
    model_access access;
    uint64_t times;
} kept_access;

struct model_accesses {
    LW_VEC(kept_access) kept;
    uint32_t *slots; /* index + 1 into kept; 0: free */
    uint32_t slot_count;
    uint32_t most;
    uint64_t dropped;
};

enum { FIRST_SLOTS = 1024 };

model_accesses *model_accesses_make(uint32_t most)
{
    model_accesses *a = lw_alloc(sizeof *a);
    a->most = most;
    a->slot_count = FIRST_SLOTS;
    a->slots = lw_alloc(a->slot_count * sizeof *a->slots);
    return a;
}

void model_accesses_free(model_accesses *a)
{
    if (!a) return;
    lw_vec_free(&a->kept);
    free(a->slots);
    free(a);
}

/* The slot where an access stands or would stand. */
static uint32_t *slot_of(const model_accesses *a, const model_access *access)
{
    uint32_t at = (uint32_t)lw_hash(access, sizeof *access, 0);
    for (;; at++) {
        uint32_t *slot = &a->slots[at & (a->slot_count - 1)];
        if (!*slot || !memcmp(&a->kept.items[*slot - 1].access, access, sizeof *access)) return slot;
    }
}

static void grow(model_accesses *a)
{
    free(a->slots);
    a->slot_count *= 2;
    a->slots = lw_alloc(a->slot_count * sizeof *a->slots);
    for (uint32_t k = 0; k < a->kept.count; k++) *slot_of(a, &a->kept.items[k].access) = k + 1;
}

static void add(model_accesses *a, const model_access *access, uint64_t times)
{
    uint32_t *slot = slot_of(a, access);
    if (*slot) {
        a->kept.items[*slot - 1].times += times;
        return;
    }
    if (a->kept.count == a->most) {
        a->dropped += times;
        return;
    }
    kept_access fresh = {*access, times};
    lw_vec_push(&a->kept, fresh);
    *slot = (uint32_t)a->kept.count;
    if (a->kept.count * 2 > a->slot_count) grow(a);
}

static void take_sources(model_access *access, const event_memory *e)
{
    uint64_t least = UINT64_MAX;
    access->copies = 1;
    access->sources = e->sources;
    for (uint32_t i = 0; i < 32; i++)
        if (e->sources >> i & 1) least = LW_MIN(least, e->address2[i]);
    least &= ~UINT64_C(127);
    for (uint32_t i = 0; i < 32; i++)
        if (e->sources >> i & 1) access->source[i] = (uint32_t)(e->address2[i] - least);
}

void model_accesses_add(model_accesses *a, const event_memory *e)
{
    uint32_t rows = e->matrices ? UINT32_MAX >> (32 - 8 * e->matrices) : UINT32_MAX; /* lanes that give addresses */
    uint32_t first = (uint32_t)__builtin_ctz(e->mask);
    model_access access;
    memset(&access, 0, sizeof access);
    access.insn = e->insn;
    access.mask = e->mask & rows;
    access.space = e->space;
    access.op = e->op;
    access.atomic = e->atomic;
    access.bytes = e->bytes;
    access.matrices = e->matrices;
    access.flags = e->flags;
    for (uint32_t i = 0; i < 32; i++)
        if (access.mask >> i & 1) access.address[i] = (uint32_t)e->address[e->shape == EVENT_UNIFORM ? first : i];
    if (e->op == EVENT_COPY_WRITE && e->address2) take_sources(&access, e);
    if (access.mask) add(a, &access, 1);
}

void model_accesses_join(model_accesses *into, const model_accesses *from)
{
    for (size_t k = 0; k < from->kept.count; k++) add(into, &from->kept.items[k].access, from->kept.items[k].times);
    into->dropped += from->dropped;
}

uint64_t model_accesses_dropped(const model_accesses *a) { return a->dropped; }
uint32_t model_accesses_count(const model_accesses *a) { return (uint32_t)a->kept.count; }

const model_access *model_accesses_at(const model_accesses *a, uint32_t index, uint64_t *times)
{
    *times = a->kept.items[index].times;
    return &a->kept.items[index].access;
}

/* ---- prices ---- */
struct model_pricer {
    model *model;
    void *worker;
};

model_pricer *model_pricer_make(const device_profile *device)
{
    model *m;
    if (model_create(&m, device, 1, NULL)) return NULL;
    model_pricer *p = lw_alloc(sizeof *p);
    p->model = m;
    p->worker = model_worker_begin(m, 0);
    return p;
}

void model_pricer_free(model_pricer *p)
{
    if (!p) return;
    model_destroy(p->model);
    free(p);
}

uint64_t model_price(model_pricer *p, const model_access *access, const uint64_t address[32], uint64_t *ideal)
{
    uint64_t source[32];
    event_memory e = {.space = access->space,
                      .op = access->op,
                      .atomic = access->atomic,
                      .bytes = access->bytes,
                      .matrices = access->matrices,
                      .flags = access->flags,
                      .shape = EVENT_GENERAL,
                      .mask = access->mask,
                      .sources = access->sources,
                      .address = address};
    for (uint32_t i = 0; i < 32 && access->copies; i++) source[i] = access->source[i];
    if (access->copies) e.address2 = source;
    counter_set before = model_result(p->model, 0, (event_space)e.space, (event_op)e.op);
    model_count(p->worker, &e);
    counter_set after = model_result(p->model, 0, (event_space)e.space, (event_op)e.op);
    if (ideal) *ideal = after.value[COUNTER_WAVEFRONTS_IDEAL] - before.value[COUNTER_WAVEFRONTS_IDEAL];
    return after.value[COUNTER_WAVEFRONTS] - before.value[COUNTER_WAVEFRONTS];
}
