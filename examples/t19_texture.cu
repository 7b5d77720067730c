/* T19: reads through texture objects: tex1Dfetch from linear memory, tex2D from an array with point and with linear
 * filtering. Linear filtering weighs with 8 fractional bits (1/256), so its result is compared with that tolerance. */
#include "example.h"

#define W 32
#define H 16

__global__ void fetch_1d(cudaTextureObject_t tex, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = tex1Dfetch<float>(tex, n - 1 - i);
}

/* Samples at (x + dx, y + dy); the centre of the first texel is at 0.5. */
__global__ void sample_2d(cudaTextureObject_t tex, float *out, float dx, float dy) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < W && y < H)
        out[y * W + x] = tex2D<float>(tex, x + dx, y + dy);
}

static int run_1d(void) {
    enum { N = 1000 };
    float in[N], expected[N], got[N], *d_in, *d_out;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    cudaTextureObject_t tex;

    for (int i = 0; i < N; i++) {
        in[i] = 0.5f * i;
        expected[N - 1 - i] = in[i];
    }
    CHECK(cudaMalloc((void **)&d_in, sizeof in));
    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof in;
    memset(&texture, 0, sizeof texture);
    texture.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&tex, &resource, &texture, NULL));
    fetch_1d<<<(N + 127) / 128, 128>>>(tex, d_out, N);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(tex));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return same_floats("tex1Dfetch", expected, got, N, 0.0f);
}

static float clamped(const float *in, int x, int y) {
    x = x < 0 ? 0 : x >= W ? W - 1 : x;
    y = y < 0 ? 0 : y >= H ? H - 1 : y;
    return in[y * W + x];
}

static float reference_2d(const float *in, float x, float y, int linear) {
    float fx, fy, a, b;
    int ix, iy;

    if (!linear)
        return clamped(in, (int)floorf(x), (int)floorf(y));
    ix = (int)floorf(x - 0.5f);
    iy = (int)floorf(y - 0.5f);
    fx = x - 0.5f - ix;
    fy = y - 0.5f - iy;
    a = (1 - fx) * clamped(in, ix, iy) + fx * clamped(in, ix + 1, iy);
    b = (1 - fx) * clamped(in, ix, iy + 1) + fx * clamped(in, ix + 1, iy + 1);
    return (1 - fy) * a + fy * b;
}

static int run_2d(const char *name, const float *in, cudaArray_t array, int linear, float dx, float dy) {
    float expected[W * H], got[W * H], *d_out;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    cudaTextureObject_t tex;
    dim3 block(16, 8), grid((W + 15) / 16, (H + 7) / 8);

    for (int i = 0; i < W * H; i++)
        expected[i] = reference_2d(in, i % W + dx, i / W + dy, linear);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    memset(&texture, 0, sizeof texture);
    texture.addressMode[0] = cudaAddressModeClamp;
    texture.addressMode[1] = cudaAddressModeClamp;
    texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&tex, &resource, &texture, NULL));
    CHECK(cudaMalloc((void **)&d_out, sizeof got));
    sample_2d<<<grid, block>>>(tex, d_out, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got, d_out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(tex));
    CHECK(cudaFree(d_out));
    return same_floats(name, expected, got, W * H, linear ? 1.0f / 128 : 0.0f);
}

int main(void) {
    float in[W * H];
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    int pass;

    pass = run_1d();
    for (int i = 0; i < W * H; i++)
        in[i] = (float)((i % W) * 3 + (i / W) * 2);
    CHECK(cudaMallocArray(&array, &desc, W, H, 0));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, in, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    pass &= run_2d("tex2D, point", in, array, 0, 0.5f, 0.5f);
    pass &= run_2d("tex2D, point, outside", in, array, 0, -3.5f, 4.5f);
    pass &= run_2d("tex2D, linear at the centres", in, array, 1, 0.5f, 0.5f);
    pass &= run_2d("tex2D, linear between", in, array, 1, 1.0f, 0.75f);
    CHECK(cudaFreeArray(array));
    return finish(pass);
}
