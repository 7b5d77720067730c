// 5-point and 9-point stencils on a 2-D grid with a shared tile and halo, on pitched memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TX 32
#define TY 8

__global__ void stencil5(const float *in, float *out, int w, int h, size_t pitch) {
    __shared__ float tile[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1;
    auto at = [&](int xx, int yy) {
        xx = min(max(xx, 0), w - 1);
        yy = min(max(yy, 0), h - 1);
        return *((const float *)((const char *)in + yy * pitch) + xx);
    };
    tile[ly][lx] = at(x, y);
    if (threadIdx.x == 0) tile[ly][0] = at(x - 1, y);
    if (threadIdx.x == TX - 1) tile[ly][TX + 1] = at(x + 1, y);
    if (threadIdx.y == 0) tile[0][lx] = at(x, y - 1);
    if (threadIdx.y == TY - 1) tile[TY + 1][lx] = at(x, y + 1);
    __syncthreads();
    if (x < w && y < h)
        *((float *)((char *)out + y * pitch) + x) =
            0.5f * tile[ly][lx] + 0.125f * (tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx]);
}

__global__ void box9(const float *in, float *out, int w, int h, size_t pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) {
            int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
            sum += ((const float *)((const char *)in + yy * pitch))[xx];
        }
    ((float *)((char *)out + y * pitch))[x] = sum / 9.0f;
}

int main() {
    const int w = 150, h = 75;
    std::vector<float> in(w * h), out(w * h);
    for (auto &v : in) v = float(rand() % 100);
    float *d_in, *d_out;
    size_t pitch;
    cudaMallocPitch(&d_in, &pitch, w * sizeof(float), h);
    cudaMallocPitch(&d_out, &pitch, w * sizeof(float), h);
    cudaMemcpy2D(d_in, pitch, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
    dim3 block(TX, TY), grid((w + TX - 1) / TX, (h + TY - 1) / TY);
    auto ref = [&](int x, int y) {
        x = x < 0 ? 0 : x >= w ? w - 1 : x;
        y = y < 0 ? 0 : y >= h ? h - 1 : y;
        return in[y * w + x];
    };
    int bad = 0;
    for (int which = 0; which < 2; which++) {
        if (which == 0) stencil5<<<grid, block>>>(d_in, d_out, w, h, pitch);
        else box9<<<grid, block>>>(d_in, d_out, w, h, pitch);
        cudaMemcpy2D(out.data(), w * sizeof(float), d_out, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                float want = 0;
                if (which == 0)
                    want = 0.5f * ref(x, y) + 0.125f * (ref(x - 1, y) + ref(x + 1, y) + ref(x, y - 1) + ref(x, y + 1));
                else {
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++) want += ref(x + dx, y + dy);
                    want /= 9;
                }
                if (std::fabs(out[y * w + x] - want) > 1e-4f && bad++ < 3)
                    printf("%d: (%d, %d) is %f, expected %f\n", which, x, y, out[y * w + x], want);
            }
    }
    bad += cudaGetLastError() != cudaSuccess;
    cudaFree(d_in);
    cudaFree(d_out);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
