// Workloads of `make bench` (W1..W4). workloads.ptx is made from this file:
//   nvcc -ptx -arch=sm_90 -lineinfo workloads.cu
#define TILE 32
#define ROWS 8

// W1: one thread an element; reads by rows, writes by columns
extern "C" __global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) out[(size_t)x * n + y] = in[(size_t)y * n + x];
}

// W2: unpadded 32x32 tile, block of 32x8
extern "C" __global__ void transpose_tiled(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

// W3: 256 bins, shared atomics
extern "C" __global__ void histogram(unsigned *bins, const int *data, int n)
{
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i] & 255], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// W4: divergent loop, fma
extern "C" __global__ void mandelbrot(int *out, int n, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float cx = -2.0f + 3.0f * x / n, cy = -1.5f + 3.0f * y / n, zx = 0, zy = 0;
    int k = 0;
    while (k < limit && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        k++;
    }
    out[(size_t)y * n + x] = k;
}
