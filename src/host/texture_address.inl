/* texture_address.inl: from coordinates of lanes to texels: floors, address modes, distances in bytes. */

/* Coordinates that are no number or too far out for an int32: to where the address mode brings them, or out of range. */
static void bring_near(int mode, int32_t size, float x[LANES])
{
    const float far = (float)TEX_MOST_INDEX;
    bool repeats = mode == HOST_ADDRESS_WRAP || mode == HOST_ADDRESS_MIRROR;
    for (uint32_t l = 0; l < LANES; l++) {
        if (fabsf(x[l]) < far) continue;
        if (repeats) x[l] = fabsf(x[l]) <= FLT_MAX ? fmodf(x[l], 2 * (float)size) : 0;
        else x[l] = x[l] > 0 ? far : x[l] < 0 ? -far : 0; /* what is no number is 0, as recorded on cards */
    }
}

/* A normalised coordinate in texels: what repeats is brought to the first period before, and the product is rounded down (as recorded
 * on cards). The rest of a product is exact: what is not normal was made 0 before. */
static inline __attribute__((always_inline)) float scaled(int mode, float scale, float x)
{
    if (mode == HOST_ADDRESS_WRAP) x -= floorf(x);
    if (mode == HOST_ADDRESS_MIRROR) x -= 2 * floorf(0.5f * x);
    float product = x * scale;
#ifdef __FMA__
    int32_t above = __builtin_fmaf(x, scale, -product) < 0;
#else
    int32_t above = (double)product > (double)x * (double)scale;
#endif
    int32_t bits = (int32_t)bits_of(product), next = 2 * (int32_t)(bits < 0) - 1;
    return float_of((uint32_t)(bits + (next & -above)));
}

/* A coordinate of all lanes, in texels; 0 of those not asked for. What is tested are bits, and nothing by branches, so that
 * the compiler vectorises it. */
static void texel_coordinates(const lane_place *p, const tex_shape *s, uint32_t lanes, uint32_t d, float x[LANES])
{
    const uint32_t *bits = p->bits[d], size = UINT32_MAX >> 1, least = bits_of(FLT_MIN);
    bool repeats = p->mode[d] == HOST_ADDRESS_WRAP || p->mode[d] == HOST_ADDRESS_MIRROR;
    uint32_t most = repeats ? bits_of(FLT_MAX) : UINT32_MAX, far = 0;
    ALIGNED uint32_t kept[LANES];
    EACH_LANE
    {
        uint32_t number = bits[l] & size;
        uint32_t counts = (number >= least) & (number <= most) & ((lanes & lane_bit[l]) != 0);
        kept[l] = bits[l] & (0 - counts);
    }
    memcpy(x, kept, sizeof kept);
    float scale = (float)s->size[d];
    if (p->normalized && p->mode[d] == HOST_ADDRESS_WRAP) EACH_LANE x[l] = scaled(HOST_ADDRESS_WRAP, scale, x[l]);
    else if (p->normalized && repeats) EACH_LANE x[l] = scaled(HOST_ADDRESS_MIRROR, scale, x[l]);
    else if (p->normalized) EACH_LANE x[l] = scaled(HOST_ADDRESS_CLAMP, scale, x[l]);
    EACH_LANE
    {
        uint32_t number;
        memcpy(&number, &x[l], 4);
        number &= size;
        far = number > far ? number : far;
    }
    if (far >= bits_of((float)TEX_MOST_INDEX)) bring_near(p->mode[d], s->size[d], x);
}

static inline void floor_lanes(const float x[LANES], int32_t out[LANES])
{
    EACH_LANE
    {
        int32_t n = (int32_t)x[l];
        out[l] = n - ((float)n > x[l]);
    }
}

static inline void add_offsets(const uint32_t *offset, int32_t at[LANES])
{
    if (offset) EACH_LANE at[l] += (int32_t)offset[l];
}

/* An index that lies more than one size outside. */
static int32_t far_index(int mode, int32_t size, int32_t at)
{
    int32_t period = mode == HOST_ADDRESS_WRAP ? size : 2 * size;
    int32_t m = at % period;
    if (m < 0) m += period;
    return m < size ? m : period - 1 - m;
}

/* Indices of lanes under an address mode; returns the lanes that are not of the border, whose index becomes 0. */
static uint32_t address_lanes(int mode, int32_t size, int32_t at[LANES])
{
    uint32_t out = 0;
    switch (mode) {
    case HOST_ADDRESS_CLAMP:
        EACH_LANE
        {
            int32_t n = at[l] < size - 1 ? at[l] : size - 1;
            at[l] = n > 0 ? n : 0;
        }
        return UINT32_MAX;
    case HOST_ADDRESS_WRAP:
    case HOST_ADDRESS_MIRROR:
        EACH_LANE
        {
            int32_t n = at[l], low = mode == HOST_ADDRESS_WRAP ? n + size : -1 - n;
            int32_t high = mode == HOST_ADDRESS_WRAP ? n - size : 2 * size - 1 - n;
            n = n < 0 ? low : n >= size ? high : n;
            out |= n < 0 || n >= size ? lane_bit[l] : 0;
            at[l] = n < 0 || n >= size ? at[l] : n;
        }
        for (uint32_t m = out; m; m &= m - 1) {
            uint32_t l = (uint32_t)__builtin_ctz(m);
            at[l] = far_index(mode, size, at[l]);
        }
        return UINT32_MAX;
    default:
        EACH_LANE
        {
            bool outside = at[l] < 0 || at[l] >= size;
            out |= outside ? lane_bit[l] : 0;
            at[l] = outside ? 0 : at[l];
        }
        return ~out;
    }
}

/* Goes so many steps on in one dimension. */
static inline void add_steps(uint64_t at[LANES], const int32_t index[LANES], uint64_t step)
{
    if (step <= UINT32_MAX) EACH_LANE at[l] += (uint64_t)(uint32_t)index[l] * (uint32_t)step;
    else EACH_LANE at[l] += (uint64_t)(uint32_t)index[l] * step;
}

/* At the first texel of each lane's layer. Numbers of layers are clamped. */
static void begin_texels(const lane_place *p, const tex_shape *s, lane_texels *out)
{
    memset(out->at, 0, sizeof out->at);
    out->inside = UINT32_MAX;
    if (!p->layer) return;
    uint32_t last = (uint32_t)s->size[2] - 1;
    EACH_LANE out->at[l] = (uint64_t)(p->layer[l] < last ? p->layer[l] : last) * s->slice;
}

static inline uint64_t step_of(const host_texture *t, const tex_shape *s, uint32_t dimension)
{
    return dimension == 0 ? t->bytes : dimension == 1 ? s->pitch : s->slice;
}
