/* cp.async of every size, coalesced and not, by inline PTX and through the pipeline intrinsics; ldmatrix, stmatrix. */
#include "hw.h"
#include <cuda_pipeline.h>

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

template <int N> __device__ void copy_ca(void *to, const void *from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from), "n"(N) : "memory");
}
__device__ void copy_cg(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void copy_wait(void) {
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
}
template <int N> __global__ void async_ca(int *out, const char *in) {
    __shared__ __align__(16) char s[128 * N];
    copy_ca<N>(s + threadIdx.x * N, in + (size_t)TID * N);
    copy_wait();
    out[TID] = ((int *)s)[threadIdx.x];
}
__global__ void async_cg(int *out, const char *in) {
    __shared__ __align__(16) char s[128 * 16];
    copy_cg(s + threadIdx.x * 16, in + (size_t)TID * 16);
    copy_wait();
    out[TID] = ((int *)s)[threadIdx.x];
}
__global__ void async_cg_padded(int *out, const char *in) {
    __shared__ __align__(16) char s[128 * 32];
    copy_cg(s + threadIdx.x * 32, in + (size_t)TID * 16);
    copy_wait();
    out[TID] = ((int *)s)[threadIdx.x * 8];
}
__global__ void async_ca_strided(int *out, const int *in) {
    __shared__ int s[128];
    copy_ca<4>(s + threadIdx.x, in + (size_t)TID * 8);
    copy_wait();
    out[TID] = s[threadIdx.x];
}
__global__ void async_ca_shifted(int *out, const int *in) {
    __shared__ __align__(16) int s[512];
    copy_ca<16>(s + 4 * threadIdx.x, in + (size_t)TID * 4 + 4);
    copy_wait();
    out[TID] = s[threadIdx.x];
}
__global__ void async_ca_transposed(int *out, const int *in) {
    __shared__ int s[32 * 32];
    for (int k = threadIdx.y; k < 32; k += blockDim.y) copy_ca<4>(&s[threadIdx.x * 32 + k], in + k * 32 + threadIdx.x);
    copy_wait();
    for (int k = threadIdx.y; k < 32; k += blockDim.y) out[k * 32 + threadIdx.x] = s[k * 32 + threadIdx.x];
}
__global__ void async_guarded(int *out, const int *in, int n) {
    __shared__ int s[128];
    s[threadIdx.x] = 0;
    if (TID < n) copy_ca<4>(s + threadIdx.x, in + TID);
    copy_wait();
    out[TID] = s[threadIdx.x];
}
__global__ void pipeline_stages(float *out, const float *in, int stages) {
    __shared__ __align__(16) float s[2][512];
    int t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&s[0][4 * t], &in[4 * t], 16);
    __pipeline_commit();
    for (int k = 0; k < stages; k++) {
        if (k + 1 < stages) __pipeline_memcpy_async(&s[(k + 1) & 1][4 * t], &in[(k + 1) * 512 + 4 * t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int j = 0; j < 4; j++) sum += s[k & 1][j * 128 + t];
        __syncthreads();
    }
    out[t] = sum;
}
template <int PITCH> __global__ void matrix_x4(unsigned *out, const unsigned *in) {
    __shared__ __align__(16) unsigned char s[32 * PITCH];
    for (int k = threadIdx.x; k < 32 * PITCH / 4; k += 32) ((unsigned *)s)[k] = in[k];
    __syncwarp();
    unsigned a, b, c, d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared_address(s + threadIdx.x * PITCH)) : "memory");
    out[threadIdx.x] = a + b + c + d;
}
__global__ void matrix_x2_trans(unsigned *out, const unsigned *in) {
    __shared__ __align__(16) unsigned s[512];
    for (int k = threadIdx.x; k < 512; k += 32) s[k] = in[k];
    __syncwarp();
    unsigned a, b;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(a), "=r"(b) : "r"(shared_address(s + (threadIdx.x % 16) * 32)) : "memory");
    out[threadIdx.x] = a + b;
}
__global__ void matrix_x1(unsigned *out, const unsigned *in) {
    __shared__ __align__(16) unsigned s[512];
    for (int k = threadIdx.x; k < 512; k += 32) s[k] = in[k];
    __syncwarp();
    unsigned a;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(a) : "r"(shared_address(s + (threadIdx.x % 8) * 4)) : "memory");
    out[threadIdx.x] = a;
}
__global__ void matrix_store(unsigned *out, const unsigned *in) {
    __shared__ __align__(16) unsigned s[512];
    unsigned a = in[threadIdx.x], b = in[threadIdx.x + 32];
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"
                 :: "r"(shared_address(s + (threadIdx.x % 16) * 8)), "r"(a), "r"(b) : "memory");
    __syncwarp();
    for (int k = 0; k < 4; k++) out[threadIdx.x + 32 * k] = s[threadIdx.x + 32 * k];
}
int main(void) {
    char *in = device_words<char>(1 << 18, false);
    char *out = device_words<char>(1 << 18, true), *zero = device_words<char>(1 << 16, true);
    unsigned *uo = (unsigned *)out, *ui = (unsigned *)in;
    LAUNCH(async_ca<4>, 2, 128, (int *)out, in);
    LAUNCH(async_ca<8>, 2, 128, (int *)out, in);
    LAUNCH(async_ca<16>, 2, 128, (int *)out, in);
    LAUNCH(async_cg, 2, 128, (int *)out, in);
    LAUNCH(async_cg_padded, 2, 128, (int *)out, in);
    LAUNCH(async_ca_strided, 2, 128, (int *)out, (const int *)in);
    LAUNCH(async_ca_shifted, 2, 128, (int *)out, (const int *)in);
    LAUNCH(async_ca_transposed, 1, dim3(32, 8), (int *)out, (const int *)in);
    LAUNCH(async_guarded, 2, 128, (int *)out, (const int *)in, 200);
    LAUNCH(pipeline_stages, 1, 128, (float *)out, (const float *)zero, 6);
    LAUNCH(matrix_x4<16>, 1, 32, uo, ui);
    LAUNCH(matrix_x4<128>, 1, 32, uo, ui);
    LAUNCH(matrix_x4<144>, 1, 32, uo, ui);
    LAUNCH(matrix_x2_trans, 1, 32, uo, ui);
    LAUNCH(matrix_x1, 1, 32, uo, ui);
    LAUNCH(matrix_store, 1, 32, uo, ui);
    puts("done");
    return 0;
}
