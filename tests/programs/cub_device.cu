// CUB device-wide calls with the two-phase temporary storage: reduce, scan, radix sort, select, histogram, run-length.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

template <class F> void with_temp(F f) {
    void *temp = nullptr;
    size_t bytes = 0;
    f(temp, bytes);
    cudaMalloc(&temp, bytes);
    f(temp, bytes);
    cudaFree(temp);
}

struct LessThan {
    int limit;
    __host__ __device__ bool operator()(int v) const { return v < limit; }
};

int main() {
    const int n = 6000;
    std::vector<int> h(n), out(n);
    for (auto &v : h) v = rand() % 500;
    int *in, *res, *vals_in, *vals_out, *count;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&res, n * 4);
    cudaMalloc(&vals_in, n * 4);
    cudaMalloc(&vals_out, n * 4);
    cudaMalloc(&count, n * 4);
    cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
    bool ok = true;
    int value;

    with_temp([&](void *t, size_t &b) { cub::DeviceReduce::Sum(t, b, in, res, n); });
    cudaMemcpy(&value, res, 4, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : h) sum += v;
    ok &= value == sum;
    with_temp([&](void *t, size_t &b) { cub::DeviceReduce::Max(t, b, in, res, n); });
    cudaMemcpy(&value, res, 4, cudaMemcpyDeviceToHost);
    ok &= value == *std::max_element(h.begin(), h.end());
    if (!ok) printf("reduce\n");

    with_temp([&](void *t, size_t &b) { cub::DeviceScan::ExclusiveSum(t, b, in, res, n); });
    cudaMemcpy(out.data(), res, n * 4, cudaMemcpyDeviceToHost);
    for (int i = 0, s = 0; i < n; s += h[i++]) ok &= out[i] == s;
    if (!ok) printf("scan\n");

    for (int i = 0; i < n; i++) out[i] = i;
    cudaMemcpy(vals_in, out.data(), n * 4, cudaMemcpyHostToDevice);
    with_temp([&](void *t, size_t &b) { cub::DeviceRadixSort::SortPairs(t, b, in, res, vals_in, vals_out, n); });
    std::vector<int> k(n), v(n), sorted = h;
    cudaMemcpy(k.data(), res, n * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(v.data(), vals_out, n * 4, cudaMemcpyDeviceToHost);
    std::stable_sort(sorted.begin(), sorted.end());
    ok &= k == sorted;
    for (int i = 0; i < n; i++) ok &= h[v[i]] == k[i] && (i == 0 || k[i - 1] < k[i] || v[i - 1] < v[i]);
    if (!ok) printf("sort\n");

    // run lengths of the sorted keys
    int *lengths = vals_in, *unique = vals_out;
    with_temp([&](void *t, size_t &b) { cub::DeviceRunLengthEncode::Encode(t, b, res, unique, lengths, count, n); });
    int runs;
    cudaMemcpy(&runs, count, 4, cudaMemcpyDeviceToHost);
    std::vector<int> u(runs), l(runs);
    cudaMemcpy(u.data(), unique, runs * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(l.data(), lengths, runs * 4, cudaMemcpyDeviceToHost);
    for (int r = 0; r < runs; r++) ok &= l[r] == (int)std::count(h.begin(), h.end(), u[r]);
    if (!ok) printf("run length\n");

    with_temp([&](void *t, size_t &b) { cub::DeviceSelect::If(t, b, in, res, count, n, LessThan{100}); });
    int kept;
    cudaMemcpy(&kept, count, 4, cudaMemcpyDeviceToHost);
    std::vector<int> want, got(kept);
    for (int x : h)
        if (x < 100) want.push_back(x);
    cudaMemcpy(got.data(), res, kept * 4, cudaMemcpyDeviceToHost);
    ok &= got == want;
    if (!ok) printf("select\n");

    with_temp([&](void *t, size_t &b) { cub::DeviceHistogram::HistogramEven(t, b, in, count, 11, 0, 500, n); });
    int bins[10];
    cudaMemcpy(bins, count, sizeof bins, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 10; i++)
        ok &= bins[i] == (int)std::count_if(h.begin(), h.end(), [&](int x) { return x / 50 == i; });
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(in); cudaFree(res); cudaFree(vals_in); cudaFree(vals_out); cudaFree(count);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
