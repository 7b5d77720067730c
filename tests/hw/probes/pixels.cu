// Pixels of bytes written one after the other: which stores of a warp to the same sectors leave L1 together, by the number of bytes of a pixel,
// what the warps do before, the instructions between, and the shape of the blocks.
//     nvcc -arch=sm_90 -O3 -lineinfo -cudart shared tests/hw/probes/pixels.cu -o pixels
//     ncu --clock-control none --cache-control none --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
//         lts__t_sectors_srcunit_tex_op_write.sum,smsp__inst_executed.sum,
//         l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum ./pixels
// Prints a line a launch: bytes of a pixel, what comes before, instructions between, threads in x and y, blocks.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define SMS 132

enum before { NOTHING, LOADS, LOOP, UNEVEN, KINDS };
static const char *const names[] = {"nothing", "loads", "loop", "uneven"};
static unsigned char *to;
static float *from;

template <int BYTES, int BEFORE, int GAP> __global__ void pixels(unsigned char *out, const float *in, int width, int turns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * width + x, n = turns;
    float v = BEFORE == LOADS ? in[i] : x + y;
    if (BEFORE == UNEVEN) n = turns / 2 + (int)((long)turns * ((unsigned)(i / 32) * 2654435761u >> 22) / 1024);
    if (BEFORE >= LOOP)
        for (int t = 0; t < n; t++) v = v * 1.5f + 1;
    for (int j = 0; j < BYTES; j++) {
        for (int g = 0; g < GAP; g++) v = v * 1.25f + j; // each waits for the one before
        asm volatile("st.global.u8 [%0], %1;" ::"l"(out + (long)i * BYTES + j), "r"((int)v & 255) : "memory");
    }
}

template <int BYTES, int BEFORE, int GAP> static void launch(int tx, int ty, int across, int down)
{
    dim3 grid(across, down), block(tx, ty);
    pixels<BYTES, BEFORE, GAP><<<grid, block>>>(to, from, across * tx, 400);
    cudaError_t error = cudaDeviceSynchronize();
    if (error) fprintf(stderr, "%s\n", cudaGetErrorString(error)), exit(1);
    printf("%d,%s,%d,%d,%d,%d\n", BYTES, names[BEFORE], GAP, tx, ty, across * down);
}

template <int BYTES, int BEFORE, int GAP> static void shapes(void)
{
    launch<BYTES, BEFORE, GAP>(32, 1, SMS, 1);
    launch<BYTES, BEFORE, GAP>(256, 1, SMS, 1);
    launch<BYTES, BEFORE, GAP>(256, 1, SMS * 8, 1);
    launch<BYTES, BEFORE, GAP>(256, 1, SMS * 48, 1);
    launch<BYTES, BEFORE, GAP>(16, 16, 40, 23);
    launch<BYTES, BEFORE, GAP>(16, 16, 120, 68);
    launch<BYTES, BEFORE, GAP>(32, 32, 32, 32);
}

template <int BYTES, int BEFORE> static void gaps(void)
{
    shapes<BYTES, BEFORE, 0>();
    shapes<BYTES, BEFORE, 2>();
    shapes<BYTES, BEFORE, 8>();
    shapes<BYTES, BEFORE, 32>();
}

template <int BYTES> static void befores(void)
{
    gaps<BYTES, NOTHING>();
    gaps<BYTES, LOADS>();
    gaps<BYTES, LOOP>();
    gaps<BYTES, UNEVEN>();
}

int main(void)
{
    cudaMalloc(&to, 16 << 20);
    cudaMalloc(&from, 16 << 20);
    cudaMemset(from, 0, 16 << 20);
    befores<3>();
    befores<4>();
    return 0;
}
