// Single-source shortest paths: Bellman-Ford over edges with atomicMin until nothing changes.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Edge { int from, to, weight; };

__global__ void relax(const Edge *edges, int m, int *dist, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    Edge ed = edges[e];
    int d = dist[ed.from];
    if (d == INT_MAX) return;
    if (d + ed.weight < dist[ed.to]) {
        if (atomicMin(&dist[ed.to], d + ed.weight) > d + ed.weight)
            atomicExch(changed, 1);
    }
}

__global__ void fill(int *p, int n, int v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = v;
}

int main() {
    const int n = 800, m = 5000;
    std::vector<Edge> edges(m);
    for (auto &e : edges) e = {rand() % n, rand() % n, rand() % 90 + 1};
    std::vector<int> want(n, INT_MAX), got(n);
    want[3] = 0;
    for (bool again = true; again;) {
        again = false;
        for (auto &e : edges)
            if (want[e.from] != INT_MAX && want[e.from] + e.weight < want[e.to]) {
                want[e.to] = want[e.from] + e.weight;
                again = true;
            }
    }
    Edge *d_edges;
    int *d_dist, *d_changed, changed, rounds = 0, zero = 0;
    cudaMalloc(&d_edges, m * sizeof(Edge));
    cudaMalloc(&d_dist, n * sizeof(int));
    cudaMalloc(&d_changed, sizeof(int));
    cudaMemcpy(d_edges, edges.data(), m * sizeof(Edge), cudaMemcpyHostToDevice);
    fill<<<(n + 127) / 128, 128>>>(d_dist, n, INT_MAX);
    cudaMemcpy(d_dist + 3, &zero, sizeof(int), cudaMemcpyHostToDevice);
    do {
        cudaMemset(d_changed, 0, sizeof(int));
        relax<<<(m + 127) / 128, 128>>>(d_edges, m, d_dist, d_changed);
        cudaMemcpy(&changed, d_changed, sizeof(int), cudaMemcpyDeviceToHost);
    } while (changed && ++rounds < n);
    cudaMemcpy(got.data(), d_dist, n * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && got == want;
    cudaFree(d_edges);
    cudaFree(d_dist);
    cudaFree(d_changed);
    printf("%d rounds\n%s\n", rounds, ok ? "PASS" : "FAIL");
    return !ok;
}
