// cuda::atomic, cuda::barrier and cuda::pipeline; main checks the host side of the atomics.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/bit>
#include <cuda/std/concepts>
#include <cuda/std/span>

__device__ cuda::atomic<int, cuda::thread_scope_device> ticket;

template <class T, cuda::thread_scope S> __device__ T every(T *p, T v)
{
    cuda::atomic_ref<T, S> a(*p);
    T old = a.load(cuda::memory_order_acquire);
    a.store(v, cuda::memory_order_release);
    old += a.exchange(v, cuda::memory_order_relaxed) + a.fetch_add(v) + a.fetch_sub(v, cuda::memory_order_acq_rel);
    if (a.compare_exchange_strong(old, v) || a.compare_exchange_weak(old, v, cuda::memory_order_acquire)) a = old;
    return old + a++ + ++a + (a += v);
}
template <class T, cuda::thread_scope S> __device__ T whole(T *p, T v)
{
    cuda::atomic_ref<T, S> a(*p);
    return every<T, S>(p, v) + a.fetch_min(v) + a.fetch_max(v) + a.fetch_and(v) + a.fetch_or(v) + a.fetch_xor(v);
}
template <cuda::thread_scope S>
__global__ void scopes(int *i, unsigned *u, long long *l, unsigned long long *ul, float *f, double *d)
{
    i[0] = whole<int, S>(i + 1, 2), u[0] = whole<unsigned, S>(u + 1, 2), l[0] = whole<long long, S>(l + 1, 2);
    ul[0] = whole<unsigned long long, S>(ul + 1, 2), f[0] = every<float, S>(f + 1, 2),
    d[0] = every<double, S>(d + 1, 2);
    i[2] = ticket.fetch_add(1, cuda::memory_order_relaxed) + ticket.load() + ticket++;
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, S);
}
template __global__ void scopes<cuda::thread_scope_system>(int *, unsigned *, long long *, unsigned long long *,
                                                           float *, double *);
template __global__ void scopes<cuda::thread_scope_device>(int *, unsigned *, long long *, unsigned long long *,
                                                           float *, double *);
template __global__ void scopes<cuda::thread_scope_block>(int *, unsigned *, long long *, unsigned long long *, float *,
                                                          double *);

// alignas behind other specifiers, of a constant, a type and a value that depends; where only declarations take it, too.
struct alignas(16) lined_up {
    alignas(8) char c;
    alignas(double) char d;
};
static_assert(sizeof(lined_up) == 16 && alignof(lined_up) == 16, "alignas");
template <class T, int N> __global__ void aligned(T *out)
{
    __shared__ alignas(128) T constant[3];
    __shared__ alignas(double) char type[8];
    static __shared__ alignas(N * sizeof(T)) T value[N];
    out[0] = constant[threadIdx.x] + (T)((size_t)constant & 127) + value[(size_t)type & 7];
}
template __global__ void aligned<float, 4>(float *);

__global__ void latches(int *out)
{
    __shared__ alignas(8) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ alignas(8) char more[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)];
    auto *l = (cuda::latch<cuda::thread_scope_block> *)room;
    auto *s = (cuda::binary_semaphore<cuda::thread_scope_block> *)more;
    if (threadIdx.x == 0)
        new (l) cuda::latch<cuda::thread_scope_block>(blockDim.x),
            new (s) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    __syncthreads();
    l->arrive_and_wait();
    s->acquire();
    out[0]++;
    s->release();
    ticket.notify_all();
    ticket.wait(-1, cuda::memory_order_acquire);
    auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
    out[1] = cooperative_groups::invoke_one_broadcast(tile, [] { return 5; });
}

__global__ void waits(const int4 *in, int4 *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int4 s[256];
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    block.sync();
    auto token = bar.arrive();
    bar.wait(static_cast<decltype(token) &&>(token));
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof s), bar);
    bar.arrive_and_wait();
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, 16, bar);
    bar.arrive_and_drop();
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(block, s, in, sizeof s, pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] = s[255 - threadIdx.x];
    pipe.consumer_release();
    auto own = cuda::make_pipeline();
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, 16, own);
    own.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(own);
}

int main()
{
    cuda::atomic<int> a(5);
    a += 3;
    a.fetch_max(20);
    int seen = 20;
    return !(a.compare_exchange_strong(seen, 7) && a.load() == 7 && a++ == 7 && --a == 7);
}
