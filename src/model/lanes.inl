/* model, internal: arithmetic on arrays of 32 lanes, as loops that compilers turn into vector code. Included once per
 * instruction set by rules_cc7.inl. No divisions, no branches that depend on single lanes where it can be helped. */

#define LANES 32
#define ALL_LANES 0xffffffffu
#define INLINE static inline __attribute__((always_inline))

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

INLINE uint32_t pack_keys(uint16_t key[LANES], uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint16_t k = key[i];
        key[n & 31] = k;
        n += mask >> i & 1;
    }
    uint16_t last = key[n - 1];
    for (uint32_t i = n; i < LANES; i++) key[i] = last;
    return n;
}

INLINE uint32_t or_all(const uint32_t x[LANES])
{
    uint32_t r = 0;
    for (uint32_t i = 0; i < LANES; i++) r |= x[i];
    return r;
}

/* Keys never fall, or never rise, from lane to lane. */
INLINE bool is_monotone16(const uint16_t key[LANES])
{
    uint16_t fall = 0, rise = 0;
    for (uint32_t i = 1; i < LANES; i++) {
        fall |= (uint16_t)-(key[i] < key[i - 1]);
        rise |= (uint16_t)-(key[i] > key[i - 1]);
    }
    return !fall || !rise;
}

INLINE bool is_monotone32(const uint32_t key[LANES])
{
    uint32_t fall = 0, rise = 0;
    for (uint32_t i = 1; i < LANES; i++) {
        fall |= -(uint32_t)(key[i] < key[i - 1]);
        rise |= -(uint32_t)(key[i] > key[i - 1]);
    }
    return !fall || !rise;
}

/* first[i] = all ones if no lane before i has lane i's key, else 0. No key is 0xffff. */
INLINE void mark_first16(const uint16_t key[LANES], uint16_t first[LANES])
{
    uint16_t buffer[2 * LANES], seen[LANES];
    for (uint32_t i = 0; i < LANES; i++) buffer[i] = 0xffff, buffer[LANES + i] = key[i], seen[i] = 0;
    for (uint32_t distance = 1; distance < LANES; distance++)
        for (uint32_t i = 0; i < LANES; i++)
            seen[i] |= (uint16_t)-(buffer[LANES + i] == buffer[LANES + i - distance]);
    for (uint32_t i = 0; i < LANES; i++) first[i] = (uint16_t)~seen[i];
}

/* The same for keys and, in one go, for keys >> 2. */
INLINE void mark_first32(const uint32_t key[LANES], uint32_t first[LANES], uint32_t first_quad[LANES])
{
    uint32_t buffer[2 * LANES], seen[LANES], seen_quad[LANES];
    uint32_t other = 0; /* a key >> 2 that no lane has: 33 candidates, 32 lanes */
    for (uint32_t i = 0; i < LANES; i++) buffer[LANES + i] = key[i], seen[i] = seen_quad[i] = 0;
    for (uint32_t i = 0; i < LANES; i++) other = LW_MAX(other, key[i] >> 2);
    if (other == 0x3fffffffu) { /* the greatest is taken: look below */
        uint32_t least = other;
        for (uint32_t i = 0; i < LANES; i++) least = LW_MIN(least, key[i] >> 2);
        other = least ? least - 1 : 0;
        for (uint32_t i = 0; !least && i < LANES; i++) /* 0 and the greatest are both taken: search */
            if (key[i] >> 2 == other) other++, i = UINT32_MAX;
    } else {
        other++;
    }
    for (uint32_t i = 0; i < LANES; i++) buffer[i] = other << 2;
    for (uint32_t distance = 1; distance < LANES; distance++)
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t x = buffer[LANES + i] ^ buffer[LANES + i - distance];
            seen[i] |= -(uint32_t)(x == 0);
            seen_quad[i] |= -(uint32_t)((x & ~3u) == 0);
        }
    for (uint32_t i = 0; i < LANES; i++) first[i] = ~seen[i], first_quad[i] = ~seen_quad[i];
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
