/* texture_quick.inl: what most fetches are, in few passes over the lanes: coordinates that are not far out, texels less than 2^31
 * bytes apart, no offsets, nothing of the border. Results and counts are those of texture_filter.inl, which does all else. */

/* Vectors of this many lanes are loaded at once where their texels follow each other. */
enum { HALF = LANES / 2 };

/* What the lanes' indices in one dimension add to the distance of their texels (in bytes) and to the number of their sectors. Of
 * filters [1] is the far one, and `far` its weight; an index without a weight is the other one for sectors. */
typedef struct quick_axis {
    ALIGNED uint32_t at[2][LANES];
    ALIGNED uint32_t sector[2][LANES];
    ALIGNED int32_t far[LANES];
} quick_axis;

#define QUICK static inline __attribute__((always_inline))

/* A coordinate in texels, brought to where indices are found without further tests; what is no number counts as 0, and so does what
 * is below normal, where it matters: as texel_coordinates() and address modes have it. Of the border: outside. */
QUICK float quick_place(int mode, float least, float most, float x)
{
    if (mode == HOST_ADDRESS_BORDER) {
        uint32_t number = bits_of(x) & (UINT32_MAX >> 1), counts = number >= bits_of(FLT_MIN);
        x = float_of(bits_of(x) & (0 - counts));
    }
    x = x > least ? x : least;
    if (mode == HOST_ADDRESS_WRAP || mode == HOST_ADDRESS_MIRROR) return x;
    return x < most ? x : most;
}

/* An index that quick_place() allows, or the next one. Of the border: also what is outside. */
QUICK int32_t quick_index(int mode, int32_t size, int32_t n)
{
    int32_t turned = 2 * size - 1 - n;
    switch (mode) {
    case HOST_ADDRESS_CLAMP: return n < size - 1 ? n : size - 1;
    case HOST_ADDRESS_WRAP: return n < 0 ? size - 1 : n < size ? n : 0;
    case HOST_ADDRESS_MIRROR: n = n < turned ? n : turned; return n > 0 ? n : 0;
    default: return n;
    }
}

/* Returns whether any of the lanes is outside, which only a border allows. */
QUICK uint32_t quick_find(int mode, bool normalized, bool linear, const uint32_t *bits, const tex_step *step,
                          uint32_t lanes, quick_axis *out)
{
    uint32_t outside = 0, size = step->size;
    float half = step->half, least = step->least, most = step->most;
    EACH_LANE
    {
        float x = float_of(bits[l]), low;
        if (normalized) x = scaled(mode, (float)(int32_t)size, x);
        x = quick_place(mode, least, most, x);
        if (linear) x -= 0.5f;
        low = floorf(x);
        int32_t n = (int32_t)low, near = quick_index(mode, (int32_t)size, n);
        uint32_t from = (uint32_t)near * step->scale, sector = (from >> step->high) * step->times;
        sector += from >> step->low & step->mask;
        if (mode == HOST_ADDRESS_BORDER) outside |= ((uint32_t)near >= size) & ((lanes & lane_bit[l]) != 0);
        out->at[0][l] = (uint32_t)near * step->bytes;
        if (linear) {
            float part = (x - low) * 256.0f;
            int32_t far = (int32_t)part, next = quick_index(mode, (int32_t)size, n + 1);
            far += part - (float)far >= half;
            from = (uint32_t)next * step->scale;
            uint32_t other = (from >> step->high) * step->times + (from >> step->low & step->mask);
            if (mode == HOST_ADDRESS_BORDER) outside |= ((uint32_t)next >= size) & ((lanes & lane_bit[l]) != 0);
            out->at[1][l] = (uint32_t)next * step->bytes;
            out->far[l] = far;
            out->sector[1][l] = far <= 0 ? sector : other;
            sector = far >= 256 ? other : sector;
        }
        out->sector[0][l] = sector;
    }
    return outside;
}

/* The ways of a dimension, each compiled for itself. */
#define WAY(mode, normalized)                                                                                          \
    case (mode) * 2 + (normalized): return quick_find(mode, normalized, linear, bits, step, lanes, out);
#define WAYS                                                                                                           \
    switch (way) {                                                                                                     \
        WAY(HOST_ADDRESS_CLAMP, 0)                                                                                     \
        WAY(HOST_ADDRESS_CLAMP, 1)                                                                                     \
        WAY(HOST_ADDRESS_BORDER, 0)                                                                                    \
        WAY(HOST_ADDRESS_BORDER, 1)                                                                                    \
        WAY(HOST_ADDRESS_WRAP, 1)                                                                                      \
        WAY(HOST_ADDRESS_MIRROR, 1)                                                                                    \
    default: return 1;                                                                                                 \
    }
static uint32_t quick_point_ways(int way, const uint32_t *bits, const tex_step *step, uint32_t lanes, quick_axis *out)
{
    enum { linear = false };
    WAYS
}
static uint32_t quick_linear_ways(int way, const uint32_t *bits, const tex_step *step, uint32_t lanes, quick_axis *out)
{
    enum { linear = true };
    WAYS
}
#undef WAYS
#undef WAY

/* Numbers of layers as distances and sectors of the first dimension; lanes that are off are brought to texel 0. */
static void quick_layers(const lane_place *p, const tex_shape *s, uint32_t lanes, bool linear, quick_axis axis[3])
{
    uint32_t last = (uint32_t)s->size[2] - 1, slice = (uint32_t)s->slice, tiles = s->tiles.slice;
    ALIGNED uint32_t layer[LANES];
    const uint32_t *given = p->layer;
    if (given) {
        EACH_LANE layer[l] = given[l] < last ? given[l] : last;
        for (uint32_t k = 0; k < 1u + linear; k++) {
            EACH_LANE axis[0].at[k][l] += layer[l] * slice;
            EACH_LANE axis[0].sector[k][l] += layer[l] * tiles;
        }
    }
    for (uint32_t d = 0; d < p->dimensions && lanes != UINT32_MAX; d++)
        for (uint32_t k = 0; k < 1u + linear; k++)
            EACH_LANE axis[d].at[k][l] = lanes & lane_bit[l] ? axis[d].at[k][l] : 0;
}

/* false: not as most fetches are. */
QUICK bool quick_axes(const tex_shape *s, const lane_place *p, uint32_t lanes, bool linear, quick_axis axis[3])
{
    uint32_t outside = !s->near;
    for (uint32_t d = 0; d < p->dimensions; d++) {
        int way = p->mode[d] * 2 + p->normalized;
        if (p->offset[d]) return false;
        outside |= linear ? quick_linear_ways(way, p->bits[d], &s->step[d], lanes, &axis[d])
                          : quick_point_ways(way, p->bits[d], &s->step[d], lanes, &axis[d]);
    }
    if (outside) return false;
    if (p->layer || lanes != UINT32_MAX) quick_layers(p, s, lanes, linear, axis);
    return true;
}

/* Sums of what each dimension adds: of a point, or of all corners of a filter, by the bits of their numbers. */
QUICK void quick_place_texels(uint32_t dimensions, uint32_t count, const quick_axis axis[3], uint32_t (*at)[LANES],
                              uint32_t (*sector)[LANES])
{
    for (uint32_t i = 0; i < count; i++) {
        const quick_axis *x = &axis[0], *y = &axis[1], *z = &axis[2];
        uint32_t a = i & 1, b = i >> 1 & 1, c = i >> 2;
        if (dimensions == 1) EACH_LANE at[i][l] = x->at[a][l];
        else if (dimensions == 2) EACH_LANE at[i][l] = x->at[a][l] + y->at[b][l];
        else EACH_LANE at[i][l] = x->at[a][l] + y->at[b][l] + z->at[c][l];
        if (!sector) continue;
        if (dimensions == 1) EACH_LANE sector[i][l] = x->sector[a][l];
        else if (dimensions == 2) EACH_LANE sector[i][l] = x->sector[a][l] + y->sector[b][l];
        else EACH_LANE sector[i][l] = x->sector[a][l] + y->sector[b][l] + z->sector[c][l];
    }
}

/* Of texels of 4 bytes that follow each other: how far they are from the first. */
ALIGNED static const uint32_t in_a_row[HALF] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60};

/* No bits if the texels of each of `halves` follow each other, which begin at `at`. Not unrolled, which would leave it to the
 * compiler to find vectors in what is no loop. */
QUICK uint32_t not_in_a_row(uint32_t halves, const uint32_t *at)
{
    uint32_t first = at[0], last = at[(halves - 1) * HALF], bits = 0;
#pragma GCC unroll 1
    for (uint32_t k = 0; k < HALF; k++)
        bits |= ((at[k] - in_a_row[k]) ^ first) | ((at[(halves - 1) * HALF + k] - in_a_row[k]) ^ last);
    return bits;
}

/* Bit h: the lanes of half h read texels of 4 bytes that follow each other, at each corner. Mostly both do. */
QUICK uint32_t consecutive_halves(uint32_t count, const uint32_t (*at)[LANES])
{
    uint32_t any = 0, low = 0, high = 0;
    for (uint32_t i = 0; i < count; i++) any |= not_in_a_row(2, at[i]);
    if (!any) return 3;
    for (uint32_t i = 0; i < count; i++) {
        low |= not_in_a_row(1, at[i]);
        high |= not_in_a_row(1, at[i] + HALF);
    }
    return (uint32_t)!low | (uint32_t)!high << 1;
}

/* A word of each lane's texel, or all of it if that is less. halves: as consecutive_halves(). */
QUICK void quick_words(const uint8_t *first, uint32_t bytes, uint32_t halves, const uint32_t at[LANES],
                       uint32_t out[LANES])
{
    if (bytes == 1) EACH_LANE out[l] = first[at[l]];
    else if (bytes == 2)
        for (uint32_t l = 0; l < LANES; l++) {
            uint16_t raw;
            memcpy(&raw, first + at[l], sizeof raw);
            out[l] = raw;
        }
    else
        for (uint32_t h = 0; h < 2; h++) {
            const uint32_t *a = at + h * HALF;
            uint32_t *to = out + h * HALF;
            if (halves >> h & 1) memcpy(to, first + a[0], HALF * sizeof *to);
            else
#pragma GCC unroll 16
                for (uint32_t k = 0; k < HALF; k++) memcpy(&to[k], first + a[k], sizeof to[k]);
        }
}

/* Words of texels at some corners; which word of the texel they are. */
typedef struct quick_texels {
    ALIGNED uint32_t at[8][LANES];
    ALIGNED uint32_t word[8][LANES];
    uint32_t count, halves, which;
} quick_texels;

/* Where the texels are, and what is to be counted of them. */
QUICK void quick_locate(const host_texture *t, const tex_shape *s, uint32_t dimensions, uint32_t lanes,
                        const quick_axis axis[3], const lane_result *r, quick_texels *out)
{
    uint32_t(*sector)[LANES] = add_texels(t, s, r, out->count);
    switch (out->count * 4 + dimensions) {
    case 5: quick_place_texels(1, 1, axis, out->at, sector); break;
    case 6: quick_place_texels(2, 1, axis, out->at, sector); break;
    case 7: quick_place_texels(3, 1, axis, out->at, sector); break;
    case 9: quick_place_texels(1, 2, axis, out->at, sector); break;
    case 18: quick_place_texels(2, 4, axis, out->at, sector); break;
    default: quick_place_texels(3, 8, axis, out->at, sector); break;
    }
    if (sector) end_texels(r, lanes);
    out->which = UINT32_MAX;
    out->halves = t->bytes == 4 ? consecutive_halves(out->count, (const uint32_t(*)[LANES])out->at) : 0;
}

/* Loads the words that have channel c; returns how far it is to be shifted. */
QUICK uint32_t quick_load(const host_texture *t, const tex_shape *s, uint32_t c, quick_texels *x)
{
    uint32_t byte = c * t->width, which = byte / 4;
    const uint8_t *first = (const uint8_t *)mem_storage(s->address) + 4 * which;
    if (which != x->which)
        for (uint32_t i = 0; i < x->count; i++) quick_words(first, t->bytes, x->halves, x->at[i], x->word[i]);
    x->which = which;
    return byte % 4 * 8;
}

QUICK void quick_address(const tex_shape *s, uint32_t lanes, const uint32_t at[LANES], lane_result *r)
{
    uint64_t first = s->address;
    uint64_t *address = r->address;
    if (r->fetch->addressed) EACH_LANE address[l] = first + at[l];
    r->located = lanes;
}

static void quick_value(const host_texture *t, uint32_t c, uint32_t shift, const uint32_t word[LANES],
                        uint32_t out[LANES])
{
    ALIGNED uint32_t raw[LANES];
    if (t->texel[c] == TEX_WORD) {
        EACH_LANE out[l] = word[l];
        return;
    }
    EACH_LANE raw[l] = word[l] >> shift;
    convert_channel(t, c, raw, out);
}

/* Where component c goes. */
static uint32_t *quick_result(const lane_result *r, uint32_t c)
{
    const exec_texture_fetch *f = r->fetch;
    if (!r->direct || !f->to[c]) return r->out[c];
    *f->gone |= 1u << c;
    return f->to[c];
}

static bool quick_points(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes, lane_result *r)
{
    quick_axis axis[3];
    quick_texels x;
    if (!quick_axes(s, p, lanes, false, axis)) return false;
    x.count = 1;
    quick_locate(t, s, p->dimensions, lanes, axis, r, &x);
    for (uint32_t c = 0; c < 4; c++) {
        if (!(r->components >> c & 1)) continue;
        uint32_t *out = quick_result(r, c);
        if (c < t->channels) quick_value(t, c, quick_load(t, s, c, &x), x.word[0], out);
        else memset(out, 0, LANES * sizeof *out);
    }
    quick_address(s, lanes, x.at[0], r);
    return true;
}

/* ---- linear ---- */
/* add_floats() with all inside. Products are exact in double precision, fused or not. */
#ifdef __FMA__
#define ADD_PRODUCT(sum, a, b) __builtin_fma(a, b, sum)
#else
#define ADD_PRODUCT(sum, a, b) ((sum) + (a) * (b))
#endif
static inline __attribute__((always_inline)) void quick_sum(uint32_t count, const int32_t (*weight)[LANES],
                                                            const uint32_t (*value)[LANES], double sum[LANES])
{
    EACH_LANE
    {
        double all = sum[l];
#pragma GCC unroll 8
        for (uint32_t i = 0; i < count; i++) {
            int32_t w = weight[i][l];
            all = ADD_PRODUCT(all, (double)w, (double)float_of(w ? value[i][l] : 0));
        }
        sum[l] = all;
    }
}
#undef ADD_PRODUCT

/* add_fractions() with all inside. */
static inline __attribute__((always_inline)) void quick_whole_sum(uint32_t count, const int32_t (*weight)[LANES],
                                                                  const uint32_t (*value)[LANES], double sum[LANES])
{
    EACH_LANE
    {
        int32_t all = 0;
#pragma GCC unroll 8
        for (uint32_t i = 0; i < count; i++) all += weight[i][l] * (int32_t)value[i][l];
        sum[l] += (double)all;
    }
}

static void quick_add(const host_texture *t, uint32_t c, uint32_t shift, const quick_texels *x,
                      const int32_t (*weight)[LANES], double sum[LANES])
{
    ALIGNED uint32_t value[8][LANES];
    const uint32_t(*from)[LANES] = (const uint32_t(*)[LANES])value;
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
    uint32_t unused = 32 - 8 * t->width;
    if (t->texel[c] == TEX_WORD) from = (const uint32_t(*)[LANES])x->word;
    for (uint32_t i = 0; i < x->count; i++) {
        const uint32_t *word = x->word[i];
        if (t->texel[c] == TEX_WORD) break;
        if (!t->small) quick_value(t, c, shift, word, value[i]);
        else if (is_signed) EACH_LANE value[i][l] = (uint32_t)((int32_t)(word[l] << (unused - shift)) >> unused);
        else EACH_LANE value[i][l] = word[l] << (unused - shift) >> unused;
    }
    switch (x->count * 2 + t->small) {
    case 4: quick_sum(2, weight, from, sum); break;
    case 5: quick_whole_sum(2, weight, from, sum); break;
    case 8: quick_sum(4, weight, from, sum); break;
    case 9: quick_whole_sum(4, weight, from, sum); break;
    case 16: quick_sum(8, weight, from, sum); break;
    default: quick_whole_sum(8, weight, from, sum); break;
    }
}

static bool quick_linear(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes, lane_result *r)
{
    quick_axis axis[3];
    quick_texels x;
    ALIGNED int32_t weight[8][LANES];
    bool on_edge = p->dimensions == 1 && t->mode[1] == HOST_ADDRESS_BORDER; /* as sample_linear() has it */
    if (on_edge || !quick_axes(s, p, lanes, true, axis)) return false;
    weigh_corners(p->dimensions, (const int32_t *const[3]){axis[0].far, axis[1].far, axis[2].far},
                  r->share ? r->share : whole_share, weight);
    x.count = 1u << p->dimensions;
    quick_locate(t, s, p->dimensions, lanes, axis, r, &x);
    for (uint32_t c = 0; c < 4; c++) {
        ALIGNED double own[LANES];
        double *sum = r->sum ? r->sum[c] : own;
        if (!(r->components >> c & 1)) continue;
        uint32_t *out = quick_result(r, c);
        if (c >= t->channels) {
            memset(out, 0, LANES * sizeof *out);
            continue;
        }
        uint32_t shift = quick_load(t, s, c, &x);
        if (!r->sum) EACH_LANE own[l] = 0;
        quick_add(t, c, shift, &x, (const int32_t(*)[LANES])weight, sum);
        if (!r->sum) finish_sums(t, sum, out);
    }
    quick_address(s, lanes, x.at[0], r);
    return true;
}
