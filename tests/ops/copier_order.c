/*
 * The host copier against a runtime of this file's own, on any machine: streams in order, copies that take turns at
 * random, and, as the driver does it, one thread for the host functions of all streams. What waits in a circle there
 * hangs here. (An H200 did, with copies of several threads: a lane that was ahead waited in a host function for a piece
 * behind one of the other lane, whose arrival only another host function could tell.)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/copier.h"

#define STREAMS 16
#define QUEUE 4096
#define USERS 3
#define ROUNDS 12
#define BYTES (3 << 20)
#define SECONDS 100 /* more than any machine needs */

typedef enum op_kind { OP_COPY, OP_HOST, OP_RECORD, OP_WAIT } op_kind;

typedef struct fake_record {
    bool done;
    struct fake_record *before; /* of the same event; freed with it */
} fake_record;

typedef struct fake_event {
    fake_record *last;
} fake_event;

typedef struct fake_op {
    op_kind kind;
    char *dst;
    const char *src;
    size_t bytes;
    cudaHostFn_t fn;
    void *arg;
    fake_event *event;
    fake_record *record;
} fake_op;

typedef struct fake_stream {
    fake_op op[QUEUE];
    uint64_t head, tail;
    bool calling; /* the head's host function is being called, or waits for it */
} fake_stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static fake_stream *streams[STREAMS];
static int stream_count;
static fake_stream *called; /* whose host function is next, or under way */
static unsigned luck = 1;

static void push(cudaStream_t s, fake_op op)
{
    fake_stream *f = (fake_stream *)s;
    pthread_mutex_lock(&lock);
    while (f->tail - f->head == QUEUE) pthread_cond_wait(&changed, &lock);
    if (op.kind == OP_RECORD) {
        op.record = calloc(1, sizeof *op.record);
        if (!op.record) exit(1);
        op.record->before = op.event->last;
        op.event->last = op.record;
    }
    if (op.kind == OP_WAIT) op.record = op.event->last; /* of that moment, whatever is recorded later */
    f->op[f->tail++ % QUEUE] = op;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* The head of one stream, if it can be done; streams are slow by turns. */
static bool step(fake_stream *f, bool slow)
{
    if (f->head == f->tail || f->calling) return false;
    fake_op *o = &f->op[f->head % QUEUE];
    if (o->kind == OP_WAIT && o->record && !o->record->done) return false;
    if (o->kind == OP_COPY && slow) return false;
    if (o->kind == OP_HOST) {
        if (called) return false;
        called = f;
        return f->calling = true;
    }
    if (o->kind == OP_COPY) memcpy(o->dst, o->src, o->bytes);
    if (o->kind == OP_RECORD) o->record->done = true;
    f->head++;
    return true;
}

static void *device_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (unsigned turn = 0;; turn++) {
        bool moved = false;
        unsigned slow = luck >> 16 & 3; /* one of the first streams, which are the lanes, for some turns */
        for (int i = 0; i < stream_count; i++) moved = step(streams[i], (unsigned)i == slow) || moved;
        if (turn % 64 == 0 || !moved) luck = luck * 1103515245 + 12345;
        if (moved) pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
        if (!moved) usleep(20);
        pthread_mutex_lock(&lock);
    }
    return NULL;
}

static void *host_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!called) pthread_cond_wait(&changed, &lock);
        fake_stream *f = called;
        fake_op o = f->op[f->head % QUEUE];
        pthread_mutex_unlock(&lock);
        o.fn(o.arg);
        pthread_mutex_lock(&lock);
        f->head++;
        f->calling = false;
        called = NULL;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

/* ---- the calls that the copier makes ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    (void)flags;
    fake_stream *f = calloc(1, sizeof *f);
    if (!f || stream_count == STREAMS) exit(1);
    pthread_mutex_lock(&lock);
    streams[stream_count++] = f;
    pthread_mutex_unlock(&lock);
    *s = (cudaStream_t)f;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    fake_stream *f = (fake_stream *)s;
    pthread_mutex_lock(&lock);
    while (f->head != f->tail) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    (void)s;
    return cudaErrorNotReady;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status)
{
    (void)s;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    (void)flags;
    *e = (cudaEvent_t)calloc(1, sizeof(fake_event));
    return *e ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    fake_event *f = (fake_event *)e;
    for (fake_record *r = f->last, *before; r; r = before) {
        before = r->before;
        free(r);
    }
    free(f);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    push(s, (fake_op){.kind = OP_RECORD, .event = (fake_event *)e});
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    (void)flags;
    push(s, (fake_op){.kind = OP_WAIT, .event = (fake_event *)e});
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    fake_event *f = (fake_event *)e;
    pthread_mutex_lock(&lock);
    bool done = !f->last || f->last->done;
    pthread_mutex_unlock(&lock);
    return done ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    fake_event *f = (fake_event *)e;
    pthread_mutex_lock(&lock);
    for (fake_record *r = f->last; r && !r->done;) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)kind;
    push(s, (fake_op){.kind = OP_COPY, .dst = dst, .src = src, .bytes = n});
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dp, const void *src, size_t sp, size_t n, size_t rows,
                              enum cudaMemcpyKind kind, cudaStream_t s)
{
    for (size_t i = 0; i < rows; i++) cudaMemcpyAsync((char *)dst + i * dp, (const char *)src + i * sp, n, kind, s);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *arg)
{
    push(s, (fake_op){.kind = OP_HOST, .fn = fn, .arg = arg});
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s) { return cudaStreamSynchronize(s); }

cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags)
{
    (void)flags;
    *p = malloc(n);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *p)
{
    free(p);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags)
{
    (void)p, (void)n, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *p)
{
    (void)p;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p)
{
    (void)p;
    memset(a, 0, sizeof *a); /* pageable */
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    (void)attr, (void)device;
    *value = 0;
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t e)
{
    (void)e;
    return "an error";
}

lw_ops_status lw_check_device(const lw_ops *ops)
{
    (void)ops;
    return LW_OPS_OK;
}

lw_ops_status lw_ops_fail(lw_ops_error *err, lw_ops_status status, const char *format, ...)
{
    (void)err;
    fprintf(stderr, "%s\n", format);
    return status;
}

/* ---- the test ---- */

typedef struct user {
    lw_copier *c;
    pthread_t thread;
    int seed, wrong;
} user;

static void *use(void *arg)
{
    user *u = arg;
    unsigned char *from = malloc(BYTES), *to = malloc(BYTES), *device = malloc(BYTES);
    cudaStream_t s;
    lw_ops_error err;
    lw_ticket up, down;
    cudaStreamCreateWithFlags(&s, 0);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t bytes = BYTES - 12345 * round - 777 * u->seed;
        for (int64_t i = 0; i < bytes; i++) from[i] = (unsigned char)((i * (2 * u->seed + 3) + round) >> 3);
        memset(to, 0, BYTES);
        u->wrong += lw_copy_h2d(u->c, device, from, bytes, (lw_stream)s, &up, &err) != LW_OPS_OK;
        u->wrong += lw_copy_d2h(u->c, to, device, bytes, (lw_stream)s, &down, &err) != LW_OPS_OK;
        u->wrong += lw_ticket_wait(u->c, &up, &err) != LW_OPS_OK;
        u->wrong += lw_ticket_wait(u->c, &down, &err) != LW_OPS_OK;
        u->wrong += memcmp(from, to, (size_t)bytes) != 0;
    }
    free(from);
    free(to);
    free(device);
    return NULL;
}

/* Through a ring of 1 MiB, then also at once. */
static int users(int64_t direct_bytes)
{
    static struct lw_ops ops;
    const lw_copier_options o = {.threads = 2, .numa_node = -1, .ring_bytes = 1 << 20, .direct_bytes = direct_bytes};
    lw_copier *c = NULL;
    user u[USERS];
    int wrong = 0;
    if (lw_copier_create(&c, &ops, &o, NULL) != LW_OPS_OK) return 1;
    for (int i = 0; i < USERS; i++) {
        u[i] = (user){.c = c, .seed = i};
        if (pthread_create(&u[i].thread, NULL, use, &u[i])) exit(1);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(u[i].thread, NULL);
        wrong += u[i].wrong;
    }
    lw_copier_destroy(c);
    return wrong;
}

int main(void)
{
    pthread_t device, host;
    alarm(SECONDS);
    if (pthread_create(&device, NULL, device_thread, NULL) || pthread_create(&host, NULL, host_thread, NULL)) return 1;
    int ring = users(-1), at_once = users(0);
    printf("copier order: through the ring %d wrong, at once %d wrong\n", ring, at_once);
    return ring || at_once;
}
