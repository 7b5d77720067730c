/* atom.c: atomics and reductions in every space. Lanes are applied in lane order. Shared memory belongs to one worker,
 * so only global atomics need the host's atomic instructions, and only with more than one worker. */
#include "exec/emit.h"
#include "exec/operand.h"
#include "ptx/semantics.h"

#include <pthread.h>

/* ---------------------------------------------------------------- halves */
static f32 half_operation(uint32_t operation, f32 a, f32 b)
{
    if (operation == ATOM_ADD) return a + b;
    return operation == ATOM_MIN ? min_f32(a, b, 0) : max_f32(a, b, 0);
}

static u16 atomic_f16(uint32_t operation, u16 a, u16 b)
{
    return (u16)h16_of_f32(half_operation(operation, f32_of_h16(a), f32_of_h16(b)), 0);
}

static u16 atomic_bf16(uint32_t operation, u16 a, u16 b)
{
    return (u16)b16_of_f32(half_operation(operation, f32_of_b16(a), f32_of_b16(b)), 0);
}

static u32 both_halves(u16 (*atomic)(uint32_t operation, u16 a, u16 b), uint32_t operation, u64 old, u64 value)
{
    u32 low = atomic(operation, (u16)old, (u16)value);
    u32 high = atomic(operation, (u16)(old >> 16), (u16)(value >> 16));
    return low | high << 16;
}

/* ---------------------------------------------------------------- the operation on values */
typedef struct wide {
    uint64_t low, high;
} wide;

#define INTEGER_OPERATION(T)                                                                                           \
    static uint64_t apply_##T(uint32_t operation, uint64_t old_bits, uint64_t value_bits, uint64_t new_bits)           \
    {                                                                                                                  \
        T old = (T)old_bits, value = (T)value_bits;                                                                    \
        switch (operation) {                                                                                           \
        case ATOM_ADD: return (T)((u64)old + (u64)value);                                                              \
        case ATOM_MIN: return (uint64_t)(old < value ? old : value);                                                   \
        case ATOM_MAX: return (uint64_t)(old > value ? old : value);                                                   \
        case ATOM_INC: return (uint64_t)(old >= value ? 0 : old + 1);                                                  \
        case ATOM_DEC: return (uint64_t)(old == 0 || old > value ? value : old - 1);                                   \
        case ATOM_AND: return (uint64_t)(old & value);                                                                 \
        case ATOM_OR: return (uint64_t)(old | value);                                                                  \
        case ATOM_XOR: return (uint64_t)(old ^ value);                                                                 \
        case ATOM_EXCH: return value_bits;                                                                             \
        default: return old == value ? new_bits : old_bits;                                                            \
        }                                                                                                              \
    }
INTEGER_OPERATION(u32)
INTEGER_OPERATION(s32)
INTEGER_OPERATION(u64)
INTEGER_OPERATION(s64)
INTEGER_OPERATION(u16)
#undef INTEGER_OPERATION

static uint64_t apply(uint32_t operation, ptx_type type, uint64_t old, uint64_t value, uint64_t swap)
{
    if (operation == ATOM_ADD || operation == ATOM_MIN || operation == ATOM_MAX) {
        switch (type) {
        /* the ISA: atom.add.f32 on global memory flushes subnormals only on request, which does not exist: it does not
         */
        case PTX_F32: return bits_f32(canonical_f32(f32_bits((u32)old) + f32_bits((u32)value)));
        case PTX_F64: return bits_f64(f64_bits(old) + f64_bits(value));
        case PTX_F16: return atomic_f16(operation, (u16)old, (u16)value);
        case PTX_BF16: return atomic_bf16(operation, (u16)old, (u16)value);
        case PTX_F16X2: return both_halves(atomic_f16, operation, old, value);
        case PTX_BF16X2: return both_halves(atomic_bf16, operation, old, value);
        default: break;
        }
    }
    bool is_signed = ptx_type_class(type) == 'S';
    switch (ptx_type_bytes(type)) {
    case 2: return apply_u16(operation, old, value, swap);
    case 4: return is_signed ? (u32)apply_s32(operation, old, value, swap) : apply_u32(operation, old, value, swap);
    default: return is_signed ? apply_s64(operation, old, value, swap) : apply_u64(operation, old, value, swap);
    }
}

/* ---------------------------------------------------------------- on memory */
static uint64_t read_bits(const void *p, uint32_t bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

#define CAS_LOOP(T)                                                                                                    \
    do {                                                                                                               \
        T old = __atomic_load_n((T *)p, __ATOMIC_RELAXED), now;                                                        \
        do now = (T)apply(operation, type, old, value, swap);                                                          \
        while (!__atomic_compare_exchange_n((T *)p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));            \
        return old;                                                                                                    \
    } while (0)

static uint64_t atomic_on_host(uint32_t operation, ptx_type type, void *p, uint64_t value, uint64_t swap)
{
    switch (ptx_type_bytes(type)) {
    case 2: CAS_LOOP(uint16_t);
    case 4:
        if (operation == ATOM_ADD && ptx_type_class(type) != 'F' && ptx_type_class(type) != 'X')
            return __atomic_fetch_add((uint32_t *)p, (uint32_t)value, __ATOMIC_SEQ_CST);
        CAS_LOOP(uint32_t);
    default:
        if (operation == ATOM_ADD && ptx_type_class(type) != 'F')
            return __atomic_fetch_add((uint64_t *)p, value, __ATOMIC_SEQ_CST);
        CAS_LOOP(uint64_t);
    }
}

static uint64_t atomic_plain(uint32_t operation, ptx_type type, void *p, uint64_t value, uint64_t swap)
{
    uint32_t bytes = ptx_type_bytes(type);
    uint64_t old = read_bits(p, bytes), now = apply(operation, type, old, value, swap);
    memcpy(p, &now, bytes);
    return old;
}

/* Operand lists of atomics: vector results, then vector values, then vector new values of a compare-and-swap (whose
 * values are those compared with). */
static code_ref result_ref(const code_insn *i, uint32_t k) { return i->mem.list->ref[k]; }
static code_ref value_ref(const code_insn *i, uint32_t k) { return i->mem.list->ref[i->mem.vector + k]; }
static code_ref swap_ref(const code_insn *i, uint32_t k) { return i->mem.list->ref[2 * i->mem.vector + k]; }

/* Only global memory is used by several workers. */
static bool needs_host_atomics(const exec_ctx *x, event_space space)
{
    return space == EVENT_GLOBAL && x->worker->run->worker_count > 1;
}

uint64_t exec_atomic_update(exec_ctx *x, uint32_t operation, ptx_type type, uint8_t *p, event_space space,
                            uint64_t value)
{
    if (needs_host_atomics(x, space)) return atomic_on_host(operation, type, p, value, 0);
    return atomic_plain(operation, type, p, value, 0);
}

/* 128-bit exchange and compare-and-swap, under the launch's lock: no portable 16-byte atomic without libatomic. */
static void atomic_128(exec_ctx *x, const code_insn *i, uint32_t lane, uint8_t *p, bool global)
{
    wide old;
    wide value = LANES(wide, value_ref(i, 0))[lane];
    if (global) pthread_mutex_lock(x->worker->run->fault_lock);
    memcpy(&old, p, 16);
    if (i->mem.atomic.operation == ATOM_EXCH) {
        memcpy(p, &value, 16);
    } else if (old.low == value.low && old.high == value.high) {
        wide swap = LANES(wide, swap_ref(i, 0))[lane];
        memcpy(p, &swap, 16);
    }
    if (global) pthread_mutex_unlock(x->worker->run->fault_lock);
    if (result_ref(i, 0) != CODE_NO_REF) LANES(wide, result_ref(i, 0))[lane] = old;
}

/* The bits of a lane's operand; 0 of one that the instruction does not have. */
static uint64_t operand_bits(const exec_ctx *x, const code_insn *i, code_ref ref, uint32_t lane)
{
    return ref == CODE_NO_REF ? 0 : read_bits(exec_lane_bytes(x, ref, i->mem.bytes, lane), i->mem.bytes);
}

static void atomic_lane(exec_ctx *x, const code_insn *i, uint32_t lane, uint8_t *p, event_space space)
{
    uint32_t operation = i->mem.atomic.operation;
    ptx_type type = (ptx_type)i->mem.atomic.type;
    bool on_host = needs_host_atomics(x, space);
    if (i->mem.bytes == 16) {
        atomic_128(x, i, lane, p, on_host);
        return;
    }
    for (uint32_t k = 0; k < i->mem.vector; k++, p += i->mem.bytes) {
        uint64_t value = operand_bits(x, i, value_ref(i, k), lane);
        uint64_t swap = operand_bits(x, i, swap_ref(i, k), lane);
        uint64_t old =
            on_host ? atomic_on_host(operation, type, p, value, swap) : atomic_plain(operation, type, p, value, swap);
        code_ref result = result_ref(i, k);
        if (result != CODE_NO_REF) memcpy(exec_lane_bytes(x, result, i->mem.bytes, lane), &old, i->mem.bytes);
    }
}

/* An integer add of 32 bits to shared memory. */
static bool is_shared_add_u32(const code_insn *i)
{
    bool adds = i->mem.atomic.event_class == EVENT_ATOMIC_ADD || i->mem.atomic.event_class == EVENT_ATOMIC_ADD_1;
    return adds && i->mem.space == PTX_SHARED && i->mem.bytes == 4;
}

/* Such adds, if all addresses lie in the block's own shared memory and are aligned: histograms live here. *address
 * becomes offsets. */
static bool shared_add_u32(exec_ctx *x, const code_insn *i, uint32_t mask, uint64_t *address)
{
    uint64_t own = exec_own_slot(x, i);
    if (x->shared_bytes < 4) return false;
    LANES_OF(mask)
    {
        uint64_t at = address[l] - own;
        if (at > x->shared_bytes - 4 || (at & 3)) return false;
    }
    const uint32_t *value = LANES(uint32_t, value_ref(i, 0));
    uint32_t *result = result_ref(i, 0) == CODE_NO_REF ? NULL : LANES(uint32_t, result_ref(i, 0));
    LANES_OF(mask)
    {
        address[l] -= own;
        uint32_t *p = (uint32_t *)(x->shared + address[l]);
        uint32_t old = *p;
        *p = old + value[l];
        if (result) result[l] = old;
    }
    return true;
}

/* A compare-and-swap that fails writes nothing. */
static bool writes(exec_ctx *x, const code_insn *i, uint32_t lane, const uint8_t *p)
{
    if (i->mem.atomic.operation != ATOM_CAS) return true;
    return !memcmp(p, exec_lane_bytes(x, value_ref(i, 0), i->mem.bytes, lane), i->mem.bytes);
}

/* The same with values, and in an order that clients see: all lanes' words are held from the first to the event. */
static void atomic_watched(exec_ctx *x, const code_insn *i, uint32_t mask, const uint64_t *address)
{
    uint64_t seen[32];
    uint8_t *pointer[32];
    event_space space[32];
    uint32_t lanes_of[EVENT_SPACE_COUNT] = {0};
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;
    LANES_OF(mask)
    {
        pointer[l] = exec_lane_pointer(x, i, (ptx_space)i->mem.space, l, address[l], size, true, &space[l], &seen[l]);
        if (!pointer[l]) return;
        lanes_of[space[l]] |= 1u << l;
    }
    exec_watch_begin(x, i, mask, pointer, size);
    LANES_OF(mask)
    {
        exec_watch_before(x, l, pointer[l], size);
        bool wrote = writes(x, i, l, pointer[l]);
        atomic_lane(x, i, l, pointer[l], space[l]);
        exec_watch_after(x, l, pointer[l], size, true, wrote);
    }
    x->worker->signals += lanes_of[EVENT_GLOBAL] != 0;
    exec_emit_spaces(x, i, lanes_of, seen);
    exec_watch_end(x);
}

void run_atom(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t address[32], seen[32];
    uint32_t lanes_of[EVENT_SPACE_COUNT] = {0};
    uint32_t size = (uint32_t)i->mem.bytes * i->mem.vector;
    exec_lane_addresses(x, i, address);
    x->lanes_on[i->site] += lw_popcount(mask);
    if (x->fields) {
        atomic_watched(x, i, mask, address);
        return;
    }
    if (is_shared_add_u32(i) && shared_add_u32(x, i, mask, address)) {
        lanes_of[EVENT_SHARED] = mask;
        exec_emit_spaces(x, i, lanes_of, address);
        return;
    }
    LANES_OF(mask)
    {
        event_space space;
        uint8_t *p = exec_lane_pointer(x, i, (ptx_space)i->mem.space, l, address[l], size, true, &space, &seen[l]);
        if (!p) return;
        lanes_of[space] |= 1u << l;
        atomic_lane(x, i, l, p, space);
    }
    x->worker->signals += lanes_of[EVENT_GLOBAL] != 0;
    exec_emit_spaces(x, i, lanes_of, seen);
}
