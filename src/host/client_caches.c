/* The caches as a client: hands them the launches, and turns what they found of a sample into counters. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/profile.h"
#include "host/caches_priv.h"
#include "host/device.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/queue_priv.h"
#include "host/settings.h"

/* A piece of memory before a launch, to see afterwards whether it has changed it. */
typedef struct watched_memory {
    uint64_t address, bytes;
    uint64_t base, serial; /* of its allocation */
    bool managed;
    uint64_t sum; /* not of managed memory */
} watched_memory;

struct host_caches {
    cache_session *session;
    cache_launch *launch;    /* the last one, until the next begins; NULL: it was not wanted */
    const cache_site *sites; /* of it, once it has ended */
    bool cold;
    bool launched;      /* a launch has begun */
    bool late, managed; /* memory was allocated behind that; managed memory was */
    LW_VEC(watched_memory) watched;
    LW_VEC(uint64_t) arriving; /* managed memory that no launch has found yet */
    pthread_mutex_t lock;      /* of the session and what is allocated: copies may run while a launch is replayed */
};

static void *session_begin(const event_session *session)
{
    host_context *c = session->owner;
    const char *asked = c->options.caches;
    if (!asked || !c->device || c->device->cc < 50) return NULL;
    c->caches = lw_alloc(sizeof *c->caches);
    c->caches->cold = !strcmp(asked, "cold");
    c->caches->session = cache_session_make(c->device, c->caches->cold);
    pthread_mutex_init(&c->caches->lock, NULL);
    return c;
}

static void drop_launch(host_caches *caches)
{
    cache_launch_free(caches->launch);
    caches->launch = NULL;
    caches->sites = NULL;
}

static void session_end(void *session)
{
    host_context *c = session;
    drop_launch(c->caches);
    cache_session_free(c->caches->session);
    lw_vec_free(&c->caches->watched);
    lw_vec_free(&c->caches->arriving);
    pthread_mutex_destroy(&c->caches->lock);
    free(c->caches);
    c->caches = NULL;
}

/* A sum over words at places spread over the memory, the same each time. */
static uint64_t sum_of(uint64_t address, uint64_t bytes)
{
    const uint64_t words = LW_MIN(bytes / sizeof(uint32_t), (uint64_t)256);
    uint64_t sum = 0, place = bytes;
    for (uint64_t k = 0; k < words; k++) {
        uint32_t word;
        place = place * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        memcpy(&word, mem_storage(address + (place >> 16) % (bytes / sizeof word) * sizeof word), sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
    }
    return sum;
}

static const uint64_t counts_from = 1 << 20; /* bytes of an allocation that counts beside L2 */

/* The pieces of allocations that count beside L2. Memory that the host shares may be guarded, mappings may go while the launch
 * runs. A profiler, too, puts back what was changed of an allocation, not all of it. */
static void watch(void *user, const mem_allocation *a)
{
    const uint64_t least = 256, piece = 2 << 20, most = 64; /* pieces of an allocation */
    const size_t pieces = 1024;                             /* of all */
    host_caches *caches = user;
    bool device = a->kind == MEM_DEVICE || a->kind == MEM_GLOBAL_VAR, managed = a->kind == MEM_MANAGED;
    if ((!device && !managed) || a->mapped || a->bytes < least) return;
    if (caches->watched.count >= pieces) return;
    uint64_t step = LW_MAX(piece, (a->bytes / most + piece - 1) / piece * piece);
    for (uint64_t at = 0; at < a->bytes; at += step) {
        watched_memory w = {a->address + at, LW_MIN(step, a->bytes - at), a->address, a->serial, managed, 0};
        if (w.bytes < sizeof(uint32_t)) break;
        if (!managed) w.sum = sum_of(w.address, w.bytes);
        lw_vec_push(&caches->watched, w);
    }
}

static void note_changed(host_context *c)
{
    host_caches *caches = c->caches;
    for (size_t k = 0; k < caches->watched.count; k++) {
        const watched_memory *w = &caches->watched.items[k];
        mem_allocation a;
        if (!mem_find(c->memory, w->base, &a) || a.serial != w->serial) continue;
        if (a.bytes < counts_from) continue;
        if (w->managed) cache_launch_managed(caches->launch, w->address, w->bytes);
        else if (sum_of(w->address, w->bytes) != w->sum) cache_launch_changed(caches->launch, w->address, w->bytes);
    }
    caches->watched.count = 0;
}

/* The pages of new managed memory come from the host as by a copy, or are cleared where nobody has written them yet. */
static void write_arriving(host_context *c)
{
    mem_allocation a;
    host_caches *caches = c->caches;
    pthread_mutex_lock(&caches->lock);
    for (size_t k = 0; k < caches->arriving.count; k++)
        if (mem_find(c->memory, caches->arriving.items[k], &a) && a.kind == MEM_MANAGED)
            cache_session_write(caches->session, a.address, a.bytes, 1, a.bytes);
    caches->arriving.count = 0;
    pthread_mutex_unlock(&caches->lock);
}

static uint8_t eviction_of(int access)
{
    if (access == HOST_ACCESS_PERSISTING) return EVENT_EVICT_LAST;
    return access == HOST_ACCESS_STREAMING ? EVENT_EVICT_FIRST : EVENT_EVICT_NORMAL;
}

static cache_window window_of(const host_access_window *w)
{
    return (cache_window){w->address, w->bytes, w->hit_ratio, eviction_of(w->hit), eviction_of(w->miss)};
}

static void *launch_begin(void *session, const event_launch *launch)
{
    host_context *c = session;
    const host_launch_facts *facts = launch->owner;
    const host_launch_config *g = &facts->op->u.kernel.config;
    host_kernel *k = facts->op->u.kernel.kernel;
    drop_launch(c->caches);
    if (c->caches->cold && !host_selection_has(c, k)) return NULL; /* it leaves nothing to the next */
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    cache_shape shape = {
        .blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2],
        .warps_per_block = (uint32_t)((threads + 31) / 32),
        .blocks_per_sm = host_blocks_per_sm(k, threads, g->dynamic_shared),
        .shared_carveout = host_shared_carveout(k, g),
        .insns = launch->insn_count,
        .window = window_of(&g->window),
    };
    uint64_t available, total;
    host_memory_info(c, 0, &available, &total);
    shape.live_bytes = total - available;
    host_limit_get_on(c, k->module->device, HOST_LIMIT_PERSISTING_L2, &shape.persisting_bytes);
    pthread_mutex_lock(&c->caches->lock);
    shape.late_memory = c->caches->late;
    shape.managed_memory = c->caches->managed;
    c->caches->launched = true;
    pthread_mutex_unlock(&c->caches->lock);
    write_arriving(c);
    c->caches->launch = cache_launch_make(c->caches->session, &shape);
    c->caches->watched.count = 0;
    if (cache_session_watches(c->caches->session, shape.live_bytes)) mem_each(c->memory, watch, c->caches);
    return c->caches->launch;
}

/* Pinned memory of the host is not in DRAM: what goes there goes by the bus, and L2 keeps nothing of it. */
static void find_home(host_context *c, cache_site *site)
{
    mem_allocation a;
    if (!site->line || !mem_find(c->memory, site->line, &a)) return;
    if (a.kind != MEM_PINNED && a.kind != MEM_REGISTERED) return;
    site->on_host = true;
    site->l2_hits = site->l2_writes + site->l2_atomics;
    site->dram_read_bytes = 0;
    site->dram_write_bytes = 0;
    site->dram_openings = 0;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    host_context *c = session;
    const host_launch_facts *facts = launch->owner;
    note_changed(c);
    pthread_mutex_lock(&c->caches->lock);
    if (facts->result) cache_launch_ran(state, facts->result->inst_executed);
    cache_site *sites = cache_launch_replay(state);
    pthread_mutex_unlock(&c->caches->lock);
    for (uint32_t k = 0; k < launch->insn_count; k++) find_home(c, &sites[k]);
    c->caches->sites = sites;
}

host_error host_persisting_reset(host_context *c)
{
    host_error error = host_status(c);
    if (error || !c->caches) return error;
    host_queue_drain(c);
    pthread_mutex_lock(&c->caches->lock);
    cache_session_reset_persisting(c->caches->session);
    pthread_mutex_unlock(&c->caches->lock);
    return 0;
}

/* Copies and fills of device memory go through L2. */
static void on_host(void *session, const event_host *e)
{
    host_context *c = session;
    mem_allocation a;
    if (!mem_find(c->memory, e->address, &a) || a.kind == MEM_PINNED || a.kind == MEM_REGISTERED) return;
    pthread_mutex_lock(&c->caches->lock);
    if (e->kind == EVENT_HOST_COPY || e->kind == EVENT_HOST_FILL)
        cache_session_write(c->caches->session, e->address, e->bytes, e->rows, e->pitch);
    if (e->kind == EVENT_ALLOC) {
        c->caches->late |= c->caches->launched;
        c->caches->managed |= a.kind == MEM_MANAGED && a.bytes >= counts_from;
        if (a.kind == MEM_MANAGED) lw_vec_push(&c->caches->arriving, a.address);
    }
    pthread_mutex_unlock(&c->caches->lock);
}

const cache_site *host_caches_of_launch(const host_context *c) { return c->caches ? c->caches->sites : NULL; }

/* part of whole, of what was counted; 0 where the sample has nothing. */
static double share(double part, double whole, double counted) { return whole > 0 ? part / whole * counted : 0; }

static void set(counter_set *counters, counter_id id, double value)
{
    counters->present |= 1u << id;
    counters->value[id] = (uint64_t)(value + 0.5);
}

void host_caches_add(const cache_site *f, const model_site_result *site, counter_set *counters)
{
    bool cached = site->space == EVENT_GLOBAL || site->space == EVENT_LOCAL || site->space == EVENT_TEXTURE;
    if (!cached || !(counters->present >> COUNTER_SECTORS & 1)) return;
    double sectors = (double)counters->value[COUNTER_SECTORS] * (1 - f->polled);
    double hits = share(f->l1_hits, f->l1_sectors, sectors);
    double reads = share(f->l2_reads, f->sectors, sectors);
    /* What the sample of lines says of loads is put right by what whole multiprocessors say. */
    double missed = f->sectors - f->sampled_hits;
    if (f->l2_reads > 0 && missed > 0 && site->op == EVENT_LOAD) reads = f->l2_reads / missed * (sectors - hits);
    bool unseen = !f->sectors && site->op != EVENT_LOAD; /* the sample has none of its lines */
    double scale = f->l2_reads > 0 ? reads / f->l2_reads : share(1, f->sectors, sectors);
    set(counters, COUNTER_L1_SECTORS, sectors);
    set(counters, COUNTER_L1_HIT_SECTORS, hits);
    bool stores = site->op == EVENT_STORE;
    bool atomics = site->op == EVENT_ATOMIC || site->op == EVENT_REDUCTION;
    if (!f->sectors && !unseen) reads = sectors - hits;
    set(counters, COUNTER_L2_READ_SECTORS, reads);
    double left = f->unseen > 0 ? share(f->unseen_writes, f->unseen, sectors) : sectors;
    set(counters, COUNTER_L2_WRITE_SECTORS, unseen && stores ? left : f->l2_writes * scale);
    set(counters, COUNTER_L2_ATOMIC_SECTORS, unseen && atomics ? sectors : f->l2_atomics * scale);
    set(counters, COUNTER_L2_HIT_SECTORS, unseen ? (stores ? left : sectors) : f->l2_hits * scale);
    set(counters, COUNTER_DRAM_READ_BYTES, f->dram_read_bytes * scale);
    set(counters, COUNTER_DRAM_WRITE_BYTES, f->dram_write_bytes * scale);
}

/* DRAM is written to whatever runs: seen of kernels that wait for 100 ms and access nothing. */
void host_caches_add_idle(const device_profile *device, result_launch *launch)
{
    double bytes = launch->time.seconds * (double)device->dram_idle_write_kb * 1e3;
    launch->counters.present |= 1u << COUNTER_DRAM_WRITE_BYTES;
    launch->counters.value[COUNTER_DRAM_WRITE_BYTES] += (uint64_t)bytes;
}

/* What a call accesses by itself: the stack; printf a record of its lane, byte by byte and again and again; malloc and free a few
 * words of the heap. L1 has it, stores go on. */
void host_caches_add_call(const model_call_result *call, counter_set *counters)
{
    double sectors = (double)counters->value[COUNTER_SECTORS];
    bool stores = call->op == EVENT_STORE, atomics = call->op == EVENT_ATOMIC;
    set(counters, COUNTER_L1_SECTORS, sectors);
    set(counters, COUNTER_L1_HIT_SECTORS, atomics ? 0 : sectors);
    set(counters, COUNTER_L2_READ_SECTORS, 0);
    set(counters, COUNTER_L2_WRITE_SECTORS, stores ? sectors : 0);
    set(counters, COUNTER_L2_ATOMIC_SECTORS, atomics ? sectors : 0);
    set(counters, COUNTER_L2_HIT_SECTORS, stores || atomics ? sectors : 0);
    set(counters, COUNTER_DRAM_READ_BYTES, 0);
    set(counters, COUNTER_DRAM_WRITE_BYTES, 0);
}

cache_hot host_hot_of_launch(const host_context *c) { return cache_launch_hot(c->caches->launch); }

const event_client host_client_caches = {
    .name = "caches",
    .kinds = CACHE_KINDS | EVENT_BIT(EVENT_ALLOC) | EVENT_BIT(EVENT_HOST_COPY) | EVENT_BIT(EVENT_HOST_FILL),
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .host = on_host,
    .worker_begin = cache_worker_begin,
    .memory = cache_memory,
    .sync = cache_sync,
};
