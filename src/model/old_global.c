/* model: global, local and constant memory of cc 1.0 to 3.7, from the programming guides 4.2 and 5.0 (appendix F): the
 * transactions that a warp access makes, their bytes, and how many of these the lanes asked for.
 *
 *   1.0, 1.1   half-warps; words in order in one segment: 1 of 64 bytes, 1 or 2 of 128; else 32 bytes for each lane
 *   1.2, 1.3   half-warps; segments of 32, 64 or 128 bytes by width, halved as long as one half is not used
 *   2.x, 3.x   warps, half-warps for 8 bytes a lane, quarter-warps for 16; lines of 128 bytes in L1 or 32-byte segments
 *
 * Local memory: word w of lane i lies at (w * 32 + i) * 4, each word of a lane is an access of its own. Constant
 * memory: a request for each different address. */
#include "model/rules.h"

enum { LANES = 32 };

typedef struct traffic {
    uint32_t small, medium, large; /* transactions of 32, 64 and 128 bytes */
    uint32_t ideal;                /* transactions, had the lanes' bytes been neighbours */
    uint32_t useful;               /* bytes that lanes asked for */
} traffic;

static void add_traffic(model_site *s, const traffic *t)
{
    s->value[COUNTER_TRANSACTIONS] += t->small + t->medium + t->large;
    s->value[COUNTER_TRANSACTIONS_IDEAL] += t->ideal;
    s->value[COUNTER_TRANSACTIONS_32] += t->small;
    s->value[COUNTER_TRANSACTIONS_64] += t->medium;
    s->value[COUNTER_TRANSACTIONS_128] += t->large;
    s->value[COUNTER_BYTES_MOVED] += 32 * t->small + 64 * t->medium + 128 * t->large;
    s->value[COUNTER_BYTES_USEFUL] += t->useful;
}

/* The active lanes of one request. */
typedef struct request {
    uint32_t count, bytes;
    uint64_t address[LANES];
    uint8_t lane[LANES]; /* in the request */
} request;

static uint32_t ideal_of(const request *r, uint32_t made, uint32_t largest)
{
    uint32_t least = (r->count * r->bytes + largest - 1) / largest;
    return LW_MIN(made, least);
}

/* ---- what a request touches, by segments of equal size ---- */

typedef struct segment {
    uint64_t number;
    uint64_t used[2]; /* a bit for each of up to 128 bytes */
} segment;

static uint32_t touch_segments(const request *r, uint32_t log2, segment out[LANES])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint64_t number = r->address[i] >> log2;
        uint32_t at = count, offset = (uint32_t)r->address[i] & ((1u << log2) - 1);
        while (at > 0 && out[at - 1].number != number) at--;
        if (!at) {
            out[count++] = (segment){number, {0, 0}};
            at = count;
        }
        out[at - 1].used[offset >> 6] |= ((UINT64_C(1) << r->bytes) - 1) << (offset & 63);
    }
    return count;
}

static uint32_t useful_bytes(const segment *s)
{
    return (uint32_t)(__builtin_popcountll(s->used[0]) + __builtin_popcountll(s->used[1]));
}

/* ---- 1.0 and 1.1 ---- */

static bool is_in_order(const request *r)
{
    if (r->bytes != 4 && r->bytes != 8 && r->bytes != 16) return false;
    uint64_t base = r->address[0] - (uint64_t)r->bytes * r->lane[0];
    for (uint32_t i = 1; i < r->count; i++)
        if (r->address[i] - (uint64_t)r->bytes * r->lane[i] != base) return false;
    return base % (16 * r->bytes) == 0;
}

static void count_10(const request *r, traffic *t)
{
    bool in_order = is_in_order(r);
    uint32_t made = r->bytes == 16 ? 2 : 1;
    if (!in_order) made = r->count;
    if (!in_order) t->small += made;
    else if (r->bytes == 4) t->medium += made;
    else t->large += made;
    t->ideal += ideal_of(r, made, 128);
    t->useful += r->count * r->bytes; /* each lane's bytes are moved for it alone */
}

/* ---- 1.2 and 1.3 ---- */

static void count_12(const request *r, traffic *t)
{
    segment segments[LANES];
    uint32_t log2 = LW_MIN(5 + (uint32_t)__builtin_ctz(r->bytes), 7u); /* segments of 32, 64 or 128 bytes */
    uint32_t made = touch_segments(r, log2, segments);
    for (uint32_t i = 0; i < made; i++) {
        const segment *g = &segments[i];
        uint64_t half = g->used[0] | g->used[1]; /* of a segment of 128 bytes */
        bool whole = log2 == 7 && g->used[0] && g->used[1];
        if (whole) t->large++;
        else if (log2 > 5 && half & UINT32_MAX && half >> 32) t->medium++;
        else t->small++;
        t->useful += useful_bytes(g);
    }
    t->ideal += ideal_of(r, made, 128);
}

/* ---- 2.x and 3.x ---- */

static void count_lines(const request *r, traffic *t)
{
    segment lines[LANES];
    uint32_t made = touch_segments(r, 7, lines);
    t->large += made;
    t->ideal += ideal_of(r, made, 128);
    for (uint32_t i = 0; i < made; i++) t->useful += useful_bytes(&lines[i]);
}

static void count_segments(const request *r, traffic *t)
{
    segment lines[LANES];
    uint32_t count = touch_segments(r, 7, lines), made = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t half = 0; half < 2; half++)
            made += ((uint32_t)lines[i].used[half] != 0) + (lines[i].used[half] >> 32 != 0);
        t->useful += useful_bytes(&lines[i]);
    }
    t->small += made;
    t->ideal += ideal_of(r, made, 32);
}

/* ---- a warp access as requests of `group` lanes ---- */

typedef void (*count_request)(const request *r, traffic *t);

static void each_request(const event_memory *e, const uint64_t *address, uint32_t bytes, uint32_t group,
                         count_request count, traffic *t)
{
    for (uint32_t first = 0; first < LANES; first += group) {
        request r;
        r.count = 0;
        r.bytes = bytes;
        for (uint32_t i = first; i < first + group; i++) {
            if (!(e->mask >> i & 1)) continue;
            r.lane[r.count] = (uint8_t)(i - first);
            r.address[r.count++] = address[i];
        }
        if (r.count) count(&r, t);
    }
}

static void lane_addresses(const event_memory *e, uint64_t out[LANES])
{
    for (uint32_t i = 0; i < LANES; i++)
        out[i] = e->shape == EVENT_UNIFORM ? e->address[__builtin_ctz(e->mask)] : e->address[i];
}

static void count_global(model_site *s, const event_memory *e, uint32_t group, count_request count)
{
    uint64_t address[LANES];
    traffic t = {0, 0, 0, 0, 0};
    lane_addresses(e, address);
    each_request(e, address, e->bytes, group, count, &t);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lw_popcount(e->mask);
    add_traffic(s, &t);
}

/* Lanes of a request. */
static uint32_t group_2x(uint32_t bytes)
{
    if (bytes <= 4) return 32;
    return bytes == 8 ? 16 : 8;
}

void model_old_global_10(model_site *s, const event_memory *e) { count_global(s, e, 16, count_10); }
void model_old_global_12(model_site *s, const event_memory *e) { count_global(s, e, 16, count_12); }
void model_old_global_lines(model_site *s, const event_memory *e)
{
    count_global(s, e, group_2x(e->bytes), count_lines);
}
void model_old_global_segments(model_site *s, const event_memory *e)
{
    count_global(s, e, group_2x(e->bytes), count_segments);
}

/* ---- local memory ---- */

/* With one index in all lanes the guides promise coalesced accesses; what others cost follows from the layout. */
static void count_local(model_site *s, const event_memory *e, uint32_t group, count_request count)
{
    uint64_t address[LANES], word[LANES];
    uint32_t words = LW_MAX(1, e->bytes / 4), lanes = lw_popcount(e->mask);
    traffic t = {0, 0, 0, 0, 0};
    lane_addresses(e, address);
    for (uint32_t w = 0; w < words; w++) {
        for (uint32_t i = 0; i < LANES; i++) word[i] = (((address[i] >> 2) + w) * LANES + i) * 4;
        each_request(e, word, 4, group, count, &t);
    }
    t.useful = lanes * e->bytes; /* no two lanes share a word */
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape != EVENT_UNIFORM) s->why = "local memory at different indices in one warp: derived from its layout";
    add_traffic(s, &t);
}

void model_old_local_10(model_site *s, const event_memory *e) { count_local(s, e, 16, count_10); }
void model_old_local_12(model_site *s, const event_memory *e) { count_local(s, e, 16, count_12); }
void model_old_local_lines(model_site *s, const event_memory *e) { count_local(s, e, 32, count_lines); }

/* ---- constant memory ---- */

/* Does no active lane from `first` on, before lane i, have its address? */
static bool is_new(const uint64_t address[LANES], uint32_t mask, uint32_t first, uint32_t i)
{
    for (uint32_t j = first; j < i; j++)
        if ((mask >> j & 1) && address[j] == address[i]) return false;
    return true;
}

static void count_constant(model_site *s, const event_memory *e, uint32_t group)
{
    uint64_t address[LANES];
    lane_addresses(e, address);
    for (uint32_t first = 0; first < LANES; first += group)
        for (uint32_t i = first; i < first + group; i++)
            s->value[COUNTER_REQUESTS] += (e->mask >> i & 1) && is_new(address, e->mask, first, i);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lw_popcount(e->mask);
}

void model_old_constant_1x(model_site *s, const event_memory *e) { count_constant(s, e, 16); }
void model_old_constant(model_site *s, const event_memory *e) { count_constant(s, e, 32); }

/* No rule: how often, and by how many lanes. */
void model_old_uncounted(model_site *s, const event_memory *e)
{
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lw_popcount(e->mask);
}
