/* model, internal: global, local and distributed shared memory of cc 7.0 to 12.x: 32-byte sectors, 128-byte tags and
 * tag-stage wavefronts of one warp access. Measured on cc 9.0; see tests/hw/h200-patterns.csv, h200-open.csv.
 *
 * sectors, tags = distinct address / 32, / 128 over the active lanes (no lane straddles: accesses are aligned).
 * t_wavefronts = most distinct lines in one of four tag banks; the bank is a linear hash of the line, measured on cc
 * 9.0 for address bits 7 to 41. Atomics: passes over lines, where a bank keeps the order of lanes that name one word of
 * a line; a compare-and-swap takes passes over halves of lines.
 *
 * Ways, quickest first: closed forms for uniform and consecutive lanes; pairs of few lanes (loads); a bitmap when all
 * lanes lie in one aligned window of 2 KiB; neighbours' comparison when addresses only rise or only fall; all pairs
 * otherwise. */

#define HASH_0 UINT64_C(0x6f5ef7ab5) /* line bits whose parity is bit 0 of the tag bank */
#define HASH_1 UINT64_C(0x3aebad5da) /* and bit 1 */

typedef struct line_count {
    uint32_t sectors, tags, t_wavefronts;
} line_count;

INLINE uint32_t tag_bank(uint64_t line)
{
    return (uint32_t)__builtin_parityll(line & HASH_0) | (uint32_t)__builtin_parityll(line & HASH_1) << 1;
}

INLINE uint32_t greatest_byte(uint32_t x)
{
    uint32_t a = LW_MAX(x & 0xff, x >> 8 & 0xff), b = LW_MAX(x >> 16 & 0xff, x >> 24);
    return LW_MAX(a, b);
}

/* t_wavefronts of the lines that are new where step[i] > 3. All lines agree in the bits that 32 do not hold, so those
 * only rename the banks. */
INLINE uint32_t count_tag_banks(const uint32_t sector[LANES], const uint32_t step[LANES])
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t line = sector[i] >> 2;
        uint32_t a = line & (uint32_t)HASH_0;
        uint32_t b = line & (uint32_t)HASH_1;
        a ^= a >> 16;
        b ^= b >> 16;
        a ^= a >> 8;
        b ^= b >> 8;
        uint32_t y = (a & 0xff) | (b & 0xff) << 16; /* both parities at once */
        y ^= y >> 4;
        y ^= y >> 2;
        y ^= y >> 1;
        uint32_t one = 1u << ((y & 1) << 3 | (y >> 12 & 16)); /* four counts in four bytes */
        sum += step[i] & ~3u ? one : 0;
    }
    return greatest_byte(sum);
}

/* Lanes in one aligned window of 64 sectors: 16 lines. Their bank differs from that of the line's number in the window
 * by a constant, which renames the banks and leaves the greatest count. */
INLINE line_count count_window(const uint32_t sector[LANES])
{
    uint64_t map = 0;
    for (uint32_t i = 0; i < LANES; i++) map |= UINT64_C(1) << (sector[i] & 63);
    uint64_t lines = (map | map >> 1 | map >> 2 | map >> 3) & UINT64_C(0x1111111111111111);
    /* line bits 0, 1, 2, 3 have the classes 1, 2, 1, 2 */
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 4; bank++) {
        uint64_t members = 0;
        for (uint32_t l = 0; l < 16; l++)
            if (((l ^ l >> 2) & 3) == bank) members |= UINT64_C(1) << 4 * l;
        most = LW_MAX(most, (uint32_t)__builtin_popcountll(lines & members));
    }
    return (line_count){(uint32_t)__builtin_popcountll(map), (uint32_t)__builtin_popcountll(lines), most};
}

/* Distinct keys and distinct keys >> 2 of all lanes. */
INLINE line_count count_keys(lane_keys *keys, bool hash)
{
    uint32_t step[LANES];
    line_count r = {0, 0, 0};
    if (!mark_steps(keys, step)) mark_least_steps(keys, step);
    for (uint32_t i = 0; i < LANES; i++) {
        r.sectors += step[i] != 0;
        r.tags += (step[i] & ~3u) != 0;
    }
    if (hash) r.t_wavefronts = r.tags == 1 ? 1 : count_tag_banks(keys->key, step);
    return r;
}

/* Lanes farther apart than 32-bit sector numbers reach. */
static line_count count_far(const uint64_t address[LANES])
{
    line_count r = {0, 0, 0};
    uint32_t bank[4] = {0};
    for (uint32_t i = 0; i < LANES; i++) {
        bool sector = true, line = true;
        for (uint32_t j = 0; j < i; j++) {
            sector &= address[i] >> 5 != address[j] >> 5;
            line &= address[i] >> 7 != address[j] >> 7;
        }
        r.sectors += sector;
        r.tags += line;
        bank[tag_bank(address[i] >> 7)] += line;
    }
    for (uint32_t b = 0; b < 4; b++) r.t_wavefronts = LW_MAX(r.t_wavefronts, bank[b]);
    return r;
}

/* The same for few active lanes, as divergent code has them: pair by pair, without the 32 lanes' tables. */
#define FEW_LANES 4
INLINE line_count count_few(const event_memory *e, bool hash)
{
    uint64_t sector[FEW_LANES];
    uint32_t n = 0, banks = 0; /* lines of each tag bank, a byte each */
    line_count r = {0, 0, 0};
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint64_t at = e->address[__builtin_ctz(m)] >> 5;
        bool new_sector = true, new_line = true;
        for (uint32_t j = 0; j < n; j++) {
            new_sector &= sector[j] != at;
            new_line &= (sector[j] ^ at) > 3;
        }
        sector[n++] = at;
        r.sectors += new_sector;
        r.tags += new_line;
        if (hash && new_line) banks += 1u << 8 * tag_bank(at >> 2);
    }
    r.t_wavefronts = greatest_byte(banks);
    return r;
}

INLINE uint64_t spread_of(const uint64_t address[LANES])
{
    uint64_t spread = 0;
    for (uint32_t i = 0; i < LANES; i++) spread |= address[i] ^ address[0];
    return spread;
}

/* address: 32 valid lanes. */
INLINE line_count count_lines(const uint64_t address[LANES], uint64_t spread, bool hash)
{
    lane_keys keys;
    uint32_t *sector = keys.key;
    if (spread >> 36) return count_far(address);
    for (uint32_t i = 0; i < LANES; i++) sector[i] = (uint32_t)(address[i] >> 5) & 0x7fffffff;
    return spread >> 11 ? count_keys(&keys, hash) : count_window(sector);
}

/* bytes * 32 bytes in a row from address. */
INLINE line_count count_row(uint64_t address, uint64_t bytes, bool hash)
{
    uint64_t last = address + bytes - 1;
    uint64_t line = address >> 7;
    line_count r = {(uint32_t)((last >> 5) - (address >> 5)) + 1, (uint32_t)((last >> 7) - (address >> 7)) + 1, 1};
    if (hash && r.tags > 1) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < r.tags; i++) sum += 1u << 8 * tag_bank(line + i);
        r.t_wavefronts = greatest_byte(sum);
    }
    return r;
}

INLINE void add_lines(model_site *s, line_count c, uint32_t distinct_sectors, uint32_t ideal)
{
    s->value[COUNTER_SECTORS] += c.sectors;
    s->value[COUNTER_SECTORS_IDEAL] += LW_MIN(distinct_sectors, ideal);
    s->value[COUNTER_TAGS] += c.tags;
}

INLINE void count_load(model_site *s, const event_memory *e, bool hash)
{
    uint32_t lanes = lw_popcount(e->mask), ideal = (lanes * e->bytes + 31) >> 5;
    line_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_UNIFORM) {
        c = (line_count){1, 1, 1};
    } else if (e->shape == EVENT_CONSECUTIVE) {
        c = count_row(e->address[0], 32u * e->bytes, hash);
    } else if (lanes <= FEW_LANES) {
        c = count_few(e, hash);
    } else {
        uint64_t packed[LANES];
        const uint64_t *address = active_addresses(e, packed);
        c = count_lines(address, spread_of(address), hash);
    }
    if (hash) s->value[COUNTER_T_WAVEFRONTS] += c.t_wavefronts;
    add_lines(s, c, c.sectors, ideal);
}

static void line_load(model_site *s, const event_memory *e) { count_load(s, e, false); }
static void line_load_hashed(model_site *s, const event_memory *e) { count_load(s, e, true); }

/* ---- stores: which sectors are written whole ---- */

/* Whether addresses strictly rise, or strictly fall, from lane to lane; one lane does both. */
typedef struct lane_order {
    bool rises, falls;
} lane_order;

INLINE lane_order order_of(const uint64_t address[LANES], uint32_t n)
{
    uint64_t not_rising = 0, not_falling = 0;
    for (uint32_t i = 1; i < n; i++) {
        not_rising |= address[i] <= address[i - 1];
        not_falling |= address[i] >= address[i - 1];
    }
    return (lane_order){.rises = !not_rising, .falls = !not_falling};
}

/* Open addressing over at most 32 sectors. */
static uint32_t count_full_mixed(const uint64_t address[LANES], uint32_t n, uint32_t bytes)
{
    uint64_t key[64];
    uint32_t written[64], full = 0, lane = bytes >= 32 ? ALL_LANES : (1u << bytes) - 1;
    for (uint32_t i = 0; i < 64; i++) {
        key[i] = UINT64_MAX;
        written[i] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t sector = address[i] >> 5;
        uint32_t at = (uint32_t)(sector ^ sector >> 6) & 63;
        while (key[at] != sector && key[at] != UINT64_MAX) at = (at + 1) & 63;
        key[at] = sector;
        written[at] |= lane << (address[i] & 31);
    }
    for (uint32_t i = 0; i < 64; i++) full += written[i] == ALL_LANES;
    return full;
}

/* n packed lanes. With addresses that strictly rise, a sector is whole iff the lane at its start and the one per_sector
 * - 1 further on lie per_sector - 1 accesses apart; mirrored when they strictly fall. */
INLINE uint32_t count_full(const uint64_t address[LANES], uint32_t n, uint32_t bytes)
{
    uint32_t per_sector = 32 / (bytes ? bytes : 1), full = 0;
    lane_order order = order_of(address, n);
    if (!order.rises && !order.falls) return count_full_mixed(address, n, bytes);
    const uint64_t *near = address;
    const uint64_t *far = address + per_sector - 1;
    const uint64_t *low = order.rises ? near : far;
    const uint64_t *high = order.rises ? far : near;
    for (uint32_t i = 0; i + per_sector <= n; i++) full += !(low[i] & 31) & (high[i] == low[i] + 32 - bytes);
    return full;
}

typedef struct store_count {
    line_count lines;
    uint32_t full; /* sectors written whole */
} store_count;

static store_count count_store(const event_memory *e, uint32_t lanes)
{
    uint64_t packed[LANES];
    const uint64_t *address = active_addresses(e, packed);
    store_count c = {count_lines(address, spread_of(address), false), 0};
    if (e->bytes >= 32) c.full = c.lines.sectors;
    else if (c.lines.sectors != lanes) c.full = count_full(address, lanes, e->bytes);
    return c;
}

/* The same, unless it is the site's last access once more, shifted by whole lines; where lanes lie whole lines apart,
 * shifted by whatever. */
INLINE store_count count_store_again(model_site *s, const event_memory *e, uint32_t lanes)
{
    model_last *last = last_of(s);
    uint32_t apart[LANES], mask = e->mask, bits = 0;
    uint64_t first = e->address[__builtin_ctz(mask)], far = 0;
    if (!last) return count_store(e, lanes);
    for (uint32_t i = 0; i < LANES; i++) {
        uint64_t distance = mask >> i & 1 ? e->address[i] - first : 0;
        apart[i] = (uint32_t)distance;
        bits |= (uint32_t)distance;
        far |= distance + (UINT64_C(1) << 31);
    }
    if (far >> 32) return count_store(e, lanes);
    uint32_t at = bits & 127 ? (uint32_t)first & 127 : 0;
    uint32_t *known = last->count;
    if (is_last(last, mask, at, apart)) return (store_count){{known[0], known[1], 0}, known[2]};
    store_count c = count_store(e, lanes);
    known[0] = c.lines.sectors;
    known[1] = c.lines.tags;
    known[2] = c.full;
    return c;
}

static void line_store(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask), ideal = (lanes * e->bytes + 31) >> 5;
    store_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_UNIFORM) {
        c = (store_count){{1, 1, 1}, e->bytes >= 32};
    } else if (e->shape == EVENT_CONSECUTIVE) {
        uint64_t address = e->address[0];
        c.lines = count_row(address, 32u * e->bytes, false);
        c.full = (uint32_t)(((address + 32u * e->bytes) >> 5) - ((address + 31) >> 5));
    } else {
        c = count_store_again(s, e, lanes);
    }
    s->value[COUNTER_SECTORS_PARTIAL] += c.lines.sectors - c.full;
    add_lines(s, c.lines, c.lines.sectors, ideal);
}

/* ---- atomics ---- */

/* A line, or half of one (a compare-and-swap has two values for each lane), with the lanes that name it. */
typedef struct atomic_unit {
    uint64_t at;
    uint32_t bank, lanes, in_sector[4];
} atomic_unit;

typedef struct atomic_lanes {
    atomic_unit units[LANES];
    uint32_t unit[LANES];  /* of each lane */
    uint32_t ahead[LANES]; /* the lanes before it with its tag bank and its column, the word in the line */
    uint32_t count,
        wait; /* the lanes that have any ahead, but for the first of a unit: their turn comes when none is */
} atomic_lanes;

static void sort_atomic(atomic_lanes *a, const uint64_t address[LANES], uint32_t n, uint32_t shift)
{
    uint8_t slot[64] = {0}; /* number of a unit + 1 */
    uint32_t column[4][32] = {{0}};
    a->count = a->wait = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t unit = address[i] >> shift;
        uint32_t at = (uint32_t)(unit ^ unit >> 6) & 63, lane = 1u << i;
        while (slot[at] && a->units[slot[at] - 1].at != unit) at = (at + 1) & 63;
        bool first = !slot[at];
        if (first) {
            a->units[a->count] = (atomic_unit){.at = unit, .bank = tag_bank(address[i] >> 7)};
            slot[at] = (uint8_t)++a->count;
        }
        atomic_unit *u = &a->units[slot[at] - 1];
        uint32_t *before = &column[u->bank][address[i] >> 2 & 31];
        a->unit[i] = slot[at] - 1u;
        a->ahead[i] = *before;
        a->wait |= *before && !first ? lane : 0;
        *before |= lane;
        u->in_sector[address[i] >> 5 & 3] |= lane;
        u->lanes |= lane;
    }
}

/* Those of the lanes of a unit that go in one pass: in a tag bank the lanes of one column go in their order, whatever line
 * they name. */
INLINE uint32_t take_pass(const atomic_lanes *a, uint32_t lanes, uint32_t left)
{
    uint32_t take = lanes & ~a->wait;
    for (uint32_t m = lanes & a->wait; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m);
        if (!(a->ahead[i] & left)) take |= 1u << i;
    }
    return take;
}

INLINE uint32_t sectors_of(const atomic_unit *u, uint32_t lanes)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < 4; k++) n += (u->in_sector[k] & lanes) != 0;
    return n;
}

static const char *const placed_why = "an atomic over more than 2 MiB: which of its lines share a tag bank follows "
                                      "from where the driver places the memory";

/* Could an access take other passes, lay its memory elsewhere? A lane behind the first of its line waits for one of its column
 * in its tag bank; of two lines in different 2 MiB it is the memory's place, at a multiple of that, that says whether they
 * share one. A driver's places differ from run to run. */
static bool hangs_on_place(const atomic_lanes *a, const uint64_t address[LANES], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t lane = 1u << i;
        if (!(a->units[a->unit[i]].lanes & (lane - 1))) continue;
        for (uint32_t j = 0; j < i; j++)
            if (a->unit[j] != a->unit[i] && !((address[i] ^ address[j]) >> 2 & 31) && (address[i] ^ address[j]) >> 21)
                return true;
    }
    return false;
}

/* The first lane that is left names the line of its bank's next pass. Each recorded pattern equals this: docs/RULES.md, M9.
 * shift: 7, or 6 for a compare-and-swap. *why: what is not certain of it, if nothing is said already;
 * NULL: a window, whose place is known. */
static line_count count_atomic(const uint64_t address[LANES], uint32_t n, uint32_t shift,
                               uint32_t *out_distinct_sectors, const char **why)
{
    atomic_lanes a;
    line_count r = {0, 0, 0};
    uint32_t passes = 0; /* of each bank, a byte each */
    sort_atomic(&a, address, n, shift);
    if (why && !*why && a.count < n && hangs_on_place(&a, address, n)) *why = placed_why;
    *out_distinct_sectors = 0;
    for (uint32_t k = 0; k < a.count; k++) {
        *out_distinct_sectors += sectors_of(&a.units[k], ALL_LANES);
        if (!a.wait) passes += 1u << 8 * a.units[k].bank;
    }
    if (!a.wait) return (line_count){*out_distinct_sectors, a.count, greatest_byte(passes)};
    for (uint32_t left = ALL_LANES >> (LANES - n); left; r.tags++) {
        const atomic_unit *u = &a.units[a.unit[__builtin_ctz(left)]];
        uint32_t take = take_pass(&a, u->lanes & left, left);
        passes += 1u << 8 * u->bank;
        r.sectors += sectors_of(u, take);
        left &= ~take;
    }
    r.t_wavefronts = greatest_byte(passes);
    return r;
}

/* Are all lanes on lines of their own, in any order? Then nothing is joined. */
INLINE bool lines_apart(const uint64_t address[LANES])
{
    lane_keys keys;
    uint32_t step[LANES], same = 0;
    for (uint32_t i = 0; i < LANES; i++) keys.key[i] = (uint32_t)(address[i] >> 7) & 0x7fffffff;
    mark_least_steps(&keys, step);
    for (uint32_t i = 0; i < LANES; i++) same |= -(uint32_t)(step[i] == 0);
    return !same;
}

static void line_atomic(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask), ideal = (lanes * e->bytes + 31) >> 5, distinct = 1;
    bool swap = e->atomic == EVENT_ATOMIC_CAS;
    line_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_UNIFORM) {
        c = (line_count){lanes, lanes, lanes};
    } else if (e->shape == EVENT_CONSECUTIVE) {
        uint64_t first = e->address[0], last = first + 32u * e->bytes - 1;
        c = count_row(first, 32u * e->bytes, false);
        distinct = c.sectors;
        if (swap) c.tags = (uint32_t)((last >> 6) - (first >> 6)) + 1;
    } else {
        uint64_t packed[LANES];
        const uint64_t *address = active_addresses(e, packed);
        uint64_t spread = spread_of(address);
        lane_order order = order_of(address, lanes);
        bool far_apart = HAS_VECTOR && lanes == LANES && spread >> 14 && !(spread >> 36);
        if ((order.rises || order.falls) && !swap) { /* no address twice, each line's lanes together */
            c = count_lines(address, spread, false);
            distinct = c.sectors;
        } else if (far_apart && lines_apart(address)) {
            c = (line_count){LANES, LANES, 0};
            distinct = LANES;
        } else {
            c = count_atomic(address, lanes, swap ? 6 : 7, &distinct, &s->why);
        }
    }
    add_lines(s, c, distinct, ideal);
}

/* ---- local memory: word w of lane i lies at (w * 32 + i) * 4 of the warp's part, so one line holds one word of all
 * lanes and one sector that of 8. A lane of 8 or 16 bytes names 2 or 4 words, aligned: units of its size. ---- */

INLINE uint32_t words_of(uint32_t bytes) { return bytes <= 4 ? 1 : bytes / 4; }
INLINE uint32_t local_unit_log2(uint32_t bytes) { return bytes <= 4 ? 2 : (uint32_t)__builtin_ctz(bytes); }

/* Octets (groups of 8 lanes) all of whose lanes are active and name one unit. */
INLINE uint32_t count_full_octets(const uint64_t *address, uint32_t mask, bool uniform)
{
    uint32_t full = 0;
    for (uint32_t o = 0; o < 4; o++) {
        if ((mask >> 8 * o & 0xff) != 0xff) continue;
        uint64_t differ = 0;
        for (uint32_t i = 1; i < 8 && !uniform; i++) differ |= address[8 * o + i] ^ address[8 * o];
        full += !differ;
    }
    return full;
}

INLINE void count_local(model_site *s, const event_memory *e, bool store)
{
    uint32_t lanes = lw_popcount(e->mask);
    uint32_t ideal = (lanes * e->bytes + 31) >> 5;
    uint32_t words = words_of(e->bytes);
    line_count c;
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_UNIFORM) {
        c = (line_count){live_groups(e->mask, 2) * words, words, 1};
    } else {
        uint32_t shift = local_unit_log2(e->bytes), other;
        lane_keys keys;
        uint32_t *key = keys.key;
        for (uint32_t i = 0; i < LANES; i++) key[i] = ((uint32_t)e->address[i] & 0xfffffff) >> shift << 2 | i >> 3;
        if (e->mask != ALL_LANES) { /* an active lane stands in for each inactive one */
            other = key[__builtin_ctz(e->mask)];
            for (uint32_t i = 0; i < LANES; i++) {
                if (e->mask >> i & 1) other = key[i];
                key[i] = other;
            }
        }
        c = count_keys(&keys, false);
        c.sectors *= words;
        c.tags *= words;
    }
    if (store) {
        uint32_t full = e->bytes < 4 ? 0 : words * count_full_octets(e->address, e->mask, e->shape == EVENT_UNIFORM);
        s->value[COUNTER_SECTORS_PARTIAL] += c.sectors - full;
    }
    s->value[COUNTER_REQUESTS] += words - 1; /* one request for each word of a lane: tests/hw/kernels/local_arrays.cu */
    add_lines(s, c, c.sectors, ideal);
}

static void local_load(model_site *s, const event_memory *e) { count_local(s, e, false); }
static void local_store(model_site *s, const event_memory *e) { count_local(s, e, true); }

/* Bulk copies are no accesses by lanes: bytes, and in global and distributed shared memory the sectors they cover. */
static void bulk_copy(model_site *s, const event_memory *e)
{
    if (!(e->flags & EVENT_PART)) {
        s->value[COUNTER_INST_EXECUTED]++;
        s->value[COUNTER_LANES] += lw_popcount(e->mask);
    }
    for (uint32_t rest = e->mask; rest; rest &= rest - 1) { /* one lane issues it; several issue several copies */
        uint64_t address = e->address[__builtin_ctz(rest)];
        uint64_t sectors = e->bytes_total ? ((address + e->bytes_total - 1) >> 5) - (address >> 5) + 1 : 0;
        s->value[COUNTER_BYTES] += e->bytes_total;
        s->value[COUNTER_SECTORS] += sectors;
        s->value[COUNTER_SECTORS_IDEAL] += LW_MIN(sectors, ((uint64_t)e->bytes_total + 31) >> 5);
    }
}
