// Flash-style attention: tiles of K and V in shared memory, running maximum and sum, causal mask.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <int D, int BR, int BC>
__global__ void attention(const float *Q, const float *K, const float *V, float *O, int n, float scale) {
    extern __shared__ float smem[];
    float *k = smem, *v = smem + BC * (D + 1);
    int head = blockIdx.y, row = blockIdx.x * BR + threadIdx.x;
    const float *q = Q + ((size_t)head * n + row) * D;
    float qr[D], acc[D], m = -INFINITY, l = 0;
#pragma unroll
    for (int d = 0; d < D; d++) {
        qr[d] = row < n ? q[d] * scale : 0;
        acc[d] = 0;
    }
    int last = min(n, (int)(blockIdx.x + 1) * BR); // causal: no tile behind the block's last row
    for (int base = 0; base < last; base += BC) {
        for (int i = threadIdx.x; i < BC * D; i += BR) {
            int r = base + i / D;
            k[(i / D) * (D + 1) + i % D] = r < n ? K[((size_t)head * n + r) * D + i % D] : 0;
            v[i] = r < n ? V[((size_t)head * n + r) * D + i % D] : 0;
        }
        __syncthreads();
        for (int j = 0; j < BC && base + j <= row; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < D; d++) s += qr[d] * k[j * (D + 1) + d];
            float m2 = fmaxf(m, s), correction = __expf(m - m2), p = __expf(s - m2);
            l = l * correction + p;
#pragma unroll
            for (int d = 0; d < D; d++) acc[d] = acc[d] * correction + p * v[j * D + d];
            m = m2;
        }
        __syncthreads();
    }
    if (row < n)
        for (int d = 0; d < D; d++) O[((size_t)head * n + row) * D + d] = acc[d] / l;
}

int main() {
    const int heads = 2, n = 70, D = 16, BR = 32, BC = 16;
    size_t size = heads * n * D;
    std::vector<float> q(size), k(size), v(size), o(size);
    for (auto *p : {&q, &k, &v})
        for (auto &x : *p) x = (rand() % 2001 - 1000) / 500.0f;
    float *dq, *dk, *dv, *dout;
    for (float **p : {&dq, &dk, &dv, &dout}) cudaMalloc(p, size * 4);
    cudaMemcpy(dq, q.data(), size * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), size * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dv, v.data(), size * 4, cudaMemcpyHostToDevice);
    float scale = 1 / sqrtf(D);
    attention<D, BR, BC>
        <<<dim3((n + BR - 1) / BR, heads), BR, (BC * (D + 1) + BC * D) * sizeof(float)>>>(dq, dk, dv, dout, n, scale);
    cudaMemcpy(o.data(), dout, size * 4, cudaMemcpyDeviceToHost);
    int bad = cudaGetLastError() != cudaSuccess;
    for (int h = 0; h < heads; h++)
        for (int i = 0; i < n; i++) {
            std::vector<double> w(i + 1);
            double m = -1e30, sum = 0;
            for (int j = 0; j <= i; j++) {
                w[j] = 0;
                for (int d = 0; d < D; d++) w[j] += (double)q[(h * n + i) * D + d] * k[(h * n + j) * D + d] * scale;
                m = fmax(m, w[j]);
            }
            for (auto &x : w) sum += x = exp(x - m);
            for (int d = 0; d < D; d++) {
                double want = 0;
                for (int j = 0; j <= i; j++) want += w[j] / sum * v[(h * n + j) * D + d];
                bad += !(fabs(want - o[(h * n + i) * D + d]) < 1e-4);
            }
        }
    for (float *p : {dq, dk, dv, dout}) cudaFree(p);
    printf(bad ? "%d wrong\nFAIL\n" : "PASS\n", bad);
    return bad != 0;
}
