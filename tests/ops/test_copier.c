/*
 * The host copier: pageable, pinned and managed memory, files, 2-D and 3-D shapes, through rings so small that every
 * slot is used many times; order in the stream; tickets; what must be refused.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include "harness.h"

#define MEGA (1 << 20)

static void fill(test_state *t, void *p, size_t bytes)
{
    unsigned char *b = p;
    uint64_t r = test_random(t, 0);
    for (size_t i = 0; i < bytes; i++) b[i] = (unsigned char)((r + i * 0x9e3779b97f4a7c15u) >> 29);
}

static lw_copier *make(test_state *t, int threads, int64_t ring, int64_t direct, int tickets)
{
    const lw_copier_options o = {
        .threads = threads, .numa_node = -1, .ring_bytes = ring, .direct_bytes = direct, .tickets = tickets};
    lw_copier *c = NULL;
    lw_ops_error err = {0};
    lw_ops_status st = lw_copier_create(&c, t->ops, &o, &err);
    test_check(t, st == LW_OPS_OK, "lw_copier_create: %s", err.text);
    return c;
}

static void check(test_state *t, lw_ops_status st, const lw_ops_error *err, const char *what)
{
    test_check(t, st == LW_OPS_OK, "%s: %s", what, err->text);
}

/* To the device, through a kernel to a second buffer, and back, all in one stream and waited for once. */
static void round_trip(test_state *t, lw_copier *c, int64_t bytes, int kind)
{
    static const char *const kinds[] = {"pageable", "pinned", "managed"};
    unsigned char *from = NULL, *to = NULL;
    char what[80];
    lw_ops_error err = {0};
    lw_ticket up, down;
    size_t size = (size_t)bytes + 16;
    test_buffer a = test_buffer_make(t, (size_t)bytes, 0), b = test_buffer_make(t, (size_t)bytes, 0);
    if (kind == 0) {
        from = malloc(size);
        to = malloc(size);
    } else if (kind == 1) {
        test_cuda(t, (int)cudaHostAlloc((void **)&from, size, 0), "pinned");
        test_cuda(t, (int)cudaHostAlloc((void **)&to, size, 0), "pinned");
    } else {
        test_cuda(t, (int)cudaMallocManaged((void **)&from, size, cudaMemAttachGlobal), "managed");
        test_cuda(t, (int)cudaMallocManaged((void **)&to, size, cudaMemAttachGlobal), "managed");
    }
    snprintf(what, sizeof what, "%s, %lld bytes", kinds[kind], (long long)bytes);
    fill(t, from, size);
    memset(to, 0xa5, size);
    test_upload(t, &a);
    test_upload(t, &b);
    check(t, lw_copy_h2d(c, test_device(&a), from, bytes, t->stream, &up, &err), &err, what);
    lw_tensor flat = lw_tensor_dense(NULL, LW_U8, 0, 1, &bytes), other = flat;
    flat.data = test_device(&a);
    other.data = test_device(&b);
    check(t, lw_copy(t->ops, &other, &flat, t->stream, &err), &err, what);
    check(t, lw_copy_d2h(c, to, test_device(&b), bytes, t->stream, &down, &err), &err, what);
    check(t, lw_ticket_wait(c, &up, &err), &err, what);
    if (kind == 0) memset(from, 0, (size_t)bytes); /* it is ours again */
    else test_cuda(t, (int)cudaStreamSynchronize(t->stream), what);
    check(t, lw_ticket_wait(c, &down, &err), &err, what);
    memcpy(test_host(&a), to, (size_t)bytes);
    memcpy(test_host(&b), to, (size_t)bytes);
    test_same(t, &a, what);
    test_same(t, &b, what);
    bool beyond = true;
    for (int i = 0; i < 16; i++) beyond = beyond && to[bytes + i] == 0xa5;
    test_check(t, beyond, "%s: written beyond the end", what);
    if (kind) {
        test_check(t, memcmp(from, to, (size_t)bytes) == 0, "%s: not what was sent", what);
    } else { /* from was overwritten: compare with what the generator gives again */
        bool any = bytes == 0;
        for (int64_t i = 0; i < bytes && !any; i++) any = to[i] != 0xa5;
        test_check(t, any, "%s: nothing arrived", what);
    }
    if (kind == 0) free(from);
    if (kind == 0) free(to);
    if (kind == 1) cudaFreeHost(from);
    if (kind == 1) cudaFreeHost(to);
    if (kind == 2) cudaFree(from);
    if (kind == 2) cudaFree(to);
    test_buffer_free(&a);
    test_buffer_free(&b);
}

/* Pageable, compared with what was sent before it was overwritten. */
static void pageable(test_state *t, lw_copier *c, int64_t bytes, int offset)
{
    unsigned char *from = malloc((size_t)bytes + 16), *keep = malloc((size_t)bytes + 16),
                  *to = calloc((size_t)bytes + 32, 1);
    test_buffer a = test_buffer_make(t, (size_t)bytes, (size_t)offset);
    lw_ops_error err = {0};
    lw_ticket up, down;
    fill(t, from, (size_t)bytes + 16);
    memcpy(keep, from, (size_t)bytes + 16);
    memcpy(test_host(&a), from + offset, (size_t)bytes);
    test_upload(t, &a);
    test_fill(t, test_device(&a), 0, (size_t)bytes);
    test_cuda(t, (int)cudaDeviceSynchronize(), "memset");
    check(t, lw_copy_h2d(c, test_device(&a), from + offset, bytes, t->stream, &up, &err), &err, "h2d");
    check(t, lw_ticket_wait(c, &up, &err), &err, "h2d wait");
    memset(from, 0x5a, (size_t)bytes + 16);
    check(t, lw_copy_d2h(c, to + offset, test_device(&a), bytes, t->stream, &down, &err), &err, "d2h");
    check(t, lw_ticket_wait(c, &down, &err), &err, "d2h wait");
    test_check(t, down.id == 0 && lw_ticket_done(c, &down), "a ticket that was waited for");
    test_check(t, !memcmp(to + offset, keep + offset, (size_t)bytes), "pageable, %lld bytes at %d", (long long)bytes,
               offset);
    test_check(t, to[offset + bytes] == 0 && (!offset || to[offset - 1] == 0), "bytes outside were written");
    test_same(t, &a, "pageable");
    free(from);
    free(keep);
    free(to);
    test_buffer_free(&a);
}

static void strided(test_state *t, lw_copier *c, lw_host_shape s, bool pinned)
{
    int64_t hspan = (s.planes - 1) * s.host_plane + (s.rows - 1) * s.host_row + s.row_bytes;
    int64_t dspan = (s.planes - 1) * s.device_plane + (s.rows - 1) * s.device_row + s.row_bytes;
    test_buffer d = test_buffer_make(t, (size_t)dspan, 4);
    unsigned char *host = NULL, *back = calloc((size_t)hspan, 1), *want = calloc((size_t)hspan, 1);
    lw_ops_error err = {0};
    lw_ticket ticket;
    char what[160];
    if (pinned) test_cuda(t, (int)cudaHostAlloc((void **)&host, (size_t)hspan, 0), "pinned");
    else host = malloc((size_t)hspan);
    snprintf(what, sizeof what, "%lld x %lld x %lld, rows %lld and %lld, planes %lld and %lld%s", (long long)s.planes,
             (long long)s.rows, (long long)s.row_bytes, (long long)s.host_row, (long long)s.device_row,
             (long long)s.host_plane, (long long)s.device_plane, pinned ? ", pinned" : "");
    fill(t, host, (size_t)hspan);
    test_upload(t, &d);
    for (int64_t p = 0; p < s.planes; p++) {
        for (int64_t r = 0; r < s.rows; r++) {
            unsigned char *row = host + p * s.host_plane + r * s.host_row;
            memcpy((char *)test_host(&d) + p * s.device_plane + r * s.device_row, row, (size_t)s.row_bytes);
            memcpy(want + p * s.host_plane + r * s.host_row, row, (size_t)s.row_bytes);
        }
    }
    check(t, lw_copy_h2d_strided(c, test_device(&d), host, &s, t->stream, &ticket, &err), &err, what);
    check(t, lw_ticket_wait(c, &ticket, &err), &err, what);
    test_same(t, &d, what);
    check(t, lw_copy_d2h_strided(c, back, test_device(&d), &s, t->stream, &ticket, &err), &err, what);
    check(t, lw_ticket_wait(c, &ticket, &err), &err, what);
    test_check(t, !memcmp(back, want, (size_t)hspan), "%s: back", what);
    if (pinned) cudaFreeHost(host);
    else free(host);
    free(back);
    free(want);
    test_buffer_free(&d);
}

static void files(test_state *t, lw_copier *c)
{
    const int64_t bytes = 3 * MEGA + 4097, offset = 123;
    int fd = memfd_create("copier", 0);
    unsigned char *content = malloc((size_t)(bytes + offset)), *back = malloc((size_t)bytes);
    lw_ops_error err = {0};
    lw_ticket ticket;
    if (fd < 0) {
        t->skipped++;
        free(content);
        free(back);
        return;
    }
    fill(t, content, (size_t)(bytes + offset));
    test_check(t, write(fd, content, (size_t)(bytes + offset)) == bytes + offset, "writing the file");
    test_buffer d = test_buffer_make(t, (size_t)bytes, 0);
    memcpy(test_host(&d), content + offset, (size_t)bytes);
    test_upload(t, &d);
    test_fill(t, test_device(&d), 0, (size_t)bytes);
    test_cuda(t, (int)cudaDeviceSynchronize(), "memset");
    check(t, lw_copy_file_to_device(c, test_device(&d), fd, offset, bytes, t->stream, &ticket, &err), &err, "file");
    check(t, lw_ticket_wait(c, &ticket, &err), &err, "file");
    test_same(t, &d, "file to device");
    test_check(t, ftruncate(fd, 0) == 0, "truncating");
    check(t, lw_copy_device_to_file(c, fd, 77, test_device(&d), bytes, t->stream, &ticket, &err), &err, "to file");
    check(t, lw_ticket_wait(c, &ticket, &err), &err, "to file");
    test_check(t, pread(fd, back, (size_t)bytes, 77) == bytes && !memcmp(back, content + offset, (size_t)bytes),
               "device to file");
    lw_copy_file_to_device(c, test_device(&d), fd, 200, bytes, t->stream, &ticket, &err);
    test_check(t, lw_ticket_wait(c, &ticket, &err) == LW_OPS_FILE, "a file that ends too early");
    check(t, lw_copy_h2d(c, test_device(&d), content + offset, bytes, t->stream, &ticket, &err), &err,
          "after an error");
    check(t, lw_ticket_wait(c, &ticket, &err), &err, "after an error");
    test_same(t, &d, "after an error");
    close(fd);
    free(content);
    free(back);
    test_buffer_free(&d);
}

/* Several threads with one copier, each with streams and memory of its own, back and forth in odd sizes. */
#define USERS 3
typedef struct user {
    lw_copier *c;
    pthread_t thread;
    int seed, wrong;
} user;

static void *use(void *arg)
{
    user *u = arg;
    const int64_t most = 3 * MEGA;
    unsigned char *from = malloc((size_t)most), *to = malloc((size_t)most);
    char *device = NULL;
    cudaStream_t s = NULL;
    lw_ops_error err = {0};
    lw_ticket up, down;
    u->wrong = !from || !to || cudaMalloc((void **)&device, (size_t)most) != cudaSuccess ||
               cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess;
    for (int round = 0; round < 8 && !u->wrong; round++) {
        int64_t bytes = most - 12345 * round - 777 * u->seed, k = round % 5;
        for (int64_t i = 0; i < bytes; i++) from[i] = (unsigned char)((i * (2 * u->seed + 3) + round) >> 3);
        memset(to, 0, (size_t)most);
        u->wrong += lw_copy_h2d(u->c, device + k, from + k, bytes - k, (lw_stream)s, &up, &err) != LW_OPS_OK;
        u->wrong += lw_copy_d2h(u->c, to + k, device + k, bytes - k, (lw_stream)s, &down, &err) != LW_OPS_OK;
        u->wrong += lw_ticket_wait(u->c, &up, &err) != LW_OPS_OK;
        u->wrong += lw_ticket_wait(u->c, &down, &err) != LW_OPS_OK;
        u->wrong += memcmp(from + k, to + k, (size_t)(bytes - k)) != 0;
    }
    free(from);
    free(to);
    cudaFree(device);
    if (s) cudaStreamDestroy(s);
    return NULL;
}

static void users(test_state *t, lw_copier *c)
{
    user u[USERS];
    for (int i = 0; i < USERS; i++) {
        u[i] = (user){.c = c, .seed = i};
        if (pthread_create(&u[i].thread, NULL, use, &u[i])) exit(1);
    }
    for (int i = 0; i < USERS; i++) {
        pthread_join(u[i].thread, NULL);
        test_check(t, !u[i].wrong, "user %d of a copier", i);
    }
}

static void refusals(test_state *t)
{
    lw_copier *c = make(t, 1, MEGA, -1, 1), *none = NULL;
    const lw_copier_options bad = {.threads = 1, .numa_node = -1, .ring_bytes = 5};
    const lw_host_shape overlap = {100, 3, 1, 99, 0, 100, 0};
    test_buffer d = test_buffer_make(t, 3 * MEGA, 0);
    unsigned char *host = calloc(3 * MEGA, 1);
    lw_ops_error err = {0};
    lw_ticket first, second, strange = {12345};
    test_check(t, lw_copier_create(&none, t->ops, &bad, &err) == LW_OPS_BAD_ARGUMENT && !none, "a ring of 5 bytes");
    test_check(t, lw_copy_h2d(c, NULL, host, 5, t->stream, &first, &err) == LW_OPS_BAD_ARGUMENT, "NULL accepted");
    test_check(t, lw_copy_h2d(c, test_device(&d), host, -1, t->stream, &first, &err) == LW_OPS_BAD_SHAPE, "-1 bytes");
    test_check(t, lw_copy_h2d_strided(c, test_device(&d), host, &overlap, t->stream, &first, &err) == LW_OPS_BAD_STRIDE,
               "overlapping rows");
    test_check(t, lw_ticket_wait(c, &strange, &err) == LW_OPS_BAD_ARGUMENT, "a strange ticket");
    check(t, lw_copy_h2d(c, test_device(&d), host, 3 * MEGA, t->stream, &first, &err), &err, "first");
    test_check(t, lw_copy_h2d(c, test_device(&d), host, MEGA, t->stream, &second, &err) == LW_OPS_BUSY,
               "two copies, one ticket");
    check(t, lw_ticket_wait(c, &first, &err), &err, "first");
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "first");
    check(t, lw_copy_h2d(c, test_device(&d), host, MEGA, t->stream, NULL, &err), &err, "without a ticket");
    test_cuda(t, (int)cudaStreamSynchronize(t->stream), "without a ticket");
    if (cudaStreamBeginCapture(t->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
        cudaGraph_t g = NULL;
        test_check(t, lw_copy_h2d(c, test_device(&d), host, MEGA, t->stream, &second, &err) == LW_OPS_UNSUPPORTED,
                   "captured");
        test_cuda(t, (int)cudaStreamEndCapture(t->stream, &g), "capture");
        if (g) cudaGraphDestroy(g);
    } else {
        t->skipped++;
    }
    lw_copier_destroy(c);
    lw_copier_destroy(NULL);
    free(host);
    test_buffer_free(&d);
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 31, 32, 33, 4097, 65537, MEGA + 5, 5 * MEGA + 3};
    static const lw_host_shape shapes[] = {
        {100, 33, 1, 128, 0, 100, 0},
        {100, 33, 1, 100, 0, 112, 0},
        {400, 700, 3, 512, 400000, 400, 280000},
        {400, 70, 30, 404, 30000, 416, 30000},
        {200001, 7, 2, 200100, 1500000, 200001, 1400007},
        {12, 1, 5000, 12, 40, 12, 12},
        {1, 1, 1, 1, 1, 1, 1},
        {3 * MEGA, 1, 1, 0, 0, 0, 0},
    };
    test_state t;
    int code = test_begin(&t);
    if (code) return code;
    for (int v = 0; v < 3; v++) {
        lw_copier *c = make(&t, v ? 3 : 1, v == 2 ? 0 : MEGA, v == 2 ? 0 : -1, 0);
        for (size_t i = 0; c && i < sizeof sizes / sizeof *sizes; i++) {
            for (int kind = 0; kind < 3; kind++) round_trip(&t, c, sizes[i], kind);
            pageable(&t, c, sizes[i], (int)i % 4);
        }
        for (size_t i = 0; c && i < sizeof shapes / sizeof *shapes; i++) {
            strided(&t, c, shapes[i], false);
            strided(&t, c, shapes[i], true);
        }
        if (c) files(&t, c);
        if (c) users(&t, c);
        lw_copier_destroy(c);
    }
    refusals(&t);
    return test_end(&t, "copier");
}
