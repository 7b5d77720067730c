// Stores of several warps to the same lines: which find their line in L1, by where the lines lie; and warps that store to lines of their
// own again and again.
//     nvcc -arch=sm_90 -O3 -lineinfo -cudart shared tests/hw/probes/scatter.cu -o scatter
//     ncu --clock-control none --cache-control none --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
//         l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_write.sum,gpu__time_duration.sum ./scatter
// Prints a line a launch: kernel, blocks, warps, lines of a store, lines from one to the next, what is added to the last line's number,
// rounds, words further in each round.
#include <cuda_runtime.h>
#include <stdio.h>

#define SMS 132
#define BYTES (4l << 30)

static float *to;

__device__ __forceinline__ void store(float *p, float v) { asm volatile("st.global.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory"); }

// every warp of a block stores words of the same lines; those of a block begin `apart` lines behind those of the one before
__global__ void scatter(float *out, int stride, int lines, size_t apart)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, words = 32 / lines;
    size_t line = blockIdx.x * apart + (size_t)(lane / words) * stride;
    store(out + line * 32 + (warp * words + lane % words) % 32, warp);
}

// every warp of a block stores a word of the same 32 lines, of which the last is another
__global__ void moved(float *out, unsigned mask)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    size_t line = (size_t)blockIdx.x << 5 ^ lane;
    if (lane == 31) line ^= mask;
    store(out + line * 32 + warp % 32, warp);
}

// warps store to lines of their own again and again
__global__ void own(float *out, int lines, int stride, int rounds, int step)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane >= lines) return;
    size_t line = (size_t)blockIdx.x * 1024 * stride + (size_t)(warp * lines + lane) * stride;
    for (int k = 0; k < rounds; k++) store(out + line * 32 + k * step % 32, k);
}

static void one_scatter(int blocks, int warps, int lines, int stride)
{
    scatter<<<blocks, warps * 32>>>(to, stride, lines, (size_t)lines * stride);
    printf("scatter,%d,%d,%d,%d,0,1,0\n", blocks, warps, lines, stride);
}

int main(void)
{
    static const int warps[] = {1, 4, 8, 16, 32}, lines[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    if (cudaMalloc(&to, BYTES)) return 1;
    for (int stride = 1; stride <= 136; stride++) {
        one_scatter(SMS * 4, 8, 32, stride);
        one_scatter(SMS * 4, 32, 32, stride);
        one_scatter(SMS * 4, 8, 16, stride);
    }
    for (int bit = 5; bit < 21; bit++)
        for (unsigned low = 0; low < 32; low++) {
            moved<<<SMS, 1024>>>(to, 1u << bit ^ low);
            printf("moved,%d,32,32,1,%u,1,0\n", SMS, 1u << bit ^ low);
        }
    for (int w = 0; w < 5; w++)
        for (int n = 0; n < 10; n++)
            for (int stride = 1; stride <= 7; stride += 6)
                for (int step = 0; step <= 8; step += step ? 7 : 1) {
                    own<<<SMS, warps[w] * 32>>>(to, lines[n], stride, 64, step);
                    printf("own,%d,%d,%d,%d,0,64,%d\n", SMS, warps[w], lines[n], stride, step);
                }
    return cudaDeviceSynchronize() != cudaSuccess;
}
