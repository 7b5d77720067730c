/* race_host.c: the host beside running operations. Its accesses are plain instructions of the host: to hear of them the pages
 * that an operation accessed are guarded until the host has waited for it (event_session.guard), against reads and writes
 * if it wrote there, else against writes. What the host accesses of them beside it is no race: where the operation left
 * more alone than short gaps, so that a part of a buffer may begin there that the program fills meanwhile, the guard is a
 * sparse one, which is given up before it can disturb. */
#include "check/race_host.h"

#include <stdlib.h>
#include <string.h>

/* GAP_MOST: of a guarded page the operation left no longer run of bytes alone. */
enum { TOLD_MOST = 16, GAP_MOST = 16 };

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
/* Of a part of an allocation, the bytes that an operation left alone: those before the first one that it did not, the
 * longest run, those behind the last. */
typedef struct gaps {
    uint64_t first, most, last;
} gaps;

/* A page's part of an allocation. */
typedef struct part {
    uint64_t from, to;
    gaps unwritten, unaccessed;
    bool used, wrote; /* some byte was accessed, written */
} part;

/* Made to meet accesses of the host. */
static bool is_for_host(race_slot slot)
{
    race_kind k = race_kind_of(slot);
    return k == RACE_VOLATILE || k == RACE_STRONG_SYS || k == RACE_ATOMIC_SYS || k == RACE_CAS_SYS;
}

/* A write that the host may poll: it orders what comes before it. */
static bool may_signal(race_slot w) { return race_op_writes(w) && is_for_host(w); }

/* The next bytes of a part, of which so many were looked at: were they left alone? last is the run that they end. */
static void gaps_add(gaps *g, uint64_t looked_at, uint64_t bytes, bool alone)
{
    if (!alone) {
        g->last = 0;
        return;
    }
    if (g->last == looked_at) g->first += bytes;
    g->last += bytes;
    g->most = LW_MAX(g->most, g->last);
}

static void part_add(part *p, uint64_t looked_at, uint64_t bytes, bool accessed, bool written)
{
    gaps_add(&p->unaccessed, looked_at, bytes, !accessed);
    gaps_add(&p->unwritten, looked_at, bytes, !written);
    p->used |= accessed;
    p->wrote |= written;
}

static void look_at_line(race_op *op, const shadow_line *l, uint64_t line, part *p)
{
    uint64_t from = LW_MAX(p->from, line), to = LW_MIN(p->to, line + SHADOW_LINE);
    if (!race_line_used(l)) {
        part_add(p, from - p->from, to - from, false, false);
        return;
    }
    uint32_t units = shadow_units(l), each = SHADOW_LINE / units;
    for (uint64_t at = from, next; at < to; at = next) {
        next = LW_MIN(to, (at / each + 1) * each);
        shadow_cell c = shadow_get(l, (uint32_t)(at - line) / each);
        op->signals |= may_signal(c.w);
        part_add(p, at - p->from, next - at, c.w || c.r, race_op_writes(c.w));
    }
}

static void look_at_kernel(race_op *op, part *p)
{
    const shadow_page *page = shadow_known_page(&op->accesses->global, p->from >> SHADOW_PAGE_LOG2);
    if (!page) {
        part_add(p, 0, p->to - p->from, false, false);
        return;
    }
    for (uint64_t at = p->from / SHADOW_LINE * SHADOW_LINE; at < p->to; at += SHADOW_LINE)
        look_at_line(op, &page->lines[at / SHADOW_LINE % SHADOW_PAGE_LINES], at, p);
}

static void look_at_range(const race_op *op, part *p)
{
    uint64_t low = LW_MIN(LW_MAX(op->address, p->from), p->to);
    uint64_t high = LW_MAX(low, LW_MIN(op->address + op->bytes, p->to));
    if (low > p->from) part_add(p, 0, low - p->from, false, false);
    if (high > low) part_add(p, low - p->from, high - low, true, op->writes);
    if (p->to > high) part_add(p, high - p->from, p->to - high, false, false);
}

/* A page may have two guards. */
static void add_guard(race_op *op, race_guard g)
{
    for (size_t k = op->guards.count; k > 0 && k + 2 > op->guards.count; k--) {
        race_guard *last = &op->guards.items[k - 1];
        if (last->address + last->bytes != g.address || last->written != g.written || last->sparse != g.sparse)
            continue;
        last->bytes += g.bytes;
        return;
    }
    lw_vec_push(&op->guards, g);
}

/* Is every run short, with what it joins in the parts beside it? */
static bool is_dense(const gaps *g, uint64_t before, uint64_t behind)
{
    return LW_MAX(g->most, LW_MAX(g->first + before, g->last + behind)) <= GAP_MOST;
}

/* The part lies between two others. */
static void guard_part(race_op *op, const part *before, const part *p, const part *behind)
{
    if (!p->used) return;
    bool written = is_dense(&p->unwritten, before->unwritten.last, behind->unwritten.first);
    bool accessed = is_dense(&p->unaccessed, before->unaccessed.last, behind->unaccessed.first);
    bool sparse = !written && (p->wrote || !accessed);
    if (written || accessed) add_guard(op, (race_guard){p->from, p->to - p->from, written, false});
    if (sparse) add_guard(op, (race_guard){p->from, p->to - p->from, p->wrote, true});
}

static void guard_allocation(void *user, uint64_t address, uint64_t bytes)
{
    race_op *op = user;
    uint64_t end = address + bytes;
    part before = {0}, here = {0};
    for (uint64_t from = address, to; from < end; from = to) {
        to = LW_MIN(end, (from / EVENT_GUARD_PAGE + 1) * EVENT_GUARD_PAGE);
        part next = {.from = from, .to = to};
        if (op->accesses) look_at_kernel(op, &next);
        else look_at_range(op, &next);
        guard_part(op, &before, &here, &next);
        before = here;
        here = next;
    }
    guard_part(op, &before, &here, &(part){0});
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
        for (size_t n = 0; may_race(ops, op) && n < op->guards.count; n++) {
            const race_guard *g = &op->guards.items[n];
            s->guard(s->owner, g->address, g->bytes, g->written, g->sparse);
        }
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

static bool accesses(const race_op *op, uint64_t address)
{
    if (!op->accesses) return address - op->address < op->bytes;
    shadow_cell c = cell_at(op, address);
    return c.w || c.r;
}

/* The device's side: an access of a kernel, or an operation that is none. */
typedef struct device_side {
    event_place place;
    bool writes, for_host;
    uint32_t insn, thread[3], block[3];
} device_side;

static device_side side_of(const race_op *op, uint64_t address)
{
    device_side d = {.writes = op->writes, .insn = EVENT_NO_INSN};
    if (!op->accesses) return d;
    shadow_cell c = cell_at(op, address);
    d.writes = race_op_writes(c.w);
    race_slot slot = d.writes || !c.r ? c.w : c.r;
    d.for_host = is_for_host(slot);
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
    event_place host = {.file = e->file, .line = e->line}, asked = {0};
    event_related other = {.message = e->writes ? "the host writes it here" : "the host reads it here",
                           .place = &host,
                           .role = EVENT_ROLE_HOST};
    bool has_place = op->accesses && d->insn != EVENT_NO_INSN;
    if (op->origin && s->asked) s->asked(s->owner, op->origin, &asked);
    if (asked.line)
        other = (event_related){.message = "it is asked for here", .place = &asked, .role = EVENT_ROLE_HOST};
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
                       .related_count = (has_place && e->line) || asked.line ? 1 : 0};
    memcpy(f.thread, d->thread, sizeof f.thread);
    memcpy(f.block, d->block, sizeof f.block);
    s->finding(s->owner, &f);
    free(message);
}

void race_host_touch(race_ops *ops, const event_host *e)
{
    for (size_t k = 0; k < ops->kept.count; k++) {
        const race_op *op = &ops->kept.items[k];
        if (!may_race(ops, op) || !guard_at(op, e->address) || !accesses(op, e->address)) continue;
        device_side d = side_of(op, e->address);
        race_told t = {d.place.kernel, d.insn, d.writes, e->value};
        if ((d.writes || e->writes) && !d.for_host && is_new(ops, &t)) tell(ops, op, &d, e);
    }
}
