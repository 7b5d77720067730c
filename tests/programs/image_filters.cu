// Image kernels on bytes: RGB to grey (3-byte pixels), box blur with a sliding sum, bilateral, median of 3 x 3,
// histogram equalisation, nearest and bilinear resize.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned char uchar;

__global__ void grey(const uchar *rgb, uchar *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (uchar)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
}

__global__ void box_rows(const uchar *in, int *out, int w, int h, int r) { // one thread a row, a running sum
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    int sum = 0;
    for (int x = -r; x <= r; x++) sum += in[y * w + min(max(x, 0), w - 1)];
    for (int x = 0; x < w; x++) {
        out[y * w + x] = sum;
        sum += in[y * w + min(x + r + 1, w - 1)] - in[y * w + max(x - r, 0)];
    }
}

__device__ void order(uchar &a, uchar &b) {
    uchar t = min(a, b);
    b = max(a, b);
    a = t;
}

__global__ void median3(const uchar *in, uchar *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar v[9];
#pragma unroll
    for (int k = 0; k < 9; k++) v[k] = in[min(max(y + k / 3 - 1, 0), h - 1) * w + min(max(x + k % 3 - 1, 0), w - 1)];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]); order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]);
    order(v[4], v[2]);
    out[y * w + x] = v[4];
}

__global__ void bilateral(const uchar *in, float *out, int w, int h, float ss, float sr) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0, weight = 0, c = in[y * w + x];
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int xx = x + dx, yy = y + dy;
            if (xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
            float v = in[yy * w + xx], k = expf(-(dx * dx + dy * dy) * ss - (v - c) * (v - c) * sr);
            sum += k * v;
            weight += k;
        }
    out[y * w + x] = sum / weight;
}

__global__ void equalize(const uchar *in, uchar *out, int n) { // one block: histogram, scan, map
    __shared__ int hist[256], cdf[256];
    int t = threadIdx.x;
    hist[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += 256) atomicAdd(&hist[in[i]], 1);
    __syncthreads();
    cdf[t] = hist[t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = t >= d ? cdf[t - d] : 0;
        __syncthreads();
        cdf[t] += v;
        __syncthreads();
    }
    for (int i = t; i < n; i += 256) out[i] = (uchar)(cdf[in[i]] * 255 / n);
}

__global__ void resize(const uchar *in, uchar *nearest, uchar *linear, int w, int h, int ow, int oh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    nearest[y * ow + x] = in[(y * h / oh) * w + x * w / ow];
    int fx = x * (w - 1) * 256 / (ow - 1), fy = y * (h - 1) * 256 / (oh - 1); // 8 fractional bits
    int ix = min(fx >> 8, w - 2), iy = min(fy >> 8, h - 2);
    fx -= ix << 8;
    fy -= iy << 8;
    const uchar *p = in + iy * w + ix;
    linear[y * ow + x] =
        (uchar)(((p[0] * (256 - fx) + p[1] * fx) * (256 - fy) + (p[w] * (256 - fx) + p[w + 1] * fx) * fy + 32768) >>
                16);
}

int main() {
    const int w = 67, h = 45, n = w * h, ow = 100, oh = 31;
    std::vector<uchar> rgb(3 * n), g(n), m(n), eq(n), near_(ow * oh), lin(ow * oh);
    std::vector<int> box(n);
    std::vector<float> bi(n);
    for (int i = 0; i < 3 * n; i++) rgb[i] = (uchar)((i / 30) % 200 + rand() % 56);
    uchar *drgb, *dg, *dm, *deq, *dn, *dl;
    int *dbox;
    float *dbi;
    cudaMalloc(&drgb, 3 * n); cudaMalloc(&dg, n); cudaMalloc(&dm, n); cudaMalloc(&deq, n);
    cudaMalloc(&dn, ow * oh); cudaMalloc(&dl, ow * oh); cudaMalloc(&dbox, n * 4); cudaMalloc(&dbi, n * 4);
    cudaMemcpy(drgb, rgb.data(), 3 * n, cudaMemcpyHostToDevice);
    dim3 b(16, 8), grid((w + 15) / 16, (h + 7) / 8);
    grey<<<(n + 127) / 128, 128>>>(drgb, dg, n);
    box_rows<<<2, 32>>>(dg, dbox, w, h, 3);
    median3<<<grid, b>>>(dg, dm, w, h);
    bilateral<<<grid, b>>>(dg, dbi, w, h, 0.125f, 0.001f);
    equalize<<<1, 256>>>(dg, deq, n);
    resize<<<dim3((ow + 15) / 16, (oh + 7) / 8), b>>>(dg, dn, dl, w, h, ow, oh);
    cudaMemcpy(g.data(), dg, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(m.data(), dm, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(eq.data(), deq, n, cudaMemcpyDeviceToHost);
    cudaMemcpy(near_.data(), dn, ow * oh, cudaMemcpyDeviceToHost);
    cudaMemcpy(lin.data(), dl, ow * oh, cudaMemcpyDeviceToHost);
    cudaMemcpy(box.data(), dbox, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(bi.data(), dbi, n * 4, cudaMemcpyDeviceToHost);
    int bad[6] = {0}, hist[256] = {0}, cdf[256], total = 0;
    for (int i = 0; i < n; i++) {
        bad[0] += g[i] != (uchar)((rgb[3 * i] * 77 + rgb[3 * i + 1] * 150 + rgb[3 * i + 2] * 29) >> 8);
        hist[g[i]]++;
    }
    for (int i = 0; i < 256; i++) cdf[i] = total += hist[i];
    auto at = [&](int x, int y) {
        return (int)g[std::min(std::max(y, 0), h - 1) * w + std::min(std::max(x, 0), w - 1)];
    };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int s = 0, v[9];
            for (int d = -3; d <= 3; d++) s += at(x + d, y);
            bad[1] += s != box[y * w + x];
            for (int k = 0; k < 9; k++) v[k] = at(x + k % 3 - 1, y + k / 3 - 1);
            std::sort(v, v + 9);
            bad[2] += v[4] != m[y * w + x];
            double sum = 0, weight = 0, c = at(x, y);
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    if (x + dx >= 0 && y + dy >= 0 && x + dx < w && y + dy < h) {
                        double q = at(x + dx, y + dy),
                               k = exp(-(dx * dx + dy * dy) * 0.125 - (q - c) * (q - c) * (double)0.001f);
                        sum += k * q;
                        weight += k;
                    }
            bad[3] += fabs(sum / weight - bi[y * w + x]) > 1e-2;
            bad[4] += eq[y * w + x] != (uchar)(cdf[g[y * w + x]] * 255 / n);
        }
    for (int y = 0; y < oh; y++)
        for (int x = 0; x < ow; x++) {
            double fx = x * (w - 1) / (double)(ow - 1), fy = y * (h - 1) / (double)(oh - 1);
            int ix = std::min((int)fx, w - 2), iy = std::min((int)fy, h - 2);
            fx -= ix;
            fy -= iy;
            double want = (at(ix, iy) * (1 - fx) + at(ix + 1, iy) * fx) * (1 - fy) +
                          (at(ix, iy + 1) * (1 - fx) + at(ix + 1, iy + 1) * fx) * fy;
            bad[5] += near_[y * ow + x] != at(x * w / ow, y * h / oh) || fabs(want - lin[y * ow + x]) > 2;
        }
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int k = 0; k < 6; k++)
        if (bad[k]) {
            printf("filter %d: %d wrong\n", k, bad[k]);
            ok = false;
        }
    cudaFree(drgb);
    cudaFree(dg);
    cudaFree(dm);
    cudaFree(deq);
    cudaFree(dn);
    cudaFree(dl);
    cudaFree(dbox);
    cudaFree(dbi);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
