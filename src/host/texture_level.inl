/* texture_level.inl: which levels of a mipmapped texture are read. Levels are known to 256ths, as the sampler's own fields
 * are. A card finds the level from derivatives with a length that it approximates (up to 5 % off): here it is the true one. */

enum { LOD_ONE = 256 };

static inline int32_t lod_within(const host_texture *t, float lod)
{
    float scaled = lod * LOD_ONE; /* what lies between two 256ths is cut off, as recorded on cards */
    /* also of what is no number: the least */
    int32_t n =
        scaled > (float)t->least_lod ? scaled < (float)t->most_lod ? (int32_t)scaled : t->most_lod : t->least_lod;
    return n < t->least_lod ? t->least_lod : n;
}

/* The sampler's bias: whole 256ths, cut off towards 0. */
static inline float bias_of(const host_texture *t) { return truncf(t->desc.level_bias * LOD_ONE) / LOD_ONE; }

/* The levels that are asked for: given, or 0. */
static void given_lods(const host_texture *t, const uint32_t *level, int32_t lod[LANES])
{
    float bias = bias_of(t);
    if (level) EACH_LANE lod[l] = lod_within(t, float_of(level[l]) + bias);
    else EACH_LANE lod[l] = t->least_lod;
}

/* How many texels of level 0 a step of one pixel is long, along each axis of the screen. */
static void step_lengths(const host_texture *t, const exec_texture_fetch *f, const lane_place *p,
                         float length[2][LANES])
{
    for (uint32_t k = 0; k < 2; k++) {
        float sum[LANES] = {0};
        for (uint32_t d = 0; d < p->dimensions; d++) {
            float scale = p->normalized ? (float)t->level[0].size[d] : 1.0f;
            const uint32_t *bits = f->gradient[k][d];
            EACH_LANE
            {
                float step = float_of(bits[l]) * scale;
                sum[l] += step * step;
            }
        }
        EACH_LANE length[k][l] = sqrtf(sum[l]);
    }
}

/* From derivatives: the level at which a step is as long as a texel. With anisotropy the shorter step decides, as far as
 * the ratio allows; *ratio is how many texels of that level the longer one covers. */
static void lods_of_steps(const host_texture *t, float length[2][LANES], int32_t lod[LANES], float ratio[LANES])
{
    float most = (float)t->desc.max_anisotropy;
    for (uint32_t l = 0; l < LANES; l++) {
        float longer = fmaxf(length[0][l], length[1][l]), shorter = fminf(length[0][l], length[1][l]);
        float covers = shorter > 0 ? fminf(longer / shorter, most) : most;
        ratio[l] = covers > 1 ? covers : 1;
        lod[l] = lod_within(t, ceilf(log2f(longer / ratio[l]) * LOD_ONE) / LOD_ONE + bias_of(t));
    }
}
