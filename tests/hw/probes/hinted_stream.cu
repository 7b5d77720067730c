/* hinted_stream MIB: lookups in a table beside a stream, which is loaded and stored as it is, by __ldcs() and __stcs(),
 * and past L1, and with a policy that keeps the table (tests/hw/time/h200-hinted.csv: 4, 24). */
#include <cstdio>
#include <cstdlib>

__device__ float look(const float *t, unsigned m, unsigned i)
{
    return t[(i * 2654435761u) % m];
}

__global__ void asis(const float4 *in, float4 *out, const float *t, unsigned m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        v.x += look(t, m, i);
        v.y += look(t, m, i + n);
        out[i] = v;
    }
}

__global__ void cs(const float4 *in, float4 *out, const float *t, unsigned m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = __ldcs(in + i);
        v.x += look(t, m, i);
        v.y += look(t, m, i + n);
        __stcs(out + i, v);
    }
}

__global__ void noalloc(const float4 *in, float4 *out, const float *t, unsigned m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v;
        asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0,%1,%2,%3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(in + i));
        v.x += look(t, m, i);
        v.y += look(t, m, i + n);
        asm volatile("st.global.L1::no_allocate.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(out + i), "f"(v.x), "f"(v.y),
                     "f"(v.z), "f"(v.w));
    }
}

__global__ void last(const float4 *in, float4 *out, const float *t, unsigned m, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned long long p;
        float a, b;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
        float4 v = in[i];
        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(a) : "l"(t + (i * 2654435761u) % m), "l"(p));
        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
                     : "=f"(b)
                     : "l"(t + ((i + n) * 2654435761u) % m), "l"(p));
        v.x += a;
        v.y += b;
        out[i] = v;
    }
}

int main(int argc, char **argv)
{
    unsigned m = atoi(argv[1]) << 18, n = 1 << 23;
    float4 *in, *out;
    float *t;
    cudaMalloc(&in, (size_t)n * 16);
    cudaMalloc(&out, (size_t)n * 16);
    cudaMalloc(&t, (size_t)m * 4);
    cudaMemset(in, 0, (size_t)n * 16);
    cudaMemset(t, 0, (size_t)m * 4);
    asis<<<n / 256, 256>>>(in, out, t, m, n);
    cs<<<n / 256, 256>>>(in, out, t, m, n);
    noalloc<<<n / 256, 256>>>(in, out, t, m, n);
    last<<<n / 256, 256>>>(in, out, t, m, n);
    printf("%d\n", cudaDeviceSynchronize());
}
