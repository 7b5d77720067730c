// nvcc: -rdc=true -lcudadevrt
// The runtime as kernels call it: streams, events, copies, fills, questions, errors, limits of launches, order of children.
#include <cstdio>
#include <cstring>

__device__ int d_errors[16], d_order[8], d_count, d_depth, d_wide;
__device__ char d_text[64];

__global__ void mark(int value) { d_order[atomicAdd(&d_count, 1)] = value; }
__global__ void add(int *data, int n, int more) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] += more;
}
struct Big {
    char c;
    double d;
    int a[20];
};
__global__ void structs(Big b, short s, int *out) { *out = b.c + (int)b.d + b.a[19] + s; }

__global__ void order() { // tail launches come after all others, whatever was launched between
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(4);
    mark<<<1, 1>>>(1);
    mark<<<1, 1>>>(2);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(5);
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(3);
}

__global__ void streams(int *a, int *b, int n) {
    cudaStream_t s, t;
    cudaEvent_t e;
    d_errors[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    d_errors[1] = cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    d_errors[2] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    d_errors[3] = cudaMemsetAsync(a, 0, n * sizeof *a, s);
    add<<<1, 32, 0, s>>>(a, n, 7);
    d_errors[4] = cudaEventRecord(e, s);
    d_errors[5] = cudaStreamWaitEvent(t, e, 0);
    d_errors[6] = cudaMemcpyAsync(b, a, n * sizeof *a, cudaMemcpyDeviceToDevice, t);
    add<<<1, 32, 0, t>>>(b, n, 1);
    d_errors[7] = cudaMemcpy2DAsync(b + n, 8, a, 16, 4, n / 4, cudaMemcpyDeviceToDevice, t);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    Big big = {3, 4.0, {}};
    big.a[19] = 5;
    structs<<<1, 1, 0, cudaStreamTailLaunch>>>(big, 6, b + 2 * n);
}

__global__ void questions() {
    int device = -1, count = 0, version = 0, sms = 0, blocks = 0;
    size_t limit = 0;
    cudaFuncAttributes f = {};
    cudaGetDevice(&device);
    cudaGetDeviceCount(&count);
    cudaRuntimeGetVersion(&version);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)add, 128, 0);
    cudaFuncGetAttributes(&f, (const void *)add);
    d_errors[0] = device == 0 && count >= 1 && version == 6000 && sms > 0 && limit == 2048 && blocks > 0;
    d_errors[1] = f.maxThreadsPerBlock;
    const char *text = cudaGetErrorString(cudaErrorInvalidValue);
    for (int i = 0; i < 63 && text[i]; i++) d_text[i] = text[i];
    int *p = nullptr;
    d_errors[2] = cudaMalloc(&p, 64);
    if (p) p[15] = 1;
    d_errors[3] = cudaFree(p);
    d_errors[4] = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 77);
    d_errors[5] = cudaGetLastError();
    d_errors[6] = cudaGetLastError();
}

__global__ void wrong(int *data) {
    add<<<1, 4096>>>(data, 1, 1); // too many threads
    d_errors[0] = cudaPeekAtLastError();
    d_errors[1] = cudaGetLastError();
    d_errors[2] = cudaGetLastError();
    add<<<1, 32, 1 << 20>>>(data, 1, 1); // too much shared memory
    d_errors[3] = cudaGetLastError();
    add<<<1, 32, 0, (cudaStream_t)0x1234567>>>(data, 1, 1); // no stream
    d_errors[4] = cudaGetLastError();
}

__global__ void deeper(int depth, int most) { // CDP2 has no limit
    atomicMax(&d_depth, depth);
    if (depth < most) deeper<<<1, 1>>>(depth + 1, most);
    if (cudaGetLastError()) d_errors[0] = depth;
}
__global__ void again(int left) {
    atomicMax(&d_depth, left);
    if (left) again<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
    if (cudaGetLastError()) d_errors[0] = left;
}

__global__ void one() { atomicAdd(&d_wide, 1); }
__global__ void wide(int n, cudaStream_t stream) { // only tail launches that are pending are limited
    int refused = 0;
    for (int i = 0; i < n; i++) {
        one<<<1, 1, 0, stream>>>();
        refused += cudaGetLastError() == cudaErrorLaunchPendingCountExceeded;
    }
    d_errors[0] = refused;
}

template <class T> static T get(const T &symbol) {
    T t;
    cudaMemcpyFromSymbol(&t, symbol, sizeof t);
    return t;
}
template <class T> static void put(T &symbol, int byte) {
    T t;
    memset(&t, byte, sizeof t);
    cudaMemcpyToSymbol(symbol, &t, sizeof t);
}
#define ERRORS(e)                                                                                                      \
    int e[16];                                                                                                         \
    cudaMemcpyFromSymbol(e, d_errors, sizeof e)

int main() {
    const int n = 64;
    bool ok = true;
    int *d, h[3 * n];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    order<<<1, 1>>>();
    int at[8];
    cudaMemcpyFromSymbol(at, d_order, sizeof at);
    if (at[3] != 4 || at[4] != 5 || at[0] + at[1] + at[2] != 6) ok = !printf("order %d %d\n", at[3], at[4]);
    streams<<<1, 1>>>(d, d + n, n / 2);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    {
        ERRORS(e);
        for (int i = 0; i < 8; i++)
            if (e[i]) ok = !printf("streams: call %d: %d\n", i, e[i]);
    }
    for (int i = 0; i < n / 2; i++)
        if (h[i] != 7 || h[n + i] != 8) ok = !printf("copies: %d %d %d\n", i, h[i], h[n + i]);
    if (h[n + n / 2] != 7 || h[n + n / 2 + 1] != 0) ok = !printf("2d\n");
    if (h[2 * n] != 3 + 4 + 5 + 6) ok = !printf("struct %d\n", h[2 * n]);
    questions<<<1, 1>>>();
    {
        ERRORS(e);
        if (e[0] != 1 || e[1] != 1024 || e[2] || e[3] || e[4] != cudaErrorInvalidDevice || e[5] != e[4] || e[6])
            ok = !printf("questions %d %d %d %d %d %d %d\n", e[0], e[1], e[2], e[3], e[4], e[5], e[6]);
        char text[64];
        cudaMemcpyFromSymbol(text, d_text, sizeof text);
        if (strcmp(text, "invalid argument")) ok = !printf("text %s\n", text);
    }
    put(d_errors, 0);
    wrong<<<1, 1>>>(d);
    {
        ERRORS(e);
        if (e[0] != 9 || e[1] != 9 || e[2] || e[3] != 9) ok = !printf("wrong %d %d %d %d\n", e[0], e[1], e[2], e[3]);
    }
    put(d_errors, 0);
    deeper<<<1, 1>>>(0, 100);
    again<<<1, 1>>>(1000);
    {
        ERRORS(e);
        if (get(d_depth) != 1000 || e[0]) ok = !printf("depth %d %d\n", get(d_depth), e[0]);
    }
    wide<<<1, 1>>>(2100, cudaStreamFireAndForget);
    {
        ERRORS(e);
        if (get(d_wide) != 2100 || e[0]) ok = !printf("wide %d %d\n", get(d_wide), e[0]);
    }
    wide<<<1, 1>>>(2100, cudaStreamTailLaunch);
    {
        ERRORS(e);
        if (get(d_wide) != 2100 + 2048 || e[0] != 52) ok = !printf("tails %d %d\n", get(d_wide), e[0]);
    }
    ok &= cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
