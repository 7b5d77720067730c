/* guard.c: pages of managed and pinned memory that the host is not expected to access, because work that nobody has waited
 * for accessed them. They are made inaccessible while the host's code runs and nothing else does; the first access of the
 * host to each faults, is recorded, and goes on.
 *
 * A program that waits for what it uses never faults here: a page is guarded only if such work wrote its bytes but for
 * short gaps (or, against writes of the host, accessed them), and only while the engine is idle. Whether the byte that the
 * host accesses lies in a gap, and is no race, is for the client to say (check/race_host.c), and so is what the host is told
 * by other means (a word that a kernel writes for it, a host function). One that does not wait may see a system call fail
 * with EFAULT. */
#define _GNU_SOURCE
#include "host/guard_priv.h"

#include <execinfo.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "host/call_place.h"

enum { ACCESSES_MOST = 32, TRIES_MOST = 100000 };

typedef struct guard_range {
    uint64_t from, to; /* whole pages */
    bool reads;        /* guarded against reads as well */
} guard_range;

typedef struct guard_access {
    uint64_t address, pc;
    bool writes;
    int count;
    void *frames[HOST_CALL_FRAMES];
} guard_access;

struct host_guard {
    pthread_mutex_t arming;     /* taken before every other lock */
    LW_VEC(guard_range) asked;  /* under it: by the clients */
    atomic_flag busy;           /* a spin lock, which a signal handler takes, too: protects what follows */
    LW_VEC(guard_range) ranges; /* the last that were guarded */
    bool armed;
    uint32_t count;
    guard_access accesses[ACCESSES_MOST];
    atomic_bool given_up;
};

host_guard *host_guard_make(void)
{
    void *frame;
    host_guard *g = lw_alloc(sizeof *g);
    pthread_mutex_init(&g->arming, NULL);
    atomic_flag_clear(&g->busy);
    backtrace(&frame, 1); /* loads what it needs: a handler calls it later */
    return g;
}

void host_guard_forked(host_context *c)
{
    pthread_mutex_init(&c->guard->arming, NULL);
    atomic_flag_clear(&c->guard->busy);
}

/* false: another thread has it for long, or this one, which a signal has interrupted. */
static bool try_take(host_guard *g)
{
    for (int k = 0; k < TRIES_MOST; k++) {
        if (!atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) return true;
        sched_yield();
    }
    return false;
}

static void take(host_guard *g)
{
    while (!try_take(g)) continue;
}

static void let_go(host_guard *g) { atomic_flag_clear_explicit(&g->busy, memory_order_release); }

bool host_guard_wanted(host_context *c)
{
    return host_wants(c, EVENT_HOST_TOUCH) && c->memory && mem_shared_count(c->memory) &&
           !atomic_load(&c->guard->given_up);
}

void host_guard_give_up(host_context *c) { atomic_store(&c->guard->given_up, true); }

/* ---- what is guarded ---- */
static void protect(uint64_t from, uint64_t to, int access) { mprotect((void *)(uintptr_t)from, to - from, access); }

/* Taken. */
static void lift(host_guard *g)
{
    for (size_t k = 0; g->armed && k < g->ranges.count; k++)
        protect(g->ranges.items[k].from, g->ranges.items[k].to, PROT_READ | PROT_WRITE);
    g->armed = false;
}

void host_guard_lift(host_context *c)
{
    host_guard *g = c->guard;
    if (!host_wants(c, EVENT_HOST_TOUCH)) return;
    take(g);
    lift(g);
    let_go(g);
}

void host_guard_add(void *context, uint64_t address, uint64_t bytes, bool reads)
{
    host_context *c = context;
    mem_allocation a;
    bool inside = address - MEM_SHARED_WITH_HOST < MEM_WINDOW_BYTES && mem_find(c->memory, address, &a) &&
                  bytes <= a.address + a.bytes - address;
    if (!inside) return;
    guard_range r = {address / EVENT_GUARD_PAGE * EVENT_GUARD_PAGE, lw_round_up(address + bytes, EVENT_GUARD_PAGE),
                     reads};
    lw_vec_push(&c->guard->asked, r);
}

/* Taken. Pages that are guarded against both come last. */
static void guard_asked(host_guard *g)
{
    g->ranges.count = 0;
    for (size_t k = 0; k < g->asked.count; k++) {
        guard_range r = g->asked.items[k];
        lw_vec_push(&g->ranges, r);
        if (!r.reads) protect(r.from, r.to, PROT_READ);
    }
    for (size_t k = 0; k < g->ranges.count; k++)
        if (g->ranges.items[k].reads) protect(g->ranges.items[k].from, g->ranges.items[k].to, PROT_NONE);
    g->armed = g->ranges.count > 0;
}

void host_guard_arm(host_context *c, bool (*idle)(host_context *))
{
    host_guard *g = c->guard;
    if (!host_guard_wanted(c)) return;
    host_guard_tell(c);
    pthread_mutex_lock(&g->arming);
    g->asked.count = 0;
    host_emit_on(c);
    take(g);
    lift(g);
    if (idle(c)) guard_asked(g); /* who begins to run something lifts them, when this is done */
    let_go(g);
    pthread_mutex_unlock(&g->arming);
}

typedef struct visitor {
    void (*visit)(void *user, uint64_t address, uint64_t bytes);
    void *user;
} visitor;

static void visit_shared(void *user, const mem_allocation *a)
{
    const visitor *v = user;
    if (a->kind == MEM_MANAGED || a->kind == MEM_PINNED) v->visit(v->user, a->address, a->bytes);
}

void host_guard_shared(void *context, void (*visit)(void *user, uint64_t address, uint64_t bytes), void *user)
{
    host_context *c = context;
    visitor v = {visit, user};
    if (host_guard_wanted(c)) mem_each(c->memory, visit_shared, &v);
}

/* ---- what the host accesses ---- */
/* The frames from the instruction on. As return addresses, they lie behind what they mean. */
static void take_frames(guard_access *a)
{
    int from = 0;
    a->count = backtrace(a->frames, HOST_CALL_FRAMES);
    while (from < a->count && (uint64_t)(uintptr_t)a->frames[from] != a->pc) from++;
    if (from == a->count) from = 0;
    a->count -= from;
    memmove(a->frames, a->frames + from, (size_t)a->count * sizeof *a->frames);
    if (a->count) a->frames[0] = (char *)a->frames[0] + 1;
}

bool host_guard_fault(host_context *c, uint64_t address, bool writes, uint64_t pc)
{
    host_guard *g = c->guard;
    if (address - MEM_SHARED_WITH_HOST >= MEM_WINDOW_BYTES || !g) return false;
    guard_access access = {.address = address, .pc = pc, .writes = writes};
    take_frames(&access);
    if (!try_take(g)) return false;
    bool ours = false;
    for (size_t k = 0; k < g->ranges.count && !ours; k++)
        ours = address >= g->ranges.items[k].from && address < g->ranges.items[k].to;
    uint64_t page = address / EVENT_GUARD_PAGE * EVENT_GUARD_PAGE;
    if (ours) protect(page, page + EVENT_GUARD_PAGE, PROT_READ | PROT_WRITE);
    if (ours && g->armed && g->count < ACCESSES_MOST) g->accesses[g->count++] = access;
    if (g->count == ACCESSES_MOST) lift(g);
    let_go(g);
    return ours;
}

static void tell(host_context *c, const guard_access *a)
{
    host_call_place place;
    bool known = a->count && host_call_place_of(a->frames, a->count, &place) && place.line.line;
    host_emit_touch(c, a->address, a->writes, a->pc, known ? place.line.file : NULL, known ? place.line.line : 0);
}

void host_guard_tell(host_context *c)
{
    host_guard *g = c->guard;
    guard_access told[ACCESSES_MOST];
    if (!host_wants(c, EVENT_HOST_TOUCH)) return;
    take(g);
    uint32_t count = g->count;
    memcpy(told, g->accesses, count * sizeof *told);
    g->count = 0;
    let_go(g);
    for (uint32_t k = 0; k < count; k++) tell(c, &told[k]);
}

void host_guard_wait(host_context *c, const host_place *at, bool all)
{
    host_guard_tell(c);
    host_guard_lift(c);
    host_emit_wait(c, at, all);
}
