// Cooperative groups and barriers as the samples show them: binary and labelled partitions, warp-aggregated atomics, group
// reductions and scans, cuda::barrier with arrive and wait, asynchronous copies to shared memory by a pipeline of stages,
// block votes, objects with new and delete, placement new and virtual calls in device code.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <new>
namespace cg = cooperative_groups;
__global__ void oddEven(const int *in, int *odd, int *sumOdd, int *sumEven, unsigned n) {
    cg::thread_block cta = cg::this_thread_block(); cg::grid_group grid = cg::this_grid(); auto tile = cg::tiled_partition<32>(cta);
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
        int e = in[i]; auto sub = cg::binary_partition(cg::coalesced_threads(), e & 1);
        if (e & 1) { int s = cg::reduce(sub, e, cg::plus<int>()); if (sub.thread_rank() == 0) { atomicAdd(odd, (int)sub.size()); atomicAdd(sumOdd, s); } }
        else { int s = cg::reduce(sub, e, cg::plus<int>()); if (sub.thread_rank() == 0) atomicAdd(sumEven, s); }
        tile.sync();
    }
}
__device__ int atomicAggInc(int *ctr) { cg::coalesced_group a = cg::coalesced_threads(); int r; if (a.thread_rank() == 0) r = atomicAdd(ctr, (int)a.size()); r = a.shfl(r, 0); return r + a.thread_rank(); }
__global__ void filter(int *dst, int *n, const int *src, int len) { int id = threadIdx.x + blockIdx.x * blockDim.x; for (int i = id; i < len; i += gridDim.x * blockDim.x) if (src[i] > 0) dst[atomicAggInc(n)] = src[i]; }
__global__ void labelled(const int *bucket, int *hist, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { auto g = cg::labeled_partition(cg::coalesced_threads(), bucket[i]); if (g.thread_rank() == 0) atomicAdd(&hist[bucket[i]], (int)g.num_threads()); } }
__global__ void scans(const int *in, int *inc, int *exc) { auto t = cg::tiled_partition<16>(cg::this_thread_block()); int i = threadIdx.x; inc[i] = cg::inclusive_scan(t, in[i]); exc[i] = cg::exclusive_scan(t, in[i], cg::plus<int>()); }
__global__ void splitArrive(const float *a, double *out, int n) {
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ double w[8]; auto cta = cg::this_thread_block(); if (cta.thread_rank() == 0) init(&bar, blockDim.x); cta.sync();
    double s = 0; for (int i = cta.thread_rank(); i < n; i += blockDim.x) s += a[i]; auto tile = cg::tiled_partition<32>(cta); s = cg::reduce(tile, s, cg::plus<double>()); if (tile.thread_rank() == 0) w[tile.meta_group_rank()] = s;
    auto token = bar.arrive(); double mine = cta.thread_rank() * 0.0; bar.wait(std::move(token));
    if (cta.thread_rank() < 32) { double v = cta.thread_rank() < tile.meta_group_size() ? w[cta.thread_rank()] : 0; v = cg::reduce(tile, v, cg::plus<double>()); if (cta.thread_rank() == 0) *out = v + mine; }
}
__global__ void staged(const int *g, int *o, int batches) {
    extern __shared__ int s[]; auto b = cg::this_thread_block(); int sz = b.size(), acc = 0; cg::memcpy_async(b, s, g, sizeof(int) * sz);
    for (int k = 1; k <= batches; k++) { if (k < batches) { cg::memcpy_async(b, s + (k & 1) * sz, g + k * sz, sizeof(int) * sz); cg::wait_prior<1>(b); } else cg::wait(b); acc += s[((k - 1) & 1) * sz + (threadIdx.x + 1) % sz]; b.sync(); } o[threadIdx.x] = acc;
}
__global__ void votes(int *o) { int t = threadIdx.x, c = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 100), r = __syncthreads_or(t == 77); if (t == 0) { o[0] = c; o[1] = a; o[2] = r; } }
class Container { public: __device__ Container() {} __device__ virtual ~Container() {} __device__ virtual void push(int) = 0; __device__ virtual bool pop(int &) = 0; };
class Stack : public Container { int top, max, *p; public: __device__ Stack(int m) : top(0), max(m) { p = new int[m]; } __device__ ~Stack() { delete[] p; } __device__ void push(int x) { if (top < max) p[top++] = x; } __device__ bool pop(int &x) { if (!top) return false; x = p[--top]; return true; } };
class Vector : public Container { int n, *p; public: __device__ Vector(int m) : n(0) { p = (int *)malloc(m * sizeof(int)); } __device__ ~Vector() { free(p); } __device__ void push(int x) { p[atomicAdd(&n, 1)] = x; } __device__ bool pop(int &x) { int i = atomicSub(&n, 1) - 1; if (i < 0) return false; x = p[i]; return true; } };
__global__ void create(Container **c, int kind) { if (kind == 0) *c = new Stack(64); else *c = new Vector(64); }
__global__ void fill(Container **c) { for (int lane = 0; lane < 32; lane++) if (lane == threadIdx.x) (*c)->push(lane * lane); }
__global__ void drain(Container **c, int *o) { int x, s = 0; if (threadIdx.x == 0) { while ((*c)->pop(x)) s += x; *o = s; } }
__global__ void destroy(Container **c) { delete *c; }
struct complexv { float a, b; __device__ complexv(float x) : a(x), b(-x) {} };
__global__ void placement(float *o) { __shared__ __align__(8) char buf[sizeof(complexv) * 32]; complexv *v = (complexv *)buf; new (&v[threadIdx.x]) complexv(threadIdx.x * 2.f); __syncthreads(); o[threadIdx.x] = v[31 - threadIdx.x].b; v[threadIdx.x].~complexv(); }
__global__ void sysAtomics(int *a) { int t = blockDim.x * blockIdx.x + threadIdx.x; atomicAdd_system(&a[0], 10); atomicExch_system(&a[1], t); atomicMax_system(&a[2], t); atomicMin_system(&a[3], t); atomicInc_system((unsigned *)&a[4], 17); atomicDec_system((unsigned *)&a[5], 137); atomicCAS_system(&a[6], t - 1, t); atomicAnd_system(&a[7], 2 * t + 7); atomicOr_system(&a[8], 1 << (t & 31)); atomicXor_system(&a[9], t); cuda::atomic_ref<int, cuda::thread_scope_device>(a[10]).fetch_add(2, cuda::memory_order_relaxed); }
int main() {
    int bad = 0, n = 5000, *in, *o; cudaMallocManaged(&in, n * 4); cudaMallocManaged(&o, n * 4); int so = 0, se = 0, no = 0; for (int i = 0; i < n; i++) { in[i] = rand() % 50; (in[i] & 1 ? so : se) += in[i]; no += in[i] & 1; o[i] = 0; }
#define EXPECT(c) do { if (cudaDeviceSynchronize() || !(c)) { printf("line %d: %s (%s)\n", __LINE__, #c, cudaGetErrorString(cudaGetLastError())); bad++; } } while (0)
    oddEven<<<5, 96>>>(in, o, o + 1, o + 2, n); EXPECT(o[0] == no && o[1] == so && o[2] == se);
    for (int i = 0; i < n; i++) in[i] = i % 7 - 3; o[0] = 0; int *dst; cudaMallocManaged(&dst, n * 4); filter<<<7, 128>>>(dst, o, in, n); int pos = 0; for (int i = 0; i < n; i++) pos += in[i] > 0; EXPECT(o[0] == pos);
    for (int i = 0; i < n; i++) { in[i] = i * i % 11; o[i] = 0; } int h[11] = {0}; for (int i = 0; i < n; i++) h[in[i]]++; labelled<<<40, 128>>>(in, o, n); cudaDeviceSynchronize(); for (int i = 0; i < 11; i++) EXPECT(o[i] == h[i]);
    scans<<<1, 64>>>(in, o, o + 64); int wrong = 0; cudaDeviceSynchronize(); for (int b = 0; b < 64; b += 16) { int s = 0; for (int i = b; i < b + 16; i++) { wrong += o[64 + i] != s; s += in[i]; wrong += o[i] != s; } } EXPECT(!wrong);
    float *f; double *d, want = 0; cudaMallocManaged(&f, n * 4); cudaMallocManaged(&d, 8); for (int i = 0; i < n; i++) want += f[i] = i % 9; splitArrive<<<1, 256>>>(f, d, n); EXPECT(*d == want);
    staged<<<1, 128, 128 * 8>>>(in, o, 9); cudaDeviceSynchronize(); wrong = 0; for (int t = 0; t < 128; t++) { int s = 0; for (int k = 0; k < 9; k++) s += in[k * 128 + (t + 1) % 128]; wrong += s != o[t]; } EXPECT(!wrong);
    votes<<<1, 150>>>(o); EXPECT(o[0] == 50 && o[1] == 0 && o[2] != 0);
    Container **c; cudaMalloc(&c, 8); int sq = 0; for (int i = 0; i < 32; i++) sq += i * i; for (int k = 0; k < 2; k++) { create<<<1, 1>>>(c, k); fill<<<1, 32>>>(c); drain<<<1, 32>>>(c, o); destroy<<<1, 1>>>(c); EXPECT(o[0] == sq); }
    placement<<<1, 32>>>(f); wrong = 0; cudaDeviceSynchronize(); for (int i = 0; i < 32; i++) wrong += f[i] != -(31 - i) * 2.f; EXPECT(!wrong);
    for (int i = 0; i < 11; i++) o[i] = 0; o[7] = 0xff; sysAtomics<<<4, 64>>>(o); EXPECT(o[0] == 2560 && o[2] == 255 && o[3] == 0 && o[4] == 256 % 18 && (o[8] == -1) && o[9] == 0 && o[10] == 512 && o[7] == 1);
    puts(bad ? "FAIL" : "PASS"); return bad != 0;
}
