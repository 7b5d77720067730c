/* initcheck: uses of memory that nobody has written. Values are followed bit by bit, through registers by execution, here
 * through memory; copying them is silent. What counts is where they decide something: an address, a branch, a mask, an
 * atomic, and what the host is given. */
#include "check/check.h"
#include "check/init_block.h"
#include "check/init_moved.h"
#include "check/init_session.h"

#include <stdlib.h>
#include <string.h>

typedef struct init_launch {
    init_session *session;
    const event_launch *launch;
    init_found found; /* of the workers that have ended */
} init_launch;

typedef struct init_worker {
    init_launch *launch;
    init_session *session;
    init_blocks blocks;
    init_found found;
    init_moved moved;
    uint8_t copy_space; /* of the source of a copy: its event comes before that of the destination */
} init_worker;

/* ---------------------------------------------------------------- where bits lie */
/* The bits of the lanes' bytes, wherever they are: of lane l at `at` with `step` from byte to byte. */
typedef struct bits_at {
    uint8_t *at, *marks;
    uint32_t step;
} bits_at;

/* All in shared memory. */
static bits_at shared_bits(init_block *b, uint64_t address, uint64_t bytes)
{
    bits_at out = {.at = init_shared_at(b, address, bytes), .step = 1};
    if (out.at) out.marks = b->shared_marks + address;
    return out;
}

/* Libraries define single bits there by atomics (cooperative_groups' barriers of tiles): it counts as initialised. */
static bool is_system_shared(const event_launch *l, uint8_t space, uint64_t address)
{
    bool shared = space == EVENT_SHARED || space == EVENT_DSHARED;
    return shared && l->uses_system_shared && (address & 0xffffff) >= l->system_shared;
}

/* In shared or local memory. false: not followed. */
static bool find_bits(init_worker *w, const event_memory *e, uint8_t space, uint32_t lane, uint64_t address,
                      uint64_t bytes, bits_at *out)
{
    init_block *b = init_block_of(&w->blocks, e->block, e->cluster);
    *out = (bits_at){.step = 1};
    if (is_system_shared(e->launch, space, address)) return false;
    if (space == EVENT_SHARED) {
        *out = shared_bits(b, address, bytes);
    } else if (space == EVENT_DSHARED) {
        b = init_block_rank(&w->blocks, e->cluster, (uint32_t)(address >> 24));
        w->blocks.current = NULL;
        if (b) *out = shared_bits(b, address & 0xffffff, bytes);
    } else if (space == EVENT_LOCAL) {
        init_local *l = init_local_at(b, e->warp, address, bytes);
        if (l) *out = (bits_at){l->bits + 32 * address + lane, l->marks + 32 * address + lane, 32};
    }
    return out->at != NULL;
}

/* Reads the undefined bits of one lane's bytes. Returns whether there are any. */
static bool read_bits(init_worker *w, const event_memory *e, uint8_t space, uint32_t lane, uint64_t address,
                      uint8_t *out, uint32_t bytes)
{
    bits_at b;
    uint32_t any = 0;
    if (space == EVENT_GLOBAL) {
        init_shadow_read(&w->session->shadow, address, out, bytes);
    } else if (find_bits(w, e, space, lane, address, bytes, &b)) {
        for (uint32_t k = 0; k < bytes; k++) out[k] = b.at[k * b.step];
    } else {
        memset(out, 0, bytes);
    }
    for (uint32_t k = 0; k < bytes; k++) any |= out[k];
    return any;
}

static void write_bits(init_worker *w, const event_memory *e, uint8_t space, uint32_t lane, uint64_t address,
                       const uint8_t *bits, uint32_t bytes)
{
    bits_at b;
    uint8_t mark = e->undefined->origin.computed ? INIT_COMPUTED : INIT_STORED;
    if (space == EVENT_GLOBAL) {
        init_shadow_write(&w->session->shadow, address, bits, bytes);
    } else if (find_bits(w, e, space, lane, address, bytes, &b)) {
        for (uint32_t k = 0; k < bytes; k++) {
            b.at[k * b.step] = bits[k];
            b.marks[k * b.step] = bits[k] ? mark : INIT_UNTOUCHED;
        }
    }
}

static init_who who_of(const event_memory *e, uint32_t mask)
{
    return (init_who){.launch = e->launch, .insn = e->insn, .block = e->block, .warp = e->warp, .mask = mask};
}

/* ---------------------------------------------------------------- loads */
/* Bits of a lane that lie in shared or local memory: were they stored there? */
static void origin_before(init_worker *w, const event_memory *e, uint32_t lane, const bits_at *b, uint32_t bytes,
                          event_origin *o)
{
    for (uint32_t k = 0; k < bytes; k++) {
        if (!b->at[k * b->step] || b->marks[k * b->step] == INIT_UNTOUCHED) continue;
        bool computed = b->marks[k * b->step] == INIT_COMPUTED;
        const event_origin *from = init_moved_find(&w->moved, e, lane, e->address[lane] + k);
        if (from) *o = *from;
        o->computed |= computed;
        if (from) return;
    }
}

static event_origin origin_of(init_worker *w, const event_memory *e, uint32_t lane)
{
    event_origin o = {.insn = e->insn, .space = e->space, .address = e->address[lane]};
    uint32_t record, bytes = LW_MAX((uint32_t)e->bytes, (uint32_t)LW_MIN(e->bytes_total, 16u));
    bits_at b;
    if (e->space == EVENT_GLOBAL) o.computed = init_shadow_find_word(&w->session->shadow, o.address, &record);
    else if (find_bits(w, e, e->space, lane, o.address, bytes, &b)) origin_before(w, e, lane, &b, bytes, &o);
    return o;
}

/* Lanes whose bytes have undefined bits are told to who asks. */
static void tell_reader(init_worker *w, const event_memory *e, uint32_t lane)
{
    event_undefined *u = e->undefined;
    if (!u->lanes) u->origin = origin_of(w, e, lane);
    u->lanes |= 1u << lane;
}

static void load_lanes(init_worker *w, const event_memory *e)
{
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (read_bits(w, e, e->space, lane, e->address[lane], e->undefined->bits[lane], e->bytes))
            tell_reader(w, e, lane);
    }
    event_undefined *u = e->undefined;
    if (!u->lanes || !w->session->at_load) return;
    init_who who = who_of(e, u->lanes);
    init_found_add(&w->found, INIT_READ, &who, &u->origin);
    u->lanes = 0;
}

/* Is it clear at once that all is defined? */
static bool is_defined(init_worker *w, const event_memory *e)
{
    const init_shadow *s = &w->session->shadow;
    if (e->shape == EVENT_CONSECUTIVE && e->space == EVENT_GLOBAL)
        return !init_shadow_any(s, e->address[0], (uint64_t)32 * e->bytes);
    if (e->space == EVENT_GLOBAL) {
        for (uint32_t m = e->mask; m; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            if (init_shadow_any(s, e->address[lane], e->bytes)) return false;
        }
        return true;
    }
    return false;
}

static bool any_bit(const uint8_t *p, uint64_t bytes)
{
    uint64_t any = 0, v;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        memcpy(&v, p, 8);
        any |= v;
    }
    for (; bytes; p++, bytes--) any |= *p;
    return any != 0;
}

/* Lanes' words of 4 bytes in shared memory. */
static bool words_defined(const init_block *b, const event_memory *e)
{
    uint32_t any = 0, v;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint64_t at = e->address[__builtin_ctz(m)];
        if (at + 4 > b->shared_bytes) return false;
        memcpy(&v, b->shared + at, 4);
        any |= v;
    }
    return !any;
}

/* Shared memory: false if it is undefined, or not touched yet. */
static bool is_defined_shared(init_worker *w, const event_memory *e)
{
    init_block *b = init_block_of(&w->blocks, e->block, e->cluster);
    if (e->shape == EVENT_GENERAL && e->bytes == 4) return words_defined(b, e);
    if (e->shape == EVENT_GENERAL) {
        for (uint32_t m = e->mask; m; m &= m - 1) {
            uint64_t at = e->address[__builtin_ctz(m)];
            if (at + e->bytes > b->shared_bytes || any_bit(b->shared + at, e->bytes)) return false;
        }
        return true;
    }
    uint64_t at = e->address[__builtin_ctz(e->mask)], bytes = e->shape == EVENT_CONSECUTIVE ? 32u * e->bytes : e->bytes;
    return at + bytes <= b->shared_bytes && !any_bit(b->shared + at, bytes);
}

/* Wherever it is: false if it is not clear at once. */
static bool is_clean(init_worker *w, const event_memory *e)
{
    return e->space == EVENT_SHARED ? is_defined_shared(w, e) : is_defined(w, e);
}

static void on_load(init_worker *w, const event_memory *e)
{
    if (!is_clean(w, e)) load_lanes(w, e);
}

/* One texel of each lane, whose bytes are written together: the first one stands for all. */
static void on_texture(init_worker *w, const event_memory *e)
{
    event_undefined *u = e->undefined;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (!init_shadow_any(&w->session->shadow, e->address[lane], 1)) continue;
        if (!u->lanes) u->origin = (event_origin){.insn = e->insn, .space = EVENT_GLOBAL, .address = e->address[lane]};
        u->lanes |= 1u << lane;
    }
    if (!u->lanes || !w->session->at_load) return;
    init_who who = who_of(e, u->lanes);
    init_found_add(&w->found, INIT_READ, &who, &u->origin);
    u->lanes = 0;
}

/* Bytes that a function of the system reads, or a call moves into a register. */
static void on_range_load(init_worker *w, const event_memory *e)
{
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t bits[32];
        bool undefined = false;
        uint32_t bytes = LW_MIN(e->bytes_total, (uint32_t)sizeof bits);
        memset(e->undefined->bits[lane], 0, sizeof e->undefined->bits[lane]);
        if (e->bytes_total <= 16) {
            undefined = read_bits(w, e, e->space, lane, e->address[lane], bits, bytes);
            memcpy(e->undefined->bits[lane], bits, bytes);
        }
        if (undefined) tell_reader(w, e, lane);
    }
}

/* ---------------------------------------------------------------- stores */
/* What was computed from undefined bits: into memory that the host reads directly, or remembered until it is copied. */
static void note_computed(init_worker *w, const event_memory *e)
{
    event_undefined *u = e->undefined;
    init_shadow *s = &w->session->shadow;
    uint32_t record = UINT32_MAX, seen = 0;
    for (uint32_t m = u->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = e->address[lane];
        if (!init_shadow_follows(s, address)) {
            seen |= 1u << lane;
            continue;
        }
        if (record == UINT32_MAX) record = init_host_record(w->session, e->launch, e->insn, &u->origin);
        for (uint32_t k = 0; k < e->bytes; k += 4) init_shadow_note_word(s, address + k, record);
    }
    u->lanes &= ~seen;
    if (!seen) return;
    init_who who = who_of(e, seen);
    init_found_add(&w->found, INIT_HOST, &who, &u->origin);
}

/* Defined values of all lanes, one behind the other. */
static bool store_in_row(init_worker *w, const event_memory *e)
{
    uint64_t bytes = (uint64_t)32 * e->bytes;
    if (e->shape != EVENT_CONSECUTIVE) return false;
    if (e->space == EVENT_GLOBAL) {
        init_shadow_set(&w->session->shadow, e->address[0], bytes, false);
        return true;
    }
    if (e->space != EVENT_SHARED) return false;
    bits_at b = shared_bits(init_block_of(&w->blocks, e->block, e->cluster), e->address[0], bytes);
    if (!b.at) return false;
    memset(b.at, 0, bytes);
    memset(b.marks, INIT_UNTOUCHED, bytes);
    return true;
}

static void on_store(init_worker *w, const event_memory *e)
{
    event_undefined *u = e->undefined;
    static const uint8_t zero[32];
    if (u->lanes && e->space == EVENT_GLOBAL && u->origin.computed) note_computed(w, e);
    if (!u->lanes && (is_clean(w, e) || store_in_row(w, e))) return;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint8_t *bits = u->lanes >> lane & 1 ? u->bits[lane] : zero;
        if (e->space == EVENT_GLOBAL && bits != zero && !init_shadow_follows(&w->session->shadow, e->address[lane]))
            bits = zero;
        write_bits(w, e, e->space, lane, e->address[lane], bits, e->bytes);
        if (bits != zero && (e->space == EVENT_SHARED || e->space == EVENT_LOCAL))
            init_moved_note(&w->moved, e, lane, e->address[lane], e->bytes);
    }
}

/* Lanes of one place in turn, bytes by the piece: parameters of calls, st.bulk. */
static void on_range_store(init_worker *w, const event_memory *e)
{
    event_undefined *u = e->undefined;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t bits[32] = {0};
        for (uint64_t k = 0, n; k < e->bytes_total; k += n) {
            n = LW_MIN(e->bytes_total - k, sizeof bits);
            if (!k && u->lanes >> lane & 1) memcpy(bits, u->bits[lane], sizeof bits);
            else memset(bits, 0, sizeof bits);
            write_bits(w, e, e->space, lane, e->address[lane] + k, bits, (uint32_t)n);
        }
    }
}

/* ---------------------------------------------------------------- atomics */
/* An exchange moves bits; what combines them uses them. */
static void on_atomic(init_worker *w, const event_memory *e)
{
    event_undefined *u = e->undefined;
    uint32_t given = u->lanes, bad = 0, old = 0;
    event_origin from = u->origin;
    static const uint8_t zero[32];
    bool moves = e->atomic == EVENT_ATOMIC_EXCH;
    if (!given && is_clean(w, e)) return;
    u->lanes = 0;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t before[32];
        if (read_bits(w, e, e->space, lane, e->address[lane], before, e->bytes)) old |= 1u << lane;
        write_bits(w, e, e->space, lane, e->address[lane], moves && given >> lane & 1 ? u->bits[lane] : zero, e->bytes);
        memcpy(u->bits[lane], before, sizeof before);
    }
    if (old) u->origin = origin_of(w, e, (uint32_t)__builtin_ctz(old));
    if (moves) {
        u->lanes = old;
        return;
    }
    bad = old | given;
    if (!bad) return;
    init_who who = who_of(e, bad);
    init_found_add(&w->found, INIT_ATOMIC, &who, old ? &u->origin : &from);
}

/* The first undefined byte from address on. false: there is none. */
static bool find_undefined(init_worker *w, const event_memory *e, uint8_t space, uint32_t lane, uint64_t address,
                           uint64_t bytes, event_origin *out)
{
    uint8_t bits[256];
    for (uint64_t k = 0, n; k < bytes; k += n) {
        n = LW_MIN(bytes - k, (uint64_t)sizeof bits);
        if (!read_bits(w, e, space, lane, address + k, bits, (uint32_t)n)) continue;
        uint32_t first = 0;
        while (!bits[first]) first++;
        *out = (event_origin){.insn = e->insn, .space = space, .address = address + k + first};
        return true;
    }
    return false;
}

/* cp.reduce.async.bulk: combines bytes of one lane with those of memory. */
static void on_bulk_reduction(init_worker *w, const event_memory *e)
{
    static const uint8_t zero[256];
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        event_origin from;
        bool bad = find_undefined(w, e, e->space, lane, e->address[lane], e->bytes_total, &from);
        if (!bad && e->address2)
            bad = find_undefined(w, e, w->copy_space, lane, e->address2[lane], e->bytes_total, &from);
        if (!bad) continue;
        init_who who = who_of(e, 1u << lane);
        init_found_add(&w->found, INIT_ATOMIC, &who, &from);
        for (uint64_t k = 0, n; k < e->bytes_total; k += n) {
            n = LW_MIN(e->bytes_total - k, (uint64_t)sizeof zero);
            write_bits(w, e, e->space, lane, e->address[lane] + k, zero, (uint32_t)n);
        }
    }
}

/* ---------------------------------------------------------------- copies */
static void on_copy_write(init_worker *w, const event_memory *e)
{
    uint32_t total = e->flags & EVENT_BULK ? e->bytes_total : e->bytes;
    bool by_lanes = !(e->flags & EVENT_BULK);
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        bool has_source = by_lanes ? e->sources >> lane & 1 : e->address2 != NULL;
        uint8_t bits[256] = {0};
        for (uint32_t k = 0, n; k < total; k += n) {
            n = LW_MIN(total - k, (uint32_t)sizeof bits);
            if (has_source) read_bits(w, e, w->copy_space, lane, e->address2[lane] + k, bits, n);
            bool is_part = by_lanes && !k && e->undefined->lanes >> lane & 1;
            for (uint32_t j = 0; is_part && j < LW_MIN(n, 32u); j++) bits[j] &= e->undefined->bits[lane][j];
            write_bits(w, e, e->space, lane, e->address[lane] + k, bits, n);
        }
    }
}

static void on_matrix_load(init_worker *w, const event_memory *e)
{
    if (!is_defined_shared(w, e)) load_lanes(w, e);
}

static void on_memory(void *state, const event_memory *e)
{
    init_worker *w = state;
    bool range = e->flags & EVENT_BULK;
    if (e->kind != EVENT_ACCESS || !e->undefined) return;
    if (e->space == EVENT_TEXTURE && e->op == EVENT_LOAD) on_texture(w, e);
    if (e->space > EVENT_LOCAL) return;
    switch (e->op) {
    case EVENT_LOAD: range ? on_range_load(w, e) : on_load(w, e); break;
    case EVENT_STORE: range ? on_range_store(w, e) : on_store(w, e); break;
    case EVENT_ATOMIC:
    case EVENT_REDUCTION:
        if (range) on_bulk_reduction(w, e);
        else on_atomic(w, e);
        break;
    case EVENT_COPY_READ: w->copy_space = e->space; break;
    case EVENT_COPY_WRITE: on_copy_write(w, e); break;
    case EVENT_MATRIX_LOAD: on_matrix_load(w, e); break;
    case EVENT_MATRIX_STORE: on_store(w, e); break;
    default: break;
    }
}

/* ---------------------------------------------------------------- synchronisation and frames */
/* What is printed: only bytes that were stored, since packed arguments have gaps. */
static void on_use(init_worker *w, const event_sync *e)
{
    init_who who = {.launch = e->launch, .insn = e->insn, .block = e->block, .warp = e->warp, .mask = e->mask};
    init_found_add(&w->found, e->use, &who, e->origin);
}

static void on_sync(void *state, const event_sync *e)
{
    init_worker *w = state;
    switch (e->kind) {
    case EVENT_UNDEFINED_USE: on_use(w, e); break;
    case EVENT_BLOCK_START: /* others of its cluster may be the first to write its shared memory */
        init_block_of(&w->blocks, e->block, e->cluster);
        break;
    case EVENT_BLOCK_EXIT: init_block_exit(&w->blocks, e->block); break;
    case EVENT_FRAME_BEGIN:
        init_local_set(init_block_of(&w->blocks, e->block, e->cluster), e->warp, e->mask, e->address, e->bytes, true);
        break;
    default: break;
    }
}

/* ---------------------------------------------------------------- life */
static void *session_begin(const event_session *services)
{
    if (!check_wanted(services->checks, CHECK_INITCHECK)) return NULL;
    init_session *s = lw_alloc(sizeof *s);
    s->services = services;
    s->at_load = services->checks->init_at_load;
    init_shadow_new(&s->shadow);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void session_end(void *session)
{
    init_session *s = session;
    for (size_t k = 0; k < s->records.count; k++) free(s->records.items[k].memory);
    lw_vec_free(&s->records);
    init_shadow_free(&s->shadow);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void *launch_begin(void *session, const event_launch *launch)
{
    init_launch *l = lw_alloc(sizeof *l);
    l->session = session;
    l->launch = launch;
    return l;
}

static void launch_end(void *session, const event_launch *launch, void *state)
{
    init_launch *l = state;
    (void)session;
    init_found_report(&l->found, l->session->services, launch);
    lw_vec_free(&l->found);
    free(l);
}

static void *worker_begin(void *launch, uint32_t worker)
{
    init_launch *l = launch;
    init_worker *w = lw_alloc(sizeof *w);
    (void)worker;
    w->launch = l;
    w->session = l->session;
    w->blocks.launch = l->launch;
    return w;
}

static void worker_end(void *launch, uint32_t worker, void *state)
{
    init_launch *l = launch;
    init_worker *w = state;
    (void)worker;
    init_found_merge(&l->found, &w->found);
    lw_vec_free(&w->found);
    init_blocks_free(&w->blocks);
    init_moved_free(&w->moved);
    free(w);
}

static void on_host(void *session, const event_host *event) { init_host_event(session, event); }

const event_client check_init = {
    .name = "initcheck",
    .session_begin = session_begin,
    .session_end = session_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .host = on_host,
    .kinds = EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_UNDEFINED_USE) | EVENT_BIT(EVENT_BLOCK_START) |
             EVENT_BIT(EVENT_BLOCK_EXIT) | EVENT_BIT(EVENT_FRAME_BEGIN) | EVENT_BIT(EVENT_ALLOC) |
             EVENT_BIT(EVENT_FREE) | EVENT_BIT(EVENT_HEAP_ALLOC) | EVENT_BIT(EVENT_HEAP_FREE) |
             EVENT_BIT(EVENT_HOST_COPY) | EVENT_BIT(EVENT_HOST_FILL) | EVENT_BIT(EVENT_HOST_ACCESS) |
             EVENT_BIT(EVENT_VALUE_WRITE),
    .fields = EVENT_FIELD_UNDEFINED,
    .worker_begin = worker_begin,
    .memory = on_memory,
    .sync = on_sync,
    .worker_end = worker_end,
};
