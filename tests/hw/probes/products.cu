/* Which loads of blocks that go through the same data are joined on their way to L2, and which find their line in L1: products of matrices
 * as courses write them, sums over all bodies, transforms. Each case is a launch; `products list` says what each is, `products` runs all,
 * `products N` only the N-th, from 0. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

static float *a, *b, *c;
static int at, only = -1;
static bool list_only;

#define RUN(kernel, grid, block, what, ...)                                                                                      \
    do {                                                                                                                         \
        dim3 g grid, t block;                                                                                                    \
        if (list_only) printf("%s,%d,%d,%d\n", what, g.x * g.y, t.x * t.y, at);                                                  \
        else if (only < 0 || only == at) kernel<<<g, t>>>(__VA_ARGS__);                                                          \
        at++;                                                                                                                    \
    } while (0)

// A thread an element, no shared memory.
__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
// The same with rows along x: loads of columns.
__global__ void columns(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
template <int T> __global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[T][T], sb[T][T];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < n / T; t++) {
        sa[threadIdx.y][threadIdx.x] = a[row * n + t * T + threadIdx.x];
        sb[threadIdx.y][threadIdx.x] = b[(t * T + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < T; k++) sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
// A thread has TM x TN elements of a tile of BM x BN.
template <int BM, int BN, int BK, int TM, int TN> __global__ void registers(const float *a, const float *b, float *c, int n)
{
    __shared__ float sa[BM * BK], sb[BK * BN];
    const int threads = BM * BN / (TM * TN), column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
    float sum[TM * TN] = {0}, ra[TM], rb[TN];
    a += (size_t)blockIdx.y * BM * n;
    b += blockIdx.x * BN;
    c += (size_t)blockIdx.y * BM * n + blockIdx.x * BN;
    for (int t = 0; t < n; t += BK) {
        for (int k = threadIdx.x; k < BM * BK; k += threads) sa[k] = a[k / BK * n + k % BK];
        for (int k = threadIdx.x; k < BK * BN; k += threads) sb[k] = b[k / BN * n + k % BN];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (int k = 0; k < BK; k++) {
            for (int i = 0; i < TM; i++) ra[i] = sa[(row * TM + i) * BK + k];
            for (int i = 0; i < TN; i++) rb[i] = sb[k * BN + column * TN + i];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++) sum[i * TN + j] += ra[i] * rb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) c[(row * TM + i) * n + column * TN + j] = sum[i * TN + j];
}
// All blocks go through all bodies, 256 of them in shared memory at a time, or without it.
__global__ void bodies(const float4 *at, float4 *out, int n)
{
    extern __shared__ float4 tile[];
    float4 me = at[blockIdx.x * blockDim.x + threadIdx.x], sum = {0, 0, 0, 0};
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = at[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < blockDim.x; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z, r = rsqrtf(x * x + y * y + z * z + 0.01f);
            r *= tile[k].w * r * r;
            sum.x += x * r;
            sum.y += y * r;
            sum.z += z * r;
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void bodies_plain(const float4 *at, float4 *out, int n)
{
    float4 me = at[blockIdx.x * blockDim.x + threadIdx.x], sum = {0, 0, 0, 0};
    for (int k = 0; k < n; k++) {
        float4 other = at[k];
        float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z, r = rsqrtf(x * x + y * y + z * z + 0.01f);
        r *= other.w * r * r;
        sum.x += x * r;
        sum.y += y * r;
        sum.z += z * r;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// A transform by its definition: sines and cosines of each pair, from shared memory or not.
__global__ void transform(const float *in, float *out, int n)
{
    extern __shared__ float4 tile4[];
    float *tile = (float *)tile4, re = 0, im = 0;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < n; t += blockDim.x) {
        tile[threadIdx.x] = in[t + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) {
            float s, co;
            sincosf(-6.2831853f * k * (t + j) / n, &s, &co);
            re += tile[j] * co;
            im += tile[j] * s;
        }
        __syncthreads();
    }
    out[2 * k] = re;
    out[2 * k + 1] = im;
}
__global__ void transform_plain(const float *in, float *out, int n)
{
    float re = 0, im = 0;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    for (int t = 0; t < n; t++) {
        float s, co;
        sincosf(-6.2831853f * k * t / n, &s, &co);
        re += in[t] * co;
        im += in[t] * s;
    }
    out[2 * k] = re;
    out[2 * k + 1] = im;
}
// A block a row: its largest, its sum, its shares.
__global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float all[1024];
    const float *row = in + (size_t)blockIdx.x * n;
    float most = -1e30f, sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) most = fmaxf(most, row[k]);
    all[threadIdx.x] = most;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s) all[threadIdx.x] = fmaxf(all[threadIdx.x], all[threadIdx.x + s]);
        __syncthreads();
    }
    most = all[0];
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += expf(row[k] - most);
    all[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s) all[threadIdx.x] += all[threadIdx.x + s];
        __syncthreads();
    }
    for (int k = threadIdx.x; k < n; k += blockDim.x) out[(size_t)blockIdx.x * n + k] = expf(row[k] - most) / all[0];
}
// A row times a matrix by each block, as layers of networks do: all blocks go through the same vector.
__global__ void layer(const float *w, const float *x, float *y, int n)
{
    __shared__ float part[256];
    float sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += w[(size_t)blockIdx.x * n + k] * x[k];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x) y[blockIdx.x] = part[0];
}
// A thread a row of the matrix.
__global__ void layer_plain(const float *w, const float *x, float *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += w[(size_t)row * n + k] * x[k];
    y[row] = sum;
}

int main(int argc, char **argv)
{
    list_only = argc > 1 && !strcmp(argv[1], "list");
    if (argc > 1 && !list_only) only = atoi(argv[1]);
    size_t bytes = 2048 * 2048 * 4;
    if (!list_only) {
        cudaMalloc(&a, bytes);
        cudaMalloc(&b, bytes);
        cudaMalloc(&c, bytes);
        cudaMemset(a, 0, bytes);
        cudaMemset(b, 0, bytes);
    }
    for (int n = 256; n <= 1024; n *= 2) {
        RUN(naive, (n / 8, n / 8), (8, 8), "naive 8x8", a, b, c, n);
        RUN(naive, (n / 16, n / 16), (16, 16), "naive 16x16", a, b, c, n);
        RUN(naive, (n / 32, n / 32), (32, 32), "naive 32x32", a, b, c, n);
        RUN(naive, (n / 32, n / 8), (32, 8), "naive 32x8", a, b, c, n);
        RUN(naive, (n / 256, n), (256, 1), "naive 256x1", a, b, c, n);
        RUN(columns, (n / 16, n / 16), (16, 16), "columns 16x16", a, b, c, n);
        RUN(columns, (n / 32, n / 32), (32, 32), "columns 32x32", a, b, c, n);
        RUN(tiled<8>, (n / 8, n / 8), (8, 8), "tiled 8", a, b, c, n);
        RUN(tiled<16>, (n / 16, n / 16), (16, 16), "tiled 16", a, b, c, n);
        RUN(tiled<32>, (n / 32, n / 32), (32, 32), "tiled 32", a, b, c, n);
    }
    RUN(tiled<16>, (128, 32), (16, 16), "tiled 16 of 512x2048", a, b, c, 2048);
    RUN(tiled<32>, (64, 16), (32, 32), "tiled 32 of 512x2048", a, b, c, 2048);
    for (int n = 1024; n <= 2048; n *= 2) {
        RUN((registers<32, 32, 32, 4, 1>), (n / 32, n / 32), (256, 1), "registers 32x32 by 4x1", a, b, c, n);
        RUN((registers<64, 64, 8, 8, 1>), (n / 64, n / 64), (512, 1), "registers 64x64 by 8x1", a, b, c, n);
        RUN((registers<64, 64, 16, 4, 4>), (n / 64, n / 64), (256, 1), "registers 64x64 by 4x4", a, b, c, n);
        RUN((registers<128, 128, 8, 8, 8>), (n / 128, n / 128), (256, 1), "registers 128x128 by 8x8", a, b, c, n);
    }
    for (int n = 8192; n <= 32768; n *= 2)
        for (int threads = 64; threads <= 1024; threads *= 4) {
            if (!list_only && only < 0) cudaDeviceSynchronize();
            const int tile = threads * 16;
            if (list_only) printf("bodies,%d,%d,%d\n", n / threads, threads, at);
            else if (only < 0 || only == at) bodies<<<n / threads, threads, tile>>>((float4 *)a, (float4 *)c, n);
            at++;
            RUN(bodies_plain, (n / threads), (threads), "bodies plain", (float4 *)a, (float4 *)c, n);
        }
    for (int n = 4096; n <= 32768; n *= 2)
        for (int threads = 64; threads <= 1024; threads *= 4) {
            if (list_only) printf("transform,%d,%d,%d\n", n / threads, threads, at);
            else if (only < 0 || only == at) transform<<<n / threads, threads, threads * 4>>>(a, c, n);
            at++;
            RUN(transform_plain, (n / threads), (threads), "transform plain", a, c, n);
        }
    for (int n = 1024; n <= 2048; n *= 2) {
        RUN(softmax, (2048), (256), "softmax", a, c, n);
        RUN(softmax, (2048), (1024), "softmax", a, c, n);
        RUN(layer, (2048), (128), "layer", a, b, c, n);
        RUN(layer, (2048), (256), "layer", a, b, c, n);
        RUN(layer_plain, (8), (256), "layer plain", a, b, c, n);
        RUN(layer_plain, (64), (32), "layer plain", a, b, c, n);
    }
    if (list_only) return 0;
    cudaError_t error = cudaDeviceSynchronize();
    fprintf(stderr, "%d cases, %s\n", at, cudaGetErrorString(error));
    return error != cudaSuccess;
}
