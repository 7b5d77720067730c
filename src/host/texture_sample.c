/* texture_sample.c: what a texture gives at coordinates, for the lanes of a warp together. Coordinates, address modes and
 * filtering follow the CUDA programming guide's appendix on texture fetching: a linear filter works on 1.8 fixed-point
 * weights; normalised reads map integers to [0,1] or [-1,1]. Integer coordinates (tex1Dfetch) index memory without
 * filtering; outside it they read zero. What of this an H200 was seen to do, and what is the most probable, is in
 * docs/TEXTURES.md.
 *
 * Loops are over all 32 lanes, so that the compiler vectorises them; lanes that are not asked for get something. Compiled
 * once per host instruction set, as exec/lanes.h says. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/texture_priv.h"

#define ISA_JOIN2(a, b) a##_##b
#define ISA_JOIN(a, b) ISA_JOIN2(a, b)
#define ISA(name) ISA_JOIN(name, LANES_ISA)

enum { LANES = 32 };

/* Arrays of lanes begin at a cache line: a store across two is slow, and so is a load of what it stored. */
#define ALIGNED __attribute__((aligned(64)))

#if defined __clang__
#define EACH_LANE for (uint32_t l = 0; l < LANES; l++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (uint32_t l = 0; l < LANES; l++)
#endif

ALIGNED static const uint32_t lane_bit[LANES] = {
    1u,       1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* Where the lanes sample. */
typedef struct lane_place {
    const uint32_t *bits[3];   /* coordinates: the bits of floats, or integers */
    const uint32_t *layer;     /* NULL: the first one */
    const uint32_t *offset[3]; /* texels that are added; NULL: none */
    uint32_t dimensions;
    bool normalized; /* coordinates run from 0 to 1 */
    int mode[3];
} lane_place;

/* What the lanes read. */
typedef struct lane_result {
    uint32_t (*out)[LANES];
    uint64_t *address; /* of a texel, for counting */
    uint32_t located;  /* lanes that have one */
    uint32_t components;
    const int32_t *share; /* of this level in 256ths; NULL: all */
    double (*sum)[LANES]; /* with a share: filters add here, and give no result */
    event_texels *texels; /* what is read, for counting; NULL: nobody counts */
    const exec_texture_fetch *fetch;
    bool direct; /* the fetch is of one level and of all lanes: results may go where it says */
} lane_result;

/* Texels of lanes, as distances from the level's first byte; of lanes that are not inside: of some texel. */
typedef struct lane_texels {
    ALIGNED uint64_t at[LANES];
    uint32_t inside;
} lane_texels;

#include "host/texture_texel.inl"

#include "host/texture_address.inl"

#include "host/texture_tiles.inl"

#include "host/texture_filter.inl"

#include "host/texture_quick.inl"

#include "host/texture_cube.inl"

#include "host/texture_level.inl"

/* ---------------------------------------------------------------- one level */
static void sample_level(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t level,
                         uint32_t lanes, lane_result *r)
{
    const tex_shape *s = &t->level[level];
    bool linear = t->desc.filter_mode == HOST_FILTER_LINEAR;
    if (!f->real) sample_indices(t, s, p, lanes, r);
    else if (f->how == CODE_TEXTURE_GATHER) sample_gather(t, s, p, lanes, f->component, r);
    else if (linear && f->cube && t->desc.seamless) sample_seamless(t, s, p, lanes, r);
    else if (linear && !quick_linear(t, s, p, lanes, r)) sample_linear(t, s, p, lanes, r);
    else if (!linear && !quick_points(t, s, p, lanes, r)) sample_points(t, s, p, lanes, r);
}

/* Room for a result beside that of other lanes. */
typedef struct lane_room {
    ALIGNED uint32_t out[4][LANES];
    ALIGNED uint64_t address[LANES];
} lane_room;

/* What is read is told where `like` tells it. */
static lane_result result_in(lane_room *room, const lane_result *like)
{
    return (lane_result){.out = room->out,
                         .address = room->address,
                         .components = like->components,
                         .texels = like->texels,
                         .fetch = like->fetch};
}

static void keep_lanes(const lane_result *from, uint32_t lanes, lane_result *to)
{
    for (uint32_t c = 0; c < 4; c++)
        if (to->components >> c & 1) EACH_LANE to->out[c][l] = lanes & lane_bit[l] ? from->out[c][l] : to->out[c][l];
    EACH_LANE to->address[l] = lanes & lane_bit[l] ? from->address[l] : to->address[l];
    to->located = (to->located & ~lanes) | (from->located & lanes);
}

/* ---------------------------------------------------------------- between levels */
/* Both levels' corners are weighed together, as the planes of three dimensions are (recorded on an H100): points, too, have
 * the two levels' weights. */
static void blend_levels(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t level,
                         uint32_t lanes, const int32_t lod[LANES], lane_result *r)
{
    lane_room room;
    ALIGNED double sum[4][LANES] = {{0}};
    ALIGNED int32_t share[2][LANES];
    bool linear = t->desc.filter_mode == HOST_FILTER_LINEAR;
    EACH_LANE share[1][l] = lod[l] % LOD_ONE;
    EACH_LANE share[0][l] = LOD_ONE - share[1][l];
    for (uint32_t k = 0; k < 2; k++) {
        lane_result some = result_in(&room, r);
        some.share = share[k];
        some.sum = linear ? sum : NULL;
        sample_level(t, f, p, level + k, lanes, &some);
        double scale = t->small ? unit_of(t) : 1;
        for (uint32_t c = 0; c < 4 && !linear; c++)
            EACH_LANE sum[c][l] += share[k][l] ? share[k][l] * scale * (double)float_of(room.out[c][l]) : 0.0;
        if (k) continue;
        EACH_LANE r->address[l] = lanes & lane_bit[l] ? room.address[l] : r->address[l];
        r->located = (r->located & ~lanes) | (some.located & lanes);
    }
    for (uint32_t c = 0; c < 4; c++) {
        ALIGNED uint32_t out[LANES];
        if (!(r->components >> c & 1) || c >= t->channels) continue;
        finish_sums(t, sum[c], out);
        EACH_LANE r->out[c][l] = lanes & lane_bit[l] ? out[l] : r->out[c][l];
    }
}

/* Lanes of one level; r may hold others' results. */
static void sample_at(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t level,
                      uint32_t lanes, const int32_t lod[LANES], lane_result *r)
{
    uint32_t between = 0;
    if (t->desc.blend_levels && level + 1 < t->level_count && f->real && f->how != CODE_TEXTURE_GATHER)
        EACH_LANE between |= lod[l] % LOD_ONE ? lane_bit[l] : 0;
    between &= lanes;
    if (lanes & ~between) sample_level(t, f, p, level, lanes, r);
    if (between) blend_levels(t, f, p, level, between, lod, r);
}

static void sample_lods(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t lanes,
                        const int32_t lod[LANES], lane_result *r)
{
    ALIGNED uint32_t level[LANES];
    uint32_t round = t->desc.blend_levels ? 0 : LOD_ONE / 2;
    EACH_LANE level[l] = LW_MIN(((uint32_t)lod[l] + round) / LOD_ONE, t->level_count - 1);
    for (uint32_t rest = lanes; rest;) {
        uint32_t first = level[__builtin_ctz(rest)], same = 0;
        EACH_LANE same |= level[l] == first ? lane_bit[l] : 0;
        same &= rest;
        if (same == lanes) {
            sample_at(t, f, p, first, lanes, lod, r);
            return;
        }
        lane_room room;
        lane_result some = result_in(&room, r);
        sample_at(t, f, p, first, same, lod, &some);
        keep_lanes(&some, same, r);
        rest &= ~same;
    }
}

/* ---------------------------------------------------------------- derivatives */
/* With anisotropy: as many samples as the longer step covers texels, along it, and their mean. An approximation: where a
 * card puts its samples, and how it weighs them, is not known. */
static void sample_anisotropic(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t lanes,
                               const int32_t lod[LANES], const float ratio[LANES], float length[2][LANES],
                               lane_result *r)
{
    float most = 1, sum[4][LANES] = {{0}};
    for (uint32_t m = lanes; m; m &= m - 1) most = fmaxf(most, ratio[__builtin_ctz(m)]);
    uint32_t count = (uint32_t)ceilf(most);
    for (uint32_t n = 0; n < count; n++) {
        ALIGNED uint32_t bits[3][LANES];
        lane_place at = *p;
        for (uint32_t d = 0; d < p->dimensions; d++) {
            const uint32_t *const along[2] = {f->gradient[0][d], f->gradient[1][d]};
            for (uint32_t l = 0; l < LANES; l++) {
                float samples = ceilf(ratio[l]), k = fminf((float)n, samples - 1);
                float step = float_of(along[length[1][l] > length[0][l]][l]);
                bits[d][l] = bits_of(float_of(p->bits[d][l]) + step * ((k + 0.5f) / samples - 0.5f));
            }
            at.bits[d] = bits[d];
        }
        sample_lods(t, f, &at, lanes, lod, r);
        for (uint32_t c = 0; c < 4; c++)
            if (r->components >> c & 1)
                EACH_LANE sum[c][l] += (float)n < ceilf(ratio[l]) ? float_of(r->out[c][l]) : 0.0f;
    }
    for (uint32_t c = 0; c < 4; c++)
        if (r->components >> c & 1)
            EACH_LANE r->out[c][l] = lanes & lane_bit[l] ? bits_of(sum[c][l] / ceilf(ratio[l])) : r->out[c][l];
}

static void sample_steps(const host_texture *t, const exec_texture_fetch *f, const lane_place *p, uint32_t lanes,
                         lane_result *r)
{
    ALIGNED float length[2][LANES], ratio[LANES];
    ALIGNED int32_t lod[LANES];
    bool filters = t->desc.filter_mode == HOST_FILTER_LINEAR;
    step_lengths(t, f, p, length);
    lods_of_steps(t, length, lod, ratio);
    if (t->desc.max_anisotropy > 1 && filters && !f->cube) sample_anisotropic(t, f, p, lanes, lod, ratio, length, r);
    else sample_lods(t, f, p, lanes, lod, r);
}

/* Steps of a direction as steps on its face: half of what the quotient of two coordinates changes by. */
static void steps_on_cube(const exec_texture_fetch *f, const lane_place *direction, uint32_t out[2][2][LANES])
{
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t l = 0; l < LANES; l++) {
            float d[3], g[3];
            for (uint32_t n = 0; n < 3; n++) {
                d[n] = float_of(direction->bits[n][l]);
                g[n] = float_of(f->gradient[k][n][l]);
            }
            cube_point at = face_of(d[0], d[1], d[2]);
            uint32_t axis = at.face >> 1;
            float turn = at.face & 1 ? -1.0f : 1.0f, major = turn * g[axis];
            float s = axis == 2 ? turn * g[0] : axis == 1 ? g[0] : -turn * g[2];
            float t = axis == 1 ? turn * g[2] : -g[1];
            out[k][0][l] = bits_of(0.5f * (s - at.s / at.major * major) / at.major);
            out[k][1][l] = bits_of(0.5f * (t - at.t / at.major * major) / at.major);
        }
}

/* ---------------------------------------------------------------- all of a fetch */
static void sample_fetch(const host_texture *t, const exec_texture_fetch *f, uint32_t lanes, lane_result *r)
{
    lane_place p = {.dimensions = f->dimensions, .normalized = t->desc.normalized_coordinates && f->real};
    lane_cube cube;
    exec_texture_fetch on_face;
    ALIGNED uint32_t steps[2][2][LANES];
    ALIGNED int32_t lod[LANES];
    p.layer = f->layered ? f->coordinate[0] : NULL;
    for (uint32_t d = 0; d < f->dimensions; d++) {
        p.bits[d] = f->coordinate[f->layered + d];
        p.offset[d] = f->offset[d];
        p.mode[d] = t->mode[d];
    }
    if (f->cube) {
        if (f->how == CODE_TEXTURE_GRADIENT) {
            steps_on_cube(f, &p, steps);
            on_face = *f;
            for (uint32_t k = 0; k < 4; k++) on_face.gradient[k >> 1][k & 1] = steps[k >> 1][k & 1];
            f = &on_face;
        }
        place_on_cube(&p, LW_MAX((uint32_t)t->level[0].size[2] / 6, 1u), &cube);
    }
    if (f->how == CODE_TEXTURE_GRADIENT && (t->level_count > 1 || t->desc.max_anisotropy > 1)) {
        sample_steps(t, f, &p, lanes, r);
    } else if (t->level_count > 1 && !f->real) {
        const uint32_t *level = f->how == CODE_TEXTURE_LEVEL ? f->level : NULL;
        EACH_LANE lod[l] = level ? LW_MIN(LW_MAX((int32_t)level[l], 0), (int32_t)t->level_count - 1) * LOD_ONE : 0;
        sample_lods(t, f, &p, lanes, lod, r);
    } else if (t->level_count > 1) {
        given_lods(t, f->how == CODE_TEXTURE_LEVEL ? f->level : NULL, lod);
        sample_lods(t, f, &p, lanes, lod, r);
    } else {
        r->direct = lanes == UINT32_MAX;
        sample_level(t, f, &p, 0, lanes, r);
    }
}

/* Those of `lanes` that name the texture of the first one. */
static uint32_t lanes_of_first(const exec_texture_fetch *f, uint32_t lanes)
{
    uint64_t handle = f->texture[__builtin_ctz(lanes)], differ = 0;
    uint32_t same = 0;
    if (lanes == UINT32_MAX) {
        EACH_LANE differ |= f->texture[l] ^ handle;
        if (!differ) return lanes;
    }
    for (uint32_t m = lanes; m; m &= m - 1) same |= f->texture[__builtin_ctz(m)] == handle ? m & -m : 0;
    return same;
}

static uint32_t sample(const host_texture *t, const exec_texture_fetch *f, uint32_t rest)
{
    uint32_t lanes = lanes_of_first(f, rest);
    lane_result r = {.out = f->out,
                     .address = f->address,
                     .located = *f->located,
                     .components = f->components,
                     .texels = f->texels,
                     .fetch = f};
    if (f->how == CODE_TEXTURE_GATHER) r.components = 15;
    if (lanes == f->mask) {
        sample_fetch(t, f, lanes, &r);
    } else { /* others' results stand in the same arrays */
        lane_room room;
        lane_result some = result_in(&room, &r);
        sample_fetch(t, f, lanes, &some);
        keep_lanes(&some, lanes, &r);
    }
    *f->located = r.located;
    return lanes;
}

extern const host_texture_sampler ISA(host_texture_sampler);
const host_texture_sampler ISA(host_texture_sampler) = {sample};
