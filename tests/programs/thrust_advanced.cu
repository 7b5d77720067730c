// nvcc: --extended-lambda
// Thrust: sort_by_key, reduce_by_key, zip, permutation, counting and transform iterators, stable sort, set operations.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

int main() {
    const int n = 3000;
    bool ok = true;
    thrust::host_vector<int> keys(n), values(n);
    std::map<int, int> sums;
    for (int i = 0; i < n; i++) {
        keys[i] = rand() % 50;
        values[i] = i;
        sums[keys[i]] += i;
    }
    thrust::device_vector<int> dk = keys, dv = values;
    thrust::stable_sort_by_key(dk.begin(), dk.end(), dv.begin(), thrust::greater<int>());
    thrust::host_vector<int> hk = dk, hv = dv;
    for (int i = 1; i < n; i++) ok &= hk[i - 1] > hk[i] || (hk[i - 1] == hk[i] && hv[i - 1] < hv[i]);
    for (int i = 0; i < n; i++) ok &= keys[hv[i]] == hk[i];
    if (!ok) printf("sort by key\n");

    thrust::device_vector<int> rk(n), rv(n);
    auto ends = thrust::reduce_by_key(dk.begin(), dk.end(), dv.begin(), rk.begin(), rv.begin());
    int groups = ends.first - rk.begin();
    ok &= groups == (int)sums.size();
    for (int g = 0; g < groups; g++) ok &= sums[rk[g]] == rv[g];
    if (!ok) printf("reduce by key\n");

    long long squares = thrust::transform_reduce(
        thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(1000),
        [] __host__ __device__(int i) { return (long long)i * i; }, 0LL, thrust::plus<long long>());
    ok &= squares == 332833500;
    thrust::device_vector<float> a(n, 0.5f), b(n);
    thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(n), b.begin(),
                      [] __device__(int i) { return (float)(i % 8); });
    float dot = thrust::inner_product(a.begin(), a.end(), b.begin(), 0.0f);
    ok &= dot == n / 8 * 28 * 0.5f;

    thrust::device_vector<float> c(n);
    thrust::for_each(thrust::device, thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin(), c.begin())),
                     thrust::make_zip_iterator(thrust::make_tuple(a.end(), b.end(), c.end())),
                     [] __device__(thrust::tuple<float &, float &, float &> t) {
                         thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t) * 2;
                     });
    ok &= c[5] == 10.5f && c[8] == 0.5f;

    thrust::device_vector<int> map(100);
    for (int i = 0; i < 100; i++) map[i] = (i * 37) % n;
    int permuted = thrust::reduce(thrust::make_permutation_iterator(dv.begin(), map.begin()),
                                  thrust::make_permutation_iterator(dv.begin(), map.end()));
    int want = 0;
    for (int i = 0; i < 100; i++) want += hv[(i * 37) % n];
    ok &= permuted == want;
    thrust::device_vector<int> gathered(100);
    thrust::gather(map.begin(), map.end(), dv.begin(), gathered.begin());
    ok &= gathered[3] == hv[111];
    if (!ok) printf("iterators\n");

    thrust::device_vector<int> s1(300), s2(200), both(300);
    thrust::sequence(s1.begin(), s1.end(), 0, 2);
    thrust::sequence(s2.begin(), s2.end(), 0, 3);
    auto e = thrust::set_intersection(s1.begin(), s1.end(), s2.begin(), s2.end(), both.begin());
    ok &= e - both.begin() == 100 && both[99] == 594;
    auto mid = thrust::partition(s1.begin(), s1.end(), [] __device__(int v) { return v % 3 == 0; });
    ok &= mid - s1.begin() == 100;
    int below = thrust::count_if(s1.begin(), mid, [] __device__(int v) { return v % 3 != 0; });
    ok &= below == 0;
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
