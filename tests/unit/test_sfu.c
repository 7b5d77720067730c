/* Tests of the approximations (.approx, .full) against an H200: tests/hw/sfu/h200.csv has a sum of all results for each sign
 * and exponent, so that one wrong bit of one result shows. A run looks at the exponents below; LW_SFU_ALL=1 looks at all
 * 2^32 operands (half an hour). */
#include "unit.h"

#include "lane_rows.h"

enum { FIRSTS = 512, OPERANDS = 1 << 23 };

typedef struct recorded {
    bool known[FIRSTS];
    uint32_t sum[FIRSTS];
} recorded;

typedef struct lookup {
    const char *mnemonic;
    form found;
    bool is_found;
} lookup;

static void match(void *user, const form *f)
{
    lookup *l = user;
    if (strcmp(f->mnemonic, l->mnemonic)) return;
    l->found = *f;
    l->is_found = true;
}

/* splitmix64: the two operands of a division */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The operands u, u + 1 ... of 32 lanes, as record.cu makes them. */
static void fill(lane_file *file, const form_row *r, uint32_t u)
{
    uint32_t bytes = lane_name_bytes(r->lane[1]);
    for (uint32_t l = 0; l < 32; l++, u++) {
        if (form_sources(r) == 2) {
            uint64_t both = mix(u);
            lane_put(file, LANE_A, l, 4, (uint32_t)both);
            lane_put(file, LANE_B, l, 4, both >> 32);
        } else if (bytes == 8) {
            lane_put(file, LANE_A, l, 8, (uint64_t)u << 32 | 0x9e3779b9u);
        } else if (bytes == 4) {
            lane_put(file, LANE_A, l, 4, u);
        } else {
            lane_put(file, LANE_A, l, 2, u);
        }
    }
}

static uint32_t result_of(const lane_file *file, uint32_t lane, uint32_t bytes)
{
    if (bytes == 8) return (uint32_t)(lane_get(file, LANE_D, lane, 8) ^ lane_get(file, LANE_D, lane, 8) >> 32);
    return (uint32_t)(bytes == 4 ? lane_get(file, LANE_D, lane, 4) : lane_get(file, LANE_D, lane, 2));
}

static uint32_t sum_of(const form *f, int level, uint32_t first)
{
    uint32_t bytes = lane_name_bytes(f->row->lane[0]);
    uint64_t sum = 0;
    for (uint32_t m = 0; m < OPERANDS; m += 32) {
        lane_file file;
        fill(&file, f->row, first << 23 | m);
        lane_run(level, f, &file, FULL_MASK, LANE_D);
        for (uint32_t l = 0; l < 32; l++) sum += result_of(&file, l, bytes) * (2 * (uint64_t)(m + l) + 1);
    }
    return (uint32_t)(sum ^ sum >> 32);
}

/* Zero and subnormals; a binade that meets every row of each table; negative operands with a fraction. */
static const uint16_t firsts_looked_at[] = {0, 126, 386};

static bool looks_at(uint32_t first)
{
    if (getenv("LW_SFU_ALL")) return true;
    for (size_t k = 0; k < LW_COUNT(firsts_looked_at); k++)
        if (firsts_looked_at[k] == first) return true;
    return false;
}

static bool is_sanitized(void) { return LANE_LEVEL_COUNT == 1; }

static int best_level(void)
{
    int best = 0;
    for (int level = 0; level < LANE_LEVEL_COUNT; level++)
        if (lane_level_runs_here(level)) best = level;
    return best;
}

static void compare(const form *f, const recorded *r)
{
    for (uint32_t first = 0; first < FIRSTS; first++) {
        if (!r->known[first] || !looks_at(first)) continue;
        uint32_t sum = sum_of(f, best_level(), first);
        if (sum != r->sum[first]) UNIT_FAIL("%s: results of exponent %u differ from the card's", f->mnemonic, first);
    }
}

static void add_row(recorded *r, const char *line)
{
    char *at;
    uint32_t first = (uint32_t)strtoul(strchr(line, ',') + 1, &at, 10);
    for (; *at == ',' || *at == ' '; first++) {
        CHECK(first < FIRSTS);
        r->sum[first] = (uint32_t)strtoul(at + 1, &at, 16);
        r->known[first] = true;
    }
}

UNIT_CASE(all_results_are_the_cards)
{
    char line[4096], name[64], last[64] = "";
    FILE *in = fopen(unit_path("hw/sfu/h200.csv"), "r");
    CHECK(in != NULL);
    static recorded rows[64];
    static lookup forms[64];
    uint32_t count = 0;
    while (fgets(line, sizeof line, in)) {
        if (line[0] == '#' || !strncmp(line, "form,", 5)) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, ","), line);
        if (strcmp(name, last)) forms[count++].mnemonic = strdup(name);
        strcpy(last, name);
        add_row(&rows[count - 1], line);
    }
    fclose(in);
    CHECK_EQ_INT(count, 29);
    for (uint32_t k = 0; k < count; k++) {
        each_form(match, &forms[k]);
        if (is_sanitized() && k % 6) continue; /* a sample: there it takes twenty times as long */
        if (forms[k].is_found) compare(&forms[k].found, &rows[k]);
        else UNIT_FAIL("no form %s", forms[k].mnemonic);
    }
}

UNIT_MAIN()
