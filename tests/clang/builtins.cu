// Built-in variables, barriers, fences, clocks, address spaces, clusters: all must compile and assemble.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

__constant__ int table[16] = {1, 2, 3};
__device__ int counter = 5;
__managed__ int managed_value = 7;

__global__ void __launch_bounds__(256, 2)
    variables(unsigned *out, unsigned long long *wide, const __grid_constant__ int n)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[32];
    uint3 t = threadIdx;
    dim3 b = blockDim;
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x + gridDim.y * blockIdx.z;
    dynamic[threadIdx.x] = fixed[t.x & 31] = (int)b.y;
    __syncthreads();
    out[i] = __syncthreads_count(n > 3) + __syncthreads_and(n) + __syncthreads_or(n) + warpSize;
    __syncwarp();
    __syncwarp(0xffu);
    __threadfence();
    __threadfence_block();
    __threadfence_system();
    wide[i] = clock64() + clock() + __globaltimer();
    __nanosleep(100);
    out[i + 1] = __isGlobal(out) + __isShared(fixed) + __isLocal(&t) + __isConstant(table);
    wide[i + 1] = __cvta_generic_to_shared(fixed) + __cvta_generic_to_global(out) + table[i & 15] + counter;
    managed_value += dynamic[threadIdx.x ^ 1];
    if (n < 0) __trap();
    if (n < -1) __brkpt();
}

__global__ void __cluster_dims__(2, 1, 1) cluster(int *out)
{
    __shared__ int s[4];
    s[threadIdx.x & 3] = (int)__clusterRelativeBlockRank();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int *remote = (int *)__cluster_map_shared_rank(s, __clusterRelativeBlockRank() ^ 1);
    out[threadIdx.x] = remote[0] + (int)__clusterSizeInBlocks() + (int)__clusterDim().x + (int)__clusterIdx().x +
                       (int)__clusterGridDimInClusters().x + (int)__cluster_query_shared_rank(remote) +
                       (int)__clusterRelativeBlockIdx().x + (int)__clusterDimIsSpecified() +
                       (int)__isClusterShared(remote);
#if __clang_major__ >= 17 /* PTX 8.0 */
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
#endif
}

template <class T, int N> __global__ void generic(T *p) { p[threadIdx.x] *= (T)N; }

int main()
{
    unsigned *out = nullptr;
    variables<<<dim3(2, 2), 32, 128, cudaStreamPerThread>>>(out, nullptr, 4);
    cluster<<<4, 32>>>(nullptr);
    generic<float, 3><<<1, 32>>>(nullptr);
    managed_value = 3;
    return managed_value - 3 + (int)sizeof(table) - 64;
}
