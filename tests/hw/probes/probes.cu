/* Times of single things on a card: latency of a chase by footprint, bytes a second behind L1 by footprint, atomics by address pattern,
 * barriers, launches. CSV: probe,parameter,value,unit. Clocks are those of the multiprocessor; nothing is set or locked.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

static double median_ms(const std::function<void()> &work, int times = 9)
{
    cudaEvent_t a, b;
    check(cudaEventCreate(&a));
    check(cudaEventCreate(&b));
    std::vector<float> ms(times);
    work();
    for (float &t : ms) {
        cudaEventRecord(a);
        work();
        cudaEventRecord(b);
        check(cudaEventSynchronize(b));
        cudaEventElapsedTime(&t, a, b);
    }
    std::sort(ms.begin(), ms.end());
    return ms[times / 2];
}

/* One thread follows a random cycle over lines of 128 bytes; the second round is timed. */
__global__ void chase(const unsigned *next, unsigned steps, int cached, unsigned *out, long long *clocks)
{
    unsigned at = 0;
    long long spent = 0;
    for (int round = 0; round < 2; round++) {
        long long begin = clock64();
        for (unsigned k = 0; k < steps; k++)
            if (cached) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
            else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(next + at));
        spent = clock64() - begin;
    }
    *clocks = spent;
    *out = at;
}

static void chases(void)
{
    static const size_t kib[] = {16,    32,    64,    128,   160,   192,   208,    216,    224,
                                 232,   256,   512,   1024,  4096,  8192,  16384,  24576,  28672,
                                 32768, 40960, 49152, 57344, 65536, 98304, 131072, 262144, 1048576};
    unsigned *next, *out;
    long long *clocks;
    check(cudaMalloc(&next, (size_t)1 << 30));
    check(cudaMallocManaged(&out, 4));
    check(cudaMallocManaged(&clocks, 8));
    for (int cached = 1; cached >= 0; cached--)
        for (size_t k : kib) {
            unsigned lines = (unsigned)(k * 1024 / 128);
            std::vector<unsigned> order(lines), link(lines * 32, 0);
            std::iota(order.begin(), order.end(), 0u);
            std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
            for (unsigned j = 0; j < lines; j++) link[order[j] * 32] = order[(j + 1) % lines] * 32;
            check(cudaMemcpy(next, link.data(), link.size() * 4, cudaMemcpyHostToDevice));
            unsigned steps = lines < 200000 ? lines : 200000;
            chase<<<1, 1>>>(next, steps, cached, out, clocks);
            check(cudaDeviceSynchronize());
            printf("%s,%zu KiB,%.1f,clocks\n", cached ? "chase" : "chase_behind_l1", k, (double)*clocks / steps);
        }
    check(cudaFree(next));
}

__global__ void read_all(const float4 *p, size_t n, int rounds, float *out)
{
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x) {
            float4 v;
            asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(p + k));
            sum += v.x + v.y + v.z + v.w;
        }
    if (sum == 12345) *out = sum;
}
__global__ void write_all(float4 *p, size_t n, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
            p[k] = make_float4(r, 1, 2, 3);
}

static void bandwidth(void)
{
    float4 *p;
    check(cudaMalloc(&p, (size_t)4 << 30));
    check(cudaMemset(p, 0, (size_t)4 << 30));
    for (size_t mib : {2, 8, 16, 24, 28, 32, 40, 48, 56, 64, 96, 128, 512, 4096}) {
        size_t bytes = mib << 20;
        int rounds = (int)std::max<size_t>(1, ((size_t)4 << 30) / bytes);
        double ms = median_ms([&] { read_all<<<132 * 2, 1024>>>(p, bytes / 16, rounds, (float *)p); }, 5);
        printf("read,%zu MiB,%.0f,GB/s\n", mib, bytes * (double)rounds / ms / 1e6);
        ms = median_ms([&] { write_all<<<132 * 2, 1024>>>(p, bytes / 16, rounds); }, 5);
        printf("write,%zu MiB,%.0f,GB/s\n", mib, bytes * (double)rounds / ms / 1e6);
    }
    check(cudaFree(p));
}

enum { TIMES = 64 };
/* Addresses of a warp: `spread` distinct words, `stride` words apart; warps are `far` words apart. */
template <int Returns> __global__ void global_atomics(unsigned *p, int spread, int stride, int far)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    unsigned *mine = p + (size_t)warp * far + lane % spread * stride;
    for (int k = 0; k < TIMES; k++)
        if (Returns) sum += atomicAdd(mine, lane + 1 + (sum & 1));
        else atomicAdd(mine, lane + 1);
    if (Returns && sum == 0xffffffff) p[0] = sum;
}
__global__ void shared_atomics(unsigned *out, int spread, int stride, long long *clocks)
{
    __shared__ unsigned s[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = 0;
    __syncthreads();
    long long begin = clock64();
    for (int k = 0; k < TIMES; k++) atomicAdd(&s[threadIdx.x % 32 % spread * stride], threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) *clocks = clock64() - begin;
    out[threadIdx.x] = s[threadIdx.x];
}

static void atomics(void)
{
    unsigned *p;
    long long *clocks;
    check(cudaMalloc(&p, (size_t)256 << 20));
    check(cudaMallocManaged(&clocks, 8));
    struct {
        const char *name;
        int spread, stride, far;
    } pattern[] = {{"one word for all", 1, 1, 0},
                   {"32 words of a line for all", 32, 1, 0},
                   {"8 words of a sector for all", 8, 1, 0},
                   {"32 lines for all", 32, 32, 0},
                   {"a word a warp", 1, 1, 32},
                   {"a line a warp", 32, 1, 32},
                   {"32 sectors a warp", 32, 8, 256}};
    for (auto &t : pattern) {
        double ms = median_ms([&] { global_atomics<0><<<264, 512>>>(p, t.spread, t.stride, t.far); }, 5);
        printf("reduction,%s,%.2f,G threads/s\n", t.name, 264 * 512.0 * TIMES / ms / 1e6);
        ms = median_ms([&] { global_atomics<1><<<264, 512>>>(p, t.spread, t.stride, t.far); }, 5);
        printf("atomic,%s,%.2f,G threads/s\n", t.name, 264 * 512.0 * TIMES / ms / 1e6);
    }
    for (int warps : {1, 8, 32})
        for (int spread : {1, 2, 4, 8, 16, 32})
            for (int stride : {1, 32}) {
                shared_atomics<<<1, 32 * warps>>>(p, spread, stride, clocks);
                check(cudaDeviceSynchronize());
                printf("shared_atomic,%d warps %d words %d apart,%.2f,clocks a warp\n", warps, spread, stride,
                       (double)*clocks / TIMES / warps);
            }
    check(cudaFree(p));
}

__global__ void barriers(long long *clocks)
{
    __syncthreads();
    long long begin = clock64();
    for (int k = 0; k < 256; k++) __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0) *clocks = end - begin;
}
__global__ void empty(void) {}
__global__ void blocks(int *out)
{
    if (out) out[blockIdx.x] = 1;
}

static void launches(void)
{
    long long *clocks;
    check(cudaMallocManaged(&clocks, 8));
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        barriers<<<1, 32 * warps>>>(clocks);
        check(cudaDeviceSynchronize());
        printf("barrier,%d warps,%.1f,clocks\n", warps, *clocks / 256.0);
    }
    double ms = median_ms([] {
        for (int k = 0; k < 1000; k++) empty<<<1, 32>>>();
    });
    printf("launch,1000 in a row,%.3f,us each\n", ms);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int k = 0; k < 1000; k++) empty<<<1, 32, 0, stream>>>();
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&exec, graph, 0));
    ms = median_ms([&] { cudaGraphLaunch(exec, 0); });
    printf("launch,1000 in a graph,%.3f,us each\n", ms);
    auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 1000; k++) {
        empty<<<1, 32>>>();
        cudaDeviceSynchronize();
    }
    printf("launch,and wait,%.3f,us each\n",
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() * 1e3);
    for (int threads : {32, 256, 1024})
        for (int grid : {132, 13200, 1320000}) {
            ms = median_ms([&] { blocks<<<grid, threads>>>(nullptr); });
            printf("blocks,%d of %d threads,%.3f,us\n", grid, threads, ms * 1e3);
        }
}

int main(void)
{
    printf("probe,parameter,value,unit\n");
    launches();
    atomics();
    chases();
    bandwidth();
    return 0;
}
