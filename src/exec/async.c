/* async.c: cluster addresses, asynchronous copies (cp.async and bulk), asynchronous stores and reductions.
 *
 * The data lands when the instruction is issued; what completes later on a card (groups, transaction bytes on an
 * mbarrier) completes at once too, so a wait for a group never blocks. A program that forgets a wait therefore computes
 * the right result here: finding that is the work of checks; every commit, wait and completion is an event. */
#include "exec/async.h"
#include "exec/bulk_count.h"

#include "exec/operand.h"

#include <stdio.h>
#include <string.h>

#define MAX_RANKS (MEM_SHARED_WINDOW_BYTES >> MEM_SHARED_SLOT_SHIFT)

/* ---------------------------------------------------------------- events */
/* Bytes of one lane. */
static uint32_t lane_bytes(const code_insn *i) { return (uint32_t)i->mem.bytes * i->mem.vector; }

static event_shape shape_of(const uint64_t *address, uint32_t mask, uint32_t bytes)
{
    if (mask != FULL_MASK) return EVENT_GENERAL;
    for (uint32_t l = 1; l < 32; l++)
        if (address[l] != address[0] + (uint64_t)l * bytes) return EVENT_GENERAL;
    return EVENT_CONSECUTIVE;
}

/* One side of an access by lanes, split by space. sources, async: see event_memory. */
static void tell_lanes(exec_ctx *x, const code_insn *i, event_op op, const uint32_t lanes_of[EVENT_SPACE_COUNT],
                       const uint64_t *address, const uint64_t *other, uint32_t sources, uint32_t async)
{
    for (uint32_t s = 0; s < EVENT_SPACE_COUNT; s++) {
        if (!lanes_of[s]) continue;
        exec_access a = {.mask = lanes_of[s],
                         .space = (uint8_t)s,
                         .shape = (uint8_t)shape_of(address, lanes_of[s], lane_bytes(i)),
                         .op = (uint8_t)(op + 1),
                         .sources = sources & lanes_of[s],
                         .async = async,
                         .address = address,
                         .address2 = other};
        exec_emit_access(x, i, &a);
    }
}

/* One side of a bulk operation of one lane. */
static void tell_bulk(exec_ctx *x, const code_insn *i, event_op op, event_space space, uint32_t lane, uint64_t address,
                      uint64_t other, uint32_t bytes, uint32_t async)
{
    exec_bulk_side side = {.op = op,
                           .space = space,
                           .lane = lane,
                           .bytes = bytes,
                           .address = address,
                           .other = other,
                           .async = async,
                           .one_sided = op == EVENT_STORE};
    exec_tell_bulk(x, i, &side);
}

/* ---------------------------------------------------------------- cluster addresses */
/* What generic addresses of shared memory begin at; 0: the instruction's addresses are none. */
static uint64_t window_of(const code_insn *i) { return i->window.space == PTX_GENERIC ? MEM_SHARED_WINDOW : 0; }

static bool check_window(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address)
{
    if (i->window.space != PTX_GENERIC || mem_in_shared_window(address)) return true;
    exec_fail(x, i, EXEC_INVALID_SPACE, lane, address, 0, false, "shared",
              "generic address 0x%llx does not lie in shared memory", (unsigned long long)address);
    return false;
}

void run_mapa(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const uint32_t *rank = LANES(uint32_t, i->b);
    uint64_t window = window_of(i);
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, i->window.bytes, l);
        if (!check_window(x, i, l, a)) return;
        if (rank[l] >= MAX_RANKS) {
            exec_fail(x, i, EXEC_SHARED_RANGE, l, a, 0, false, "distributed shared",
                      "mapa to block rank %u of a cluster of %u", rank[l], x->block->cluster->block_count);
            return;
        }
        uint64_t there = window + exec_shared_slot(rank[l]) + exec_shared_offset(a - window);
        exec_set_lane_uint(x, i->d, i->window.bytes, l, there);
    }
}

void run_getctarank(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t *d = LANES(uint32_t, i->d);
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, i->window.bytes, l);
        if (!check_window(x, i, l, a)) return;
        d[l] = exec_shared_rank(a - window_of(i));
    }
}

/* ---------------------------------------------------------------- cp.async */
/* Bytes that a lane reads; the rest of the destination is zeroed. UINT32_MAX after a fault. */
static uint32_t source_bytes(exec_ctx *x, const code_insn *i, uint32_t lane)
{
    const code_list *list = i->mem.list;
    uint32_t n = i->mem.bytes;
    if (list->ref[1] != CODE_NO_REF) n = LANES(uint32_t, list->ref[1])[lane];
    if (i->c != CODE_NO_REF && (PREDICATE(i->c) >> lane & 1)) n = 0;
    if (n <= i->mem.bytes) return n;
    exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, lane, 0, n, false, "global",
              "cp.async of %u bytes with a source size of %u bytes", i->mem.bytes, n);
    return UINT32_MAX;
}

/* Where a lane of cp.async reads: only the bytes that it reads need exist, but the address is aligned to the size. */
static const uint8_t *source_pointer(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint32_t bytes)
{
    event_space space;
    uint64_t seen;
    if (bytes == i->mem.bytes || (address & (i->mem.bytes - 1u)))
        return exec_lane_pointer(x, i, PTX_GLOBAL, lane, address, i->mem.bytes, false, &space, &seen);
    return exec_lane_range(x, i, PTX_GLOBAL, lane, address, bytes, false, &space, &seen);
}

/* Bytes copied by the lanes of one cp.async, and who copies. */
typedef struct lane_copy {
    uint64_t to[32];                                                 /* as the instruction says */
    uint64_t seen[32];                                               /* as events give it */
    const uint64_t *source;                                          /* global addresses */
    uint32_t readers[EVENT_SPACE_COUNT], writers[EVENT_SPACE_COUNT]; /* lanes by space; a reader has a source */
} lane_copy;

/* Whole copies from the allocation that the instruction read last into the block's own memory, all aligned? Then
 * c->seen is filled in. */
static bool is_straight(exec_ctx *x, const code_insn *i, uint32_t mask, lane_copy *c)
{
    const code_list *list = i->mem.list;
    const exec_alloc_cache *cache = &x->caches[i->site];
    uint64_t own = exec_own_slot(x, i), bits = 0;
    bool partial = list->ref[1] != CODE_NO_REF || i->c != CODE_NO_REF;
    if (partial || x->shared_bytes < i->mem.bytes) return false;
    LANES_OF(mask)
    {
        uint64_t from = c->source[l];
        c->seen[l] = c->to[l] - own;
        bits |= c->to[l] | from;
        bool known = from >= cache->low && from + i->mem.bytes <= cache->high;
        if (!known || c->seen[l] > x->shared_bytes - i->mem.bytes) return false;
    }
    return !(bits & (i->mem.bytes - 1u));
}

static void copy_straight(exec_ctx *x, const code_insn *i, uint32_t mask, lane_copy *c)
{
    uint64_t distance = x->caches[i->site].distance; /* from addresses to storage */
    LANES_OF(mask)
    {
        uint8_t *to = x->shared + c->seen[l];
        const void *from = (const void *)(uintptr_t)(c->source[l] + distance);
        if (i->mem.bytes == 16) memcpy(to, from, 16);
        else if (i->mem.bytes == 8) memcpy(to, from, 8);
        else memcpy(to, from, 4);
        exec_note_overwrite(x, to, i->mem.bytes);
    }
    c->readers[EVENT_GLOBAL] = mask;
    c->writers[EVENT_SHARED] = mask;
}

/* false: a fault */
static bool copy_lane(exec_ctx *x, const code_insn *i, uint32_t lane, lane_copy *c)
{
    event_space space;
    uint32_t n = source_bytes(x, i, lane);
    if (n == UINT32_MAX) return false;
    uint8_t *to = exec_lane_pointer(x, i, PTX_SHARED, lane, c->to[lane], i->mem.bytes, true, &space, &c->seen[lane]);
    if (!to) return false;
    const uint8_t *from = n ? source_pointer(x, i, lane, c->source[lane], n) : NULL;
    if (n && !from) return false;
    if (n) memcpy(to, from, n);
    memset(to + n, 0, i->mem.bytes - n);
    exec_note_overwrite(x, to, i->mem.bytes);
    c->writers[space] |= 1u << lane;
    if (n) c->readers[EVENT_GLOBAL] |= 1u << lane;
    return true;
}

void run_cp_async(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    lane_copy c;
    c.source = LANES(uint64_t, i->mem.list->ref[0]);
    memset(c.readers, 0, sizeof c.readers);
    memset(c.writers, 0, sizeof c.writers);
    exec_lane_addresses(x, i, c.to);
    if (is_straight(x, i, mask, &c)) {
        copy_straight(x, i, mask, &c);
    } else {
        LANES_OF(mask) if (!copy_lane(x, i, l, &c)) return;
    }
    x->lanes_on[i->site] += lw_popcount(mask);
    uint32_t async = exec_groups_issue(x, i, mask, i->mem.bytes);
    if (!exec_wants_access(x, i)) return;
    uint32_t sources = c.readers[EVENT_GLOBAL];
    tell_lanes(x, i, EVENT_COPY_READ, c.readers, c.source, c.seen, sources, async);
    tell_lanes(x, i, EVENT_COPY_WRITE, c.writers, c.seen, c.source, sources, async);
}

void run_cp_async_group(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_groups_use(x, i, mask); }

/* ---------------------------------------------------------------- bulk copies */
typedef struct bulk {
    uint32_t lane, bytes;
    uint64_t to, from, barrier; /* shared: rank << 24 | offset */
    uint32_t ranks;             /* multicast: destination blocks, a bit each */
    uint32_t byte_mask;         /* bit b: byte b of every 16 is copied */
    uint32_t number;            /* as an asynchronous operation */
    bool multicast;
} bulk;

static bool bulk_misaligned(exec_ctx *x, const code_insn *i, const bulk *b)
{
    uint64_t bits = b->to | b->from | b->bytes;
    if (!(bits & 15)) return false;
    exec_fail(x, i, EXEC_MISALIGNED, b->lane, b->to & 15 ? b->to : b->from, b->bytes, b->to & 15, "bulk copy",
              "bulk copy of %u bytes from 0x%llx to 0x%llx: addresses and size must be multiples of 16", b->bytes,
              (unsigned long long)b->from, (unsigned long long)b->to);
    return true;
}

static void bulk_reduce(exec_ctx *x, const code_insn *i, const bulk *b, uint8_t *to, const uint8_t *from,
                        event_space space)
{
    ptx_type type = (ptx_type)i->mem.atomic.type;
    uint32_t each = ptx_type_bytes(type);
    for (uint32_t k = 0; k < b->bytes; k += each) {
        uint64_t value = 0;
        memcpy(&value, from + k, each);
        exec_atomic_update(x, i->mem.atomic.operation, type, to + k, space, value);
    }
}

static void bulk_copy(exec_ctx *x, const bulk *b, uint8_t *to, const uint8_t *from)
{
    if (b->byte_mask == 0xffff) {
        memmove(to, from, b->bytes);
    } else {
        for (uint32_t k = 0; k < b->bytes; k++)
            if (b->byte_mask >> (k & 15) & 1) to[k] = from[k];
    }
    exec_note_overwrite(x, to, b->bytes);
}

/* The destination of a bulk operation. */
typedef struct bulk_target {
    uint8_t *p;
    event_space space;
    uint64_t seen; /* its address as events give it */
} bulk_target;

/* The data and the event of it. Reductions are atomic accesses, element by element. */
static void bulk_move(exec_ctx *x, const code_insn *i, const bulk *b, const bulk_target *to, const uint8_t *from,
                      uint64_t from_seen)
{
    if (i->mem.atomic.operation == CODE_NO_OPERATION) {
        bulk_copy(x, b, to->p, from);
        tell_bulk(x, i, EVENT_COPY_WRITE, to->space, b->lane, to->seen, from_seen, b->bytes, b->number);
        return;
    }
    uint8_t *pointer[32];
    pointer[b->lane] = to->p;
    if (x->fields) exec_watch_begin(x, i, 1u << b->lane, pointer, b->bytes);
    if (x->fields) exec_watch_before(x, b->lane, to->p, b->bytes);
    bulk_reduce(x, i, b, to->p, from, to->space);
    if (x->fields) exec_watch_after(x, b->lane, to->p, b->bytes, true, true);
    tell_bulk(x, i, EVENT_REDUCTION, to->space, b->lane, to->seen, from_seen, b->bytes, b->number);
    if (x->fields) exec_watch_end(x);
}

/* One lane's part of an operation that ends on the object at (rank << 24) + offset. */
static exec_async_use on_barrier(uint32_t lane, uint64_t barrier, uint32_t bytes, uint32_t number)
{
    return (exec_async_use){
        .number = number, .mask = 1u << lane, .mechanism = EVENT_BY_MBARRIER, .address = barrier, .bytes = bytes};
}

/* An operation that will complete on the object. */
void exec_async_issue_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                         uint32_t number)
{
    exec_async_use use = on_barrier(lane, barrier, bytes, number);
    exec_emit_async_issue(x, i, &use);
}

/* The completion comes before the bytes that announce it. */
bool exec_async_complete_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                            uint32_t number)
{
    exec_async_use use = on_barrier(lane, barrier, bytes, number);
    exec_emit_async_complete(x, i, &use);
    return exec_mbarrier_complete_tx(x, i, lane, barrier, bytes);
}

/* The copy into one destination; its mbarrier lies in the same block as the data. */
static bool bulk_into(exec_ctx *x, const code_insn *i, const bulk *b, uint64_t to, uint64_t barrier,
                      const uint8_t *from, uint64_t from_seen)
{
    bool to_global = i->mem.atomic.direction == BULK_SHARED_TO_GLOBAL;
    if (!to_global && exec_shared_rank(to) != exec_shared_rank(barrier)) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, b->lane, barrier, 8, true, "shared",
                  "bulk copy to block rank %u with an mbarrier in block rank %u: they must be the same",
                  exec_shared_rank(to), exec_shared_rank(barrier));
        return false;
    }
    if (b->bytes) {
        bulk_target target;
        target.p = exec_lane_range(x, i, to_global ? PTX_GLOBAL : PTX_SHARED_CLUSTER, b->lane, to, b->bytes, true,
                                   &target.space, &target.seen);
        if (!target.p) return false;
        bulk_move(x, i, b, &target, from, from_seen);
    }
    return to_global || exec_async_complete_on(x, i, b->lane, barrier, b->bytes, b->number);
}

/* A .shared::cta operand must not name another block's memory. */
static bool own_block(exec_ctx *x, const code_insn *i, const bulk *b, uint64_t address)
{
    if (exec_shared_rank(address) == x->block->rank) return true;
    exec_fail(x, i, EXEC_INVALID_SPACE, b->lane, address, b->bytes, false, "shared",
              "bulk copy: 0x%llx does not lie in the block's own shared memory", (unsigned long long)address);
    return false;
}

/* A shared address as events give it: the offset alone in the block's own memory. */
static uint64_t seen_address(const exec_ctx *x, const code_insn *i, uint64_t address)
{
    bool shared = i->mem.atomic.direction != BULK_SHARED_TO_GLOBAL;
    bool own = shared && exec_shared_rank(address) == x->block->rank;
    return own ? exec_shared_offset(address) : address;
}

/* The reading side of a bulk copy. In one piece where that is what a card counts. */
static void tell_source(exec_ctx *x, const code_insn *i, const bulk *b, event_space space, uint64_t seen)
{
    uint64_t other = seen_address(x, i, b->to);
    if (space != EVENT_GLOBAL || (!b->multicast && seen % 32 == 0)) {
        tell_bulk(x, i, EVENT_COPY_READ, space, b->lane, seen, other, b->bytes, b->number);
        return;
    }
    exec_tensor_row all = {.whole = seen, .address = seen, .bytes = b->bytes};
    exec_bulk_teller t = {.x = x,
                          .insn = i,
                          .lane = b->lane,
                          .number = b->number,
                          .op = EVENT_COPY_READ,
                          .only = EVENT_ACCESS + 1,
                          .other = other};
    exec_bulk_tell_row(&t, seen, b->bytes);
    exec_bulk_flush(&t);
    t.flags = 0;
    t.only = EVENT_COUNTED + 1;
    t.cast = b->multicast;
    exec_bulk_count_row(&t, &all, b->bytes, b->to);
    exec_bulk_flush(&t);
}

/* A multicast reads its source once, and writes it into every block of the mask. */
static bool bulk_lane(exec_ctx *x, const code_insn *i, const bulk *b)
{
    bool from_global = i->mem.atomic.direction == BULK_GLOBAL_TO_SHARED;
    event_space space = EVENT_GLOBAL;
    uint64_t seen = b->from;
    const uint8_t *from = NULL;
    if (bulk_misaligned(x, i, b)) return false;
    if (!from_global && !own_block(x, i, b, b->from)) return false;
    if (i->mem.space == PTX_SHARED && !own_block(x, i, b, b->to)) return false;
    if (b->bytes) {
        from = exec_lane_range(x, i, from_global ? PTX_GLOBAL : PTX_SHARED_CLUSTER, b->lane, b->from, b->bytes, false,
                               &space, &seen);
        if (!from) return false;
        tell_source(x, i, b, space, seen);
    }
    if (!b->multicast) return bulk_into(x, i, b, b->to, b->barrier, from, seen);
    for (uint32_t m = b->ranks; m; m &= m - 1) {
        uint64_t slot = exec_shared_slot((uint32_t)__builtin_ctz(m));
        uint64_t to = slot + exec_shared_offset(b->to);
        uint64_t barrier = slot + exec_shared_offset(b->barrier);
        if (!bulk_into(x, i, b, to, barrier, from, seen)) return false;
    }
    return true;
}

/* Copies to global memory complete by groups, others on an mbarrier. */
static uint32_t issue_bulk(exec_ctx *x, const code_insn *i, const bulk *b)
{
    if (i->mem.atomic.direction == BULK_SHARED_TO_GLOBAL) return exec_groups_issue(x, i, 1u << b->lane, b->bytes);
    uint32_t number = exec_async_number(x);
    exec_async_issue_on(x, i, b->lane, b->barrier, b->bytes, number);
    return number;
}

/* Operand list: source address, bytes, mbarrier, block mask of a multicast, byte mask. */
static bulk bulk_of_lane(exec_ctx *x, const code_insn *i, uint32_t lane)
{
    const code_list *list = i->mem.list;
    bulk b = {.lane = lane,
              .to = LANES(uint64_t, i->a)[lane],
              .from = LANES(uint64_t, list->ref[0])[lane],
              .bytes = LANES(uint32_t, list->ref[1])[lane],
              .multicast = list->ref[3] != CODE_NO_REF,
              .byte_mask = 0xffff};
    if (list->ref[2] != CODE_NO_REF) b.barrier = LANES(uint64_t, list->ref[2])[lane];
    if (b.multicast) b.ranks = LANES(uint16_t, list->ref[3])[lane];
    if (list->ref[4] != CODE_NO_REF) b.byte_mask = LANES(uint16_t, list->ref[4])[lane];
    return b;
}

void run_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    x->lanes_on[i->site] += lw_popcount(mask);
    LANES_OF(mask)
    {
        bulk b = bulk_of_lane(x, i, l);
        b.number = issue_bulk(x, i, &b);
        if (!bulk_lane(x, i, &b)) return;
    }
}

/* ---------------------------------------------------------------- st.bulk */
/* false: a fault */
static bool zero_lane(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, uint64_t bytes)
{
    event_space space;
    uint64_t seen;
    if ((address | bytes) & 7 || bytes > UINT32_MAX) {
        exec_fail(x, i, EXEC_MISALIGNED, lane, address, (uint32_t)bytes, true, "shared",
                  "st.bulk of %llu bytes at 0x%llx: address and size must be multiples of 8", (unsigned long long)bytes,
                  (unsigned long long)address);
        return false;
    }
    if (!bytes) return true;
    uint8_t *p = exec_lane_range(x, i, (ptx_space)i->mem.space, lane, address, (uint32_t)bytes, true, &space, &seen);
    if (!p) return false;
    if (space != EVENT_SHARED) {
        exec_fail(x, i, EXEC_INVALID_SPACE, lane, address, (uint32_t)bytes, true, exec_space_name(space),
                  "st.bulk at 0x%llx: not the block's own shared memory", (unsigned long long)address);
        return false;
    }
    memset(p, 0, bytes);
    exec_note_overwrite(x, p, bytes);
    tell_bulk(x, i, EVENT_STORE, space, lane, seen, 0, (uint32_t)bytes, 0);
    return true;
}

void run_st_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32];
    exec_lane_addresses(x, i, address);
    x->lanes_on[i->site] += lw_popcount(mask);
    LANES_OF(mask) if (!zero_lane(x, i, l, address[l], LANES(uint64_t, i->b)[l])) return;
}

/* ---------------------------------------------------------------- st.async, red.async */
/* Does an address that exec_lane_pointer() found lie in the shared memory of the object's block? */
static bool in_block_of(const exec_ctx *x, event_space space, uint64_t seen, uint64_t barrier)
{
    if (space == EVENT_SHARED) return exec_shared_rank(barrier) == x->block->rank;
    return space == EVENT_DSHARED && exec_shared_rank(barrier) == exec_shared_rank(seen);
}

/* The values of a lane, stored or combined, element by element. */
static void put_lane(exec_ctx *x, const code_insn *i, uint32_t lane, uint8_t *p, event_space space)
{
    uint32_t operation = i->mem.atomic.operation;
    for (uint32_t k = 0; k < i->mem.vector; k++, p += i->mem.bytes) {
        const uint8_t *from = exec_lane_bytes(x, i->mem.list->ref[1 + k], i->mem.bytes, lane);
        uint64_t value = 0;
        memcpy(&value, from, i->mem.bytes);
        if (operation == CODE_NO_OPERATION) memcpy(p, &value, i->mem.bytes);
        else exec_atomic_update(x, operation, (ptx_type)i->mem.atomic.type, p, space, value);
    }
}

/* The lanes of one st.async or red.async. */
typedef struct async_store {
    uint8_t *p[32];
    event_space space[32];
    uint64_t seen[32];    /* addresses as events give them */
    uint64_t barrier[32]; /* objects: (rank << 24) + offset */
    uint32_t lanes_of[EVENT_SPACE_COUNT];
} async_store;

/* Where a lane stores, and the object that it completes on. false: a fault */
static bool find_target(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, async_store *s)
{
    uint32_t bytes = lane_bytes(i);
    uint64_t barrier = LANES(uint64_t, i->mem.list->ref[0])[lane];
    s->p[lane] =
        exec_lane_pointer(x, i, (ptx_space)i->mem.space, lane, address, bytes, true, &s->space[lane], &s->seen[lane]);
    if (!s->p[lane]) return false;
    if (i->mem.space == PTX_GENERIC && mem_in_shared_window(barrier)) barrier -= MEM_SHARED_WINDOW;
    s->barrier[lane] = barrier;
    s->lanes_of[s->space[lane]] |= 1u << lane;
    if (in_block_of(x, s->space[lane], s->seen[lane], barrier)) return true;
    exec_fail(
        x, i, EXEC_ILLEGAL_INSTRUCTION, lane, address, bytes, true, exec_space_name(s->space[lane]),
        "asynchronous store to 0x%llx with an mbarrier at 0x%llx: both must lie in the shared memory of one block",
        (unsigned long long)address, (unsigned long long)barrier);
    return false;
}

static void put_watched(exec_ctx *x, const code_insn *i, uint32_t mask, const async_store *s)
{
    bool reads = i->mem.atomic.operation != CODE_NO_OPERATION;
    LANES_OF(mask)
    {
        exec_watch_before(x, l, s->p[l], lane_bytes(i));
        put_lane(x, i, l, s->p[l], s->space[l]);
        exec_watch_after(x, l, s->p[l], lane_bytes(i), reads, true);
    }
}

void run_st_async(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32];
    async_store s;
    uint32_t bytes = lane_bytes(i);
    memset(s.lanes_of, 0, sizeof s.lanes_of);
    exec_lane_addresses(x, i, address);
    x->lanes_on[i->site] += lw_popcount(mask);
    LANES_OF(mask) if (!find_target(x, i, l, address[l], &s)) return;
    uint32_t number = exec_async_number(x); /* one for all lanes */
    LANES_OF(mask) exec_async_issue_on(x, i, l, s.barrier[l], bytes, number);
    if (x->fields) {
        exec_watch_begin(x, i, mask, s.p, bytes);
        put_watched(x, i, mask, &s);
    } else {
        LANES_OF(mask) put_lane(x, i, l, s.p[l], s.space[l]);
    }
    if (exec_wants_access(x, i)) tell_lanes(x, i, (event_op)i->event_op, s.lanes_of, s.seen, NULL, 0, number);
    if (x->fields) exec_watch_end(x);
    LANES_OF(mask) if (!exec_async_complete_on(x, i, l, s.barrier[l], bytes, number)) return;
}
