/* mbarrier.c: mbarrier objects.
 *
 * An object is 8 bytes of shared memory that a program treats as opaque. Ours:
 *   bits 0-19 pending arrivals, 20-39 expected arrivals of the next phase, 40-60 transaction bytes (two's complement),
 *   61-62 the pattern 01, 63 parity of the current phase.
 * A phase completes as soon as no arrival and no transaction byte is pending; the next one then begins with the
 * expected arrivals. The state that an arrival returns is the object as it was before. Which objects are valid stands
 * in a bitmap beside each block's shared memory, so that the use of memory that was never initialised, or was
 * overwritten, is found. */
#include "exec/emit.h"
#include "exec/operand.h"

#include <string.h>

enum { COUNT_LIMIT = (1 << 20) - 1 };

/* An object unpacked. */
typedef struct barrier {
    uint32_t pending;  /* arrivals that the current phase lacks */
    uint32_t expected; /* arrivals of the next phase */
    uint32_t phase;    /* parity of the current phase */
    int64_t bytes;     /* transaction bytes that it lacks; below 0: more came than were expected yet */
} barrier;

static barrier unpack(uint64_t v)
{
    return (barrier){.pending = v & COUNT_LIMIT,
                     .expected = v >> 20 & COUNT_LIMIT,
                     .phase = (uint32_t)(v >> 63),
                     .bytes = (int64_t)(v << 3) >> 43};
}

static uint64_t pack(const barrier *b)
{
    LW_ASSERT(b->pending <= COUNT_LIMIT && b->expected <= COUNT_LIMIT);
    LW_ASSERT(b->bytes >= -COUNT_LIMIT && b->bytes <= COUNT_LIMIT);
    return (uint64_t)b->pending | (uint64_t)b->expected << 20 | ((uint64_t)b->bytes & 0x1fffff) << 40 |
           UINT64_C(1) << 61 | (uint64_t)b->phase << 63;
}

/* Completes the phase if nothing is pending; returns whether. */
static bool settle(const exec_ctx *x, barrier *b)
{
    if (b->pending || b->bytes) return false;
    x->worker->phases++;
    b->phase ^= 1;
    b->pending = b->expected;
    return true;
}

/* ---------------------------------------------------------------- finding objects */
/* One lane's view of an object. */
typedef struct object {
    exec_ctx *x;
    const code_insn *insn;
    uint32_t lane;
    uint64_t address;    /* rank << 24 | offset */
    uint8_t *p;          /* the 8 bytes */
    uint64_t *word, bit; /* in the bitmap of valid objects */
} object;

static bool misuse(const object *o, const char *what)
{
    exec_fail(o->x, o->insn, EXEC_ILLEGAL_INSTRUCTION, o->lane, exec_shared_offset(o->address), 8, true, "shared",
              "mbarrier at shared memory offset %llu of block rank %u: %s",
              (unsigned long long)exec_shared_offset(o->address), exec_shared_rank(o->address), what);
    return false;
}

static void find_bit(object *o)
{
    exec_ctx *x = o->x;
    exec_block *b = &x->block->cluster->blocks[exec_shared_rank(o->address)];
    size_t words = x->shared_bytes / 512 + 1;
    if (!b->mbarriers) b->mbarriers = LW_NEW_ARRAY(&x->worker->arena, uint64_t, words);
    if (b->mbarriers_of != (uint64_t)b->linear + 1) { /* block storage is used again by later blocks */
        memset(b->mbarriers, 0, words * sizeof *b->mbarriers);
        b->mbarriers_of = (uint64_t)b->linear + 1;
    }
    uint64_t n = exec_shared_offset(o->address) / 8;
    o->word = &b->mbarriers[n / 64];
    o->bit = UINT64_C(1) << (n & 63);
}

static bool find_object(exec_ctx *x, const code_insn *i, ptx_space space, uint32_t lane, uint64_t address, object *o)
{
    event_space kind;
    uint64_t seen;
    *o = (object){.x = x, .insn = i, .lane = lane};
    o->p = exec_lane_pointer(x, i, space, lane, address, 8, true, &kind, &seen);
    if (!o->p) return false;
    if (kind != EVENT_SHARED && kind != EVENT_DSHARED) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, lane, address, 8, true, exec_space_name(kind),
                  "mbarrier at 0x%llx: not shared memory", (unsigned long long)address);
        return false;
    }
    o->address = kind == EVENT_SHARED ? exec_shared_slot(x->block->rank) + seen : seen;
    if (exec_shared_offset(o->address) >= x->shared_bytes) return misuse(o, "outside the block's shared memory");
    find_bit(o);
    return true;
}

static bool load(const object *o, barrier *out)
{
    uint64_t v;
    memcpy(&v, o->p, 8);
    if (!(*o->word & o->bit)) return misuse(o, "no mbarrier was initialised there, or it was invalidated");
    if ((v >> 61 & 3) != 1) return misuse(o, "the object was overwritten by an ordinary store");
    *out = unpack(v);
    return true;
}

static void store(const object *o, const barrier *b)
{
    uint64_t v = pack(b);
    memcpy(o->p, &v, 8);
    o->x->worker->updates++;
}

/* ---------------------------------------------------------------- operations on one object */
static bool init(const object *o, uint32_t count)
{
    if (count < 1 || count > COUNT_LIMIT) return misuse(o, "the count must be 1 to 1048575");
    if (*o->word & o->bit) exec_emit_misuse(o->x, o->insn, EVENT_MISUSE_MBARRIER_LIVE, 1u << o->lane, 0);
    *o->word |= o->bit;
    store(o, &(barrier){.pending = count, .expected = count});
    return true;
}

/* Destructors of two objects in one place invalidate twice: a card takes no harm, so no more than a warning. */
static bool invalidate(const object *o)
{
    if (!(*o->word & o->bit))
        exec_warn(o->x, o->insn, EXEC_DIVERGENT_BARRIER, o->lane,
                  "an mbarrier is invalidated where none was initialised, or a second time");
    *o->word &= ~o->bit;
    memset(o->p, 0, 8);
    return true;
}

static bool expect(const object *o, barrier *b, int64_t bytes)
{
    b->bytes += bytes;
    if (b->bytes >= -COUNT_LIMIT && b->bytes <= COUNT_LIMIT) return true;
    return misuse(o, "more than 1048575 transaction bytes are pending");
}

static bool arrive(const object *o, barrier *b, uint32_t count, bool drop)
{
    if (count < 1 || count > COUNT_LIMIT) return misuse(o, "the count of an arrival must be 1 to 1048575");
    if (count > b->pending) return misuse(o, "more arrivals than the phase expects");
    if (drop && count > b->expected) return misuse(o, "more threads drop out than the barrier expects");
    b->pending -= count;
    if (drop) b->expected -= count;
    return true;
}

/* arrive, arrive_drop, expect_tx, complete_tx; *out_state: the object before. */
static bool update(const object *o, const code_insn *i, uint32_t count, uint32_t bytes, uint64_t *out_state,
                   bool *out_completed)
{
    barrier b;
    bool arrives = i->mem.mbarrier.operation == MBAR_ARRIVE || i->mem.mbarrier.operation == MBAR_ARRIVE_DROP;
    if (!load(o, &b)) return false;
    *out_state = pack(&b);
    int64_t added = i->mem.mbarrier.operation == MBAR_COMPLETE_TX ? -(int64_t)bytes : (int64_t)bytes;
    if (!expect(o, &b, added)) return false;
    if (arrives && !arrive(o, &b, count, i->mem.mbarrier.operation == MBAR_ARRIVE_DROP)) return false;
    *out_completed = settle(o->x, &b);
    if (*out_completed && i->mem.mbarrier.no_complete)
        return misuse(o, "an arrival with .noComplete completed the phase");
    store(o, &b);
    return true;
}

/* cp.async.mbarrier.arrive: the copies are complete already. Without .noinc the pending count is raised first. */
static bool async_arrive(const object *o, bool raise, uint32_t *out_phase, bool *out_completed)
{
    barrier b;
    if (!load(o, &b)) return false;
    *out_phase = b.phase;
    if (raise && b.pending == COUNT_LIMIT) return misuse(o, "more than 1048575 arrivals are pending");
    if (raise) b.pending++;
    if (!arrive(o, &b, 1, false)) return false;
    *out_completed = settle(o->x, &b);
    store(o, &b);
    return true;
}

bool exec_mbarrier_complete_tx(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes)
{
    object o;
    barrier b;
    if (!find_object(x, i, PTX_SHARED_CLUSTER, lane, address, &o) || !load(&o, &b)) return false;
    if (!expect(&o, &b, -(int64_t)bytes)) return false;
    bool completed = settle(x, &b);
    store(&o, &b);
    exec_mbarrier_use use = {.op = EVENT_MBARRIER_COMPLETE_TX,
                             .mask = 1u << lane,
                             .address = o.address,
                             .bytes = bytes,
                             .phase = b.phase ^ completed};
    if (x->fields & EVENT_FIELD_ORDER) exec_order_touch(x, o.p, 8, true, &use.read_from, &use.write);
    exec_emit_mbarrier(x, i, &use);
    if (completed) exec_emit_mbarrier_phase(x, i, o.address, b.phase ^ 1);
    return true;
}

/* ---------------------------------------------------------------- micro-operation */
typedef struct outcome {
    bool done;                 /* false: a wait that is not over */
    bool completed;            /* it completed the phase */
    uint32_t count, bytes;     /* for events: arrivals and transaction bytes */
    uint32_t phase;            /* for events: parity of the phase it belongs to, or waits for */
    uint64_t read_from, write; /* EVENT_FIELD_ORDER: its numbers */
} outcome;

static bool is_wait(const code_insn *i)
{
    return i->mem.mbarrier.operation == MBAR_TEST_WAIT || i->mem.mbarrier.operation == MBAR_TRY_WAIT;
}

/* Parity of the phase that a lane waits for: given, or that of the state which its arrival returned. */
static uint32_t phase_waited_for(exec_ctx *x, const code_insn *i, uint32_t lane)
{
    if (i->mem.mbarrier.parity) return LANES(uint32_t, i->b)[lane] & 1;
    return (uint32_t)(LANES(uint64_t, i->b)[lane] >> 63);
}

static bool test_phase(exec_ctx *x, const code_insn *i, const object *o, outcome *out)
{
    barrier b;
    if (exec_shared_rank(o->address) != x->block->rank)
        return misuse(o, "a thread can only wait for mbarriers of its own block");
    if (!load(o, &b)) return false;
    out->phase = phase_waited_for(x, i, o->lane);
    out->done = b.phase != out->phase;
    return true;
}

/* What a lane asks of the object. false: a fault */
static bool operate(exec_ctx *x, const code_insn *i, const object *o, outcome *out)
{
    uint32_t lane = o->lane, count = 1, bytes = 0;
    uint64_t state;
    if (is_wait(i)) count = 0;
    else if (i->b != CODE_NO_REF) count = LANES(uint32_t, i->b)[lane];
    if (i->c != CODE_NO_REF) bytes = LANES(uint32_t, i->c)[lane];
    *out = (outcome){.done = true, .count = count, .bytes = bytes};
    switch (i->mem.mbarrier.operation) {
    case MBAR_INIT: return init(o, count);
    case MBAR_INVAL: return invalidate(o);
    case MBAR_ASYNC_ARRIVE:
        if (!async_arrive(o, !i->mem.mbarrier.no_inc, &out->phase, &out->completed)) return false;
        exec_groups_arrive(x, i, lane, o->address);
        return true;
    case MBAR_TEST_WAIT:
    case MBAR_TRY_WAIT: return test_phase(x, i, o, out);
    default:
        if (!update(o, i, count, bytes, &state, &out->completed)) return false;
        out->phase = (uint32_t)(state >> 63);
        if (i->d != CODE_NO_REF) LANES(uint64_t, i->d)[lane] = state;
        return true;
    }
}

static event_mbarrier event_of(const code_insn *i)
{
    switch (i->mem.mbarrier.operation) {
    case MBAR_INIT: return EVENT_MBARRIER_INIT;
    case MBAR_INVAL: return EVENT_MBARRIER_INVAL;
    case MBAR_ARRIVE: return EVENT_MBARRIER_ARRIVE;
    case MBAR_ARRIVE_DROP: return EVENT_MBARRIER_ARRIVE_DROP;
    case MBAR_EXPECT_TX: return EVENT_MBARRIER_EXPECT_TX;
    case MBAR_COMPLETE_TX: return EVENT_MBARRIER_COMPLETE_TX;
    case MBAR_TEST_WAIT: return EVENT_MBARRIER_TEST_WAIT;
    case MBAR_TRY_WAIT: return EVENT_MBARRIER_TRY_WAIT;
    default: return EVENT_MBARRIER_ASYNC_ARRIVE;
    }
}

static void flush_uses(exec_ctx *x, const code_insn *i, exec_mbarrier_use *use)
{
    if (use->mask) exec_emit_mbarrier(x, i, use);
    use->mask = 0;
}

/* Neighbouring lanes that do the same are one event; a phase ends between the events of its lanes and the next ones'. */
static void tell_lane(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, const outcome *o,
                      exec_mbarrier_use *use)
{
    bool same = use->address == address && use->count == o->count && use->bytes == o->bytes && use->phase == o->phase;
    if (!same) flush_uses(x, i, use);
    if (!use->mask) use->read_from = o->read_from;
    use->op = event_of(i);
    use->mask |= 1u << lane;
    use->address = address;
    use->count = o->count;
    use->bytes = o->bytes;
    use->phase = o->phase;
    use->write = o->write;
    if (!o->completed) return;
    flush_uses(x, i, use);
    exec_emit_mbarrier_phase(x, i, address, o->phase);
}

static void pending_count(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const uint64_t *state = LANES(uint64_t, i->a);
    LANES_OF(mask) LANES(uint32_t, i->d)[l] = unpack(state[l]).pending;
}

/* On a card all who wait see a phase complete, before one of them gets far enough to use the object anew or to
 * invalidate it. Here: who completes a phase, or has waited for one, lets the others look first. */
static void let_others_look(exec_ctx *x)
{
    x->slice = 0;
    x->worker->spun = false;
    x->go = 0;
}

/* After a wait: the predicate of mask says for whom it is over. */
static void end_wait(exec_ctx *x, const code_insn *i, uint32_t mask, uint32_t finished)
{
    PREDICATE(i->d) = (PREDICATE(i->d) & ~mask) | finished;
    bool had_waited = x->group->waited;
    x->group->waited = finished != mask;
    x->warp->clock_reader = NULL; /* that it looks at a clock, too, is not what it waits for: cuda::barrier::wait */
    if (finished != mask) x->slice = 0; /* the next backward branch lets others run */
    else if (had_waited) let_others_look(x);
}

void run_mbarrier(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32];
    uint64_t phases = x->worker->phases;
    uint32_t finished = 0;
    exec_mbarrier_use use = {0};
    if (i->mem.mbarrier.operation == MBAR_PENDING_COUNT) {
        pending_count(x, i, mask);
        return;
    }
    exec_lane_addresses(x, i, address);
    LANES_OF(mask)
    {
        object o;
        outcome result;
        if (!find_object(x, i, (ptx_space)i->mem.space, l, address[l], &o) || !operate(x, i, &o, &result)) return;
        finished |= (uint32_t)result.done << l;
        if (x->fields & EVENT_FIELD_ORDER) exec_order_touch(x, o.p, 8, !is_wait(i), &result.read_from, &result.write);
        if (result.done) tell_lane(x, i, l, o.address, &result, &use);
    }
    flush_uses(x, i, &use);
    bool completed = phases != x->worker->phases;
    if (is_wait(i)) end_wait(x, i, mask, finished);
    else if (completed && x->block->warp_count > 1) let_others_look(x);
}
