/*
 * What the ops tests share: device buffers with guard zones and a chosen misalignment, seeded random numbers,
 * counting of failures, and running one call directly, captured and replayed twice.
 * Environment: LW_OPS_TEST_CASES = random cases per test (default 24, small enough for an emulator).
 */
#ifndef LW_OPS_TEST_HARNESS_H
#define LW_OPS_TEST_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime_api.h>
#include "lanewise/ops.h"
#include "ref.h"

#define GUARD 512

typedef struct test_state {
    lw_ops *ops;
    cudaStream_t stream;
    int checks, failures, skipped;
    uint64_t seed;
    int cases;
} test_state;

typedef struct test_buffer {
    unsigned char *host; /* bytes + 2 guards: what the device should hold */
    unsigned char *device;
    size_t bytes, offset; /* the tensor starts at offset from the guard's end */
} test_buffer;

int test_begin(test_state *t); /* 0, or the exit code to leave with (77: no device) */
int test_end(test_state *t, const char *name);
uint64_t test_random(test_state *t, uint64_t below);
void test_check(test_state *t, bool ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool test_cuda(test_state *t, int error, const char *what);

/* bytes of content after `offset` bytes (the misalignment); random content on both sides. */
test_buffer test_buffer_make(test_state *t, size_t bytes, size_t offset);
void test_buffer_free(test_buffer *b);
void *test_host(const test_buffer *b);
void *test_device(const test_buffer *b);
void test_upload(test_state *t, const test_buffer *b);
void test_fill(test_state *t, void *device, int byte, size_t bytes); /* done when it returns */
/* Kernels of 9.0: on such a device, unless LW_OPS_TEST_CODE says that the library holds code for less (75, 80). */
bool test_has_hopper(test_state *t);
/* Compares everything, guards included, with the device. */
bool test_same(test_state *t, const test_buffer *b, const char *what);

/* One row of samples, counts of 32 bits; the levels are the caller's. */
lw_hist test_hist_of(int type, int binning, int64_t bins, int64_t samples);

typedef lw_ops_status (*test_call)(void *context, cudaStream_t stream);
/* Captures the call, then replays it; returns false when capture is not available here. */
typedef struct test_graph {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
} test_graph;
bool test_capture(test_state *t, test_graph *g, test_call call, void *context);
void test_replay(test_state *t, test_graph *g);
void test_graph_free(test_graph *g);

#endif
