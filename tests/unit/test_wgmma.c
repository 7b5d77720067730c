/* test_wgmma: what wgmma reads in shared memory, and what is counted of it, against an H200. */
#include "fixture.h"

#include "model/model.h"

static char *read_test(const char *name)
{
    size_t size;
    char *out = NULL;
    lw_error error = {0};
    return lw_file_read(unit_path(name), &out, &size, &error) == LW_OK ? out : NULL;
}

static void run_kernel(fixture *f, uint32_t threads, const void *params, const event_listener *listener)
{
    exec_result result = {0};
    event_launch shown = {0};
    exec_launch l = {.kernel = f->kernel,
                     .grid = {1, 1, 1},
                     .block = {threads, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = params,
                     .dynamic_shared_bytes = 65536,
                     .grid_id = 1,
                     .threads = 1,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_describe_launch(&l, &shown);
    l.event = &shown;
    l.listeners = listener;
    l.listener_count = listener != NULL;
    CHECK(exec_run(&l, &result, &f->error) == LW_OK);
    CHECK_STR(result.fault.message, "");
    exec_result_free(&result);
}

/* ---------------------------------------------------------------- descriptors: swizzles and base offsets */
typedef struct probe_params {
    uint64_t descriptor;
    int32_t turned;
    uint64_t out;
} probe_params;

static uint64_t descriptor_of(int turned, unsigned mode, unsigned start, unsigned base)
{
    static const unsigned spans[] = {16, 128, 64, 32};
    unsigned span = spans[mode & 3], leading = mode ? 16 : 128, stride = mode ? 8 * span : 256;
    if (turned) leading = 8 * span * (mode ? 4 : 2);
    return start >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 | (uint64_t)base << 49 |
           (uint64_t)mode << 62;
}

UNIT_CASE(descriptors_read_what_an_h200_reads)
{
    char *text = read_test("ptx/async/wgmma_probe.ptx"), *table = read_test("hw/tensor/h200/descriptors.csv");
    fixture f;
    int turned, rows = 0, wrong = 0;
    unsigned mode, start, base, expected;
    REQUIRE(text && table && load(&f, text, "probe"));
    uint64_t at = buffer(&f, 64 * 16 * 4);
    for (const char *line = strstr(table, "hash\n") + 5;
         sscanf(line, "%d,%u,%u,%u,%x", &turned, &mode, &start, &base, &expected) == 5; line = strchr(line, '\n') + 1) {
        probe_params p = {descriptor_of(turned, mode, start, base), turned, at};
        uint32_t hash = 2166136261u;
        run_kernel(&f, 128, &p, NULL);
        for (int k = 0; k < 64 * 16; k++) hash = (hash ^ (uint32_t)((const float *)(uintptr_t)at)[k]) * 16777619u;
        if (hash != expected && !wrong++) UNIT_FAIL("turned %d mode %u start %u base %u", turned, mode, start, base);
        rows++;
    }
    CHECK_EQ_INT(rows, 704);
    unload(&f);
    free(text);
    free(table);
}

/* ---------------------------------------------------------------- counts */
/* One product, or two, of columns n; A in registers or at a descriptor. */
static char *product_text(int n, bool registers, bool twice, uint64_t a, uint64_t b)
{
    lw_text text = {0}, d = {0};
    for (int k = 0; k < n / 2; k++) lw_text_add(&d, "%s%%f%d", k ? ", " : "{", k);
    lw_text_add(&text, ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
                       ".visible .entry k()\n{\n.reg .f32 %%f<128>;\n.reg .b32 %%a<4>;\n.reg .b64 %%d<4>;\n"
                       "mov.u32 %%a0, s;\ncvt.u64.u32 %%d0, %%a0;\nshr.u64 %%d0, %%d0, 4;\n");
    lw_text_add(&text, "add.u64 %%d1, %%d0, %llu;\nadd.u64 %%d2, %%d0, %llu;\n", (unsigned long long)a,
                (unsigned long long)b);
    for (int k = 0; k < 1 + twice; k++)
        lw_text_add(&text, "wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 %s}, %s, %%d2, 0, 1, 1, 0%s;\n", n,
                    d.data, registers ? "{%a0, %a1, %a2, %a3}" : "%d1", registers ? "" : ", 0");
    lw_text_add(&text, "ret;\n}\n");
    lw_text_free(&d);
    return text.data;
}

static void count(const char *text, uint32_t threads, counter_set *out)
{
    fixture f;
    device_profile device = {.cc = 90};
    model *m;
    REQUIRE(load(&f, text, "k"));
    REQUIRE(model_create(&m, &device, f.kernel->site_count, NULL) == LW_OK);
    event_listener listener = {&model_client, m};
    run_kernel(&f, threads, NULL, &listener);
    *out = (counter_set){0};
    for (uint32_t k = 0; k < f.kernel->site_count; k++) {
        if (!f.kernel->sites[k].is_memory) continue;
        CHECK(f.kernel->sites[k].exact);
        counter_set c = model_result(m, k, EVENT_SHARED, EVENT_MATRIX_LOAD);
        for (uint32_t n = 0; n < COUNTER_COUNT; n++) out->value[n] += c.value[n];
    }
    model_destroy(m);
    unload(&f);
}

UNIT_CASE(operands_are_counted_as_on_an_h200)
{
    char *table = read_test("hw/h200-wgmma.csv"), name[32], operands[64];
    int threads, instructions, bytes, wavefronts, conflicts, source, ideal, rows = 0;
    REQUIRE(table != NULL);
    for (const char *line = strstr(table, "source_ideal\n") + 13; *line; line = strchr(line, '\n') + 1) {
        bool known = sscanf(line, "%31[^,],%63[^,],%d,%d,%d,%d,%d,%d,%d", name, operands, &threads, &instructions,
                            &bytes, &wavefronts, &conflicts, &source, &ideal) == 9;
        int n = strspn(name, "nregistr") < strlen(name) ? atoi(name + strcspn(name, "0123456789")) : 64;
        bool apart = strchr(operands, '('), registers = name[0] == 'r', twice = !strcmp(name, "twice");
        if (!known || !(n && (name[0] == 'n' || registers || twice)) || (apart && !strstr(operands, "apart"))) continue;
        uint64_t a = descriptor_of(0, strstr(operands, "none") ? 0 : 1, 0, 0);
        if (apart) a = strstr(operands, "144") ? 9ull << 16 | 18ull << 32 : 128ull << 16 | 8ull << 32;
        char *text = product_text(n, registers, twice, a, a + (8192 >> 4));
        counter_set got = {0};
        count(text, (uint32_t)threads, &got);
        if (got.value[COUNTER_INST_EXECUTED] != (uint64_t)instructions ||
            got.value[COUNTER_WAVEFRONTS] != (uint64_t)source ||
            got.value[COUNTER_WAVEFRONTS_IDEAL] != (uint64_t)ideal ||
            got.value[COUNTER_BANK_CONFLICTS] != (uint64_t)conflicts)
            UNIT_FAIL("%s %s: %llu instructions, %llu wavefronts", name, operands,
                      (unsigned long long)got.value[COUNTER_INST_EXECUTED],
                      (unsigned long long)got.value[COUNTER_WAVEFRONTS]);
        free(text);
        rows++;
    }
    CHECK(rows >= 17);
    free(table);
}

UNIT_MAIN()
