/* texture_texel.inl: what a channel of texels reads as. */

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* Exactly; payloads of NaNs are kept. */
static inline uint32_t half_bits(uint16_t half)
{
    const float scale = 0x1p112f; /* the difference of the exponents' biases */
    uint32_t rest = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t finite = bits_of(float_of(rest) * scale);
    return sign | (rest >= UINT32_C(0x1f) << 23 ? rest | UINT32_C(0xff) << 23 : finite);
}

#define READ_16(expression)                                                                                            \
    EACH_LANE                                                                                                          \
    {                                                                                                                  \
        uint16_t raw;                                                                                                  \
        memcpy(&raw, first + at[l], 2);                                                                                \
        out[l] = (expression);                                                                                         \
    }

/* Channel c of the texels that lie `at` bytes behind the first one. */
static inline __attribute__((always_inline)) void read_channel(const host_texture *t, const tex_shape *s, uint32_t c,
                                                               const uint64_t at[LANES], uint32_t out[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(s->address) + c * t->width;
    const uint32_t *table = t->byte_value[c == 3];
    switch (t->texel) {
    case TEX_WORD:
#pragma GCC unroll 8
        for (uint32_t l = 0; l < LANES; l++) memcpy(&out[l], first + at[l], 4);
        break;
    case TEX_BYTE: EACH_LANE out[l] = table[first[at[l]]]; break;
    case TEX_HALF: READ_16(half_bits(raw)); break;
    case TEX_U16: READ_16(raw); break;
    case TEX_S16: READ_16((uint32_t)(int16_t)raw); break;
    case TEX_U16_FRACTION: READ_16(bits_of((float)raw / 65535.0f)); break;
    case TEX_S16_FRACTION: READ_16(bits_of((float)LW_MAX((int16_t)raw, -32767) / 32767.0f)); break;
    }
}
#undef READ_16
