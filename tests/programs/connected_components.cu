// Connected components of a random graph (hooking and pointer jumping), minimum spanning forest weight (Boruvka),
// triangles.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

__global__ void init(int *label, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) label[i] = i;
}

__global__ void hook(const int2 *edges, int m, int *label, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = label[edges[e].x], b = label[edges[e].y];
    if (a == b) return;
    *changed = 1;
    atomicMin(&label[max(a, b)], min(a, b));
}

__global__ void jump(int *label, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = label[i];
    while (l != label[l]) l = label[l];
    label[i] = l;
}

__global__ void lightest(const int2 *edges, const int *weight, int m, const int *label, unsigned long long *best) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = label[edges[e].x], b = label[edges[e].y];
    if (a == b) return;
    unsigned long long v = (unsigned long long)weight[e] << 32 | e;
    atomicMin(&best[a], v);
    atomicMin(&best[b], v);
}

__global__ void join(const int2 *edges, const int *weight, int n, const int *old, int *label,
                     const unsigned long long *best, char *taken, int *total, int *changed)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n || old[c] != c || best[c] == ~0ull) return;
    int e = (int)best[c], a = old[edges[e].x], b = old[edges[e].y], other = a == c ? b : a;
    if (best[other] == best[c] && c < other) return; // the pair chose the same edge: one of them adds it
    label[c] = other;
    taken[e] = 1;
    atomicAdd(total, weight[e]);
    *changed = 1;
}

int main() {
    const int n = 2000, m = 2600;
    std::vector<int2> edges(m);
    std::vector<int> weight(m), label(n), parent(n);
    for (int e = 0; e < m; e++) {
        edges[e] = make_int2(rand() % n, rand() % n);
        weight[e] = rand() % 1000;
    }
    auto find = [&](int v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    std::iota(parent.begin(), parent.end(), 0);
    for (auto &e : edges) {
        int a = find(e.x), b = find(e.y);
        if (a != b) parent[std::max(a, b)] = std::min(a, b);
    }
    int2 *de;
    int *dw, *dl, *dold, *dflags, flags[2] = {1, 0};
    unsigned long long *dbest;
    char *dtaken;
    cudaMalloc(&de, m * sizeof(int2));
    cudaMalloc(&dw, m * 4);
    cudaMalloc(&dl, n * 4);
    cudaMalloc(&dold, n * 4);
    cudaMalloc(&dflags, 8);
    cudaMalloc(&dbest, n * 8);
    cudaMalloc(&dtaken, m);
    cudaMemcpy(de, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(dw, weight.data(), m * 4, cudaMemcpyHostToDevice);
    const int B = 128, GN = (n + B - 1) / B, GM = (m + B - 1) / B;
    init<<<GN, B>>>(dl, n);
    int rounds = 0;
    while (flags[0] && rounds++ < 100) {
        cudaMemset(dflags, 0, 4);
        hook<<<GM, B>>>(de, m, dl, dflags);
        jump<<<GN, B>>>(dl, n);
        cudaMemcpy(flags, dflags, 4, cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(label.data(), dl, n * 4, cudaMemcpyDeviceToHost);
    bool ok = true;
    int components = 0;
    for (int i = 0; i < n; i++) {
        ok &= label[i] == find(i);
        components += label[i] == i;
    }
    printf("%d components in %d rounds\n", components, rounds);

    std::vector<int> order(m);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight[a] < weight[b]; });
    std::iota(parent.begin(), parent.end(), 0);
    int want = 0;
    for (int e : order) {
        int a = find(edges[e].x), b = find(edges[e].y);
        if (a != b) {
            parent[a] = b;
            want += weight[e];
        }
    }
    init<<<GN, B>>>(dl, n);
    cudaMemset(dflags, 0, 8);
    cudaMemset(dtaken, 0, m);
    flags[0] = 1;
    for (rounds = 0; flags[0] && rounds < 50; rounds++) {
        cudaMemset(dflags, 0, 4);
        cudaMemset(dbest, 0xff, n * 8);
        cudaMemcpy(dold, dl, n * 4, cudaMemcpyDeviceToDevice);
        lightest<<<GM, B>>>(de, dw, m, dold, dbest);
        join<<<GN, B>>>(de, dw, n, dold, dl, dbest, dtaken, dflags + 1, dflags);
        jump<<<GN, B>>>(dl, n);
        cudaMemcpy(flags, dflags, 8, cudaMemcpyDeviceToHost);
    }
    std::vector<char> taken(m);
    cudaMemcpy(taken.data(), dtaken, m, cudaMemcpyDeviceToHost);
    printf("forest of weight %d, expected %d\n", flags[1], want);
    ok &= flags[1] == want && std::count(taken.begin(), taken.end(), 1) == n - components &&
          cudaGetLastError() == cudaSuccess;
    cudaFree(de); cudaFree(dw); cudaFree(dl); cudaFree(dold); cudaFree(dflags); cudaFree(dbest); cudaFree(dtaken);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
