// Surfaces over arrays, as simpleSurfaceWrite and its like use them.
// Surfaces: surf2Dread and surf2Dwrite on a CUDA array, boundary modes, then the array read back and through a texture.
#include <cstdio>
#include <cstring>
#include <vector>

#define OK(x)                                                                                                          \
    do {                                                                                                               \
        cudaError_t e_ = (x);                                                                                          \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("line %d: %s\nFAIL\n", __LINE__, cudaGetErrorString(e_));                                           \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

__global__ void invert(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 v;
    surf2Dread(&v, in, x * 4, y);
    v.x = 255 - v.x;
    v.y = 255 - v.y;
    surf2Dwrite(v, out, (w - 1 - x) * 4, y);
}

__global__ void outside(cudaSurfaceObject_t s, unsigned *out, int w, int h) {
    uchar4 a = surf2Dread<uchar4>(s, -4, 2, cudaBoundaryModeZero),
           b = surf2Dread<uchar4>(s, w * 4, 1, cudaBoundaryModeClamp);
    surf2Dwrite(make_uchar4(9, 9, 9, 9), s, w * 4 + 16, h + 3, cudaBoundaryModeZero); // dropped
    out[0] = a.x | a.y << 8 | a.z << 16 | (unsigned)a.w << 24;
    out[1] = b.x | b.y << 8 | b.z << 16 | (unsigned)b.w << 24;
}

__global__ void through_texture(cudaTextureObject_t t, unsigned *out, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w) {
        uchar4 v = tex2D<uchar4>(t, x, y);
        out[y * w + x] = v.x | v.y << 8 | v.z << 16 | (unsigned)v.w << 24;
    }
}

int main() {
    const int w = 30, h = 12;
    std::vector<uchar4> img(w * h), got(w * h);
    for (int i = 0; i < w * h; i++) img[i] = make_uchar4(i, i / 2, 3 * i, 255);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &desc, w, h, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&b, &desc, w, h, cudaArraySurfaceLoadStore));
    OK(cudaMemcpy2DToArray(a, 0, 0, img.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaResourceDesc res;
    memset(&res, 0, sizeof res);
    res.resType = cudaResourceTypeArray;
    res.res.array.array = a;
    cudaSurfaceObject_t sa, sb;
    OK(cudaCreateSurfaceObject(&sa, &res));
    res.res.array.array = b;
    OK(cudaCreateSurfaceObject(&sb, &res));
    invert<<<dim3(2, 2), dim3(16, 8)>>>(sa, sb, w, h);
    OK(cudaGetLastError());
    OK(cudaMemcpy2DFromArray(got.data(), w * 4, b, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            uchar4 s = img[y * w + x], g = got[y * w + w - 1 - x];
            ok &= g.x == 255 - s.x && g.y == 255 - s.y && g.z == s.z && g.w == s.w;
        }
    unsigned *d, edge[2];
    OK(cudaMalloc(&d, w * h * 4));
    outside<<<1, 1>>>(sa, d, w, h);
    OK(cudaMemcpy(edge, d, sizeof edge, cudaMemcpyDeviceToHost));
    unsigned last;
    memcpy(&last, &img[1 * w + w - 1], 4);
    ok &= edge[0] == 0 && edge[1] == last;
    cudaTextureDesc td;
    memset(&td, 0, sizeof td);
    td.readMode = cudaReadModeElementType;
    cudaTextureObject_t tex;
    OK(cudaCreateTextureObject(&tex, &res, &td, NULL));
    through_texture<<<h, 32>>>(tex, d, w, h);
    std::vector<unsigned> t(w * h);
    OK(cudaMemcpy(t.data(), d, w * h * 4, cudaMemcpyDeviceToHost));
    ok &= memcmp(t.data(), got.data(), w * h * 4) == 0;
    OK(cudaDestroyTextureObject(tex));
    OK(cudaDestroySurfaceObject(sa));
    OK(cudaDestroySurfaceObject(sb));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    cudaFree(d);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
