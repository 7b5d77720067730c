/* Reference of conversions and pads: every value goes through a double, which holds all of them, and is rounded once. */
#include <math.h>
#include <string.h>
#include "ref.h"

/* Fraction bits, lowest exponent of a normal number, largest finite value, of the small formats. */
typedef struct format {
    int bits, fraction, lowest;
    double most;
    bool saturates;
} format;

static format format_of(int type)
{
    switch (type) {
    case LW_F16: return (format){16, 10, -14, 65504, false};
    case LW_BF16: return (format){16, 7, -126, 0x1.fep127, false};
    case LW_F8E4M3: return (format){8, 3, -6, 448, true};
    default: return (format){8, 2, -14, 57344, true};
    }
}

static double decode(uint64_t v, int type)
{
    float f;
    double d;
    if (type == LW_U8) return (double)(uint8_t)v;
    if (type == LW_I8) return (double)(int8_t)v;
    if (type == LW_F64) {
        memcpy(&d, &v, 8);
        return d;
    }
    if (type == LW_F32) {
        uint32_t w = (uint32_t)v;
        memcpy(&f, &w, 4);
        return (double)f;
    }
    format k = format_of(type);
    uint64_t magnitude = v & ((1u << (k.bits - 1)) - 1);
    int exponent = (int)(magnitude >> k.fraction), top = (1 << (k.bits - 1 - k.fraction)) - 1;
    uint64_t rest = magnitude & ((1u << k.fraction) - 1);
    double sign = v >> (k.bits - 1) & 1 ? -1 : 1;
    if (type == LW_F8E4M3 ? magnitude == 0x7f : exponent == top && rest) return NAN;
    if (type != LW_F8E4M3 && exponent == top) return sign * INFINITY;
    if (exponent == 0) return sign * ldexp((double)rest, k.lowest - k.fraction);
    return sign * ldexp((double)(rest + (1u << k.fraction)), k.lowest + exponent - 1 - k.fraction);
}

static uint64_t encode_small(double x, int type)
{
    format k = format_of(type);
    uint64_t sign = (uint64_t)(signbit(x) != 0) << (k.bits - 1), inf = (uint64_t)((1 << (k.bits - 1 - k.fraction)) - 1)
                                                                       << k.fraction;
    int e;
    if (isnan(x)) return type == LW_F8E4M3 ? 0x7f : inf | ((1u << k.fraction) - 1);
    x = fabs(x);
    frexp(x, &e);
    e = e - 1 < k.lowest || x == 0 ? k.lowest : e - 1;
    double step = ldexp(1, e - k.fraction), rounded = isinf(x) ? x : nearbyint(x / step) * step;
    if (rounded > k.most) {
        if (!k.saturates) return sign | inf;
        rounded = k.most;
    }
    frexp(rounded, &e);
    if (rounded == 0) return sign;
    if (e - 1 < k.lowest) return sign | (uint64_t)ldexp(rounded, k.fraction - k.lowest);
    uint64_t fraction = (uint64_t)ldexp(rounded, k.fraction - (e - 1)) - (1u << k.fraction);
    return sign | (uint64_t)(e - 1 - k.lowest + 1) << k.fraction | fraction;
}

static uint64_t encode(double x, int type)
{
    if (type == LW_U8 || type == LW_I8) {
        double lo = type == LW_U8 ? 0 : -128, hi = type == LW_U8 ? 255 : 127;
        return isnan(x) ? 0 : (uint64_t)(int64_t)nearbyint(x < lo ? lo : x > hi ? hi : x);
    }
    if (type == LW_F64) {
        uint64_t v;
        memcpy(&v, &x, 8);
        return v;
    }
    if (type == LW_F32) {
        float f = (float)x;
        uint32_t w;
        memcpy(&w, &f, 4);
        return w;
    }
    return encode_small(x, type);
}

static uint64_t swapped(uint64_t v, int bytes)
{
    uint64_t r = 0;
    for (int i = 0; i < bytes; i++) r = r << 8 | (v >> 8 * i & 255);
    return r;
}

void lw_ref_convert(const lw_tensor *dst, const lw_tensor *src, const int *perm, uint32_t flags)
{
    int64_t index[LW_OPS_MAX_RANK] = {0};
    int in = lw_type_bytes(src->type), out = lw_type_bytes(dst->type), parts = flags & LW_CONVERT_COMPLEX ? 2 : 1, at;
    for (int i = 0; i < dst->rank; i++) {
        if (!dst->extent[i]) return;
    }
    do {
        char *d = dst->data;
        const char *s = src->data;
        for (int i = 0; i < dst->rank; i++) {
            d += index[i] * dst->stride[i];
            s += index[i] * src->stride[perm ? perm[i] : i];
        }
        for (int c = 0; c < parts; c++) {
            uint64_t v = 0;
            bool minus = c && flags & LW_CONVERT_CONJUGATE;
            memcpy(&v, s + c * in, (size_t)in);
            if (flags & LW_CONVERT_SWAP_INPUT) v = swapped(v, in);
            if (src->type != dst->type) v = encode(minus ? -decode(v, src->type) : decode(v, src->type), dst->type);
            else if (minus) v ^= 1ull << (8 * in - 1);
            if (flags & LW_CONVERT_SWAP_OUTPUT) v = swapped(v, out);
            memcpy(d + c * out, &v, (size_t)out);
        }
        for (at = dst->rank - 1; at >= 0 && ++index[at] == dst->extent[at]; at--) index[at] = 0;
    } while (at >= 0);
}

void lw_ref_pad(const lw_tensor *dst, const lw_tensor *src, const int64_t *before, const void *value)
{
    int64_t index[LW_OPS_MAX_RANK] = {0};
    int elem = dst->elem_bytes, at;
    for (int i = 0; i < dst->rank; i++) {
        if (!dst->extent[i]) return;
    }
    do {
        char *d = dst->data;
        const char *s = src->data;
        bool inside = true;
        for (int i = 0; i < dst->rank; i++) {
            int64_t j = index[i] - before[i];
            d += index[i] * dst->stride[i];
            s += j * src->stride[i];
            inside = inside && j >= 0 && j < src->extent[i];
        }
        memcpy(d, inside ? s : (const char *)value, (size_t)elem);
        for (at = dst->rank - 1; at >= 0 && ++index[at] == dst->extent[at]; at--) index[at] = 0;
    } while (at >= 0);
}
