// k nearest neighbours: distance matrix with shared tiles, then insertion into a sorted list per query in registers.
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define DIM 8
#define KNN 4
#define TILE 16

__global__ void distances(const float *query, const float *ref, float *dist, int nq, int nr) {
    __shared__ float q[TILE][DIM + 1], r[TILE][DIM + 1];
    int tx = threadIdx.x, ty = threadIdx.y, j = blockIdx.x * TILE + tx, i = blockIdx.y * TILE + ty;
    if (tx < DIM) {
        q[ty][tx] = i < nq ? query[i * DIM + tx] : 0;
        int jr = blockIdx.x * TILE + ty;
        r[ty][tx] = jr < nr ? ref[jr * DIM + tx] : 0;
    }
    __syncthreads();
    float d = 0;
#pragma unroll
    for (int k = 0; k < DIM; k++) {
        float diff = q[ty][k] - r[tx][k];
        d += diff * diff;
    }
    if (i < nq && j < nr) dist[i * nr + j] = d;
}

__global__ void select_k(const float *dist, int *index, int nq, int nr) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nq) return;
    float best[KNN];
    int arg[KNN];
    for (int k = 0; k < KNN; k++) {
        best[k] = FLT_MAX;
        arg[k] = -1;
    }
    for (int j = 0; j < nr; j++) {
        float d = dist[i * nr + j];
        if (d >= best[KNN - 1]) continue;
        int k = KNN - 1;
        for (; k > 0 && best[k - 1] > d; k--) {
            best[k] = best[k - 1];
            arg[k] = arg[k - 1];
        }
        best[k] = d;
        arg[k] = j;
    }
    for (int k = 0; k < KNN; k++) index[i * KNN + k] = arg[k];
}

int main() {
    const int nq = 100, nr = 333;
    std::vector<float> q(nq * DIM), r(nr * DIM);
    for (auto &v : q) v = rand() % 50;
    for (auto &v : r) v = rand() % 50;
    float *dq, *dr, *dd;
    int *di;
    cudaMalloc(&dq, q.size() * 4);
    cudaMalloc(&dr, r.size() * 4);
    cudaMalloc(&dd, nq * nr * 4);
    cudaMalloc(&di, nq * KNN * 4);
    cudaMemcpy(dq, q.data(), q.size() * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dr, r.data(), r.size() * 4, cudaMemcpyHostToDevice);
    distances<<<dim3((nr + TILE - 1) / TILE, (nq + TILE - 1) / TILE), dim3(TILE, TILE)>>>(dq, dr, dd, nq, nr);
    select_k<<<(nq + 63) / 64, 64>>>(dd, di, nq, nr);
    std::vector<int> got(nq * KNN);
    cudaMemcpy(got.data(), di, got.size() * 4, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < nq && ok; i++) {
        std::vector<std::pair<float, int>> all(nr);
        for (int j = 0; j < nr; j++) {
            float d = 0;
            for (int k = 0; k < DIM; k++) d += (q[i * DIM + k] - r[j * DIM + k]) * (q[i * DIM + k] - r[j * DIM + k]);
            all[j] = {d, j};
        }
        std::sort(all.begin(), all.end());
        for (int k = 0; k < KNN; k++) ok &= all[k].second == got[i * KNN + k];
    }
    cudaFree(dq); cudaFree(dr); cudaFree(dd); cudaFree(di);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
