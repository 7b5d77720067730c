/* Records what the tensor cores give for the operands of operands.h: every instruction of operations.def, wmma's types and the
 * layouts of its fragments.
 *
 *   record_tensor DIR [sets [first]]      writes DIR/hashes.bin, samples.bin, wmma_layouts.csv and results.csv (what lies where)
 *
 * hashes.bin: for each operation, in the order of results.csv, one 32-bit FNV-1a of D per set.
 * samples.bin: for each operation all of D of its first `samples` sets that are not held out (numbers 0, 1, 4, 5, 8, 9, ...).
 * A word is 32 bits, little endian; an f16 takes one word, an f64 two.
 */
#include "operands.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <string>
#include <vector>

enum tensor_family { MMA, MMA64, SPARSE0, SPARSE1, SPARSE3, WGMMA, WGMMA_SS, WGMMA_SP, WGMMA_SP_SS, WMMA };

struct operation {
    int id;
    const char *name;
    int m, n, k;
    int type_a, type_b, type_c;
    int family;
};

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

/* ---- fragments (PTX ISA, 9.7.14.5): which elements a lane's registers hold ---- */
enum { LANE_WORDS = 40, AT_A = 0, AT_B = 16, AT_C = 24, AT_E = 32 }; /* a lane's words: A, B, C/D, metadata */

static __host__ __device__ int words_of(int type) { return type == T_F64 ? 2 : 1; }

/* Element `i` of register `r` of a 32-bit fragment with `per` elements a register. m: rows of A. */
static __host__ __device__ void place_a(int m, int per, int lane, int r, int i, int *row, int *column)
{
    int g = lane >> 2 & 7, t = lane & 3;
    *row = m == 8 ? g : (lane >> 5) * 16 + g + 8 * (r & 1);
    *column = t * per + i + 4 * per * (m == 8 ? r : r >> 1);
}
static __host__ __device__ void place_b(int per, int lane, int r, int i, int *row, int *column)
{
    *row = (lane & 3) * per + i + 4 * per * r;
    *column = lane >> 2 & 7;
}
static __host__ __device__ void place_c(int m, int lane, int i, int *row, int *column)
{
    int g = lane >> 2 & 7, t = lane & 3;
    *row = m == 8 ? g : (lane >> 5) * 16 + g + 8 * (i >> 1);
    *column = 2 * t + (i & 1);
}

/* mma.m8n8k4 of f16: four products at once, all given the same operands here; q: lane of the quad, h: which half. */
static __host__ __device__ void place_c_m8n8k4(int wide, int lane, int i, int *row, int *column)
{
    int q = lane & 3, h = lane >> 4 & 1;
    *row = wide ? (lane & 1) + (i & 2) + 4 * h : q + 4 * h;
    *column = wide ? (i & 4) + (lane & 2) + (i & 1) : i;
}

static constexpr __host__ __device__ bool is_sparse(int family)
{
    return (family >= SPARSE0 && family <= SPARSE3) || family == WGMMA_SP || family == WGMMA_SP_SS;
}
static constexpr __host__ __device__ bool is_wgmma(int family) { return family >= WGMMA && family <= WGMMA_SP_SS; }

static __device__ bool is_m8n8k4(const operation &o) { return o.k == 4 && o.m == 8 && o.type_a == T_F16; }

__global__ void make_registers(operation o, uint32_t *lanes, int lanes_per_set)
{
    int set = blockIdx.x, lane = threadIdx.x;
    uint32_t *mine = lanes + ((size_t)set * lanes_per_set + lane) * LANE_WORDS;
    int kept = is_sparse(o.family) ? o.k / 2 : o.k;
    int bits_a = tensor_format_of(o.type_a).bits, row, column;
    for (int w = 0; w < LANE_WORDS; w++) mine[w] = 0;
    if (bits_a == 64) {
        for (int r = 0; r < 8; r++) {
            place_a(o.m, 1, lane, r, 0, &row, &column);
            uint64_t v = tensor_element(o.type_a, o.id, set, 0, row, column, o.k);
            mine[AT_A + 2 * r] = (uint32_t)v, mine[AT_A + 2 * r + 1] = (uint32_t)(v >> 32);
        }
        for (int r = 0; r < 4; r++) {
            place_b(1, lane, r, 0, &row, &column);
            uint64_t v = tensor_element(o.type_b, o.id, set, 1, row, column, o.k);
            mine[AT_B + 2 * r] = (uint32_t)v, mine[AT_B + 2 * r + 1] = (uint32_t)(v >> 32);
        }
    } else {
        int per = 32 / bits_a;
        for (int r = 0; r < 4; r++)
            for (int i = 0; i < per; i++) {
                if (is_m8n8k4(o)) {
                    row = (lane & 3) + 4 * (lane >> 4 & 1);
                    column = 2 * r + i;
                } else {
                    place_a(o.m, per, lane, r, i, &row, &column);
                }
                if (column < kept)
                    mine[AT_A + r] |= (uint32_t)tensor_element(o.type_a, o.id, set, 0, row, column, kept)
                                      << (bits_a * i % 32);
                if (is_m8n8k4(o)) {
                    row = 2 * r + i;
                    column = (lane & 3) + 4 * (lane >> 4 & 1);
                } else {
                    place_b(per, lane, r, i, &row, &column);
                }
                if (o.family < WGMMA && row < o.k)
                    mine[AT_B + r] |= (uint32_t)tensor_element(o.type_b, o.id, set, 1, row, column, o.k)
                                      << (bits_a * i % 32);
            }
        /* wgmma: B goes to shared memory; lane l has word l: column l / deep, words of k l % deep */
        int deep = o.k / per;
        if (is_wgmma(o.family) && lane < 8 * deep)
            for (int i = 0; i < per; i++)
                mine[AT_B] |= (uint32_t)tensor_element(o.type_b, o.id, set, 1, lane % deep * per + i, lane / deep, o.k)
                              << (bits_a * i % 32);
    }
    for (int i = 0; i < 8; i++) {
        if (is_m8n8k4(o)) place_c_m8n8k4(o.type_c == T_F32, lane, i, &row, &column);
        else place_c(o.m, lane, i, &row, &column);
        uint64_t v = i < (o.m == 8 && !is_m8n8k4(o) ? 2
                          : is_m8n8k4(o)            ? 8
                                                    : 4)
                         ? tensor_element(o.type_c, o.id, set, 2, row, column, o.k)
                         : 0;
        if (o.type_c == T_F16) mine[AT_C + i / 2] |= (uint32_t)v << (16 * (i & 1));
        else if (o.type_c != T_F64) mine[AT_C + i] = (uint32_t)v;
        else if (i < 4) mine[AT_C + 2 * i] = (uint32_t)v, mine[AT_C + 2 * i + 1] = (uint32_t)(v >> 32);
    }
    mine[AT_E] = tensor_metadata(o.type_a, o.id, set, lane);
}

__global__ void take_results(operation o, const uint32_t *lanes, int lanes_per_set, uint32_t *d)
{
    int set = blockIdx.x, lane = threadIdx.x, row, column, words = words_of(o.type_c);
    const uint32_t *mine = lanes + ((size_t)set * lanes_per_set + lane) * LANE_WORDS;
    if (is_m8n8k4(o) && (lane & 12)) return;
    for (int i = 0; i < (is_m8n8k4(o) ? 8 : o.m == 8 ? 2 : 4); i++) {
        if (is_m8n8k4(o)) place_c_m8n8k4(o.type_c == T_F32, lane, i, &row, &column);
        else place_c(o.m, lane, i, &row, &column);
        uint32_t *out = d + ((size_t)set * o.m * o.n + row * o.n + column) * words;
        if (o.type_c == T_F16) out[0] = mine[AT_C + i / 2] >> (16 * (i & 1)) & 0xffff;
        else if (words == 1) out[0] = mine[AT_C + i];
        else out[0] = mine[AT_C + 2 * i], out[1] = mine[AT_C + 2 * i + 1];
    }
}

/* ---- the instructions ---- */
/* clang-format off */
#define ASM_MMA_1_1_2(text, tail) asm volatile(text " {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(b[0]));
#define ASM_MMA_2_1_2(text, tail) asm volatile(text " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#define ASM_MMA_2_1_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
#define ASM_MMA_2_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#define ASM_MMA_2_2_8(text, tail) asm volatile(text " {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
#define ASM_MMA_4_2_2(text, tail) asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#define ASM_MMA_4_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#define ASM_MMA64_1_1_2(text, tail) asm volatile(text " {%0, %1}, {%2}, {%3}, {%0, %1};" : "+l"(d[0]), "+l"(d[1]) : "l"(a[0]), "l"(b[0]));
#define ASM_MMA64_2_1_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+l"(d[0]), "+l"(d[1]), "+l"(d[2]), "+l"(d[3]) : "l"(a[0]), "l"(a[1]), "l"(b[0]));
#define ASM_MMA64_4_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+l"(d[0]), "+l"(d[1]), "+l"(d[2]), "+l"(d[3]) : "l"(a[0]), "l"(a[1]), "l"(a[2]), "l"(a[3]), "l"(b[0]), "l"(b[1]));
#define ASM_MMA64_8_4_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};" : "+l"(d[0]), "+l"(d[1]), "+l"(d[2]), "+l"(d[3]) : "l"(a[0]), "l"(a[1]), "l"(a[2]), "l"(a[3]), "l"(a[4]), "l"(a[5]), "l"(a[6]), "l"(a[7]), "l"(b[0]), "l"(b[1]), "l"(b[2]), "l"(b[3]));
#define ASM_SPARSE0_2_2_2(text, tail) asm volatile(text " {%0, %1}, {%2, %3}, {%4, %5}, {%0, %1}, %6, 0;" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e));
#define ASM_SPARSE0_2_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 0;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e));
#define ASM_SPARSE0_4_4_2(text, tail) asm volatile(text " {%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%0, %1}, %10, 0;" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
#define ASM_SPARSE0_4_4_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
#define ASM_SPARSE1_2_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e));
#define ASM_SPARSE1_4_4_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 1;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(e));
#define ASM_SPARSE3_2_2_4(text, tail) asm volatile(text " {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 3;" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(e));
#define ASM_WGMMA_4_1_2(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %7, 0; setp.eq.u32 q, %7, 0; " text " {%0, %1}, {%2, %3, %4, %5}, %6, " tail "; }" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(1) : "memory");
#define ASM_WGMMA_SS_4_1_2(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %4, 0; setp.eq.u32 q, %4, 0; " text " {%0, %1}, %2, %3, " tail "; }" : "+r"(d[0]), "+r"(d[1]) : "l"(desc_a), "l"(desc_b), "r"(1) : "memory");
#define ASM_WGMMA_4_1_4(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %9, 0; setp.eq.u32 q, %9, 0; " text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, " tail "; }" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(1) : "memory");
#define ASM_WGMMA_SS_4_1_4(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %6, 0; setp.eq.u32 q, %6, 0; " text " {%0, %1, %2, %3}, %4, %5, " tail "; }" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(desc_a), "l"(desc_b), "r"(1) : "memory");
#define ASM_WGMMA_SP_4_1_2(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %7, 0; setp.eq.u32 q, %7, 0; " text " {%0, %1}, {%2, %3, %4, %5}, %6, %8, " tail "; }" : "+r"(d[0]), "+r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(1), "r"(e) : "memory");
#define ASM_WGMMA_SP_4_1_4(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %9, 0; setp.eq.u32 q, %9, 0; " text " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %10, " tail "; }" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(1), "r"(e) : "memory");
#define ASM_WGMMA_SP_SS_4_1_4(text, tail) asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %6, 0; setp.eq.u32 q, %6, 0; " text " {%0, %1, %2, %3}, %4, %5, %7, " tail "; }" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(desc_a), "l"(desc_b), "r"(1), "r"(e) : "memory");
template <int Id> struct instruction;
#define OP(id, name, m, n, k, ta, tb, tc, family_, na, nb, nc, text, tail)                                                     \
    template <> struct instruction<id> {                                                                                       \
        static constexpr int family = family_;                                                                                 \
        template <typename R> static __device__ __forceinline__ void run(R *d, const R *a, const R *b, uint32_t e,             \
                                                                         uint64_t desc_a, uint64_t desc_b)                     \
        {                                                                                                                      \
            ASM_##family_##_##na##_##nb##_##nc(text, tail)                                                                     \
        }                                                                                                                      \
    };
#include "operations.def"
#undef OP
/* clang-format on */

/* No swizzle, operands along k: core matrices of 8 rows of 16 bytes; the next 16 bytes of k are 128 further, the next 8 rows 256. */
static __device__ uint64_t descriptor(const void *shared)
{
    uint64_t at = (uint32_t)__cvta_generic_to_shared(shared);
    return (at & 0x3ffff) >> 4 | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

template <int Id> __global__ void run_instruction(uint32_t *lanes)
{
    constexpr int family = instruction<Id>::family;
    int lane = threadIdx.x;
    uint32_t *mine = lanes + ((size_t)blockIdx.x * blockDim.x + lane) * LANE_WORDS;
    if constexpr (family == MMA64) {
        uint64_t a[8], b[4], d[4];
        for (int k = 0; k < 8; k++) a[k] = ((uint64_t *)(mine + AT_A))[k];
        for (int k = 0; k < 4; k++) {
            b[k] = ((uint64_t *)(mine + AT_B))[k];
            d[k] = ((uint64_t *)(mine + AT_C))[k];
        }
        instruction<Id>::run(d, a, b, 0u, 0, 0);
        for (int k = 0; k < 4; k++) ((uint64_t *)(mine + AT_C))[k] = d[k];
    } else {
        uint32_t a[4], b[4], d[8];
        for (int k = 0; k < 4; k++) {
            a[k] = mine[AT_A + k];
            b[k] = mine[AT_B + k];
        }
        for (int k = 0; k < 8; k++) d[k] = mine[AT_C + k];
        if constexpr (is_wgmma(family)) {
            __shared__ __align__(1024) uint32_t tile_a[512], tile_b[128];
            constexpr int deep = is_sparse(family) ? 16 : 8; /* words of B along k */
            if (lane < 8 * deep) tile_b[lane % deep / 4 * 32 + lane / deep * 4 + lane % 4] = b[0];
            for (int r = 0; r < 4; r++) {
                int row = lane / 32 * 16 + lane % 32 / 4 + 8 * (r & 1), word = lane % 4 + 4 * (r >> 1);
                tile_a[(row / 8 * 2 + word / 4) * 32 + row % 8 * 4 + word % 4] = a[r];
            }
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            uint64_t desc_a = descriptor(tile_a), desc_b = descriptor(tile_b);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            instruction<Id>::run(d, a, b, mine[AT_E], desc_a, desc_b);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        } else {
            instruction<Id>::run(d, a, b, mine[AT_E], 0, 0);
        }
        for (int k = 0; k < 8; k++) mine[AT_C + k] = d[k];
    }
}

/* ---- wmma through its C++ interface: A row-major, B column-major, C row-major ---- */
using namespace nvcuda;

template <typename T> static __device__ T from_bits(uint64_t bits)
{
    T out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

template <int M, int N, int K, typename T, typename Store, typename Acc> __global__ void run_wmma(operation o,
                                                                                                  uint32_t *d)
{
    __shared__ __align__(32) Store a[M * K], b[N * K];
    __shared__ __align__(32) Acc c[M * N];
    int set = blockIdx.x;
    for (int k = threadIdx.x; k < M * K; k += 32)
        a[k] = from_bits<Store>(tensor_element(o.type_a, o.id, set, 0, k / K, k % K, K));
    for (int k = threadIdx.x; k < N * K; k += 32)
        b[k] = from_bits<Store>(tensor_element(o.type_b, o.id, set, 1, k % K, k / K, K));
    for (int k = threadIdx.x; k < M * N; k += 32)
        c[k] = from_bits<Acc>(tensor_element(o.type_c, o.id, set, 2, k / N, k % N, K));
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
    __syncwarp();
    const int words = sizeof(Acc) == 8 ? 2 : 1;
    for (int k = threadIdx.x; k < M * N; k += 32) {
        uint64_t bits = 0;
        memcpy(&bits, &c[k], sizeof(Acc));
        for (int w = 0; w < words; w++) d[((size_t)set * M * N + k) * words + w] = (uint32_t)(bits >> (32 * w));
    }
}

/* ---- layouts: a matrix of indices is loaded, and each lane says what its x[] are ---- */
template <typename Fragment, typename Store, bool Accumulator> __global__ void
dump_fragment(const Store *memory, unsigned pitch, bool rows, uint64_t *out, int *count)
{
    Fragment f;
    if constexpr (Accumulator)
        wmma::load_matrix_sync(f, memory, pitch, rows ? wmma::mem_row_major : wmma::mem_col_major);
    else wmma::load_matrix_sync(f, memory, pitch);
    for (int k = 0; k < f.num_elements; k++) {
        uint64_t bits = 0;
        memcpy(&bits, &f.x[k], sizeof(Store));
        out[threadIdx.x * 32 + k] = bits;
    }
    *count = f.num_elements;
}

template <typename Fragment, typename Store, bool Accumulator>
static void layout_rows(FILE *csv, const char *shape, const char *type, const char *matrix, bool row_major, int height,
                        int width)
{
    Store *memory;
    uint64_t *out;
    int *count;
    check(cudaMallocManaged(&memory, 1024 * sizeof(Store)), "layouts");
    check(cudaMallocManaged(&out, 32 * 32 * 8), "layouts");
    check(cudaMallocManaged(&count, 4), "layouts");
    std::vector<int> index(32 * 32, 0);
    for (int part = 0; part < (sizeof(Store) == 1 ? 2 : 1); part++) { /* bytes hold half of an index at a time */
        for (int k = 0; k < height * width; k++) {
            uint64_t bits = (uint64_t)k >> (8 * part);
            memcpy(&memory[k], &bits, sizeof(Store));
        }
        dump_fragment<Fragment, Store, Accumulator>
            <<<1, 32>>>(memory, row_major ? width : height, row_major, out, count);
        check(cudaDeviceSynchronize(), "layouts");
        for (int k = 0; k < 32 * 32; k++) index[k] |= (int)out[k] << (8 * part);
    }
    for (int lane = 0; lane < 32; lane++) {
        fprintf(csv, "%s,%s,%s,%s,%d,", shape, type, matrix, row_major ? "row" : "col", lane);
        for (int k = 0; k < *count; k++) {
            int at = index[lane * 32 + k];
            fprintf(csv, "%s%d:%d", k ? " " : "", row_major ? at / width : at % height,
                    row_major ? at % width : at / height);
        }
        fprintf(csv, "\n");
    }
    cudaFree(memory);
    cudaFree(out);
    cudaFree(count);
}

template <int M, int N, int K, typename T, typename Store> static void layouts(FILE *csv, const char *type)
{
    char shape[32];
    snprintf(shape, sizeof shape, "m%dn%dk%d", M, N, K);
    layout_rows<wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major>, Store, false>(csv, shape, type, "a", true,
                                                                                           M, K);
    layout_rows<wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::col_major>, Store, false>(csv, shape, type, "a", false,
                                                                                           M, K);
    layout_rows<wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::row_major>, Store, false>(csv, shape, type, "b", true,
                                                                                           K, N);
    layout_rows<wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major>, Store, false>(csv, shape, type, "b", false,
                                                                                           K, N);
}

template <int M, int N, int K, typename Acc> static void layouts_c(FILE *csv, const char *type)
{
    char shape[32];
    snprintf(shape, sizeof shape, "m%dn%dk%d", M, N, K);
    layout_rows<wmma::fragment<wmma::accumulator, M, N, K, Acc>, Acc, true>(csv, shape, type, "c", true, M, N);
    layout_rows<wmma::fragment<wmma::accumulator, M, N, K, Acc>, Acc, true>(csv, shape, type, "c", false, M, N);
}

static void all_layouts(FILE *csv)
{
    fprintf(csv, "shape,type,matrix,layout,lane,row:column of x[0] x[1] ...\n");
    layouts<16, 16, 16, half, half>(csv, "f16");
    layouts<32, 8, 16, half, half>(csv, "f16");
    layouts<8, 32, 16, half, half>(csv, "f16");
    layouts<16, 16, 16, __nv_bfloat16, __nv_bfloat16>(csv, "bf16");
    layouts<32, 8, 16, __nv_bfloat16, __nv_bfloat16>(csv, "bf16");
    layouts<8, 32, 16, __nv_bfloat16, __nv_bfloat16>(csv, "bf16");
    layouts<16, 16, 8, wmma::precision::tf32, float>(csv, "tf32");
    layouts<8, 8, 4, double, double>(csv, "f64");
    layouts<16, 16, 16, signed char, signed char>(csv, "s8");
    layouts<32, 8, 16, signed char, signed char>(csv, "s8");
    layouts<8, 32, 16, signed char, signed char>(csv, "s8");
    layouts<16, 16, 16, unsigned char, unsigned char>(csv, "u8");
    layouts<32, 8, 16, unsigned char, unsigned char>(csv, "u8");
    layouts<8, 32, 16, unsigned char, unsigned char>(csv, "u8");
    layouts_c<16, 16, 16, float>(csv, "f32");
    layouts_c<32, 8, 16, float>(csv, "f32");
    layouts_c<8, 32, 16, float>(csv, "f32");
    layouts_c<16, 16, 8, float>(csv, "f32");
    layouts_c<16, 16, 16, half>(csv, "f16");
    layouts_c<32, 8, 16, half>(csv, "f16");
    layouts_c<8, 32, 16, half>(csv, "f16");
    layouts_c<16, 16, 16, int>(csv, "s32");
    layouts_c<32, 8, 16, int>(csv, "s32");
    layouts_c<8, 32, 16, int>(csv, "s32");
    layouts_c<8, 8, 4, double>(csv, "f64");
}

/* ---- all of it ---- */
struct recorder {
    FILE *hashes, *samples, *index;
    int sets, first; /* operations before the first one are left out */
    size_t at; /* words written to samples */
    uint32_t *lanes, *d;
};

static void keep(recorder &r, const operation &o)
{
    size_t words = (size_t)o.m * o.n * words_of(o.type_c);
    std::vector<uint32_t> d(words * r.sets), hash(r.sets);
    check(cudaDeviceSynchronize(), o.name);
    check(cudaMemcpy(d.data(), r.d, d.size() * 4, cudaMemcpyDeviceToHost), o.name);
    for (int set = 0; set < r.sets; set++) {
        hash[set] = TENSOR_HASH_START;
        for (size_t w = 0; w < words; w++) hash[set] = tensor_hash(hash[set], d[set * words + w]);
    }
    fwrite(hash.data(), 4, r.sets, r.hashes);
    int samples = o.type_c == T_S32 ? 16 : o.m == 64 ? 64 : 128;
    if (samples > r.sets / 2) samples = r.sets / 2;
    for (int k = 0; k < samples; k++) fwrite(&d[(size_t)(k / 2 * 4 + k % 2) * words], 4, words, r.samples);
    fprintf(r.index, "%d,%s,%d,%d,%d,%d,%d,%zu,%zu\n", o.id, o.name, o.m, o.n, o.k, r.sets, samples, words, r.at);
    r.at += samples * words;
}

template <int Id> static void record(recorder &r, operation o)
{
    if (o.id < r.first) return;
    int lanes = is_wgmma(o.family) ? 128 : 32;
    make_registers<<<r.sets, lanes>>>(o, r.lanes, lanes);
    run_instruction<Id><<<r.sets, lanes>>>(r.lanes);
    take_results<<<r.sets, lanes>>>(o, r.lanes, lanes, r.d);
    keep(r, o);
}

template <int M, int N, int K, typename T, typename Store, typename Acc> static void
record_wmma(recorder &r, int id, const char *name, int type, int type_c)
{
    operation o = {id, name, M, N, K, type, type, type_c, WMMA};
    if (id < r.first) return;
    run_wmma<M, N, K, T, Store, Acc><<<r.sets, 32>>>(o, r.d);
    keep(r, o);
}

static FILE *open_in(const char *folder, const char *name)
{
    FILE *f = fopen((std::string(folder) + "/" + name).c_str(), "wb");
    if (!f) {
        perror(name);
        exit(1);
    }
    return f;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    recorder r = {open_in(folder, "hashes.bin"),
                  open_in(folder, "samples.bin"),
                  open_in(folder, "results.csv"),
                  argc > 2 ? atoi(argv[2]) : 10240,
                  argc > 3 ? atoi(argv[3]) : 0,
                  0,
                  nullptr,
                  nullptr};
    check(cudaDeviceSetLimit(cudaLimitStackSize, 4096), "stack");
    check(cudaMalloc(&r.lanes, (size_t)r.sets * 128 * LANE_WORDS * 4), "memory");
    check(cudaMalloc(&r.d, (size_t)r.sets * 512 * 4), "memory");
    fprintf(r.index, "operation,name,m,n,k,sets,samples,words,first_word\n");
#define OP(id, name, m, n, k, ta, tb, tc, family, na, nb, nc, text, tail)                                              \
    record<id>(r, {id, name, m, n, k, ta, tb, tc, family});
#include "operations.def"
#undef OP
    record_wmma<16, 16, 16, half, half, float>(r, 170, "wmma.m16n16k16.f32.f16", T_F16, T_F32);
    record_wmma<32, 8, 16, half, half, float>(r, 171, "wmma.m32n8k16.f32.f16", T_F16, T_F32);
    record_wmma<8, 32, 16, half, half, float>(r, 172, "wmma.m8n32k16.f32.f16", T_F16, T_F32);
    record_wmma<16, 16, 16, half, half, half>(r, 173, "wmma.m16n16k16.f16.f16", T_F16, T_F16);
    record_wmma<32, 8, 16, half, half, half>(r, 174, "wmma.m32n8k16.f16.f16", T_F16, T_F16);
    record_wmma<8, 32, 16, half, half, half>(r, 175, "wmma.m8n32k16.f16.f16", T_F16, T_F16);
    record_wmma<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float>(r, 176, "wmma.m16n16k16.f32.bf16", T_BF16, T_F32);
    record_wmma<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float>(r, 177, "wmma.m32n8k16.f32.bf16", T_BF16, T_F32);
    record_wmma<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float>(r, 178, "wmma.m8n32k16.f32.bf16", T_BF16, T_F32);
    record_wmma<16, 16, 8, wmma::precision::tf32, float, float>(r, 179, "wmma.m16n16k8.f32.tf32", T_TF32, T_F32);
    record_wmma<8, 8, 4, double, double, double>(r, 180, "wmma.m8n8k4.f64", T_F64, T_F64);
    record_wmma<16, 16, 16, signed char, signed char, int>(r, 181, "wmma.m16n16k16.s8", T_S8, T_S32);
    record_wmma<32, 8, 16, signed char, signed char, int>(r, 182, "wmma.m32n8k16.s8", T_S8, T_S32);
    record_wmma<8, 32, 16, unsigned char, unsigned char, int>(r, 183, "wmma.m8n32k16.u8", T_U8, T_S32);
    FILE *csv = open_in(folder, "wmma_layouts.csv");
    all_layouts(csv);
    fclose(csv);
    fclose(r.hashes);
    fclose(r.samples);
    fclose(r.index);
    return 0;
}
