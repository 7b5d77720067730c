/* texture_filter.inl: the texels of one level at coordinates: the nearest one, linear filters, gathers. */

/* ---- points ---- */
static void read_texels(const host_texture *t, const tex_shape *s, uint32_t lanes, const lane_texels *at,
                        const uint32_t outside[4], const lane_result *r)
{
    for (uint32_t c = 0; c < 4; c++) {
        if (!(r->components >> c & 1)) continue;
        if (c < t->channels) read_channel(t, s, c, at->at, r->out[c]);
        else memset(r->out[c], 0, LANES * sizeof r->out[c][0]);
    }
    for (uint32_t m = lanes & ~at->inside; m; m &= m - 1)
        for (uint32_t c = 0; c < 4; c++) r->out[c][__builtin_ctz(m)] = outside[c];
}

static void tell_addresses(const tex_shape *s, uint32_t lanes, const lane_texels *at, lane_result *r)
{
    uint64_t first = s->address;
    uint64_t *address = r->address;
    EACH_LANE address[l] = first + at->at[l];
    r->located = lanes & at->inside;
}

static void sample_points(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                          lane_result *r)
{
    lane_texels at;
    uint32_t(*sectors)[LANES] = add_texels(t, s, r, 1);
    begin_texels(p, s, &at);
    if (sectors) begin_sectors(p, s, *sectors);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        ALIGNED float x[LANES];
        ALIGNED int32_t index[LANES];
        texel_coordinates(p, s, lanes, d, x);
        floor_lanes(x, index);
        add_offsets(p->offset[d], index);
        at.inside &= address_lanes(p->mode[d], s->size[d], index);
        add_steps(at.at, index, step_of(t, s, d));
        if (sectors) add_sectors(t, s, d, index, *sectors, *sectors);
    }
    if (sectors) end_texels(r, lanes & at.inside);
    read_texels(t, s, lanes, &at, t->border, r);
    tell_addresses(s, lanes, &at, r);
}

/* Integer coordinates: outside lies 0. */
static void sample_indices(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                           lane_result *r)
{
    static const uint32_t zero[4];
    lane_texels at;
    uint32_t(*sectors)[LANES] = add_texels(t, s, r, 1);
    begin_texels(p, s, &at);
    if (sectors) begin_sectors(p, s, *sectors);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        ALIGNED int32_t index[LANES];
        EACH_LANE index[l] = lanes & lane_bit[l] ? (int32_t)p->bits[d][l] : 0;
        add_offsets(p->offset[d], index);
        at.inside &= address_lanes(HOST_ADDRESS_BORDER, s->size[d], index);
        add_steps(at.at, index, step_of(t, s, d));
        if (sectors) add_sectors(t, s, d, index, *sectors, *sectors);
    }
    if (sectors) end_texels(r, lanes & at.inside);
    read_texels(t, s, lanes, &at, zero, r);
    tell_addresses(s, lanes, &at, r);
}

/* ---- linear filters ---- */
/* The corners of a filter: their texels, and their weights in 256ths. Bit d of a corner's number: far in dimension d. */
typedef struct lane_corners {
    lane_texels texels[8];
    ALIGNED int32_t weight[8][LANES];
    uint32_t count;
} lane_corners;

/* One dimension of a filter: the near and the far index, and the weight of the far one in 256ths. */
typedef struct lane_axis {
    ALIGNED int32_t index[2][LANES], far[LANES];
    uint32_t inside[2];
} lane_axis;

/* Weights are rounded to the nearest 256th, as recorded on an H200. gathers: a weight of 1 goes over to the next
 * texels, since it is not the weights that decide then. */
static void find_axis(const lane_place *p, const tex_shape *s, uint32_t lanes, uint32_t d, bool gathers, lane_axis *out)
{
    ALIGNED float x[LANES];
    /* products with other sizes than powers of two come out lower by 2^-16 (seen on an H100) */
    bool exact = !p->normalized || lw_is_power_of_2((uint64_t)s->size[d]);
    float half = exact ? 0.5f : 0.5f + 1.0f / 256;
    texel_coordinates(p, s, lanes, d, x);
    EACH_LANE x[l] = x[l] - 0.5f;
    floor_lanes(x, out->index[0]);
    EACH_LANE
    {
        float part = (x[l] - (float)out->index[0][l]) * 256.0f; /* exact, in 0 to 256 */
        int32_t whole = (int32_t)part;
        out->far[l] = whole + (part - (float)whole >= half);
        out->index[0][l] += gathers ? out->far[l] >> 8 : 0;
    }
    add_offsets(p->offset[d], out->index[0]);
    if (p->mode[d] == HOST_ADDRESS_CLAMP) /* beyond the outermost centres there is nothing to weigh */
        EACH_LANE out->far[l] = out->index[0][l] < 0 || out->index[0][l] >= s->size[d] - 1 ? 0 : out->far[l];
    EACH_LANE out->index[1][l] = out->index[0][l] + 1;
    for (uint32_t k = 0; k < 2; k++) out->inside[k] = address_lanes(p->mode[d], s->size[d], out->index[k]);
}

#define EIGHT_SHARES 256, 256, 256, 256, 256, 256, 256, 256
ALIGNED static const int32_t whole_share[LANES] = {EIGHT_SHARES, EIGHT_SHARES, EIGHT_SHARES, EIGHT_SHARES};
#undef EIGHT_SHARES

/* The corners of one plane, whose weights add up to `whole`: first x is parted, then y; where both are near or both far the weight
 * is rounded, halves up, and its neighbour along y has the rest (as recorded on cards). */
static inline __attribute__((always_inline)) void weigh_plane(const int32_t whole[LANES], const int32_t x[LANES],
                                                              const int32_t y[LANES], int32_t weight[4][LANES])
{
    EACH_LANE
    {
        int32_t a = x[l], b = y[l], far = (whole[l] * a + 128) >> 8, near = whole[l] - far;
        weight[3][l] = (far * b + 128) >> 8;
        weight[1][l] = far - weight[3][l];
        weight[0][l] = (near * (256 - b) + 128) >> 8;
        weight[2][l] = near - weight[0][l];
    }
}

/* In three dimensions z is parted before. far: weights along each dimension; share: what all weights add up to: 256, or the part of
 * one of two levels. */
static void weigh_corners(uint32_t n, const int32_t *const far[3], const int32_t share[LANES], int32_t weight[8][LANES])
{
    ALIGNED int32_t near[LANES];
    ALIGNED int32_t rest[LANES];
    const int32_t *first = n == 3 ? far[2] : far[0];
    if (n == 2) {
        weigh_plane(share, far[0], far[1], weight);
        return;
    }
    EACH_LANE
    {
        rest[l] = (share[l] * first[l] + 128) >> 8;
        near[l] = share[l] - rest[l];
    }
    if (n == 1) {
        memcpy(weight[0], near, sizeof near);
        memcpy(weight[1], rest, sizeof rest);
        return;
    }
    weigh_plane(near, far[0], far[1], weight);
    weigh_plane(rest, far[0], far[1], weight + 4);
}

static void place_corners(const host_texture *t, const tex_shape *s, const lane_place *p, const lane_axis axis[3],
                          lane_corners *out)
{
    begin_texels(p, s, &out->texels[0]);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        uint32_t half = 1u << d;
        for (uint32_t i = 0; i < half; i++) { /* those so far, once near and once far in this dimension */
            lane_texels *near = &out->texels[i], *far = &out->texels[i + half];
            *far = *near;
            near->inside &= axis[d].inside[0];
            far->inside &= axis[d].inside[1];
            add_steps(near->at, axis[d].index[0], step_of(t, s, d));
            add_steps(far->at, axis[d].index[1], step_of(t, s, d));
        }
    }
    out->count = 1u << p->dimensions;
}

/* The indices of a filter along a dimension whose weight is not 0: others are not read. */
static void read_indices(const lane_axis *axis, bool gathers, int32_t near[LANES], int32_t far[LANES])
{
    int32_t most = gathers ? INT32_MAX : 256, least = gathers ? INT32_MIN : 0;
    EACH_LANE
    {
        near[l] = axis->far[l] >= most ? axis->index[1][l] : axis->index[0][l];
        far[l] = axis->far[l] <= least ? axis->index[0][l] : axis->index[1][l];
    }
}

/* What a filter reads, for counting. A corner of the border counts as another one of its lane. */
static void tell_corners(const host_texture *t, const tex_shape *s, const lane_place *p, const lane_axis axis[3],
                         const lane_corners *corners, uint32_t lanes, const lane_result *r)
{
    uint32_t(*sectors)[LANES] = add_texels(t, s, r, corners->count), some = 0, all = UINT32_MAX;
    if (!sectors) return;
    begin_sectors(p, s, sectors[0]);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        uint32_t half = 1u << d;
        ALIGNED int32_t near[LANES];
        ALIGNED int32_t far[LANES];
        read_indices(&axis[d], r->fetch->how == CODE_TEXTURE_GATHER, near, far);
        for (uint32_t i = 0; i < half; i++) {
            add_sectors(t, s, d, far, sectors[i], sectors[i + half]);
            add_sectors(t, s, d, near, sectors[i], sectors[i]);
        }
    }
    for (uint32_t i = 0; i < corners->count; i++) {
        some |= corners->texels[i].inside;
        all &= corners->texels[i].inside;
    }
    end_texels(r, lanes & some);
    for (uint32_t m = lanes & some & ~all; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m), inside = 0;
        while (!(corners->texels[inside].inside >> l & 1)) inside++;
        for (uint32_t i = 0; i < corners->count; i++)
            if (!(corners->texels[i].inside >> l & 1)) sectors[i][l] = sectors[inside][l];
    }
}

/* Rounded to so many bits of a double's 52, halves away from zero; infinities and what is no number stay. */
static inline double keep_bits(double x, uint32_t bits)
{
    uint64_t all, unit = UINT64_C(1) << (52 - bits);
    memcpy(&all, &x, sizeof all);
    uint64_t rounded = (all + unit / 2) & ~(unit - 1);
    all = (all >> 52 & 0x7ff) == 0x7ff ? all : rounded;
    memcpy(&x, &all, sizeof x);
    return x;
}

/* Sums are exact and rounded once, to the format's precision (as recorded on cards). A corner without weight adds nothing,
 * whatever lies there. */
static void add_floats(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t channel,
                       uint32_t lanes, double sum[LANES])
{
    for (uint32_t i = 0; i < corners->count; i++) {
        const lane_texels *at = &corners->texels[i];
        const int32_t *weight = corners->weight[i];
        ALIGNED uint32_t value[LANES];
        ALIGNED float number[LANES];
        read_channel(t, s, channel, at->at, value);
        for (uint32_t m = lanes & ~at->inside; m; m &= m - 1) value[__builtin_ctz(m)] = t->border[channel];
        memcpy(number, value, sizeof number);
        EACH_LANE
        {
            double term = (double)weight[l] * (double)number[l];
            sum[l] += weight[l] ? term : 0.0;
        }
    }
}

/* Of fractions: the largest whole number of the format, and of what a filter keeps. */
static double unit_of(const host_texture *t)
{
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
    return t->width == 1 ? (is_signed ? 127 : 255) : is_signed ? 32767 : 65535;
}
static double filtered_unit(const host_texture *t) { return t->desc.format.kind == HOST_FORMAT_SIGNED ? 32767 : 65535; }

/* The integer nearest to x, halves away from zero, for |x| < 2^31. */
static inline int32_t nearest(double x) { return (int32_t)(x < 0 ? x - 0.5 : x + 0.5); }

/* Fractions are filtered as whole numbers. */
static void add_fractions(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t channel,
                          uint32_t lanes, double out[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(s->address) + channel * t->width;
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED, bytes = t->width == 1;
    ALIGNED int32_t sum[LANES] = {0};
    int32_t border = nearest((double)float_of(t->border[channel]) * unit_of(t));
    for (uint32_t i = 0; i < corners->count; i++) {
        const uint64_t *at = corners->texels[i].at;
        ALIGNED int32_t value[LANES];
        if (bytes) EACH_LANE value[l] = first[at[l]];
        else
            for (uint32_t l = 0; l < LANES; l++) {
                uint16_t raw;
                memcpy(&raw, first + at[l], sizeof raw);
                value[l] = raw;
            }
        if (is_signed && bytes) EACH_LANE value[l] = (int8_t)value[l];
        if (is_signed && !bytes) EACH_LANE value[l] = (int16_t)value[l];
        for (uint32_t m = lanes & ~corners->texels[i].inside; m; m &= m - 1) value[__builtin_ctz(m)] = border;
        EACH_LANE sum[l] += corners->weight[i][l] * value[l];
    }
    EACH_LANE out[l] += (double)sum[l];
}

/* Sums of weights of 256 in all, as results: fractions keep 16 bits, halves up; halves are halves. */
static void finish_sums(const host_texture *t, const double sum[LANES], uint32_t out[LANES])
{
    ALIGNED float result[LANES];
    uint32_t bits = t->texel[0] == TEX_HALF ? 10 : 23;
    if (t->small) {
        double most = filtered_unit(t), scale = most / (256 * unit_of(t));
        EACH_LANE
        {
            double x = sum[l] * scale + 0.5;
            int32_t whole = (int32_t)x;
            whole -= (double)whole > x;
            result[l] = (float)((whole < -(int32_t)most ? -most : (double)whole) / most);
        }
    } else EACH_LANE result[l] = (float)keep_bits(sum[l] / 256, bits);
    memcpy(out, result, sizeof result);
}

static void filter_corners(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t lanes,
                           lane_result *r)
{
    for (uint32_t c = 0; c < 4; c++) {
        ALIGNED double own[LANES] = {0};
        double *sum = r->sum ? r->sum[c] : own;
        if (!(r->components >> c & 1)) continue;
        if (c >= t->channels) {
            memset(r->out[c], 0, LANES * sizeof r->out[c][0]);
            continue;
        }
        if (t->small) add_fractions(t, s, corners, c, lanes, sum);
        else add_floats(t, s, corners, c, lanes, sum);
        if (!r->sum) finish_sums(t, sum, r->out[c]);
    }
    tell_addresses(s, lanes, &corners->texels[0], r);
}

static void sample_linear(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                          lane_result *r)
{
    ALIGNED static const uint32_t zero[LANES];
    lane_axis axis[3];
    lane_corners corners;
    lane_place flat = *p;
    if (p->dimensions == 1 && t->mode[1] == HOST_ADDRESS_BORDER) {
        /* one dimension is two with y = 0, on the edge: half of it is the border's (as recorded on cards) */
        flat.dimensions = 2;
        flat.bits[1] = zero;
        flat.mode[1] = HOST_ADDRESS_BORDER;
        p = &flat;
    }
    for (uint32_t d = 0; d < p->dimensions; d++) find_axis(p, s, lanes, d, false, &axis[d]);
    weigh_corners(p->dimensions, (const int32_t *const[3]){axis[0].far, axis[1].far, axis[2].far},
                  r->share ? r->share : whole_share, corners.weight);
    place_corners(t, s, p, axis, &corners);
    tell_corners(t, s, p, axis, &corners, lanes, r);
    filter_corners(t, s, &corners, lanes, r);
}

/* Signed 8-bit fractions in 16 bits, as gathers give them (recorded on an H100). */
static void widen_bytes(uint32_t out[LANES])
{
    for (uint32_t l = 0; l < LANES; l++)
        out[l] = bits_of((float)(floor((double)float_of(out[l]) * 32767 + 0.5) / 32767));
}

/* One component of the four texels of a linear filter in two dimensions, from the lower left one against the clock. */
static void sample_gather(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                          uint32_t component, lane_result *r)
{
    static const uint32_t order[4] = {2, 3, 1, 0};
    lane_axis axis[3];
    lane_corners corners;
    for (uint32_t d = 0; d < p->dimensions; d++) find_axis(p, s, lanes, d, true, &axis[d]);
    place_corners(t, s, p, axis, &corners);
    tell_corners(t, s, p, axis, &corners, lanes, r);
    for (uint32_t k = 0; k < 4; k++) {
        const lane_texels *at = &corners.texels[order[k]];
        if (component >= t->channels) memset(r->out[k], 0, LANES * sizeof r->out[k][0]);
        else read_channel(t, s, component, at->at, r->out[k]);
        for (uint32_t m = lanes & ~at->inside; m; m &= m - 1) r->out[k][__builtin_ctz(m)] = t->border[component];
        if (t->small && t->width == 1 && t->desc.format.kind == HOST_FORMAT_SIGNED) widen_bytes(r->out[k]);
    }
    tell_addresses(s, lanes, &corners.texels[0], r);
}
