/*
 * The measuring of liblanewise-ops. One function measures every row: numerator (the op) and denominator (the fastest
 * plain copy or read of the same bytes on the same buffers) alternate for at least 15 rounds; a row is the median of
 * the per-round ratios. Buffer sets totalling 8 times the L2 are rotated, so that nothing is found in the cache;
 * calls below 64 MiB are timed as replays of a graph of 20 calls.
 */
#ifndef LW_OPS_BENCH_H
#define LW_OPS_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <cuda_runtime_api.h>
#include "lanewise/ops.h"
#include "limit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_state {
    lw_ops *ops;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    char *a, *b; /* two buffers of `size` bytes, random content */
    size_t size;
    int64_t l2;
    int sms;
    FILE *csv;
    const char *filter; /* only rows whose name contains it */
    int rounds;
    double started; /* seconds, of bench_now() */
    bench_limit limit;
} bench_state;

/* One call on the buffer set `set`; 0 or a CUDA error. */
typedef int (*bench_call)(void *context, int set, cudaStream_t stream);

#define BENCH_PEERS 4

typedef struct bench_peer {
    bench_call call;
    const char *name;
} bench_peer;

typedef struct bench_row {
    const char *op, *what, *plan;
    double bytes;    /* useful bytes of one call */
    size_t in_bytes; /* distance of buffer sets in a and b */
    bool read_only;  /* the denominator is a read of in_bytes, not a copy */
    bench_call call, peer;
    void *context;
    const char *peer_name;
    bench_peer more[BENCH_PEERS - 1]; /* further peers, with the same context */
    bool cached; /* always the same buffers, which stay in the cache: op, denominator and peers by graph replay */
} bench_row;

void bench_measure(bench_state *b, const bench_row *row);
double bench_now(void);
/* Milliseconds of one call in a graph of 20, always the first buffer set; negative on error. */
double bench_graph_time(bench_state *b, bench_call call, void *context);
/* Rounds for the next row; 0: leave it out (it is not wanted, only counted, or the time is up). */
int bench_rounds(bench_state *b, const char *op);
/* Number of buffer sets of that many bytes on each side. */
int bench_sets(const bench_state *b, size_t in_bytes);

/* sweep.cu */
int bench_fill(void *p, size_t bytes, uint64_t seed, cudaStream_t stream);
int bench_copies(void);
const char *bench_copy_name(int i);
int bench_copy(int i, void *dst, const void *src, size_t bytes, cudaStream_t stream);
int bench_reads(void);
const char *bench_read_name(int i);
int bench_read(int i, void *sink, const void *src, size_t bytes, cudaStream_t stream);

/* rows */
void bench_rows_copy(bench_state *b, uint64_t seed, int shapes);
void bench_rows_hist(bench_state *b);
void bench_rows_record(bench_state *b);
void bench_rows_convert(bench_state *b);
void bench_rows_inplace(bench_state *b, uint64_t seed, int shapes);
void bench_rows_host(bench_state *b);
void bench_rows_cached(bench_state *b);
void bench_rows_calls(bench_state *b, uint64_t seed, int shapes);
/* A seeded permutation of rank 3..7 that moves something, of 256 MiB to 1 GiB: returns the rank. */
int bench_permute_shape(uint64_t *seed, int elem, int64_t *in, int *perm);
/* A kernel that does nothing, with about that many bytes of parameters. */
int bench_empty(int bytes, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
