// Atomics of a warp take effect lane by lane, in lane order, whether the lanes name one word or several: old values and
// results against a loop on the CPU. In many blocks, so that host threads take part.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e = (x); if (e) { printf("%d %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

enum { BLOCKS = 64, ROUNDS = 3, WORDS = 8 };
typedef unsigned long long u64;
typedef long long s64;

struct Add { template <class T> __device__ static T on(T *p, T v, T) { return atomicAdd(p, v); } template <class T> static T next(T o, T v, T) { return o + v; } };
struct Min { template <class T> __device__ static T on(T *p, T v, T) { return atomicMin(p, v); } template <class T> static T next(T o, T v, T) { return v < o ? v : o; } };
struct Max { template <class T> __device__ static T on(T *p, T v, T) { return atomicMax(p, v); } template <class T> static T next(T o, T v, T) { return v > o ? v : o; } };
struct And { template <class T> __device__ static T on(T *p, T v, T) { return atomicAnd(p, v); } template <class T> static T next(T o, T v, T) { return o & v; } };
struct Or { template <class T> __device__ static T on(T *p, T v, T) { return atomicOr(p, v); } template <class T> static T next(T o, T v, T) { return o | v; } };
struct Xor { template <class T> __device__ static T on(T *p, T v, T) { return atomicXor(p, v); } template <class T> static T next(T o, T v, T) { return o ^ v; } };
struct Exch { template <class T> __device__ static T on(T *p, T v, T) { return atomicExch(p, v); } template <class T> static T next(T, T v, T) { return v; } };
struct Cas { template <class T> __device__ static T on(T *p, T v, T s) { return atomicCAS(p, v, s); } template <class T> static T next(T o, T v, T s) { return o == v ? s : o; } };
struct Inc { template <class T> __device__ static T on(T *p, T v, T) { return atomicInc(p, v); } template <class T> static T next(T o, T v, T) { return o >= v ? 0 : o + 1; } };
struct Dec { template <class T> __device__ static T on(T *p, T v, T) { return atomicDec(p, v); } template <class T> static T next(T o, T v, T) { return o == 0 || o > v ? v : o - 1; } };

// words: how many words the lanes share; lanes: those that take part; shared: in shared memory
template <class Op, class T> __global__ void update(T *memory, const T *value, const T *swap, T *old, int words, unsigned lanes, bool shared)
{
    __shared__ T local[WORDS];
    int l = threadIdx.x;
    T *at = memory + blockIdx.x * WORDS;
    if (l < WORDS) local[l] = at[l];
    __syncthreads();
    for (int r = 0; r < ROUNDS; r++) {
        int k = (blockIdx.x * ROUNDS + r) * 32 + l;
        if (lanes >> l & 1) old[k] = shared ? Op::template on<T>(&local[l * 5 % words], value[k], swap[k]) : Op::template on<T>(&at[l * 5 % words], value[k], swap[k]);
        __syncwarp();
    }
    __syncthreads();
    if (shared && l < WORDS) at[l] = local[l];
}

static unsigned seed = 1;
static unsigned draw() { return (seed = seed * 1664525u + 1013904223u) >> 8; }
template <class T> static T number() { return (T)((s64)(draw() % 41) - 20); }
template <> float number<float>() { return draw() % 64 ? ((int)(draw() % 2000) - 1000) * 0.3f : ((draw() & 1) ? INFINITY : -INFINITY); }
template <> double number<double>() { return ((int)(draw() % 2000) - 1000) * 0.3; }
// one NaN is as good as another
template <class T> static bool same(T a, T b) { return !memcmp(&a, &b, sizeof a) || (a != a && b != b); }

template <class Op, class T> static int test(const char *name)
{
    const int n = BLOCKS * ROUNDS * 32, m = BLOCKS * WORDS;
    static T memory[m], value[n], swap[n], old[n], want[n], left[m];
    T *dm, *dv, *ds, *dold;
    int bad = 0;
    CK(cudaMalloc(&dm, sizeof memory)); CK(cudaMalloc(&dv, sizeof value)); CK(cudaMalloc(&ds, sizeof swap)); CK(cudaMalloc(&dold, sizeof old));
    for (int variant = 0; variant < 12; variant++) {
        int words = variant % 3 == 0 ? 1 : variant % 3 == 1 ? 3 : WORDS;
        unsigned lanes = variant / 3 % 2 ? 0xa5f0137eu : ~0u;
        bool shared = variant / 6;
        for (int k = 0; k < m; k++) memory[k] = number<T>();
        for (int k = 0; k < n; k++) { value[k] = number<T>(); swap[k] = number<T>(); want[k] = old[k] = 0; }
        CK(cudaMemcpy(dm, memory, sizeof memory, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dv, value, sizeof value, cudaMemcpyHostToDevice));
        CK(cudaMemcpy(ds, swap, sizeof swap, cudaMemcpyHostToDevice)); CK(cudaMemset(dold, 0, sizeof old));
        update<Op, T><<<BLOCKS, 32>>>(dm, dv, ds, dold, words, lanes, shared);
        CK(cudaMemcpy(old, dold, sizeof old, cudaMemcpyDeviceToHost)); CK(cudaMemcpy(left, dm, sizeof left, cudaMemcpyDeviceToHost));
        for (int k = 0; k < n; k++) {
            T *p = &memory[k / (ROUNDS * 32) * WORDS + k % 32 * 5 % words];
            if (!(lanes >> k % 32 & 1)) continue;
            want[k] = *p;
            *p = Op::template next<T>(*p, value[k], swap[k]);
        }
        for (int k = 0; k < n; k++) bad += !same(old[k], want[k]);
        for (int k = 0; k < m; k++) bad += !same(left[k], memory[k]);
    }
    cudaFree(dm); cudaFree(dv); cudaFree(ds); cudaFree(dold);
    if (bad) printf("%s: %d wrong\n", name, bad);
    return bad;
}
#define TEST(op, T) bad += test<op, T>(#op " of " #T)
int main()
{
    int bad = 0;
    TEST(Add, int); TEST(Add, unsigned); TEST(Add, u64); TEST(Add, float); TEST(Add, double);
    TEST(Min, int); TEST(Min, unsigned); TEST(Min, u64); TEST(Min, s64); TEST(Max, int); TEST(Max, unsigned); TEST(Max, u64); TEST(Max, s64);
    TEST(And, unsigned); TEST(And, u64); TEST(Or, unsigned); TEST(Or, u64); TEST(Xor, unsigned); TEST(Xor, u64);
    TEST(Exch, int); TEST(Exch, u64); TEST(Exch, float); TEST(Cas, unsigned); TEST(Cas, u64); TEST(Inc, unsigned); TEST(Dec, unsigned);
    puts(bad ? "FAIL" : "PASS");
    return bad != 0;
}
