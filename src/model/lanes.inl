/* model, internal: arithmetic on arrays of 32 lanes, as loops that compilers turn into vector code. Included once per
 * instruction set by rules_cc7.inl. No divisions, no branches that depend on single lanes where it can be helped. */

#define LANES 32
#define ALL_LANES 0xffffffffu
#define INLINE static inline __attribute__((always_inline))
#ifdef VECTOR
#define HAS_VECTOR 1
#else
#define HAS_VECTOR 0
#endif

/* The active lanes' addresses in lane order, the rest filled with the last of them. Returns how many are active. */
INLINE uint32_t pack_addresses(const uint64_t *address, uint32_t mask, uint64_t out[LANES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        out[n & 31] = address[i];
        n += mask >> i & 1;
    }
    if (n == LANES) return n;
    uint64_t last = out[n - 1];
    for (uint32_t i = n; i < LANES; i++) out[i] = last;
    return n;
}

/* The addresses of an event's lanes in lane order: its own array, or `packed`, filled. */
INLINE const uint64_t *active_addresses(const event_memory *e, uint64_t packed[LANES])
{
    if (e->mask == ALL_LANES) return e->address;
    pack_addresses(e->address, e->mask, packed);
    return packed;
}

/* The same for keys, in place. */
INLINE uint32_t pack_keys(uint32_t key[LANES], uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t k = key[i];
        key[n & 31] = k;
        n += mask >> i & 1;
    }
    uint32_t last = key[n - 1];
    for (uint32_t i = n; i < LANES; i++) key[i] = last;
    return n;
}

INLINE uint32_t or_all(const uint32_t x[LANES])
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < LANES; i++) r |= x[i];
    return r;
}

/* Keys of the lanes with room before them for mark_steps and mark_least_steps. Below 2^31. */
typedef struct lane_keys {
    uint32_t before[LANES], key[LANES];
} lane_keys;

/* step[i] = key[i] ^ key[i - 1], and for lane 0 all ones. Returns whether keys never fall or never rise from lane to
 * lane: then equal keys are neighbours, and a lane's key is new exactly where its step is not 0. */
INLINE bool mark_steps(lane_keys *k, uint32_t step[LANES])
{
    uint32_t fall = 0, rise = 0;
    const uint32_t *key = k->before + LANES; /* one array of 64 */
    k->before[LANES - 1] = k->key[0];
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t now = key[i], previous = key[(int)i - 1];
        fall |= LW_MAX(now, previous) ^ now;
        rise |= LW_MIN(now, previous) ^ now;
        step[i] = now ^ previous;
    }
    step[0] = ALL_LANES;
    return !fall || !rise;
}

/* The same for any order: step[i] = least key[i] ^ key[j] over lanes j before i, so 0 where an earlier lane has the
 * key, and below 4 where an earlier lane has key >> 2. */
INLINE void mark_least_steps(lane_keys *k, uint32_t step[LANES])
{
    const uint32_t *key = k->before + LANES;
    for (uint32_t i = 0; i < LANES; i++) k->before[i] = ALL_LANES;
#ifdef VECTOR
    enum { WIDTH = sizeof(VECTOR) / sizeof(uint32_t) };
    for (int from = 0; from < LANES; from += WIDTH) {
        VECTOR now = VECTOR_LOAD(key + from), least = now ^ VECTOR_LOAD(key + from - 1);
        for (int distance = 2; distance < from + WIDTH; distance++)
            least = VECTOR_LEAST(least, now ^ VECTOR_LOAD(key + from - distance));
        memcpy(step + from, &least, sizeof least);
    }
#else
    for (uint32_t i = 0; i < LANES; i++) step[i] = ALL_LANES;
    for (int distance = 1; distance < LANES; distance++)
        for (int i = 0; i < LANES; i++) {
            uint32_t x = key[i] ^ key[i - distance];
            step[i] = LW_MIN(step[i], x);
        }
#endif
}

/* ---- the last access of a site: in loops the next one often differs by a shift of all lanes ---- */
struct model_last {
    int32_t worth;         /* how much more often it was met again than not */
    uint32_t mask;         /* 0: no access yet */
    uint32_t at;           /* where it begins, as far as its count depends on it */
    uint32_t apart[LANES]; /* of active lanes: how far from the first one */
    uint32_t count[4];     /* what the site's function makes of it */
};
enum { LAST_WORTHLESS = -1000 };

/* NULL: where hardly an access is like the one before, looking costs more than it saves. */
INLINE model_last *last_of(model_site *s)
{
    if (!s->last) s->last = lw_alloc(sizeof *s->last);
    return s->last->worth > LAST_WORTHLESS ? s->last : NULL;
}

/* false: it is another one now, whose count is to be filled in. */
INLINE bool is_last(model_last *last, uint32_t mask, uint32_t at, const uint32_t apart[LANES])
{
    uint32_t differ = (mask ^ last->mask) | (at ^ last->at);
    for (uint32_t i = 0; i < LANES; i++) differ |= apart[i] ^ last->apart[i];
    last->worth += differ ? -1 : last->worth < 0;
    if (!differ) return true;
    last->mask = mask;
    last->at = at;
    memcpy(last->apart, apart, sizeof last->apart);
    return false;
}

/* Bit-sliced count: bit b of plane[p] is bit p of the number of lanes whose word has bit b. */
INLINE void count_bits(const uint32_t x[LANES], uint32_t plane[6])
{
    uint32_t a[3][8], b[4][4], c[5][2];
    for (int i = 0; i < 8; i++) {
        uint32_t p = x[i], q = x[i + 8], r = x[i + 16], s = x[i + 24];
        uint32_t sum = p ^ q ^ r, carry = (p & q) | (r & (p ^ q));
        uint32_t carry2 = sum & s;
        a[0][i] = sum ^ s;
        a[1][i] = carry ^ carry2;
        a[2][i] = carry & carry2;
    }
    for (int i = 0; i < 4; i++) {
        uint32_t carry = 0;
        for (int p = 0; p < 3; p++) {
            uint32_t u = a[p][i], v = a[p][i + 4];
            b[p][i] = u ^ v ^ carry;
            carry = (u & v) | (carry & (u ^ v));
        }
        b[3][i] = carry;
    }
    for (int i = 0; i < 2; i++) {
        uint32_t carry = 0;
        for (int p = 0; p < 4; p++) {
            uint32_t u = b[p][i], v = b[p][i + 2];
            c[p][i] = u ^ v ^ carry;
            carry = (u & v) | (carry & (u ^ v));
        }
        c[4][i] = carry;
    }
    uint32_t carry = 0;
    for (int p = 0; p < 5; p++) {
        uint32_t u = c[p][0], v = c[p][1];
        plane[p] = u ^ v ^ carry;
        carry = (u & v) | (carry & (u ^ v));
    }
    plane[5] = carry;
}

/* The greatest of the counted numbers among the bits of candidates. */
INLINE uint32_t greatest(const uint32_t plane[6], uint32_t candidates)
{
    uint32_t most = 0;
    for (int p = 5; p >= 0; p--) {
        uint32_t with = candidates & plane[p];
        most |= (uint32_t)(with != 0) << p;
        candidates = with ? with : candidates;
    }
    return most;
}
