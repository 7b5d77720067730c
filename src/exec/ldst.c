/* ldst.c: loads and stores, per host instruction set (as lanes.h). The fast paths take a warp whose lanes all lie in
 * one allocation (or in the block's shared memory) and are aligned; everything else goes lane by lane through
 * exec_lane_pointer(), which checks and reports. The address array goes to the clients of events unchanged. */
#include "exec/emit.h"
#include "exec/lanes.h"

typedef struct address_facts {
    uint64_t low, high; /* least and greatest address of the active lanes */
    uint64_t bits;      /* all address bits or'ed: alignment */
    bool consecutive;   /* all 32 lanes active, address[l] = address[0] + l * bytes */
    bool uniform;
} address_facts;

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

static inline __attribute__((always_inline)) address_facts facts_of(const uint64_t *address, uint32_t mask,
                                                                    uint32_t bytes)
{
    address_facts f = {0};
    if (mask == FULL_MASK) {
        uint64_t first = address[0], straight = 0, same = 0, bits = 0;
        EACH_LANE
        {
            straight |= address[l] ^ (first + (uint64_t)l * bytes);
            same |= address[l] ^ first;
            bits |= address[l];
        }
        f.bits = bits;
        if (!straight) {
            f.consecutive = true;
            f.low = first;
            f.high = address[31];
            return f;
        }
        if (!same) {
            f.uniform = true;
            f.low = f.high = first;
            return f;
        }
        uint64_t low = first, high = first;
        EACH_LANE
        {
            low = address[l] < low ? address[l] : low;
            high = address[l] > high ? address[l] : high;
        }
        f.low = low;
        f.high = high;
        return f;
    }
    uint32_t one = (uint32_t)__builtin_ctz(mask);
    uint64_t first = address[one], low = first, high = first, bits = 0, same = 0;
    EACH_LANE
    {
        uint64_t a = mask & lane_bit[l] ? address[l] : first;
        low = a < low ? a : low;
        high = a > high ? a : high;
        bits |= a;
        same |= a ^ first;
    }
    f.low = low;
    f.high = high;
    f.bits = bits;
    f.uniform = !same;
    return f;
}

/* Is [low, high + size) inside one live allocation? Remembers the answer per site. */
static inline __attribute__((always_inline)) bool in_allocation(exec_ctx *x, uint32_t site, uint64_t low, uint64_t high,
                                                                uint32_t size)
{
    exec_alloc_cache *c = &x->caches[site];
    /* high < c->high: an address near the end of all may wrap */
    if (__builtin_expect(low >= c->low && high < c->high && high + size <= c->high, 1)) return true;
    mem_allocation a;
    if (!mem_find(x->launch->memory, low, &a)) return false;
    exec_note_allocation(x, c, &a);
    return high < c->high && high + size <= c->high;
}

static inline __attribute__((always_inline)) void
tell(exec_ctx *x, const code_insn *i, uint32_t mask, event_space space, const uint64_t *address, const address_facts *f)
{
    x->lanes_on[i->site] += lw_popcount(mask);
    if (!exec_wants_access(x, i)) return;
    event_shape shape = f->consecutive ? EVENT_CONSECUTIVE : f->uniform ? EVENT_UNIFORM : EVENT_GENERAL;
    exec_emit_access(
        x, i, &(exec_access){.mask = mask, .space = (uint8_t)space, .shape = (uint8_t)shape, .address = address});
}

/* Element k of one lane, whatever its width. */
static void move_element(exec_ctx *x, const code_insn *i, uint32_t k, uint32_t lane, uint8_t *at, bool store)
{
    const code_list *list = i->mem.list;
    code_ref ref = list->ref[k];
    if (ref == CODE_NO_REF) return;
    uint8_t *reg = x->file[ref & 3] + (ref & ~3u) + (size_t)lane * i->mem.access.reg_bytes;
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

/* All of a lane before the next one: each lane then sees what the one before it wrote. */
static void move_watched(exec_ctx *x, const code_insn *i, uint32_t mask, uint8_t *const pointer[32], bool store)
{
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        exec_watch_before(x, lane, pointer[lane], size);
        for (uint32_t k = 0; k < i->mem.vector; k++) move_element(x, i, k, lane, pointer[lane], store);
        exec_watch_after(x, lane, pointer[lane], size, !store, store);
    }
}

static void tell_spaces(exec_ctx *x, const code_insn *i, const uint32_t lanes_of[EVENT_SPACE_COUNT],
                        const uint64_t *seen)
{
    if (!exec_wants_access(x, i)) return;
    for (uint32_t s = 0; s < EVENT_SPACE_COUNT; s++)
        if (lanes_of[s])
            exec_emit_access(x, i, &(exec_access){.mask = lanes_of[s], .space = (uint8_t)s, .address = seen});
}

/* Lane by lane, any space: used for generic addresses of mixed spaces, several allocations, faults. Events are made per
 * space, in order of the spaces. */
static __attribute__((noinline)) void slow_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                  const uint64_t *address, bool store)
{
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector, lanes_of[EVENT_SPACE_COUNT] = {0};
    uint64_t seen[32];
    uint8_t *pointer[32];
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
        tell_spaces(x, i, lanes_of, seen);
        exec_watch_end(x);
        return;
    }
    for (uint32_t k = 0; k < i->mem.vector; k++)
        for (uint32_t m = mask; m; m &= m - 1)
            move_element(x, i, k, (uint32_t)__builtin_ctz(m), pointer[__builtin_ctz(m)], store);
    tell_spaces(x, i, lanes_of, seen);
}

/* Register lanes <- memory lanes at base[l] for one element width. */
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
            for (uint32_t l = 0; l < 32; l++) d[l] = *(const T *)(uintptr_t)(address[l] + (uint64_t)bias);             \
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
            for (uint32_t l = 0; l < 32; l++) *(T *)(uintptr_t)(address[l] + (uint64_t)bias) = s[l];                   \
        } else {                                                                                                       \
            for (uint32_t m = mask; m; m &= m - 1) {                                                                   \
                uint32_t l = (uint32_t)__builtin_ctz(m);                                                               \
                *(T *)(uintptr_t)(address[l] + (uint64_t)bias) = s[l];                                                 \
            }                                                                                                          \
        }                                                                                                              \
    }
MOVE_LANES(u16)
MOVE_LANES(u32)
MOVE_LANES(u64)
#undef MOVE_LANES

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

/* Other widths: bytes, registers wider than the element, 128 bits. */
static __attribute__((noinline)) void move_odd(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *address,
                                               int64_t bias, bool store)
{
    const code_list *list = i->mem.list;
    for (uint32_t k = 0; k < i->mem.vector; k++, bias += i->mem.bytes) {
        if (list->ref[k] == CODE_NO_REF) continue;
        uint8_t *r = x->file[list->ref[k] & 3] + (list->ref[k] & ~3u);
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            uint8_t *reg = r + (size_t)lane * i->mem.access.reg_bytes,
                    *at = (uint8_t *)(uintptr_t)(address[lane] + (uint64_t)bias);
            if (store) {
                if (i->mem.bytes == 1) *at = *reg;
                else memcpy(at, reg, i->mem.bytes);
                continue;
            }
            if (i->mem.bytes >= 8) {
                memcpy(reg, at, i->mem.bytes);
                continue;
            }
            uint64_t value = 0;
            if (i->mem.bytes == 1) value = i->mem.access.is_signed ? (uint64_t)(int64_t)*(int8_t *)at : *at;
            else if (i->mem.bytes == 2)
                value = i->mem.access.is_signed ? (uint64_t)(int64_t)*(int16_t *)at : *(uint16_t *)at;
            else value = i->mem.access.is_signed ? (uint64_t)(int64_t)*(int32_t *)at : *(uint32_t *)at;
            if (i->mem.access.reg_bytes == 2) *(uint16_t *)reg = (uint16_t)value;
            else if (i->mem.access.reg_bytes == 4) *(uint32_t *)reg = (uint32_t)value;
            else memcpy(reg, &value, 8);
        }
    }
}

/* Asks the host's memory for what the site's next access will want if it goes on by the same step: from warp to warp
 * that is often a row of a matrix, which crosses a page, so that the host's own prefetchers do not follow. */
static inline __attribute__((always_inline)) void prefetch_next(exec_ctx *x, uint32_t site, uint64_t low)
{
    exec_alloc_cache *c = &x->caches[site];
    uint64_t next = low + (low - c->last);
    c->last = low;
    __builtin_prefetch((const void *)(uintptr_t)next);
    __builtin_prefetch((const void *)(uintptr_t)(next + 64));
}

static inline __attribute__((always_inline)) void global_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                                const uint64_t *address, const address_facts *f,
                                                                bool store, event_space space)
{
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;
    if (__builtin_expect(x->fields || (f->bits & (size - 1)) || !in_allocation(x, i->site, f->low, f->high, size), 0)) {
        slow_access(x, i, mask, address, store);
        return;
    }
    prefetch_next(x, i->site, f->low);
    if (i->mem.bytes == i->mem.access.reg_bytes && i->mem.bytes != 16) move_elements(x, i, mask, address, 0, f, store);
    else move_odd(x, i, mask, address, 0, store);
    tell(x, i, mask, space, address, f);
}

static inline __attribute__((always_inline)) void shared_access(exec_ctx *x, const code_insn *i, uint32_t mask,
                                                                uint64_t *address, address_facts *f, bool store)
{
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;
    /* rank bits of the own block are dropped; another rank's (or none of ours) goes the slow way */
    uint64_t own = i->a == CODE_NO_REF ? 0 : (uint64_t)x->block->rank << MEM_SHARED_SLOT_SHIFT;
    if (__builtin_expect(x->fields || (f->bits & (size - 1)) || f->low < own || f->high - own >= x->shared_bytes ||
                             f->high - own + size > x->shared_bytes,
                         0)) {
        slow_access(x, i, mask, address, store);
        return;
    }
    if (own) EACH_LANE address[l] -= own;
    int64_t bias = (int64_t)(uintptr_t)x->shared;
    if (i->mem.bytes == i->mem.access.reg_bytes && i->mem.bytes != 16)
        move_elements(x, i, mask, address, bias, f, store);
    else move_odd(x, i, mask, address, bias, store);
    tell(x, i, mask, EVENT_SHARED, address, f);
}

#define ACCESS(name, store)                                                                                            \
    static void name##_global(exec_ctx *x, const code_insn *i, uint32_t mask)                                          \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, (uint32_t)i->mem.bytes * i->mem.vector);                             \
        global_access(x, i, mask, address, &f, store, i->mem.space == PTX_CONST ? EVENT_CONSTANT : EVENT_GLOBAL);      \
    }                                                                                                                  \
    static void name##_shared(exec_ctx *x, const code_insn *i, uint32_t mask)                                          \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, (uint32_t)i->mem.bytes * i->mem.vector);                             \
        shared_access(x, i, mask, address, &f, store);                                                                 \
    }                                                                                                                  \
    static void name##_generic(exec_ctx *x, const code_insn *i, uint32_t mask)                                         \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        address_facts f = facts_of(address, mask, (uint32_t)i->mem.bytes * i->mem.vector);                             \
        uint64_t own = MEM_SHARED_WINDOW + ((uint64_t)x->block->rank << MEM_SHARED_SLOT_SHIFT);                        \
        uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;                                                        \
        if (f.high < MEM_SHARED_WINDOW || f.low >= MEM_LOCAL_WINDOW + MEM_LOCAL_WINDOW_BYTES) {                        \
            global_access(x, i, mask, address, &f, store, EVENT_GLOBAL);                                               \
        } else if (!x->fields && f.low >= own && f.high - own + size <= x->shared_bytes && !(f.bits & (size - 1))) {   \
            EACH_LANE address[l] -= own;                                                                               \
            int64_t bias = (int64_t)(uintptr_t)x->shared;                                                              \
            if (i->mem.bytes == i->mem.access.reg_bytes && i->mem.bytes != 16)                                         \
                move_elements(x, i, mask, address, bias, &f, store);                                                   \
            else move_odd(x, i, mask, address, bias, store);                                                           \
            tell(x, i, mask, EVENT_SHARED, address, &f);                                                               \
        } else {                                                                                                       \
            slow_access(x, i, mask, address, store);                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void name##_any(exec_ctx *x, const code_insn *i, uint32_t mask)                                             \
    {                                                                                                                  \
        uint64_t address[32] __attribute__((aligned(64)));                                                             \
        addresses(x, i, address);                                                                                      \
        slow_access(x, i, mask, address, store);                                                                       \
    }
ACCESS(load, false)
ACCESS(store, true)

static void local_frame(exec_ctx *x, const code_insn *i, uint32_t mask, bool store)
{
    uint64_t address[32];
    uint64_t base = (uint64_t)(uintptr_t)exec_warp_local(x) + x->group->frame->base + (uint64_t)i->mem.offset;
    for (uint32_t l = 0; l < 32; l++) address[l] = base + (uint64_t)l * x->local_stride;
    move_odd(x, i, mask, address, 0, store);
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
