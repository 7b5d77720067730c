// Thrust: host and device vectors, sort, reduce, scan, transform, count, unique, fill, sequence, raw pointers.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

struct saxpy_functor {
    const float a;
    saxpy_functor(float a) : a(a) {}
    __host__ __device__ float operator()(const float &x, const float &y) const { return a * x + y; }
};

struct is_even {
    __host__ __device__ bool operator()(int x) const { return (x & 1) == 0; }
};

__global__ void add_one(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i]++;
}

int main() {
    const int n = 5000;
    bool ok = true;
    thrust::host_vector<int> h(n);
    for (int i = 0; i < n; i++) h[i] = rand() % 1000;
    thrust::device_vector<int> d = h;

    thrust::sort(d.begin(), d.end());
    thrust::host_vector<int> sorted = h;
    std::sort(sorted.begin(), sorted.end());
    ok &= thrust::host_vector<int>(d) == sorted;
    if (!ok) printf("sort\n");

    int sum = thrust::reduce(d.begin(), d.end(), 0, thrust::plus<int>());
    int want = 0;
    for (int v : h) want += v;
    ok &= sum == want;
    int biggest = *thrust::max_element(d.begin(), d.end());
    ok &= biggest == sorted[n - 1];
    ok &= thrust::count_if(d.begin(), d.end(), is_even()) == std::count_if(h.begin(), h.end(), is_even());
    if (!ok) printf("reduce\n");

    thrust::device_vector<int> in = h, out(n);
    thrust::exclusive_scan(in.begin(), in.end(), out.begin(), 7);
    thrust::host_vector<int> ho = out;
    int running = 7;
    for (int i = 0; i < n; i++) {
        ok &= ho[i] == running;
        running += h[i];
    }
    thrust::inclusive_scan(in.begin(), in.end(), out.begin(), thrust::maximum<int>());
    ho = out;
    running = 0;
    for (int i = 0; i < n; i++) {
        running = std::max(running, (int)h[i]);
        ok &= ho[i] == running;
    }
    if (!ok) printf("scan\n");

    thrust::device_vector<float> x(n), y(n, 1.5f);
    thrust::sequence(x.begin(), x.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy_functor(2.0f));
    ok &= y[0] == 1.5f && y[n - 1] == 2.0f * (n - 1) + 1.5f;
    thrust::fill(x.begin() + 10, x.begin() + 20, -1.0f);
    ok &= x[9] == 9 && x[10] == -1 && x[19] == -1 && x[20] == 20;

    auto end = thrust::unique(d.begin(), d.end());
    auto hend = std::unique(sorted.begin(), sorted.end());
    ok &= end - d.begin() == hend - sorted.begin();
    add_one<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(in.data()), n);
    ok &= in[17] == h[17] + 1;
    d.resize(3);
    d.push_back(99);
    ok &= d.size() == 4 && d[3] == 99;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
