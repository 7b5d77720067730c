/* model, internal: fetches from textures and accesses to surfaces. Sectors are counted for each few lanes that a card carries out
 * at once: other lanes' are counted anew (tests/hw/h100-textures.csv). The ideal: as few as the texels of those lanes fill. */

/* Distinct numbers of the columns of rows of 32 / together; places[k]: the k-th of each. */
INLINE uint32_t count_places(uint32_t places, uint32_t groups, const uint32_t (*place)[LANES / 2])
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < places; k++) {
        uint32_t again[LANES / 2] = {0};
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t g = 0; g < groups; g++) again[g] |= place[j][g] == place[k][g];
        for (uint32_t g = 0; g < groups; g++) first += !again[g];
    }
    return first;
}

/* The sectors of a set by groups; lanes that are off repeat what others of their group read. Returns how many groups there are,
 * counted from those of the whole warp: groups without lanes have one sector too many. */
INLINE void place_sectors(const event_texels *t, const event_texel_set *set, uint32_t rows, uint32_t together,
                          uint32_t (*place)[LANES / 2])
{
    uint32_t groups = LANES / together;
    for (uint32_t k = 0; k < rows; k++)
        for (uint32_t p = 0; p < together; p++)
            for (uint32_t g = 0; g < groups; g++)
                place[k * together + p][g] = t->sector[set->first + k][g * together + p];
    if (set->mask == ALL_LANES) return;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t on = set->mask >> (g * together) & ((1u << together) - 1);
        uint32_t some = on ? (uint32_t)__builtin_ctz(on) : 0;
        for (uint32_t p = 0; p < together; p++)
            for (uint32_t k = 0; k < rows; k++)
                if (!(on >> p & 1)) place[k * together + p][g] = on ? place[k * together + some][g] : 0;
    }
}

/* How the second half of `rows` rows lies to the first: 1: the same sectors, 2: others altogether, 0: neither is certain. Neighbours
 * in a warp mostly share their rows and slices. */
INLINE uint32_t halves_apart(const uint32_t (*row)[LANES], uint32_t rows)
{
    uint32_t half = rows / 2, distance = row[half][0] - row[0][0], differ = 0, least = UINT32_MAX, most = 0, bits = 0;
    for (uint32_t k = 0; k < half; k++)
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t x = row[k][l];
            differ |= row[half + k][l] - x - distance;
            least = x < least ? x : least;
            most = x > most ? x : most;
            bits |= x;
        }
    if (differ) return 0;
    if (!distance) return 1;
    bool far = distance > most - least && 0 - distance > most - least;
    return far || (distance == 2 && !(bits & 2)) ? 2 : 0;
}

INLINE uint32_t count_rows(const event_texels *t, const event_texel_set *set, uint32_t rows, uint32_t together)
{
    uint32_t place[32][LANES / 2];
    place_sectors(t, set, rows, together, place);
    return count_places(rows * together, LANES / together, (const uint32_t(*)[LANES / 2]) place);
}

#ifdef VECTOR_CONFLICTS
/* Which words of two vectors make up one, for units of so many words that are taken from both in turn; [1]: from their second halves. */
#define TURNS(p, words, from) ((p) / (words) / 2 * (words) + (p) % (words) + (p) / (words) % 2 * 16 + (from))
#define FOUR_TURNS(p, words, from)                                                                                     \
    TURNS(p, words, from), TURNS((p) + 1, words, from), TURNS((p) + 2, words, from), TURNS((p) + 3, words, from)
#define ALL_TURNS(words, from)                                                                                         \
    {FOUR_TURNS(0, words, from), FOUR_TURNS(4, words, from), FOUR_TURNS(8, words, from), FOUR_TURNS(12, words, from)}
static const uint32_t in_turns[3][2][16] = {
    {ALL_TURNS(2, 0), ALL_TURNS(2, 8)}, {ALL_TURNS(4, 0), ALL_TURNS(4, 8)}, {ALL_TURNS(8, 0), ALL_TURNS(8, 8)}};

/* The words before a word in its group of so many. */
#define EARLIER(p, words) ((1u << (p)) - (1u << (p) / (words) * (words)))
#define FOUR_EARLIER(p, words)                                                                                         \
    EARLIER(p, words), EARLIER((p) + 1, words), EARLIER((p) + 2, words), EARLIER((p) + 3, words)
#define ALL_EARLIER(words)                                                                                             \
    {FOUR_EARLIER(0, words), FOUR_EARLIER(4, words), FOUR_EARLIER(8, words), FOUR_EARLIER(12, words)}
static const uint32_t earlier[4][16] = {ALL_EARLIER(2), ALL_EARLIER(4), ALL_EARLIER(8), ALL_EARLIER(16)};

/* count_rows() of all lanes, for at most 16 numbers a group: brought together in vectors whose conflicts are looked for. */
INLINE uint32_t count_conflicts(const uint32_t (*row)[LANES], uint32_t rows, uint32_t together)
{
    uint32_t first = 0;
    for (uint32_t half = 0; half < LANES; half += 16) {
        VECTOR v[2][8]; /* those of rows 0 to n - 1, then those of the next n, and so on */
        uint32_t size = (uint32_t)__builtin_ctz(together) - 1, now = 0;
        for (uint32_t k = 0; k < rows; k++) v[0][k] = VECTOR_LOAD(row[k] + half);
        for (uint32_t n = 1; n < rows; n *= 2, size++, now ^= 1)
            for (uint32_t k = 0; k < rows / 2; k++) {
                VECTOR a = v[now][k / n * 2 * n + k % n], b = v[now][k / n * 2 * n + k % n + n];
                for (uint32_t part = 0; part < 2; part++)
                    v[now ^ 1][k / n * 2 * n + k % n * 2 + part] = VECTOR_PICK(a, b, VECTOR_LOAD(in_turns[size][part]));
            }
        for (uint32_t k = 0; k < rows; k++) first += VECTOR_CONFLICTS(v[now][k], VECTOR_LOAD(earlier[size]));
    }
    return first;
}
#endif

static uint32_t count_set(const event_texels *t, const event_texel_set *set)
{
#ifdef VECTOR_CONFLICTS
    if (set->mask == ALL_LANES) {
        const uint32_t(*row)[LANES] = &t->sector[set->first];
        switch (set->rows * 16 + set->together) {
        case 0x14: return count_conflicts(row, 1, 4);
        case 0x18: return count_conflicts(row, 1, 8);
        case 0x24: return count_conflicts(row, 2, 4);
        case 0x44: return count_conflicts(row, 4, 4);
        case 0x42: return count_conflicts(row, 4, 2);
        case 0x82: return count_conflicts(row, 8, 2);
        default: break;
        }
    }
#endif
    uint32_t rows = set->rows, times = 1, together = set->together;
    while (set->mask == ALL_LANES && rows > 2) {
        uint32_t apart = halves_apart(&t->sector[set->first], rows);
        if (!apart) break;
        times *= apart;
        rows /= 2;
    }
    switch (rows * 16 + together) {
    case 0x14: return times * count_rows(t, set, 1, 4);
    case 0x24: return times * count_rows(t, set, 2, 4);
    case 0x44: return times * count_rows(t, set, 4, 4);
    case 0x22: return times * count_rows(t, set, 2, 2);
    case 0x42: return times * count_rows(t, set, 4, 2);
    case 0x82: return times * count_rows(t, set, 8, 2);
    default: return times * count_rows(t, set, rows, together);
    }
}

/* Groups of lanes with any of mask. */
INLINE uint32_t groups_on(uint32_t mask, uint32_t together)
{
    uint32_t pairs = (mask | mask >> 1) & 0x55555555u, fours = (pairs | pairs >> 2) & 0x11111111u;
    uint32_t eights = (fours | fours >> 4) & 0x01010101u;
    return lw_popcount(together == 2 ? pairs : together == 4 ? fours : eights);
}

static void texture_access(model_site *s, const event_memory *e)
{
    const event_texels *t = e->texels;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lw_popcount(e->mask);
    for (uint32_t k = 0; k < t->sets; k++) {
        const event_texel_set *set = &t->set[k];
        uint32_t together = set->together, on = groups_on(set->mask, together);
        uint32_t count = count_set(t, set);
        s->value[COUNTER_SECTORS] += set->passes * (count - (LANES / together - on));
        s->value[COUNTER_SECTORS_IDEAL] += on * set->passes * ((together * t->texel_bytes + 31) >> 5);
    }
    if (t->why) s->why = t->why;
}
