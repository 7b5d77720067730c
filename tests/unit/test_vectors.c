/* Tests of the instruction table against an H200: tests/ptx/vectors/h200_sm90.vec holds what the card gave for every
 * form of every regular row (record.c there says how), here compared with the executors of each host instruction set;
 * and for the irregular instructions, here compared with whole runs of the same kernels. Results are compared bit by bit,
 * those of .approx and .full as well. */
#include "unit.h"

#include "exec/exec.h"
#include "lane_rows.h"
#include "../ptx/vectors/irregular.h"

#include <zstd.h>

static char *vectors, *vectors_at, *vectors_end;
static uint32_t vectors_count;

static bool load_vectors(void)
{
    char *file, *data;
    size_t size;
    lw_error error = {0};
    if (lw_file_read(unit_path("ptx/vectors/h200_sm90.vec"), &file, &size, &error) != LW_OK) return false;
    const char *count = strstr(file, "results per form: "), *start = strstr(file, "\ndata zstd\n");
    if (!count || !start) return false;
    vectors_count = (uint32_t)atoi(count + 18);
    start += 11;
    size_t packed = size - (size_t)(start - file), bytes = (size_t)ZSTD_getFrameContentSize(start, packed);
    if (bytes > 100000000u) bytes = 16000000u; /* not stored in the frame */
    data = malloc(bytes + 1);
    bytes = ZSTD_decompress(data, bytes, start, packed);
    free(file);
    if (ZSTD_isError(bytes)) return false;
    data[bytes] = 0;
    vectors = vectors_at = data, vectors_end = data + bytes;
    return true;
}

/* The results recorded under this text, if they come next. */
static const uint8_t *take_vectors(const char *text, size_t bytes)
{
    size_t size = strlen(text);
    if ((size_t)(vectors_end - vectors_at) < size + 1 + bytes || memcmp(vectors_at, text, size) ||
        vectors_at[size] != '\n')
        return NULL;
    const uint8_t *found = (const uint8_t *)vectors_at + size + 1;
    vectors_at += size + 1 + bytes;
    return found;
}

/* ---------------------------------------------------------------- forms without recorded results */
/* Lines of a file that name what is not recorded: forms that ptxas refuses for sm_90 (tests/ptx/vectors/rejected.txt), and
 * what still waits for a recording (tests/hw/unrecorded.csv: since,reason,what). */
typedef struct excuses {
    char *line[2000];
    uint32_t uses[2000], count;
} excuses;
static excuses rejected, unrecorded;

/* The first columns of a line are left out; what remains may contain commas. */
static void load_excuses(excuses *e, const char *path, uint32_t columns)
{
    char *text = NULL;
    size_t size;
    lw_error error = {0};
    if (lw_file_read(unit_path(path), &text, &size, &error) != LW_OK) UNIT_FAIL("%s", error.message);
    for (char *line = text ? strtok(text, "\n") : NULL; line && e->count < 2000; line = strtok(NULL, "\n")) {
        if (*line == '#') continue;
        for (uint32_t k = 0; k < columns && line; k++) line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
        if (line) e->line[e->count++] = line;
    }
}

static bool excused(excuses *e, const char *what)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (!strcmp(e->line[k], what)) {
            e->uses[k]++;
            return true;
        }
    return false;
}

/* form: as rejected.txt names it; what: the row's key or the irregular statement, as unrecorded.csv does. */
static void check_is_excused(const char *form, const char *what)
{
    if (!rejected.count) {
        load_excuses(&rejected, "ptx/vectors/rejected.txt", 0);
        load_excuses(&unrecorded, "hw/unrecorded.csv", 2);
    }
    if (!excused(&rejected, form) && !excused(&unrecorded, what))
        UNIT_FAIL("no recorded results of %s: record them, or list \"%s\" in tests/hw/unrecorded.csv", form, what);
}

static void check_excuses_are_needed(void)
{
    for (uint32_t k = 0; k < unrecorded.count; k++)
        if (!unrecorded.uses[k])
            UNIT_FAIL("tests/hw/unrecorded.csv: %s is recorded, or no such form: remove it", unrecorded.line[k]);
}

/* ---------------------------------------------------------------- regular rows */
typedef struct counts {
    uint32_t forms, differences;
} counts;

static void report_difference(const form *f, int level, uint32_t n, uint64_t got, uint64_t want)
{
    uint64_t in[3] = {0};
    for (uint32_t k = 0; k < form_sources(f->row); k++)
        in[k] = vector_input(class_of_operand(f->row, f->row->lane[k + 1]), form_sources(f->row), k, n);
    UNIT_FAIL("%s (%s): %llx %llx %llx gives %llx, on the card %llx", f->mnemonic, lane_level_name[level],
              (unsigned long long)in[0], (unsigned long long)in[1], (unsigned long long)in[2], (unsigned long long)got,
              (unsigned long long)want);
}

static void compare_form(counts *c, const form *f, int level, const uint8_t *want)
{
    const form_row *r = f->row;
    uint32_t bytes = lane_name_bytes(r->lane[0]), shown = 0;
    for (uint32_t n = 0; n < vectors_count; n += 32) {
        lane_file file = {0};
        for (uint32_t k = 0; k < form_sources(r); k++)
            for (uint32_t l = 0; l < 32; l++)
                lane_put(&file, LANE_A + 256 * k, l, lane_name_bytes(r->lane[k + 1]),
                         vector_input(class_of_operand(r, r->lane[k + 1]), form_sources(r), k, n + l));
        lane_run(level, f, &file, FULL_MASK, LANE_D);
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t got = lane_get(&file, LANE_D, l, bytes), expected = 0;
            memcpy(&expected, want + (size_t)(n + l) * bytes, bytes);
            if (got == expected) continue;
            c->differences++;
            if (shown++ < 3) report_difference(f, level, n + l, got, expected);
        }
    }
}

static void visit_form(void *user, const form *f)
{
    counts *c = user;
    const uint8_t *want = take_vectors(f->mnemonic, (size_t)vectors_count * lane_name_bytes(f->row->lane[0]));
    if (!want) {
        check_is_excused(f->mnemonic, f->row->key);
        return;
    }
    c->forms++;
    for (int level = 0; level < LANE_LEVEL_COUNT; level++)
        if (lane_level_runs_here(level)) compare_form(c, f, level, want);
}

UNIT_CASE(every_row_does_what_the_card_does)
{
    REQUIRE(load_vectors());
    static counts c;
    each_form(visit_form, &c);
    CHECK_EQ_INT(c.differences, 0);
    CHECK(c.forms > 1500);
}

/* ---------------------------------------------------------------- irregular instructions: whole runs */
typedef struct engine {
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    uint64_t table[4];
    uint32_t number, compared, refused, differences;
    lw_error error;
} engine;

static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((engine *)user)->memory, v->bytes, 0, MEM_GLOBAL_VAR, 0, v->name, out_address);
}

static void write_recorded(void *user, const irregular *i)
{
    static char *at;
    char name[16];
    uint32_t *number = ((void **)user)[1];
    FILE *out = ((void **)user)[0];
    if (*number == 0) at = vectors_at;
    snprintf(name, sizeof name, "i%u", (*number)++);
    if (strncmp(at, i->text, strlen(i->text)) || at[strlen(i->text)] != '\n') return;
    at += strlen(i->text) + 1 + (size_t)IRREGULAR_COUNT * i->bytes;
    irregular_kernel(out, i, name);
}

static bool start_engine(engine *e)
{
    char *text = NULL;
    size_t size;
    uint32_t number = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, ".version 9.0\n.target sm_90\n.address_size 64\n");
    each_irregular(write_recorded, (void *[]){out, &number});
    fclose(out);
    code_linker linker = {.user = e, .place = place, .storage = mem_storage};
    bool ok = mem_create(&e->memory, UINT64_C(1) << 28, &e->error) == LW_OK &&
              ptx_parse(&e->module, "irregular.ptx", text, size, &e->error) == LW_OK;
    const ptx_module *modules[] = {e->module};
    ok = ok && code_link(&e->image, modules, 1, &linker, &e->error) == LW_OK;
    for (int k = 0; k < 4 && ok; k++)
        ok = mem_alloc(e->memory, 8 * IRREGULAR_COUNT, 0, MEM_PINNED, 0, NULL, &e->table[k]) == LW_OK;
    free(text);
    return ok;
}

static bool run_irregular(engine *e, const char *name)
{
    const ptx_function *entry = code_find_entry(e->image, name);
    code_kernel *kernel = NULL;
    if (!entry || code_kernel_build(&kernel, e->image, entry, NULL, &e->error) != LW_OK) return false;
    exec_prepare(kernel);
    exec_launch l = {.kernel = kernel,
                     .grid = {1, 1, 1},
                     .block = {IRREGULAR_COUNT, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)e->table,
                     .threads = 1,
                     .memory = e->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_result r;
    bool ok = exec_run(&l, &r, &e->error) == LW_OK && r.fault.kind == EXEC_NO_FAULT;
    exec_result_free(&r);
    code_kernel_free(kernel);
    return ok;
}

static void visit_irregular(void *user, const irregular *i)
{
    engine *e = user;
    char name[16];
    snprintf(name, sizeof name, "i%u", e->number++);
    const uint8_t *want = take_vectors(i->text, (size_t)IRREGULAR_COUNT * i->bytes);
    if (!want) {
        check_is_excused(i->text, i->text);
        return;
    }
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t n = 0; n < IRREGULAR_COUNT; n++) {
            uint64_t value = irregular_input(i, k, n);
            memcpy((uint8_t *)e->table[k] + (size_t)n * i->bytes, &value, i->bytes);
        }
    if (!run_irregular(e, name)) {
        bool doubtful = strstr(e->error.message, "hardware deviates from its definition") != NULL;
        if (!doubtful) UNIT_FAIL("%s does not run: %s", i->text, e->error.message);
        e->refused += doubtful;
        e->error = (lw_error){0};
        return;
    }
    e->compared++;
    uint32_t shown = 0;
    for (uint32_t n = 0; n < IRREGULAR_COUNT; n++) {
        uint64_t got = 0, expected = 0;
        memcpy(&got, (uint8_t *)e->table[3] + (size_t)n * i->bytes, i->bytes);
        memcpy(&expected, want + (size_t)n * i->bytes, i->bytes);
        if (got == expected) continue;
        e->differences++;
        if (shown++ < 2)
            UNIT_FAIL("%s with %llx %llx %llx gives %llx, on the card %llx", i->text,
                      (unsigned long long)irregular_input(i, 0, n), (unsigned long long)irregular_input(i, 1, n),
                      (unsigned long long)irregular_input(i, 2, n), (unsigned long long)got,
                      (unsigned long long)expected);
    }
}

UNIT_CASE(irregular_instructions_do_what_the_card_does)
{
    if (!vectors) {
        static counts c;
        REQUIRE(load_vectors());
        each_form(visit_form, &c);
    }
    static engine e;
    if (!start_engine(&e)) {
        UNIT_FAIL("%s", e.error.message);
        return;
    }
    each_irregular(visit_irregular, &e);
    CHECK_EQ_INT(e.differences, 0);
    CHECK_EQ_INT(vectors_end - vectors_at, 0); /* nothing recorded is left over */
    CHECK(e.compared > 1300);                  /* the rest: video forms that decode_video.c refuses by name */
    code_image_free(e.image);
    ptx_module_free(e.module);
    mem_destroy(e.memory);
    free(vectors);
    check_excuses_are_needed();
}

UNIT_MAIN()
