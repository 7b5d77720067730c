/* Small kernels of one cause of time each, for the time model: stores that go to few places, fences, local memory, flags that blocks
 * hand on, queues of work, atomics that nobody waits for, and dependent loads of large memory. Prints name,us: the shortest of 4
 * launches, by events. usage: orders [GROUP]; EMULATED=1: one launch each, smaller. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}
#define CK(x) check(x, #x)

static const char *only;
static int repeats = 4;
static char *mem; /* 1 GiB */
static cudaEvent_t from, to;

#define TIMED(launch, ...)                                                                                             \
    do {                                                                                                               \
        char name[120];                                                                                                \
        snprintf(name, sizeof name, __VA_ARGS__);                                                                      \
        if (only && !strchr(only, name[0])) break;                                                                     \
        float best = 1e30f, ms;                                                                                        \
        for (int r = 0; r < repeats; r++) {                                                                            \
            CK(cudaMemset(mem, 0, 1 << 20));                                                                           \
            CK(cudaEventRecord(from));                                                                                 \
            launch;                                                                                                    \
            CK(cudaEventRecord(to));                                                                                   \
            CK(cudaEventSynchronize(to));                                                                              \
            CK(cudaEventElapsedTime(&ms, from, to));                                                                   \
            best = ms < best ? ms : best;                                                                              \
        }                                                                                                              \
        printf("%s,%.3f\n", name, best * 1e3f);                                                                        \
        fflush(stdout);                                                                                                \
    } while (0)

/* A: each warp stores n times; the places are `stride` bytes apart. word: all lanes to one word. */
extern "C" __global__ void places(char *p, int n, int count, int stride, int word)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = word ? 0 : threadIdx.x % 32;
    for (int k = 0; k < n; k++) ((volatile int *)(p + (size_t)((warp + k) % count) * stride))[lane] = k;
}

/* B: fences of a kind behind so many stores. */
template <int KIND, int STORES> __global__ void fences(volatile int *p, int n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
#pragma unroll
        for (int s = 0; s < STORES; s++) p[i + ((size_t)s << 22)] = k;
        if (KIND == 0) __threadfence_block();
        if (KIND == 1) __threadfence();
        if (KIND == 2) __threadfence_system();
    }
}

/* C: arrays of a thread in local memory: written, and read and written. */
template <class T, int N> __global__ void local_write(T *out, int n, int a)
{
    T x[N];
    for (int r = 0; r < n; r++)
        for (int k = 0; k < N; k++) x[(k * a + r) & (N - 1)] = (T)(k + r);
    T s = 0;
    for (int k = 0; k < N; k++) s += x[(k * a) & (N - 1)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
template <class T, int N> __global__ void local_read(T *out, int n, int a)
{
    T x[N], s = 0;
    for (int k = 0; k < N; k++) x[(k * a) & (N - 1)] = (T)k;
    for (int r = 0; r < n; r++)
        for (int k = 0; k < N; k++) s += x[(k * a + r) & (N - 1)];
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

/* D: a flag that each block waits for and hands on. */
extern "C" __global__ void hand_on_atomic(int *flags, int bars)
{
    if (bars) __syncthreads();
    if (threadIdx.x == 0) {
        while (blockIdx.x && atomicAdd(&flags[blockIdx.x], 0) == 0) {}
        atomicAdd(&flags[blockIdx.x + 1], 1);
    }
    if (bars) __syncthreads();
}
extern "C" __global__ void hand_on_volatile(volatile int *flags, int fence)
{
    if (threadIdx.x == 0) {
        while (blockIdx.x && flags[blockIdx.x] == 0) {}
        if (fence) __threadfence();
        flags[blockIdx.x + 1] = 1;
    }
    __syncthreads();
}

/* E: a queue: one thread of a block fetches the number of the next item, with two barriers. */
extern "C" __global__ void fetch(int *head, int items, int *out)
{
    __shared__ int item;
    int sum = 0;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(head, 1);
        __syncthreads();
        int mine = item;
        __syncthreads();
        if (mine >= items) break;
        sum += mine;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* F: atomics at random words. used: what they return is waited for. */
template <class T, int USED> __global__ void scatter(T *p, unsigned mask, int n, T *out)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345;
    T sum = 0;
    for (int k = 0; k < n; k++) {
        x = x * 1664525u + 1013904223u;
        T old = atomicAdd(&p[(x >> 4 ^ x << 13) & mask], (T)1);
        if (USED) {
            sum += old;
            x += (unsigned)old >> 20;
        }
    }
    if (USED) out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* G: dependent loads: the next place is computed from the last value, which is 0. wide: each lane another line. */
extern "C" __global__ void chase(const unsigned *p, unsigned mask, int n, int wide, unsigned *out)
{
    unsigned x = (blockIdx.x * blockDim.x + (wide ? threadIdx.x : threadIdx.x / 32)) * 2654435761u + 99, s = 0;
    for (int k = 0; k < n; k++) {
        x = x * 1664525u + 1013904223u;
        unsigned v = p[((x >> 4 ^ x << 13) & mask) * 8];
        s += v;
        x += v >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

static void stores(void)
{
    const int counts[] = {1, 2, 4, 8, 32, 128, 1024};
    for (int c = 0; c < 7; c++)
        for (int stride = 128; stride <= 4096; stride *= 32)
            for (int word = 0; word < 2; word++) {
                TIMED((places<<<1056, 256>>>(mem, 64, counts[c], stride, word)), "A places %d stride %d word %d blocks 1056", counts[c], stride, word);
                if (c < 2) TIMED((places<<<8, 256>>>(mem, 64, counts[c], stride, word)), "A places %d stride %d word %d blocks 8", counts[c], stride, word);
            }
}

#define FENCES(KIND, STORES) TIMED((fences<KIND, STORES><<<b, 32 * w>>>((int *)mem, 64)), "B fence kind %d stores %d blocks %d warps %d", KIND, STORES, b, w)
static void all_fences(void)
{
    const int blocks[] = {1, 132, 528};
    for (int k = 0; k < 3; k++)
        for (int w = 1; w <= 8; w *= 8) {
            int b = blocks[k];
            FENCES(0, 0); FENCES(0, 1); FENCES(0, 4); FENCES(1, 0); FENCES(1, 1); FENCES(1, 4); FENCES(2, 0); FENCES(2, 1); FENCES(2, 4);
        }
}

#define LOCAL(T, N)                                                                                                    \
    TIMED((local_write<T, N><<<b, 256>>>((T *)mem, 1024 / N, 1)), "C write %d bytes x %d blocks %d", (int)sizeof(T), N, b);   \
    TIMED((local_read<T, N><<<b, 256>>>((T *)mem, 1024 / N, 1)), "C read %d bytes x %d blocks %d", (int)sizeof(T), N, b);
static void locals(void)
{
    const int blocks[] = {1, 132, 1056};
    for (int k = 0; k < 3; k++) {
        int b = blocks[k];
        LOCAL(unsigned char, 16) LOCAL(unsigned char, 64) LOCAL(unsigned char, 256) LOCAL(int, 16) LOCAL(int, 64) LOCAL(int, 256) LOCAL(double, 16) LOCAL(double, 64)
    }
}

static void flags(void)
{
    for (int b = 8; b <= 1024; b *= 8)
        for (int k = 0; k < 2; k++) {
            TIMED((hand_on_atomic<<<b, 256>>>((int *)mem, k)), "D atomic barriers %d blocks %d", k, b);
            TIMED((hand_on_volatile<<<b, 256>>>((int *)mem, k)), "D volatile fence %d blocks %d", k, b);
        }
    const int blocks[] = {1, 16, 132, 1056};
    for (int k = 0; k < 4; k++)
        for (int t = 64; t <= 256; t *= 4)
            TIMED((fetch<<<blocks[k], t>>>((int *)mem, 16384, (int *)(mem + (1 << 20)))), "E fetch 16384 blocks %d threads %d", blocks[k], t);
}

#define SCATTER(T, USED) TIMED((scatter<T, USED><<<b, t>>>((T *)mem, (unsigned)((1u << bits) / sizeof(T) - 1), 64, (T *)mem)), "F bytes %d used %d blocks %d threads %d log2 %d", (int)sizeof(T), USED, b, t, bits)
static void scatters(void)
{
    typedef unsigned long long u64;
    for (int bits = 16; bits <= 30; bits += bits < 24 ? 4 : 3)
        for (int b = 1; b <= 1056; b = b == 1 ? 132 : b * 8)
            for (int t = 128; t <= 1024 && b * t <= 132 * 1024 * 2; t *= 8) { SCATTER(unsigned, 0); SCATTER(unsigned, 1); SCATTER(u64, 0); SCATTER(u64, 1); SCATTER(float, 0); }
}

static void chases(void)
{
    for (int bits = 14; bits <= 30; bits += 2)
        for (int wide = 0; wide < 2; wide++)
            for (int b = 1; b <= 132; b *= 132)
                for (int t = 32; t <= 1024; t *= 32) TIMED((chase<<<b, t>>>((unsigned *)mem, (1u << bits) / 32 - 1, 256, wide, (unsigned *)mem)), "G chase log2 %d wide %d blocks %d threads %d", bits, wide, b, t);
}

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    if (getenv("EMULATED")) repeats = 1;
    CK(cudaMalloc((void **)&mem, (size_t)1 << 30));
    CK(cudaMemset(mem, 0, (size_t)1 << 30));
    CK(cudaEventCreate(&from));
    CK(cudaEventCreate(&to));
    stores();
    all_fences();
    locals();
    flags();
    scatters();
    chases();
    CK(cudaDeviceSynchronize());
    return 0;
}
