/* model, internal: shared memory of cc 5.0 to 12.x: wavefronts and bank conflicts. Measured on cc 9.0 for every client
 * below; see tests/hw/h200-patterns.csv.
 *
 * 32 banks of 4 bytes. An access is served in groups of lanes: 1 group up to 4 bytes a lane, 2 half-warps for 8 bytes,
 * 4 quarter-warps for 16; a LOAD of 8 or 16 bytes needs half as many when, over the whole warp, lanes i and i^1 (or
 * i and i^2) never differ. wavefronts = sum over groups of the most distinct words in one bank; conflicts = wavefronts
 * minus groups with an active lane. Wide lanes start at a multiple of their size, so they are counted in units of it:
 * 32, 16 or 8 "banks" of 4, 8 or 16 bytes.
 *
 * Each lane becomes one bit of a 32-bit word (group, bank); the bits are counted over lanes all at once. */

typedef struct bank_count {
    uint32_t wavefronts, groups; /* groups with an active lane */
} bank_count;

/* unit[]: address / unit size. The lanes form 1 << groups_log2 groups, each with 128 / unit size banks. merge: lanes of
 * one group that name one unit are served together. Units are below 2^16 / groups: shared memory ends below 256 KiB. */
INLINE bank_count count_banks(const uint32_t unit[LANES], uint32_t mask, uint32_t groups_log2, uint32_t unit_log2,
                              bool merge)
{
    uint32_t banks = 128u >> unit_log2;
    uint32_t group_shift = 5 - groups_log2; /* lane >> this: its group */
    uint32_t key_shift = 16 - groups_log2;  /* key >> this: the group */
    uint32_t n = LANES;
    uint32_t bit[LANES], step[LANES], plane[6];
    lane_keys keys;
    uint32_t *key = keys.key;
    for (uint32_t i = 0; i < LANES; i++) key[i] = unit[i] | (i >> group_shift) << key_shift;
    if (mask != ALL_LANES) n = pack_keys(key, mask);
    for (uint32_t i = 0; i < LANES; i++) bit[i] = 1u << ((key[i] & (banks - 1)) + (key[i] >> key_shift) * banks);
    if (n < LANES)
        for (uint32_t i = 0; i < LANES; i++) bit[i] = i < n ? bit[i] : 0;
    uint32_t used = or_all(bit), group_bits = banks == 32 ? ALL_LANES : (1u << banks) - 1;
    bank_count r = {0, 0};
    for (uint32_t g = 0; g < 1u << groups_log2; g++) r.groups += (used >> g * banks & group_bits) != 0;
    if (lw_popcount(used) == n) { /* every lane alone in its bank */
        r.wavefronts = r.groups;
        return r;
    }
    if (merge) {
        if (!mark_steps(&keys, step)) mark_least_steps(&keys, step);
        for (uint32_t i = 0; i < LANES; i++) bit[i] = step[i] ? bit[i] : 0;
    }
    count_bits(bit, plane);
    for (uint32_t g = 0; g < 1u << groups_log2; g++) r.wavefronts += greatest(plane, group_bits << g * banks);
    return r;
}

/* log2 of the unit that banks are counted in: 4, 8 or 16 bytes. */
INLINE uint32_t unit_log2_of(uint32_t bytes)
{
    if (bytes <= 4) return 2;
    return bytes == 8 ? 3 : 4;
}

INLINE void take_units(const uint64_t *address, uint32_t unit_log2, uint32_t unit[LANES])
{
    for (uint32_t i = 0; i < LANES; i++) unit[i] = ((uint32_t)address[i] & 0xffffff) >> unit_log2;
}

/* Lanes i and i^1, or i and i^2, hold equal units wherever both are active. */
INLINE bool is_paired(const uint32_t unit[LANES], uint32_t mask)
{
    uint32_t by1 = mask & mask >> 1 & 0x55555555u; /* lanes whose partner i + 1 is active, too */
    uint32_t by2 = mask & mask >> 2 & 0x33333333u; /* and i + 2 */
    uint32_t shifted[LANES + 2] = {0}, differ1 = 0, differ2 = 0;
    for (uint32_t i = 0; i < LANES; i++) shifted[i] = unit[i];
    for (uint32_t i = 0; i < LANES; i++) {
        differ1 |= by1 >> i & 1 ? unit[i] ^ shifted[i + 1] : 0;
        differ2 |= by2 >> i & 1 ? unit[i] ^ shifted[i + 2] : 0;
    }
    return !differ1 || !differ2;
}

INLINE void add_banks(model_site *s, const event_memory *e, bank_count c, uint32_t ideal)
{
    (void)e;
    s->value[COUNTER_WAVEFRONTS] += c.wavefronts;
    s->value[COUNTER_WAVEFRONTS_IDEAL] += LW_MIN(c.wavefronts, ideal);
    s->value[COUNTER_BANK_CONFLICTS] += c.wavefronts - c.groups;
}

/* Groups of 32 >> groups_log2 lanes that have an active one. */
INLINE uint32_t live_groups(uint32_t mask, uint32_t groups_log2)
{
    if (groups_log2 == 0) return 1;
    if (groups_log2 == 1) return (uint32_t)((mask & 0xffff) != 0) + (mask >> 16 != 0);
    uint32_t m = mask | mask >> 4;
    m |= m >> 2;
    m |= m >> 1;
    return lw_popcount(m & 0x01010101u);
}

/* Lanes in general position. A shift of all lanes only renames the banks. */
INLINE bank_count count_general(model_site *s, const event_memory *e, uint32_t groups_log2, uint32_t unit_log2,
                                bool load)
{
    uint32_t unit[LANES], apart[LANES], mask = e->mask;
    model_last *last = last_of(s);
    take_units(e->address, unit_log2, unit);
    if (last) {
        uint32_t first = unit[__builtin_ctz(mask)];
        for (uint32_t i = 0; i < LANES; i++) apart[i] = mask >> i & 1 ? unit[i] - first : 0;
        if (is_last(last, mask, 0, apart)) return (bank_count){last->count[0], last->count[1]};
    }
    if (load && groups_log2 && is_paired(unit, mask)) groups_log2--;
    bank_count c = count_banks(unit, mask, groups_log2, unit_log2, true);
    if (last) {
        last->count[0] = c.wavefronts;
        last->count[1] = c.groups;
    }
    return c;
}

INLINE void count_shared(model_site *s, const event_memory *e, bool load)
{
    uint32_t lanes = lw_popcount(e->mask);
    uint32_t unit_log2 = unit_log2_of(e->bytes);
    uint32_t groups_log2 = unit_log2 - 2;
    uint32_t ideal = (lanes * e->bytes + 127) >> 7;
    bank_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_CONSECUTIVE) {
        c.wavefronts = c.groups = 1u << groups_log2;
    } else if (e->shape == EVENT_UNIFORM) {
        if (load && groups_log2) groups_log2--;
        c.wavefronts = c.groups = live_groups(e->mask, groups_log2);
    } else {
        c = count_general(s, e, groups_log2, unit_log2, load);
    }
    add_banks(s, e, c, ideal);
}

static void shared_load(model_site *s, const event_memory *e) { count_shared(s, e, true); }
static void shared_store(model_site *s, const event_memory *e) { count_shared(s, e, false); }

/* Atomics do not merge lanes that name one word, except the add of 1 with a dead result. A compare-and-swap takes twice
 * as many wavefronts. Measured: 32-bit add and compare-and-swap, 64-bit exchange. Adds that the machine has
 * no instruction for: spin.c. */
static void shared_atomic(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask);
    uint32_t unit_log2 = unit_log2_of(e->bytes);
    uint32_t groups_log2 = unit_log2 - 2;
    bool merge = e->atomic == EVENT_ATOMIC_ADD_1 && e->bytes <= 4;
    bank_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_CONSECUTIVE) {
        c.wavefronts = c.groups = 1u << groups_log2;
    } else if (e->shape == EVENT_UNIFORM) {
        c.groups = live_groups(e->mask, groups_log2);
        c.wavefronts = merge ? c.groups : lanes;
    } else {
        uint32_t unit[LANES];
        take_units(e->address, unit_log2, unit);
        c = count_banks(unit, e->mask, groups_log2, unit_log2, merge);
    }
    uint32_t times = e->atomic == EVENT_ATOMIC_CAS ? 2 : 1;
    uint32_t wavefronts = times * c.wavefronts;
    uint32_t ideal = times << groups_log2;
    s->value[COUNTER_WAVEFRONTS] += wavefronts;
    s->value[COUNTER_WAVEFRONTS_IDEAL] += LW_MIN(wavefronts, ideal);
    s->value[COUNTER_BANK_CONFLICTS] += c.wavefronts - c.groups;
}

/* ldmatrix, stmatrix, wgmma's operands: matrix m is one group, the 8 rows of 16 bytes that lanes 8m..8m+7 name. Equal rows merge. */
static void shared_matrix(model_site *s, const event_memory *e)
{
    uint32_t lanes = e->matrices >= 4 ? ALL_LANES : (1u << 8 * e->matrices) - 1;
    uint64_t same[LANES];
    uint32_t unit[LANES];
    const uint64_t *address = e->address;
    if (!(e->flags & EVENT_PART)) {
        s->value[COUNTER_INST_EXECUTED]++;
        s->value[COUNTER_LANES] += lw_popcount(e->mask);
    }
    if (e->async) { /* wgmma: never a conflict, wherever they lie (tests/hw/h200-wgmma.csv) */
        s->value[COUNTER_WAVEFRONTS] += e->matrices;
        s->value[COUNTER_WAVEFRONTS_IDEAL] += e->matrices;
        return;
    }
    if (!(lanes & e->mask)) return;
    if (e->shape == EVENT_UNIFORM) {
        for (uint32_t i = 0; i < LANES; i++) same[i] = e->address[__builtin_ctz(e->mask)];
        address = same;
    }
    take_units(address, 4, unit);
    add_banks(s, e, count_banks(unit, lanes & e->mask, 2, 4, true), e->matrices);
}
