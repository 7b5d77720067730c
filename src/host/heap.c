/* The heap of a device (malloc and free in kernels): one allocation of cudaLimitMallocHeapSize bytes, made at the first use,
 * cut up by first fit with a header of 16 bytes before every block; neighbours are joined when freed. A block keeps its
 * place for its life, as on a card; the heap outlives kernels. */
#include <stdlib.h>

#include "host/emit_priv.h"
#include "host/services_priv.h"
#include "host/settings_priv.h"
#include "host/state_priv.h"
#include "model/model.h"

#define HEAP_UNIT 16
#define HEAP_USED UINT64_C(0x6c77757365640000)
#define HEAP_FREE UINT64_C(0x6c77667265650000)

typedef struct heap_block {
    uint64_t bytes; /* of the whole block, header included */
    uint64_t state; /* HEAP_USED or HEAP_FREE */
} heap_block;
_Static_assert(sizeof(heap_block) == HEAP_UNIT, "the header keeps blocks aligned");

struct host_heap {
    pthread_mutex_t lock;
    uint64_t address, bytes;
    _Atomic uint64_t taken; /* by blocks in use, as a card's allocator counts: model_heap_taken() */
};

static host_heap *heap_make(host_context *c, uint32_t device)
{
    host_lock(c);
    if (!c->heaps[device]) {
        host_heap *h = lw_alloc(sizeof *h);
        h->bytes = host_limit_of(c, device, HOST_LIMIT_MALLOC_HEAP_SIZE) / HEAP_UNIT * HEAP_UNIT;
        if (mem_alloc_on(c->memory, device, h->bytes, 0, MEM_HEAP, 0, "device heap", &h->address)) {
            free(h);
        } else {
            pthread_mutex_init(&h->lock, NULL);
            *(heap_block *)mem_storage(h->address) = (heap_block){h->bytes, HEAP_FREE};
            c->heaps[device] = h;
        }
    }
    host_unlock(c);
    return c->heaps[device];
}

static heap_block *block_next(const host_heap *h, heap_block *b)
{
    uint8_t *next = (uint8_t *)b + b->bytes, *end = (uint8_t *)mem_storage(h->address) + h->bytes;
    return next < end ? (heap_block *)next : NULL;
}

static void join_free(const host_heap *h, heap_block *b)
{
    for (heap_block *n; (n = block_next(h, b)) && n->state == HEAP_FREE;) b->bytes += n->bytes;
}

/* Not if a kernel wrote over it. */
static bool block_good(const heap_block *b)
{
    return b->bytes != 0 && (b->state == HEAP_FREE || b->state == HEAP_USED);
}

/* What a program has of a block. */
static uint64_t address_of(const host_heap *h, heap_block *b)
{
    return h->address + (uint64_t)((uint8_t *)(b + 1) - (uint8_t *)mem_storage(h->address));
}

uint64_t host_heap_alloc(host_context *c, uint32_t device, uint64_t bytes, const event_launch *launch)
{
    host_heap *h = heap_make(c, device);
    if (!h || bytes > h->bytes) return 0;
    uint64_t need = lw_round_up(bytes ? bytes : 1, HEAP_UNIT) + HEAP_UNIT;
    uint64_t found = 0;
    pthread_mutex_lock(&h->lock);
    for (heap_block *b = mem_storage(h->address); b && !found; b = block_next(h, b)) {
        if (!block_good(b)) break;
        if (b->state != HEAP_FREE) continue;
        join_free(h, b);
        if (b->bytes < need) continue;
        if (b->bytes - need >= 2 * HEAP_UNIT) {
            heap_block *rest = (heap_block *)((uint8_t *)b + need);
            *rest = (heap_block){b->bytes - need, HEAP_FREE};
            b->bytes = need;
        }
        b->state = HEAP_USED;
        h->taken += model_heap_taken(b->bytes - sizeof *b);
        found = address_of(h, b);
    }
    if (found) mem_fill_bytes(&c->options.fill, found, mem_storage(found), bytes);
    if (found) host_emit_heap_alloc(c, found, bytes, launch);
    pthread_mutex_unlock(&h->lock);
    return found;
}

/* Of which device, NULL: of none. */
static host_heap *heap_of(const host_context *c, uint64_t address)
{
    for (uint32_t d = 0; d < c->options.devices; d++)
        if (c->heaps[d] && address - c->heaps[d]->address < c->heaps[d]->bytes) return c->heaps[d];
    return NULL;
}

bool host_heap_free(host_context *c, uint64_t address, const event_launch *launch, uint64_t *out_bytes)
{
    host_heap *h = heap_of(c, address);
    if (out_bytes) *out_bytes = 0;
    if (!address) return true;
    if (!h || address % HEAP_UNIT) return false;
    heap_block *b = (heap_block *)mem_storage(address) - 1;
    pthread_mutex_lock(&h->lock);
    bool used = b->state == HEAP_USED;
    if (used) {
        host_emit_heap_free(c, address, launch); /* before another thread gets it */
        if (out_bytes) *out_bytes = b->bytes - sizeof *b;
        b->state = HEAP_FREE;
        h->taken -= model_heap_taken(b->bytes - sizeof *b);
    }
    pthread_mutex_unlock(&h->lock);
    return used;
}

void host_heap_tell_end(host_context *c, uint32_t device)
{
    host_heap *h = c->heaps[device];
    if (!h || !host_wants(c, EVENT_HEAP_FREE)) return;
    pthread_mutex_lock(&h->lock);
    for (heap_block *b = mem_storage(h->address); b && block_good(b); b = block_next(h, b))
        if (b->state == HEAP_USED) host_emit_heap_free(c, address_of(h, b), NULL);
    pthread_mutex_unlock(&h->lock);
}

static uint64_t used(host_heap *h, uint64_t *bytes)
{
    uint64_t blocks = 0;
    pthread_mutex_lock(&h->lock);
    for (heap_block *b = mem_storage(h->address); b && block_good(b); b = block_next(h, b)) {
        if (b->state != HEAP_USED) continue;
        blocks++;
        *bytes += b->bytes - sizeof *b;
    }
    pthread_mutex_unlock(&h->lock);
    return blocks;
}

uint64_t host_heap_used(host_context *c, uint64_t *out_bytes)
{
    uint64_t blocks = 0;
    *out_bytes = 0;
    for (uint32_t d = 0; d < c->options.devices; d++)
        if (c->heaps[d]) blocks += used(c->heaps[d], out_bytes);
    return blocks;
}

uint64_t host_heap_taken(const host_context *c, uint32_t device)
{
    const host_heap *h = c->heaps[device];
    return h ? h->taken : 0;
}

void host_heap_destroy(host_context *c, uint32_t device)
{
    host_heap *h = c->heaps[device];
    if (!h) return;
    mem_free(c->memory, h->address);
    pthread_mutex_destroy(&h->lock);
    free(h);
    c->heaps[device] = NULL;
}
