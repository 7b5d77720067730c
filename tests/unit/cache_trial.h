/* Launches of an H200 by hand: what their warps access, and what the replay says of it. */
#ifndef CACHE_TRIAL_H
#define CACHE_TRIAL_H

#include "time/caches.h"
#include "unit.h"

enum { INSNS = 3 };
#define BASE UINT64_C(0x7f0000000000)

static inline device_profile h200(void)
{
    device_profile d;
    CHECK_EQ_INT(device_find("h200", &d, NULL), LW_OK);
    return d;
}

typedef struct trial {
    cache_session *session;
    cache_launch *launch;
    void *worker[2];
} trial;

static inline void start_on(trial *t, const device_profile *device, const cache_shape *shape)
{
    t->session = cache_session_make(device, false);
    t->launch = cache_launch_make(t->session, shape);
    t->worker[0] = cache_worker_begin(t->launch, 0);
}

static inline void start_shape(trial *t, const cache_shape *shape)
{
    device_profile d = h200();
    start_on(t, &d, shape);
}

static inline void start_warps(trial *t, uint64_t blocks, uint32_t warps)
{
    cache_shape shape = {.blocks = blocks, .warps_per_block = warps, .blocks_per_sm = 8, .insns = INSNS};
    start_shape(t, &shape);
}

static inline void start_insns(trial *t, uint64_t blocks, uint32_t insns)
{
    cache_shape shape = {.blocks = blocks, .warps_per_block = 1, .blocks_per_sm = 8, .insns = insns};
    start_shape(t, &shape);
}

static inline void start(trial *t, uint64_t blocks, uint32_t budget, uint32_t workers)
{
    device_profile d = h200();
    cache_shape shape = {.blocks = blocks,
                         .warps_per_block = 1,
                         .blocks_per_sm = 8,
                         .shared_carveout = 8192,
                         .insns = INSNS,
                         .keep_all = budget != 0,
                         .hash_budget = budget,
                         .full_budget = budget};
    if (!t->session) t->session = cache_session_make(&d, false);
    t->launch = cache_launch_make(t->session, &shape);
    for (uint32_t k = 0; k < workers; k++) t->worker[k] = cache_worker_begin(t->launch, k);
}

static inline void put_in(const event_launch *launch, void *worker, uint32_t block, event_op op, uint64_t address)
{
    uint64_t lanes[32];
    for (uint32_t l = 0; l < 32; l++) lanes[l] = address + 4 * l;
    event_memory e = {.launch = launch,
                      .space = EVENT_GLOBAL,
                      .op = (uint8_t)op,
                      .insn = op == EVENT_STORE,
                      .shape = EVENT_CONSECUTIVE,
                      .bytes = 4,
                      .mask = UINT32_MAX,
                      .address = lanes,
                      .block = block};
    cache_memory(worker, &e);
}

static inline void put(void *worker, uint32_t block, event_op op, uint64_t address)
{
    put_in(NULL, worker, block, op, address);
}

static inline void end_block(void *worker, uint32_t block)
{
    event_sync e = {.kind = EVENT_BLOCK_EXIT, .block = block};
    cache_sync(worker, &e);
}

static inline void stop(trial *t)
{
    cache_launch_free(t->launch);
    cache_session_free(t->session);
}

/* A warp's access of 4 bytes a lane, which lie so far apart. */
/* One access of a warp, its lanes so many bytes apart. */
typedef struct trial_access {
    const event_launch *launch; /* NULL: what its instructions are does not matter */
    uint32_t block, warp, insn;
    event_op op;
    uint64_t address, apart;
    uint8_t flags;        /* EVENT_VOLATILE, ... */
    uint32_t lanes_again; /* behind so many lanes the next word of the first lane follows; 0: behind none */
} trial_access;

static inline void put_access(trial *t, const trial_access *a)
{
    uint64_t lanes[32];
    uint32_t again = a->lanes_again ? a->lanes_again : 32;
    for (uint32_t l = 0; l < 32; l++) lanes[l] = a->address + a->apart * (l % again) + l / again * 4;
    event_memory e = {.launch = a->launch,
                      .space = EVENT_GLOBAL,
                      .op = (uint8_t)a->op,
                      .flags = a->flags,
                      .insn = a->insn,
                      .shape = EVENT_GENERAL,
                      .bytes = 4,
                      .mask = UINT32_MAX,
                      .address = lanes,
                      .block = a->block,
                      .warp = a->warp};
    cache_memory(t->worker[0], &e);
}

static inline void put_apart(trial *t, uint32_t warp, uint32_t insn, event_op op, uint64_t address, uint64_t apart)
{
    put_access(t, &(trial_access){.warp = warp, .insn = insn, .op = op, .address = address, .apart = apart});
}

#endif
