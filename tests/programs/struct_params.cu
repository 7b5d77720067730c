// Structures by value as kernel parameters: nested, with arrays, odd sizes and alignments, up to 4 KB and beyond.
#include <cstdint>
#include <cstdio>
#include <cstring>

struct Small { char c; short s; };
struct Inner { float f[3]; uint8_t tag; };
struct Mixed { char a; double b; Inner in[2]; short s; long long ll; bool flag; };
struct __align__(16) Vec { float x, y, z, w; };
struct Large { int values[1000]; int last; };
struct Huge { int values[3000]; }; // 12,000 bytes: needs sm_70 and later with CUDA 12.1 and later
struct Empty {};
class WithMethod {
    int k;
public:
    __host__ __device__ WithMethod(int k) : k(k) {}
    __host__ __device__ int apply(int x) const { return x * k + 1; }
};
union Bits { float f; unsigned u; };
struct Field { unsigned a : 3, b : 7, c : 22; };

__global__ void many(char c, Small s, double d, Mixed m, Vec v, Empty, WithMethod w, Bits bits, Field field, int3 i3,
                     uchar4 u4, void *out_)
{
    double *out = (double *)out_;
    int t = threadIdx.x;
    double r = 0;
    switch (t) {
    case 0: r = c; break;
    case 1: r = s.c * 1000 + s.s; break;
    case 2: r = d; break;
    case 3: r = m.a + m.b + m.s + m.ll + m.flag; break;
    case 4: r = m.in[0].f[2] + m.in[1].f[0] * 10 + m.in[1].tag * 100; break;
    case 5: r = v.x + v.y * 10 + v.z * 100 + v.w * 1000; break;
    case 6: r = w.apply(6); break;
    case 7: r = bits.u; break;
    case 8: r = field.a + field.b * 10 + field.c * 10000; break;
    case 9: r = i3.x + i3.y * 10 + i3.z * 100; break;
    case 10: r = u4.x + u4.y + u4.z + u4.w; break;
    }
    out[t] = r;
}

// Indexed at run time: the parameter array must be addressable.
__global__ void large(Large p, const int *index, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p.values[index[i]] + p.last;
}

__global__ void huge(Huge p, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 3000) out[i] = p.values[2999 - i];
}

// A parameter that is modified: each thread has its own copy.
__global__ void modified(Large p, int *out) {
    int t = threadIdx.x;
    p.values[t % 10] += t;
    p.values[5] *= 2;
    out[t] = p.values[5] + p.values[t % 10];
}

int main() {
    bool ok = true;
    double *d, h[11];
    cudaMalloc(&d, sizeof h);
    Small s = {'x', -300};
    Mixed m = {1, 2.5, {{{1, 2, 3}, 7}, {{4, 5, 6}, 8}}, -4, 1ll << 33, true};
    Vec v = {1, 2, 3, 4};
    Bits b;
    b.f = -2.0f;
    Field f = {5, 99, 123456};
    many<<<1, 11>>>('A', s, 0.125, m, v, Empty(), WithMethod(7), b, f, make_int3(3, 4, 5),
                    make_uchar4(250, 251, 252, 253), d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    const double want[11] = {'A',
                             'x' * 1000 - 300,
                             0.125,
                             1 + 2.5 - 4 + 8589934592.0 + 1,
                             3 + 40 + 800,
                             4321,
                             43,
                             0xC0000000u,
                             5 + 990 + 1234560000.0,
                             543,
                             1006};
    for (int i = 0; i < 11; i++)
        if (h[i] != want[i]) {
            printf("value %d: %f, expected %f\n", i, h[i], want[i]);
            ok = false;
        }
    static Large big;
    int *di, *dout, index[256], out[3000];
    for (int i = 0; i < 1000; i++) big.values[i] = i * i;
    big.last = 17;
    for (int i = 0; i < 256; i++) index[i] = (i * 389) % 1000;
    cudaMalloc(&di, sizeof index);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(di, index, sizeof index, cudaMemcpyHostToDevice);
    large<<<2, 128>>>(big, di, dout);
    cudaMemcpy(out, dout, 256 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++) ok &= out[i] == index[i] * index[i] + 17;
    modified<<<1, 64>>>(big, dout);
    cudaMemcpy(out, dout, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++) {
        int five = (25 + (t % 10 == 5 ? t : 0)) * 2, own = t % 10 == 5 ? five : (t % 10) * (t % 10) + t;
        ok &= out[t] == five + own;
    }
    static Huge hp;
    for (int i = 0; i < 3000; i++) hp.values[i] = 7 * i;
    huge<<<12, 256>>>(hp, dout);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 3000; i++) ok &= out[i] == 7 * (2999 - i);
    ok &= cudaGetLastError() == cudaSuccess;
    cudaFree(d); cudaFree(di); cudaFree(dout);
    puts(ok ? "PASS" : "FAIL");
    return !ok;
}
