// nvcc: -gencode arch=compute_90a,code=compute_90a
// Every kind of mma.sync that sm_90 has, one shape or more each: floats of 8 to 64 bits, integers of 1, 4 and 8 bits, sparse ones; matrices
// that ldmatrix loads, movmatrix turns and stmatrix stores. Operands are small integers, sums are exact. Checked against the host.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e_ = (call);                                                                                       \
        if (e_ != cudaSuccess) {                                                                                       \
            printf("%s: %s\n", #call, cudaGetErrorString(e_));                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum Type { F16, BF16, TF32, E4M3, E5M2, F64, S8, U8, S4, U4, B1, F32, S32 };
constexpr int BITS[] = {16, 16, 32, 8, 8, 64, 8, 8, 4, 4, 1, 32, 32};

/* name, text, types of A, B, C, m, n, k, sparse; registers of 32 bits of A, B, C */
#define KINDS(X, SPARSE)                                                                                               \
    X(0, "m16n8k8.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 8, 2, 1, 4)                                          \
    X(1, "m16n8k16.row.col.f16.f16.f16.f16", F16, F16, F16, 16, 8, 16, 4, 2, 2)                                        \
    X(2, "m16n8k16.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 16, 4, 2, 4)                                        \
    X(3, "m16n8k16.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 8, 16, 4, 2, 4)                                    \
    X(4, "m16n8k4.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 4, 2, 1, 4)                                      \
    X(5, "m16n8k8.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 8, 4, 2, 4)                                      \
    X(6, "m16n8k32.row.col.f32.e4m3.e5m2.f32", E4M3, E5M2, F32, 16, 8, 32, 4, 2, 4)                                    \
    X(7, "m16n8k16.row.col.f16.e5m2.e4m3.f16", E5M2, E4M3, F16, 16, 8, 16, 2, 1, 2)                                    \
    X(8, "m8n8k16.row.col.s32.s8.u8.s32", S8, U8, S32, 8, 8, 16, 1, 1, 2)                                              \
    X(9, "m16n8k32.row.col.satfinite.s32.u8.s8.s32", U8, S8, S32, 16, 8, 32, 4, 2, 4)                                  \
    X(10, "m8n8k32.row.col.s32.s4.s4.s32", S4, S4, S32, 8, 8, 32, 1, 1, 2)                                             \
    X(11, "m16n8k64.row.col.s32.u4.s4.s32", U4, S4, S32, 16, 8, 64, 4, 2, 4)                                           \
    X(12, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", B1, B1, S32, 16, 8, 256, 4, 2, 4)                                \
    X(13, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", B1, B1, S32, 8, 8, 128, 1, 1, 2)                                  \
    SPARSE(14, "m16n8k16.row.col.f32.f16.f16.f32", F16, F16, F32, 16, 8, 16, 2, 2, 4)                                  \
    SPARSE(15, "m16n8k32.row.col.f32.bf16.bf16.f32", BF16, BF16, F32, 16, 8, 32, 4, 4, 4)                              \
    SPARSE(16, "m16n8k16.row.col.f32.tf32.tf32.f32", TF32, TF32, F32, 16, 8, 16, 4, 4, 4)                              \
    SPARSE(17, "m16n8k64.row.col.s32.s8.s8.s32", S8, S8, S32, 16, 8, 64, 4, 4, 4)                                      \
    SPARSE(18, "m16n8k64.row.col.s32.s4.u4.s32", S4, U4, S32, 16, 8, 64, 2, 2, 4)

struct Kind {
    const char *text;
    Type a, b, c;
    int m, n, k, na, nb, nc;
    bool sparse;
};
constexpr Kind kinds[] = {
#define X(id, text, a, b, c, m, n, k, na, nb, nc) {text, a, b, c, m, n, k, na, nb, nc, false},
#define S(id, text, a, b, c, m, n, k, na, nb, nc) {text, a, b, c, m, n, k, na, nb, nc, true},
    KINDS(X, S)
#undef X
#undef S
};
constexpr int WORDS = 16; /* of a lane: A, B, C, 4 words each; then D */

#define OPERANDS                                                                                                       \
    : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                                                   \
    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(meta)

/* One warp. */
template <int ID> __device__ void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b, uint32_t meta);
#define A_1 "{%4}"
#define A_2 "{%4, %5}"
#define A_4 "{%4, %5, %6, %7}"
#define B_1 "{%8}"
#define B_2 "{%8, %9}"
#define B_4 "{%8, %9, %10, %11}"
#define C_2 "{%0, %1}"
#define C_4 "{%0, %1, %2, %3}"
#define X(id, text, ta, tb, tc, m, n, k, na, nb, nc)                                                                   \
    template <> __device__ void multiply<id>(uint32_t * d, const uint32_t *a, const uint32_t *b, uint32_t meta)        \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned." text " " C_##nc ", " A_##na ", " B_##nb ", " C_##nc ";" OPERANDS);            \
    }
#define S(id, text, ta, tb, tc, m, n, k, na, nb, nc)                                                                   \
    template <> __device__ void multiply<id>(uint32_t * d, const uint32_t *a, const uint32_t *b, uint32_t meta)        \
    {                                                                                                                  \
        asm volatile("mma.sp::ordered_metadata.sync.aligned." text " " C_##nc ", " A_##na ", " B_##nb ", " C_##nc      \
                     ", %12, 0x0;" OPERANDS);                                                                          \
    }

KINDS(X, S)
#undef X
#undef S

template <int ID> __global__ void product(const uint32_t *in, uint32_t *out)
{
    uint32_t a[4], b[4], d[4];
    for (int k = 0; k < 4; k++) {
        a[k] = in[threadIdx.x * WORDS + k];
        b[k] = in[threadIdx.x * WORDS + 4 + k];
        d[k] = in[threadIdx.x * WORDS + 8 + k];
    }
    multiply<ID>(d, a, b, 0xdddddddd); // of each four elements, or pairs of 4 bits, the second and the fourth are kept
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = d[k];
}

/* tf32 keeps one of two: the second */
template <int ID> __global__ void product_of_tf32(const uint32_t *in, uint32_t *out)
{
    uint32_t a[4], b[4], d[4];
    for (int k = 0; k < 4; k++) {
        a[k] = in[threadIdx.x * WORDS + k];
        b[k] = in[threadIdx.x * WORDS + 4 + k];
        d[k] = in[threadIdx.x * WORDS + 8 + k];
    }
    multiply<ID>(d, a, b, 0xeeeeeeee);
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = d[k];
}

// ---------------------------------------------------------------- operands
static int value_of(Type t, int matrix, int row, int column)
{
    int x = (row * 7 + column * 5 + matrix * 3 + row * column) % 8;
    if (t == B1) return x & 1;
    return t == U8 || t == U4 ? x : x - 4;
}

static uint32_t encode(Type t, int x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    switch (t) {
    case F16: return __half_as_ushort(__float2half(f));
    case BF16: return __bfloat16_as_ushort(__float2bfloat16(f));
    case E4M3: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E4M3);
    case E5M2: return __nv_cvt_float_to_fp8(f, __NV_SATFINITE, __NV_E5M2);
    case TF32:
    case F32: return bits;
    case S32: return (uint32_t)x;
    default: return (uint32_t)x & ((1u << BITS[t]) - 1);
    }
}

static double decode(Type t, uint32_t bits)
{
    float f;
    if (t == S32) return (int32_t)bits;
    if (t == F16) return __half2float(__ushort_as_half((unsigned short)bits));
    memcpy(&f, &bits, 4);
    return f;
}

static void put(uint32_t *words, int bits, int n, uint32_t value) { words[n * bits / 32] |= value << n * bits % 32; }

/* Which k of B the element `kept` of a row of A meets. */
static int met(const Kind &o, int kept)
{
    if (!o.sparse) return kept;
    if (o.a == TF32) return 2 * kept + 1;
    int unit = BITS[o.a] == 4 ? 2 : 1, which = kept / unit;
    return (4 * (which / 2) + (which & 1 ? 3 : 1)) * unit + kept % unit;
}

/* Fragments as the PTX ISA draws them. */
static void fill(const Kind &o, uint32_t *lanes)
{
    for (int lane = 0; lane < 32; lane++) {
        uint32_t *words = lanes + lane * WORDS;
        int g = lane >> 2, t = lane & 3, per = 32 / BITS[o.a];
        for (int r = 0; r < o.na; r++)
            for (int i = 0; i < per; i++) {
                int row = o.m == 8 ? g : g + 8 * (r & 1), column = t * per + i + 4 * per * (o.m == 8 ? r : r >> 1);
                put(words, BITS[o.a], r * per + i, encode(o.a, value_of(o.a, 0, row, column)));
            }
        for (int r = 0; r < o.nb; r++)
            for (int i = 0; i < per; i++)
                put(words + 4, BITS[o.b], r * per + i, encode(o.b, value_of(o.b, 1, t * per + i + 4 * per * r, g)));
        for (int i = 0; i < o.m * o.n / 32; i++)
            put(words + 8, BITS[o.c], i, encode(o.c, value_of(o.c, 2, g + 8 * (i >> 1), 2 * t + (i & 1))));
    }
}

static int wrong_of(const Kind &o, const uint32_t *out)
{
    int wrong = 0, kept = o.sparse ? o.k / 2 : o.k;
    bool differs = strstr(o.text, "xor") != NULL;
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < o.m * o.n / 32; i++) {
            int row = (lane >> 2) + 8 * (i >> 1), column = 2 * (lane & 3) + (i & 1), sum = value_of(o.c, 2, row, column);
            for (int k = 0; k < kept; k++) {
                int a = value_of(o.a, 0, row, k), b = value_of(o.b, 1, met(o, k), column);
                sum += differs ? a ^ b : a * b;
            }
            uint32_t bits = out[lane * 4 + i * BITS[o.c] / 32] >> i * BITS[o.c] % 32;
            wrong += decode(o.c, o.c == F16 ? bits & 0xffff : bits) != sum;
        }
    return wrong;
}

// ---------------------------------------------------------------- f64, and 8x8 matrices
__global__ void doubles(const double *a, const double *b, double *c)
{
    int g = threadIdx.x >> 2, t = threadIdx.x & 3;
    double d[4];
    for (int i = 0; i < 4; i++) d[i] = c[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)];
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[g * 4 + t]), "d"(a[(g + 8) * 4 + t]), "d"(b[t * 8 + g]));
    for (int i = 0; i < 4; i++) c[(g + 8 * (i >> 1)) * 8 + 2 * t + (i & 1)] = d[i];
}

/* Two matrices: turned as they are loaded, and in registers; the second comes back as it was. */
__global__ void turn(const uint16_t *in, uint16_t *out)
{
    __shared__ __align__(16) uint16_t tile[128], back[128];
    for (int k = threadIdx.x; k < 128; k += 32) tile[k] = in[k];
    __syncwarp();
    uint32_t x, y, from = (uint32_t)__cvta_generic_to_shared(tile + threadIdx.x % 16 * 8),
                   to = (uint32_t)__cvta_generic_to_shared(back + threadIdx.x % 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(from));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(y));
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(x), "r"(y) : "memory");
    __syncwarp();
    for (int k = threadIdx.x; k < 128; k += 32) out[k] = back[k];
}

template <typename T> static T *managed(int count)
{
    T *p;
    CHECK(cudaMallocManaged(&p, count * sizeof(T)));
    memset(p, 0, count * sizeof(T));
    return p;
}

static int doubles_wrong()
{
    double *a = managed<double>(64), *b = managed<double>(32), *c = managed<double>(128), want[128];
    for (int k = 0; k < 64; k++) a[k] = k % 11 - 5.5;
    for (int k = 0; k < 32; k++) b[k] = k % 7 - 3.25;
    for (int k = 0; k < 128; k++) {
        want[k] = c[k] = k * 0.125;
        for (int n = 0; n < 4; n++) want[k] += a[k / 8 * 4 + n] * b[n * 8 + k % 8];
    }
    doubles<<<1, 32>>>(a, b, c);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int k = 0; k < 128; k++) wrong += c[k] != want[k];
    return wrong;
}

static int turned_wrong()
{
    uint16_t *in = managed<uint16_t>(128), *out = managed<uint16_t>(128);
    for (int k = 0; k < 128; k++) in[k] = (uint16_t)(1000 + k);
    turn<<<1, 32>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int k = 0; k < 64; k++) wrong += out[k] != in[k % 8 * 8 + k / 8];
    for (int k = 64; k < 128; k++) wrong += out[k] != in[k];
    return wrong;
}

int main()
{
    uint32_t *in = managed<uint32_t>(32 * WORDS), *out = managed<uint32_t>(128);
    int bad = 0, wrong;
#define RUN(id, kernel)                                                                                                \
    memset(in, 0, 32 * WORDS * 4);                                                                                     \
    fill(kinds[id], in);                                                                                               \
    kernel<id><<<1, 32>>>(in, out);                                                                                    \
    CHECK(cudaDeviceSynchronize());                                                                                    \
    wrong = wrong_of(kinds[id], out);                                                                                  \
    if (wrong) printf("%s%s: %d wrong\n", kinds[id].text, kinds[id].sparse ? " sparse" : "", wrong);                   \
    bad += wrong;
#define X(id, ...) RUN(id, product)
#define S(id, ...)                                                                                                     \
    if (kinds[id].a == TF32) {                                                                                         \
        RUN(id, product_of_tf32)                                                                                       \
    } else {                                                                                                           \
        RUN(id, product)                                                                                               \
    }
    KINDS(X, S)
    wrong = doubles_wrong();
    if (wrong) printf("doubles: %d wrong\n", wrong);
    bad += wrong;
    wrong = turned_wrong();
    if (wrong) printf("matrices of 8x8: %d wrong\n", wrong);
    bad += wrong;
    printf(bad ? "FAIL: %d values differ\n" : "PASS\n", bad);
    return bad != 0;
}
