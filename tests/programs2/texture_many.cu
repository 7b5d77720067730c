// More texture objects than a program counts: each is found, reads its own memory, and its handle is not reused while
// it lives. Clamped and filtered reads of 8-bit texels.
#include <cmath>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

#define CK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            printf("%s: %s\nFAIL\n", #call, cudaGetErrorString(error_));                                               \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void read_ends(float *out, const cudaTextureObject_t *textures, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count) return;
    float4 first = tex2D<float4>(textures[k], -1.f, -1.f), last = tex2D<float4>(textures[k], 2.f, 2.f);
    out[2 * k] = first.x + 2 * first.y + 4 * first.z + 8 * first.w;
    out[2 * k + 1] = last.x + 2 * last.y + 4 * last.z + 8 * last.w;
}

static float value(uchar4 p) { return (p.x + 2 * p.y + 4 * p.z + 8 * p.w) / 255.f; }

int main()
{
    const int n = 300, side = 4;
    std::vector<uchar4> pixels(n * side * side);
    for (size_t k = 0; k < pixels.size(); k++)
        pixels[k] = make_uchar4(k * 7 & 255, k * 13 & 255, k * 29 & 255, k * 31 >> 3 & 255);
    std::vector<cudaArray_t> arrays(n);
    std::vector<cudaTextureObject_t> textures(n);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    for (int k = 0; k < n; k++) {
        CK(cudaMallocArray(&arrays[k], &format, side, side));
        CK(cudaMemcpy2DToArray(arrays[k], 0, 0, &pixels[k * side * side], side * 4, side * 4, side,
                               cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = arrays[k];
        cudaTextureDesc desc = {};
        desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
        desc.filterMode = cudaFilterModeLinear;
        desc.readMode = cudaReadModeNormalizedFloat;
        desc.normalizedCoords = 1;
        CK(cudaCreateTextureObject(&textures[k], &resource, &desc, NULL));
    }
    cudaTextureObject_t *device_textures;
    float *out;
    std::vector<float> got(2 * n);
    CK(cudaMalloc(&device_textures, n * sizeof *device_textures));
    CK(cudaMalloc(&out, got.size() * 4));
    CK(cudaMemcpy(device_textures, textures.data(), n * sizeof *device_textures, cudaMemcpyHostToDevice));
    read_ends<<<(n + 63) / 64, 64>>>(out, device_textures, n);
    CK(cudaMemcpy(got.data(), out, got.size() * 4, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int k = 0; k < n; k++) {
        bad += fabsf(got[2 * k] - value(pixels[k * side * side])) > 1e-3f;
        bad += fabsf(got[2 * k + 1] - value(pixels[(k + 1) * side * side - 1])) > 1e-3f;
        CK(cudaDestroyTextureObject(textures[k]));
        CK(cudaFreeArray(arrays[k]));
    }
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
