/* race_ops.c: compares what two operations accessed that nothing orders. */
#include "check/race_ops.h"

#include "check/race_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 32, FINDINGS_MOST = 8 };
#define KEPT_BYTES_MOST (UINT64_C(512) << 20)

/* ---------------------------------------------------------------- what is kept */
static void op_free(race_op *op)
{
    free(op->name);
    free(op->places);
    lw_vec_free(&op->guards);
    if (op->accesses) race_worker_free(op->accesses);
}

static void drop_oldest(race_ops *ops)
{
    op_free(&ops->kept.items[0]);
    ops->kept.count--;
    memmove(ops->kept.items, ops->kept.items + 1, ops->kept.count * sizeof *ops->kept.items);
}

/* Only so many are kept, and only so much memory: races with older ones are missed. */
static void drop_old(race_ops *ops)
{
    uint64_t bytes = 0;
    for (size_t k = 0; k < ops->kept.count; k++)
        bytes += ops->kept.items[k].accesses ? ops->kept.items[k].accesses->global.bytes : 0;
    while (ops->kept.count > KEPT_MOST || (ops->kept.count > 1 && bytes > KEPT_BYTES_MOST)) {
        const race_op *first = &ops->kept.items[0];
        bytes -= first->accesses ? first->accesses->global.bytes : 0;
        drop_oldest(ops);
    }
}

/* A later operation may have to name its lines when the kernel has gone. */
static void keep_places(race_ops *ops, race_op *op, const event_launch *launch)
{
    const event_session *s = ops->services;
    if (!s->locate) return;
    op->place_count = launch->insn_count;
    op->places = lw_alloc((op->place_count + 1) * sizeof *op->places);
    for (uint32_t k = 0; k < op->place_count; k++) s->locate(s->owner, launch, k, &op->places[k]);
}

/* launch: NULL of what is no kernel */
static void keep(race_ops *ops, race_op op, const event_launch *launch)
{
    race_host_guards(&op, ops->services);
    if (!ops->order.streams && !op.guards.count) {
        op_free(&op);
        return;
    }
    if (launch) keep_places(ops, &op, launch);
    lw_vec_push(&ops->kept, op);
    if (op.signals) race_host_told(ops, op.number);
    drop_old(ops);
}

/* With one stream alone nothing but the host can race with an operation. */
static void drop_known(race_ops *ops)
{
    size_t kept = 0;
    for (size_t k = 0; k < ops->kept.count; k++) {
        race_op *op = &ops->kept.items[k];
        if (race_order_host_knows(&ops->order, op->number)) op_free(op);
        else ops->kept.items[kept++] = *op;
    }
    ops->kept.count = kept;
}

void race_ops_free(race_ops *ops)
{
    while (ops->kept.count) drop_oldest(ops);
    lw_vec_free(&ops->kept);
    lw_vec_free(&ops->told);
    race_order_free(&ops->order);
}

/* ---------------------------------------------------------------- two operations */
typedef struct meeting {
    race_ops *ops;
    const event_launch *launch; /* of the later one; NULL: it is no kernel */
    const race_op *one, *two;   /* the earlier and the later one */
    LW_VEC(uint64_t) told;      /* pairs of sites */
} meeting;

static bool is_new(meeting *m, uint64_t pair)
{
    for (size_t k = 0; k < m->told.count; k++)
        if (m->told.items[k] == pair) return false;
    lw_vec_push(&m->told, pair);
    return m->told.count <= FINDINGS_MOST;
}

/* Where the program asked for a copy, fill or free. false: not known. */
static bool asked_at(const race_ops *ops, const race_op *op, event_place *out)
{
    *out = (event_place){0};
    if (op->origin && ops->services->asked) ops->services->asked(ops->services->owner, op->origin, out);
    return out->line != 0;
}

/* The earlier kernel's access. */
static event_related earlier_side(const race_op *op, race_slot slot, uint32_t owner, bool writes)
{
    event_related r = {.message = writes ? "the earlier kernel writes it here" : "the earlier kernel reads it here"};
    uint32_t insn = race_op_insn(slot);
    if (insn < op->place_count) r.place = &op->places[insn];
    race_op_thread(op, slot, owner, r.thread, r.block);
    return r;
}

/* An access of one of two operations; slot: 0 of a copy or fill. */
typedef struct side {
    race_slot slot;
    uint32_t owner;
    bool writes;
} side;

static void found(meeting *m, uint64_t address, side first, side second)
{
    race_slot one = first.slot, two = second.slot;
    if (race_is_strong(race_kind_of(one)) && race_is_strong(race_kind_of(two)) && one && two) return;
    uint64_t pair = (uint64_t)RACE_FIELD(one, SITE) << 32 | RACE_FIELD(two, SITE) << 2 | first.writes << 1 |
                    (uint64_t)second.writes;
    if (!is_new(m, pair)) return;
    char memory[512] = "";
    const event_session *s = m->ops->services;
    if (s->describe) s->describe(s->owner, address, memory, sizeof memory);
    const char *verb = m->two->frees ? "frees" : second.writes ? "writes" : "reads";
    char *message = lw_printf("%s %s what %s %s, %s: nothing orders the two operations, which may run together; an "
                              "event between their streams, or one stream for both, orders them",
                              m->two->name, verb, m->one->name, first.writes ? "writes" : "reads", memory);
    event_finding f = {.check = "racecheck",
                       .severity = "error",
                       .message = message,
                       .insn = EVENT_NO_INSN,
                       .address = address,
                       .has_address = true,
                       .count = 1};
    event_place here, before;
    event_related other = {
        .message = "the earlier operation is asked for here", .place = &before, .role = EVENT_ROLE_HOST};
    bool known = one && m->one->places;
    if (known) other = earlier_side(m->one, one, first.owner, first.writes);
    if (known || asked_at(m->ops, m->one, &before)) {
        f.related = &other;
        f.related_count = 1;
    }
    if (asked_at(m->ops, m->two, &here)) f.place = &here;
    if (m->launch && two) {
        f.launch = m->launch;
        f.bytes = 1u << RACE_FIELD(two, WIDTH);
        f.insn = race_op_insn(two);
        f.has_place = true;
        race_op_thread(m->two, two, second.owner, f.thread, f.block);
    }
    s->finding(s->owner, &f);
    free(message);
}

static void compare_cells(meeting *m, uint64_t address, const shadow_cell *x, const shadow_cell *y)
{
    bool x_writes = race_op_writes(x->w), y_writes = race_op_writes(y->w);
    side x_write = {x->w, x->w_owner, true}, y_write = {y->w, y->w_owner, true};
    side x_read = {x->r, x->r_owner, false}, y_read = {y->r, y->r_owner, false};
    if (x_writes && y_writes) found(m, address, x_write, y_write);
    if (x_writes && y->r) found(m, address, x_write, y_read);
    if (x->r && y_writes) found(m, address, x_read, y_write);
}

static bool may_write(const shadow_line *l) { return l->split & SHADOW_SPLIT_W || race_op_writes(l->w); }

static void compare_lines(meeting *m, uint64_t address, shadow_line *x, shadow_line *y)
{
    if (!race_line_used(x) || !race_line_used(y) || (!may_write(x) && !may_write(y))) return;
    if ((x->split | y->split) & SHADOW_BYTES) {
        shadow_split(&m->one->accesses->global, x, 0, true);
        shadow_split(&m->two->accesses->global, y, 0, true);
    }
    uint32_t units = shadow_units(x);
    for (uint32_t u = 0; u < units; u++) {
        shadow_cell a = shadow_get(x, u), b = shadow_get(y, u);
        compare_cells(m, address + u * (SHADOW_LINE / units), &a, &b);
    }
}

static void compare_kernels(meeting *m)
{
    const shadow_memory *two = &m->two->accesses->global;
    shadow_memory *one = &m->one->accesses->global;
    for (size_t k = 0; k < two->capacity; k++) {
        shadow_page *page = two->slots[k];
        shadow_page *other = page ? shadow_known_page(one, page->number) : NULL;
        if (!other) continue;
        for (uint32_t n = 0; n < SHADOW_PAGE_LINES; n++)
            compare_lines(m, (page->number << SHADOW_PAGE_LOG2) + (uint64_t)n * SHADOW_LINE, &other->lines[n],
                          &page->lines[n]);
    }
}

/* A kernel's accesses to a range that the other operation reads or writes. */
static void compare_range(meeting *m, const race_op *kernel, const race_op *range)
{
    uint64_t end = range->address + range->bytes;
    bool kernel_first = kernel == m->one;
    for (uint64_t at = range->address; at < end;) {
        shadow_page *page = shadow_known_page(&kernel->accesses->global, at >> SHADOW_PAGE_LOG2);
        uint64_t next =
            page ? (at / SHADOW_LINE + 1) * SHADOW_LINE : ((at >> SHADOW_PAGE_LOG2) + 1) << SHADOW_PAGE_LOG2;
        if (!page) {
            at = next;
            continue;
        }
        const shadow_line *l = &page->lines[at / SHADOW_LINE % SHADOW_PAGE_LINES];
        uint32_t units = shadow_units(l), each = SHADOW_LINE / units;
        for (; race_line_used(l) && at < LW_MIN(next, end); at += each) {
            shadow_cell c = shadow_get(l, (uint32_t)(at % SHADOW_LINE) / each);
            bool writes = race_op_writes(c.w);
            if (!writes && !(c.r && range->writes)) continue;
            side mine = {writes ? c.w : c.r, writes ? c.w_owner : c.r_owner, writes};
            side other = {0, 0, range->writes};
            found(m, at, kernel_first ? mine : other, kernel_first ? other : mine);
        }
        at = next;
    }
}

static void compare_ranges(meeting *m)
{
    const race_op *x = m->one, *y = m->two;
    uint64_t low = LW_MAX(x->address, y->address), high = LW_MIN(x->address + x->bytes, y->address + y->bytes);
    if (low < high && (x->writes || y->writes)) found(m, low, (side){.writes = x->writes}, (side){.writes = y->writes});
}

static void compare(race_ops *ops, const event_launch *launch, const race_op *one, const race_op *two)
{
    meeting m = {.ops = ops, .launch = launch, .one = one, .two = two};
    if (one->accesses && two->accesses) compare_kernels(&m);
    else if (one->accesses) compare_range(&m, one, two);
    else if (two->accesses) compare_range(&m, two, one);
    else compare_ranges(&m);
    lw_vec_free(&m.told);
}

static void meet(race_ops *ops, const event_launch *launch, const race_op *op)
{
    for (size_t k = 0; k < ops->kept.count; k++) {
        const race_op *earlier = &ops->kept.items[k];
        if (earlier->number == op->number || race_order_before(&ops->order, earlier->number, op->number)) continue;
        compare(ops, launch, earlier, op);
    }
}

/* ---------------------------------------------------------------- operations */
void race_ops_kernel(race_ops *ops, const event_launch *launch, race_worker *accesses)
{
    if (!accesses) return;
    accesses->launch = NULL; /* it ends before its accesses are forgotten */
    race_op op = {.number = launch->operation, .accesses = accesses};
    op.name = lw_printf("kernel %s", launch->kernel ? launch->kernel : "");
    memcpy(op.grid, launch->grid, sizeof op.grid);
    memcpy(op.block, launch->block, sizeof op.block);
    if (op.number) meet(ops, launch, &op);
    if (op.number) keep(ops, op, launch);
    else op_free(&op);
}

static void range(race_ops *ops, const event_host *e, uint64_t address, uint64_t pitch, bool writes)
{
    uint64_t bytes = e->rows > 1 ? (e->rows - 1) * pitch + e->bytes : e->bytes;
    bool has_gaps = e->rows > 1 && pitch != e->bytes;
    if (!e->number || !bytes || has_gaps) return;
    race_op op = {.number = e->number, .address = address, .bytes = bytes, .writes = writes};
    op.origin = e->origin;
    op.name = lw_strdup(e->call ? e->call : e->kind == EVENT_HOST_FILL ? "a fill (memset)" : "a copy");
    meet(ops, NULL, &op);
    keep(ops, op, NULL);
}

/* In the order of a stream. What comes behind it is for memcheck: it is not kept. */
static void freed(race_ops *ops, const event_host *e)
{
    char name[] = "cudaFreeAsync";
    race_op op = {.number = e->number, .address = e->address, .bytes = e->bytes, .writes = true, .frees = true};
    op.origin = e->origin;
    op.name = name;
    if (op.number && op.bytes) meet(ops, NULL, &op);
}

void race_ops_on_host(race_ops *ops, const event_host *e)
{
    race_order_on_host(&ops->order, e);
    if (e->kind == EVENT_HOST_COPY) {
        range(ops, e, e->source, e->source_pitch, false);
        range(ops, e, e->address, e->pitch, true);
    }
    if (e->kind == EVENT_HOST_FILL) range(ops, e, e->address, e->pitch, true);
    if (e->kind == EVENT_FREE) freed(ops, e);
    if (e->kind == EVENT_HOST_ACCESS) range(ops, e, e->address, e->pitch, e->writes);
    if (e->kind == EVENT_HOST_WAIT && !ops->order.streams) drop_known(ops);
    if (e->kind == EVENT_HOST_FUNCTION || e->kind == EVENT_VALUE_WRITE) race_host_told(ops, e->number);
    if (e->kind == EVENT_HOST_ON) race_host_on(ops);
    if (e->kind == EVENT_HOST_TOUCH) race_host_touch(ops, e);
}
