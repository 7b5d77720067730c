// Names of cuda::std: the host's constexpr library in device code, atomics of the system's scope.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

template <class T, class F> __device__ T fold(const cuda::std::array<T, 4> &a, F f)
{
    T r = a[0];
    for (cuda::std::size_t i = 1; i < a.size(); i++) r = f(r, a[i]);
    return r;
}

__device__ cuda::std::optional<int> positive(int x)
{
    if (x > 0) return x;
    return cuda::std::nullopt;
}

__global__ void use(cuda::std::uint32_t *out, cuda::std::atomic<int> *count, float x)
{
    static_assert(cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int>, "type_traits");
    cuda::std::array<unsigned, 4> a = {1, 2, 3, threadIdx.x};
    cuda::std::tuple<int, float> t(3, cuda::std::sqrt(x));
    auto p = cuda::std::make_pair(cuda::std::get<0>(t), cuda::std::get<1>(t));
    a[0] += positive((int)threadIdx.x).value_or(7);
    out[threadIdx.x] = fold(a, cuda::std::plus<unsigned>()) + (unsigned)p.first + (unsigned)p.second;
    out[threadIdx.x] += cuda::std::numeric_limits<unsigned short>::max();
    cuda::std::atomic_thread_fence(cuda::std::memory_order_acq_rel);
    count->fetch_add(1, cuda::std::memory_order_relaxed);
    cuda::std::atomic_ref<unsigned>(out[0]).store(5, cuda::memory_order_release);
}

int wait_for(cuda::std::atomic<int> *count) { return count->load(cuda::memory_order_acquire); }
