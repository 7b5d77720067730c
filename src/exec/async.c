/* async.c: cluster addresses, asynchronous copies (cp.async and bulk), asynchronous stores and reductions.
 *
 * The data lands when the instruction is issued; what completes later on a card (groups, transaction bytes on an
 * mbarrier) completes at once too, so a wait for a group never blocks. A program that forgets a wait therefore computes
 * the right result here: finding that is the work of checks; every commit, wait and completion is an event. */
#include "exec/emit.h"

#include <stdio.h>
#include <string.h>

#define SLOT_MASK ((UINT64_C(1) << MEM_SHARED_SLOT_SHIFT) - 1)
#define MAX_RANKS (MEM_SHARED_WINDOW_BYTES >> MEM_SHARED_SLOT_SHIFT)

/* ---------------------------------------------------------------- events */
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
                         .shape = (uint8_t)shape_of(address, lanes_of[s], (uint8_t)(i->mem.bytes * i->mem.vector)),
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
    uint64_t at[32], to[32];
    if (!exec_wants_access(x, i)) return;
    for (uint32_t l = 0; l < 32; l++) {
        at[l] = address;
        to[l] = other;
    }
    exec_access a = {.mask = 1u << lane,
                     .space = (uint8_t)space,
                     .shape = EVENT_UNIFORM,
                     .op = (uint8_t)(op + 1),
                     .one_lane = true,
                     .bytes_total = bytes,
                     .async = async,
                     .address = at,
                     .address2 = op == EVENT_STORE ? NULL : to};
    exec_emit_access(x, i, &a);
}

/* ---------------------------------------------------------------- cluster addresses */
static uint64_t read_address(exec_ctx *x, const code_insn *i, uint32_t lane)
{
    return i->window.bytes == 8 ? LANES(uint64_t, i->a)[lane] : LANES(uint32_t, i->a)[lane];
}

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
    uint64_t window = i->window.space == PTX_GENERIC ? MEM_SHARED_WINDOW : 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t a = read_address(x, i, l);
        if (!check_window(x, i, l, a)) return;
        if (rank[l] >= MAX_RANKS) {
            exec_fail(x, i, EXEC_SHARED_RANGE, l, a, 0, false, "distributed shared",
                      "mapa to block rank %u of a cluster of %u", rank[l], x->block->cluster->block_count);
            return;
        }
        uint64_t r = window + ((uint64_t)rank[l] << MEM_SHARED_SLOT_SHIFT) + ((a - window) & SLOT_MASK);
        if (i->window.bytes == 8) LANES(uint64_t, i->d)[l] = r;
        else LANES(uint32_t, i->d)[l] = (uint32_t)r;
    }
}

void run_getctarank(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t *d = LANES(uint32_t, i->d);
    uint64_t window = i->window.space == PTX_GENERIC ? MEM_SHARED_WINDOW : 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t a = read_address(x, i, l);
        if (!check_window(x, i, l, a)) return;
        d[l] = (uint32_t)((a - window) >> MEM_SHARED_SLOT_SHIFT);
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

/* Whole copies from the allocation that the instruction read last into the block's own memory, all aligned. */
static bool copy_straight(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *to, const uint64_t *source,
                          uint64_t *seen)
{
    const code_list *list = i->mem.list;
    const exec_alloc_cache *c = &x->caches[i->site];
    uint64_t own = i->a == CODE_NO_REF ? 0 : (uint64_t)x->block->rank << MEM_SHARED_SLOT_SHIFT, bits = 0;
    if (list->ref[1] != CODE_NO_REF || i->c != CODE_NO_REF || x->shared_bytes < i->mem.bytes) return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        seen[l] = to[l] - own;
        bits |= to[l] | source[l];
        if (seen[l] > x->shared_bytes - i->mem.bytes || source[l] < c->low || source[l] + i->mem.bytes > c->high)
            return false;
    }
    if (bits & (i->mem.bytes - 1u)) return false;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        const void *from = (const void *)(uintptr_t)(source[l] + c->distance);
        if (i->mem.bytes == 16) memcpy(x->shared + seen[l], from, 16);
        else if (i->mem.bytes == 8) memcpy(x->shared + seen[l], from, 8);
        else memcpy(x->shared + seen[l], from, 4);
    }
    return true;
}

void run_cp_async(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    const uint64_t *source = LANES(uint64_t, list->ref[0]);
    uint64_t to[32], seen[32];
    uint32_t readers[EVENT_SPACE_COUNT] = {0}, writers[EVENT_SPACE_COUNT] = {0}, left = mask;
    exec_lane_addresses(x, i, to);
    if (copy_straight(x, i, mask, to, source, seen)) readers[EVENT_GLOBAL] = writers[EVENT_SHARED] = mask, left = 0;
    for (uint32_t m = left; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), n = source_bytes(x, i, lane);
        event_space space;
        if (n == UINT32_MAX) return;
        uint8_t *p = exec_lane_pointer(x, i, PTX_SHARED, lane, to[lane], i->mem.bytes, true, &space, &seen[lane]);
        const uint8_t *from = n && p ? source_pointer(x, i, lane, source[lane], n) : NULL;
        if (!p || (n && !from)) return;
        if (n) memcpy(p, from, n);
        memset(p + n, 0, i->mem.bytes - n);
        writers[space] |= 1u << lane;
        if (n) readers[EVENT_GLOBAL] |= 1u << lane;
    }
    x->lanes_on[i->site] += lw_popcount(mask);
    uint32_t async = exec_groups_issue(x, i, mask, i->mem.bytes);
    if (!exec_wants_access(x, i)) return;
    tell_lanes(x, i, EVENT_COPY_READ, readers, source, seen, readers[EVENT_GLOBAL], async);
    tell_lanes(x, i, EVENT_COPY_WRITE, writers, seen, source, readers[EVENT_GLOBAL], async);
}

void run_cp_async_group(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_groups_use(x, i, mask); }

/* ---------------------------------------------------------------- bulk copies */
typedef struct bulk {
    uint32_t lane, bytes;
    uint64_t to, from, barrier; /* shared: rank << 24 | offset */
    uint32_t ranks;             /* multicast: destination blocks */
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

static void bulk_move(exec_ctx *x, const code_insn *i, const bulk *b, uint8_t *to, const uint8_t *from,
                      event_space space)
{
    if (i->mem.atomic.operation != CODE_NO_OPERATION) {
        uint32_t each = ptx_type_bytes((ptx_type)i->mem.atomic.type);
        for (uint32_t k = 0; k < b->bytes; k += each) {
            uint64_t value = 0;
            memcpy(&value, from + k, each);
            exec_atomic_update(x, i->mem.atomic.operation, (ptx_type)i->mem.atomic.type, to + k, space, value);
        }
    } else if (b->byte_mask == 0xffff) {
        memmove(to, from, b->bytes);
    } else {
        for (uint32_t k = 0; k < b->bytes; k++)
            if (b->byte_mask >> (k & 15) & 1) to[k] = from[k];
    }
}

/* An operation that will complete on the object at (rank << 24) + offset. */
static void issue_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes, uint32_t number)
{
    exec_emit_async_issue(x, i, &(exec_async_use){number, 1u << lane, EVENT_BY_MBARRIER, barrier, bytes, false});
}

/* The completion comes before the bytes that announce it. */
static bool complete_on(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t barrier, uint32_t bytes,
                        uint32_t number)
{
    exec_emit_async_complete(x, i, &(exec_async_use){number, 1u << lane, EVENT_BY_MBARRIER, barrier, bytes, false});
    return exec_mbarrier_complete_tx(x, i, lane, barrier, bytes);
}

/* The copy into one destination; its mbarrier lies in the same block as the data. */
static bool bulk_into(exec_ctx *x, const code_insn *i, const bulk *b, uint64_t to, uint64_t barrier,
                      const uint8_t *from, uint64_t from_seen)
{
    bool to_global = i->mem.atomic.direction == BULK_SHARED_TO_GLOBAL;
    event_space space = to_global ? EVENT_GLOBAL : EVENT_SHARED;
    uint64_t seen = to;
    if (!to_global && to >> MEM_SHARED_SLOT_SHIFT != barrier >> MEM_SHARED_SLOT_SHIFT) {
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, b->lane, barrier, 8, true, "shared",
                  "bulk copy to block rank %u with an mbarrier in block rank %u: they must be the same",
                  (uint32_t)(to >> MEM_SHARED_SLOT_SHIFT), (uint32_t)(barrier >> MEM_SHARED_SLOT_SHIFT));
        return false;
    }
    if (b->bytes) {
        uint8_t *p = exec_lane_range(x, i, to_global ? PTX_GLOBAL : PTX_SHARED_CLUSTER, b->lane, to, b->bytes, true,
                                     &space, &seen);
        if (!p) return false;
        bulk_move(x, i, b, p, from, space);
        tell_bulk(x, i, i->mem.atomic.operation == CODE_NO_OPERATION ? EVENT_COPY_WRITE : EVENT_REDUCTION, space,
                  b->lane, seen, from_seen, b->bytes, b->number);
    }
    return to_global || complete_on(x, i, b->lane, barrier, b->bytes, b->number);
}

/* A .shared::cta operand must not name another block's memory. */
static bool own_block(exec_ctx *x, const code_insn *i, const bulk *b, uint64_t address)
{
    if (address >> MEM_SHARED_SLOT_SHIFT == x->block->rank) return true;
    exec_fail(x, i, EXEC_INVALID_SPACE, b->lane, address, b->bytes, false, "shared",
              "bulk copy: 0x%llx does not lie in the block's own shared memory", (unsigned long long)address);
    return false;
}

/* A shared address as events give it: the offset alone in the block's own memory. */
static uint64_t seen_address(const exec_ctx *x, const code_insn *i, uint64_t address)
{
    bool own = i->mem.atomic.direction != BULK_SHARED_TO_GLOBAL && address >> MEM_SHARED_SLOT_SHIFT == x->block->rank;
    return own ? address & SLOT_MASK : address;
}

/* A multicast reads its source once, and writes it into every block of the mask. */
static bool bulk_lane(exec_ctx *x, const code_insn *i, const bulk *b)
{
    bool from_global = i->mem.atomic.direction == BULK_GLOBAL_TO_SHARED;
    event_space space = EVENT_GLOBAL;
    uint64_t seen = b->from;
    const uint8_t *from = NULL;
    if (bulk_misaligned(x, i, b) || (!from_global && !own_block(x, i, b, b->from))) return false;
    if (i->mem.space == PTX_SHARED && !own_block(x, i, b, b->to)) return false;
    if (b->bytes) {
        from = exec_lane_range(x, i, from_global ? PTX_GLOBAL : PTX_SHARED_CLUSTER, b->lane, b->from, b->bytes, false,
                               &space, &seen);
        if (!from) return false;
        tell_bulk(x, i, EVENT_COPY_READ, space, b->lane, seen, seen_address(x, i, b->to), b->bytes, b->number);
    }
    if (!b->multicast) return bulk_into(x, i, b, b->to, b->barrier, from, seen);
    for (uint32_t m = b->ranks; m; m &= m - 1) {
        uint64_t slot = (uint64_t)__builtin_ctz(m) << MEM_SHARED_SLOT_SHIFT;
        if (!bulk_into(x, i, b, slot | (b->to & SLOT_MASK), slot | (b->barrier & SLOT_MASK), from, seen)) return false;
    }
    return true;
}

/* Copies to global memory complete by groups, others on an mbarrier. */
static uint32_t issue_bulk(exec_ctx *x, const code_insn *i, const bulk *b)
{
    if (i->mem.atomic.direction == BULK_SHARED_TO_GLOBAL) return exec_groups_issue(x, i, 1u << b->lane, b->bytes);
    uint32_t number = exec_async_number(x);
    issue_on(x, i, b->lane, b->barrier, b->bytes, number);
    return number;
}

void run_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    x->lanes_on[i->site] += lw_popcount(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bulk b = {.lane = lane,
                  .to = LANES(uint64_t, i->a)[lane],
                  .from = LANES(uint64_t, list->ref[0])[lane],
                  .bytes = LANES(uint32_t, list->ref[1])[lane],
                  .byte_mask = 0xffff};
        if (list->ref[2] != CODE_NO_REF) b.barrier = LANES(uint64_t, list->ref[2])[lane];
        if (list->ref[3] != CODE_NO_REF) b.multicast = true, b.ranks = LANES(uint16_t, list->ref[3])[lane];
        if (list->ref[4] != CODE_NO_REF) b.byte_mask = LANES(uint16_t, list->ref[4])[lane];
        b.number = issue_bulk(x, i, &b);
        if (!bulk_lane(x, i, &b)) return;
    }
}

/* ---------------------------------------------------------------- st.bulk */
void run_st_bulk(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32];
    exec_lane_addresses(x, i, address);
    x->lanes_on[i->site] += lw_popcount(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bytes = LANES(uint64_t, i->b)[lane], seen;
        event_space space;
        if ((address[lane] | bytes) & 7 || bytes > UINT32_MAX) {
            exec_fail(x, i, EXEC_MISALIGNED, lane, address[lane], (uint32_t)bytes, true, "shared",
                      "st.bulk of %llu bytes at 0x%llx: address and size must be multiples of 8",
                      (unsigned long long)bytes, (unsigned long long)address[lane]);
            return;
        }
        if (!bytes) continue;
        uint8_t *p =
            exec_lane_range(x, i, (ptx_space)i->mem.space, lane, address[lane], (uint32_t)bytes, true, &space, &seen);
        if (!p) return;
        if (space != EVENT_SHARED) {
            exec_fail(x, i, EXEC_INVALID_SPACE, lane, address[lane], (uint32_t)bytes, true, exec_space_name(space),
                      "st.bulk at 0x%llx: not the block's own shared memory", (unsigned long long)address[lane]);
            return;
        }
        memset(p, 0, bytes);
        tell_bulk(x, i, EVENT_STORE, space, lane, seen, 0, (uint32_t)bytes, 0);
    }
}

/* ---------------------------------------------------------------- st.async, red.async */
/* (rank << 24) + offset of a shared address that exec_lane_pointer() found. */
static uint64_t cluster_address(const exec_ctx *x, event_space space, uint64_t seen)
{
    return space == EVENT_SHARED ? ((uint64_t)x->block->rank << MEM_SHARED_SLOT_SHIFT) + seen : seen;
}

static bool store_async(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, event_space *out_space,
                        uint64_t *out_seen, uint64_t *out_barrier)
{
    const code_list *list = i->mem.list;
    uint32_t bytes = (uint32_t)i->mem.bytes * i->mem.vector;
    uint64_t barrier = LANES(uint64_t, list->ref[0])[lane];
    uint8_t *p = exec_lane_pointer(x, i, (ptx_space)i->mem.space, lane, address, bytes, true, out_space, out_seen);
    if (!p) return false;
    if (i->mem.space == PTX_GENERIC && mem_in_shared_window(barrier)) barrier -= MEM_SHARED_WINDOW;
    bool shared = *out_space == EVENT_SHARED || *out_space == EVENT_DSHARED;
    uint64_t at = shared ? cluster_address(x, *out_space, *out_seen) : 0;
    if (!shared || at >> MEM_SHARED_SLOT_SHIFT != barrier >> MEM_SHARED_SLOT_SHIFT) {
        exec_fail(
            x, i, EXEC_ILLEGAL_INSTRUCTION, lane, address, bytes, true, exec_space_name(*out_space),
            "asynchronous store to 0x%llx with an mbarrier at 0x%llx: both must lie in the shared memory of one block",
            (unsigned long long)address, (unsigned long long)barrier);
        return false;
    }
    for (uint32_t k = 0; k < i->mem.vector; k++, p += i->mem.bytes) {
        code_ref r = list->ref[1 + k];
        uint64_t value = 0;
        memcpy(&value, x->file[r & 3] + (r & ~3u) + (size_t)lane * i->mem.bytes, i->mem.bytes);
        if (i->mem.atomic.operation == CODE_NO_OPERATION) memcpy(p, &value, i->mem.bytes);
        else exec_atomic_update(x, i->mem.atomic.operation, (ptx_type)i->mem.atomic.type, p, *out_space, value);
    }
    *out_barrier = barrier;
    return true;
}

void run_st_async(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32], seen[32], barrier[32];
    uint32_t lanes_of[EVENT_SPACE_COUNT] = {0}, bytes = (uint32_t)i->mem.bytes * i->mem.vector;
    exec_lane_addresses(x, i, address);
    x->lanes_on[i->site] += lw_popcount(mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        event_space space;
        if (!store_async(x, i, lane, address[lane], &space, &seen[lane], &barrier[lane])) return;
        lanes_of[space] |= 1u << lane;
    }
    uint32_t number = exec_async_number(x); /* one for all lanes */
    for (uint32_t m = mask; m; m &= m - 1)
        issue_on(x, i, (uint32_t)__builtin_ctz(m), barrier[__builtin_ctz(m)], bytes, number);
    if (exec_wants_access(x, i)) tell_lanes(x, i, (event_op)i->event_op, lanes_of, seen, NULL, 0, number);
    for (uint32_t m = mask; m; m &= m - 1)
        if (!complete_on(x, i, (uint32_t)__builtin_ctz(m), barrier[__builtin_ctz(m)], bytes, number)) return;
}
