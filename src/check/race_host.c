/* race_host.c: the host beside running operations. Its accesses are plain instructions of the host: to hear of them the pages
 * that an operation accessed are guarded until the host has waited for it (event_session.guard). A page is guarded only if
 * all of it was written (against reads and writes), or all of it was accessed (against writes): any access of the host is a
 * race then, whichever bytes it takes, and no program that waits is ever disturbed. */
#include "check/race_host.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_MOST = 16 };

void race_op_thread(const race_op *op, race_slot slot, uint32_t owner, uint32_t thread[3], uint32_t block[3])
{
    uint32_t t = RACE_FIELD(slot, WARP) * 32 + RACE_FIELD(slot, LANE), b = owner - 1;
    thread[0] = t % op->block[0];
    thread[1] = t / op->block[0] % op->block[1];
    thread[2] = t / op->block[0] / op->block[1];
    block[0] = b % op->grid[0];
    block[1] = b / op->grid[0] % op->grid[1];
    block[2] = b / op->grid[0] / op->grid[1];
}

/* ---------------------------------------------------------------- what is guarded */
/* What an operation did to all bytes of a part of an allocation. */
typedef enum cover { NOTHING, ACCESSED, WRITTEN } cover;

/* A write that the host may poll: it orders what comes before it. */
static bool may_signal(race_slot w)
{
    if (!race_op_writes(w)) return false;
    race_kind k = race_kind_of(w);
    return k == RACE_VOLATILE || k == RACE_STRONG_SYS || k == RACE_ATOMIC_SYS || k == RACE_CAS_SYS;
}

static cover cover_line(race_op *op, const shadow_line *l, uint32_t from, uint32_t to)
{
    cover all = WRITTEN;
    if (!race_line_used(l)) return NOTHING;
    uint32_t units = shadow_units(l), each = SHADOW_LINE / units;
    for (uint32_t u = from / each; u < (to + each - 1) / each; u++) {
        shadow_cell c = shadow_get(l, u);
        bool writes = race_op_writes(c.w);
        op->signals |= may_signal(c.w);
        cover here = writes ? WRITTEN : c.w || c.r ? ACCESSED : NOTHING;
        all = LW_MIN(all, here);
    }
    return all;
}

static cover cover_kernel(race_op *op, uint64_t from, uint64_t to)
{
    const shadow_page *page = shadow_known_page(&op->accesses->global, from >> SHADOW_PAGE_LOG2);
    if (!page) return NOTHING;
    cover all = WRITTEN;
    for (uint64_t at = from / SHADOW_LINE * SHADOW_LINE; at < to; at += SHADOW_LINE) {
        uint32_t first = (uint32_t)(LW_MAX(from, at) - at), end = (uint32_t)(LW_MIN(to, at + SHADOW_LINE) - at);
        cover here = cover_line(op, &page->lines[at / SHADOW_LINE % SHADOW_PAGE_LINES], first, end);
        all = LW_MIN(all, here);
    }
    return all;
}

static cover cover_range(const race_op *op, uint64_t from, uint64_t to)
{
    if (from < op->address || to > op->address + op->bytes) return NOTHING;
    return op->writes ? WRITTEN : ACCESSED;
}

static void add_guard(race_op *op, uint64_t address, uint64_t bytes, bool written)
{
    race_guard *last = op->guards.count ? &op->guards.items[op->guards.count - 1] : NULL;
    if (last && last->address + last->bytes == address && last->written == written) {
        last->bytes += bytes;
        return;
    }
    lw_vec_push(&op->guards, ((race_guard){address, bytes, written}));
}

static void guard_allocation(void *user, uint64_t address, uint64_t bytes)
{
    race_op *op = user;
    uint64_t end = address + bytes;
    for (uint64_t from = address, to; from < end; from = to) {
        to = LW_MIN(end, (from / EVENT_GUARD_PAGE + 1) * EVENT_GUARD_PAGE);
        cover c = op->accesses ? cover_kernel(op, from, to) : cover_range(op, from, to);
        if (c != NOTHING) add_guard(op, from, to - from, c == WRITTEN);
    }
}

void race_host_guards(race_op *op, const event_session *services)
{
    if (services->shared) services->shared(services->owner, guard_allocation, op);
}

void race_host_told(race_ops *ops, uint64_t number)
{
    for (size_t k = 0; k < ops->kept.count; k++) {
        race_op *op = &ops->kept.items[k];
        if (op->number == number || race_order_before(&ops->order, op->number, number)) op->told = true;
    }
}

static bool may_race(const race_ops *ops, const race_op *op)
{
    return op->number && !op->told && !race_order_host_knows(&ops->order, op->number);
}

void race_host_on(race_ops *ops)
{
    const event_session *s = ops->services;
    for (size_t k = 0; k < ops->kept.count; k++) {
        const race_op *op = &ops->kept.items[k];
        for (size_t n = 0; may_race(ops, op) && n < op->guards.count; n++)
            s->guard(s->owner, op->guards.items[n].address, op->guards.items[n].bytes, op->guards.items[n].written);
    }
}

/* ---------------------------------------------------------------- what is told */
static bool is_new(race_ops *ops, const race_told *t)
{
    for (size_t k = 0; k < ops->told.count; k++) {
        const race_told *o = &ops->told.items[k];
        if (o->kernel == t->kernel && o->insn == t->insn && o->writes == t->writes && o->pc == t->pc) return false;
    }
    if (ops->told.count == TOLD_MOST) return false;
    lw_vec_push(&ops->told, *t);
    return true;
}

static const race_guard *guard_at(const race_op *op, uint64_t address)
{
    for (size_t k = 0; k < op->guards.count; k++) {
        const race_guard *g = &op->guards.items[k];
        if (address - g->address < g->bytes) return g;
    }
    return NULL;
}

static shadow_cell cell_at(const race_op *op, uint64_t address)
{
    const shadow_page *page = shadow_known_page(&op->accesses->global, address >> SHADOW_PAGE_LOG2);
    if (!page) return (shadow_cell){0};
    const shadow_line *l = &page->lines[address / SHADOW_LINE % SHADOW_PAGE_LINES];
    return shadow_get(l, (uint32_t)(address % SHADOW_LINE) * shadow_units(l) / SHADOW_LINE);
}

/* The device's side: an access of a kernel, or an operation that is none. */
typedef struct device_side {
    event_place place;
    bool writes;
    uint32_t insn, thread[3], block[3];
} device_side;

static device_side side_of(const race_op *op, uint64_t address)
{
    device_side d = {.writes = op->writes, .insn = EVENT_NO_INSN};
    if (!op->accesses) return d;
    shadow_cell c = cell_at(op, address);
    d.writes = race_op_writes(c.w);
    race_slot slot = d.writes || !c.r ? c.w : c.r;
    d.insn = race_op_insn(slot);
    if (d.insn < op->place_count) d.place = op->places[d.insn];
    race_op_thread(op, slot, d.writes || !c.r ? c.w_owner : c.r_owner, d.thread, d.block);
    return d;
}

static void tell(race_ops *ops, const race_op *op, const device_side *d, const event_host *e)
{
    const event_session *s = ops->services;
    char memory[512] = "";
    if (s->describe) s->describe(s->owner, e->address, memory, sizeof memory);
    char *message = lw_printf("the host %s what %s %s, %s: it has not waited for it, and both may happen at once; "
                              "cudaDeviceSynchronize() before the access, or a wait for the stream or an event, "
                              "orders them",
                              e->writes ? "writes" : "reads", op->name, d->writes ? "writes" : "reads", memory);
    event_place host = {.file = e->file, .line = e->line};
    event_related other = {.message = e->writes ? "the host writes it here" : "the host reads it here",
                           .place = &host,
                           .role = EVENT_ROLE_HOST};
    bool has_place = op->accesses && d->insn != EVENT_NO_INSN;
    event_finding f = {.check = "racecheck",
                       .severity = "error",
                       .message = message,
                       .insn = EVENT_NO_INSN,
                       .place = has_place ? &d->place : &host,
                       .has_place = has_place,
                       .address = e->address,
                       .has_address = true,
                       .count = 1,
                       .related = &other,
                       .related_count = has_place && e->line ? 1 : 0};
    memcpy(f.thread, d->thread, sizeof f.thread);
    memcpy(f.block, d->block, sizeof f.block);
    s->finding(s->owner, &f);
    free(message);
}

void race_host_touch(race_ops *ops, const event_host *e)
{
    for (size_t k = 0; k < ops->kept.count; k++) {
        const race_op *op = &ops->kept.items[k];
        if (!may_race(ops, op) || !guard_at(op, e->address)) continue;
        device_side d = side_of(op, e->address);
        race_told t = {d.place.kernel, d.insn, d.writes, e->value};
        if ((d.writes || e->writes) && is_new(ops, &t)) tell(ops, op, &d, e);
    }
}
