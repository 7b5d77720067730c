// nvcc: -gencode arch=compute_90a,code=compute_90a
// Warp-specialised kernels: a warpgroup gives registers back and loads tiles with cp.async, whose arrival an mbarrier counts; another takes
// more registers and adds the tiles up; one elected lane of it writes. The second kernel is launched beside the end of the first
// (griddepcontrol) and reads what that wrote. Checked against the host.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

constexpr int BLOCKS = 6, TILES = 8, GROUP = 128, STAGES = 2, TILE = GROUP * 4;

__device__ uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void wait(uint64_t *bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                     shared_of(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ void arrive(uint64_t *bar)
{
    asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared.b64 s, [%0];\n}" ::"r"(shared_of(bar)) : "memory");
}

__device__ bool elected()
{
    uint32_t one;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

__global__ void __launch_bounds__(2 * GROUP, 1) sums(const int *in, int *warps)
{
    __shared__ __align__(16) int tile[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int lane = threadIdx.x % GROUP;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(&full[s])), "r"(GROUP));
            asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(&empty[s])), "r"(GROUP));
        }
    __syncthreads();
    if (threadIdx.x < GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        for (int k = 0; k < TILES; k++) {
            int s = k % STAGES;
            if (k >= STAGES) wait(&empty[s], (k / STAGES - 1) & 1);
            const int *from = in + (blockIdx.x * TILES + k) * TILE + 4 * lane;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_of(&tile[s][4 * lane])), "l"(from) : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_of(&full[s])) : "memory");
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        int sum = 0;
        for (int k = 0; k < TILES; k++) {
            int s = k % STAGES;
            wait(&full[s], k / STAGES & 1);
            for (int n = 0; n < 4; n++) sum += tile[s][n * GROUP + lane];
            arrive(&empty[s]);
        }
        sum = __reduce_add_sync(0xffffffff, sum);
        if (elected()) warps[blockIdx.x * 4 + lane / 32] = sum;
    }
    asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void all(const int *warps, int *out)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    int sum = 0;
    for (int k = threadIdx.x; k < BLOCKS * 4; k += 32) sum += warps[k];
    sum = __reduce_add_sync(0xffffffff, sum);
    if (elected()) *out = sum;
}

int main()
{
    std::vector<int> host(BLOCKS * TILES * TILE);
    int *in, *warps, *out, got = 0, want = 0;
    for (size_t k = 0; k < host.size(); k++) want += host[k] = (int)(k * 2654435761u >> 20) - 1000;
    CHECK(cudaMalloc(&in, host.size() * sizeof(int)));
    CHECK(cudaMalloc(&warps, BLOCKS * 4 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
    sums<<<BLOCKS, 2 * GROUP>>>(in, warps);
    CHECK(cudaGetLastError());
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute beside = {};
    beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    beside.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = 1, config.blockDim = 32, config.attrs = &beside, config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, all, (const int *)warps, out));
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}
