// 2-D convolution of an RGBA byte image with a 5 x 5 filter: input tile larger than the output tile; Sobel magnitude.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define O_TILE 12
#define RADIUS 2
#define I_TILE (O_TILE + 2 * RADIUS)

__constant__ float filter[2 * RADIUS + 1][2 * RADIUS + 1];

__global__ void conv(const uchar4 *in, uchar4 *out, int w, int h) {
    __shared__ uchar4 tile[I_TILE][I_TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int ox = blockIdx.x * O_TILE + tx, oy = blockIdx.y * O_TILE + ty;
    int ix = min(max(ox - RADIUS, 0), w - 1), iy = min(max(oy - RADIUS, 0), h - 1);
    tile[ty][tx] = in[iy * w + ix];
    __syncthreads();
    if (tx < O_TILE && ty < O_TILE && ox < w && oy < h) {
        float4 acc = make_float4(0, 0, 0, 0);
        for (int i = 0; i < 2 * RADIUS + 1; i++)
            for (int j = 0; j < 2 * RADIUS + 1; j++) {
                uchar4 p = tile[ty + i][tx + j];
                float f = filter[i][j];
                acc.x += f * p.x;
                acc.y += f * p.y;
                acc.z += f * p.z;
                acc.w += f * p.w;
            }
        out[oy * w + ox] = make_uchar4((unsigned char)(acc.x + 0.5f), (unsigned char)(acc.y + 0.5f),
                                       (unsigned char)(acc.z + 0.5f), (unsigned char)(acc.w + 0.5f));
    }
}

__global__ void sobel(const uchar4 *in, unsigned char *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1) {
        out[y * w + x] = 0;
        return;
    }
#define G(dx, dy) ((int)in[(y + (dy)) * w + x + (dx)].x)
    int gx = -G(-1, -1) - 2 * G(-1, 0) - G(-1, 1) + G(1, -1) + 2 * G(1, 0) + G(1, 1);
    int gy = -G(-1, -1) - 2 * G(0, -1) - G(1, -1) + G(-1, 1) + 2 * G(0, 1) + G(1, 1);
    out[y * w + x] = (unsigned char)min(abs(gx) + abs(gy), 255);
}

int main() {
    const int w = 100, h = 61;
    std::vector<uchar4> in(w * h), out(w * h);
    std::vector<unsigned char> edges(w * h);
    for (auto &p : in) p = make_uchar4(rand() & 255, rand() & 255, rand() & 255, 255);
    float f[5][5], sum = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) sum += f[i][j] = (float)((3 - abs(i - 2)) * (3 - abs(j - 2)));
    for (auto &row : f)
        for (auto &v : row) v /= sum;
    cudaMemcpyToSymbol(filter, f, sizeof f);
    uchar4 *d_in, *d_out;
    unsigned char *d_edges;
    cudaMalloc(&d_in, in.size() * 4);
    cudaMalloc(&d_out, in.size() * 4);
    cudaMalloc(&d_edges, in.size());
    cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice);
    conv<<<dim3((w + O_TILE - 1) / O_TILE, (h + O_TILE - 1) / O_TILE), dim3(I_TILE, I_TILE)>>>(d_in, d_out, w, h);
    sobel<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(d_in, d_edges, w, h);
    cudaMemcpy(out.data(), d_out, in.size() * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(edges.data(), d_edges, in.size(), cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    auto clampi = [](int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float acc[4] = {0};
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 5; j++) {
                    const unsigned char *p = &in[clampi(y + i - 2, h) * w + clampi(x + j - 2, w)].x;
                    for (int c = 0; c < 4; c++) acc[c] += f[i][j] * p[c];
                }
            for (int c = 0; c < 4; c++) bad += abs((int)(acc[c] + 0.5f) - (int)(&out[y * w + x].x)[c]) > 1;
            int e = 0;
            if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
                auto g = [&](int dx, int dy) { return (int)in[(y + dy) * w + x + dx].x; };
                int gx = -g(-1, -1) - 2 * g(-1, 0) - g(-1, 1) + g(1, -1) + 2 * g(1, 0) + g(1, 1);
                int gy = -g(-1, -1) - 2 * g(0, -1) - g(1, -1) + g(-1, 1) + 2 * g(0, 1) + g(1, 1);
                e = std::min(abs(gx) + abs(gy), 255);
            }
            bad += e != edges[y * w + x];
        }
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_edges);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
