// Longest common subsequence by anti-diagonals: one launch a diagonal, and one block with three rolling diagonals.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

__global__ void diagonal(const char *a, const char *b, int *table, int n, int m, int d) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    int j = d - i;
    if (i > n || j < 1 || j > m) return;
    int w = m + 1;
    if (a[i - 1] == b[j - 1])
        table[i * w + j] = table[(i - 1) * w + j - 1] + 1;
    else
        table[i * w + j] = max(table[(i - 1) * w + j], table[i * w + j - 1]);
}

__global__ void one_block(const char *a, const char *b, int n, int m, int *result) {
    extern __shared__ int diag[];
    int *d0 = diag, *d1 = diag + n + 1, *d2 = diag + 2 * (n + 1);
    for (int i = threadIdx.x; i < 3 * (n + 1); i += blockDim.x) diag[i] = 0;
    __syncthreads();
    for (int d = 2; d <= n + m; d++) {
        for (int i = threadIdx.x; i <= n; i += blockDim.x) {
            int j = d - i, v = 0;
            if (i >= 1 && j >= 1 && j <= m) {
                if (a[i - 1] == b[j - 1]) v = d0[i - 1] + 1;
                else v = max(d1[i - 1], d1[i]);
            }
            d2[i] = v;
        }
        __syncthreads();
        int *t = d0;
        d0 = d1;
        d1 = d2;
        d2 = t;
    }
    if (threadIdx.x == 0) *result = d1[n];
}

int main() {
    std::string a, b;
    for (int i = 0; i < 220; i++) a += "ACGT"[rand() % 4];
    for (int i = 0; i < 170; i++) b += "ACGT"[rand() % 4];
    int n = a.size(), m = b.size();
    std::vector<int> t((n + 1) * (m + 1), 0), got(t.size());
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++)
            t[i * (m + 1) + j] = a[i - 1] == b[j - 1] ? t[(i - 1) * (m + 1) + j - 1] + 1
                                                      : std::max(t[(i - 1) * (m + 1) + j], t[i * (m + 1) + j - 1]);
    char *da, *db;
    int *dt, *dr, r;
    cudaMalloc(&da, n);
    cudaMalloc(&db, m);
    cudaMalloc(&dt, t.size() * sizeof(int));
    cudaMalloc(&dr, sizeof(int));
    cudaMemcpy(da, a.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), m, cudaMemcpyHostToDevice);
    cudaMemset(dt, 0, t.size() * sizeof(int));
    for (int d = 2; d <= n + m; d++) diagonal<<<(n + 127) / 128, 128>>>(da, db, dt, n, m, d);
    one_block<<<1, 128, 3 * (n + 1) * sizeof(int)>>>(da, db, n, m, dr);
    cudaMemcpy(got.data(), dt, t.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(&r, dr, sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && got == t && r == t.back();
    printf("LCS of %d and %d letters: %d\n%s\n", n, m, r, ok ? "PASS" : "FAIL");
    cudaFree(da); cudaFree(db); cudaFree(dt); cudaFree(dr);
    return !ok;
}
