/* carveouts: kernels of many registers, threads and bytes of shared memory: what does the driver give to shared memory, of what it has in common
 * with L1?
 *
 * ncu --metrics launch__shared_mem_config_size,launch__registers_per_thread,launch__shared_mem_per_block_static,
 * launch__shared_mem_per_block_dynamic carveouts (tests/hw/h100-carveouts.csv). Nothing is preferred by the program. */
#include <cstdio>
#include <cstdlib>

static const int threads_of[] = {32, 64, 96, 128, 192, 256, 320, 384, 512, 640, 768, 1024};

template <int BYTES>
__global__ void fixed(float *p)
{
    const int words = BYTES / 4;
    __shared__ float s[words + 4];
    s[threadIdx.x % words] = p[threadIdx.x];
    __syncthreads();
    p[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x * 7 % words];
}

__global__ void none(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

/* So many values are alive at once. */
template <int VALUES>
__global__ void __maxnreg__(VALUES) dynamic(float *p, int turns)
{
    extern __shared__ float s[];
    float value[VALUES], sum = 0;
#pragma unroll
    for (int i = 0; i < VALUES; i++) value[i] = p[threadIdx.x + i * turns];
    if (turns < 0) s[threadIdx.x] = value[1];
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < turns; k++) sum += value[i] * value[(i + 1) % VALUES] * sum;
    p[blockIdx.x * blockDim.x + threadIdx.x] = sum + (turns < 0 ? s[threadIdx.x * 7 % blockDim.x] : 0);
}

template <int VALUES>
static void launch_dynamic(float *p)
{
    const int bytes_of[] = {0,     128,   512,   1024,  1536,  2048,  3072,  4096,  6144,  8192,  10240,
                            12288, 16384, 20480, 24576, 32768, 40960, 49152, 65536, 98304, 114688};
    cudaFuncSetAttribute(dynamic<VALUES>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
    for (int threads : threads_of)
        for (int bytes : bytes_of) dynamic<VALUES><<<8, threads, bytes>>>(p, 0); /* some are too large: no launch */
}

int main(void)
{
    float *p;
    cudaMalloc(&p, 16 << 20);
    for (int threads : threads_of) {
        none<<<132, threads>>>(p);
        fixed<16><<<132, threads>>>(p);
        fixed<1024><<<132, threads>>>(p);
        fixed<2048><<<132, threads>>>(p);
        fixed<4096><<<132, threads>>>(p);
        fixed<8192><<<132, threads>>>(p);
        fixed<16384><<<132, threads>>>(p);
        fixed<32768><<<132, threads>>>(p);
        fixed<48000><<<132, threads>>>(p);
    }
    launch_dynamic<16>(p);
    launch_dynamic<32>(p);
    launch_dynamic<64>(p);
    launch_dynamic<128>(p);
    cudaDeviceSynchronize();
    return 0;
}
