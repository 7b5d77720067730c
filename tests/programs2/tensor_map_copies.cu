// nvcc: -gencode arch=compute_90a,code=compute_90a
// Copies by tensor maps as programs use them: maps encoded by the driver and passed as __grid_constant__ parameters,
// pipelines of loads over mbarriers, a store and a reduction, a map changed on the device. Checked against the host.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cuda.h>
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

constexpr int W = 200, H = 90, TILE_W = 32, TILE_H = 16, STAGES = 3; // floats; the tiles hang over the ends

__device__ uint32_t shared_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

__device__ void barrier_init(uint64_t *bar)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_of(bar)) : "memory");
}

__device__ void barrier_expect(uint64_t *bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_of(bar)), "r"(bytes) : "memory");
}

__device__ void barrier_wait(uint64_t *bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(
                     shared_of(bar)),
                 "r"(parity)
                 : "memory");
}

__device__ void load_tile(float *to, const CUtensorMap *map, int x, int y, uint64_t *bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_of(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_of(bar))
                 : "memory");
}

__device__ void store_tile(const CUtensorMap *map, int x, int y, const float *from)
{
    asm volatile("fence.proxy.async.shared::cta;\n"
                 "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;"
                 ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_of(from))
                 : "memory");
}

__device__ void add_tile(const CUtensorMap *map, int x, int y, const float *from)
{
    asm volatile("fence.proxy.async.shared::cta;\n"
                 "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;"
                 ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_of(from))
                 : "memory");
}

// A row of tiles a block, STAGES ahead: out = 2 * in, and the sum of all tiles is added to sums.
__global__ void rows(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out,
                     const __grid_constant__ CUtensorMap sums)
{
    __shared__ alignas(1024) float tile[STAGES][TILE_H * TILE_W];
    __shared__ alignas(1024) float result[TILE_H * TILE_W], total[TILE_H * TILE_W];
    __shared__ uint64_t full[STAGES];
    const int y = blockIdx.x * TILE_H, count = (W + TILE_W - 1) / TILE_W;
    const uint32_t bytes = sizeof tile[0];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) barrier_init(&full[s]);
        asm volatile("fence.proxy.async;" ::: "memory");
        for (int s = 0; s < STAGES; s++) {
            barrier_expect(&full[s], bytes);
            load_tile(tile[s], &in, s * TILE_W, y, &full[s]);
        }
    }
    for (int k = threadIdx.x; k < TILE_H * TILE_W; k += blockDim.x) total[k] = 0;
    __syncthreads();
    for (int t = 0; t < count; t++) {
        const int s = t % STAGES;
        barrier_wait(&full[s], t / STAGES & 1);
        for (int k = threadIdx.x; k < TILE_H * TILE_W; k += blockDim.x) {
            // maps of 128-byte swizzles: chunks of 4 floats change places by the row
            const int row = k / TILE_W, chunk = k % TILE_W / 4, at = row * TILE_W + (chunk ^ row % 8) * 4 + k % 4;
            result[at] = 2 * tile[s][at];
            total[k] += tile[s][at];
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            store_tile(&out, t * TILE_W, y, result);
            if (t + STAGES < count) {
                barrier_expect(&full[s], bytes);
                load_tile(tile[s], &in, (t + STAGES) * TILE_W, y, &full[s]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) add_tile(&sums, 0, 0, total);
}

// Each block makes its own map of one row of `in` from the given one, and copies that row.
__global__ void own_maps(const __grid_constant__ CUtensorMap in, CUtensorMap *maps, const float *rows_of, float *out)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL // tensormap.replace is not in plain sm_90
    __shared__ alignas(128) CUtensorMap mine;
    __shared__ alignas(128) float row[W + 56];
    __shared__ uint64_t full;
    CUtensorMap *map = &maps[blockIdx.x];
    if (threadIdx.x < 16) ((uint64_t *)&mine)[threadIdx.x] = ((const uint64_t *)&in)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared_of(&mine)),
                     "l"(rows_of + (size_t)blockIdx.x * W)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, 1;" ::"r"(shared_of(&mine))
                     : "memory");
        barrier_init(&full);
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;"
                 ::"l"(map),
                 "r"(shared_of(&mine))
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    if (threadIdx.x == 0) {
        barrier_expect(&full, (W + 56) * sizeof(float));
        load_tile(row, map, 0, 0, &full);
    }
    barrier_wait(&full, 0);
    for (int k = threadIdx.x; k < W; k += 32) out[blockIdx.x * W + k] = row[k];
#endif
}

typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUtensorMap map_of(float *data, int width, int height, int box_width, int box_height, bool swizzled)
{
    static encode_fn encode = NULL;
    cudaDriverEntryPointQueryResult found;
    if (!encode)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
    CUtensorMap map;
    const cuuint64_t dims[] = {(cuuint64_t)width, (cuuint64_t)height}, strides[] = {width * sizeof(float)};
    const cuuint32_t box[] = {(cuuint32_t)box_width, (cuuint32_t)box_height}, steps[] = {1, 1};
    CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
        printf("cuTensorMapEncodeTiled: %d\n", result);
        exit(1);
    }
    return map;
}

int main()
{
    float *in, *out, *sums, *copies;
    CUtensorMap *maps;
    std::vector<float> host(W * H), got(W * H), sum(TILE_W * TILE_H), want(TILE_W * TILE_H);
    const int blocks = (H + TILE_H - 1) / TILE_H;
    for (int k = 0; k < W * H; k++) host[k] = (float)(k * 7 % 97);
    CHECK(cudaMalloc(&in, W * H * sizeof(float)));
    CHECK(cudaMalloc(&out, W * H * sizeof(float)));
    CHECK(cudaMalloc(&copies, W * H * sizeof(float)));
    CHECK(cudaMalloc(&sums, TILE_W * TILE_H * sizeof(float)));
    CHECK(cudaMalloc(&maps, H * sizeof(CUtensorMap)));
    CHECK(cudaMemcpy(in, host.data(), W * H * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, TILE_W * TILE_H * sizeof(float)));
    rows<<<blocks, 128>>>(map_of(in, W, H, TILE_W, TILE_H, true), map_of(out, W, H, TILE_W, TILE_H, true),
                          map_of(sums, TILE_W, TILE_H, TILE_W, TILE_H, false));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, W * H * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(sum.data(), sums, TILE_W * TILE_H * sizeof(float), cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int k = 0; k < W * H; k++) bad += got[k] != 2 * host[k];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) want[y % TILE_H * TILE_W + x % TILE_W] += host[y * W + x];
    for (int k = 0; k < TILE_W * TILE_H; k++) bad += sum[k] != want[k];
    own_maps<<<H, 32>>>(map_of(in, W, H, 256, 1, false), maps, in, copies);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), copies, W * H * sizeof(float), cudaMemcpyDeviceToHost));
    for (int k = 0; k < W * H; k++) bad += got[k] != host[k];
    printf(bad ? "FAIL: %d values differ\n" : "PASS\n", bad);
    return bad != 0;
}
