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

/* Channels of so many bits, from the low ones of words on, as what they read as. */
static inline __attribute__((always_inline)) void convert_channel(const host_texture *t, uint32_t c,
                                                                  const uint32_t raw[LANES], uint32_t out[LANES])
{
    switch (t->texel[c]) {
    case TEX_WORD: EACH_LANE out[l] = raw[l]; break;
    case TEX_HALF: EACH_LANE out[l] = half_bits((uint16_t)raw[l]); break;
    case TEX_U8: EACH_LANE out[l] = raw[l] & 255; break;
    case TEX_S8: EACH_LANE out[l] = (uint32_t)(int8_t)raw[l]; break;
    case TEX_U16: EACH_LANE out[l] = raw[l] & 65535; break;
    case TEX_S16: EACH_LANE out[l] = (uint32_t)(int16_t)raw[l]; break;
    case TEX_U8_FRACTION: EACH_LANE out[l] = bits_of((float)(int32_t)(raw[l] & 255) / 255.0f); break;
    case TEX_S8_FRACTION: EACH_LANE out[l] = bits_of((float)LW_MAX((int8_t)raw[l], -127) / 127.0f); break;
    case TEX_U16_FRACTION: EACH_LANE out[l] = bits_of((float)(int32_t)(raw[l] & 65535) / 65535.0f); break;
    case TEX_S16_FRACTION: EACH_LANE out[l] = bits_of((float)LW_MAX((int16_t)raw[l], -32767) / 32767.0f); break;
    case TEX_SRGB: EACH_LANE out[l] = t->srgb[raw[l] & 255]; break;
    }
}

#define LOAD_EACH(bytes)                                                                                               \
    _Pragma("GCC unroll 8") for (uint32_t l = 0; l < LANES; l++) memcpy(&out[l], first + at[l], bytes)

/* Channel c of the texels that lie `at` bytes behind the first one. */
static void read_channel(const host_texture *t, const tex_shape *s, uint32_t c, const uint64_t at[LANES],
                         uint32_t value[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(s->address) + c * t->width;
    ALIGNED uint32_t out[LANES] = {0};
    if (t->width == 4) LOAD_EACH(4);
    else if (t->width == 2) LOAD_EACH(2);
    else LOAD_EACH(1);
    convert_channel(t, c, out, value);
}
