/* model: the rules against a plain reference written from the rules' text, and the sink's bookkeeping. What cards counted is in
 * test_model_recorded.c. */
#include "model/model.h"
#include "model/rules.h"
#include "unit.h"

static device_profile device_of(uint32_t cc)
{
    device_profile d;
    memset(&d, 0, sizeof d);
    d.cc = cc;
    return d;
}

/* ---- the reference: the rules as they are written down, lane by lane ---- */

typedef struct access {
    uint64_t address[32];
    uint32_t mask, bytes;
} access;

static bool active(const access *a, int lane) { return a->mask >> lane & 1; }

/* Most distinct 4-byte words, or most lanes, in one bank over lanes [from, to). */
static uint32_t ref_passes(const access *a, int from, int to, bool merge)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint64_t seen[256];
        uint32_t count = 0;
        for (int l = from; l < to; l++) {
            if (!active(a, l)) continue;
            for (uint64_t w = a->address[l] >> 2; w <= (a->address[l] + a->bytes - 1) >> 2; w++) {
                if ((w & 31) != bank) continue;
                bool old = false;
                for (uint32_t k = 0; merge && k < count; k++) old |= seen[k] == w;
                if (!old) seen[count++] = w;
            }
        }
        most = count > most ? count : most;
    }
    return most;
}

static bool ref_paired(const access *a, int k)
{
    for (int i = 0; i < 32; i++)
        if (active(a, i) && active(a, i ^ k) && a->address[i] != a->address[i ^ k]) return false;
    return true;
}

static uint32_t ref_sum(const access *a, int n, bool merge, uint32_t *groups)
{
    uint32_t sum = 0;
    *groups = 0;
    for (int g = 0; g < n; g++) {
        uint32_t p = ref_passes(a, g * 32 / n, (g + 1) * 32 / n, merge);
        sum += p;
        *groups += p > 0;
    }
    return sum;
}

static void put(counter_set *s, counter_id id, uint64_t value)
{
    s->present |= 1u << id;
    s->value[id] = value;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* cp.async.ca: lanes of a group that are the k-th of their bank of the source, for each k (lanes without a source: the
 * 0th): the most in one bank of the destination. Lanes of more than 4 bytes are aligned: their first words' banks stand
 * for all. */
static uint32_t ref_turns(const access *to, const uint64_t *source, uint32_t sources, int n, uint32_t *groups)
{
    uint32_t sum = 0;
    *groups = 0;
    for (int g = 0; g < n; g++) {
        int from = g * 32 / n, end = (g + 1) * 32 / n, any = 0;
        for (uint32_t k = 0; k < 32; k++) {
            uint32_t lanes[32] = {0}, most = 0;
            for (int l = from; l < end; l++) {
                uint32_t earlier = 0;
                any |= active(to, l);
                for (int j = from; j < l; j++)
                    earlier += (sources >> j & sources >> l & 1) && (source[j] >> 2 & 31) == (source[l] >> 2 & 31);
                if (active(to, l) && earlier == k) lanes[to->address[l] >> 2 & 31]++;
            }
            for (int b = 0; b < 32; b++) most = lanes[b] > most ? lanes[b] : most;
            sum += most;
        }
        *groups += any != 0;
    }
    return sum;
}

static bool ref_overwritten(const access *a, const uint64_t *to, int lane)
{
    for (int j = lane + 1; j < 32; j++)
        if (active(a, j) && to[j] == to[lane]) return true;
    return false;
}

/* cp.async.cg: a wavefront for each pair of lines copied whole by one XOR, else one for each unit. */
static uint32_t ref_bypass_passes(const access *to, const uint64_t *source)
{
    uint32_t sum = 0;
    for (int i = 0; i < 32; i++) {
        int units = 0, lowest = -1;
        bool whole = true;
        if (!active(to, i) || ref_overwritten(to, to->address, i)) continue;
        for (int j = 0; j < 32; j++) {
            if (!active(to, j) || ref_overwritten(to, to->address, j)) continue;
            if (to->address[j] >> 7 != to->address[i] >> 7 || source[j] >> 7 != source[i] >> 7) continue;
            units++;
            if (lowest < 0) lowest = j;
            whole &= ((to->address[j] ^ source[j]) & 0x70) == ((to->address[i] ^ source[i]) & 0x70);
        }
        sum += whole && units == 8 ? lowest == i : 1;
    }
    return sum;
}

static counter_set ref_shared(const access *a, const event_memory *e)
{
    counter_set s = {0, {0}};
    uint32_t lanes = lw_popcount(a->mask), groups, w, c;
    uint64_t ideal = (lanes * a->bytes + 127) / 128;
    int n = a->bytes <= 4 ? 1 : (int)a->bytes / 4;
    bool load = e->op == EVENT_LOAD || e->op == EVENT_COPY_READ;
    if (e->op == EVENT_MATRIX_LOAD || e->op == EVENT_MATRIX_STORE) {
        access rows_only = *a;
        if (e->matrices < 4) rows_only.mask &= (1u << 8 * e->matrices) - 1;
        w = ref_sum(&rows_only, 4, true, &groups);
        c = w - groups;
        ideal = e->matrices;
    } else if (e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION) {
        w = ref_sum(a, n, e->atomic == EVENT_ATOMIC_ADD_1, &groups);
        c = w - groups;
        ideal = (uint64_t)n;
        if (e->atomic == EVENT_ATOMIC_CAS) w *= 2, ideal *= 2;
    } else if (e->op == EVENT_COPY_WRITE && e->flags & EVENT_BYPASS_L1) {
        w = ref_bypass_passes(a, e->address2);
        c = 0;
    } else if (e->op == EVENT_COPY_WRITE) {
        w = ref_turns(a, e->address2, e->sources, n, &groups);
        c = w - groups;
    } else {
        if (load && n > 1 && (ref_paired(a, 1) || ref_paired(a, 2))) n /= 2;
        w = ref_sum(a, n, true, &groups);
        c = w - groups;
    }
    put(&s, COUNTER_WAVEFRONTS, w);
    put(&s, COUNTER_BANK_CONFLICTS, c);
    put(&s, COUNTER_WAVEFRONTS_IDEAL, least(w, ideal));
    return s;
}

static uint32_t ref_distinct(const uint64_t *x, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool old = false;
        for (uint32_t j = 0; j < i; j++) old |= x[j] == x[i];
        count += !old;
    }
    return count;
}

/* All bytes, as (unit of 1 << shift) numbers; local memory interleaved first. */
static uint32_t ref_bytes(const access *a, bool local, uint64_t out[1024])
{
    uint32_t n = 0;
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t b = 0; active(a, (int)l) && b < a->bytes; b++) {
            uint64_t x = a->address[l] + b;
            out[n++] = local ? ((x >> 2) * 32 + l) * 4 + (x & 3) : x;
        }
    return n;
}

static uint32_t ref_touched(const access *a, bool local, int shift)
{
    uint64_t x[1024];
    uint32_t n = ref_bytes(a, local, x);
    for (uint32_t i = 0; i < n; i++) x[i] >>= shift;
    return ref_distinct(x, n);
}

static uint32_t ref_partial(const access *a, bool local)
{
    uint64_t x[1024], sector[32 * 8];
    uint32_t n = ref_bytes(a, local, x), sectors = 0, partial = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool old = false;
        for (uint32_t j = 0; j < sectors; j++) old |= sector[j] == x[i] >> 5;
        if (!old) sector[sectors++] = x[i] >> 5;
    }
    for (uint32_t s = 0; s < sectors; s++) {
        uint32_t written = 0;
        for (uint32_t i = 0; i < n; i++)
            if (x[i] >> 5 == sector[s]) written |= 1u << (x[i] & 31);
        partial += written != UINT32_MAX;
    }
    return partial;
}

static uint32_t ref_tag_bank(uint64_t line)
{
    static const uint8_t class_of_bit[35] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3,
                                             1, 3, 2, 3, 1, 3, 1, 2, 3, 2, 1, 3, 1, 3, 2, 3, 1};
    uint32_t h = 0;
    for (int b = 0; b < 35; b++)
        if (line >> b & 1) h ^= class_of_bit[b];
    return h;
}

static uint32_t ref_t_wavefronts(const access *a)
{
    uint64_t x[1024];
    uint32_t n = ref_bytes(a, false, x), bank[4] = {0}, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t line = x[i] >> 7;
        bool old = false;
        for (uint32_t j = 0; j < i; j++) old |= x[j] >> 7 == line;
        bank[ref_tag_bank(line)] += !old;
    }
    for (int b = 0; b < 4; b++) most = bank[b] > most ? bank[b] : most;
    return most;
}

typedef struct ref_atomics {
    uint32_t passes, sectors, wavefronts;
} ref_atomics;

/* Each of a bank's 32 columns is a queue of lanes. A pass serves one line (shift 7) or half of one (6), that of the bank's
 * first lane, and takes all its lanes but those that do not stand first in their queue. */
static ref_atomics ref_atomic(const access *a, int shift)
{
    ref_atomics r = {0, 0, 0};
    for (uint32_t bank = 0; bank < 4; bank++) {
        bool waits[32];
        uint32_t in_bank = 0;
        for (int i = 0; i < 32; i++) waits[i] = active(a, i) && ref_tag_bank(a->address[i] >> 7) == bank;
        for (int first = 0; first < 32; first++) {
            while (waits[first]) {
                uint64_t unit = a->address[first] >> shift, sector[32];
                uint32_t n = 0, barred = 0;
                for (int i = first; i < 32; i++) {
                    uint32_t column = 1u << (a->address[i] >> 2 & 31);
                    if (!waits[i]) continue;
                    if (a->address[i] >> shift == unit && !(barred & column)) {
                        sector[n++] = a->address[i] >> 5;
                        waits[i] = false;
                    }
                    barred |= column;
                }
                r.sectors += ref_distinct(sector, n);
                in_bank++;
            }
        }
        r.passes += in_bank;
        if (in_bank > r.wavefronts) r.wavefronts = in_bank;
    }
    return r;
}

/* Distributed shared memory: the window's first KiB is the system's. */
static access ref_in_window(const access *a)
{
    access moved = *a;
    for (int i = 0; i < 32; i++) moved.address[i] += 1024;
    return moved;
}

/* cp.async.cg: distinct pairs of source line and destination sector or line. */
static uint32_t ref_bypass_pairs(const access *from, const uint64_t *to, int shift)
{
    uint64_t pair[32];
    uint32_t n = 0;
    for (int i = 0; i < 32; i++)
        if (active(from, i) && (shift == 7 || !ref_overwritten(from, to, i)))
            pair[n++] = from->address[i] >> 7 << 16 | to[i] >> shift;
    return ref_distinct(pair, n);
}

static counter_set ref_lines(const access *a, const event_memory *e)
{
    counter_set s = {0, {0}};
    bool local = e->space == EVENT_LOCAL, atomic = e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION;
    bool bypass = e->op == EVENT_COPY_READ && e->flags & EVENT_BYPASS_L1;
    uint32_t sectors = bypass ? ref_bypass_pairs(a, e->address2, 5) : ref_touched(a, local, 5);
    bool window = e->space == EVENT_DSHARED;
    access moved = ref_in_window(a);
    ref_atomics passes = {0, 0, 0};
    if (atomic) passes = ref_atomic(window ? &moved : a, e->atomic == EVENT_ATOMIC_CAS ? 6 : 7);
    put(&s, COUNTER_SECTORS, atomic ? passes.sectors : sectors);
    put(&s, COUNTER_SECTORS_IDEAL, least(sectors, (lw_popcount(a->mask) * a->bytes + 31) / 32));
    put(&s, COUNTER_REQUESTS, 1);
    put(&s, COUNTER_TAGS,
        bypass   ? ref_bypass_pairs(a, e->address2, 7)
        : atomic ? passes.passes
                 : ref_touched(a, local, 7));
    if (e->op == EVENT_STORE || e->op == EVENT_COPY_WRITE) put(&s, COUNTER_SECTORS_PARTIAL, ref_partial(a, local));
    if (e->op == EVENT_LOAD && e->space == EVENT_GLOBAL) put(&s, COUNTER_T_WAVEFRONTS, ref_t_wavefronts(a));
    if (window) put(&s, COUNTER_T_WAVEFRONTS, atomic ? passes.wavefronts : ref_t_wavefronts(&moved));
    return s;
}

static counter_set reference(const access *a, const event_memory *e)
{
    counter_set s = {0, {0}};
    if (e->space == EVENT_SHARED) s = ref_shared(a, e);
    else if (e->space == EVENT_CONSTANT)
        put(&s, COUNTER_REQUESTS, ref_touched(a, false, a->bytes < 4 ? a->bytes / 2 : 2));
    else s = ref_lines(a, e);
    put(&s, COUNTER_INST_EXECUTED, 1);
    put(&s, COUNTER_LANES, lw_popcount(a->mask));
    return s;
}

/* ---- random events against the reference ---- */

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static uint32_t random_mask(void)
{
    switch (random_below(5)) {
    case 0: return UINT32_MAX;
    case 1: return random_below(1u << 31) | 1u << random_below(32);
    case 2: return UINT32_MAX >> random_below(32);
    case 3: return UINT32_MAX << random_below(32);
    default: return UINT32_MAX;
    }
}

/* Patterns of the kinds that kernels make, and noise over windows of several sizes. */
static void random_addresses(access *a, uint64_t base, uint32_t limit)
{
    uint32_t units = limit / a->bytes, kind = random_below(12), stride = 1 + random_below(40),
             start = random_below(units);
    uint32_t window = 1u << random_below(20), row = 1 + random_below(16), swizzle = random_below(32),
             odd = random_below(64);
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t u;
        switch (kind) {
        case 0: u = start; break;
        case 1: u = start + i; break;
        case 2: u = start + (uint64_t)i * stride; break;
        case 3: u = start + (uint64_t)(31 - i) * stride; break;
        case 4: u = start + i / row * stride; break;
        case 5: u = start + i % row * stride; break;
        case 6: u = start + (i ^ swizzle); break;
        case 7: u = start + (i ^ (i % row & 1)); break;
        case 8: u = start + i / 2 * stride + (i == odd); break; /* pairs, often but for one lane */
        case 9: u = start + (i & ~2u) * stride + (i == odd); break;
        default: u = start + random_below(window); break;
        }
        a->address[i] = base + u % units * a->bytes;
    }
}

static uint8_t shape_of(const access *a)
{
    bool uniform = true, consecutive = a->mask == UINT32_MAX;
    uint64_t first = a->address[__builtin_ctz(a->mask)];
    for (uint32_t i = 0; i < 32; i++) {
        uniform &= !active(a, (int)i) || a->address[i] == first;
        consecutive &= a->address[i] == first + i * a->bytes;
    }
    return uniform ? EVENT_UNIFORM : consecutive ? EVENT_CONSECUTIVE : EVENT_GENERAL;
}

typedef struct kind {
    uint8_t space, op, atomic, matrices;
    uint32_t widths; /* bit b: 1 << b bytes */
    uint8_t flags;
} kind;

static const kind kinds[] = {
    {EVENT_SHARED, EVENT_LOAD, 0, 0, 31, 0},
    {EVENT_SHARED, EVENT_STORE, 0, 0, 31, 0},
    {EVENT_SHARED, EVENT_COPY_WRITE, 0, 0, 28, 0},
    {EVENT_SHARED, EVENT_COPY_WRITE, 0, 0, 16, EVENT_BYPASS_L1},
    {EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 0, 4, 0},
    {EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_EXCH, 0, 12, 0},
    {EVENT_SHARED, EVENT_ATOMIC, EVENT_ATOMIC_CAS, 0, 12, 0},
    {EVENT_SHARED, EVENT_REDUCTION, EVENT_ATOMIC_ADD_1, 0, 4, 0},
    {EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 1, 16, 0},
    {EVENT_SHARED, EVENT_MATRIX_LOAD, 0, 2, 16, 0},
    {EVENT_SHARED, EVENT_MATRIX_STORE, 0, 4, 16, 0},
    {EVENT_GLOBAL, EVENT_LOAD, 0, 0, 63, 0},
    {EVENT_GLOBAL, EVENT_STORE, 0, 0, 63, 0},
    {EVENT_GLOBAL, EVENT_COPY_READ, 0, 0, 28, 0},
    {EVENT_GLOBAL, EVENT_COPY_READ, 0, 0, 16, EVENT_BYPASS_L1},
    {EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 0, 12, 0},
    {EVENT_GLOBAL, EVENT_ATOMIC, EVENT_ATOMIC_CAS, 0, 12, 0},
    {EVENT_GLOBAL, EVENT_REDUCTION, EVENT_ATOMIC_ADD, 0, 12, 0},
    {EVENT_DSHARED, EVENT_LOAD, 0, 0, 31, 0},
    {EVENT_DSHARED, EVENT_STORE, 0, 0, 31, 0},
    {EVENT_DSHARED, EVENT_ATOMIC, EVENT_ATOMIC_ADD, 0, 4, 0},
    {EVENT_LOCAL, EVENT_LOAD, 0, 0, 31, 0},
    {EVENT_LOCAL, EVENT_STORE, 0, 0, 31, 0},
    {EVENT_CONSTANT, EVENT_LOAD, 0, 0, 31, 0},
};

static void random_event(const kind *k, access *a, access *other, event_memory *e)
{
    do a->bytes = 1u << random_below(6);
    while (!(k->widths & a->bytes));
    bool near = k->space == EVENT_SHARED || k->space == EVENT_LOCAL || k->space == EVENT_CONSTANT;
    uint32_t limit = near ? 232448 - 232448 % a->bytes : 1u << (12 + random_below(18));
    uint64_t base = near ? 0 : k->space == EVENT_DSHARED ? (uint64_t)random_below(8) << 24 : UINT64_C(0x550000200000);
    a->mask = k->matrices ? UINT32_MAX : random_mask();
    random_addresses(a, base, limit);
    if (k->space == EVENT_GLOBAL && !random_below(20))
        a->address[random_below(32)] += UINT64_C(1) << (33 + random_below(6));
    *e = (event_memory){.space = k->space,
                        .op = k->op,
                        .atomic = k->atomic,
                        .matrices = k->matrices,
                        .bytes = (uint8_t)a->bytes,
                        .mask = a->mask,
                        .address = a->address,
                        .flags = k->flags,
                        .shape = shape_of(a)};
    if (k->op == EVENT_COPY_READ || k->op == EVENT_COPY_WRITE) {
        *other = *a;
        random_addresses(other, k->op == EVENT_COPY_READ ? 0 : UINT64_C(0x550000200000), 1u << (12 + random_below(6)));
        e->address2 = other->address;
        e->sources = a->mask & (random_below(2) ? UINT32_MAX : random_mask());
    }
    for (int i = 0; i < 32; i++) /* undefined: must not matter */
        if (!active(a, i)) a->address[i] = other->address[i] = 0x123456789abcdef0u * (uint64_t)(i + 1);
}

/* The rules as compiled for each instruction set that this host has. */
static const model_rules *variant(int i)
{
#ifdef __x86_64__
    if (i == 1) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? &model_cc7_v3 : NULL;
    if (i == 2) return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") ? &model_cc7_v4 : NULL;
#endif
    return i == 0 ? &model_cc7_v1 : NULL;
}

static void report_difference(const event_memory *e, const model_site *site, const counter_set *want, int which)
{
    UNIT_FAIL("variant %d space %d op %d atomic %d bytes %d mask %08x shape %d:", which, e->space, e->op, e->atomic,
              e->bytes, e->mask, e->shape);
    for (int c = 0; c < COUNTER_COUNT; c++)
        if ((site->present | want->present) >> c & 1)
            printf("  %s %llu, reference %llu\n", counter_descs[c].name, (unsigned long long)site->value[c],
                   (unsigned long long)want->value[c]);
    for (int i = 0; i < 32; i++)
        if (e->mask >> i & 1) printf(" %llx", (unsigned long long)e->address[i]);
    printf("\n");
}

static void check_against_reference(const kind *k)
{
    access a, other;
    event_memory e;
    random_event(k, &a, &other, &e);
    counter_set want = reference(&a, &e);
    for (int i = 0; i < 3; i++) {
        const model_rules *rules = variant(i);
        if (!rules) continue;
        model_site site = {.key = 1};
        rules->choose(&site, &e, true);
        site.count(&site, &e);
        if (k->space != EVENT_CONSTANT) site.value[COUNTER_REQUESTS] = 1; /* filled in when results are read */
        bool equal = site.present == want.present;
        for (int c = 0; c < COUNTER_COUNT; c++) equal &= !(want.present >> c & 1) || site.value[c] == want.value[c];
        if (!equal) report_difference(&e, &site, &want, i);
        free(site.last);
    }
}

UNIT_CASE(random_events)
{
    for (size_t k = 0; k < LW_COUNT(kinds); k++)
        for (int i = 0; i < 3000 && unit_failures < 3; i++) check_against_reference(&kinds[k]);
}

/* One site meets an access, the same shifted, sometimes by whole lines, now and then with other lanes or one lane moved,
 * and the first again: it must not take one for another. */
static void check_met_again(const kind *k, int which)
{
    access a, other;
    event_memory e;
    model_site site = {.key = 1};
    counter_set want = {0, {0}};
    random_event(k, &a, &other, &e);
    if (a.mask & (a.mask - 1) && a.bytes < 32) e.shape = EVENT_GENERAL; /* always a count by lanes */
    variant(which)->choose(&site, &e, true);
    access met = a;
    for (int time = 0; time < 6; time++) {
        uint64_t shift = random_below(2) ? a.bytes * random_below(300) : random_below(100) * 128;
        if (time == 0 || time == 5) shift = 0;
        met.mask = random_below(4) ? a.mask : a.mask & (random_mask() | (a.mask & -a.mask));
        for (int i = 0; i < 32; i++) met.address[i] = active(&a, i) ? a.address[i] / 2 / a.bytes * a.bytes + shift : 0;
        if (!random_below(3)) met.address[__builtin_ctz(met.mask)] += a.bytes;
        e.mask = met.mask;
        e.address = met.address;
        site.count(&site, &e);
        counter_set one = reference(&met, &e);
        for (int c = 0; c < COUNTER_COUNT; c++) want.value[c] += one.value[c];
        want.present = one.present;
    }
    bool equal = site.present == want.present;
    site.value[COUNTER_REQUESTS] = want.value[COUNTER_REQUESTS]; /* filled in when results are read */
    for (int c = 0; c < COUNTER_COUNT; c++) equal &= !(want.present >> c & 1) || site.value[c] == want.value[c];
    if (!equal) report_difference(&e, &site, &want, which);
    free(site.last);
}

UNIT_CASE(accesses_met_again)
{
    static const kind stored[] = {{EVENT_SHARED, EVENT_LOAD, 0, 0, 31, 0},
                                  {EVENT_SHARED, EVENT_STORE, 0, 0, 31, 0},
                                  {EVENT_GLOBAL, EVENT_STORE, 0, 0, 31, 0}};
    for (size_t k = 0; k < LW_COUNT(stored); k++)
        for (int i = 0; i < 3000 && unit_failures < 3; i++)
            for (int which = 0; which < 3; which++)
                if (variant(which)) check_met_again(&stored[k], which);
}

/* Where hardly an access is like the one before the site stops looking, and goes on counting. */
UNIT_CASE(sites_stop_looking)
{
    uint64_t address[32];
    model_site site = {.key = 1};
    event_memory e = {.space = EVENT_SHARED,
                      .op = EVENT_LOAD,
                      .bytes = 4,
                      .mask = UINT32_MAX,
                      .address = address,
                      .shape = EVENT_GENERAL};
    variant(0)->choose(&site, &e, true);
    for (uint32_t n = 1; n <= 5000; n++) {
        for (uint32_t i = 0; i < 32; i++) address[i] = i * 128 + (i == 1 ? n % 31 * 4 + 4 : 0); /* 31 in one bank */
        site.count(&site, &e);
    }
    CHECK_EQ_INT(site.value[COUNTER_WAVEFRONTS], 5000 * 31);
    CHECK_EQ_INT(site.value[COUNTER_INST_EXECUTED], 5000);
    free(site.last);
}

/* Distinct sectors of each few lanes that are carried out at once, one at a time. */
static uint32_t sectors_of(const event_texels *t)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < t->sets; k++)
        for (uint32_t first = 0; first < 32; first += t->set[k].together) {
            uint32_t seen[64], n = 0;
            for (uint32_t l = first; l < first + t->set[k].together; l++)
                for (uint32_t row = 0; row < t->set[k].rows && t->set[k].mask >> l & 1; row++) {
                    uint32_t sector = t->sector[t->set[k].first + row][l], at = 0;
                    while (at < n && seen[at] != sector) at++;
                    seen[at] = sector;
                    n += at == n;
                }
            count += n * t->set[k].passes;
        }
    return count;
}

UNIT_CASE(sectors_of_textures)
{
    static const uint8_t together[] = {4, 2, 8}, rows[] = {1, 2, 4, 8};
    static event_texels t;
    uint64_t address[32] = {0};
    for (int round = 0; round < 6000 && unit_failures < 3; round++) {
        event_memory e = {
            .space = EVENT_TEXTURE, .op = EVENT_LOAD, .bytes = 4, .mask = UINT32_MAX, .texels = &t, .address = address};
        t.texel_bytes = 4;
        t.sets = t.rows = 0;
        for (uint32_t k = 0; k < 1u + (round & 1); k++) {
            event_texel_set s = {.mask = random_below(2) ? UINT32_MAX : random_mask(), .first = (uint8_t)t.rows};
            s.rows = rows[random_below(4)];
            s.together = together[random_below(s.rows < 4 ? 3 : 2)];
            s.passes = (uint8_t)(1 + random_below(2));
            uint32_t range = 1u << random_below(8), by = random_below(3);
            for (uint32_t row = 0; row < s.rows; row++, t.rows++)
                for (uint32_t l = 0; l < 32; l++)
                    t.sector[t.rows][l] = by ? random_below(range) : l / 4 + row * random_below(4) / 2;
            t.set[t.sets++] = s;
        }
        for (int i = 0; i < 3; i++) {
            model_site site = {.key = 1};
            if (!variant(i)) continue;
            variant(i)->choose(&site, &e, true);
            site.count(&site, &e);
            CHECK_EQ_INT(site.value[COUNTER_SECTORS], sectors_of(&t));
        }
    }
}

/* ---- bookkeeping ---- */

static void send(void *state, uint32_t insn, uint8_t space, uint8_t op, uint8_t bytes, uint8_t flags)
{
    uint64_t address[32];
    for (uint32_t i = 0; i < 32; i++) address[i] = 4096 + i * bytes;
    event_memory e = {.insn = insn,
                      .space = space,
                      .op = op,
                      .bytes = bytes,
                      .mask = UINT32_MAX,
                      .address = address,
                      .shape = EVENT_CONSECUTIVE,
                      .flags = flags,
                      .bytes_total = 100};
    if (flags & EVENT_BULK) e.mask = 1, e.shape = EVENT_UNIFORM;
    model_client.memory(state, &e);
}

static uint32_t visited;
static void visit_site(void *user, const model_site_result *site)
{
    (void)user;
    visited++;
    if (site->insn == 1 && site->space == EVENT_GLOBAL && site->op == EVENT_LOAD) {
        CHECK_EQ_INT(site->bytes_per_lane, 4);
        CHECK_EQ_INT(site->counters.value[COUNTER_REQUESTS], 3);
        CHECK_EQ_INT(site->counters.value[COUNTER_SECTORS], 12);
        CHECK_EQ_INT(site->counters.value[COUNTER_LANES], 96);
    }
}

UNIT_CASE(one_instruction_in_several_spaces_and_workers)
{
    device_profile device = device_of(90);
    model *m;
    REQUIRE(model_create(&m, &device, 3, NULL) == LW_OK);
    void *w0 = model_client.worker_begin(m, 0), *w1 = model_client.worker_begin(m, 1);
    send(w0, 1, EVENT_GLOBAL, EVENT_LOAD, 4, 0);
    for (uint8_t space = 0; space < EVENT_CONSTANT; space++) send(w0, 1, space, EVENT_LOAD, 4, 0);
    for (uint8_t op = 0; op < EVENT_MATRIX_LOAD; op++) send(w1, 2, EVENT_GLOBAL, op, 8, 0);
    for (uint8_t op = 0; op < EVENT_MATRIX_LOAD; op++) send(w1, 2, EVENT_SHARED, op, 8, 0);
    send(w1, 2, EVENT_GLOBAL, EVENT_LOAD, 4, 0);
    send(w1, 1, EVENT_GLOBAL, EVENT_LOAD, 4, 0);
    visited = 0;
    model_each(m, visit_site, NULL);
    CHECK_EQ_INT(visited, 4 + 6 + 6 + 1);
    counter_set c = model_result(m, 2, EVENT_GLOBAL, EVENT_LOAD); /* both widths */
    CHECK_EQ_INT(c.value[COUNTER_SECTORS], 8 + 4);
    CHECK_EQ_INT(model_result(m, 0, EVENT_GLOBAL, EVENT_LOAD).present, 0);
    CHECK_EQ_INT(model_result(m, 9, EVENT_GLOBAL, EVENT_LOAD).present, 0);
    model_destroy(m);
}

static const char *why_of_site;
static void keep_why(void *user, const model_site_result *site)
{
    (void)user;
    why_of_site = site->why;
}

/* Whether an add of f32 through a generic or another address in this space is said to be counted exactly. */
static bool add_is_exact(uint8_t space, bool generic, uint8_t atomic)
{
    device_profile device = device_of(90);
    model *m;
    if (model_create(&m, &device, 1, NULL)) return false;
    uint64_t address[32] = {0};
    event_launch launch = {.insn_count = 1};
    event_memory e = {.launch = &launch,
                      .kind = EVENT_COUNTED,
                      .space = space,
                      .op = EVENT_ATOMIC,
                      .atomic = atomic,
                      .bytes = 4,
                      .generic = generic,
                      .mask = 1,
                      .address = address};
    model_client.memory(model_client.worker_begin(m, 0), &e);
    why_of_site = "none";
    model_each(m, keep_why, NULL);
    model_destroy(m);
    return !why_of_site;
}

UNIT_CASE(generic_adds_in_shared_memory_are_loops)
{
    CHECK(add_is_exact(EVENT_GLOBAL, true, EVENT_ATOMIC_FADD));
    CHECK(!add_is_exact(EVENT_SHARED, true, EVENT_ATOMIC_FADD));
    CHECK(!add_is_exact(EVENT_DSHARED, true, EVENT_ATOMIC_FADD));
    CHECK(add_is_exact(EVENT_SHARED, true, EVENT_ATOMIC_OTHER));
}

UNIT_CASE(bulk_copies_count_bytes_and_sectors)
{
    device_profile device = device_of(90);
    model *m;
    REQUIRE(model_create(&m, &device, 1, NULL) == LW_OK);
    void *w = model_client.worker_begin(m, 0);
    send(w, 0, EVENT_GLOBAL, EVENT_COPY_READ, 1, EVENT_BULK);
    send(w, 0, EVENT_SHARED, EVENT_COPY_WRITE, 1, EVENT_BULK);
    counter_set c = model_result(m, 0, EVENT_GLOBAL, EVENT_COPY_READ);
    CHECK_EQ_INT(c.value[COUNTER_BYTES], 100);
    CHECK_EQ_INT(c.value[COUNTER_SECTORS], 4);
    CHECK(!(c.present >> COUNTER_TAGS & 1));
    c = model_result(m, 0, EVENT_SHARED, EVENT_COPY_WRITE);
    CHECK_EQ_INT(c.value[COUNTER_BYTES], 100);
    CHECK(!(c.present >> COUNTER_WAVEFRONTS & 1) && !(c.present >> COUNTER_SECTORS & 1));
    model_destroy(m);
}

/* Lanes 0 and 2 in one line, lane 1 in another and with lane 2's column: whether lane 2 waits for it follows from the tag
 * banks of both lines. */
static const char *why_of_meeting(const char *op, int64_t between, int64_t last)
{
    int64_t offsets[32] = {0, between, last};
    counter_set set;
    const char *why = NULL;
    device_profile d = device_of(90);
    for (int i = 3; i < 32; i++) offsets[i] = -1;
    CHECK_EQ_INT(model_pattern(&d, NULL, op, offsets, &set, &why, NULL), LW_OK);
    return why;
}

UNIT_CASE(atomics_over_large_memory_hang_on_its_place)
{
    const int64_t far = 4 << 20;
    CHECK_HAS(why_of_meeting("red32", far + 8, 8), "where the driver places");
    CHECK_HAS(why_of_meeting("cas32", far + 8, 8), "where the driver places");
    CHECK_HAS(why_of_meeting("red64", far + 8, 8), "where the driver places");
    CHECK(!why_of_meeting("red32", (1 << 20) + 8, 8)); /* in one 2 MiB: its place is known */
    CHECK(!why_of_meeting("red32", far + 4, 8));       /* columns of their own: no lane waits */
    CHECK(!why_of_meeting("red32", far + 8, 128 + 8)); /* lines of their own: nothing is joined */
    CHECK(!why_of_meeting("cas32", far + 72, 72));     /* halves of their own */
}

UNIT_CASE(rules_follow_the_device)
{
    int64_t offsets[32];
    counter_set set;
    lw_error error = {0};
    for (int i = 0; i < 32; i++) offsets[i] = i * 128;
    device_profile d = device_of(86);
    CHECK_EQ_INT(model_pattern(&d, NULL, "ldg32", offsets, &set, NULL, NULL), LW_OK);
    CHECK(!(set.present >> COUNTER_T_WAVEFRONTS & 1)); /* the hash is known for 9.0 only */
    CHECK_EQ_INT(set.value[COUNTER_SECTORS], 32);
    d = device_of(40); /* there is no such capability */
    CHECK_EQ_INT(model_pattern(&d, NULL, "ldg32", offsets, &set, NULL, &error), LW_UNSUPPORTED);
    CHECK_HAS(error.message, "4.0");
    model *m;
    d = device_of(61);
    REQUIRE(model_create(&m, &d, 1, NULL) == LW_OK);
    CHECK(model_inexact(m) != NULL);
    model_destroy(m);
}

UNIT_CASE(bad_patterns_are_named)
{
    int64_t offsets[32] = {2};
    counter_set set;
    lw_error error = {0};
    device_profile d = device_of(90);
    CHECK_EQ_INT(model_pattern(&d, NULL, "lds7", offsets, &set, NULL, &error), LW_UNSUPPORTED);
    CHECK_HAS(error.message, "lds7");
    error.status = LW_OK;
    CHECK_EQ_INT(model_pattern(&d, NULL, "lds32", offsets, &set, NULL, &error), LW_INVALID_ARGUMENT);
    CHECK_HAS(error.message, "lane 0");
    for (int i = 0; i < 32; i++) offsets[i] = -1;
    CHECK_EQ_INT(model_pattern(&d, NULL, "lds32", offsets, &set, NULL, NULL), LW_OK);
    CHECK_EQ_INT(set.present, 0);
}

UNIT_MAIN()
