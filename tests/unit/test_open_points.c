/* model: the rules against what an H200 counted when it was asked what they left open (tests/hw/h200-open.csv, made by
 * tests/hw/open/open_points.cu). Every row goes through the code that counts kernels. A row of a rule that claims to be
 * exact must agree; one that deviates must be one of which the model says that it is not exact, and why.
 *
 * The table of docs/RULES.md is what this test counts: LANEWISE_UPDATE=1 writes it, otherwise it is compared. */
#include "lanewise/occupancy.h"
#include "model/model.h"
#include "unit.h"

#define LAUNCH_LIMIT "launch__occupancy_limit_"
#define TABLE_BEGIN "<!-- written by tests/unit/test_open_points.c -->\n"
#define TABLE_END "<!-- end -->\n"

typedef struct recorded {
    const char *experiment, *op, *name, *counters;
    int64_t source[32], destination[32];
    bool has_source;
} recorded;

typedef enum claim_id {
    COPY_ONE_SIDE,
    COPY_BOTH_SIDES,
    COPY_CONFLICTS,
    COPY_LINES,
    BYPASS_LINES,
    BYPASS_WAVEFRONTS,
    HASH,
    ATOMIC_SECTORS,
    ATOMIC_TAGS,
    SWAP_TAGS,
    ATOMIC_L2,
    FETCH,
    CONSTANTS,
    OWN_RANK,
    OTHER_RANK,
    OTHER_WAVEFRONT,
    ARBITRATION,
    OCCUPANCY,
    OCCUPANCY_SHARED,
    CLAIMS
} claim_id;

/* What docs/RULES.md tells of each. marked: rows may deviate where the model says that it is not exact. */
static const struct claim {
    const char *point, *experiment, *what;
    bool marked;
} claims[CLAIMS] = {
    [COPY_ONE_SIDE] = {"M5", "copy", "cp.async.ca, at most one side with conflicts: wavefronts", false},
    [COPY_BOTH_SIDES] = {"M5", "copy", "cp.async.ca, both sides with conflicts: wavefronts", true},
    [COPY_CONFLICTS] = {"M5", "copy", "cp.async.ca: conflicts (the source metric)", false},
    [COPY_LINES] = {"M5", "copy", "cp.async.ca: requests, sectors, tags", false},
    [BYPASS_LINES] = {"M5", "copy", "cp.async.cg: requests, sectors, tags, no conflicts", false},
    [BYPASS_WAVEFRONTS] = {"M5", "copy", "cp.async.cg: wavefronts", true},
    [HASH] = {"M7", "hash", "tag banks, line bits 14 to 34: tag-stage wavefronts", false},
    [ATOMIC_SECTORS] = {"M9", "atomic, multiplicity", "sectors", false},
    [ATOMIC_TAGS] = {"M9", "atomic, multiplicity", "tags, all but compare-and-swap", false},
    [SWAP_TAGS] = {"M9", "atomic", "tags of compare-and-swap", false},
    [ATOMIC_L2] = {"M9", "atomic, multiplicity", "L2 sectors and requests are the sectors and tags of L1", false},
    [FETCH] = {"M10", "fetch", "L2 fills what the fetch granularity says", false},
    [CONSTANTS] = {"M11", "constant", "32, 64, 128 bits: requests", false},
    [OWN_RANK] = {"M12", "cluster", "own rank, mapped: wavefronts and conflicts of shared memory, nothing else", false},
    [OTHER_RANK] = {"M12", "cluster", "another rank: requests, sectors, tags, tag-stage wavefronts", false},
    [OTHER_WAVEFRONT] = {"M12", "cluster", "another rank: one shared wavefront for an atomic, none else", false},
    [ARBITRATION] = {"M13", "arbitration", "no conflicts: wavefronts, but for lost arbitration", false},
    [OCCUPANCY] = {"M14", "occupancy", "limits by warps, registers, blocks; the least of all limits", false},
    [OCCUPANCY_SHARED] = {"M14", "occupancy", "limit by shared memory, at the carve-out the driver chose", true},
};

static struct tally {
    int rows, exact, said; /* said: rows whose counters the model calls not exact */
    long long least, most; /* deviations: recorded less counted */
} tallies[CLAIMS];

/* ---- the file ---- */

static char *file_text;
static recorded *rows;
static size_t row_count;

static bool read_offsets(const char *text, int64_t out[32])
{
    char *end = NULL;
    if (!*text) return false;
    for (int i = 0; i < 32; i++, text = end) out[i] = strtoll(text, &end, 10);
    return true;
}

static void read_row(char *line, recorded *r)
{
    char *column[6];
    for (int c = 0; c < 6; c++) column[c] = strsep(&line, ",");
    *r = (recorded){.experiment = column[0], .op = column[1], .name = column[2], .counters = column[5]};
    r->has_source = column[3] && read_offsets(column[3], r->source);
    if (column[4]) read_offsets(column[4], r->destination);
}

static bool load_rows(void)
{
    size_t size;
    char *at, *line;
    if (rows) return true;
    if (lw_file_read(unit_path("hw/h200-open.csv"), &file_text, &size, NULL)) return false;
    rows = lw_alloc(2000 * sizeof *rows);
    for (at = file_text; (line = strsep(&at, "\n")) && row_count < 2000;)
        if (*line && *line != '#' && strncmp(line, "experiment,", 11)) read_row(line, &rows[row_count++]);
    return row_count > 0;
}

/* Zeros are left out of the file. */
static long long counter(const recorded *r, const char *format, const char *suffix)
{
    char name[160];
    snprintf(name, sizeof name, format, suffix);
    size_t n = strlen(name);
    for (const char *at = r->counters; at && *at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (!strncmp(at, name, n) && at[n] == '=') return atoll(at + n + 1);
    }
    return 0;
}

#define EACH(r, name)                                                                                                  \
    for (const recorded *r = rows; r < rows + row_count; r++)                                                          \
        if (!strcmp(r->experiment, name))

/* ---- comparing ---- */

typedef struct comparison {
    claim_id id;
    const recorded *row;
    const char *why;
    long long least, most;
} comparison;

static comparison begin(claim_id id, const recorded *r, const char *why) { return (comparison){id, r, why, 0, 0}; }

static void compare(comparison *c, const char *what, long long hardware, long long counted)
{
    long long off = hardware - counted;
    c->least = LW_MIN(c->least, off), c->most = LW_MAX(c->most, off);
    if (off && !(claims[c->id].marked && c->why))
        UNIT_FAIL("%s %s %s: %s: the hardware counted %lld, the rule says %lld", c->row->experiment, c->row->op,
                  c->row->name, what, hardware, counted);
}

static void end(const comparison *c)
{
    struct tally *k = &tallies[c->id];
    k->rows++;
    k->exact += !c->least && !c->most;
    k->said += c->why != NULL;
    k->least = LW_MIN(k->least, c->least), k->most = LW_MAX(k->most, c->most);
}

static device_profile h200(void)
{
    device_profile d;
    memset(&d, 0, sizeof d);
    d.cc = 90;
    return d;
}

static counter_set count(const char *op, const recorded *r, const char **why)
{
    device_profile device = h200();
    counter_set set;
    lw_error error = {0};
    if (model_pattern(&device, NULL, op, r->source, &set, why, &error)) UNIT_FAIL("%s: %s", op, error.message);
    return set;
}

/* ---- M5: asynchronous copies ---- */

#define GLOBAL_LOAD(name) "l1tex__t_" name "_pipe_lsu_mem_global_op_ld%s"

static void compare_lines(claim_id id, const recorded *r, const counter_set *global, const counter_set *shared)
{
    comparison c = begin(id, r, NULL);
    compare(&c, "requests", counter(r, GLOBAL_LOAD("requests"), ""), (long long)global->value[COUNTER_REQUESTS]);
    compare(&c, "sectors", counter(r, GLOBAL_LOAD("sectors"), ""), (long long)global->value[COUNTER_SECTORS]);
    compare(&c, "tags", counter(r, GLOBAL_LOAD("set_accesses"), ""), (long long)global->value[COUNTER_TAGS]);
    if (id == BYPASS_LINES) {
        compare(&c, "conflicts", counter(r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts%s", ""),
                (long long)shared->value[COUNTER_BANK_CONFLICTS]);
    }
    end(&c);
}

UNIT_CASE(copies)
{
    REQUIRE(load_rows());
    device_profile device = h200();
    EACH(r, "copy")
    {
        counter_set global, shared;
        const char *why;
        lw_error error = {0};
        REQUIRE(!model_copy_pattern(&device, r->op, r->source, r->destination, &global, &shared, &why, &error));
        bool bypass = !strcmp(r->op, "cpg16");
        comparison c = begin(bypass ? BYPASS_WAVEFRONTS : why ? COPY_BOTH_SIDES : COPY_ONE_SIDE, r, why);
        compare(&c, "wavefronts", counter(r, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts%s", ""),
                (long long)shared.value[COUNTER_WAVEFRONTS]);
        end(&c);
        compare_lines(bypass ? BYPASS_LINES : COPY_LINES, r, &global, &shared);
        if (bypass) continue;
        c = begin(COPY_CONFLICTS, r, NULL);
        compare(&c, "conflicts", counter(r, "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts%s", ""),
                (long long)shared.value[COUNTER_BANK_CONFLICTS]);
        end(&c);
    }
}

/* cp.async.cg as recorded with tests/hw/h200-patterns.csv, whose columns do not hold these two. */
UNIT_CASE(bypass_as_tabled)
{
    static const struct {
        int bytes, lanes; /* lanes that share a place */
        uint64_t sectors, tags;
    } cases[] = {{16, 1, 16, 4}, {0, 1, 1, 4}, {16, 2, 8, 4}, {32, 1, 32, 8}, {64, 1, 32, 16}, {128, 1, 32, 32}};
    device_profile device = h200();
    for (size_t k = 0; k < LW_COUNT(cases); k++) {
        int64_t to[32];
        counter_set set;
        const char *why;
        for (int i = 0; i < 32; i++) to[i] = i / cases[k].lanes * cases[k].bytes;
        REQUIRE(!model_pattern(&device, NULL, "cpg16", to, &set, &why, NULL));
        CHECK_EQ_INT(set.value[COUNTER_SECTORS], cases[k].sectors);
        CHECK_EQ_INT(set.value[COUNTER_TAGS], cases[k].tags);
        CHECK_EQ_INT(set.value[COUNTER_BANK_CONFLICTS], 0);
        CHECK_HAS(why, "cp.async.cg");
    }
}

UNIT_CASE(copies_that_cannot_be)
{
    device_profile device = h200();
    int64_t row[32], odd[32];
    counter_set global, shared;
    for (int i = 0; i < 32; i++) row[i] = 16 * i, odd[i] = 16 * i + 4;
    CHECK_EQ_INT(model_copy_pattern(&device, "lds32", row, row, &global, &shared, NULL, NULL), LW_UNSUPPORTED);
    CHECK_EQ_INT(model_copy_pattern(&device, "cpa16", odd, row, &global, &shared, NULL, NULL), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(model_copy_pattern(&device, "cpa16", row, odd, &global, &shared, NULL, NULL), LW_INVALID_ARGUMENT);
    device.cc = 75;
    CHECK_EQ_INT(model_copy_pattern(&device, "cpa16", row, row, &global, &shared, NULL, NULL), LW_UNSUPPORTED);
}

/* ---- M7, M9: tag banks and atomics ---- */

UNIT_CASE(tag_banks)
{
    REQUIRE(load_rows());
    EACH(r, "hash")
    {
        counter_set set = count(r->op, r, NULL);
        comparison c = begin(HASH, r, NULL);
        compare(&c, "t_wavefronts", counter(r, GLOBAL_LOAD("output_wavefronts"), ""),
                (long long)set.value[COUNTER_T_WAVEFRONTS]);
        compare(&c, "tags", counter(r, GLOBAL_LOAD("set_accesses"), ""), (long long)set.value[COUNTER_TAGS]);
        end(&c);
    }
}

/* Names of the measuring program that differ from the model's: the rule is one for all of these operations. */
static const char *atomic_op(const char *op)
{
    if (!strcmp(op, "redf32")) return "red32";
    return !strcmp(op, "exch32") || !strcmp(op, "atommin32") ? "atom32" : op;
}

static void compare_atomic(const recorded *r)
{
    /* an atom whose result is never used is recorded as the reduction that it became */
    const char *kind = counter(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_%s", "red") ? "red" : "atom", *why;
    bool swap = !strncmp(r->op, "cas", 3);
    counter_set set = count(atomic_op(r->op), r, &why);
    long long sectors = counter(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_%s", kind),
              tags = counter(r, "l1tex__t_set_accesses_pipe_lsu_mem_global_op_%s", kind);
    comparison c = begin(ATOMIC_SECTORS, r, why);
    compare(&c, "sectors", sectors, (long long)set.value[COUNTER_SECTORS]);
    end(&c);
    c = begin(swap ? SWAP_TAGS : ATOMIC_TAGS, r, why);
    compare(&c, "tags", tags, (long long)set.value[COUNTER_TAGS]);
    end(&c);
    c = begin(ATOMIC_L2, r, NULL);
    compare(&c, "L2 sectors", counter(r, "lts__t_sectors_srcunit_tex_op_%s", kind), sectors);
    if (!strcmp(r->experiment, "atomic"))
        compare(&c, "L2 requests", counter(r, "lts__t_requests_srcunit_tex_op_%s", kind), tags);
    end(&c);
}

UNIT_CASE(atomics)
{
    REQUIRE(load_rows());
    EACH(r, "atomic") compare_atomic(r);
    EACH(r, "multiplicity") compare_atomic(r);
}

/* ---- M10, M11, M12 ---- */

/* One sector of every `stride` bytes of 512 MiB is read: L2 misses once for each granule touched, and fills it. */
UNIT_CASE(fetch_granularity)
{
    REQUIRE(load_rows());
    EACH(r, "fetch")
    {
        unsigned limit = 0, stride = 0;
        const char *at = strstr(r->name, "_stride");
        REQUIRE(at && sscanf(r->name, "limit%u", &limit) == 1 && sscanf(at, "_stride%u", &stride) == 1 && limit);
        long long fills = (512ll << 20) / LW_MAX(limit, stride) * (limit / 32);
        comparison c = begin(FETCH, r, NULL);
        compare(&c, "sectors filled", counter(r, "lts__t_sectors_srcunit_tex_lookup_%s", "miss"), fills);
        long long read = counter(r, "dram__sectors_%s", "read");
        if (read < fills || read > fills + fills / 1000) compare(&c, "sectors of memory", read, fills);
        end(&c);
    }
}

UNIT_CASE(constant_requests)
{
    REQUIRE(load_rows());
    EACH(r, "constant")
    {
        static const char *const names[][2] = {{"ldc32", "ldci"}, {"ldc64", "ldci64"}, {"ldc128", "ldci128"}};
        const char *why, *op = NULL;
        for (size_t k = 0; k < LW_COUNT(names); k++)
            if (!strcmp(r->op, names[k][0])) op = names[k][1];
        if (!op) continue; /* 8 and 16 bits: the kernel was compiled to no load */
        counter_set set = count(op, r, &why);
        CHECK(!why);
        comparison c = begin(CONSTANTS, r, NULL);
        compare(&c, "requests", counter(r, "idc__%s", "requests"), 2 + (long long)set.value[COUNTER_REQUESTS]);
        end(&c);
    }
}

static void compare_own(const recorded *r, const char *kind)
{
    const char *op = !strcmp(kind, "ld") ? "lds32" : !strcmp(kind, "st") ? "sts32" : "atoms_add";
    counter_set set = count(op, r, NULL);
    comparison c = begin(OWN_RANK, r, NULL);
    compare(&c, "wavefronts", counter(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s", kind),
            (long long)set.value[COUNTER_WAVEFRONTS]);
    compare(&c, "conflicts", counter(r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s", kind),
            (long long)set.value[COUNTER_BANK_CONFLICTS]);
    compare(&c, "requests", counter(r, "l1tex__t_requests_pipe_lsu_mem_dshared_op_%s", kind), 0);
    end(&c);
}

static void compare_other(const recorded *r, const char *kind)
{
    static const struct {
        const char *metric;
        counter_id id;
    } pairs[] = {{"l1tex__t_requests_pipe_lsu_mem_dshared_op_%s", COUNTER_REQUESTS},
                 {"l1tex__t_sectors_pipe_lsu_mem_dshared_op_%s", COUNTER_SECTORS},
                 {"l1tex__t_set_accesses_pipe_lsu_mem_dshared_op_%s", COUNTER_TAGS},
                 {"l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_%s", COUNTER_T_WAVEFRONTS}};
    counter_set set = count(r->op, r, NULL);
    comparison c = begin(OTHER_RANK, r, NULL);
    for (size_t k = 0; k < LW_COUNT(pairs); k++)
        compare(&c, counter_descs[pairs[k].id].name, counter(r, pairs[k].metric, kind),
                (long long)set.value[pairs[k].id]);
    end(&c);
    c = begin(OTHER_WAVEFRONT, r, NULL);
    compare(&c, "shared wavefronts", counter(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s", kind),
            !strcmp(kind, "atom"));
    end(&c);
}

UNIT_CASE(distributed_shared_memory)
{
    REQUIRE(load_rows());
    EACH(r, "cluster")
    {
        const char *kind = !strcmp(r->op, "dld32") ? "ld" : !strcmp(r->op, "dst32") ? "st" : "atom";
        if (!strncmp(r->name, "own_", 4)) compare_own(r, kind);
        else compare_other(r, kind);
    }
}

/* ---- M13, M14 ---- */

/* 60 loads and 60 stores without conflicts a warp. */
UNIT_CASE(arbitration)
{
    int disturbed = 0;
    REQUIRE(load_rows());
    EACH(r, "arbitration")
    {
        unsigned threads = 0, blocks = 0;
        const char *at = strstr(r->name, "threads");
        REQUIRE(at && sscanf(at, "threads%u_blocks%u", &threads, &blocks) == 2);
        long long lost = counter(r, "l1tex__data_bank_conflicts_%s", "type_arbitration"),
                  want = 60ll * (threads / 32) * blocks;
        comparison c = begin(ARBITRATION, r, NULL);
        compare(&c, "loads", counter(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s", "ld"), want + lost);
        compare(&c, "stores", counter(r, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s", "st"), want);
        end(&c);
        disturbed += lost != 0;
        CHECK(!lost || (threads == 1024 && blocks == 264 && lost * 500 < want));
    }
    CHECK_EQ_INT(disturbed, 1);
}

/* The profiler reads the carve-out that the driver chose for the launch, the calculator answers for the largest: the
 * limits by shared memory differ where something else is the least. */
UNIT_CASE(occupancy_limits)
{
    static const char *const larger = "a smaller carve-out that holds the blocks that fit anyway";
    REQUIRE(load_rows());
    EACH(r, "occupancy")
    {
        lw_occupancy_query q = {.device = "h200", .carveout = LW_CARVEOUT_DEFAULT};
        lw_occupancy o;
        lw_message message = {""};
        REQUIRE(sscanf(r->name, "threads%u_registers%u_shared%u", &q.threads, &q.registers, &q.shared) == 3);
        REQUIRE(lw_occupancy_of(&q, &o, &message) == 0);
        long long by_blocks = counter(r, LAUNCH_LIMIT "%s", "blocks"),
                  by_warps = counter(r, LAUNCH_LIMIT "%s", "warps"),
                  by_registers = counter(r, LAUNCH_LIMIT "%s", "registers"),
                  by_shared = counter(r, LAUNCH_LIMIT "%s", "shared_mem"), least = LW_MIN(by_blocks, by_warps);
        least = LW_MIN(least, LW_MIN(by_registers, by_shared));
        comparison c = begin(OCCUPANCY, r, NULL);
        compare(&c, "blocks", by_blocks, o.limits[LW_LIMIT_BLOCKS]);
        compare(&c, "warps", by_warps, o.limits[LW_LIMIT_WARPS]);
        compare(&c, "registers", by_registers, o.limits[LW_LIMIT_REGISTERS]);
        compare(&c, "blocks resident", least, o.blocks_per_sm);
        end(&c);
        c = begin(OCCUPANCY_SHARED, r, by_shared < o.limits[LW_LIMIT_SHARED] && by_shared >= least ? larger : NULL);
        compare(&c, "shared memory", by_shared, o.limits[LW_LIMIT_SHARED]);
        end(&c);
    }
}

/* ---- docs/RULES.md ---- */

static void write_table(lw_text *out)
{
    lw_text_add(out, TABLE_BEGIN "| point | experiment | what | patterns | exact | deviations | marked inexact |\n"
                                 "|---|---|---|---|---|---|---|\n");
    for (int k = 0; k < CLAIMS; k++) {
        const struct claim *c = &claims[k];
        const struct tally *t = &tallies[k];
        lw_text_add(out, "| %s | %s | %s | %d | %d | ", c->point, c->experiment, c->what, t->rows, t->exact);
        if (t->exact == t->rows) lw_text_add(out, "none");
        else lw_text_add(out, "%+lld to %+lld", t->least, t->most);
        if (c->marked) lw_text_add(out, " | %d |\n", t->said);
        else lw_text_add(out, " | |\n");
    }
    lw_text_add(out, TABLE_END);
}

/* The last case: what the others counted stands in the page. */
UNIT_CASE(page_of_rules)
{
    const char *path = unit_path("../docs/RULES.md");
    lw_text table = {0}, page = {0};
    char *have, *from, *to;
    size_t size;
    for (int k = 0; k < CLAIMS; k++)
        if (!tallies[k].rows) return; /* cases were chosen by name */
    write_table(&table);
    REQUIRE(lw_file_read(path, &have, &size, NULL) == LW_OK);
    from = strstr(have, TABLE_BEGIN);
    REQUIRE(from != NULL);
    to = strstr(from, TABLE_END);
    REQUIRE(to != NULL);
    to += strlen(TABLE_END);
    lw_text_append(&page, have, (size_t)(from - have));
    lw_text_append(&page, table.data, table.size);
    lw_text_append(&page, to, strlen(to));
    if (getenv("LANEWISE_UPDATE")) CHECK(lw_file_write(path, page.data, page.size, NULL) == LW_OK);
    else CHECK_STR(have, page.data);
    free(have);
    lw_text_free(&table);
    lw_text_free(&page);
}

UNIT_MAIN()
