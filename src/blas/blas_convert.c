#include "blas/blas_convert.h"

#include "base/half.h"

#include <math.h>
#include <string.h>

size_t blas_element_bytes(int type)
{
    switch (type) {
    case BLAS_R_8I:
    case BLAS_R_8U:
    case BLAS_R_8F_E4M3:
    case BLAS_R_8F_E5M2: return 1;
    case BLAS_R_16F:
    case BLAS_R_16BF: return 2;
    case BLAS_R_32F:
    case BLAS_R_32I: return 4;
    case BLAS_R_64F:
    case BLAS_C_32F: return 8;
    case BLAS_C_64F: return 16;
    default: return 0;
    }
}

bool blas_is_work_type(int type, blas_type work)
{
    static const int same[] = {BLAS_R_32F, BLAS_R_64F, BLAS_C_32F, BLAS_C_64F};
    return type == same[work];
}

/* ---------------------------------------------------------------- numbers of 8 and 16 bits */
static float from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint16_t to_bf16(float f)
{
    uint32_t bits = to_bits(f);
    if (isnan(f)) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float from_e4m3(uint8_t b)
{
    uint32_t exponent = b >> 3 & 15, mantissa = b & 7;
    float f = exponent ? ldexpf((float)(8 + mantissa), (int)exponent - 10) : ldexpf((float)mantissa, -9);
    if (exponent == 15 && mantissa == 7) f = NAN;
    return b >> 7 ? -f : f;
}

static float from_e5m2(uint8_t b) { return lw_float_of_half((uint16_t)(b << 8)); }

/* The representable magnitude nearest to f among the 128 of a format, ties to the even code; too large: the largest. */
static uint8_t to_fp8(float f, float (*decode)(uint8_t), uint8_t largest)
{
    uint8_t sign = signbit(f) ? 0x80 : 0, low = 0, high = largest;
    float x = fabsf(f);
    if (isnan(f)) return 0x7f;
    if (x >= decode(largest)) return sign | largest;
    while (high - low > 1) {
        uint8_t middle = (uint8_t)((low + high) / 2);
        if (decode(middle) <= x) low = middle;
        else high = middle;
    }
    float below = x - decode(low), above = decode(high) - x;
    bool up = above < below || (above == below && (high & 1) == 0);
    return sign | (up ? high : low);
}

/* ---------------------------------------------------------------- one element */
static double read_real(int type, const void *p)
{
    switch (type) {
    case BLAS_R_32F: return *(const float *)p;
    case BLAS_R_64F: return *(const double *)p;
    case BLAS_R_16F: return lw_float_of_half(*(const uint16_t *)p);
    case BLAS_R_16BF: return from_bits((uint32_t)*(const uint16_t *)p << 16);
    case BLAS_R_8I: return *(const int8_t *)p;
    case BLAS_R_8U: return *(const uint8_t *)p;
    case BLAS_R_32I: return *(const int32_t *)p;
    case BLAS_R_8F_E4M3: return from_e4m3(*(const uint8_t *)p);
    case BLAS_R_8F_E5M2: return from_e5m2(*(const uint8_t *)p);
    default: return 0;
    }
}

static double clamped(double x, double low, double high) { return x < low ? low : x > high ? high : rint(x); }

static void write_real(int type, void *p, double x)
{
    switch (type) {
    case BLAS_R_32F: *(float *)p = (float)x; break;
    case BLAS_R_64F: *(double *)p = x; break;
    case BLAS_R_16F: *(uint16_t *)p = lw_half_of_float((float)x); break;
    case BLAS_R_16BF: *(uint16_t *)p = to_bf16((float)x); break;
    case BLAS_R_8I: *(int8_t *)p = (int8_t)clamped(x, -128, 127); break;
    case BLAS_R_8U: *(uint8_t *)p = (uint8_t)clamped(x, 0, 255); break;
    case BLAS_R_32I: *(int32_t *)p = (int32_t)(uint32_t)(int64_t)x; break; /* wraps, as the tensor cores' sums do */
    case BLAS_R_8F_E4M3: *(uint8_t *)p = to_fp8((float)x, from_e4m3, 0x7e); break;
    case BLAS_R_8F_E5M2: *(uint8_t *)p = to_fp8((float)x, from_e5m2, 0x7b); break;
    default: break;
    }
}

/* ---------------------------------------------------------------- arrays */
static size_t parts(int type) { return type == BLAS_C_32F || type == BLAS_C_64F ? 2 : 1; }
static int part_type(int type) { return type == BLAS_C_32F ? BLAS_R_32F : type == BLAS_C_64F ? BLAS_R_64F : type; }

static void put_work(blas_type work, void *to, int64_t at, double x)
{
    if (blas_real(work) == BLAS_S) ((float *)to)[at] = (float)x;
    else ((double *)to)[at] = x;
}

static double get_work(blas_type work, const void *from, int64_t at)
{
    return blas_real(work) == BLAS_S ? (double)((const float *)from)[at] : ((const double *)from)[at];
}

/* Reals as reals that are computed in: loops for the types that large products are made of. */
static bool fast_line(blas_type work, void *to, int type, const void *from, int64_t n, const float *of_bytes)
{
    float *out = to;
    if (blas_is_work_type(type, work)) memcpy(to, from, (size_t)n * blas_type_bytes[work]);
    else if (work == BLAS_S && type == BLAS_R_16F)
        for (int64_t i = 0; i < n; i++) out[i] = lw_float_of_half(((const uint16_t *)from)[i]);
    else if (work == BLAS_S && type == BLAS_R_16BF)
        for (int64_t i = 0; i < n; i++) out[i] = from_bits((uint32_t)((const uint16_t *)from)[i] << 16);
    else if (work == BLAS_S && of_bytes)
        for (int64_t i = 0; i < n; i++) out[i] = of_bytes[((const uint8_t *)from)[i]];
    else if (work == BLAS_D && type == BLAS_R_8I)
        for (int64_t i = 0; i < n; i++) ((double *)to)[i] = ((const int8_t *)from)[i];
    else return false;
    return true;
}

void blas_to_work(blas_type work, void *to, int type, const void *from, int64_t ld, int64_t rows, int64_t columns)
{
    size_t each = blas_element_bytes(type), n = parts(type);
    int64_t wide = blas_is_complex(work) ? 2 : 1;
    bool bytes = type == BLAS_R_8F_E4M3 || type == BLAS_R_8F_E5M2;
    float of_bytes[256]; /* the numbers of 8 bits, where there are many */
    bool many = bytes && rows * columns > 1024;
    for (int b = 0; many && b < 256; b++) of_bytes[b] = (float)read_real(type, &(uint8_t){(uint8_t)b});
    for (int64_t j = 0; j < columns; j++) {
        const char *line = (const char *)from + (size_t)(j * ld) * each;
        if (fast_line(work, (char *)to + (size_t)(j * rows) * blas_type_bytes[work], type, line, rows,
                      many ? of_bytes : NULL))
            continue;
        for (int64_t i = 0; i < rows; i++) {
            const char *p = line + (size_t)i * each;
            int64_t at = (i + j * rows) * wide;
            put_work(work, to, at, read_real(part_type(type), p));
            if (wide == 2) put_work(work, to, at + 1, n == 2 ? read_real(part_type(type), p + each / 2) : 0);
        }
    }
}

void blas_from_work(blas_type work, const void *from, int type, void *to, int64_t ld, int64_t rows, int64_t columns)
{
    size_t each = blas_element_bytes(type), n = parts(type);
    int64_t wide = blas_is_complex(work) ? 2 : 1;
    bool same = blas_is_work_type(type, work);
    for (int64_t j = 0; j < columns; j++) {
        char *line = (char *)to + (size_t)(j * ld) * each;
        if (same) memcpy(line, (const char *)from + (size_t)(j * rows) * each, (size_t)rows * each);
        for (int64_t i = 0; !same && i < rows; i++) {
            char *p = line + (size_t)i * each;
            int64_t at = (i + j * rows) * wide;
            write_real(part_type(type), p, get_work(work, from, at));
            if (n == 2) write_real(part_type(type), p + each / 2, get_work(work, from, at + 1));
        }
    }
}

void blas_scalar_to_work(blas_type work, void *to, int type, const void *from)
{
    blas_to_work(work, to, type, from, 1, 1, 1);
}
