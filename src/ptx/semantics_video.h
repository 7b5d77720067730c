/* ptx/semantics_video.h: one function for all scalar (vadd ...) and SIMD (vadd2, vadd4 ...) video instructions, driven
 * by a descriptor that the decoder fills. Parts of a and b are widened to 64 bits, combined, saturated to the part of d
 * that is written, then combined or merged with c. Included by semantics.h. */
typedef enum video_kind {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SHL,
    VIDEO_SHR,
    VIDEO_MAD,
    VIDEO_SET,
    VIDEO_AVRG
} video_kind;
typedef enum video_second { VIDEO_NO_SECOND, VIDEO_SECOND_ADD, VIDEO_SECOND_MIN, VIDEO_SECOND_MAX } video_second;
typedef enum video_compare { VIDEO_EQ, VIDEO_NE, VIDEO_LT, VIDEO_LE, VIDEO_GT, VIDEO_GE } video_compare;

typedef struct video_op {
    u8 kind, second, compare;
    u8 parts; /* 1: scalar; 2, 4: SIMD */
    bool d_signed, a_signed, b_signed, saturate, wrap;
    bool plus_one, negate_product, negate_c; /* vmad */
    u8 shift;                                /* vmad: 0, 7, 15 */
    u8 a_part, b_part, d_part;               /* scalar: 0 whole, 1-4 bytes 0-3, 5-6 halves */
    u8 a_lane[4], b_lane[4], mask; /* SIMD: which of the 2 * parts lanes of {b, a}; lanes of d that are written */
} video_op;

SEM s64 video_widen(u32 x, u32 bits, bool is_signed)
{
    u32 up = 32 - bits;
    return is_signed ? (s64)((s32)(x << up) >> up) : (s64)(x << up >> up);
}
SEM u32 video_part_bits(u32 part) { return part == 0 ? 32 : part < 5 ? 8 : 16; }
SEM u32 video_part_shift(u32 part) { return part == 0 ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5); }
SEM s64 video_select(u32 x, u32 part, bool is_signed)
{
    return video_widen(x >> video_part_shift(part), video_part_bits(part), is_signed);
}
SEM s64 video_saturate(s64 x, u32 bits, bool is_signed)
{
    s64 high = ((s64)1 << (is_signed ? bits - 1 : bits)) - 1, low = is_signed ? -high - 1 : 0;
    return x > high ? high : x < low ? low : x;
}
SEM bool video_compared(s64 a, s64 b, u32 compare)
{
    switch (compare) {
    case VIDEO_EQ: return a == b;
    case VIDEO_NE: return a != b;
    case VIDEO_LT: return a < b;
    case VIDEO_LE: return a <= b;
    case VIDEO_GT: return a > b;
    default: return a >= b;
    }
}
SEM s64 video_combine(const video_op *v, s64 a, s64 b)
{
    u32 n = v->wrap ? (u32)b & 31 : (u64)b > 32 ? 32 : (u32)b;
    switch (v->kind) {
    case VIDEO_ADD: return a + b;
    case VIDEO_SUB: return a - b;
    case VIDEO_ABSDIFF: return a > b ? a - b : b - a;
    case VIDEO_MIN: return a < b ? a : b;
    case VIDEO_MAX: return a > b ? a : b;
    case VIDEO_SHL: return (s64)((u64)a << n);
    case VIDEO_SHR: return a >> n;
    case VIDEO_AVRG: return (a + b + (a + b >= 0)) >> 1; /* halves away from zero */
    default: return video_compared(a, b, v->compare);
    }
}
SEM u32 video_mad(const video_op *v, u32 a, u32 b, u32 c)
{
    bool is_signed = v->a_signed || v->b_signed || v->negate_product || v->negate_c;
    __int128 product = (__int128)video_select(a, v->a_part, v->a_signed) * video_select(b, v->b_part, v->b_signed);
    __int128 addend = is_signed ? (__int128)(s32)c : (__int128)c;
    __int128 x = (v->negate_product ? -product : product) + (v->negate_c ? -addend : addend) + v->plus_one;
    x >>= v->shift;
    __int128 high = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
    if (v->saturate) x = x > high ? high : x < low ? low : x;
    return (u32)x;
}
SEM u32 video_scalar(const video_op *v, u32 a, u32 b, u32 c)
{
    if (v->kind == VIDEO_MAD) return video_mad(v, a, b, c);
    s64 x = video_combine(v, video_select(a, v->a_part, v->a_signed), video_select(b, v->b_part, v->b_signed));
    u32 bits = video_part_bits(v->d_part), shift = video_part_shift(v->d_part);
    if (v->saturate) x = video_saturate(x, bits, v->d_signed);
    u32 r = (u32)x;
    bool below = v->d_signed ? (s32)r < (s32)c : r < c;
    switch (v->second) {
    case VIDEO_SECOND_ADD: return r + c;
    case VIDEO_SECOND_MIN: return below ? r : c;
    case VIDEO_SECOND_MAX: return below ? c : r;
    default: break;
    }
    if (bits == 32) return r;
    u32 written = ((1u << bits) - 1) << shift;
    return (c & ~written) | (r << shift & written);
}
SEM u32 video_simd(const video_op *v, u32 a, u32 b, u32 c)
{
    u32 bits = 32u / v->parts, d = c;
    u64 ab = (u64)b << 32 | a;
    for (u32 k = 0; k < v->parts; k++) {
        if (!(v->mask >> k & 1)) continue;
        s64 x = video_combine(v, video_widen((u32)(ab >> (bits * v->a_lane[k])), bits, v->a_signed),
                              video_widen((u32)(ab >> (bits * v->b_lane[k])), bits, v->b_signed));
        if (v->saturate) x = video_saturate(x, bits, v->d_signed);
        u32 written = ((1u << bits) - 1) << bits * k;
        if (v->second == VIDEO_SECOND_ADD) d += (u32)x;
        else d = (d & ~written) | ((u32)x << bits * k & written);
    }
    return d;
}
SEM u32 video(const video_op *v, u32 a, u32 b, u32 c)
{
    return v->parts == 1 ? video_scalar(v, a, b, c) : video_simd(v, a, b, c);
}
