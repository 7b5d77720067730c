/* order.c: what clients may ask of memory accesses beyond where they go: values, and which write was read.
 *
 * Only when a client of the launch asks does an access come here, lane by lane. A synchronising access (an atomic, or
 * any order but weak) holds the locks of all words that its lanes touch from before it happens until its event has been
 * delivered, so that events of one location arrive in the order in which the accesses took effect, also across host
 * threads. Locks are taken in ascending order. Shared memory is used by one worker alone, but its numbers stand in the
 * same table.
 *
 * Words are known by their host address. Block storage is used again by later blocks, so a word of shared memory also
 * remembers its block: another one's numbers begin anew. A store that is not numbered (weak, or of an asynchronous copy)
 * marks the words it overwrites: reads from then on come from no numbered write. That it took effect, but has not marked
 * them yet, shows in the value. */
#include "exec/emit.h"

#include <stdlib.h>
#include <string.h>

enum { STRIPES = 256, WORD = 4, NEIGHBOURS = 64, FIRST_WORDS = 64 };

typedef struct word_record {
    uint64_t address; /* 0: free */
    uint64_t writes;  /* number of the last write */
    uint32_t value;   /* that it left */
    uint32_t owner;   /* block + 1 of shared memory; 0: global */
    bool overwritten; /* since then, by a store without a number */
} word_record;

typedef struct stripe {
    pthread_mutex_t lock;
    word_record *words; /* open addressing; capacity is a power of two */
    uint32_t capacity, used;
} stripe;

struct exec_order {
    stripe stripes[STRIPES];
};

/* The access that a worker is at. */
struct exec_watch {
    event_details details;
    uint64_t locked[STRIPES / 64]; /* bit s: stripe s is held */
    bool numbered;
};

/* ---------------------------------------------------------------- the table */
exec_order *exec_order_new(void)
{
    exec_order *o = lw_alloc(sizeof *o);
    for (uint32_t s = 0; s < STRIPES; s++) pthread_mutex_init(&o->stripes[s].lock, NULL);
    return o;
}

void exec_order_free(exec_order *o)
{
    if (!o) return;
    for (uint32_t s = 0; s < STRIPES; s++) {
        pthread_mutex_destroy(&o->stripes[s].lock);
        free(o->stripes[s].words);
    }
    free(o);
}

static uint64_t hash(uint64_t address) { return (address / WORD) * UINT64_C(0x9e3779b97f4a7c15); }

/* Neighbours, the 64 bytes from a multiple of 64 on, share a stripe. */
static uint32_t stripe_of(uint64_t address) { return (uint32_t)(hash(address / NEIGHBOURS * WORD) >> 56) % STRIPES; }

static word_record *slot_of(word_record *words, uint32_t capacity, uint64_t address)
{
    uint32_t k = (uint32_t)(hash(address) >> 32) & (capacity - 1);
    while (words[k].address && words[k].address != address) k = (k + 1) & (capacity - 1);
    return &words[k];
}

static void grow(stripe *s)
{
    uint32_t capacity = s->capacity ? 2 * s->capacity : FIRST_WORDS;
    word_record *words = lw_alloc(capacity * sizeof *words);
    for (uint32_t k = 0; k < s->capacity; k++)
        if (s->words[k].address) *slot_of(words, capacity, s->words[k].address) = s->words[k];
    free(s->words);
    s->words = words;
    s->capacity = capacity;
}

/* The record of an aligned word; its stripe is held. */
static word_record *record_of(exec_order *o, uint64_t address, uint32_t owner)
{
    stripe *s = &o->stripes[stripe_of(address)];
    if (2 * s->used >= s->capacity) grow(s);
    word_record *r = slot_of(s->words, s->capacity, address);
    if (!r->address) s->used++;
    if (!r->address || r->owner != owner) *r = (word_record){.address = address, .owner = owner};
    return r;
}

static uint64_t first_word(const uint8_t *p) { return (uint64_t)(uintptr_t)p & ~(uint64_t)(WORD - 1); }

/* The write that a read of these bytes sees. */
static uint64_t last_write(exec_order *o, const uint8_t *p, uint32_t bytes, uint32_t owner)
{
    uint64_t number = 0;
    for (uint64_t a = first_word(p); a < (uint64_t)(uintptr_t)p + bytes; a += WORD) {
        uint32_t value;
        word_record *r = record_of(o, a, owner);
        memcpy(&value, (const void *)(uintptr_t)a, WORD);
        if (r->writes && !r->overwritten && value == r->value) number = LW_MAX(number, r->writes);
    }
    return number;
}

/* Numbers a write that has taken effect. */
static uint64_t note_write(exec_order *o, const uint8_t *p, uint32_t bytes, uint32_t owner)
{
    uint64_t number = 0, end = (uint64_t)(uintptr_t)p + bytes;
    for (uint64_t a = first_word(p); a < end; a += WORD) number = LW_MAX(number, record_of(o, a, owner)->writes + 1);
    for (uint64_t a = first_word(p); a < end; a += WORD) {
        word_record *r = record_of(o, a, owner);
        r->writes = number;
        r->overwritten = false;
        memcpy(&r->value, (const void *)(uintptr_t)a, WORD);
    }
    return number;
}

/* ---------------------------------------------------------------- an access */
static uint32_t owner_of(const exec_ctx *x, const uint8_t *p)
{
    const exec_cluster *c = x->block->cluster;
    for (uint32_t b = 0; b < c->block_count; b++)
        if (p >= c->blocks[b].shared && p < c->blocks[b].shared + x->shared_bytes) return c->blocks[b].linear + 1;
    return 0;
}

static void lock_words(exec_ctx *x, uint32_t mask, uint8_t *const pointer[32], uint32_t bytes)
{
    exec_watch *w = x->worker->watch;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t p = (uint64_t)(uintptr_t)pointer[__builtin_ctz(m)];
        for (uint64_t a = p / NEIGHBOURS * NEIGHBOURS; a < p + bytes; a += NEIGHBOURS) {
            uint32_t s = stripe_of(a);
            w->locked[s / 64] |= UINT64_C(1) << (s % 64);
        }
    }
    for (uint32_t s = 0; s < STRIPES; s++)
        if (w->locked[s / 64] >> (s % 64) & 1) pthread_mutex_lock(&x->worker->run->order->stripes[s].lock);
}

void exec_watch_begin(exec_ctx *x, const code_insn *i, uint32_t mask, uint8_t *const pointer[32], uint32_t bytes)
{
    LW_ASSERT(!x->details); /* one access at a time: its locks are held */
    if (!x->worker->watch) x->worker->watch = LW_NEW(&x->worker->arena, exec_watch);
    exec_watch *w = x->worker->watch;
    w->numbered = (x->fields & EVENT_FIELD_ORDER) && x->event_launch->insns[i->site].order != EVENT_ORDER_WEAK;
    memset(&w->details, 0, sizeof w->details);
    memset(w->locked, 0, sizeof w->locked);
    if (w->numbered) lock_words(x, mask, pointer, bytes);
    x->details = &w->details;
}

/* Bulk reductions show only the first bytes of a lane. */
static size_t value_bytes(uint32_t bytes) { return LW_MIN((size_t)bytes, sizeof(event_value)); }

void exec_watch_before(exec_ctx *x, uint32_t lane, const uint8_t *p, uint32_t bytes)
{
    exec_watch *w = x->worker->watch;
    memcpy(&w->details.before[lane], p, value_bytes(bytes));
    if (w->numbered) w->details.read_from[lane] = last_write(x->worker->run->order, p, bytes, owner_of(x, p));
}

void exec_watch_after(exec_ctx *x, uint32_t lane, const uint8_t *p, uint32_t bytes, bool reads, bool writes)
{
    exec_watch *w = x->worker->watch;
    memcpy(&w->details.after[lane], p, value_bytes(bytes));
    if (!w->numbered) {
        if (writes) exec_note_overwrite(x, p, bytes);
        return;
    }
    if (!reads) w->details.read_from[lane] = 0;
    if (writes) w->details.write[lane] = note_write(x->worker->run->order, p, bytes, owner_of(x, p));
}

void exec_watch_end(exec_ctx *x)
{
    LW_ASSERT(x->details);
    exec_watch *w = x->worker->watch;
    x->details = NULL;
    for (uint32_t s = STRIPES; s-- > 0;)
        if (w->locked[s / 64] >> (s % 64) & 1) pthread_mutex_unlock(&x->worker->run->order->stripes[s].lock);
}

/* Marks the words from p on that lie in one stripe. */
static void overwrite_neighbours(exec_order *o, uint64_t p, uint64_t end)
{
    stripe *s = &o->stripes[stripe_of(p)];
    pthread_mutex_lock(&s->lock);
    for (uint64_t a = p / WORD * WORD; s->capacity && a < end; a += WORD) {
        word_record *r = slot_of(s->words, s->capacity, a);
        if (r->address == a) r->overwritten = true;
    }
    pthread_mutex_unlock(&s->lock);
}

void exec_order_overwrite(exec_ctx *x, const uint8_t *p, uint64_t bytes)
{
    uint64_t first = (uint64_t)(uintptr_t)p, end = first + bytes;
    for (uint64_t next; first < end; first = next) {
        next = LW_MIN((first / NEIGHBOURS + 1) * NEIGHBOURS, end);
        overwrite_neighbours(x->worker->run->order, first, next);
    }
}

void exec_order_touch(exec_ctx *x, const uint8_t *p, uint32_t bytes, bool writes, uint64_t *read_from, uint64_t *write)
{
    exec_order *o = x->worker->run->order;
    stripe *s = &o->stripes[stripe_of((uint64_t)(uintptr_t)p)];
    uint32_t owner = owner_of(x, p);
    pthread_mutex_lock(&s->lock);
    if (writes) {
        *write = note_write(o, p, bytes, owner);
        *read_from = *write - 1;
    } else {
        *read_from = last_write(o, p, bytes, owner);
    }
    pthread_mutex_unlock(&s->lock);
}
