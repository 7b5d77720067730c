/* guard.c: pages of managed and pinned memory that the host is not expected to access, because work that nobody has waited
 * for accessed them. They are made inaccessible while the host's code runs and nothing else does; the first access of the
 * host to each faults, is recorded, and goes on.
 *
 * A program that waits for what it uses never faults here: a page is guarded only if such work wrote to it (or, against writes of
 * the host, accessed it), and only while the engine is idle, or rests before a function of the host. Whether the byte that the
 * host accesses was accessed, and is a race, is for the client to say (check/race_host.c), and so is what the host is told by
 * other means (a word that a kernel writes for it, a function of the host). Until then its page is guarded again behind the access,
 * some times.
 *
 * The system's own accesses do not fault but fail. So calls of the system are looked at before they run (syscalls.c), some of them: one
 * that gets memory of an allocation that is guarded, or of which that is not known, ends all guards, and what it accesses is
 * recorded as the host's. Only calls of the first thread can be seen. Where the program has others, pages of which the work left
 * a part alone, which may well be handed to one (`sparse`), are not guarded; of the others a call of such a thread fails with
 * EFAULT if the program has not waited. */
#define _GNU_SOURCE
#include "host/guard_priv.h"

#include <execinfo.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "host/call_place.h"
#include "host/syscalls_priv.h"
#include "host/unwaited_priv.h"

enum {
    ACCESSES_MOST = 32,
    TRIES_MOST = 100000,
    SPARSE_MOST = 64,
    STEPS_MOST = 64,
    REPEATS_MOST = 4,
    CALLS_MOST = 64,
    HELPERS = 1 /* the engine; others end with a launch */
};

typedef struct guard_range {
    uint64_t from, to;   /* whole pages */
    bool reads;          /* guarded against reads as well */
    bool sparse;         /* the program may use the rest of the pages: only while its system calls are seen */
    uint64_t first, end; /* its allocation */
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
    uint32_t asked_sparse;      /* of these */
    atomic_flag busy;           /* a spin lock, which a signal handler takes, too: protects what follows */
    LW_VEC(guard_range) ranges; /* the last that were guarded */
    bool armed;
    bool sparse;             /* sparse ranges are guarded, but for the page of the instruction that is stepped over */
    bool seen;               /* calls of the system are */
    bool kept;               /* the page that is stepped over is guarded again */
    uint64_t stepped;        /* the last page that was stepped over; 0: none */
    uint32_t steps, repeats; /* since it was armed; of these with that page in a row */
    uint32_t calls;          /* of the system, since it was armed */
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
    host_syscalls_forked();
}

static void protect(uint64_t from, uint64_t to, int access) { mprotect((void *)(uintptr_t)from, to - from, access); }

/* false: another thread has it for long, or this one, which a signal has interrupted. */
static bool try_take(host_guard *g)
{
    for (int k = 0; k < TRIES_MOST; k++) {
        if (!atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) return true;
        sched_yield();
    }
    return false;
}

/* Taken. */
static void lift_sparse(host_guard *g)
{
    for (size_t k = 0; g->sparse && k < g->ranges.count; k++)
        if (g->ranges.items[k].sparse) protect(g->ranges.items[k].from, g->ranges.items[k].to, PROT_READ | PROT_WRITE);
    g->sparse = false;
}

static void take(host_guard *g)
{
    host_syscalls_pass(); /* its handler takes it, too */
    while (!try_take(g)) continue;
    lift_sparse(g);
}

static void let_go(host_guard *g) { atomic_flag_clear_explicit(&g->busy, memory_order_release); }

bool host_guard_wanted(host_context *c)
{
    return host_wants(c, EVENT_HOST_TOUCH) && c->memory && mem_shared_count(c->memory) &&
           !atomic_load(&c->guard->given_up);
}

void host_guard_give_up(host_context *c) { atomic_store(&c->guard->given_up, true); }

/* ---- what is guarded ---- */
/* Taken. */
static void lift(host_guard *g)
{
    for (size_t k = 0; g->armed && k < g->ranges.count; k++)
        protect(g->ranges.items[k].from, g->ranges.items[k].to, PROT_READ | PROT_WRITE);
    g->armed = g->sparse = false;
}

void host_guard_lift(host_context *c)
{
    host_guard *g = c->guard;
    if (!host_wants(c, EVENT_HOST_TOUCH)) return;
    take(g);
    lift(g);
    let_go(g);
}

static bool is_shared(const mem_allocation *a)
{
    return a->kind == MEM_MANAGED || a->kind == MEM_PINNED || a->kind == MEM_REGISTERED;
}

void host_guard_add(void *context, uint64_t address, uint64_t bytes, bool reads, bool sparse)
{
    host_context *c = context;
    mem_allocation a;
    bool inside = mem_find(c->memory, address, &a) && is_shared(&a) && bytes <= a.address + a.bytes - address;
    if (!inside || (sparse && c->guard->asked_sparse == SPARSE_MOST)) return;
    guard_range r = {address / EVENT_GUARD_PAGE * EVENT_GUARD_PAGE,
                     lw_round_up(address + bytes, EVENT_GUARD_PAGE),
                     reads,
                     sparse,
                     a.address,
                     a.address + a.bytes};
    c->guard->asked_sparse += sparse;
    lw_vec_push(&c->guard->asked, r);
}

/* Taken. */
static void guard_those(host_guard *g, bool sparse, bool reads)
{
    for (size_t k = 0; k < g->ranges.count; k++) {
        const guard_range *r = &g->ranges.items[k];
        if (r->sparse == sparse && r->reads == reads) protect(r->from, r->to, reads ? PROT_NONE : PROT_READ);
    }
}

/* Taken. Pages that are guarded against both come last. */
static void guard_asked(host_guard *g)
{
    g->ranges.count = 0;
    for (size_t k = 0; k < g->asked.count; k++) lw_vec_push(&g->ranges, g->asked.items[k]);
    guard_those(g, false, false);
    guard_those(g, false, true);
    g->armed = g->ranges.count > 0;
    g->steps = g->calls = 0;
    g->stepped = 0;
}

/* Taken. */
static void guard_sparse(host_guard *g)
{
    if (!g->asked_sparse) return;
    guard_those(g, true, false);
    guard_those(g, true, true);
    g->sparse = true;
}

typedef struct visitor {
    void (*visit)(void *user, uint64_t address, uint64_t bytes);
    void *user;
} visitor;

static void visit_shared(void *user, const mem_allocation *a)
{
    const visitor *v = user;
    if (a->kind == MEM_MANAGED || a->kind == MEM_PINNED) v->visit(v->user, a->address, a->bytes);
    if (a->kind != MEM_REGISTERED) return;
    uint64_t from = lw_round_up(a->address, EVENT_GUARD_PAGE);
    uint64_t to = (a->address + a->bytes) / EVENT_GUARD_PAGE * EVENT_GUARD_PAGE;
    if (from < to) v->visit(v->user, from, to - from); /* other pages hold other memory of the program, too */
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

static bool holds(const guard_range *r, uint64_t page) { return page >= r->from && page < r->to; }

/* The access has been made: its page is guarded again. Are calls of the system to be watched again? */
static bool after_access(void *guard)
{
    host_guard *g = guard;
    if (!try_take(g)) return false;
    bool known = false, reads = false;
    for (size_t k = 0; g->armed && k < g->ranges.count; k++) {
        const guard_range *r = &g->ranges.items[k];
        if (!holds(r, g->stepped) || (r->sparse && !g->sparse)) continue;
        known = true;
        reads |= r->reads;
    }
    if (known && g->kept) protect(g->stepped, g->stepped + EVENT_GUARD_PAGE, reads ? PROT_NONE : PROT_READ);
    bool again = g->armed && g->seen;
    let_go(g);
    return again;
}

/* Taken. The first accesses to a page may be to what the work left alone: some more are looked at. Then it is given up, but not
 * the others. */
static bool steps_over(host_guard *g, uint64_t page, void *context)
{
    g->repeats = page == g->stepped ? g->repeats + 1 : 0;
    g->stepped = page;
    g->kept = g->repeats < REPEATS_MOST;
    return g->armed && g->steps++ < STEPS_MOST && host_syscalls_step(context, after_access, g);
}

bool host_guard_fault(host_context *c, uint64_t address, bool writes, uint64_t pc, void *context)
{
    host_guard *g = c->guard;
    if (!g) return false;
    host_syscalls_pass();
    guard_access access = {.address = address, .pc = pc, .writes = writes};
    take_frames(&access);
    if (!try_take(g)) return false;
    bool ours = false;
    uint64_t page = address / EVENT_GUARD_PAGE * EVENT_GUARD_PAGE;
    for (size_t k = 0; k < g->ranges.count && !ours; k++) ours = holds(&g->ranges.items[k], page);
    if (ours) protect(page, page + EVENT_GUARD_PAGE, PROT_READ | PROT_WRITE);
    if (!ours || !steps_over(g, page, context)) lift_sparse(g); /* the handler's end is a system call */
    if (ours && g->armed && g->count < ACCESSES_MOST) g->accesses[g->count++] = access;
    if (g->count == ACCESSES_MOST) lift(g);
    let_go(g);
    return ours;
}

/* ---- calls of the system, by the program's first thread: in a signal's handler ---- */
/* Taken. */
static void note_call(host_guard *g, const host_syscall *call, uint64_t address)
{
    guard_access access = {.address = address, .pc = call->pc, .writes = host_syscall_writes(call)};
    take_frames(&access);
    if (g->count < ACCESSES_MOST) g->accesses[g->count++] = access;
}

/* Taken. The first guarded byte of the allocation from an address in it on; UINT64_MAX: none. */
static uint64_t next_guarded(const host_guard *g, uint64_t at)
{
    uint64_t next = UINT64_MAX;
    for (size_t k = 0; k < g->ranges.count; k++) {
        const guard_range *r = &g->ranges.items[k];
        if (at >= r->first && at < r->end && at < r->to) next = LW_MIN(next, LW_MAX(at, r->from));
    }
    return next;
}

/* Taken. Does an argument lie before or in guarded memory of one allocation? What is accessed is recorded: a length follows. */
static bool reaches(host_guard *g, const host_syscall *call)
{
    bool any = false;
    for (int n = 0; n < HOST_SYSCALL_ARGUMENTS; n++) {
        uint64_t at = call->arguments[n], next = next_guarded(g, at);
        uint64_t bytes = n + 1 < HOST_SYSCALL_ARGUMENTS ? call->arguments[n + 1] : 0;
        any |= next != UINT64_MAX;
        if (next != UINT64_MAX && (next == at || next - at < bytes)) note_call(g, call, next);
    }
    return any;
}

/* call: NULL: calls cannot be seen any more. */
static bool before_call(void *guard, const host_syscall *call)
{
    host_guard *g = guard;
    while (!try_take(g)) continue;
    bool stays = g->armed && call && g->calls++ < CALLS_MOST && host_syscall_is_plain(call) && !reaches(g, call);
    if (!stays) lift(g);
    let_go(g);
    return stays;
}

static bool after_call(void *guard)
{
    host_guard *g = guard;
    if (!try_take(g)) return false;
    bool armed = g->armed;
    let_go(g);
    return armed;
}

/* ---- when ---- */
void host_guard_arm(host_context *c, bool (*idle)(host_context *))
{
    host_guard *g = c->guard;
    if (!host_guard_wanted(c)) return;
    host_guard_tell(c);
    pthread_mutex_lock(&g->arming);
    g->asked.count = g->asked_sparse = 0;
    host_emit_on(c);
    take(g);
    lift(g);
    if (idle(c)) guard_asked(g); /* who begins to run something lifts them, when this is done */
    bool all = false, seen = g->seen = g->armed && host_syscalls_ready(HELPERS, &all);
    if (all) guard_sparse(g);
    let_go(g);
    pthread_mutex_unlock(&g->arming);
    if (seen) host_syscalls_watch(before_call, after_call, g);
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
    host_unwaited_wait(c);
    host_guard_tell(c);
    host_guard_lift(c);
    host_emit_wait(c, at, all);
}
