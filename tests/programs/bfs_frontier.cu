// Breadth-first search on a CSR graph: level-synchronous over all nodes, and with a frontier queue.
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

#define CUDA_CALL(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { printf("Error %s at %s:%d\n", \
    cudaGetErrorString(_e), __FILE__, __LINE__); return EXIT_FAILURE; } } while (0)

__global__ void bfs_level(const int *row, const int *col, int *dist, int level, bool *more, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && dist[v] == level) {
        for (int e = row[v]; e < row[v + 1]; e++) {
            int w = col[e];
            if (dist[w] == -1) {
                dist[w] = level + 1; // every writer writes the same
                *more = true;
            }
        }
    }
}

__global__ void bfs_queue(const int *row, const int *col, int *dist, const int *frontier, int frontier_size, int *next,
                          int *next_size, int level) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= frontier_size) return;
    int v = frontier[t];
    for (int e = row[v]; e < row[v + 1]; e++) {
        int w = col[e];
        if (atomicCAS(&dist[w], -1, level + 1) == -1) {
            int slot = atomicAdd(next_size, 1);
            next[slot] = w;
        }
    }
}

int main() {
    const int n = 3000;
    std::vector<std::vector<int>> adj(n);
    srand(1);
    for (int i = 0; i < n - 50; i++) // the last 50 stay unreachable
        for (int k = 0; k < 3; k++) {
            int j = (rand() % 4) ? (i + rand() % 40) % (n - 50) : rand() % (n - 50);
            adj[i].push_back(j);
            adj[j].push_back(i);
        }
    std::vector<int> row(n + 1, 0), col, want(n, -1), got(n);
    for (int i = 0; i < n; i++) {
        for (int j : adj[i]) col.push_back(j);
        row[i + 1] = (int)col.size();
    }
    std::queue<int> q;
    q.push(0);
    want[0] = 0;
    while (!q.empty()) {
        int v = q.front();
        q.pop();
        for (int w : adj[v])
            if (want[w] < 0) {
                want[w] = want[v] + 1;
                q.push(w);
            }
    }
    int *d_row, *d_col, *d_dist, *d_f0, *d_f1, *d_size;
    bool *d_more, more = true;
    CUDA_CALL(cudaMalloc(&d_row, row.size() * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_col, col.size() * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_dist, n * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_f0, n * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_f1, n * sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_size, sizeof(int)));
    CUDA_CALL(cudaMalloc(&d_more, sizeof(bool)));
    CUDA_CALL(cudaMemcpy(d_row, row.data(), row.size() * sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMemcpy(d_col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice));

    int zero = 0, levels = 0;
    CUDA_CALL(cudaMemset(d_dist, 0xff, n * sizeof(int)));
    CUDA_CALL(cudaMemcpy(d_dist, &zero, sizeof(int), cudaMemcpyHostToDevice));
    for (; more; levels++) {
        CUDA_CALL(cudaMemset(d_more, 0, sizeof(bool)));
        bfs_level<<<(n + 255) / 256, 256>>>(d_row, d_col, d_dist, levels, d_more, n);
        CUDA_CALL(cudaMemcpy(&more, d_more, sizeof(bool), cudaMemcpyDeviceToHost));
    }
    CUDA_CALL(cudaMemcpy(got.data(), d_dist, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;

    int size = 1;
    CUDA_CALL(cudaMemset(d_dist, 0xff, n * sizeof(int)));
    CUDA_CALL(cudaMemcpy(d_dist, &zero, sizeof(int), cudaMemcpyHostToDevice));
    CUDA_CALL(cudaMemcpy(d_f0, &zero, sizeof(int), cudaMemcpyHostToDevice));
    for (int level = 0; size > 0; level++) {
        CUDA_CALL(cudaMemset(d_size, 0, sizeof(int)));
        bfs_queue<<<(size + 127) / 128, 128>>>(d_row, d_col, d_dist, d_f0, size, d_f1, d_size, level);
        CUDA_CALL(cudaMemcpy(&size, d_size, sizeof(int), cudaMemcpyDeviceToHost));
        std::swap(d_f0, d_f1);
    }
    CUDA_CALL(cudaMemcpy(got.data(), d_dist, n * sizeof(int), cudaMemcpyDeviceToHost));
    ok = ok && got == want;
    printf("%d levels\n%s\n", levels, ok ? "PASS" : "FAIL");
    cudaFree(d_row);
    cudaFree(d_col);
    cudaFree(d_dist);
    cudaFree(d_f0);
    cudaFree(d_f1);
    cudaFree(d_size);
    cudaFree(d_more);
    return !ok;
}
