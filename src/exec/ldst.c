/* ldst.c: loads and stores, per host instruction set (as lanes.h). The fast paths take a warp whose lanes all lie in
 * one allocation (or in the block's shared memory) and are aligned; everything else goes lane by lane through
 * exec_lane_pointer(), which checks and reports. The address array goes to the clients of events unchanged. */
#include "exec/emit.h"
#include "exec/lanes.h"
#include "exec/operand.h"

typedef struct address_facts {
    uint64_t low, high; /* least and greatest address of the active lanes */
    uint64_t bits;      /* all address bits or'ed: alignment */
    bool consecutive;   /* all 32 lanes active, address[l] = address[0] + l * bytes */
    bool uniform;       /* the active lanes have one address; not set if they are consecutive */
} address_facts;

/* Bytes of one lane. */
static inline uint32_t access_bytes(const code_insn *i) { return (uint32_t)i->mem.bytes * i->mem.vector; }

static inline __attribute__((always_inline)) void addresses(exec_ctx *x, const code_insn *i, uint64_t *restrict out)
{
    const int64_t offset = i->mem.offset;
    if (i->a == CODE_NO_REF) {
        EACH_LANE out[l] = (uint64_t)offset;
    } else if (i->mem.narrow) {
        const uint32_t *base = LANES(uint32_t, i->a);
        EACH_LANE out[l] = (uint32_t)(base[l] + (uint32_t)offset);
    } else {
        const uint64_t *base = LANES(uint64_t, i->a);
        EACH_LANE out[l] = base[l] + (uint64_t)offset;
    }
}

static inline __attribute__((always_inline)) address_facts facts_of_all(const uint64_t *address, uint32_t bytes)
{
    uint64_t first = address[0];
    uint64_t straight = 0; /* bits in which some lane is not where a consecutive access has it */
    uint64_t same = 0;     /* bits in which some lane is not where the first one is */
    uint64_t bits = 0;
    EACH_LANE
    {
        straight |= address[l] ^ (first + (uint64_t)l * bytes);
        same |= address[l] ^ first;
        bits |= address[l];
    }
    if (!straight) return (address_facts){.low = first, .high = address[31], .bits = bits, .consecutive = true};
    if (!same) return (address_facts){.low = first, .high = first, .bits = bits, .uniform = true};
    uint64_t low = first, high = first;
    EACH_LANE
    {
        low = address[l] < low ? address[l] : low;
        high = address[l] > high ? address[l] : high;
    }
    return (address_facts){.low = low, .high = high, .bits = bits};
}

static inline __attribute__((always_inline)) address_facts facts_of_some(const uint64_t *address, uint32_t mask)
{
    uint64_t first = address[__builtin_ctz(mask)];
    uint64_t low = first, high = first, bits = 0, same = 0;
    EACH_LANE
    {
        uint64_t a = mask & lane_bit[l] ? address[l] : first;
        low = a < low ? a : low;
        high = a > high ? a : high;
        bits |= a;
        same |= a ^ first;
    }
    return (address_facts){.low = low, .high = high, .bits = bits, .uniform = !same};
}

static inline __attribute__((always_inline)) address_facts facts_of(const uint64_t *address, uint32_t mask,
                                                                    uint32_t bytes)
{
    return mask == FULL_MASK ? facts_of_all(address, bytes) : facts_of_some(address, mask);
}

/* Is [low, high + size) inside one live allocation? Remembers the answer per site. */
static inline __attribute__((always_inline)) bool in_allocation(exec_ctx *x, uint32_t site, uint64_t low, uint64_t high,
                                                                uint32_t size)
{
    exec_alloc_cache *c = &x->caches[site];
    /* high < c->high: an address near the end of all may wrap */
    if (__builtin_expect(low >= c->low && high < c->high && high + size <= c->high, 1)) return true;
    mem_allocation a;
    if (!mem_find(x->launch->memory, low, &a) || !exec_reaches(x, &a, true)) return false;
    exec_note_allocation(x, c, &a);
    return high < c->high && high + size <= c->high;
}

static inline event_shape shape_of(const address_facts *f)
{
    if (f->consecutive) return EVENT_CONSECUTIVE;
    return f->uniform ? EVENT_UNIFORM : EVENT_GENERAL;
}

static inline __attribute__((always_inline)) void
tell(exec_ctx *x, const code_insn *i, uint32_t mask, event_space space, const uint64_t *address, const address_facts *f)
{
    x->lanes_on[i->site] += lw_popcount(mask);
    if (!exec_wants_access(x, i)) return;
    if (x->tells_plain) {
        exec_emit_plain(x, i, mask, space, shape_of(f), address);
        return;
    }
    exec_access access = {.mask = mask, .space = (uint8_t)space, .shape = (uint8_t)shape_of(f), .address = address};
    exec_emit_access(x, i, &access);
}

/* Element k of one lane, whatever its width. */
static void move_element(exec_ctx *x, const code_insn *i, uint32_t k, uint32_t lane, uint8_t *at, bool store)
{
    const code_list *list = i->mem.list;
    code_ref ref = list->ref[k];
    if (ref == CODE_NO_REF) return;
    uint8_t *reg = exec_lane_bytes(x, ref, i->mem.access.reg_bytes, lane);
    at += (size_t)k * i->mem.bytes;
    if (store) {
        memcpy(at, reg, i->mem.bytes);
        return;
    }
    uint64_t value[2] = {0, 0};
    memcpy(value, at, i->mem.bytes);
    if (i->mem.access.is_signed && i->mem.bytes < 8 && (value[0] >> (8 * i->mem.bytes - 1) & 1))
        value[0] |= ~(uint64_t)0 << (8 * i->mem.bytes);
    memcpy(reg, value, i->mem.access.reg_bytes);
}

/* Nothing of it is seen before the rest, by whatever host thread: up to 16 bytes, aligned, are one access of the host. */
static inline void copy_at_once(uint8_t *to, const uint8_t *from, uint32_t size)
{
    typedef long long pair __attribute__((vector_size(16), may_alias));
    typedef uint64_t word8 __attribute__((may_alias));
    typedef uint32_t word4 __attribute__((may_alias));
    switch (size) {
    case 16: *(volatile pair *)(void *)to = *(const volatile pair *)(const void *)from; break;
    case 8: *(volatile word8 *)(void *)to = *(const volatile word8 *)(const void *)from; break;
    case 4: *(volatile word4 *)(void *)to = *(const volatile word4 *)(const void *)from; break;
    default: memcpy(to, from, size);
    }
}

/* All elements of one lane. */
static void move_lane(exec_ctx *x, const code_insn *i, uint32_t lane, uint8_t *at, bool store)
{
    uint8_t copy[32] __attribute__((aligned(32)));
    uint8_t *elements = i->mem.access.at_once ? copy : at;
    if (!store && elements == copy) copy_at_once(copy, at, access_bytes(i));
    for (uint32_t k = 0; k < i->mem.vector; k++) move_element(x, i, k, lane, elements, store);
    if (store && elements == copy) copy_at_once(at, copy, access_bytes(i));
}

/* All of a lane before the next one: each lane then sees what the one before it wrote. */
static void move_watched(exec_ctx *x, const code_insn *i, uint32_t mask, uint8_t *const pointer[32], bool store)
{
    uint32_t size = access_bytes(i);
    LANES_DOWN(mask)
    {
        exec_watch_before(x, l, pointer[l], size);
        move_lane(x, i, l, pointer[l], store);
        exec_watch_after(x, l, pointer[l], size, !store, store);
    }
}

/* Lane by lane, any space: used for generic addresses of mixed spaces, several allocations, faults. Events are made per
 * space, in order of the spaces. */
static __attribute__((noinline)) void slow_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                  const uint64_t *address, bool store)
{
    uint32_t size = access_bytes(i);
    uint32_t lanes_of[EVENT_SPACE_COUNT] = {0};
    uint64_t seen[32];
    uint8_t *pointer[32] = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        event_space space;
        pointer[lane] =
            exec_lane_pointer(x, i, (ptx_space)i->mem.space, lane, address[lane], size, store, &space, &seen[lane]);
        if (!pointer[lane]) return;
        lanes_of[space] |= 1u << lane;
    }
    x->lanes_on[i->site] += lw_popcount(mask);
    if (x->fields) {
        exec_watch_begin(x, i, mask, pointer, size);
        move_watched(x, i, mask, pointer, store);
        exec_emit_spaces(x, i, lanes_of, seen);
        exec_watch_end(x);
        return;
    }
    LANES_DOWN(mask) move_lane(x, i, l, pointer[l], store);
    exec_emit_spaces(x, i, lanes_of, seen);
}

/* Lane by lane, but not a branch for each. */
#if defined __clang__
#define UNROLLED _Pragma("clang loop unroll_count(8)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

/* Register lanes <- memory lanes at base[l] for one element width, and the other way. Stores go from the highest lane
 * down: of lanes that store to one place the lowest one's value stays (tests/hw/README.md, h200-schedule.csv). */
#define MOVE_LANES(T)                                                                                                  \
    static inline __attribute__((always_inline)) void load_##T(T *restrict d, const uint64_t *address, int64_t bias,   \
                                                               uint32_t mask, bool consecutive, bool uniform)          \
    {                                                                                                                  \
        if (consecutive) {                                                                                             \
            const T *p = (const T *)(uintptr_t)(address[0] + (uint64_t)bias);                                          \
            EACH_LANE d[l] = p[l];                                                                                     \
        } else if (uniform) {                                                                                          \
            T v = *(const T *)(uintptr_t)(address[__builtin_ctz(mask)] + (uint64_t)bias);                              \
            EACH_LANE d[l] = mask & lane_bit[l] ? v : d[l];                                                            \
        } else if (mask == FULL_MASK) {                                                                                \
            UNROLLED for (uint32_t l = 0; l < 32; l++) d[l] = *(const T *)(uintptr_t)(address[l] + (uint64_t)bias);    \
        } else {                                                                                                       \
            for (uint32_t m = mask; m; m &= m - 1) {                                                                   \
                uint32_t l = (uint32_t)__builtin_ctz(m);                                                               \
                d[l] = *(const T *)(uintptr_t)(address[l] + (uint64_t)bias);                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void store_##T(const T *restrict s, const uint64_t *address,          \
                                                                int64_t bias, uint32_t mask, bool consecutive)         \
    {                                                                                                                  \
        if (consecutive) {                                                                                             \
            T *p = (T *)(uintptr_t)(address[0] + (uint64_t)bias);                                                      \
            EACH_LANE p[l] = s[l];                                                                                     \
        } else if (mask == FULL_MASK) {                                                                                \
            for (uint32_t l = 32; l-- > 0;) *(T *)(uintptr_t)(address[l] + (uint64_t)bias) = s[l];                     \
        } else {                                                                                                       \
            LANES_DOWN(mask) * (T *)(uintptr_t)(address[l] + (uint64_t)bias) = s[l];                                   \
        }                                                                                                              \
    }
MOVE_LANES(u16)
MOVE_LANES(u32)
MOVE_LANES(u64)
#undef MOVE_LANES
#undef UNROLLED

/* Moves elements whose register lanes are as wide as in memory, at address + bias. */
static inline __attribute__((always_inline)) void move_elements(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                                const uint64_t *address, int64_t bias,
                                                                const address_facts *f, bool store)
{
    const code_list *list = i->mem.list;
    bool straight = f->consecutive && i->mem.vector == 1, same = f->uniform;
    for (uint32_t k = 0; k < i->mem.vector; k++, bias += i->mem.bytes) {
        code_ref r = list->ref[k];
        if (r == CODE_NO_REF) continue;
        switch (i->mem.bytes) {
        case 4:
            if (store) store_u32(LANES(uint32_t, r), address, bias, mask, straight);
            else load_u32(LANES(uint32_t, r), address, bias, mask, straight, same);
            break;
        case 8:
            if (store) store_u64(LANES(uint64_t, r), address, bias, mask, straight);
            else load_u64(LANES(uint64_t, r), address, bias, mask, straight, same);
            break;
        case 2:
            if (store) store_u16(LANES(uint16_t, r), address, bias, mask, straight);
            else load_u16(LANES(uint16_t, r), address, bias, mask, straight, same);
            break;
        default: break;
        }
    }
}

/* Up to 4 bytes of memory as a register of up to 8 holds them. */
static inline uint64_t extended(const uint8_t *at, uint32_t bytes, bool is_signed)
{
    switch (bytes) {
    case 1: return is_signed ? (uint64_t)(int64_t)*(const int8_t *)at : *at;
    case 2: return is_signed ? (uint64_t)(int64_t)*(const int16_t *)at : *(const uint16_t *)at;
    default: return is_signed ? (uint64_t)(int64_t)*(const int32_t *)at : *(const uint32_t *)at;
    }
}

static inline void load_odd(const code_insn *i, uint8_t *reg, const uint8_t *at)
{
    if (i->mem.bytes >= 8) {
        memcpy(reg, at, i->mem.bytes);
        return;
    }
    uint64_t value = extended(at, i->mem.bytes, i->mem.access.is_signed);
    if (i->mem.access.reg_bytes == 2) *(uint16_t *)reg = (uint16_t)value;
    else if (i->mem.access.reg_bytes == 4) *(uint32_t *)reg = (uint32_t)value;
    else memcpy(reg, &value, 8);
}

static inline void store_odd(const code_insn *i, const uint8_t *reg, uint8_t *at)
{
    if (i->mem.bytes == 1) *at = *reg;
    else memcpy(at, reg, i->mem.bytes);
}

/* Other widths: bytes, registers wider than the element, 128 bits. From the highest lane down, as above. */
static __attribute__((noinline)) void move_odd(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *address,
                                               int64_t bias, bool store)
{
    const code_list *list = i->mem.list;
    for (uint32_t k = 0; k < i->mem.vector; k++, bias += i->mem.bytes) {
        if (list->ref[k] == CODE_NO_REF) continue;
        uint8_t *first = exec_lane_bytes(x, list->ref[k], 0, 0);
        LANES_DOWN(mask)
        {
            uint8_t *reg = first + (size_t)l * i->mem.access.reg_bytes;
            uint8_t *at = (uint8_t *)(uintptr_t)(address[l] + (uint64_t)bias);
            if (store) store_odd(i, reg, at);
            else load_odd(i, reg, at);
        }
    }
}

/* Asks the host's memory for what the site's next access will want if it goes on by the same step: from warp to warp
 * that is often a row of a matrix, which crosses a page, so that the host's own prefetchers do not follow. */
static inline __attribute__((always_inline)) void prefetch_next(exec_ctx *x, uint32_t site, uint64_t low)
{
    exec_alloc_cache *c = &x->caches[site];
    uint64_t next = low + (low - c->last) + c->distance;
    c->last = low;
    __builtin_prefetch((const void *)(uintptr_t)next);
    __builtin_prefetch((const void *)(uintptr_t)(next + 64));
}

static __attribute__((noinline)) void move_at_once(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                   const uint64_t *address, int64_t bias, bool store)
{
    LANES_DOWN(mask) move_lane(x, i, l, (uint8_t *)(uintptr_t)(address[l] + (uint64_t)bias), store);
}

/* The lanes' data, at address + bias; aligned, all lanes in range. */
static inline __attribute__((always_inline)) void move(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                       const uint64_t *address, int64_t bias, const address_facts *f,
                                                       bool store)
{
    bool odd = i->mem.bytes != i->mem.access.reg_bytes || i->mem.bytes == 16;
    if (__builtin_expect(i->mem.access.at_once, 0)) move_at_once(x, i, mask, address, bias, store);
    else if (odd) move_odd(x, i, mask, address, bias, store);
    else move_elements(x, i, mask, address, bias, f, store);
}

static inline bool is_aligned(const address_facts *f, uint32_t size) { return !(f->bits & (size - 1)); }

static inline __attribute__((always_inline)) void global_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                                const uint64_t *address, const address_facts *f,
                                                                bool store, event_space space)
{
    uint32_t size = access_bytes(i);
    bool simple = !x->fields && is_aligned(f, size) && in_allocation(x, i->site, f->low, f->high, size);
    if (__builtin_expect(!simple, 0)) {
        slow_access(x, i, mask, address, store);
        return;
    }
    prefetch_next(x, i->site, f->low);
    move(x, i, mask, address, (int64_t)x->caches[i->site].distance, f, store);
    tell(x, i, mask, space, address, f);
}

/* Do all lanes lie in the block's own shared memory, whose addresses begin at own? */
static inline bool in_own_shared(const exec_ctx *x, const address_facts *f, uint64_t own, uint32_t size)
{
    return f->low >= own && f->high - own < x->shared_bytes && f->high - own + size <= x->shared_bytes;
}

/* own: what the block's addresses begin at. Another block's memory (or none of ours) goes the slow way. */
static inline __attribute__((always_inline)) void shared_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                                uint64_t *address, const address_facts *f, bool store,
                                                                uint64_t own)
{
    uint32_t size = access_bytes(i);
    bool simple = !x->fields && is_aligned(f, size) && in_own_shared(x, f, own, size);
    if (__builtin_expect(!simple, 0)) {
        slow_access(x, i, mask, address, store);
        return;
    }
    if (own) EACH_LANE address[l] -= own; /* events give offsets */
    move(x, i, mask, address, (int64_t)(uintptr_t)x->shared, f, store);
    tell(x, i, mask, EVENT_SHARED, address, f);
}

/* Generic addresses that all lie outside the windows of shared and local memory. */
static inline bool outside_windows(const address_facts *f)
{
    return f->high < MEM_SHARED_WINDOW || f->low >= MEM_LOCAL_WINDOW + MEM_LOCAL_WINDOW_BYTES;
}

#define ACCESS(name, store)                                                                                            \
    static void name##_global(exec_ctx *x, const code_insn *i, uint32_t mask)                                          \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, access_bytes(i));                                                    \
        global_access(x, i, mask, address, &f, store, i->mem.space == PTX_CONST ? EVENT_CONSTANT : EVENT_GLOBAL);      \
    }                                                                                                                  \
    static void name##_shared(exec_ctx *x, const code_insn *i, uint32_t mask)                                          \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, access_bytes(i));                                                    \
        shared_access(x, i, mask, address, &f, store, exec_own_slot(x, i));                                            \
    }                                                                                                                  \
    static void name##_generic(exec_ctx *x, const code_insn *i, uint32_t mask)                                         \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, access_bytes(i));                                                    \
        if (outside_windows(&f)) global_access(x, i, mask, address, &f, store, EVENT_GLOBAL);                          \
        else shared_access(x, i, mask, address, &f, store, MEM_SHARED_WINDOW + exec_shared_slot(x->block->rank));      \
    }                                                                                                                  \
    static void name##_any(exec_ctx *x, const code_insn *i, uint32_t mask)                                             \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        slow_access(x, i, mask, address, store);                                                                       \
    }
ACCESS(load, false)
ACCESS(store, true)

/* Parameters of calls lie in the frame, at one offset in every thread's local memory. No memory instructions on a card,
 * so only clients that want what the PTX says see them. */
static __attribute__((noinline)) void tell_frame(exec_ctx *x, const code_insn *i, uint32_t mask, uint64_t offset,
                                                 bool store)
{
    uint64_t seen[32];
    EACH_LANE seen[l] = offset;
    exec_access access = {.mask = mask,
                          .space = EVENT_LOCAL,
                          .shape = EVENT_UNIFORM,
                          .op = (store ? EVENT_STORE : EVENT_LOAD) + 1,
                          .address = seen};
    exec_emit_access(x, i, &access);
}

static __attribute__((noinline)) void frame_watched(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                    const uint64_t *address, uint64_t offset, bool store)
{
    uint8_t *pointer[32];
    EACH_LANE pointer[l] = (uint8_t *)(uintptr_t)address[l];
    exec_watch_begin(x, i, mask, pointer, access_bytes(i));
    move_watched(x, i, mask, pointer, store);
    if (exec_wants_stated(x)) tell_frame(x, i, mask, offset, store);
    exec_watch_end(x);
}

static void local_frame(exec_ctx *x, const code_insn *i, uint32_t mask, bool store)
{
    uint64_t address[32];
    uint64_t offset = x->group->frame->base + (uint64_t)i->mem.offset;
    uint64_t base = (uint64_t)(uintptr_t)exec_warp_local(x) + offset;
    for (uint32_t l = 0; l < 32; l++) address[l] = base + (uint64_t)l * x->local_stride;
    if (__builtin_expect(x->fields, 0)) {
        frame_watched(x, i, mask, address, offset, store);
        return;
    }
    move_odd(x, i, mask, address, 0, store);
    if (exec_wants_stated(x)) tell_frame(x, i, mask, offset, store);
}

void ISA(run_ld_frame)(exec_ctx *x, const code_insn *i, uint32_t mask);
void ISA(run_st_frame)(exec_ctx *x, const code_insn *i, uint32_t mask);
void ISA(run_ld_frame)(exec_ctx *x, const code_insn *i, uint32_t mask) { local_frame(x, i, mask, false); }
void ISA(run_st_frame)(exec_ctx *x, const code_insn *i, uint32_t mask) { local_frame(x, i, mask, true); }

code_run_fn ISA(exec_select_access)(const code_insn *i);
code_run_fn ISA(exec_select_access)(const code_insn *i)
{
    bool store = i->op == OP_st;
    if (i->op == OP_ld_frame) return ISA(run_ld_frame);
    if (i->op == OP_st_frame) return ISA(run_st_frame);
    switch (i->mem.space) {
    case PTX_GLOBAL:
    case PTX_CONST: return store ? store_global : load_global;
    case PTX_SHARED: return store ? store_shared : load_shared;
    case PTX_GENERIC: return store ? store_generic : load_generic;
    default: return store ? store_any : load_any;
    }
}
