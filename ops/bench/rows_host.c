/*
 * Rows of the host copier, in wall time from the call to the end of both sides: pageable memory through the copier
 * against the runtime's own copies of pageable and of pinned memory, alternating. The ratio is to the pinned copy;
 * beside it what the same number of threads' memcpy between pageable and pinned memory reaches.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"

#define ROUNDS 15
#define SMALL (1 << 20) /* up to here calls take some microseconds, and rounds are many */
#define MANY_ROUNDS 101
#define HOST_ROWS 26 /* both ways: 9 sizes, 4 that are left to the runtime once more through the ring */

typedef struct share {
    char *dst;
    const char *src;
    size_t bytes;
} share;

static double now(void) { return bench_now() * 1e3; }

static void *copy_share(void *arg)
{
    share *s = arg;
    memcpy(s->dst, s->src, s->bytes);
    return NULL;
}

static double threads_memcpy(char *dst, const char *src, size_t bytes, int threads)
{
    pthread_t t[64];
    share s[64];
    double start = now();
    size_t each = bytes / (size_t)threads;
    for (int i = 0; i < threads; i++) {
        s[i] = (share){dst + (size_t)i * each, src + (size_t)i * each, each};
        pthread_create(&t[i], NULL, copy_share, &s[i]);
    }
    for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
    return now() - start;
}

static double through_copier(lw_copier *c, bool up, char *host, char *device, size_t bytes, cudaStream_t stream)
{
    lw_ticket ticket;
    lw_ops_error err;
    double start = now();
    lw_ops_status st = up ? lw_copy_h2d(c, device, host, (int64_t)bytes, (lw_stream)stream, &ticket, &err)
                          : lw_copy_d2h(c, host, device, (int64_t)bytes, (lw_stream)stream, &ticket, &err);
    if (st == LW_OPS_OK) st = lw_ticket_wait(c, &ticket, &err);
    if (st != LW_OPS_OK) {
        fprintf(stderr, "copier: %s\n", err.text);
        return -1;
    }
    if (cudaStreamSynchronize(stream) != cudaSuccess) return -1;
    return now() - start;
}

static double through_runtime(bool up, char *host, char *device, size_t bytes, cudaStream_t stream)
{
    double start = now();
    if (up) cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream);
    else cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
    if (cudaStreamSynchronize(stream) != cudaSuccess) return -1;
    return now() - start;
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

static void row(bench_state *b, lw_copier *c, bool up, size_t bytes, int threads, char *pageable, char *pinned,
                const char *forced)
{
    double a[MANY_ROUNDS], p[MANY_ROUNDS], r[MANY_ROUNDS], m[ROUNDS];
    int rounds = bytes <= SMALL ? MANY_ROUNDS : ROUNDS;
    if (!bench_rounds(b, up ? "host h2d" : "host d2h")) return;
    for (int i = 0; i < ROUNDS; i++) {
        m[i] = threads_memcpy(up ? pinned : pageable, up ? pageable : pinned, bytes, threads);
    }
    for (int i = -1; i < rounds; i++) {
        int k = i < 0 ? 0 : i;
        if (i & 1) r[k] = through_runtime(up, pageable, b->a, bytes, b->stream);
        a[k] = through_copier(c, up, pageable, b->a, bytes, b->stream);
        if (!(i & 1)) r[k] = through_runtime(up, pageable, b->a, bytes, b->stream);
        through_runtime(up, pinned, b->a, bytes, b->stream);
        p[k] = through_runtime(up, pinned, b->a, bytes, b->stream);
        if (a[k] < 0 || r[k] < 0 || p[k] < 0) return;
    }
    double ta = median(a, rounds), tr = median(r, rounds), tp = median(p, rounds), tm = median(m, ROUNDS);
    double gb = (double)bytes * 1e-6;
    fprintf(
        b->csv,
        "%s,%zu KiB pageable%s,\"copier of %d threads; %d threads' memcpy %.2f GB/s\",%zu,%.5f,%.2f,%.4f,,,pinned,%.5f,"
        "runtime pageable,%.4f,runtime pageable %.4f\n",
        up ? "h2d" : "d2h", bytes >> 10, forced, threads, threads, gb / tm, bytes, ta, gb / ta, tp / ta, tp, tp / tr,
        tp / tr);
    fflush(b->csv);
    printf("%s %8zu KiB pageable%s  copier %7.2f GB/s  pinned %7.2f  runtime %7.2f  memcpy of %d threads %7.2f  ratio "
           "%.3f\n",
           up ? "h2d" : "d2h", bytes >> 10, forced, gb / ta, gb / tp, gb / tr, threads, gb / tm, tp / ta);
}

void bench_rows_host(bench_state *b)
{
    static const size_t sizes[] = {4 << 10,  64 << 10, 256 << 10, 1 << 20, 4 << 20,
                                   16 << 20, 64 << 20, 256 << 20, 1 << 30};
    const size_t most = 1 << 30;
    const int threads = 12;
    if (b->filter && !strstr("host", b->filter)) return;
    if (b->limit.counting) {
        b->limit.total += HOST_ROWS;
        return;
    }
    char *pageable = malloc(most), *pinned = NULL;
    for (int64_t direct = 0; direct >= -1 && pageable; direct--) {
        const lw_copier_options o = {.threads = threads, .numa_node = -1, .direct_bytes = direct};
        lw_copier *c = NULL;
        lw_ops_error err;
        if (lw_copier_create(&c, b->ops, &o, &err) != LW_OPS_OK) {
            fprintf(stderr, "copier: %s\n", err.text);
            break;
        }
        if (!pinned && cudaHostAlloc((void **)&pinned, most, 0) == cudaSuccess) {
            memset(pageable, 1, most);
            memset(pinned, 2, most);
        }
        for (size_t i = 0; pinned && i < sizeof sizes / sizeof *sizes; i++) {
            const char *forced = direct ? " forced through the ring" : "";
            if (direct && sizes[i] > 1 << 20) break; /* only what is else left to the runtime differs */
            row(b, c, true, sizes[i], threads, pageable, pinned, forced);
            row(b, c, false, sizes[i], threads, pageable, pinned, forced);
        }
        lw_copier_destroy(c);
    }
    free(pageable);
    if (pinned) cudaFreeHost(pinned);
}
