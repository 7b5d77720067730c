// Julia set with a small complex struct, after the introductory book, and the same with cuComplex.
#include <cstdio>
#include <cuComplex.h>
#include <vector>

#define DIM 64

struct myComplex {
    float r, i;
    __host__ __device__ myComplex(float a, float b) : r(a), i(b) {}
    __host__ __device__ float magnitude2(void) { return r * r + i * i; }
    __host__ __device__ myComplex operator*(const myComplex &a) {
        return myComplex(r * a.r - i * a.i, i * a.r + r * a.i);
    }
    __host__ __device__ myComplex operator+(const myComplex &a) { return myComplex(r + a.r, i + a.i); }
};

__host__ __device__ int julia(int x, int y) {
    const float scale = 1.5;
    float jx = scale * (float)(DIM / 2 - x) / (DIM / 2);
    float jy = scale * (float)(DIM / 2 - y) / (DIM / 2);
    myComplex c(-0.8, 0.156);
    myComplex a(jx, jy);
    for (int i = 0; i < 100; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) return 0;
    }
    return 1;
}

__global__ void kernel(unsigned char *ptr) {
    int x = blockIdx.x;
    int y = blockIdx.y;
    int offset = x + y * gridDim.x;
    int juliaValue = julia(x, y);
    ptr[offset * 4 + 0] = 255 * juliaValue;
    ptr[offset * 4 + 1] = 0;
    ptr[offset * 4 + 2] = 0;
    ptr[offset * 4 + 3] = 255;
}

__global__ void kernel_cucomplex(unsigned char *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    cuFloatComplex c = make_cuFloatComplex(-0.8f, 0.156f);
    cuFloatComplex a = make_cuFloatComplex(1.5f * (DIM / 2 - x) / (DIM / 2), 1.5f * (DIM / 2 - y) / (DIM / 2));
    unsigned char v = 255;
    for (int i = 0; i < 100 && v; i++) {
        a = cuCaddf(cuCmulf(a, a), c);
        if (cuCrealf(a) * cuCrealf(a) + cuCimagf(a) * cuCimagf(a) > 1000.0f) v = 0;
    }
    out[y * DIM + x] = v;
}

int main() {
    unsigned char *d, *d2;
    std::vector<unsigned char> img(DIM * DIM * 4), img2(DIM * DIM);
    cudaMalloc(&d, DIM * DIM * 4);
    cudaMalloc(&d2, DIM * DIM);
    kernel<<<dim3(DIM, DIM), 1>>>(d);
    kernel_cucomplex<<<dim3(DIM / 16, DIM / 16), dim3(16, 16)>>>(d2);
    cudaMemcpy(img.data(), d, img.size(), cudaMemcpyDeviceToHost);
    cudaMemcpy(img2.data(), d2, img2.size(), cudaMemcpyDeviceToHost);
    cudaFree(d);
    cudaFree(d2);
    int differs = 0, set = 0;
    for (int y = 0; y < DIM; y++)
        for (int x = 0; x < DIM; x++) {
            int j = julia(x, y), o = y * DIM + x;
            set += j;
            differs += img[o * 4] != 255 * j || img[o * 4 + 3] != 255;
            differs += img2[o] != 255 * j;
        }
    printf("%d in the set, %d differ\n", set, differs);
    bool ok = cudaGetLastError() == cudaSuccess && differs < 40;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
