/* model, internal: cp.async of cc 8.0 and later: the shared side of cp.async.ca, both sides of cp.async.cg. Measured on
 * cc 9.0; see tests/hw/h200-open.csv, experiment copy, and tests/hw/kernels/copy_fill.cu.
 *
 * cp.async.ca reads its source through L1 with the banks of shared memory, too: the wavefronts of a group are those of
 * the side that has conflicts, lanes on one word never merged. Lanes that fill with zeros have no source: they count on
 * the destination's side alone. Where both sides have conflicts no rule fits everything recorded; used is: the k-th
 * lanes, in lane order, of all banks of the source go together and take as many wavefronts as most of them name one
 * bank of the destination, lanes without a source being among the first.
 *
 * cp.async.cg moves what is left when the last lane that writes a place has won: sectors = pairs of a source line and a
 * sector of the destination, tags = pairs of lines over all lanes. Its wavefronts have no rule: one for each pair of
 * lines whose 8 units of 16 bytes are all copied, in an order that one XOR describes (recorded); one for each unit of
 * other pairs (recorded where units lie alone, too many where several are neighbours). */

/* One group of lanes: turn by turn of the source's banks, the most lanes in one bank of the destination. */
static uint32_t count_group(const uint32_t to[LANES], const uint32_t from[LANES], uint32_t mask, uint32_t sources,
                            uint32_t banks, bool *both)
{
    uint8_t turn[LANES] = {0};             /* by bank of the source: turns taken */
    uint8_t all[LANES] = {0};              /* by bank of the destination: lanes */
    uint8_t in_turn[LANES][LANES] = {{0}}; /* the same by turn */
    uint8_t most[LANES] = {0};             /* by turn: most lanes in one bank */
    uint32_t turns = 0, passes = 0, sum = 0;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        uint32_t t = sources >> i & 1 ? turn[from[i] & (banks - 1)]++ : 0;
        uint32_t bank = to[i] & (banks - 1);
        in_turn[t][bank]++;
        all[bank]++;
        most[t] = LW_MAX(most[t], in_turn[t][bank]);
        turns = LW_MAX(turns, t + 1);
        passes = LW_MAX(passes, all[bank]);
    }
    for (uint32_t t = 0; t < turns; t++) sum += most[t];
    *both |= turns > 1 && passes > 1;
    return sum;
}

INLINE bool is_row(const uint64_t address[LANES], uint32_t mask, uint32_t bytes)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < LANES; i++) differ |= address[i] ^ (address[0] + (uint64_t)i * bytes);
    return mask == ALL_LANES && !differ;
}

/* The units of one side; uniform: the first active lane's address is everyone's. Only the banks are kept. */
INLINE void take_side(const uint64_t *address, const event_memory *e, bool uniform, uint32_t unit[LANES])
{
    uint32_t unit_log2 = unit_log2_of(e->bytes), first = (uint32_t)__builtin_ctz(e->mask);
    for (uint32_t i = 0; i < LANES; i++) unit[i] = ((uint32_t)address[uniform ? first : i] & 127) >> unit_log2;
}

static const char *const both_why = "cp.async.ca with conflicts on both sides: no rule fits everything recorded";

static bank_count count_copy(model_site *s, const event_memory *e)
{
    uint32_t to[LANES], from[LANES];
    uint32_t unit_log2 = unit_log2_of(e->bytes);
    uint32_t groups_log2 = unit_log2 - 2;
    bool straight = !e->address2 || !e->sources || is_row(e->address2, e->sources, e->bytes);
    bool both = false;
    if (e->shape == EVENT_CONSECUTIVE && straight) return (bank_count){1u << groups_log2, 1u << groups_log2};
    take_side(e->address, e, e->shape == EVENT_UNIFORM, to);
    if (straight) return count_banks(to, e->mask, groups_log2, unit_log2, false);
    take_side(e->address2, e, false, from);
    uint32_t lanes = LANES >> groups_log2; /* of a group */
    uint32_t all = lanes == LANES ? ALL_LANES : (1u << lanes) - 1;
    bank_count c = {0, live_groups(e->mask, groups_log2)};
    for (uint32_t first = 0; first < LANES; first += lanes) {
        uint32_t group = e->mask & all << first;
        if (group) c.wavefronts += count_group(to, from, group, e->sources, 128u >> unit_log2, &both);
    }
    if (both) s->why = both_why;
    return c;
}

static void shared_copy(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    add_banks(s, e, count_copy(s, e), (lanes * e->bytes + 127) >> 7);
}

/* ---- cp.async.cg ---- */

static const char *const bypass_why = "cp.async.cg: its wavefronts have no rule but for whole lines";
/* tests/hw/kernels/async_copy.cu, pipeline_stages: source metrics alone, sectors and tags are the card's */
static const char *const bypass_ideal_why = "cp.async.cg: the card's ideal holds warps whose lanes are all off, too";

/* Lanes whose destination no later lane writes. */
INLINE uint32_t last_writers(const uint64_t to[LANES], uint32_t mask)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t later = 0;
        for (uint32_t j = i + 1; j < LANES; j++) later |= (uint32_t)(to[j] == to[i]) << j;
        last |= (uint32_t)!(later & mask) << i;
    }
    return last & mask;
}

INLINE uint32_t count_distinct(const uint64_t key[LANES], uint32_t mask)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t before = 0;
        for (uint32_t j = 0; j < i; j++) before |= (uint32_t)(key[j] == key[i]) << j;
        count += (mask >> i & 1) & !(before & mask);
    }
    return count;
}

static void line_copy_bypass(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask);
    line_count c = {16, 4, 0};
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    bool straight = e->shape == EVENT_CONSECUTIVE && is_row(e->address2, e->mask, e->bytes);
    if (!straight || e->address[0] & 127 || e->address2[0] & 127) {
        uint64_t sector[LANES], line[LANES];
        for (uint32_t i = 0; i < LANES; i++) {
            sector[i] = e->address[i] >> 7 << 20 | e->address2[i] >> 5;
            line[i] = e->address[i] >> 7 << 20 | e->address2[i] >> 7;
        }
        c.sectors = count_distinct(sector, last_writers(e->address2, e->mask));
        c.tags = count_distinct(line, e->mask);
    }
    add_lines(s, c, c.sectors, (lanes * e->bytes + 31) >> 5);
}

static uint32_t count_bypass_passes(const event_memory *e)
{
    const uint64_t *to = e->address, *from = e->address2;
    uint32_t left = last_writers(to, e->mask), passes = 0;
    while (left) {
        uint32_t first = (uint32_t)__builtin_ctz(left), members = 0, turned = 0;
        uint64_t swap = (to[first] ^ from[first]) & 0x70;
        for (uint32_t i = first; i < LANES; i++) {
            bool same = (left >> i & 1) && to[i] >> 7 == to[first] >> 7 && from[i] >> 7 == from[first] >> 7;
            members |= (uint32_t)same << i;
            turned |= (uint32_t)(same && ((to[i] ^ from[i]) & 0x70) == swap) << i;
        }
        bool whole = members == turned && lw_popcount(members) == 8;
        passes += whole ? 1 : lw_popcount(members);
        left &= ~members;
    }
    return passes;
}

/* No bank conflict was ever counted. */
static void shared_copy_bypass(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask), passes = count_bypass_passes(e);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    s->value[COUNTER_WAVEFRONTS] += passes;
    s->value[COUNTER_WAVEFRONTS_IDEAL] += LW_MIN(passes, (lanes * e->bytes + 127) >> 7);
}
