/* Matrix loads and stores of wmma in the layouts and types that wmma.cu does not have: which accesses they are made of. */
#include "hw.h"
#include <mma.h>
using namespace nvcuda;

enum { GLOBAL, SHARED };

/* Loads one fragment and writes what each lane got. */
template <typename Fragment, typename T, int Space, bool Rows, bool Accumulator>
static __device__ void load(float *out, const T *memory, unsigned pitch) {
    __shared__ __align__(128) T s[32 * 48];
    Fragment f;
    const T *from = memory;
    if (Space == SHARED) {
        for (int k = threadIdx.x; k < 32 * 48; k += 32) s[k] = memory[k];
        __syncwarp();
        from = s;
    }
    if constexpr (Accumulator) wmma::load_matrix_sync(f, from, pitch, Rows ? wmma::mem_row_major : wmma::mem_col_major);
    else wmma::load_matrix_sync(f, from, pitch);
    float sum = 0;
    for (int k = 0; k < f.num_elements; k++) sum += (float)f.x[k] * (k + 1);
    out[threadIdx.x] = sum;
}

#define OPERAND(name, which, m, n, k, type, stored, order, space)                                                      \
    __global__ void name(float *out, const stored *memory) {                                                           \
        load<wmma::fragment<wmma::which, m, n, k, type, wmma::order>, stored, space, true, false>(out, memory, 48);    \
    }
#define BOTH_SPACES(name, which, m, n, k, type, stored, order)                                                         \
    OPERAND(name##_global, which, m, n, k, type, stored, order, GLOBAL)                                                \
    OPERAND(name##_shared, which, m, n, k, type, stored, order, SHARED)
#define ACCUMULATOR(name, m, n, k, type, rows, space)                                                                  \
    __global__ void name(float *out, const type *memory) {                                                             \
        load<wmma::fragment<wmma::accumulator, m, n, k, type>, type, space, rows, true>(out, memory, 48);              \
    }
#define FORMS(M)                                                                                                       \
    M(a_row, matrix_a, 16, 16, 16, half, half, row_major)                                                              \
    M(a_col, matrix_a, 16, 16, 16, half, half, col_major)                                                              \
    M(b_row, matrix_b, 16, 16, 16, half, half, row_major)                                                              \
    M(b_col, matrix_b, 16, 16, 16, half, half, col_major)                                                              \
    M(a_row_32, matrix_a, 32, 8, 16, half, half, row_major)                                                            \
    M(a_col_32, matrix_a, 32, 8, 16, half, half, col_major)                                                            \
    M(b_row_8, matrix_b, 32, 8, 16, half, half, row_major)                                                             \
    M(a_row_8, matrix_a, 8, 32, 16, half, half, row_major)                                                             \
    M(b_col_32, matrix_b, 8, 32, 16, half, half, col_major)                                                            \
    M(bytes_a_row, matrix_a, 16, 16, 16, signed char, signed char, row_major)                                          \
    M(bytes_a_col, matrix_a, 16, 16, 16, signed char, signed char, col_major)                                          \
    M(bytes_b_row, matrix_b, 16, 16, 16, signed char, signed char, row_major)                                          \
    M(bytes_b_col, matrix_b, 16, 16, 16, signed char, signed char, col_major)                                          \
    M(bytes_a_row_32, matrix_a, 32, 8, 16, signed char, signed char, row_major)                                        \
    M(tf32_a_row, matrix_a, 16, 16, 8, wmma::precision::tf32, float, row_major)                                        \
    M(tf32_a_col, matrix_a, 16, 16, 8, wmma::precision::tf32, float, col_major)                                        \
    M(tf32_b_row, matrix_b, 16, 16, 8, wmma::precision::tf32, float, row_major)                                        \
    M(tf32_b_col, matrix_b, 16, 16, 8, wmma::precision::tf32, float, col_major)                                        \
    M(double_a_row, matrix_a, 8, 8, 4, double, double, row_major)                                                      \
    M(double_b_row, matrix_b, 8, 8, 4, double, double, row_major)
FORMS(BOTH_SPACES)
#define ACCUMULATORS(M)                                                                                                \
    M(c_row, 16, 16, 16, float, true)                                                                                  \
    M(c_col, 16, 16, 16, float, false)                                                                                 \
    M(c_half_row, 16, 16, 16, half, true)                                                                              \
    M(c_half_col, 16, 16, 16, half, false)                                                                             \
    M(c_row_8, 8, 32, 16, float, true)                                                                                 \
    M(c_col_8, 8, 32, 16, float, false)                                                                                \
    M(c_row_32, 32, 8, 16, float, true)                                                                                \
    M(c_int_row, 16, 16, 16, int, true)                                                                                \
    M(c_double_row, 8, 8, 4, double, true)
#define C_BOTH(name, m, n, k, type, rows)                                                                              \
    ACCUMULATOR(name##_global, m, n, k, type, rows, GLOBAL)                                                            \
    ACCUMULATOR(name##_shared, m, n, k, type, rows, SHARED)
ACCUMULATORS(C_BOTH)

/* Stores, of what was computed from the lane's number. */
#define STORE(name, m, n, k, type, rows)                                                                               \
    __global__ void store_##name##_global(type *to) {                                                                  \
        wmma::fragment<wmma::accumulator, m, n, k, type> f;                                                            \
        for (int i = 0; i < f.num_elements; i++) f.x[i] = (type)(float)(threadIdx.x * 8 + i);                          \
        wmma::store_matrix_sync(to, f, 40, rows ? wmma::mem_row_major : wmma::mem_col_major);                          \
    }                                                                                                                  \
    __global__ void store_##name##_shared(type *to) {                                                                  \
        __shared__ __align__(128) type s[32 * 40];                                                                     \
        wmma::fragment<wmma::accumulator, m, n, k, type> f;                                                            \
        for (int i = 0; i < f.num_elements; i++) f.x[i] = (type)(float)(threadIdx.x * 8 + i);                          \
        wmma::store_matrix_sync(s, f, 40, rows ? wmma::mem_row_major : wmma::mem_col_major);                           \
        __syncwarp();                                                                                                  \
        for (int at = threadIdx.x; at < 32 * 40; at += 32) to[at] = s[at];                                                  \
    }
ACCUMULATORS(STORE)

int main(void) {
    char *out = device_words<char>(1 << 16, true), *zero = device_words<char>(1 << 16, true);
#define LAUNCH_OPERAND(name, which, m, n, k, type, stored, order)                                                      \
    LAUNCH(name##_global, 1, 32, (float *)out, (const stored *)zero);                                                  \
    LAUNCH(name##_shared, 1, 32, (float *)out, (const stored *)zero);
#define LAUNCH_C(name, m, n, k, type, rows)                                                                            \
    LAUNCH(name##_global, 1, 32, (float *)out, (const type *)zero);                                                    \
    LAUNCH(name##_shared, 1, 32, (float *)out, (const type *)zero);                                                    \
    LAUNCH(store_##name##_global, 1, 32, (type *)out);                                                                 \
    LAUNCH(store_##name##_shared, 1, 32, (type *)out);
    FORMS(LAUNCH_OPERAND)
    ACCUMULATORS(LAUNCH_C)
    puts("done");
    return 0;
}
