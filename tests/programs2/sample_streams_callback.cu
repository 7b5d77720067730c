// Streams with priorities, chunked copies, callbacks and launch bounds, in the style of sample collections: every call
// is checked by a macro, times are taken by events and by a stopwatch.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

template <typename T> void check(T result, char const *const func, const char *const file, int const line) {
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, (int)result, cudaGetErrorName(result), func);
        exit(EXIT_FAILURE);
    }
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg) do { cudaError_t e_ = cudaGetLastError(); if (e_) { fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e_)); exit(1); } } while (0)

struct StopWatch { std::chrono::steady_clock::time_point t0; void start() { t0 = std::chrono::steady_clock::now(); }
    float ms() { return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - t0).count(); } };

__global__ void __launch_bounds__(256, 4) init_array(int *g_data, int *factor, int num_iterations) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < num_iterations; i++) g_data[idx] += *factor;
}
__global__ void incKernel(int *g_out, int *g_in, int N, int inner_reps) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) for (int i = 0; i < inner_reps; ++i) g_out[idx] = g_in[idx] + 1;
}
static int callbacks;
static void CUDART_CB myCallback(cudaStream_t, cudaError_t status, void *data) {
    if (status == cudaSuccess && *(int *)data == 42) __sync_fetch_and_add(&callbacks, 1);
}
static void CUDART_CB hostFn(void *p) { ++*(int *)p; }

int main(int argc, char **argv) {
    int nstreams = 4, nreps = 3, niter = 5, n = 16 * 1024, dev = 0;
    if (argc > 1 && !strcmp(argv[1], "help")) return 0;
    cudaDeviceProp prop;
    checkCudaErrors(cudaSetDevice(dev));
    checkCudaErrors(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
    checkCudaErrors(cudaGetDeviceProperties(&prop, dev));
    if (prop.major == 0) return 1;
    printf("Device: <%s> canMapHostMemory: %s\n", prop.name, prop.canMapHostMemory ? "Yes" : "No");
    int c = 5, *a = 0, *d_a = 0, *d_c = 0;
    checkCudaErrors(cudaHostAlloc((void **)&a, n * sizeof(int), cudaHostAllocPortable));
    checkCudaErrors(cudaMalloc((void **)&d_a, n * sizeof(int)));
    checkCudaErrors(cudaMalloc((void **)&d_c, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_c, &c, sizeof(int), cudaMemcpyHostToDevice));
    int lo, hi;
    checkCudaErrors(cudaDeviceGetStreamPriorityRange(&lo, &hi));
    cudaStream_t *streams = (cudaStream_t *)malloc(nstreams * sizeof(cudaStream_t));
    for (int i = 0; i < nstreams; i++) checkCudaErrors(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i & 1 ? hi : lo));
    cudaEvent_t start_event, stop_event;
    checkCudaErrors(cudaEventCreateWithFlags(&start_event, cudaEventBlockingSync));
    checkCudaErrors(cudaEventCreateWithFlags(&stop_event, cudaEventBlockingSync));
    float t;
    dim3 threads(512, 1), blocks(n / threads.x, 1);
    checkCudaErrors(cudaMemset(d_a, 0, n * sizeof(int)));
    checkCudaErrors(cudaDeviceSynchronize());
    threads = dim3(256, 1);
    blocks = dim3(n / (nstreams * threads.x), 1);
    checkCudaErrors(cudaEventRecord(start_event, 0));
    for (int k = 0; k < nreps; k++) {
        for (int i = 0; i < nstreams; i++) init_array<<<blocks, threads, 0, streams[i]>>>(d_a + i * n / nstreams, d_c, niter);
        for (int i = 0; i < nstreams; i++)
            checkCudaErrors(cudaMemcpyAsync(a + i * n / nstreams, d_a + i * n / nstreams, n * sizeof(int) / nstreams, cudaMemcpyDeviceToHost, streams[i]));
    }
    int magic = 42, host_calls = 0;
    for (int i = 0; i < nstreams; i++) checkCudaErrors(cudaStreamAddCallback(streams[i], myCallback, &magic, 0));
    checkCudaErrors(cudaLaunchHostFunc(streams[0], hostFn, &host_calls));
    for (int i = 0; i < nstreams; i++) checkCudaErrors(cudaStreamSynchronize(streams[i]));
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    checkCudaErrors(cudaEventSynchronize(stop_event));
    checkCudaErrors(cudaEventElapsedTime(&t, start_event, stop_event));
    int bad = callbacks != nstreams || host_calls != 1 || !(t >= 0);
    for (int i = 0; i < n; i++) bad += a[i] != c * nreps * niter;

    // asyncAPI: the CPU counts while the device works
    unsigned long counter = 0;
    incKernel<<<64, 256, 0, 0>>>(d_a, d_a, n, 1);
    checkCudaErrors(cudaMemcpyAsync(a, d_a, n * sizeof(int), cudaMemcpyDeviceToHost, 0));
    checkCudaErrors(cudaEventRecord(stop_event, 0));
    while (cudaEventQuery(stop_event) == cudaErrorNotReady) counter++;
    cudaGetLastError(); // a query that was not ready leaves its error
    for (int i = 0; i < n; i++) bad += a[i] != c * nreps * niter + 1;

    // double buffering over host-registered memory (simpleMultiCopy)
    const int B = 4096, chunks = 6;
    int *in = (int *)malloc(B * chunks * sizeof(int)), *out = (int *)malloc(B * chunks * sizeof(int));
    checkCudaErrors(cudaHostRegister(in, B * chunks * sizeof(int), cudaHostRegisterDefault));
    checkCudaErrors(cudaHostRegister(out, B * chunks * sizeof(int), cudaHostRegisterMapped));
    for (int i = 0; i < B * chunks; i++) in[i] = i ^ 0x55;
    int *d_in[2], *d_out[2];
    cudaEvent_t done[2];
    for (int i = 0; i < 2; i++) {
        checkCudaErrors(cudaMalloc(&d_in[i], B * 4)); checkCudaErrors(cudaMalloc(&d_out[i], B * 4));
        checkCudaErrors(cudaEventCreate(&done[i])); checkCudaErrors(cudaEventRecord(done[i], streams[i]));
    }
    StopWatch w; w.start();
    for (int i = 0; i < chunks; i++) {
        int s = i & 1;
        checkCudaErrors(cudaEventSynchronize(done[s]));
        checkCudaErrors(cudaMemcpyAsync(d_in[s], in + i * B, B * 4, cudaMemcpyHostToDevice, streams[s]));
        incKernel<<<(B + 511) / 512, 512, 0, streams[s]>>>(d_out[s], d_in[s], B, 2);
        checkCudaErrors(cudaMemcpyAsync(out + i * B, d_out[s], B * 4, cudaMemcpyDefault, streams[s]));
        checkCudaErrors(cudaEventRecord(done[s], streams[s]));
    }
    checkCudaErrors(cudaDeviceSynchronize());
    if (w.ms() < 0) bad++;
    for (int i = 0; i < B * chunks; i++) bad += out[i] != (i ^ 0x55) + 1;
    checkCudaErrors(cudaHostUnregister(in)); checkCudaErrors(cudaHostUnregister(out));
    for (int i = 0; i < nstreams; i++) checkCudaErrors(cudaStreamDestroy(streams[i]));
    checkCudaErrors(cudaFreeHost(a));
    // after a reset everything starts again
    checkCudaErrors(cudaDeviceReset());
    checkCudaErrors(cudaMalloc(&d_a, 1024)); checkCudaErrors(cudaMemset(d_a, 7, 1024));
    unsigned char b; checkCudaErrors(cudaMemcpy(&b, (char *)d_a + 1023, 1, cudaMemcpyDeviceToHost)); bad += b != 7;
    printf("counter ok, bad %d\n%s\n", bad, bad ? "FAIL" : "PASS");
    return bad != 0;
}
