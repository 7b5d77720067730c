// What finds its line in L1, and what is joined on its way to L2: kernels of one cause each. `l1 list` says what each launch is, in order;
// `l1` runs them once. All arrays lie in one allocation of 1 GiB.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>

static char *memory;
static bool list_only;
static void say(const char *what, dim3 grid, int threads, int smem, const char *more)
{
    if (list_only) printf("%s,%d,%d,%d,%s\n", what, grid.x, threads, smem, more);
}
static char text[200];
#define RUN(name, grid, threads, smem, call, ...)                                                                                \
    do {                                                                                                                         \
        snprintf(text, sizeof text, __VA_ARGS__);                                                                                \
        say(name, dim3(grid), threads, smem, text);                                                                              \
        if (!list_only) { call; }                                                                                                \
    } while (0)

// ---- A. groups of `mates` warps of a block store a part each of the same `lines` lines
__global__ void race(float *out, const float *in, int lines, int mates, int load)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    int per = 32 / lines; // lanes of a line
    size_t group = (size_t)blockIdx.x * (warps / mates) + warp / mates;
    float *line = out + (group * lines + lane / per) * 32;
    float v = load ? in[(size_t)blockIdx.x * blockDim.x + threadIdx.x] : 1.0f;
    line[warp % mates * per + lane % per] = v;
}
__global__ void bytes(uint8_t *out, const float *in, int load)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = (uint8_t)(load ? in[t] : 1.0f);
}
__global__ void halves(uint16_t *out, const float *in, int load)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = (uint16_t)(load ? in[t] : 1.0f);
}
// the same warp stores twice to the same lines: members
__global__ void members(float2 *out, const float2 *in)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = in[t];
    out[t].x = v.y;
    asm volatile("" ::: "memory");
    out[t].y = v.x;
}
// transpose of n x n with blocks of 32 x rows
__global__ void transpose(float *out, const float *in, int n, int rows)
{
    int x = blockIdx.x % (n / 32) * 32 + threadIdx.x % 32, y = blockIdx.x / (n / 32) * rows + threadIdx.x / 32;
    out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

// ---- B. in place
__global__ void scale(float *a, float s) { size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; a[t] *= s; }
__global__ void times(float *a, const float *b) { size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; a[t] *= b[t]; }
__global__ void swap(float *a, float *b) { size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; float x = a[t]; a[t] = b[t]; b[t] = x; }
__global__ void again(float *a, int rounds)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    volatile int zero = 0;
    for (int k = 0; k < rounds; k++) {
        float v = a[t];
        asm volatile("" ::: "memory");
        a[t] = v + k;
        asm volatile("" ::: "memory");
    }
}
__global__ void only_again(float *a, int rounds)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rounds; k++) {
        a[t] = k;
        asm volatile("" ::: "memory");
    }
}
__global__ void parted(float *a)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 2 == 0) a[t] = a[t] * 2.0f;
    else a[t] = a[t] * 3.0f;
}
// a load, then `cycles` of other work, then the store to the same line
__global__ void later(float *a, int cycles)
{
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float v = a[t];
    for (int k = 0; k < cycles / 4; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v));
    a[t] = v;
}

// ---- C. what L1 holds: a warp a block goes through lines again and again; of each line so many sectors
__global__ void hold(const float *in, float *out, int lines, int sectors, int rounds)
{
    float sum = 0;
    const float *mine = in + (size_t)blockIdx.x * (1 << 17);
    for (int r = 0; r < rounds; r++)
        for (int k = threadIdx.x; k < lines * sectors; k += 32) {
            float v;
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(mine + (size_t)(k / sectors) * 32 + k % sectors * 8));
            sum += v;
        }
    if (sum == 12345) *out = sum;
}
// blocks of a warp that each go through a column of their own, word by word: 24 rows at a stride
__global__ void columns(const float *in, float *out, int words, int stride, int work)
{
    float sum = 0;
    const float *mine = in + (size_t)blockIdx.x * 24 * stride + threadIdx.x * stride;
    if (threadIdx.x >= 24) return;
    for (int tile = 0; tile < 4; tile++) {
        for (int k = 0; k < words; k++) {
            float v;
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(mine + tile * words + k));
            sum += v;
        }
        for (int k = 0; k < work / 4; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(sum));
    }
    if (sum == 12345) *out = sum;
}

// ---- D. blocks go through the same tiles (of 4 KB a step), a barrier and `work` cycles behind each; apart: those of a multiprocessor of
// a grid of 132 a wave share theirs only with every apart-th block
__global__ void tiles(const float *in, float *out, int steps, int work, int apart)
{
    extern __shared__ float tile[];
    float sum = 0;
    const float *mine = in + (size_t)(blockIdx.x % apart) * steps * 1024;
    for (int s = 0; s < steps; s++) {
        for (int k = threadIdx.x; k < 1024; k += blockDim.x) tile[k] = mine[(size_t)s * 1024 + k];
        __syncthreads();
        sum += tile[(threadIdx.x * 33 + s) % 1024];
        for (int k = 0; k < work / 4; k++) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(sum));
        __syncthreads();
    }
    if (sum == 12345) *out = sum;
}
__global__ void smids(int *out)
{
    int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (!threadIdx.x) out[blockIdx.x] = sm;
}

int main(int argc, char **argv)
{
    list_only = argc > 1 && !strcmp(argv[1], "list");
    if (!list_only && cudaMalloc(&memory, 1u << 30) != cudaSuccess) return 1;
    if (!list_only) cudaMemset(memory, 0, 1u << 30);
    float *a = (float *)memory, *b = a + (64 << 20), *c = b + (64 << 20);
    if (list_only) printf("kernel,grid,threads,smem,what\n");
    // A
    const int pairs[][2] = {{2, 2}, {4, 2}, {4, 4}, {8, 2}, {8, 4}, {8, 8}, {16, 2}, {16, 8}, {16, 16}, {32, 2}, {32, 4}, {32, 8}, {32, 16}, {32, 32}};
    for (auto &p : pairs)
        for (int load = 0; load < 2; load++) {
            int grid = 132 * 64 / p[0] * 4;
            RUN("race", grid, p[0] * 32, 0, (race<<<grid, p[0] * 32>>>(b, a, 32, p[1], load)), "lines 32 mates %d load %d waves 4", p[1], load);
        }
    const int some[][2] = {{8, 8}, {32, 8}, {32, 32}};
    for (auto &p : some)
        for (int waves = 1; waves <= 64; waves *= 4) {
            int grid = 132 * 64 / p[0] * waves;
            RUN("race", grid, p[0] * 32, 0, (race<<<grid, p[0] * 32>>>(b, a, 32, p[1], 1)), "lines 32 mates %d load 1 waves %d", p[1], waves);
        }
    const int less[][3] = {{8, 8, 16}, {8, 8, 8}, {8, 8, 4}, {16, 8, 16}, {32, 8, 16}, {32, 8, 8}, {32, 2, 8}, {8, 2, 8}, {2, 2, 8}};
    for (auto &p : less) {
        if (32 / p[2] * p[1] > 32) continue;
        int grid = 132 * 64 / p[0] * 4;
        RUN("race", grid, p[0] * 32, 0, (race<<<grid, p[0] * 32>>>(b, a, p[2], p[1], 1)), "lines %d mates %d load 1 waves 4", p[2], p[1]);
    }
    for (int threads = 64; threads <= 1024; threads *= 2)
        for (int load = 0; load < 2; load++) {
            int grid = 132 * 2048 / threads * 4;
            RUN("bytes", grid, threads, 0, (bytes<<<grid, threads>>>((uint8_t *)b, a, load)), "load %d waves 4", load);
            RUN("halves", grid, threads, 0, (halves<<<grid, threads>>>((uint16_t *)b, a, load)), "load %d waves 4", load);
        }
    for (int threads = 32; threads <= 1024; threads *= 4)
        RUN("members", 132 * 2048 / threads * 4, threads, 0, (members<<<132 * 2048 / threads * 4, threads>>>((float2 *)b, (float2 *)a)), "waves 4");
    for (int n = 1024; n <= 4096; n *= 2)
        for (int rows = 8; rows <= 32; rows *= 2)
            RUN("transpose", n / 32 * (n / rows), rows * 32, 0, (transpose<<<n / 32 * (n / rows), rows * 32>>>(b, a, n, rows)), "n %d rows %d", n, rows);
    // B
    const int sizes[] = {4, 16, 64, 256}; // MB
    for (int mb : sizes)
        for (int threads = 128; threads <= 1024; threads *= 2) {
            int grid = mb * 262144 / threads;
            if (threads == 256 || mb == 4 || mb == 256)
                RUN("scale", grid, threads, 0, (scale<<<grid, threads>>>(a, 1.5f)), "MB %d", mb);
            if (threads == 256) {
                RUN("times", grid, threads, 0, (times<<<grid, threads>>>(a, b)), "MB %d", mb);
                RUN("swap", grid, threads, 0, (swap<<<grid, threads>>>(a, b)), "MB %d", mb);
                RUN("parted", grid, threads, 0, (parted<<<grid, threads>>>(a)), "MB %d", mb);
            }
        }
    for (int rounds = 1; rounds <= 16; rounds *= 2)
        for (int waves = 1; waves <= 4; waves *= 4)
            for (int threads = 64; threads <= 1024; threads *= 4) {
                int grid = 132 * 2048 / threads * waves;
                RUN("again", grid, threads, 0, (again<<<grid, threads>>>(a, rounds)), "rounds %d waves %d", rounds, waves);
                RUN("only_again", grid, threads, 0, (only_again<<<grid, threads>>>(a, rounds)), "rounds %d waves %d", rounds, waves);
            }
    for (int warps = 1; warps <= 16; warps *= 2)
        RUN("again", 132, warps * 32, 0, (again<<<132, warps * 32>>>(a, 16)), "rounds 16 blocks 132");
    for (int cycles = 0; cycles <= 4096; cycles = cycles ? cycles * 4 : 64)
        RUN("later", 132 * 8 * 4, 256, 0, (later<<<132 * 8 * 4, 256>>>(a, cycles)), "cycles %d waves 4", cycles);
    // C
    if (!list_only) cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10);
    for (int smem = 0; smem <= 220; smem += 110) // KiB
        for (int sectors = 1; sectors <= 4; sectors *= 2)
            for (int share = 25; share <= 400; share *= 2) { // of the lines that 256 - smem KiB have
                int lines = (smem == 0 ? 1984 : smem == 110 ? 992 : 224) * share / 100;
                RUN("hold", 132, 32, smem << 10, (hold<<<132, 32, smem << 10>>>(a, c, lines, sectors, 8)), "lines %d sectors %d rounds 8", lines, sectors);
            }
    if (!list_only) cudaFuncSetAttribute(columns, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10);
    for (int blocks = 1; blocks <= 10; blocks += 3)
        for (int work = 0; work <= 40000; work = work ? work * 10 : 400)
            RUN("columns", 132 * blocks, 32, 20 << 10, (columns<<<132 * blocks, 32, 20 << 10>>>(a, c, 64, 1024, work)), "blocks %d work %d", blocks, work);
    // D
    if (!list_only) cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    for (int blocks = 1; blocks <= 8; blocks *= 2)
        for (int threads = 256; threads <= 1024; threads *= 4) {
            if (blocks * threads > 2048) continue;
            int smem = 200 / blocks << 10;
            for (int work = 0; work <= 10000; work = work ? work * 10 : 100)
                RUN("tiles", 132 * blocks, threads, smem, (tiles<<<132 * blocks, threads, smem>>>(a, c, 64, work, 1)), "all the same blocks %d work %d", blocks, work);
            RUN("tiles", 132 * blocks, threads, smem, (tiles<<<132 * blocks, threads, smem>>>(a, c, 64, 1000, 22)), "every 22nd the same blocks %d work 1000", blocks);
            RUN("tiles", 132 * blocks, threads, smem, (tiles<<<132 * blocks, threads, smem>>>(a, c, 64, 1000, 132)), "every 132nd the same blocks %d work 1000", blocks);
            RUN("tiles", 132 * blocks * 4, threads, smem, (tiles<<<132 * blocks * 4, threads, smem>>>(a, c, 64, 1000, 1)), "all the same blocks %d work 1000 waves 4", blocks);
        }
    if (list_only) return 0;
    cudaError_t error = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    for (int grid = 132; grid <= 1056; grid *= 2) {
        if (argc < 2) break;
        int *at = (int *)c, host[1056];
        smids<<<grid, 1024>>>(at);
        cudaMemcpy(host, at, sizeof host, cudaMemcpyDeviceToHost);
        printf("%d,", grid);
        for (int k = 0; k < grid; k++) printf("%d ", host[k]);
        printf("\n");
    }
    return error != cudaSuccess;
}
