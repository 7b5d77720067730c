/*
 * Copies of pageable memory at once: the call returns when the host side is done, as the runtime's own copies do, but
 * the copier's threads and the caller's move the bytes together. For sizes at which host functions and the wake-up of
 * threads would take longer than the copy. No other stream and no host function takes part: the caller's thread
 * enqueues every chunk when it is filled, or drains it when it has arrived.
 *
 * Chunks are counted through the copier's life; chunk g lies in slot g % QUICK_SLOTS of an area of its own. A slot may
 * still travel to the device when a call ends: its event says until when.
 */
#include <string.h>
#include "host/copier.h"

#define PIECES_PER_CHUNK (QUICK_CHUNK / QUICK_PIECE)
#define PIECES (QUICK_SLOTS * PIECES_PER_CHUNK) /* of the area */
#define IDLE_LOOKS 2000 /* before a caller sleeps until the device has come so far: some tens of microseconds */

int copier_quick_init(copier_quick *q, char *area)
{
    int e = 0;
    q->area = area;
    pthread_mutex_init(&q->one, NULL);
    for (int i = 0; i < QUICK_SLOTS && !e; i++) e = (int)cudaEventCreateWithFlags(&q->event[i], cudaEventDisableTiming);
    return e;
}

void copier_quick_free(copier_quick *q)
{
    for (int i = 0; i < QUICK_SLOTS; i++) {
        if (!q->event[i]) continue;
        cudaEventSynchronize(q->event[i]);
        cudaEventDestroy(q->event[i]);
    }
    pthread_mutex_destroy(&q->one);
}

static void rest_a_little(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static int slot_of(const copier_quick *q, uint64_t chunk) { return (int)((q->first + chunk) % QUICK_SLOTS); }

static char *slot_memory(const copier_quick *q, uint64_t chunk)
{
    return q->area + (int64_t)slot_of(q, chunk) * QUICK_CHUNK;
}

static int64_t chunk_bytes(const copier_quick *q, uint64_t chunk)
{
    int64_t rest = q->bytes - (int64_t)chunk * QUICK_CHUNK;
    return rest < QUICK_CHUNK ? rest : QUICK_CHUNK;
}

/* ---- pieces, by all threads ---- */

/* Moves a piece if one may be moved. */
static bool move_one(copier_quick *q)
{
    uint64_t i = atomic_load_explicit(&q->next, memory_order_relaxed);
    do {
        if (i >= atomic_load_explicit(&q->open, memory_order_acquire)) return false;
    } while (!atomic_compare_exchange_weak_explicit(&q->next, &i, i + 1, memory_order_relaxed, memory_order_relaxed));
    uint64_t chunk = i / PIECES_PER_CHUNK;
    int64_t at = (int64_t)i * QUICK_PIECE, n = q->bytes - at < QUICK_PIECE ? q->bytes - at : QUICK_PIECE;
    char *ring = slot_memory(q, chunk) + at % QUICK_CHUNK;
    if (q->to_host) memcpy(q->host + at, ring, (size_t)n);
    else copier_stream(ring, q->host + at, (size_t)n);
    atomic_fetch_sub_explicit(&q->left[slot_of(q, chunk)], 1, memory_order_release);
    return true;
}

bool copier_quick_work(const copier_quick *q)
{
    return q->on &&
           atomic_load_explicit(&q->next, memory_order_relaxed) < atomic_load_explicit(&q->open, memory_order_relaxed);
}

void copier_quick_help(copier_quick *q)
{
    for (int idle = 0; idle < IDLE_LOOKS && atomic_load_explicit(&q->next, memory_order_relaxed) < q->pieces; idle++) {
        if (move_one(q)) idle = 0;
        else rest_a_little();
    }
}

/* The pieces of the next chunk may be moved. */
static void open_chunk(copier_quick *q, uint64_t chunk)
{
    int64_t pieces = (chunk_bytes(q, chunk) + QUICK_PIECE - 1) / QUICK_PIECE;
    atomic_store_explicit(&q->left[slot_of(q, chunk)], (int)pieces, memory_order_relaxed);
    atomic_store_explicit(&q->open, chunk * PIECES_PER_CHUNK + (uint64_t)pieces, memory_order_release);
}

static bool chunk_done(copier_quick *q, uint64_t chunk)
{
    return atomic_load_explicit(&q->left[slot_of(q, chunk)], memory_order_acquire) == 0;
}

/* ---- the caller ---- */

/* Has the slot's last copy ended? e: of the device, if that went wrong. */
static bool arrived(copier_quick *q, uint64_t chunk, int *e)
{
    cudaError_t state = cudaEventQuery(q->event[slot_of(q, chunk)]);
    if (state != cudaSuccess && state != cudaErrorNotReady) *e = (int)state;
    return state == cudaSuccess;
}

static int send(copier_quick *q, char *device, uint64_t chunk, cudaStream_t stream)
{
    char *there = device + chunk * QUICK_CHUNK, *here = slot_memory(q, chunk);
    size_t n = (size_t)chunk_bytes(q, chunk);
    int e = (int)(q->to_host ? cudaMemcpyAsync(here, there, n, cudaMemcpyDeviceToHost, stream)
                             : cudaMemcpyAsync(there, here, n, cudaMemcpyHostToDevice, stream));
    int record = (int)cudaEventRecord(q->event[slot_of(q, chunk)], stream);
    return e ? e : record;
}

/* Nothing to do now: look on for a while, then sleep until that chunk's copy has ended. */
static void wait_for(copier_quick *q, uint64_t chunk, int *idle, int *e)
{
    rest_a_little();
    if (++*idle < IDLE_LOOKS) return;
    *e = (int)cudaEventSynchronize(q->event[slot_of(q, chunk)]);
    *idle = 0;
}

static int to_device(copier_quick *q, char *device, uint64_t chunks, cudaStream_t stream)
{
    uint64_t opened = 0, sent = 0;
    int e = 0, idle = 0;
    while (sent < chunks && !e) {
        if (opened < chunks && opened < sent + QUICK_SLOTS && arrived(q, opened, &e)) {
            open_chunk(q, opened++);
        } else if (sent < opened && chunk_done(q, sent)) {
            e = send(q, device, sent++, stream);
        } else if (move_one(q)) {
            idle = 0;
        } else if (!e && opened == sent) {
            wait_for(q, opened, &idle, &e);
        }
    }
    return e;
}

static int to_host(lw_copier *c, copier_quick *q, char *device, uint64_t chunks, cudaStream_t stream)
{
    uint64_t sent = 0, here = 0, drained = 0;
    int e = 0, idle = 0;
    while (drained < chunks && !e) {
        if (here < sent && arrived(q, here, &e)) {
            open_chunk(q, here++);
            if (here == 1) copier_wake(c); /* who has looked for work in vain since the call began */
        } else if (!e && sent < chunks && sent < drained + QUICK_SLOTS &&
                   (sent >= QUICK_SLOTS || arrived(q, sent, &e))) {
            e = send(q, device, sent++, stream);
        } else if (drained < here && chunk_done(q, drained)) {
            drained++;
        } else if (move_one(q)) {
            idle = 0;
        } else if (!e && here == drained && here < sent) {
            wait_for(q, here, &idle, &e);
        }
    }
    return e;
}

int copier_quick_copy(lw_copier *c, bool down, char *device, char *host, int64_t bytes, cudaStream_t stream)
{
    copier_quick *q = &c->quick;
    uint64_t chunks = (uint64_t)((bytes + QUICK_CHUNK - 1) / QUICK_CHUNK);
    q->to_host = down;
    q->host = host;
    q->bytes = bytes;
    q->pieces = (uint64_t)((bytes + QUICK_PIECE - 1) / QUICK_PIECE);
    atomic_store(&q->next, 0);
    atomic_store(&q->open, 0);
    pthread_mutex_lock(&c->lock);
    q->on = true;
    copier_changed(c);
    pthread_mutex_unlock(&c->lock);
    int e = down ? to_host(c, q, device, chunks, stream) : to_device(q, device, chunks, stream);
    atomic_store(&q->next, q->pieces); /* after an error: no more of them */
    pthread_mutex_lock(&c->lock);
    q->on = false;
    while (q->users) {
        pthread_mutex_unlock(&c->lock);
        rest_a_little();
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    q->first += chunks;
    return e;
}
