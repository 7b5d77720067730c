// Rows of `make bench` for what once was far slower than the rest: texture fetches, atomics of all lanes on one word, shared
// memory with bank conflicts between barriers, divisions of 64 bits, code that few lanes execute; beside them plain loads.
// Prints millions of fetches (loads, updates, divisions) a second of processor time, launch included.
#include "measure.h"

enum { N = 512, ROUNDS = 32, ALL = N * N * ROUNDS };

__device__ int column() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int row() { return blockIdx.y * blockDim.y + threadIdx.y; }

__global__ void loads(float *out, const float *in)
{
    float sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += in[(row() * N + column() + k) & (N * N - 1)];
    out[row() * N + column()] = sum;
}

__global__ void fetches(float *out, cudaTextureObject_t texture)
{
    float sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += tex2D<float>(texture, column() + k + 0.3f, row() * 0.7f + 0.25f);
    out[row() * N + column()] = sum;
}

/* Normalised coordinates; levels half way between two. */
template <int How> __global__ void more_fetches(float *out, cudaTextureObject_t texture)
{
    float sum = 0, x = (column() + 0.3f) / N, y = (row() * 0.7f + 0.25f) / N;
    for (int k = 0; k < ROUNDS; k++) {
        if (How == 0) sum += tex3D<float>(texture, x, y, (k + 0.2f) / 64);
        else if (How == 1) sum += texCubemap<float>(texture, 2 * x - 1 + k / 256.0f, 2 * y - 1, k & 1 ? 1.0f : -1.0f);
        else sum += tex2DLod<float>(texture, x + k / 512.0f, y, 1.5f);
    }
    out[row() * N + column()] = sum;
}

__global__ void add_floats(float *out)
{
    for (int k = 0; k < ROUNDS; k++) atomicAdd(out, 1.0f);
}

__global__ void add_integers(int *out, int *last)
{
    int sum = 0;
    for (int k = 0; k < ROUNDS; k++) sum += atomicAdd(out, k);
    last[row() * N + column()] = sum;
}

/* Each thread's part of shared memory is six words long; a barrier a round, as in recursive filters. */
__global__ void share(float *out)
{
    __shared__ float part[6 * 256];
    int mine = 6 * (threadIdx.y * 32 + threadIdx.x);
    for (int k = 0; k < 6; k++) part[mine + k] = k;
    for (int k = 0; k < ROUNDS; k++) {
        float next = part[mine + k % 5] * 0.5f + part[mine + 5];
        __syncthreads();
        part[mine + 5] = next;
    }
    out[row() * N + column()] = part[mine + 5];
}

__global__ void remainders(unsigned long long *out, unsigned long long by)
{
    unsigned long long x = (unsigned long long)column() << 40 | row();
    for (int k = 0; k < ROUNDS; k++) x = x * 6364136223846793005u % (by - k);
    out[row() * N + column()] = x;
}

/* Every eighth lane walks, the others wait for it: as where one thread of a few does what is left. */
__global__ void walk(float *out, const float *in)
{
    if (threadIdx.x & 7) return;
    float sum = 0;
    int at = column();
    for (int k = 0; k < ROUNDS; k++) {
        float value = in[at];
        if (value > 500) at += 3;
        else at = at * 5 + k;
        at &= N * N - 1;
        sum += value;
    }
    out[row() * N + column()] = sum;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource, cudaTextureFilterMode filter, bool normalized)
{
    cudaTextureDesc texture = {};
    cudaTextureObject_t out;
    for (auto &mode : texture.addressMode) mode = cudaAddressModeClamp;
    texture.filterMode = texture.mipmapFilterMode = filter;
    texture.normalizedCoords = normalized;
    texture.maxMipmapLevelClamp = 99;
    check(cudaCreateTextureObject(&out, &resource, &texture, nullptr));
    return out;
}

static void copy_to(cudaArray_t array, const float *from, int w, int h, int d)
{
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr((void *)from, w * 4, w, h);
    p.dstArray = array;
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyHostToDevice;
    check(cudaMemcpy3D(&p));
}

/* Of three dimensions, a cubemap, levels; all of single precision with linear filters. */
static void measure_more(float *out, const float *host, dim3 grid, dim3 block)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaArray_t level;
    resource.resType = cudaResourceTypeArray;
    check(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(64, 64, 64)));
    copy_to(resource.res.array.array, host, 64, 64, 64);
    cudaTextureObject_t texture = texture_of(resource, cudaFilterModeLinear, true);
    measure("tex3D of floats, linear (goal 50)", ALL, "M", [&] { more_fetches<0><<<grid, block>>>(out, texture); });
    check(cudaMalloc3DArray(&resource.res.array.array, &format, make_cudaExtent(128, 128, 6), cudaArrayCubemap));
    copy_to(resource.res.array.array, host, 128, 128, 6);
    texture = texture_of(resource, cudaFilterModeLinear, true);
    measure("texCubemap of floats, linear (goal 50)", ALL, "M",
            [&] { more_fetches<1><<<grid, block>>>(out, texture); });
    resource.resType = cudaResourceTypeMipmappedArray;
    check(cudaMallocMipmappedArray(&resource.res.mipmap.mipmap, &format, make_cudaExtent(N, N, 0), 4));
    for (int k = 0; k < 4; k++) {
        check(cudaGetMipmappedArrayLevel(&level, resource.res.mipmap.mipmap, k));
        copy_to(level, host, N >> k, N >> k, 1);
    }
    texture = texture_of(resource, cudaFilterModeLinear, true);
    measure("tex2DLod of floats, trilinear (goal 50)", ALL, "M",
            [&] { more_fetches<2><<<grid, block>>>(out, texture); });
}

int main()
{
    static float host[N * N];
    float *in, *out;
    unsigned long long *wide;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int k = 0; k < N * N; k++) host[k] = (float)(k % 1000);
    check(cudaMalloc(&in, sizeof host));
    check(cudaMalloc(&out, sizeof host));
    check(cudaMalloc(&wide, N * N * sizeof *wide));
    check(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    check(cudaMallocArray(&array, &format, N, N));
    check(cudaMemcpy2DToArray(array, 0, 0, host, N * 4, N * 4, N, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t point = texture_of(resource, cudaFilterModePoint, false),
                        bilinear = texture_of(resource, cudaFilterModeLinear, false);
    dim3 grid(N / 32, N / 8), block(32, 8);
    measure("global loads", ALL, "M", [&] { loads<<<grid, block>>>(out, in); });
    measure("global loads by every eighth lane", ALL / 8.0, "M", [&] { walk<<<grid, block>>>(out, in); });
    measure("shared loads six words apart, a barrier each", ALL, "M", [&] { share<<<grid, block>>>(out); });
    measure("64-bit remainders", ALL, "M", [&] { remainders<<<grid, block>>>(wide, 0xfffffffffffff5); });
    measure("tex2D of floats, point-sampled (goal 300)", ALL, "M", [&] { fetches<<<grid, block>>>(out, point); });
    measure("tex2D of floats, bilinear (goal 100)", ALL, "M", [&] { fetches<<<grid, block>>>(out, bilinear); });
    measure_more(out, host, grid, block);
    measure("atomicAdd of floats to one word", ALL, "M", [&] { add_floats<<<grid, block>>>(out); });
    measure("atomicAdd of integers to one word, with results", ALL, "M",
            [&] { add_integers<<<grid, block>>>((int *)out, (int *)in); });
}
