/* texture_tiles.inl: what a fetch reads, in sectors, for counting (docs/TEXTURES.md, "Counts"). */

/* How a card carries out a fetch of so many texels a lane: four lanes at once, but two for filters in three dimensions and for
 * those of 16 bytes, which are made in two passes; eight for integer coordinates in linear memory. */
static inline event_texel_set kind_of_set(const host_texture *t, const tex_shape *s, const exec_texture_fetch *f,
                                          uint32_t rows)
{
    bool filters = rows > 1 && f->how != CODE_TEXTURE_GATHER, wide = filters && t->bytes == 16;
    event_texel_set set = {.rows = (uint8_t)rows, .together = rows == 8 || wide ? 2 : 4, .passes = wide ? 2 : 1};
    if (!f->real && !s->tiles.row) set.together = 8;
    return set;
}

/* Why the sectors of a fetch may be others: NULL for what was recorded. */
static const char *why_not_sectors(const host_texture *t, const tex_shape *s, const exec_texture_fetch *f,
                                   uint32_t rows)
{
    bool filters = rows > 1 && f->how != CODE_TEXTURE_GATHER;
    if (filters && (t->bytes == 8 || (t->bytes == 16 && rows != 4)))
        return "how often filters read texels of 8 bytes, or of 16 in three dimensions, was not recorded";
    if (f->how == CODE_TEXTURE_GATHER && t->bytes > 4)
        return "how often gathers read texels of more than 4 bytes was not recorded";
    if (filters && f->cube && t->desc.seamless) return "the sectors of seamless filters of cubemaps were not recorded";
    if (!f->real && s->tiles.row) return "the sectors of fetches from arrays by integers were not recorded";
    if (f->how == CODE_TEXTURE_GRADIENT) return "the sectors of fetches with derivatives were not recorded";
    return NULL;
}

/* A set of so many rows, to be filled; NULL: nobody counts, or there is no more room. */
static uint32_t (*add_texels(const host_texture *t, const tex_shape *s, const lane_result *r, uint32_t rows))[LANES]
{
    event_texels *e = r->texels;
    if (!e) return NULL;
    if (e->sets == EVENT_TEXEL_SETS || e->rows + rows > EVENT_TEXEL_ROWS) {
        e->why = "lanes read more levels or samples than are counted";
        return NULL;
    }
    e->texel_bytes = t->bytes;
    if (!e->why) e->why = why_not_sectors(t, s, r->fetch, rows);
    e->set[e->sets] = kind_of_set(t, s, r->fetch, rows);
    e->set[e->sets].first = (uint8_t)e->rows;
    e->set[e->sets].base = s->address;
    e->rows += rows;
    return &e->sector[e->rows - rows];
}

/* The set that was added last is complete: lanes that read it; without any it is none. */
static void end_texels(const lane_result *r, uint32_t lanes)
{
    event_texels *e = r->texels;
    e->set[e->sets].mask = lanes;
    if (lanes) e->sets++;
}

/* At the first texel of each lane's layer. */
static void begin_sectors(const lane_place *p, const tex_shape *s, uint32_t out[LANES])
{
    uint32_t last = (uint32_t)s->size[2] - 1, slice = s->tiles.slice;
    if (!p->layer) memset(out, 0, LANES * sizeof *out);
    else EACH_LANE out[l] = (p->layer[l] < last ? p->layer[l] : last) * slice;
}

/* Goes on by an index in dimension d. */
static inline void add_sectors(const host_texture *t, const tex_shape *s, uint32_t d, const int32_t index[LANES],
                               const uint32_t from[LANES], uint32_t out[LANES])
{
    exec_tiles tiles = s->tiles;
    uint32_t bytes = t->bytes, pitch = (uint32_t)(s->pitch / 32);
    if (d == 2) EACH_LANE out[l] = from[l] + exec_tile_z(tiles, (uint32_t)index[l]);
    else if (d == 1 && tiles.row) EACH_LANE out[l] = from[l] + exec_tile_y(tiles, (uint32_t)index[l]);
    else if (d == 1) EACH_LANE out[l] = from[l] + (uint32_t)index[l] * pitch;
    else if (tiles.row) EACH_LANE out[l] = from[l] + exec_tile_x((uint32_t)index[l] * bytes);
    else EACH_LANE out[l] = from[l] + ((uint32_t)index[l] * bytes >> 5);
}
