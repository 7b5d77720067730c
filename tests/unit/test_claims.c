/* Claims of books, tutorials and guides about bank conflicts and bus use, each with the number claimed, the number that
 * the rules give, and so the verdict: REPRODUCED where they are equal, WRONG where they are not. A wrong claim is
 * tested to be wrong. The claims are about 1.x, Tesla M2090 (2.0) and K40 (3.5); some are also asked of newer
 * capabilities.
 *
 * Ways: passes of the worst request, here passes of all requests over their number, as all requests of a pattern are
 * alike. Use of the bus: bytes that were asked for of 1000 bytes moved. */
#include "model/model.h"
#include "unit.h"

typedef enum pattern {
    WORDS,      /* lane * a + b words */
    ROWS_OF_16, /* x[lane % 16][lane / 16] of rows of a elements of b bytes */
    SHUFFLED    /* all 32 words of one line, in an order without steps of one */
} pattern;

typedef enum measure { WAYS, TRANSACTIONS, SECTORS, TAGS, PER_MILLE } measure;
typedef enum verdict { REPRODUCED, WRONG } verdict;

typedef struct claim {
    const char *text;
    uint32_t cc;
    uint32_t bank_bytes;
    model_l1 l1;
    const char *op;
    pattern pattern;
    int a, b;
    measure measure;
    int claimed, rule;
    verdict verdict;
} claim;

#define MODE4 4, MODEL_L1_DEFAULT
#define MODE8 8, MODEL_L1_DEFAULT
#define PLAIN 0, MODEL_L1_DEFAULT
#define ROUND 0, MODEL_L1_UNCACHED

static const claim claims[] = {
    {"1.x: a struct of 3 floats has no conflicts", 10, PLAIN, "lds32", WORDS, 3, 0, WAYS, 1, 1, REPRODUCED},
    {"1.x: a struct of 3 floats, last member", 13, PLAIN, "lds32", WORDS, 3, 2, WAYS, 1, 1, REPRODUCED},
    {"1.x: a struct of 2 floats has two-way conflicts", 10, PLAIN, "lds32", WORDS, 2, 0, WAYS, 2, 2, REPRODUCED},
    {"1.x: a struct of 2 floats, stored", 13, PLAIN, "sts32", WORDS, 2, 1, WAYS, 2, 2, REPRODUCED},

    /* int tile[16][32 + pad], block 32 x 16, tile[icol][irow] with icol = idx % 16, irow = idx / 16 */
    {"K40: int tile[16][32] by columns is 16-way", 35, MODE8, "lds32", ROWS_OF_16, 32, 4, WAYS, 16, 8, WRONG},
    {"K40: the same with 4-byte banks is 16-way", 35, MODE4, "lds32", ROWS_OF_16, 32, 4, WAYS, 16, 8, WRONG},
    {"K40: one word of padding is not enough", 35, MODE8, "lds32", ROWS_OF_16, 33, 4, WAYS, 2, 2, REPRODUCED},
    {"K40: nor with 4-byte banks", 35, MODE4, "lds32", ROWS_OF_16, 33, 4, WAYS, 2, 2, REPRODUCED},
    {"K40: two words of padding are enough", 35, MODE8, "lds32", ROWS_OF_16, 34, 4, WAYS, 1, 1, REPRODUCED},
    {"K40: also with 4-byte banks", 35, MODE4, "lds32", ROWS_OF_16, 34, 4, WAYS, 1, 1, REPRODUCED},
    {"M2090: int tile[16][32] by columns is 16-way", 20, PLAIN, "lds32", ROWS_OF_16, 32, 4, WAYS, 16, 16, REPRODUCED},
    {"M2090: one word of padding is enough", 20, PLAIN, "lds32", ROWS_OF_16, 33, 4, WAYS, 1, 2, WRONG},
    {"M2090: two words of padding are needed", 20, PLAIN, "lds32", ROWS_OF_16, 34, 4, WAYS, 1, 1, REPRODUCED},
    {"6.1: one word of padding is enough", 61, PLAIN, "lds32", ROWS_OF_16, 33, 4, WAYS, 1, 2, WRONG},
    {"6.1: two words of padding are needed", 61, PLAIN, "lds32", ROWS_OF_16, 34, 4, WAYS, 1, 1, REPRODUCED},
    {"9.0: one word of padding is enough", 90, PLAIN, "lds32", ROWS_OF_16, 33, 4, WAYS, 1, 2, WRONG},
    {"9.0: two words of padding are needed", 90, PLAIN, "lds32", ROWS_OF_16, 34, 4, WAYS, 1, 1, REPRODUCED},

    /* int tile[32][16 + pad], block 32 x 16, tile[tx][ty]: here "K40 needs 2, M2090 needs 1" holds */
    {"M2090: int tile[32][16] by columns is 16-way", 20, PLAIN, "lds32", WORDS, 16, 0, WAYS, 16, 16, REPRODUCED},
    {"M2090: one word of padding is enough there", 20, PLAIN, "lds32", WORDS, 17, 0, WAYS, 1, 1, REPRODUCED},
    {"M2090: two words are two-way there", 20, PLAIN, "lds32", WORDS, 18, 0, WAYS, 2, 2, REPRODUCED},
    {"K40: int tile[32][16] by columns is 8-way", 35, MODE8, "lds32", WORDS, 16, 0, WAYS, 8, 8, REPRODUCED},
    {"K40: one word of padding is two-way there", 35, MODE8, "lds32", WORDS, 17, 0, WAYS, 2, 2, REPRODUCED},
    {"K40: two words of padding are enough there", 35, MODE8, "lds32", WORDS, 18, 0, WAYS, 1, 1, REPRODUCED},
    {"K40, 4-byte banks: one word is enough, as on M2090", 35, MODE4, "lds32", WORDS, 17, 0, WAYS, 1, 1, REPRODUCED},
    {"K40, 4-byte banks: two words are two-way", 35, MODE4, "lds32", WORDS, 18, 0, WAYS, 2, 2, REPRODUCED},

    /* where "16-way on K40" holds */
    {"K40: int tile[32][32] by columns is 16-way", 35, MODE8, "lds32", WORDS, 32, 0, WAYS, 16, 16, REPRODUCED},
    {"K40: also with 4-byte banks", 35, MODE4, "lds32", WORDS, 32, 0, WAYS, 16, 16, REPRODUCED},
    {"M2090: int tile[32][32] by columns is 32-way", 20, PLAIN, "lds32", WORDS, 32, 0, WAYS, 32, 32, REPRODUCED},
    {"5.2: int tile[32][32] by columns is 32-way", 52, PLAIN, "lds32", WORDS, 32, 0, WAYS, 32, 32, REPRODUCED},
    {"9.0: int tile[32][32] by columns is 32-way", 90, PLAIN, "lds32", WORDS, 32, 0, WAYS, 32, 32, REPRODUCED},
    {"K40: double tile[16][32] by columns is 16-way", 35, MODE8, "lds64", ROWS_OF_16, 32, 8, WAYS, 16, 16, REPRODUCED},
    {"K40: also with 4-byte banks", 35, MODE4, "lds64", ROWS_OF_16, 32, 8, WAYS, 16, 16, REPRODUCED},

    /* a warp reads 128 bytes from an address that is not a multiple of 128 */
    {"misaligned: two lines", 20, PLAIN, "ldg32", WORDS, 1, 1, TRANSACTIONS, 2, 2, REPRODUCED},
    {"misaligned: 50 % of what is moved is used", 20, PLAIN, "ldg32", WORDS, 1, 1, PER_MILLE, 500, 500, REPRODUCED},
    {"misaligned, round L1: 50 %", 20, ROUND, "ldg32", WORDS, 1, 1, PER_MILLE, 500, 800, WRONG},
    {"misaligned, round L1: five segments", 20, ROUND, "ldg32", WORDS, 1, 1, TRANSACTIONS, 5, 5, REPRODUCED},
    {"misaligned, 3.5: 50 %", 35, PLAIN, "ldg32", WORDS, 1, 1, PER_MILLE, 500, 800, WRONG},
    {"misaligned, 3.5: five segments", 35, PLAIN, "ldg32", WORDS, 1, 1, TRANSACTIONS, 5, 5, REPRODUCED},
    {"misaligned, 6.1: 50 %", 61, PLAIN, "ldg32", WORDS, 1, 1, PER_MILLE, 500, 800, WRONG},
    {"misaligned, 9.0: 50 %", 90, PLAIN, "ldg32", WORDS, 1, 1, PER_MILLE, 500, 800, WRONG},
    {"misaligned, 9.0: five sectors", 90, PLAIN, "ldg32", WORDS, 1, 1, SECTORS, 5, 5, REPRODUCED},
    {"misaligned, 9.0: of two lines", 90, PLAIN, "ldg32", WORDS, 1, 1, TAGS, 2, 2, REPRODUCED},

    {"one word for all: 3.125 %", 20, PLAIN, "ldg32", WORDS, 0, 0, PER_MILLE, 31, 31, REPRODUCED},
    {"one word for all, round L1: 3.125 %", 20, ROUND, "ldg32", WORDS, 0, 0, PER_MILLE, 31, 125, WRONG},
    {"one word for all, 3.5: 3.125 %", 35, PLAIN, "ldg32", WORDS, 0, 0, PER_MILLE, 31, 125, WRONG},
    {"one word for all, 9.0: 3.125 %", 90, PLAIN, "ldg32", WORDS, 0, 0, PER_MILLE, 31, 125, WRONG},

    {"any order in one line: one transaction", 20, PLAIN, "ldg32", SHUFFLED, 0, 0, TRANSACTIONS, 1, 1, REPRODUCED},
    {"any order in one line: 100 %", 20, PLAIN, "ldg32", SHUFFLED, 0, 0, PER_MILLE, 1000, 1000, REPRODUCED},
    {"any order in one line, 3.5: 100 %", 35, PLAIN, "ldg32", SHUFFLED, 0, 0, PER_MILLE, 1000, 1000, REPRODUCED},
    {"any order in one line, 9.0: 100 %", 90, PLAIN, "ldg32", SHUFFLED, 0, 0, PER_MILLE, 1000, 1000, REPRODUCED},
    {"any order in one line, 1.2: one for each half-warp", 12, PLAIN, "ldg32", SHUFFLED, 0, 0, TRANSACTIONS, 2, 2,
     REPRODUCED},
    {"any order in one line, 1.0: one for each half-warp", 10, PLAIN, "ldg32", SHUFFLED, 0, 0, TRANSACTIONS, 2, 32,
     WRONG},

    {"scattered: up to 32 transactions", 20, PLAIN, "ldg32", WORDS, 1000, 0, TRANSACTIONS, 32, 32, REPRODUCED},
    {"scattered, 3.5: up to 32", 35, PLAIN, "ldg32", WORDS, 1000, 0, TRANSACTIONS, 32, 32, REPRODUCED},
    {"scattered, 9.0: up to 32 sectors", 90, PLAIN, "ldg32", WORDS, 1000, 0, SECTORS, 32, 32, REPRODUCED},
    {"scattered, 9.0: also of 8 bytes a lane", 90, PLAIN, "ldg64", WORDS, 1000, 0, SECTORS, 32, 32, REPRODUCED},
    {"scattered, 9.0: also of 16 bytes a lane", 90, PLAIN, "ldg128", WORDS, 1000, 0, SECTORS, 32, 32, REPRODUCED},
};

static void lay_out(const claim *c, int64_t offsets[32])
{
    for (int i = 0; i < 32; i++) switch (c->pattern) {
        case WORDS: offsets[i] = 4 * ((int64_t)i * c->a + c->b); break;
        case ROWS_OF_16: offsets[i] = ((int64_t)(i % 16) * c->a + i / 16) * c->b; break;
        case SHUFFLED: offsets[i] = 4 * (i * 13 % 32); break;
        }
}

/* Different bytes that the lanes ask for. */
static uint32_t distinct_bytes(const int64_t offsets[32], uint32_t bytes)
{
    uint32_t n = 0;
    for (int i = 0; i < 32; i++) {
        bool again = false;
        for (int j = 0; j < i; j++) again |= offsets[j] == offsets[i];
        n += again ? 0 : bytes;
    }
    return n;
}

static int64_t measured(const claim *c, const counter_set *s, const int64_t offsets[32])
{
    const uint64_t *v = s->value;
    switch (c->measure) {
    case WAYS: return (int64_t)(v[COUNTER_WAVEFRONTS] / v[COUNTER_WAVEFRONTS_IDEAL]);
    case TRANSACTIONS: return (int64_t)v[COUNTER_TRANSACTIONS];
    case SECTORS: return (int64_t)v[COUNTER_SECTORS];
    case TAGS: return (int64_t)v[COUNTER_TAGS];
    case PER_MILLE:
        if (c->cc < 50) return (int64_t)(1000 * v[COUNTER_BYTES_USEFUL] / v[COUNTER_BYTES_MOVED]);
        return 1000 * distinct_bytes(offsets, 4) / (32 * (int64_t)v[COUNTER_SECTORS]);
    }
    return -1;
}

UNIT_CASE(every_claim_has_its_verdict)
{
    for (size_t i = 0; i < LW_COUNT(claims); i++) {
        const claim *c = &claims[i];
        int64_t offsets[32];
        counter_set set;
        lw_error error = {0};
        device_profile d;
        model_options options = {.bank_bytes = c->bank_bytes, .global_l1 = c->l1};
        memset(&d, 0, sizeof d);
        d.cc = c->cc;
        lay_out(c, offsets);
        if (model_pattern(&d, &options, c->op, offsets, &set, NULL, &error) != LW_OK) {
            UNIT_FAIL("%s: %s", c->text, error.message);
            continue;
        }
        int64_t got = measured(c, &set, offsets);
        if (got != c->rule) UNIT_FAIL("%s: the rules give %lld, expected %d", c->text, (long long)got, c->rule);
        if ((got == c->claimed) != (c->verdict == REPRODUCED))
            UNIT_FAIL("%s: claimed %d, the rules give %lld: the verdict is wrong", c->text, c->claimed, (long long)got);
    }
}

UNIT_MAIN()
