/* atom.c: atomics and reductions in every space. Lanes are applied in lane order. Shared memory belongs to one worker,
 * so only global atomics need the host's atomic instructions, and only with more than one worker. Words in a part of
 * memory that the site has used before are updated together, everything else lane by lane. */
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
static bool is_shared_by_workers(const exec_ctx *x, event_space space)
{
    return space == EVENT_GLOBAL && x->worker->run->worker_count > 1;
}

/* An operation of scope .sys is atomic to the program's host threads, too, which may use managed and mapped memory while
 * the kernel runs. */
static bool needs_host_atomics(const exec_ctx *x, const code_insn *i, event_space space)
{
    bool with_host = space == EVENT_GLOBAL && x->event_launch->insns[i->site].scope == EVENT_SCOPE_SYS;
    return with_host || is_shared_by_workers(x, space);
}

uint64_t exec_atomic_update(exec_ctx *x, uint32_t operation, ptx_type type, uint8_t *p, event_space space,
                            uint64_t value)
{
    if (is_shared_by_workers(x, space)) return atomic_on_host(operation, type, p, value, 0);
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
    bool on_host = needs_host_atomics(x, i, space);
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

/* ---------------------------------------------------------------- all lanes in one known part of memory */
/* Lanes of an atomic that are carried out together, checked and aligned: lane l's word lies at address[l] + bias. */
typedef struct atom_lanes {
    exec_ctx *x;
    const code_insn *insn;
    const uint64_t *address;
    uint64_t bias;
    uint32_t mask;
    bool one_word; /* all lanes name the same */
    bool on_host;  /* other workers or the program's host threads may use the memory meanwhile */
} atom_lanes;

/* One function per operation and type. Lanes of one word take effect as a whole, in lane order: each starts from what
 * the one before it left, and the word is written once. */
#define UPDATE_LANES(name, T, result_of_update)                                                                        \
    static inline T name##_once(T old, T value, T swap)                                                                \
    {                                                                                                                  \
        (void)old, (void)swap;                                                                                         \
        return result_of_update;                                                                                       \
    }                                                                                                                  \
    static inline T name##_in_turn(T now, uint32_t mask, const T *value, const T *swap, T *before)                     \
    {                                                                                                                  \
        if (mask == UINT32_MAX) {                                                                                      \
            for (uint32_t l = 0; l < 32; l++) {                                                                        \
                before[l] = now;                                                                                       \
                now = name##_once(now, value[l], swap[l]);                                                             \
            }                                                                                                          \
            return now;                                                                                                \
        }                                                                                                              \
        LANES_OF(mask)                                                                                                 \
        {                                                                                                              \
            before[l] = now;                                                                                           \
            now = name##_once(now, value[l], swap[l]);                                                                 \
        }                                                                                                              \
        return now;                                                                                                    \
    }                                                                                                                  \
    static inline T name##_at(T *p, T value, T swap, bool on_host)                                                     \
    {                                                                                                                  \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED), now;                                                             \
        if (!on_host) {                                                                                                \
            *p = name##_once(old, value, swap);                                                                        \
            return old;                                                                                                \
        }                                                                                                              \
        do now = name##_once(old, value, swap);                                                                        \
        while (!__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));                 \
        return old;                                                                                                    \
    }                                                                                                                  \
    static void name(const atom_lanes *a)                                                                              \
    {                                                                                                                  \
        const exec_ctx *x = a->x;                                                                                      \
        const T *value = LANES(T, value_ref(a->insn, 0));                                                              \
        const T *swap = swap_ref(a->insn, 0) == CODE_NO_REF ? value : LANES(T, swap_ref(a->insn, 0));                  \
        T before[32];                                                                                                  \
        if (a->one_word) {                                                                                             \
            T *p = (T *)(uintptr_t)(a->address[__builtin_ctz(a->mask)] + a->bias);                                     \
            T old = __atomic_load_n(p, __ATOMIC_RELAXED), now;                                                         \
            do now = name##_in_turn(old, a->mask, value, swap, before);                                                \
            while (a->on_host &&                                                                                       \
                   !__atomic_compare_exchange_n(p, &old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));             \
            if (!a->on_host) *p = now;                                                                                 \
        } else {                                                                                                       \
            LANES_OF(a->mask)                                                                                          \
            before[l] = name##_at((T *)(uintptr_t)(a->address[l] + a->bias), value[l], swap[l], a->on_host);           \
        }                                                                                                              \
        code_ref result = result_ref(a->insn, 0);                                                                      \
        if (result == CODE_NO_REF) return;                                                                             \
        T *d = LANES(T, result);                                                                                       \
        LANES_OF(a->mask) d[l] = before[l];                                                                            \
    }
#define UPDATE_WORDS(T)                                                                                                \
    UPDATE_LANES(add_##T, T, old + value)                                                                              \
    UPDATE_LANES(min_##T, T, old < value ? old : value)                                                                \
    UPDATE_LANES(max_##T, T, old < value ? value : old)                                                                \
    UPDATE_LANES(and_##T, T, old &value)                                                                               \
    UPDATE_LANES(or_##T, T, old | value)                                                                               \
    UPDATE_LANES(xor_##T, T, old ^ value)                                                                              \
    UPDATE_LANES(exch_##T, T, value)                                                                                   \
    UPDATE_LANES(cas_##T, T, old == value ? swap : old)
UPDATE_WORDS(u32)
UPDATE_WORDS(u64)
UPDATE_LANES(inc_u32, u32, old >= value ? 0 : old + 1)
UPDATE_LANES(dec_u32, u32, old == 0 || old > value ? value : old - 1)
UPDATE_LANES(min_s32, s32, old < value ? old : value)
UPDATE_LANES(max_s32, s32, old < value ? value : old)
UPDATE_LANES(min_s64, s64, old < value ? old : value)
UPDATE_LANES(max_s64, s64, old < value ? value : old)
UPDATE_LANES(add_f32, u32, bits_f32(canonical_f32(f32_bits(old) + f32_bits(value))))
UPDATE_LANES(add_f64, u64, bits_f64(f64_bits(old) + f64_bits(value)))
#undef UPDATE_WORDS
#undef UPDATE_LANES

typedef void (*update_fn)(const atom_lanes *a);

/* clang-format off */
#define BY_BYTES(bytes, name) ((bytes) == 4 ? name##_u32 : name##_u64)
#define BY_SIGN(bytes, is_signed, name) \
    ((is_signed) ? (bytes) == 4 ? name##_s32 : name##_s64 : BY_BYTES(bytes, name))
/* clang-format on */

/* NULL: halves, vectors, 128 bits, and what else goes lane by lane. */
static update_fn update_of(const code_insn *i)
{
    uint32_t bytes = i->mem.bytes, operation = i->mem.atomic.operation;
    ptx_type type = (ptx_type)i->mem.atomic.type;
    if (i->mem.vector != 1 || (bytes != 4 && bytes != 8)) return NULL;
    bool is_signed = type == PTX_S32 || type == PTX_S64;
    bool is_word = is_signed || type == PTX_U32 || type == PTX_U64 || type == PTX_B32 || type == PTX_B64;
    if (!is_word) {
        if (operation != ATOM_ADD) return NULL;
        return type == PTX_F32 ? add_f32 : type == PTX_F64 ? add_f64 : NULL;
    }
    switch (operation) {
    case ATOM_ADD: return BY_BYTES(bytes, add);
    case ATOM_MIN: return BY_SIGN(bytes, is_signed, min);
    case ATOM_MAX: return BY_SIGN(bytes, is_signed, max);
    case ATOM_INC: return bytes == 4 ? inc_u32 : NULL;
    case ATOM_DEC: return bytes == 4 ? dec_u32 : NULL;
    case ATOM_AND: return BY_BYTES(bytes, and);
    case ATOM_OR: return BY_BYTES(bytes, or);
    case ATOM_XOR: return BY_BYTES(bytes, xor);
    case ATOM_EXCH: return BY_BYTES(bytes, exch);
    case ATOM_CAS: return BY_BYTES(bytes, cas);
    default: return NULL;
    }
}

/* A part of memory that lanes may use: the block's own shared memory, or the allocation that the site used last. */
typedef struct atom_part {
    uint64_t low, bytes, storage;
    event_space space;
} atom_part;

static bool part_of(exec_ctx *x, const code_insn *i, uint64_t address, atom_part *out)
{
    const exec_alloc_cache *c = &x->caches[i->site];
    uint64_t shared = MEM_SHARED_WINDOW + exec_shared_slot(x->block->rank);
    bool global = i->mem.space == PTX_GLOBAL || i->mem.space == PTX_GENERIC;
    if (global && address >= c->low && address < c->high) {
        *out = (atom_part){c->low, c->high - c->low, c->low + c->distance, EVENT_GLOBAL};
        return true;
    }
    if (i->mem.space != PTX_SHARED && i->mem.space != PTX_GENERIC) return false;
    uint64_t own = i->mem.space == PTX_SHARED ? exec_own_slot(x, i) : shared;
    *out = (atom_part){own, x->shared_bytes, (uint64_t)(uintptr_t)x->shared, EVENT_SHARED};
    return true;
}

/* Are all lanes' words in the part, and aligned? */
static bool all_inside(const atom_part *part, uint32_t mask, const uint64_t *address, uint32_t bytes)
{
    bool outside = part->bytes < bytes;
    LANES_OF(mask)
    {
        outside |= address[l] - part->low > part->bytes - bytes;
        outside |= (address[l] & (bytes - 1)) != 0;
    }
    return !outside;
}

static bool is_one_word(uint32_t mask, const uint64_t *address)
{
    uint64_t first = address[__builtin_ctz(mask)], differ = 0;
    if (mask == UINT32_MAX)
        for (uint32_t l = 0; l < 32; l++) differ |= address[l] ^ first;
    else LANES_OF(mask) differ |= address[l] ^ first;
    return !differ;
}

/* Most atomics: all lanes lie where earlier ones have lain. false: nothing happened. */
static bool atomic_together(exec_ctx *x, const code_insn *i, uint32_t mask, uint64_t *address)
{
    update_fn update = update_of(i);
    atom_part part;
    if (!update || !part_of(x, i, address[__builtin_ctz(mask)], &part)) return false;
    bool one_word = is_one_word(mask, address);
    if (!all_inside(&part, one_word ? mask & -mask : mask, address, i->mem.bytes)) return false;
    update(&(atom_lanes){.x = x,
                         .insn = i,
                         .address = address,
                         .bias = part.storage - part.low,
                         .mask = mask,
                         .one_word = one_word,
                         .on_host = needs_host_atomics(x, i, part.space)});
    x->worker->signals += part.space == EVENT_GLOBAL;
    if (!exec_wants_access(x, i)) return true;
    if (part.space == EVENT_SHARED)
        for (uint32_t l = 0; l < 32; l++) address[l] -= part.low; /* events give offsets */
    exec_emit_access(x, i,
                     &(exec_access){.mask = mask,
                                    .space = (uint8_t)part.space,
                                    .shape = one_word ? EVENT_UNIFORM : EVENT_GENERAL,
                                    .address = address});
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
    if (atomic_together(x, i, mask, address)) return;
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
