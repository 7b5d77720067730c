/*
 * The host copier: asynchronous copies between the device and pageable memory or files through a ring of pinned memory,
 * and, for memory that the device can reach by itself (pinned, registered, mapped, managed), the runtime's own copies
 * with a ticket. The device side is ordered in the caller's stream: lanes wait for what the stream has before, the
 * stream waits for the lanes. What moves the bytes is in copier_work.c.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "host/copier.h"

#define MPOL_BIND 2
#define LOOK_MS 100 /* how often a waiting caller looks whether the device still works */
/* Up to here the runtime's own copies are faster than several threads, or than the ring for rows (an H200). */
#define RUNTIME_TO_DEVICE (512 << 10)
#define RUNTIME_TO_HOST (128 << 10)
#define RUNTIME_ROWS_TO_DEVICE (4 << 20)
#define RUNTIME_ROWS_TO_HOST (512 << 10)

/* ---- making and destroying ---- */

static bool check_options(lw_copier_options *o, lw_ops_error *err)
{
    if (!o->threads) o->threads = 4;
    if (!o->ring_bytes) o->ring_bytes = 64 << 20;
    if (!o->direct_bytes) o->direct_bytes = 16 << 20;
    if (!o->tickets) o->tickets = 64;
    bool ok = o->threads >= 1 && o->threads <= 256 && o->ring_bytes >= 1 << 20 && o->ring_bytes <= (int64_t)1 << 40 &&
              o->direct_bytes >= -1 && o->tickets >= 1 && o->tickets <= 4096 && o->numa_node >= -1 &&
              o->numa_node < 1024;
    if (!ok) lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "an option of the copier is outside its range");
    return ok;
}

/* The slots, and behind them the area of copies at once. */
static size_t ring_bytes(const lw_copier *c)
{
    return (size_t)c->slot_bytes * COPIER_SLOTS + (size_t)QUICK_SLOTS * QUICK_CHUNK;
}

/* Pinned memory; on a NUMA node, pages are bound to it before they are touched and registered. */
static int make_ring(lw_copier *c)
{
    size_t bytes = ring_bytes(c);
    if (c->opt.numa_node < 0) return (int)cudaHostAlloc((void **)&c->ring, bytes, cudaHostAllocPortable);
    unsigned long mask[16] = {0};
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return (int)cudaErrorMemoryAllocation;
    mask[c->opt.numa_node / 64] = 1ul << c->opt.numa_node % 64;
    syscall(SYS_mbind, p, bytes, MPOL_BIND, mask, sizeof mask * 8, 0); /* a kernel without NUMA has one node anyway */
    memset(p, 0, bytes);
    int e = (int)cudaHostRegister(p, bytes, cudaHostRegisterPortable);
    if (e) {
        munmap(p, bytes);
        return e;
    }
    c->ring = p;
    c->registered = true;
    return 0;
}

static void free_ring(lw_copier *c)
{
    if (!c->ring) return;
    if (!c->registered) {
        cudaFreeHost(c->ring);
        return;
    }
    cudaHostUnregister(c->ring);
    munmap(c->ring, ring_bytes(c));
}

static int make_lanes(lw_copier *c)
{
    const unsigned flags = cudaEventDisableTiming;
    int e = (int)cudaEventCreateWithFlags(&c->begin, flags), late = 0;
    if (!e) e = (int)cudaDeviceGetAttribute(&late, cudaDevAttrPageableMemoryAccessUsesHostPageTables, c->ops->device);
    c->late = late != 0;
    for (int i = 0; i < COPIER_LANES && !e; i++) {
        copier_lane *l = &c->lane[i];
        l->copier = c;
        l->next = l->done = l->cursor = (uint64_t)i;
        e = (int)cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking);
        if (!e) e = (int)cudaEventCreateWithFlags(&l->end, flags);
    }
    for (int i = 0; i < c->opt.tickets && !e; i++) e = (int)cudaEventCreateWithFlags(&c->jobs[i].event, flags);
    return e;
}

lw_ops_status lw_copier_create(lw_copier **out, const lw_ops *ops, const lw_copier_options *options, lw_ops_error *err)
{
    if (out) *out = NULL;
    if (!out || !ops) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle or the copier pointer is NULL");
    if (lw_check_device(ops) != LW_OPS_OK)
        return lw_ops_fail(err, LW_OPS_DEVICE, "the handle's device is not the current one");
    lw_copier *c = calloc(1, sizeof *c);
    if (!c) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the copier");
    c->ops = ops;
    c->opt = options ? *options : (lw_copier_options){.numa_node = -1};
    pthread_mutex_init(&c->enqueue, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->news, NULL);
    lw_ops_status st = LW_OPS_BAD_ARGUMENT;
    if (check_options(&c->opt, err)) {
        st = LW_OPS_NO_MEMORY;
        c->slot_bytes = (c->opt.ring_bytes / COPIER_SLOTS + 4095) & ~(int64_t)4095;
        c->jobs = calloc((size_t)c->opt.tickets, sizeof *c->jobs);
        c->threads = calloc((size_t)c->opt.threads, sizeof *c->threads);
        int e = c->jobs && c->threads ? make_ring(c) : (int)cudaErrorMemoryAllocation;
        if (!e) e = make_lanes(c);
        if (!e) e = copier_quick_init(&c->quick, c->ring + c->slot_bytes * COPIER_SLOTS);
        if (e) lw_ops_fail(err, st, "the copier's pinned memory or streams: %s", cudaGetErrorString((cudaError_t)e));
        if (e && err) err->cuda_error = e;
        if (!e && copier_start_threads(c, err)) {
            *out = c;
            return LW_OPS_OK;
        }
    }
    lw_copier_destroy(c);
    return st;
}

/* ---- waiting ---- */

/* Everything that belongs to the caller is free again, and no lane needs the record any more. */
static bool finished(const copier_job *j) { return !j->direct && j->chunks_left == 0 && j->tails_left == 0; }

static bool host_free(const copier_job *j) { return j->chunks_left == 0 && (!j->to_host || j->tails_left == 0); }

/* A device error ends all waiting: host functions of a dead context are never called. */
static void look_at_device(lw_copier *c)
{
    for (int i = 0; i < COPIER_LANES; i++) {
        cudaError_t e = cudaStreamQuery(c->lane[i].stream);
        if (e != cudaSuccess && e != cudaErrorNotReady) c->broken = true;
    }
    if (c->broken) copier_changed(c);
}

/* Waits for news, the lock held; looks at the device now and then. */
static void wait_news(lw_copier *c)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += LOOK_MS * 1000000l;
    if (t.tv_nsec >= 1000000000l) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000l;
    }
    if (pthread_cond_timedwait(&c->news, &c->lock, &t)) look_at_device(c);
}

static void release_finished(lw_copier *c)
{
    for (int i = 0; i < c->opt.tickets; i++) {
        copier_job *j = &c->jobs[i];
        if (j->id && !j->kept && (finished(j) || c->broken)) j->id = 0;
        if (j->id && !j->kept && j->direct && cudaEventQuery(j->event) != cudaErrorNotReady) j->id = 0;
    }
}

static copier_job *find_ticket(lw_copier *c, const lw_ticket *ticket)
{
    for (int i = 0; i < c->opt.tickets; i++) {
        if (ticket->id && c->jobs[i].id == ticket->id && c->jobs[i].kept) return &c->jobs[i];
    }
    return NULL;
}

static lw_ops_status job_status(const lw_copier *c, const copier_job *j, lw_ops_error *err)
{
    if (c->broken) return lw_ops_fail(err, LW_OPS_LAUNCH, "the device reported an error");
    if (j->status == LW_OPS_OK) return LW_OPS_OK;
    lw_ops_fail(err, j->status, j->status == LW_OPS_FILE ? "file: %s" : "copy: %s",
                j->status == LW_OPS_FILE ? strerror(j->error) : cudaGetErrorString((cudaError_t)j->error));
    if (err && j->status != LW_OPS_FILE) err->cuda_error = j->error;
    return j->status;
}

lw_ops_status lw_ticket_wait(lw_copier *c, lw_ticket *ticket, lw_ops_error *err)
{
    if (!c || !ticket) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "copier or ticket is NULL");
    if (!ticket->id) return LW_OPS_OK;
    pthread_mutex_lock(&c->lock);
    copier_job *j = find_ticket(c, ticket);
    lw_ops_status st = LW_OPS_OK;
    if (!j) {
        st = lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "no such ticket");
    } else if (j->direct) {
        cudaEvent_t event = j->event;
        pthread_mutex_unlock(&c->lock);
        int e = (int)cudaEventSynchronize(event);
        pthread_mutex_lock(&c->lock);
        if (e && j->status == LW_OPS_OK) {
            j->status = LW_OPS_LAUNCH;
            j->error = e;
        }
    } else {
        while (!host_free(j) && !c->broken) wait_news(c);
    }
    if (j) {
        st = job_status(c, j, err);
        j->kept = false;
        if (j->direct || finished(j)) j->id = 0;
        ticket->id = 0;
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

int lw_ticket_done(lw_copier *c, const lw_ticket *ticket)
{
    int done = 1;
    if (!c || !ticket) return 1;
    pthread_mutex_lock(&c->lock);
    copier_job *j = find_ticket(c, ticket);
    if (j) done = j->direct ? cudaEventQuery(j->event) != cudaErrorNotReady : host_free(j) || c->broken;
    pthread_mutex_unlock(&c->lock);
    return done;
}

void lw_copier_destroy(lw_copier *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; c->jobs && i < c->opt.tickets; i++) {
        while (c->jobs[i].id && !c->jobs[i].direct && !finished(&c->jobs[i]) && !c->broken) wait_news(c);
    }
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; c->jobs && i < c->opt.tickets; i++) {
        if (c->jobs[i].event) {
            cudaEventSynchronize(c->jobs[i].event);
            cudaEventDestroy(c->jobs[i].event);
        }
    }
    copier_stop_threads(c);
    copier_quick_free(&c->quick);
    for (int i = 0; i < COPIER_LANES; i++) {
        if (c->lane[i].stream) cudaStreamSynchronize(c->lane[i].stream);
        if (c->lane[i].end) cudaEventDestroy(c->lane[i].end);
        if (c->lane[i].stream) cudaStreamDestroy(c->lane[i].stream);
    }
    if (c->begin) cudaEventDestroy(c->begin);
    free_ring(c);
    pthread_mutex_destroy(&c->enqueue);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->work);
    pthread_cond_destroy(&c->news);
    free(c->jobs);
    free(c->threads);
    free(c);
}

/* ---- enqueueing ---- */

static int copy_rows(const copier_job *j, char *device, char *host, int64_t host_row, int64_t bytes, int64_t rows,
                     cudaStream_t s)
{
    enum cudaMemcpyKind kind = j->direct    ? cudaMemcpyDefault
                               : j->to_host ? cudaMemcpyDeviceToHost
                                            : cudaMemcpyHostToDevice;
    char *dst = j->to_host ? host : device, *src = j->to_host ? device : host;
    if (rows == 1 || (host_row == bytes && j->device_row == bytes)) {
        return (int)cudaMemcpyAsync(dst, src, (size_t)(bytes * rows), kind, s);
    }
    int64_t dpitch = j->to_host ? host_row : j->device_row, spitch = j->to_host ? j->device_row : host_row;
    return (int)cudaMemcpy2DAsync(dst, (size_t)dpitch, src, (size_t)spitch, (size_t)bytes, (size_t)rows, kind, s);
}

/* The runtime's own copies in the caller's stream, one per plane. */
static int copy_planes(copier_job *j, cudaStream_t stream)
{
    int e = 0;
    for (int64_t p = 0; p < j->planes && !e; p++) {
        e = copy_rows(j, j->device + p * j->device_plane, j->host + p * j->host_plane, j->host_row, j->row, j->rows,
                      stream);
    }
    return e;
}

static int enqueue_direct(copier_job *j, cudaStream_t stream)
{
    int e = copy_planes(j, stream), record = (int)cudaEventRecord(j->event, stream);
    return e ? e : record;
}

/*
 * Pageable memory, taken or filled when the call returns, so that there is nothing to wait for: by the runtime, or by
 * the copier's threads with the caller's.
 */
static lw_ops_status copy_now(lw_copier *c, copier_job *j, bool quick, cudaStream_t stream, lw_ops_error *err)
{
    if (lw_check_device(c->ops) != LW_OPS_OK)
        return lw_ops_fail(err, LW_OPS_DEVICE, "the copier's device is not the current one");
    j->direct = false; /* a direction that is said spares the runtime two look-ups of pointers */
    int e = quick ? copier_quick_copy(c, j->to_host, j->device, j->host, j->row, stream) : copy_planes(j, stream);
    if (!e) return LW_OPS_OK;
    lw_ops_fail(err, LW_OPS_LAUNCH, "%s", cudaGetErrorString((cudaError_t)e));
    if (err) err->cuda_error = e;
    return LW_OPS_LAUNCH;
}

static int enqueue_chunks(lw_copier *c, copier_job *j, cudaStream_t stream)
{
    int lanes = j->count < COPIER_LANES ? 1 : COPIER_LANES, e = (int)cudaEventRecord(c->begin, stream);
    for (int i = 0; i < lanes && !e; i++) {
        e = (int)cudaStreamWaitEvent(c->lane[(j->first + (uint64_t)i) % COPIER_LANES].stream, c->begin, 0);
    }
    for (uint64_t k = 0; k < j->count && !e; k++) {
        uint64_t g = j->first + k;
        copier_lane *l = &c->lane[g % COPIER_LANES];
        copier_chunk chunk = copier_chunk_of(j, k);
        e = (int)cudaLaunchHostFunc(l->stream, copier_gate, l);
        if (!e) {
            e = copy_rows(j, j->device + chunk.device, c->ring + (int64_t)(g % COPIER_SLOTS) * c->slot_bytes,
                          chunk.bytes, chunk.bytes, chunk.rows, l->stream);
        }
    }
    for (int i = 0; i < lanes && !e; i++) {
        copier_lane *l = &c->lane[(j->first + (uint64_t)i) % COPIER_LANES];
        e = (int)cudaLaunchHostFunc(l->stream, copier_tail, l);
        if (!e) e = (int)cudaEventRecord(l->end, l->stream);
        if (!e) e = (int)cudaStreamWaitEvent(stream, l->end, 0);
    }
    return e;
}

/* Long runs to one row; planes that follow each other evenly to one plane. */
static void simplify(copier_job *j)
{
    if (j->rows == 1) {
        j->rows = j->planes;
        j->host_row = j->host_plane;
        j->device_row = j->device_plane;
        j->planes = 1;
    }
    if (j->host_plane == j->rows * j->host_row && j->device_plane == j->rows * j->device_row) {
        j->rows *= j->planes;
        j->planes = 1;
    }
    if (j->planes == 1 && j->host_row == j->row && j->device_row == j->row) {
        j->row *= j->rows;
        j->rows = 1;
    }
}

/* Chunks: small copies are cut finer, so that filling and travelling overlap. */
static void cut(const lw_copier *c, copier_job *j)
{
    int64_t bytes = j->row * j->rows * j->planes, chunk = bytes / 4 & ~(int64_t)4095;
    j->chunk = chunk < 512 << 10 ? 512 << 10 : chunk;
    if (j->chunk > c->slot_bytes) j->chunk = c->slot_bytes;
    if (j->row > j->chunk || j->rows * j->planes == 1) {
        j->rows_each = 0;
        j->per_unit = (j->row + j->chunk - 1) / j->chunk;
        j->count = (uint64_t)(j->per_unit * j->rows * j->planes);
    } else {
        j->rows_each = j->chunk / j->row;
        j->per_unit = (j->rows + j->rows_each - 1) / j->rows_each;
        j->count = (uint64_t)(j->per_unit * j->planes);
    }
}

/* Memory that the device reaches by itself. */
static bool device_reaches(const void *p)
{
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) return false;
    return a.type == cudaMemoryTypeHost || a.type == cudaMemoryTypeManaged;
}

static copier_job *free_record(lw_copier *c)
{
    release_finished(c);
    for (int i = 0; i < c->opt.tickets; i++) {
        if (!c->jobs[i].id) return &c->jobs[i];
    }
    return NULL;
}

static lw_ops_status submit(lw_copier *c, copier_job *want, cudaStream_t stream, lw_ticket *ticket, lw_ops_error *err)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (lw_check_device(c->ops) != LW_OPS_OK)
        return lw_ops_fail(err, LW_OPS_DEVICE, "the copier's device is not the current one");
    cudaStreamIsCapturing(stream, &capture);
    if (capture != cudaStreamCaptureStatusNone) {
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED,
                           "a host copy cannot be captured: its ticket would mean nothing in a replay");
    }
    pthread_mutex_lock(&c->enqueue);
    pthread_mutex_lock(&c->lock);
    copier_job *j = free_record(c);
    if (!j || c->broken) {
        pthread_mutex_unlock(&c->lock);
        pthread_mutex_unlock(&c->enqueue);
        if (j) return lw_ops_fail(err, LW_OPS_LAUNCH, "the device reported an error");
        return lw_ops_fail(err, LW_OPS_BUSY, "all %d tickets are in use", c->opt.tickets);
    }
    want->event = j->event;
    want->id = ++c->next_id;
    want->kept = ticket != NULL;
    if (!want->direct) {
        cut(c, want);
        want->first = c->chunks;
        want->chunks_left = want->count;
        want->tails_left = want->count < COPIER_LANES ? 1 : COPIER_LANES;
        c->chunks += want->count;
    }
    *j = *want;
    if (ticket) ticket->id = j->id;
    copier_changed(c);
    pthread_mutex_unlock(&c->lock);
    int e = j->direct ? enqueue_direct(j, stream) : enqueue_chunks(c, j, stream);
    pthread_mutex_lock(&c->lock);
    if (e && !j->direct) c->broken = true; /* the lanes do not follow the count of the chunks any more */
    if (e && j->direct) j->id = 0;
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_unlock(&c->enqueue);
    if (!e) return LW_OPS_OK;
    if (ticket) ticket->id = 0;
    lw_ops_fail(err, LW_OPS_LAUNCH, "%s", cudaGetErrorString((cudaError_t)e));
    if (err) err->cuda_error = e;
    return LW_OPS_LAUNCH;
}

/* ---- the calls ---- */

typedef enum at_once { AT_ONCE_NOT, AT_ONCE_RUNTIME, AT_ONCE_QUICK } at_once;

/* How a copy of pageable memory is made before the call returns, if it is. QUICK: `one` is held then. */
static at_once choose_at_once(lw_copier *c, const copier_job *j)
{
    int64_t bytes = j->row * j->rows * j->planes;
    if (bytes > c->opt.direct_bytes) return AT_ONCE_NOT;
    if (bytes <= (j->to_host ? RUNTIME_TO_HOST : RUNTIME_TO_DEVICE)) return AT_ONCE_RUNTIME;
    if (j->rows * j->planes == 1 && !pthread_mutex_trylock(&c->quick.one)) return AT_ONCE_QUICK;
    return bytes <= (j->to_host ? RUNTIME_ROWS_TO_HOST : RUNTIME_ROWS_TO_DEVICE) ? AT_ONCE_RUNTIME : AT_ONCE_NOT;
}

static lw_ops_status memory_copy(lw_copier *c, bool to_host, void *device, void *host, const lw_host_shape *s,
                                 lw_stream stream, lw_ticket *ticket, lw_ops_error *err)
{
    lw_ops_status st;
    if (ticket) ticket->id = 0;
    if (!c || !s) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "copier or shape is NULL");
    if (s->row_bytes < 0 || s->rows < 0 || s->planes < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "a negative size");
    if (!s->row_bytes || !s->rows || !s->planes) return LW_OPS_OK;
    if (!device || !host) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "a pointer is NULL");
    if ((s->rows > 1 && (s->host_row < s->row_bytes || s->device_row < s->row_bytes)) ||
        (s->planes > 1 && (s->host_plane < (s->rows - 1) * s->host_row + s->row_bytes ||
                           s->device_plane < (s->rows - 1) * s->device_row + s->row_bytes))) {
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "rows or planes overlap");
    }
    copier_job j = {.to_host = to_host,
                    .host = host,
                    .device = device,
                    .row = s->row_bytes,
                    .rows = s->rows,
                    .planes = s->planes,
                    .host_row = s->host_row,
                    .host_plane = s->host_plane,
                    .device_row = s->device_row,
                    .device_plane = s->device_plane};
    simplify(&j);
    bool reached = device_reaches(host);
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    at_once how = reached ? AT_ONCE_NOT : choose_at_once(c, &j);
    j.direct = reached || how == AT_ONCE_RUNTIME;
    bool now = how == AT_ONCE_QUICK || (how == AT_ONCE_RUNTIME && !c->late);
    if (now && !cudaStreamIsCapturing((cudaStream_t)stream, &capture) && capture == cudaStreamCaptureStatusNone) {
        st = copy_now(c, &j, how == AT_ONCE_QUICK, (cudaStream_t)stream, err);
    } else {
        st = submit(c, &j, (cudaStream_t)stream, ticket, err);
    }
    if (how == AT_ONCE_QUICK) pthread_mutex_unlock(&c->quick.one);
    return st;
}

static lw_ops_status file_copy(lw_copier *c, bool to_host, void *device, int fd, int64_t offset, int64_t bytes,
                               lw_stream stream, lw_ticket *ticket, lw_ops_error *err)
{
    if (ticket) ticket->id = 0;
    if (!c || fd < 0 || offset < 0)
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "copier is NULL, or the file descriptor or offset is negative");
    if (bytes < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "a negative size");
    if (!bytes) return LW_OPS_OK;
    if (!device) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the device pointer is NULL");
    copier_job j = {.to_host = to_host,
                    .source = COPIER_FILE,
                    .fd = fd,
                    .file_offset = offset,
                    .device = device,
                    .row = bytes,
                    .rows = 1,
                    .planes = 1};
    return submit(c, &j, (cudaStream_t)stream, ticket, err);
}

lw_ops_status lw_copy_h2d(lw_copier *c, void *dst, const void *src, int64_t bytes, lw_stream stream, lw_ticket *ticket,
                          lw_ops_error *err)
{
    const lw_host_shape s = {.row_bytes = bytes, .rows = 1, .planes = 1};
    return memory_copy(c, false, dst, (void *)src, &s, stream, ticket, err);
}

lw_ops_status lw_copy_d2h(lw_copier *c, void *dst, const void *src, int64_t bytes, lw_stream stream, lw_ticket *ticket,
                          lw_ops_error *err)
{
    const lw_host_shape s = {.row_bytes = bytes, .rows = 1, .planes = 1};
    return memory_copy(c, true, (void *)src, dst, &s, stream, ticket, err);
}

lw_ops_status lw_copy_h2d_strided(lw_copier *c, void *dst, const void *src, const lw_host_shape *shape,
                                  lw_stream stream, lw_ticket *ticket, lw_ops_error *err)
{
    return memory_copy(c, false, dst, (void *)src, shape, stream, ticket, err);
}

lw_ops_status lw_copy_d2h_strided(lw_copier *c, void *dst, const void *src, const lw_host_shape *shape,
                                  lw_stream stream, lw_ticket *ticket, lw_ops_error *err)
{
    return memory_copy(c, true, (void *)src, dst, shape, stream, ticket, err);
}

lw_ops_status lw_copy_file_to_device(lw_copier *c, void *dst, int fd, int64_t offset, int64_t bytes, lw_stream stream,
                                     lw_ticket *ticket, lw_ops_error *err)
{
    return file_copy(c, false, dst, fd, offset, bytes, stream, ticket, err);
}

lw_ops_status lw_copy_device_to_file(lw_copier *c, int fd, int64_t offset, const void *src, int64_t bytes,
                                     lw_stream stream, lw_ticket *ticket, lw_ops_error *err)
{
    return file_copy(c, true, (void *)src, fd, offset, bytes, stream, ticket, err);
}
