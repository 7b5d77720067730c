/* Programs that race, in every schedule: tests/ptx/schedule holds the kernels of tests/hw/schedule (NAME.cu, compiled with
 * nvcc 13.0 -O2 for sm_90) and of two real programs. By default they must compute what an H200 computed in 1,000 runs of
 * 1,000 (tests/hw/h200-schedule.csv), on any number of host threads; the other schedules must find that they race. */
#include "unit.h"

#include "exec/exec.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 14 };

typedef struct program {
    const char *name, *entry;
    uint32_t blocks, threads;
    const char *parameters;    /* i o s c: the buffers in this order; n: the number */
    int32_t number;            /* of the parameter n */
    void (*fill)(int32_t *in); /* NULL: zeros */
    bool (*as_on_card)(const int32_t *out);
} program;

typedef struct fixture {
    mem_window *memory;
    ptx_module *module;
    code_image *image;
    code_kernel *kernel;
    char *text;
    uint64_t in, out, sums, counter;
    lw_error error;
} fixture;

static float as_float(int32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static int32_t bits_of(float f)
{
    int32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* ---------------------------------------------------------------- inputs */
static void ones(int32_t *in)
{
    for (int k = 0; k < WORDS; k++) in[k] = 1;
}

static void ramp(int32_t *in)
{
    for (int k = 0; k < WORDS; k++) in[k] = bits_of((float)k);
}

static void tiles(int32_t *in)
{
    for (int k = 0; k < WORDS; k++) in[k] = k / 256 + 1;
}

static void bytes(int32_t *in)
{
    for (int k = 0; k < 256; k++) ((uint8_t *)in)[k] = (uint8_t)(k * 37 + 11);
}

static void rows(int32_t *in)
{
    for (int k = 0; k < WORDS; k++) in[k] = bits_of((float)(k * 7919 % 1000) * 0.01f - 300.0f * (float)(k % 512 < 32));
}

/* ---------------------------------------------------------------- the card's answers */
static bool all_are(const int32_t *out, uint32_t count, int32_t value)
{
    for (uint32_t k = 0; k < count; k++)
        if (out[k] != value) return false;
    return true;
}

static bool mean_and_variance(const int32_t *out, uint32_t warps)
{
    for (uint32_t w = 0; w < warps; w++) {
        float variance = as_float(out[2 * w + 1]);
        if (as_float(out[2 * w]) != 511.5f || variance < 87381.0f || variance > 87382.0f) return false;
    }
    return true;
}

static bool of_eight_warps(const int32_t *out) { return mean_and_variance(out, 8); }
static bool of_two_warps(const int32_t *out) { return mean_and_variance(out, 2); }
static bool floats_128(const int32_t *out) { return all_are(out, 128, bits_of(1.0f)); }
static bool floats_256(const int32_t *out) { return all_are(out, 256, bits_of(1.0f)); }
static bool sixteen_rounds(const int32_t *out) { return all_are(out, 256, 16); }
static bool handed_over(const int32_t *out) { return out[0] == -1390173395 && out[1] == 1; }
static bool all_counted(const int32_t *out) { return all_are(out, 256, 1); }
static bool total(const int32_t *out) { return out[0] == 16384; }
static bool old_values(const int32_t *out) { return out[0] == 1 && out[1] == 1; }
static bool tile_sums(const int32_t *out) { return all_are(out, 256, 36 * 256); }
static bool shifted_sums(const int32_t *out) { return all_are(out, 256, 36); }
static bool block_sums(const int32_t *out) { return all_are(out, 64, 256); }
static bool consumed(const int32_t *out) { return all_are(out, 32, 64); }
static bool last_warp(const int32_t *out) { return out[0] == 7; }
static bool read_before(const int32_t *out) { return all_are(out, 1024, 1); }
static bool lowest_lanes(const int32_t *out) { return out[0] == 0 && out[1] == 4 && out[2] == 0 && out[3] == 1; }

static bool scanned(const int32_t *out)
{
    for (int k = 0; k < 256; k++)
        if (out[k] != k + 1) return false;
    return true;
}

static bool rows_add_up(const int32_t *out)
{
    for (int row = 0; row < 32; row++) {
        double sum = 0;
        for (int k = 0; k < 512; k++) sum += (double)as_float(out[512 * row + k]);
        if (sum < 0.999 || sum > 1.001) return false;
    }
    return true;
}

static bool smoothed(const int32_t *out)
{
    int32_t want[258] = {0}, next[258] = {0};
    for (int k = 1; k <= 256; k++) want[k] = 3 * k * k;
    for (int round = 0; round < 4; round++) {
        for (int k = 1; k <= 256; k++) next[k] = (want[k - 1] + want[k] + want[k + 1]) / 3;
        memcpy(want, next, sizeof want);
    }
    return !memcmp(out, want + 1, 256 * sizeof *out);
}

static const program programs[] = {
    {"block_sum_twice", "_Z17mean_and_variancePKfPfi", 1, 256, "ion", 1024, ramp, of_eight_warps},
    {"broadcast_short_work", "_Z9broadcastPfPKf", 1, 256, "oi", 0, NULL, floats_256},
    {"broadcast_then_partials", "_Z9broadcastPfPKfi", 1, 128, "oin", WORDS, NULL, floats_128},
    {"done_flag", "_Z5relaxPi", 1, 256, "o", 0, NULL, sixteen_rounds},
    {"flag_from_first_warp", "_Z9hand_overPii", 1, 128, "on", 100, NULL, handed_over},
    {"flag_from_last_warp", "_Z9hand_overPii", 1, 128, "on", 100, NULL, handed_over},
    {"histogram_clear", "_Z9histogramPKhPi", 1, 256, "io", 0, bytes, all_counted},
    {"last_block_no_fence", "_Z5totalPKiPViPjPi", 256, 64, "isco", 0, ones, total},
    {"long_beside_short", "_Z6besidePii", 1, 64, "on", 200, NULL, old_values},
    {"one_buffer_one_barrier", "_Z5tilesPKiPii", 1, 256, "ion", 8, tiles, tile_sums},
    {"one_buffer_shifted", "_Z5tilesPKiPii", 1, 256, "ion", 8, tiles, shifted_sums},
    {"overwrite_at_once", "_Z9overwritePi", 1, 1024, "o", 0, NULL, read_before},
    {"race_after_barrier", "_Z1kPKfPfi", 1, 64, "ion", 1024, ramp, of_two_warps},
    {"race_warporder", "_Z1kPfPKfi", 1, 128, "oin", WORDS, NULL, floats_128},
    {"reduce_missing_barrier", "_Z6reducePKiPi", 64, 256, "io", 0, ones, block_sums},
    {"reduce_tail_volatile", "_Z6reducePKiPi", 64, 256, "io", 0, ones, block_sums},
    {"ring_of_two", "_Z8pipelinePKiPii", 1, 64, "ion", 64, ones, consumed},
    {"same_word_lanes", "_Z5storePVi", 1, 32, "o", 0, NULL, lowest_lanes},
    {"same_word_warps", "_Z5storePi", 1, 256, "o", 0, NULL, last_warp},
    {"scan_in_place", "_Z4scanPi", 1, 256, "o", 0, NULL, scanned},
    {"softmax_reuse", "_Z7softmaxPKfPfi", 32, 128, "ion", 512, rows, rows_add_up},
    {"stencil_in_place", "_Z6smoothPii", 1, 256, "on", 4, NULL, smoothed},
};

/* ---------------------------------------------------------------- running */
static lw_status place(void *user, const ptx_variable *v, uint64_t *out_address, lw_error *error)
{
    (void)error;
    return mem_alloc(((fixture *)user)->memory, v->bytes, 0, MEM_GLOBAL_VAR, 0, v->name, out_address);
}

static lw_status open_program(fixture *f, const program *p)
{
    size_t size = 0;
    char path[100];
    code_linker linker = {.user = f, .place = place, .storage = mem_storage};
    uint64_t *const buffers[] = {&f->in, &f->out, &f->sums, &f->counter};
    *f = (fixture){0};
    LW_TRY(mem_create(&f->memory, UINT64_C(1) << 28, &f->error));
    for (size_t k = 0; k < LW_COUNT(buffers); k++)
        LW_TRY(mem_alloc(f->memory, WORDS * 4, 0, MEM_PINNED, 0, NULL, buffers[k]));
    snprintf(path, sizeof path, "ptx/schedule/%s.ptx", p->name);
    LW_TRY(lw_file_read(unit_path(path), &f->text, &size, &f->error));
    LW_TRY(ptx_parse(&f->module, path, f->text, size, &f->error));
    const ptx_module *modules[] = {f->module};
    LW_TRY(code_link(&f->image, modules, 1, &linker, &f->error));
    LW_TRY(code_kernel_build(&f->kernel, f->image, code_find_entry(f->image, p->entry), NULL, &f->error));
    exec_prepare(f->kernel);
    return LW_OK;
}

static void close_program(fixture *f)
{
    code_kernel_free(f->kernel);
    code_image_free(f->image);
    ptx_module_free(f->module);
    mem_destroy(f->memory);
    free(f->text);
}

static void pack(const fixture *f, const program *p, uint8_t *to)
{
    for (const char *c = p->parameters; *c; c++) {
        uint64_t buffer = *c == 'i' ? f->in : *c == 'o' ? f->out : *c == 's' ? f->sums : f->counter;
        size_t bytes_here = *c == 'n' ? sizeof p->number : sizeof buffer;
        memcpy(to, *c == 'n' ? (const void *)&p->number : (const void *)&buffer, bytes_here);
        to += bytes_here;
    }
}

/* Runs the program; what it left in `out` is f->out until the next run. */
static void run(fixture *f, const program *p, exec_schedule schedule, uint32_t threads)
{
    const uint64_t buffers[] = {f->in, f->out, f->sums, f->counter};
    uint8_t params[64];
    exec_result result;
    exec_launch launch = {.kernel = f->kernel,
                          .grid = {p->blocks, 1, 1},
                          .block = {p->threads, 1, 1},
                          .cluster = {1, 1, 1},
                          .params = params,
                          .threads = threads,
                          .schedule = schedule,
                          .memory = f->memory,
                          .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    for (size_t k = 0; k < LW_COUNT(buffers); k++) memset((void *)(uintptr_t)buffers[k], 0, WORDS * 4);
    if (p->fill) p->fill((int32_t *)(uintptr_t)f->in);
    pack(f, p, params);
    CHECK(exec_run(&launch, &result, &f->error) == LW_OK);
    CHECK_EQ_INT(result.fault.kind, EXEC_NO_FAULT);
    exec_result_free(&result);
}

static bool as_on_card(const fixture *f, const program *p) { return p->as_on_card((const int32_t *)(uintptr_t)f->out); }

static const exec_schedule card = {EXEC_SCHEDULE_CARD, 0}, to_barrier = {EXEC_SCHEDULE_TO_BARRIER, 0};

UNIT_CASE(by_default_as_on_a_card)
{
    for (size_t k = 0; k < LW_COUNT(programs); k++) {
        const program *p = &programs[k];
        fixture f;
        if (open_program(&f, p) != LW_OK) UNIT_FAIL("%s: %s", p->name, f.error.message);
        for (uint32_t threads = 1; f.kernel && threads <= 2; threads++) {
            run(&f, p, card, threads);
            if (!as_on_card(&f, p))
                UNIT_FAIL("%s: another answer than the card's on %u host threads", p->name, threads);
        }
        close_program(&f);
    }
}

UNIT_CASE(other_schedules_find_races)
{
    uint32_t by_barrier = 0, by_chance = 0;
    for (size_t k = 0; k < LW_COUNT(programs); k++) {
        const program *p = &programs[k];
        fixture f;
        REQUIRE(open_program(&f, p) == LW_OK);
        run(&f, p, to_barrier, 1);
        by_barrier += !as_on_card(&f, p);
        bool found = false;
        for (uint64_t seed = 1; seed <= 8 && !found; seed++) {
            run(&f, p, (exec_schedule){.kind = EXEC_SCHEDULE_RANDOM, seed}, 2);
            found = !as_on_card(&f, p);
        }
        by_chance += found;
        close_program(&f);
    }
    CHECK(by_barrier >= 10);
    CHECK(by_chance >= 10);
}

/* The same seed, the same answer, whether it is right or wrong; another seed, another one. */
UNIT_CASE(a_seed_repeats)
{
    const program *p = &programs[0];
    fixture f;
    int32_t first[8][16], differ = 0;
    REQUIRE(open_program(&f, p) == LW_OK);
    for (int again = 0; again < 2; again++)
        for (uint64_t seed = 0; seed < 8; seed++) {
            run(&f, p, (exec_schedule){.kind = EXEC_SCHEDULE_RANDOM, seed}, again + 1);
            const void *out = (const void *)(uintptr_t)f.out;
            if (!again) memcpy(first[seed], out, sizeof first[seed]);
            CHECK(!memcmp(first[seed], out, sizeof first[seed]));
            differ += memcmp(first[0], out, sizeof first[0]) != 0;
        }
    CHECK(differ > 0);
    close_program(&f);
}

UNIT_CASE(schedules_have_names)
{
    exec_schedule s;
    CHECK(exec_schedule_parse("card", &s) && s.kind == EXEC_SCHEDULE_CARD);
    CHECK(exec_schedule_parse("to-barrier", &s) && s.kind == EXEC_SCHEDULE_TO_BARRIER);
    CHECK(exec_schedule_parse("random:18", &s) && s.kind == EXEC_SCHEDULE_RANDOM && s.seed == 18);
    CHECK(!exec_schedule_parse("random:", &s));
    CHECK(!exec_schedule_parse("random:1x", &s));
    CHECK(!exec_schedule_parse("", &s));
}

UNIT_MAIN()
