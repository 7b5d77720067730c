/* texture_cube.inl: from directions to the faces of a cubemap (programming guide, cubemap textures). Where components are equally
 * large, z goes before y before x (as recorded on an H100). Seamless filters go on at the neighbour: a card's weights near
 * edges differ. */

/* A direction's largest component, and the two others as its face turns them. */
typedef struct cube_point {
    uint32_t face;
    float major, s, t; /* major: positive */
} cube_point;

static inline __attribute__((always_inline)) cube_point face_of(float x, float y, float z)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    bool is_z = az >= ax && az >= ay, is_y = !is_z && ay >= ax;
    float along = is_z ? z : is_y ? y : x;
    bool negative = along < 0;
    float turn = negative ? -1.0f : 1.0f;
    cube_point p = {.face = (is_z ? 4u : is_y ? 2u : 0u) + negative, .major = fabsf(along)};
    p.s = is_z ? turn * x : is_y ? x : -turn * z;
    p.t = is_y ? turn * z : -y;
    return p;
}

/* Room for what cubemaps make of coordinates. */
typedef struct lane_cube {
    ALIGNED uint32_t layer[LANES], bits[2][LANES];
} lane_cube;

/* Components that are no number, or infinite, count as 0 (as recorded on an H100). */
static inline float finite_or_zero(uint32_t bits) { return (bits >> 23 & 255) == 255 ? 0.0f : float_of(bits); }

/* p: with the three coordinates of a direction; becomes a place on layers of two dimensions. cubes: how many there are. Addresses
 * beyond a face are found as the texture's modes say. */
static void place_on_cube(lane_place *p, uint32_t cubes, lane_cube *room)
{
    EACH_LANE
    {
        float x = finite_or_zero(p->bits[0][l]), y = finite_or_zero(p->bits[1][l]), z = finite_or_zero(p->bits[2][l]);
        cube_point c = face_of(x, y, z);
        c.major = c.major > 0 ? c.major : 1;
        uint32_t layer = p->layer ? LW_MIN(p->layer[l], cubes - 1) : 0;
        room->layer[l] = layer * 6 + c.face;
        room->bits[0][l] = bits_of((c.s / c.major + 1.0f) * 0.5f);
        room->bits[1][l] = bits_of((c.t / c.major + 1.0f) * 0.5f);
    }
    p->layer = room->layer;
    p->bits[0] = room->bits[0];
    p->bits[1] = room->bits[1];
    p->bits[2] = NULL;
    p->dimensions = 2;
    p->normalized = true;
}

/* The direction through the centre of a texel, which may lie beyond its face. */
static void direction_of(uint32_t face, int32_t i, int32_t j, int32_t size, float out[3])
{
    float s = (2.0f * (float)i + 1.0f) / (float)size - 1.0f, t = (2.0f * (float)j + 1.0f) / (float)size - 1.0f;
    float turn = face & 1 ? -1.0f : 1.0f;
    switch (face >> 1) {
    case 0:
        out[0] = turn;
        out[1] = -t;
        out[2] = -turn * s;
        break;
    case 1:
        out[0] = s;
        out[1] = turn;
        out[2] = turn * t;
        break;
    default:
        out[0] = turn * s;
        out[1] = -t;
        out[2] = turn;
        break;
    }
}

/* A texel one step beyond one edge of its face: the one there on the neighbour. */
static void cross_edge(uint32_t *face, int32_t at[2], int32_t size)
{
    float d[3];
    direction_of(*face, at[0], at[1], size, d);
    cube_point p = face_of(d[0], d[1], d[2]);
    float place[2] = {p.s / p.major, p.t / p.major};
    *face = p.face;
    for (uint32_t k = 0; k < 2; k++) {
        int32_t n = (int32_t)((place[k] + 1) * 0.5f * (float)size);
        at[k] = n < 0 ? 0 : n < size ? n : size - 1;
    }
}

static void cross_edges(const tex_shape *s, const lane_place *p, uint32_t lane, const lane_axis axis[2],
                        uint64_t step[2], lane_corners *corners)
{
    for (uint32_t i = 0; i < 4; i++) {
        int32_t at[2] = {axis[0].index[i & 1][lane], axis[1].index[i >> 1][lane]};
        uint32_t face = p->layer[lane] % 6, first = p->layer[lane] - face;
        bool beyond[2] = {at[0] < 0 || at[0] >= s->size[0], at[1] < 0 || at[1] >= s->size[1]};
        if (beyond[0] &&
            beyond[1]) { /* three faces meet: there is no fourth texel, and that of one edge stands for it */
            at[1] = LW_MIN(LW_MAX(at[1], 0), s->size[1] - 1);
        }
        if (beyond[0] || beyond[1]) cross_edge(&face, at, s->size[0]);
        corners->texels[i].at[lane] =
            (uint64_t)(first + face) * s->slice + (uint64_t)at[0] * step[0] + (uint64_t)at[1] * step[1];
    }
}

/* A linear filter that goes on beyond the edges of a face. */
static void sample_seamless(const host_texture *t, const tex_shape *s, const lane_place *p, uint32_t lanes,
                            lane_result *r)
{
    lane_axis axis[3], inside[3];
    lane_corners corners;
    uint64_t step[2] = {t->bytes, s->pitch};
    uint32_t last = (uint32_t)s->size[2] - 1;
    lane_place open = *p, closed = *p;
    closed.mode[0] = closed.mode[1] = HOST_ADDRESS_CLAMP;
    p = &closed;
    open.mode[0] = HOST_ADDRESS_BORDER;
    open.mode[1] = HOST_ADDRESS_BORDER;
    for (uint32_t d = 0; d < 2; d++) {
        find_axis(p, s, lanes, d, false, &inside[d]); /* clamped: what most lanes read */
        axis[d] = inside[d];
    }
    place_corners(t, s, p, inside, &corners);
    for (uint32_t d = 0; d < 2; d++) {
        lane_axis beyond;
        find_axis(&open, s, lanes, d, false, &beyond);
        memcpy(axis[d].far, beyond.far, sizeof beyond.far);
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t k = 0; k < 2; k++)
                if (!(beyond.inside[k] >> l & 1)) axis[d].index[k][l] = k ? s->size[d] : -1;
    }
    tell_corners(t, s, p, inside, &corners, lanes, r); /* texels beyond edges count as those on them */
    weigh_corners(2, (const int32_t *const[3]){axis[0].far, axis[1].far}, r->share ? r->share : whole_share,
                  corners.weight);
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        bool crosses = false;
        for (uint32_t d = 0; d < 2; d++) crosses |= axis[d].index[0][l] < 0 || axis[d].index[1][l] >= s->size[d];
        if (crosses && p->layer[l] <= last) cross_edges(s, p, l, axis, step, &corners);
    }
    filter_corners(t, s, &corners, lanes, r);
}
