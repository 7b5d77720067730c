// nvcc: -gencode arch=compute_90a,code=compute_90a
// C = A B^T of bf16 as Hopper's matmuls do it: a warp copies tiles by tensor maps with every swizzle, a warpgroup multiplies
// them; one of its threads gives a tile back for all. Small integers: sums are exact. Checked against the host.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda.h>
#include <cuda_bf16.h>
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

constexpr int M = 128, N = 96, K = 256, TILE_M = 64, TILE_N = 32, STAGES = 2;

__device__ uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void wait(uint64_t *bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                     shared_of(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ void load(void *to, const CUtensorMap *map, int x, int y, uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_of(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_of(bar))
                 : "memory");
}

// Rows of SPAN bytes, swizzled in 8 of them: the next 8 follow.
template <int SPAN> __device__ uint64_t descriptor(const void *tile)
{
    const uint64_t mode = SPAN == 128 ? 1 : SPAN == 64 ? 2 : 3;
    return (shared_of(tile) & 0x3ffff) >> 4 | (uint64_t)1 << 16 | (uint64_t)(8 * SPAN >> 4) << 32 | mode << 62;
}

__device__ void multiply(float *d, uint64_t a, uint64_t b, int more)
{
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %18, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
                 "%12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0;\n}"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                   "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
                 : "l"(a), "l"(b), "r"(more));
}

template <int SPAN>
__global__ void gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, float *c)
{
    constexpr int DEPTH = SPAN / 2;
    __shared__ __align__(1024) char tile_a[STAGES][TILE_M * SPAN], tile_b[STAGES][TILE_N * SPAN];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N;
    if (!threadIdx.x)
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_of(&full[s])) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_of(&empty[s])) : "memory");
        }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int k = 0; threadIdx.x == 128 && k < K / DEPTH; k++) {
            const int s = k % STAGES, round = k / STAGES;
            wait(&empty[s], round + 1 & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(&full[s])),
                         "r"((TILE_M + TILE_N) * SPAN)
                         : "memory");
            load(tile_a[s], &map_a, k * DEPTH, row, &full[s]);
            load(tile_b[s], &map_b, k * DEPTH, column, &full[s]);
        }
        return;
    }
    float d[16];
    for (int k = 0; k < K / DEPTH; k++) {
        const int s = k % STAGES;
        wait(&full[s], k / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < DEPTH / 16; part++)
            multiply(d, descriptor<SPAN>(tile_a[s]) + 2 * part, descriptor<SPAN>(tile_b[s]) + 2 * part, k || part);
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (!threadIdx.x) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_of(&empty[s])) : "memory");
    }
    for (int i = 0; i < 16; i++) {
        const int y = row + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + 8 * (i >> 1 & 1);
        c[y * N + column + 8 * (i >> 2) + 2 * (threadIdx.x & 3) + (i & 1)] = d[i];
    }
}

static CUtensorMap map_of(void *data, int rows, int tile_rows, int span)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    cudaDriverEntryPointQueryResult found;
    if (!encode)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    const cuuint64_t dims[] = {K, (cuuint64_t)rows}, strides[] = {K * 2};
    const cuuint32_t box[] = {(cuuint32_t)span / 2, (cuuint32_t)tile_rows}, steps[] = {1, 1};
    const CUtensorMapSwizzle swizzle = span == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
                                       : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                    : CU_TENSOR_MAP_SWIZZLE_32B;
    CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", result);
        exit(1);
    }
    return map;
}

static std::vector<__nv_bfloat16> a(M *K), b(N *K);

template <int SPAN> static int run(__nv_bfloat16 *in_a, __nv_bfloat16 *in_b, float *out)
{
    std::vector<float> got(M * N);
    int wrong = 0;
    CHECK(cudaMemset(out, 0xff, M * N * sizeof(float)));
    gemm<SPAN><<<dim3(N / TILE_N, M / TILE_M), 160>>>(map_of(in_a, M, TILE_M, SPAN), map_of(in_b, N, TILE_N, SPAN), out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, M * N * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += __bfloat162float(a[y * K + k]) * __bfloat162float(b[x * K + k]);
            wrong += sum != got[y * N + x];
        }
    printf("swizzle of %d bytes: %d wrong\n", SPAN, wrong);
    return wrong;
}

int main()
{
    __nv_bfloat16 *in_a, *in_b;
    float *out;
    for (int k = 0; k < M * K; k++) a[k] = __float2bfloat16((float)(k * 7 % 31 - 15 + k / K % 3));
    for (int k = 0; k < N * K; k++) b[k] = __float2bfloat16((float)(k * 11 % 29 - 14 + k / K % 5));
    CHECK(cudaMalloc(&in_a, M * K * 2));
    CHECK(cudaMalloc(&in_b, N * K * 2));
    CHECK(cudaMalloc(&out, M * N * sizeof(float)));
    CHECK(cudaMemcpy(in_a, a.data(), M * K * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in_b, b.data(), N * K * 2, cudaMemcpyHostToDevice));
    int wrong = run<128>(in_a, in_b, out) + run<64>(in_a, in_b, out) + run<32>(in_a, in_b, out);
    CHECK(cudaFree(in_a));
    CHECK(cudaFree(in_b));
    CHECK(cudaFree(out));
    printf(wrong ? "FAIL\n" : "PASS\n");
    return wrong != 0;
}
