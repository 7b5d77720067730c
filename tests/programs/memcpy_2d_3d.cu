// Pitched and 3-D copies and sets: cudaMemcpy2D, cudaMemset2D, cudaMalloc3D, cudaMemcpy3D, sub-boxes, arrays.
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

__global__ void add_rows(char *p, size_t pitch, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w && y < h) ((int *)(p + y * pitch))[x] += 100 * y;
}

__global__ void volume(cudaPitchedPtr v, int w, int h, int d) {
    for (int z = 0; z < d; z++) {
        char *slice = (char *)v.ptr + z * v.pitch * h;
        for (int y = threadIdx.y; y < h; y += blockDim.y) {
            float *row = (float *)(slice + y * v.pitch);
            for (int x = threadIdx.x; x < w; x += blockDim.x) row[x] = row[x] * 2 + z;
        }
    }
}

int main() {
    bool ok = true;
    const int w = 37, h = 11;
    std::vector<int> a(w * h), b(w * h, 0), wide(64 * h, -1);
    for (int i = 0; i < w * h; i++) a[i] = i;
    char *d, *e;
    size_t pitch, pitch2;
    OK(cudaMallocPitch(&d, &pitch, w * 4, h));
    OK(cudaMallocPitch(&e, &pitch2, 64 * 4, h));
    ok &= pitch >= w * 4 && pitch % 32 == 0;
    OK(cudaMemset2D(d, pitch, 0xEE, pitch, h));
    OK(cudaMemcpy2D(d, pitch, a.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    add_rows<<<dim3(2, h), 32>>>(d, pitch, w, h);
    OK(cudaMemcpy2D(b.data(), w * 4, d, pitch, w * 4, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; i++) ok &= b[i] == i + 100 * (i / w);
    // a box of 10 x 4 from (5, 3) to (20, 6) in another pitch, then a memset of a box
    OK(cudaMemset2D(e, pitch2, 0, 64 * 4, h));
    OK(cudaMemcpy2DAsync(e + 6 * pitch2 + 20 * 4, pitch2, d + 3 * pitch + 5 * 4, pitch, 10 * 4, 4,
                         cudaMemcpyDeviceToDevice, 0));
    OK(cudaMemset2DAsync(e + 1 * pitch2 + 2 * 4, pitch2, 0x11, 3 * 4, 2, 0));
    OK(cudaMemcpy2D(wide.data(), 64 * 4, e, pitch2, 64 * 4, h, cudaMemcpyDeviceToHost));
    for (int y = 0; y < h; y++)
        for (int x = 0; x < 64; x++) {
            int want = 0;
            if (x >= 20 && x < 30 && y >= 6 && y < 10) want = (y - 3) * w + x - 15 + 100 * (y - 3);
            if (x >= 2 && x < 5 && y >= 1 && y < 3) want = 0x11111111;
            ok &= wide[y * 64 + x] == want;
        }
    if (!ok) printf("2D\n");
    ok &= cudaMemcpy2D(d, 8, a.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue;
    cudaGetLastError();

    const int vw = 20, vh = 9, vd = 5;
    std::vector<float> v(vw * vh * vd), r(vw * vh * vd);
    for (size_t i = 0; i < v.size(); i++) v[i] = i;
    cudaPitchedPtr p;
    cudaExtent extent = make_cudaExtent(vw * 4, vh, vd);
    OK(cudaMalloc3D(&p, extent));
    OK(cudaMemset3D(p, 0, extent));
    cudaMemcpy3DParms c;
    memset(&c, 0, sizeof c);
    c.srcPtr = make_cudaPitchedPtr(v.data(), vw * 4, vw, vh);
    c.dstPtr = p;
    c.extent = extent;
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
    volume<<<1, dim3(8, 4)>>>(p, vw, vh, vd);
    memset(&c, 0, sizeof c);
    c.srcPtr = p;
    c.dstPtr = make_cudaPitchedPtr(r.data(), vw * 4, vw, vh);
    c.extent = extent;
    c.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    for (size_t i = 0; i < v.size(); i++) ok &= r[i] == v[i] * 2 + i / (vw * vh);
    // a box with positions
    std::vector<float> box(4 * 3 * 2);
    memset(&c, 0, sizeof c);
    c.srcPtr = p;
    c.srcPos = make_cudaPos(6 * 4, 2, 1);
    c.dstPtr = make_cudaPitchedPtr(box.data(), 4 * 4, 4, 3);
    c.extent = make_cudaExtent(4 * 4, 3, 2);
    c.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&c));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++) ok &= box[(z * 3 + y) * 4 + x] == r[((z + 1) * vh + y + 2) * vw + x + 6];
    if (!ok) printf("3D\n");

    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &desc, w, h));
    OK(cudaMemcpy2DToArray(array, 0, 0, a.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(b.data(), w * 4, array, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    ok &= a == b;
    cudaExtent ae;
    cudaChannelFormatDesc ad;
    unsigned flags;
    OK(cudaArrayGetInfo(&ad, &ae, &flags, array));
    ok &= ae.width == (size_t)w && ae.height == (size_t)h && ad.x == 32 && ad.f == cudaChannelFormatKindSigned;
    OK(cudaFreeArray(array));
    cudaFree(d); cudaFree(e); cudaFree(p.ptr);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
