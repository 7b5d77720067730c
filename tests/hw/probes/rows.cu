// Structures written member by member: which stores of a warp to the same sectors leave L1 together, by the number of members, what the
// warps do before, the instructions between, and how many warps store at the same time.
//     nvcc -arch=sm_90 -O3 -lineinfo -cudart shared tests/hw/probes/rows.cu -o rows
//     ncu --clock-control none --cache-control none --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,
//         lts__t_sectors_srcunit_tex_op_write.sum,smsp__inst_executed.sum ./rows
// Prints a line a launch: begin, members, what comes before, instructions between, threads, blocks; or
// loop, members, loaded before, turns of a loop before, whether warps make different numbers of them, threads, blocks.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define SMS 132
#define BYTES (512l << 20)

enum before { NOTHING, LOADS, LOOP, BARRIER };
static const char *const names[] = {"nothing", "loads", "loop", "barrier"};
static float *from, *to;

template <int MEMBERS, int BEFORE, int GAP> __global__ void begin_with(float *out, const float *in, int turns)
{
    __shared__ float tile[1024];
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[MEMBERS];
    for (int j = 0; j < MEMBERS; j++) v[j] = BEFORE == LOADS ? in[(long)j * n + i] : i + j;
    if (BEFORE == LOOP)
        for (int t = 0; t < turns; t++)
            for (int j = 0; j < MEMBERS; j++) v[j] = v[j] * 1.5f + v[(j + 1) % MEMBERS];
    if (BEFORE == BARRIER) {
        tile[threadIdx.x] = v[0];
        __syncthreads();
        v[0] = tile[threadIdx.x ^ 1];
    }
    float x = v[0];
    for (int j = 0; j < MEMBERS; j++) {
        for (int g = 0; g < GAP; g++) x = x * 1.25f + v[j]; // each waits for the one before
        out[(long)i * MEMBERS + j] = GAP ? x : v[j];
    }
}

template <int MEMBERS, int LOADED> __global__ void behind_loop(float *out, const float *in, int turns, int uneven)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[MEMBERS];
    for (int j = 0; j < MEMBERS; j++) v[j] = LOADED ? in[(long)i * MEMBERS + j] : i + j;
    unsigned h = (unsigned)(i / 32) * 2654435761u >> 16;
    int n = uneven ? turns / 2 + (int)((long)turns * (h & 1023) / 1024) : turns;
    float x = v[0];
    for (int t = 0; t < n; t++) x = x * 1.5f + 1;
    for (int j = 0; j < MEMBERS; j++) out[(long)i * MEMBERS + j] = v[j] + x;
}

static void wait(void)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (!error) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

template <int MEMBERS, int BEFORE, int GAP> static void one_begin(int threads)
{
    int full;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&full, begin_with<MEMBERS, BEFORE, GAP>, threads, 0);
    const int blocks[] = {SMS, SMS * full, SMS * full * 6};
    for (int g = 0; g < 3; g++) {
        if ((long)blocks[g] * threads * MEMBERS * 4 > BYTES || (g == 1 && full == 1)) continue;
        begin_with<MEMBERS, BEFORE, GAP><<<blocks[g], threads>>>(to, from, 100 / MEMBERS + 1);
        wait();
        printf("begin,%d,%s,%d,%d,%d\n", MEMBERS, names[BEFORE], GAP, threads, blocks[g]);
    }
}

template <int MEMBERS, int BEFORE> static void begins(void)
{
    for (int threads = 32; threads <= 1024; threads *= threads == 32 ? 2 : 4) {
        one_begin<MEMBERS, BEFORE, 0>(threads);
        one_begin<MEMBERS, BEFORE, 4>(threads);
        if (MEMBERS == 3 || MEMBERS == 8 || MEMBERS == 16) one_begin<MEMBERS, BEFORE, 16>(threads);
    }
}

template <int MEMBERS> static void all_begins(void)
{
    begins<MEMBERS, NOTHING>();
    begins<MEMBERS, LOADS>();
    begins<MEMBERS, LOOP>();
    begins<MEMBERS, BARRIER>();
}

template <int MEMBERS, int LOADED> static void loops(int threads, int turns, int uneven)
{
    int full;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&full, behind_loop<MEMBERS, LOADED>, threads, 0);
    const int blocks[] = {SMS, SMS * 4, SMS * full, SMS * full * 4};
    for (int g = 0; g < 4; g++) {
        if (g == 1 && (full <= 4 || threads > 64)) continue;
        behind_loop<MEMBERS, LOADED><<<blocks[g], threads>>>(to, from, turns, uneven);
        wait();
        printf("loop,%d,%d,%d,%d,%d,%d\n", MEMBERS, LOADED, turns, uneven, threads, blocks[g]);
    }
}

template <int MEMBERS, int LOADED> static void all_loops(void)
{
    static const int threads[] = {16, 32, 64, 256, 1024};
    for (int t = 0; t < 5; t++)
        for (int turns = 32; turns <= 16384; turns *= 8)
            for (int uneven = 0; uneven < 2; uneven++) loops<MEMBERS, LOADED>(threads[t], turns, uneven);
}

int main(void)
{
    cudaMalloc(&from, BYTES);
    cudaMalloc(&to, BYTES);
    cudaMemset(from, 0, BYTES);
    all_begins<2>();
    all_begins<3>();
    all_begins<4>();
    all_begins<6>();
    all_begins<8>();
    all_begins<10>();
    all_begins<12>();
    all_begins<16>();
    all_begins<24>();
    all_loops<3, 0>();
    all_loops<6, 0>();
    all_loops<8, 0>();
    all_loops<12, 0>();
    all_loops<6, 1>();
    all_loops<12, 1>();
    all_loops<16, 0>();
    return 0;
}
