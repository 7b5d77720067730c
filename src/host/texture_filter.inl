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
    uint32_t border[4];
    begin_texels(p, s, &at);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        float x[LANES];
        int32_t index[LANES];
        texel_coordinates(p, s, lanes, d, x);
        floor_lanes(x, index);
        add_offsets(p->offset[d], index);
        at.inside &= address_lanes(p->mode[d], s->size[d], index);
        add_steps(at.at, index, step_of(t, s, d));
    }
    memcpy(border, t->desc.border, sizeof border);
    read_texels(t, s, lanes, &at, border, r);
    tell_addresses(s, lanes, &at, r);
}

/* Integer coordinates: outside lies 0. */
static void sample_indices(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                           lane_result *r)
{
    static const uint32_t zero[4];
    lane_texels at;
    begin_texels(p, s, &at);
    for (uint32_t d = 0; d < p->dimensions; d++) {
        int32_t index[LANES];
        EACH_LANE index[l] = lanes & lane_bit[l] ? (int32_t)p->bits[d][l] : 0;
        add_offsets(p->offset[d], index);
        at.inside &= address_lanes(HOST_ADDRESS_BORDER, s->size[d], index);
        add_steps(at.at, index, step_of(t, s, d));
    }
    read_texels(t, s, lanes, &at, zero, r);
    tell_addresses(s, lanes, &at, r);
}

/* ---- linear filters ---- */
/* The corners of a filter: their texels, and their weights in 256ths. Bit d of a corner's number: far in dimension d. */
typedef struct lane_corners {
    lane_texels texels[8];
    int32_t weight[8][LANES];
    uint32_t count;
} lane_corners;

/* One dimension of a filter: the near and the far index, and the weight of the far one in 256ths. */
typedef struct lane_axis {
    int32_t index[2][LANES], far[LANES];
    uint32_t inside[2];
} lane_axis;

/* Weights are rounded to the nearest 256th, as recorded on an H200. gathers: a weight of 1 goes over to the next
 * texels, since it is not the weights that decide then. */
static void find_axis(const lane_place *p, const tex_shape *s, uint32_t lanes, uint32_t d, bool gathers, lane_axis *out)
{
    float x[LANES];
    texel_coordinates(p, s, lanes, d, x);
    EACH_LANE x[l] = x[l] - 0.5f;
    floor_lanes(x, out->index[0]);
    EACH_LANE
    {
        float part = (x[l] - (float)out->index[0][l]) * 256.0f; /* exact, in 0 to 256 */
        int32_t whole = (int32_t)part;
        out->far[l] = whole + (part - (float)whole >= 0.5f);
        out->index[0][l] += gathers ? out->far[l] >> 8 : 0;
    }
    add_offsets(p->offset[d], out->index[0]);
    EACH_LANE out->index[1][l] = out->index[0][l] + 1;
    for (uint32_t k = 0; k < 2; k++) out->inside[k] = address_lanes(p->mode[d], s->size[d], out->index[k]);
}

/* In two dimensions the weight of the far corner is rounded and the others follow from the weights of the axes, so that
 * they add up to 256 (as recorded on an H200); in three each of the four is parted in the same way (not recorded). */
static void weigh_corners(uint32_t n, const lane_axis axis[3], lane_corners *out)
{
    if (n == 1) {
        EACH_LANE
        {
            out->weight[0][l] = 256 - axis[0].far[l];
            out->weight[1][l] = axis[0].far[l];
        }
        return;
    }
    EACH_LANE
    {
        int32_t a = axis[0].far[l], b = axis[1].far[l], far = (a * b + 128) >> 8;
        out->weight[0][l] = 256 - a - b + far;
        out->weight[1][l] = a - far;
        out->weight[2][l] = b - far;
        out->weight[3][l] = far;
    }
    for (uint32_t i = 0; i < 4 && n == 3; i++) EACH_LANE
        {
            int32_t back = (out->weight[i][l] * axis[2].far[l] + 128) >> 8;
            out->weight[i][l] -= back;
            out->weight[i + 4][l] = back;
        }
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

/* Single precision, corner by corner in their order; a corner without weight adds nothing, whatever lies there. */
static void filter_floats(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t channel,
                          uint32_t lanes, uint32_t out[LANES])
{
    float sum[LANES] = {0};
    for (uint32_t i = 0; i < corners->count; i++) {
        const lane_texels *at = &corners->texels[i];
        const int32_t *weight = corners->weight[i];
        uint32_t value[LANES];
        read_channel(t, s, channel, at->at, value);
        for (uint32_t m = lanes & ~at->inside; m; m &= m - 1)
            value[__builtin_ctz(m)] = bits_of(t->desc.border[channel]);
        EACH_LANE
        {
            float term = (float)weight[l] / 256.0f * float_of(value[l]);
            sum[l] += weight[l] ? term : 0.0f;
        }
    }
    memcpy(out, sum, sizeof sum);
}

/* The integer nearest to x, halves away from zero, for |x| < 2^31. */
static inline int32_t nearest(double x) { return (int32_t)(x < 0 ? x - 0.5 : x + 0.5); }

/* 8-bit fractions: whole numbers until the last step, whose result keeps 16 bits (as recorded on an H200). */
static void filter_bytes(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t channel,
                         uint32_t lanes, uint32_t out[LANES])
{
    const uint8_t *first = (const uint8_t *)mem_storage(s->address) + channel;
    bool is_signed = t->desc.format.kind == HOST_FORMAT_SIGNED;
    const double most = is_signed ? 32767 : 65535, unit = is_signed ? 127 : 255;
    int32_t sum[LANES] = {0}, border = nearest((double)t->desc.border[channel] * unit);
    for (uint32_t i = 0; i < corners->count; i++) {
        const uint64_t *at = corners->texels[i].at;
        int32_t value[LANES];
        EACH_LANE value[l] = first[at[l]];
        if (is_signed) EACH_LANE value[l] = LW_MAX((int8_t)value[l], -127);
        for (uint32_t m = lanes & ~corners->texels[i].inside; m; m &= m - 1) value[__builtin_ctz(m)] = border;
        EACH_LANE sum[l] += corners->weight[i][l] * value[l];
    }
    EACH_LANE out[l] = bits_of((float)(nearest((double)sum[l] * most / (256 * unit)) / most));
}

static void filter_corners(const host_texture *t, const tex_shape *s, const lane_corners *corners, uint32_t lanes,
                           lane_result *r)
{
    for (uint32_t c = 0; c < 4; c++) {
        if (!(r->components >> c & 1)) continue;
        if (c >= t->channels) memset(r->out[c], 0, LANES * sizeof r->out[c][0]);
        else if (t->small) filter_bytes(t, s, corners, c, lanes, r->out[c]);
        else filter_floats(t, s, corners, c, lanes, r->out[c]);
    }
    tell_addresses(s, lanes, &corners->texels[0], r);
}

static void sample_linear(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                          lane_result *r)
{
    lane_axis axis[3];
    lane_corners corners;
    for (uint32_t d = 0; d < p->dimensions; d++) find_axis(p, s, lanes, d, false, &axis[d]);
    weigh_corners(p->dimensions, axis, &corners);
    place_corners(t, s, p, axis, &corners);
    filter_corners(t, s, &corners, lanes, r);
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
    for (uint32_t k = 0; k < 4; k++) {
        const lane_texels *at = &corners.texels[order[k]];
        if (component >= t->channels) memset(r->out[k], 0, LANES * sizeof r->out[k][0]);
        else read_channel(t, s, component, at->at, r->out[k]);
        for (uint32_t m = lanes & ~at->inside; m; m &= m - 1)
            r->out[k][__builtin_ctz(m)] = bits_of(t->desc.border[component]);
    }
    tell_addresses(s, lanes, &corners.texels[0], r);
}
