// Bottom-up merge sort with merge path: each thread finds its part of the output by binary search.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define ITEMS 8

template <typename T>
__device__ int merge_path(const T *a, int na, const T *b, int nb, int diag) {
    int lo = max(0, diag - nb), hi = min(diag, na);
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (a[mid] <= b[diag - 1 - mid]) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

template <typename T>
__global__ void merge_pass(const T *in, T *out, int n, int width) {
    long long first = (long long)(blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (first >= n) return;
    int pair = first / (2 * width) * (2 * width);
    int a0 = pair, a1 = min(pair + width, n), b1 = min(pair + 2 * width, n);
    const T *a = in + a0, *b = in + a1;
    int na = a1 - a0, nb = b1 - a1, diag = first - pair;
    int i = merge_path(a, na, b, nb, diag), j = diag - i;
    for (int k = 0; k < ITEMS && first + k < b1; k++) {
        bool take_a = j >= nb || (i < na && a[i] <= b[j]);
        out[first + k] = take_a ? a[i++] : b[j++];
    }
}

template <typename T>
__global__ void sort_small(T *data, int n) {
    int base = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
    if (base >= n) return;
    T v[ITEMS];
    int m = min(ITEMS, n - base);
    for (int k = 0; k < m; k++) {
        T x = data[base + k];
        int p = k;
        while (p > 0 && v[p - 1] > x) {
            v[p] = v[p - 1];
            p--;
        }
        v[p] = x;
    }
    for (int k = 0; k < m; k++) data[base + k] = v[k];
}

template <typename T> bool test(int n) {
    std::vector<T> h(n), out(n);
    for (auto &x : h) x = (T)(rand() % 10000) / (T)3;
    T *a, *b;
    cudaMalloc(&a, n * sizeof(T));
    cudaMalloc(&b, n * sizeof(T));
    cudaMemcpy(a, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    int threads = (n + ITEMS - 1) / ITEMS, grid = (threads + 127) / 128;
    sort_small<<<grid, 128>>>(a, n);
    for (int width = ITEMS; width < n; width *= 2) {
        merge_pass<<<grid, 128>>>(a, b, n, width);
        std::swap(a, b);
    }
    cudaMemcpy(out.data(), a, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
    std::sort(h.begin(), h.end());
    bool ok = cudaGetLastError() == cudaSuccess && out == h;
    printf("n = %d: %s\n", n, ok ? "sorted" : "WRONG");
    return ok;
}

int main() {
    bool ok = test<int>(10000) & test<float>(777) & test<double>(4096) & test<short>(1) & test<long long>(1025);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
