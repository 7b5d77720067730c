/* What a call of printf counts on a GPU: length of the format, number and types of arguments, strings, lanes, warps, calls. */
#include "hw.h"

#define PRINT(name, ...) \
    __global__ void name(int a, long long l, double d, const char *s) { printf(__VA_ARGS__); (void)a; (void)l; (void)d; (void)s; }

__device__ char texts[32][64];
#define TEN "123456789\n"
#define D4 "%d%d%d%d"
#define A4 a, a, a, a

PRINT(length_0, "")
PRINT(length_1, "\n")
PRINT(length_2, "1\n")
PRINT(length_3, "12\n")
PRINT(length_4, "123\n")
PRINT(length_9, "12345678\n")
PRINT(length_10, TEN)
PRINT(length_33, TEN TEN TEN "12\n")
PRINT(length_64, TEN TEN TEN TEN TEN TEN "123\n")
PRINT(length_100, TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN)
PRINT(length_250, TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN)
PRINT(length_300, TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN)
PRINT(ints_1, "%d\n", a)
PRINT(ints_2, "%d%d\n", a, a)
PRINT(ints_3, "%d%d%d\n", a, a, a)
PRINT(ints_4, D4 "\n", A4)
PRINT(ints_8, D4 D4 "\n", A4, A4)
PRINT(ints_9, D4 D4 "%d\n", A4, A4, a)
PRINT(ints_12, D4 D4 D4 "\n", A4, A4, A4)
PRINT(ints_16, D4 D4 D4 D4 "\n", A4, A4, A4, A4)
PRINT(ints_20, D4 D4 D4 D4 D4 "\n", A4, A4, A4, A4, A4)
PRINT(ints_27, D4 D4 D4 D4 D4 D4 "%d%d%d\n", A4, A4, A4, A4, A4, A4, a, a, a)
PRINT(ints_30, D4 D4 D4 D4 D4 D4 D4 "%d%d\n", A4, A4, A4, A4, A4, A4, A4, a, a)
PRINT(ints_31, D4 D4 D4 D4 D4 D4 D4 "%d%d%d\n", A4, A4, A4, A4, A4, A4, A4, a, a, a)
PRINT(ints_32, D4 D4 D4 D4 D4 D4 D4 D4 "\n", A4, A4, A4, A4, A4, A4, A4, A4)
PRINT(ints_36, D4 D4 D4 D4 D4 D4 D4 D4 D4 "\n", A4, A4, A4, A4, A4, A4, A4, A4, A4)
PRINT(type_lld, "%lld\n", l)
PRINT(type_ld, "%ld\n", (long)l)
PRINT(type_zu, "%zu\n", (size_t)l)
PRINT(type_f, "%f\n", d)
PRINT(type_g, "%g\n", d)
PRINT(type_e, "%e\n", d)
PRINT(type_u, "%u\n", (unsigned)a)
PRINT(type_x, "%x\n", (unsigned)a)
PRINT(type_llx, "%llx\n", (unsigned long long)l)
PRINT(type_c, "%c\n", a)
PRINT(type_p, "%p\n", (void *)s)
PRINT(type_hd, "%hd\n", (short)a)
PRINT(type_hhd, "%hhd\n", (char)a)
PRINT(type_percent, "%%\n")
PRINT(type_percent_3, "%%%%%%\n")
PRINT(width_5, "%5d\n", a)
PRINT(width_05, "%05d\n", a)
PRINT(width_m10, "%-10d\n", a)
PRINT(width_53, "%5.3f\n", d)
PRINT(width_p3, "%.3f\n", d)
PRINT(width_star, "%*d\n", 5, a)
PRINT(width_star_star, "%*.*f\n", 9, 3, d)
PRINT(width_many, "%+08.3lf%-6lld% 3d\n", d, l, a)
PRINT(mixed_id, "%d%f\n", a, d)
PRINT(mixed_iid, "%d%d%f\n", a, a, d)
PRINT(mixed_idi, "%d%f%d\n", a, d, a)
PRINT(mixed_di, "%f%d\n", d, a)
PRINT(mixed_ddd, "%f%f%f\n", d, d, d)
PRINT(mixed_d8, "%f%f%f%f%f%f%f%f\n", d, d, d, d, d, d, d, d)
PRINT(mixed_lid, "%lld %d %f\n", l, a, d)
PRINT(string_1, "%s\n", s)
PRINT(string_literal, "%s\n", "literal")
PRINT(string_null, "%s\n", (const char *)0)
PRINT(string_2, "%s%s\n", s, s)
PRINT(string_int, "%s %d\n", s, a)
PRINT(string_int_string, "%s %d %s\n", s, a, s)
PRINT(string_5, "%s%s%s%s%s\n", s, s, s, s, s)
PRINT(string_double, "%s %f\n", s, d)
PRINT(string_width, "%10s\n", s)
PRINT(unknown_k, "%k %d\n", a)
PRINT(ends_early, "%d %", a)
PRINT(missing, "%d %d\n", a)
PRINT(surplus, "%d\n", a, a, a)

__global__ void string_lanes(int a) { printf("%d %s\n", a, texts[threadIdx.x % 32]); }
__global__ void string_local(int a)
{
    char text[12];
    for (int k = 0; k < 12; k++) text[k] = (char)(k == 11 ? 0 : 'a' + (a + k) % 26);
    printf("%s\n", text);
}
__global__ void string_shared(int a)
{
    __shared__ char text[12];
    for (int k = 0; k < 12; k++) text[k] = (char)(k == 11 ? 0 : 'a' + (a + k) % 26);
    printf("%s\n", text);
}
__global__ void one_lane(int a) { if (threadIdx.x == a) printf("lane %d\n", a); }
__global__ void even_lanes(int a) { if (threadIdx.x % 2 == 0) printf("lane %d\n", a); }
__global__ void two_sides(int a)
{
    if (threadIdx.x % 32 < 10) printf("below %d\n", a);
    else printf("above all of them %f\n", (double)a);
}
__global__ void two_formats(int a) { printf(threadIdx.x < 7 ? "first %d\n" : "the other one %d\n", a); }
__global__ void types_of_lanes(int a) { printf(threadIdx.x < 7 ? "%f\n" : "%d\n", (double)a); }
__global__ void counts_of_lanes(int a) { printf(threadIdx.x < 7 ? "%d\n" : "%d %d %d\n", a, a, a); }
__global__ void two_calls(int a)
{
    printf("first %d\n", a);
    printf("second %d\n", a);
}
__global__ void four_calls(int a) { for (int k = 0; k < a; k++) printf("%d\n", k); }
__global__ void lanes_calls(int a) { for (int k = 0; k < (int)(threadIdx.x % 4); k++) printf("%d\n", k); }
__global__ void used(int *out, int a) { out[threadIdx.x] = printf("%d\n", a); }
__global__ void format_of_variable(int a) { printf(texts[3], a); }

int main()
{
    char h[32][64];
    memset(h, 0, sizeof h);
    for (int k = 0; k < 32; k++) memset(h[k], 'a' + k % 26, k);
    CHECK(cudaMemcpyToSymbol(texts, h, sizeof h));
    const char *t;
    CHECK(cudaGetSymbolAddress((void **)&t, texts));
    int *out = device_words<int>(4096, true);
    int a = 4;
    long long l = 1ll << 40;
    double d = 1.5;
#define LANES(name, count) LAUNCH(name, 1, count, a, l, d, t + 64 * 5);
#define ONE(name) LANES(name, 1)
#define FIVE(name) LANES(name, 5)
#define FULL(name) LANES(name, 32)
    ONE(length_0) ONE(length_1) ONE(length_2) ONE(length_3) ONE(length_4) ONE(length_9) ONE(length_10) ONE(length_33)
    ONE(length_64) ONE(length_100) ONE(length_250) ONE(length_300)
    ONE(ints_1) ONE(ints_2) ONE(ints_3) ONE(ints_4) ONE(ints_8) ONE(ints_9) ONE(ints_12) ONE(ints_16) ONE(ints_20)
    ONE(ints_27) ONE(ints_30) ONE(ints_31) ONE(ints_32) ONE(ints_36)
    ONE(type_lld) ONE(type_ld) ONE(type_zu) ONE(type_f) ONE(type_g) ONE(type_e) ONE(type_u) ONE(type_x) ONE(type_llx)
    ONE(type_c) ONE(type_p) ONE(type_hd) ONE(type_hhd) ONE(type_percent) ONE(type_percent_3)
    ONE(width_5) ONE(width_05) ONE(width_m10) ONE(width_53) ONE(width_p3) ONE(width_star) ONE(width_star_star) ONE(width_many)
    ONE(mixed_id) ONE(mixed_iid) ONE(mixed_idi) ONE(mixed_di) ONE(mixed_ddd) ONE(mixed_d8) ONE(mixed_lid)
    ONE(string_1) ONE(string_literal) ONE(string_null) ONE(string_2) ONE(string_int) ONE(string_int_string) ONE(string_5)
    ONE(string_double) ONE(string_width) ONE(unknown_k) ONE(ends_early) ONE(missing) ONE(surplus)
    static const int offsets[] = {0, 64, 64 * 2 + 1, 64 * 8, 64 * 9, 64 * 16, 64 * 31}; /* lengths and alignments of texts */
    for (int offset : offsets) LAUNCH(string_1, 1, 1, a, l, d, t + offset);
    FULL(length_0) FULL(length_10) FULL(ints_1) FULL(ints_2) FULL(ints_9) FULL(ints_32) FULL(mixed_lid) FULL(string_1) FULL(string_5)
    FULL(width_star_star) FULL(type_f)
    FIVE(length_10) FIVE(ints_3) FIVE(string_int) FIVE(mixed_id)
    static const int shapes[][2] = {{1, 2},  {1, 3},    {1, 16}, {1, 31}, {1, 33}, {1, 64},
                                    {1, 128}, {1, 1024}, {2, 1},  {8, 32}, {64, 1}, {64, 64}}; /* blocks, threads of each */
    for (const int *shape : shapes) LAUNCH(ints_1, shape[0], shape[1], a, l, d, t);
    LAUNCH(string_lanes, 1, 32, a);
    LAUNCH(string_lanes, 1, 5, a);
    LAUNCH(string_local, 1, 1, a);
    LAUNCH(string_local, 1, 32, a);
    LAUNCH(string_shared, 1, 1, a);
    LAUNCH(string_shared, 1, 32, a);
    LAUNCH(one_lane, 1, 32, a);
    LAUNCH(one_lane, 1, 64, 63);
    LAUNCH(even_lanes, 1, 32, a);
    LAUNCH(two_sides, 1, 32, a);
    LAUNCH(two_formats, 1, 32, a);
    LAUNCH(types_of_lanes, 1, 32, a);
    LAUNCH(counts_of_lanes, 1, 32, a);
    LAUNCH(two_calls, 1, 1, a);
    LAUNCH(two_calls, 1, 32, a);
    LAUNCH(four_calls, 1, 1, a);
    LAUNCH(four_calls, 1, 32, a);
    LAUNCH(four_calls, 4, 64, a);
    LAUNCH(lanes_calls, 1, 32, a);
    LAUNCH(used, 1, 1, out, a);
    LAUNCH(used, 1, 32, out, a);
    LAUNCH(format_of_variable, 1, 1, a);
    return 0;
}
