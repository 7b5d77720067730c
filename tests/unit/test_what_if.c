/* --what-if: layouts move every element to a place of its own; what is counted for them is what the model counts; the table
 * survives the result log. */
#include "model/candidates.h"
#include "model/relayout.h"
#include "result/result.h"
#include "unit.h"

#include <unistd.h>

enum { ROWS = 32, COLUMNS = 32, ELEMENT = 4, BYTES = ROWS * COLUMNS * ELEMENT };

static const model_layout layouts[] = {
    {.kind = MODEL_LAYOUT_PADDED, .begin = 64, .bytes = BYTES, .element = 4, .pitch = 128, .pad = 4},
    {.kind = MODEL_LAYOUT_PADDED, .begin = 0, .bytes = BYTES, .element = 4, .pitch = 96, .pad = 16},
    {.kind = MODEL_LAYOUT_SWIZZLED, .begin = 16, .bytes = BYTES, .element = 4, .pitch = 128, .unit = 16},
    {.kind = MODEL_LAYOUT_SWIZZLED, .begin = 0, .bytes = BYTES, .element = 4, .pitch = 32, .unit = 4},
    {.kind = MODEL_LAYOUT_SWIZZLED, .begin = 0, .bytes = BYTES, .element = 4, .pitch = 512, .unit = 8},
    {.kind = MODEL_LAYOUT_SHIFTED, .begin = 0, .bytes = BYTES, .element = 4, .pitch = 4, .pad = 28},
    {.kind = MODEL_LAYOUT_TRANSPOSED, .begin = 128, .bytes = BYTES, .element = 4, .pitch = 64},
};

UNIT_CASE(layouts_are_one_to_one)
{
    for (size_t k = 0; k < LW_COUNT(layouts); k++) {
        const model_layout *l = &layouts[k];
        static uint8_t taken[2 * BYTES];
        memset(taken, 0, sizeof taken);
        for (uint32_t at = 0; at < l->bytes; at += ELEMENT) {
            uint64_t to = model_layout_at(l, l->begin + at);
            CHECK(model_layout_keeps(l, l->begin + at, ELEMENT));
            CHECK(to >= l->begin && to + ELEMENT <= l->begin + model_layout_bytes(l));
            CHECK(!taken[to - l->begin]);
            taken[to - l->begin] = 1;
            CHECK_EQ_INT(model_layout_at(l, l->begin + at + 3), to + 3);
        }
    }
}

UNIT_CASE(alignment)
{
    model_layout padded = {.kind = MODEL_LAYOUT_PADDED, .bytes = BYTES, .element = 4, .pitch = 128, .pad = 4};
    CHECK(model_layout_keeps(&padded, 0, 16));
    CHECK(!model_layout_keeps(&padded, 128, 16)); /* goes to 132 */
    CHECK(!model_layout_keeps(&padded, 124, 8));  /* torn apart */
    padded.pad = 16;
    CHECK(model_layout_keeps(&padded, 128, 16));
    model_layout swapped = {.kind = MODEL_LAYOUT_TRANSPOSED, .bytes = BYTES, .element = 4, .pitch = 128};
    CHECK(!model_layout_keeps(&swapped, 0, 8));
}

UNIT_CASE(names)
{
    lw_text out = {0};
    model_layout_now(&layouts[0], "tile", &out);
    model_layout_then(&layouts[0], "tile", &out);
    model_layout_index(&layouts[0], &out);
    CHECK_STR(out.data, "tile[32][32]tile[32][33]i + i / 32");
    lw_text_free(&out);
    model_layout_then(&layouts[3], "s", &out);
    model_layout_index(&layouts[3], &out);
    CHECK_STR(out.data, "s[r][c ^ r / 4 % 8]i ^ i / 32 % 8");
    lw_text_free(&out);
}

/* A warp that reads a column, `times` times. */
static void add_column(model_accesses *accesses, uint32_t times)
{
    uint64_t address[32];
    event_memory e = {.space = EVENT_SHARED, .op = EVENT_LOAD, .bytes = 4, .mask = UINT32_MAX, .address = address};
    for (uint32_t i = 0; i < 32; i++) address[i] = i * 128;
    for (uint32_t k = 0; k < times; k++) model_accesses_add(accesses, &e);
}

UNIT_CASE(recount)
{
    device_profile device;
    lw_error error = {0};
    CHECK(!device_find("cc:9.0", &device, &error));
    model_pricer *pricer = model_pricer_make(&device);
    model_accesses *accesses = model_accesses_make(8);
    uint8_t parts[1] = {4};
    model_array array = {.bytes = BYTES, .element = 4, .parts = parts};
    model_layouts found = {0};
    add_column(accesses, 3);
    CHECK_EQ_INT(model_accesses_count(accesses), 1); /* alike */
    model_candidates(accesses, &array, pricer, &found);
    uint64_t least = UINT64_MAX, now = 0;
    uint32_t insn;
    CHECK(model_recount(accesses, &array, NULL, pricer, &now, &insn));
    CHECK_EQ_INT(now, 3 * 32);
    for (size_t k = 0; k < found.count; k++) {
        uint64_t then = 0;
        if (model_recount(accesses, &array, &found.items[k], pricer, &then, &insn)) least = LW_MIN(least, then);
    }
    CHECK_EQ_INT(least, 3);
    CHECK_EQ_INT(found.items[0].pitch, 128);
    lw_vec_free(&found);
    model_accesses_free(accesses);
    model_pricer_free(pricer);
}

UNIT_CASE(most)
{
    model_accesses *accesses = model_accesses_make(1);
    uint64_t address[32] = {0};
    event_memory e = {.space = EVENT_SHARED, .op = EVENT_STORE, .bytes = 4, .mask = 1, .address = address};
    model_accesses_add(accesses, &e);
    address[0] = 4;
    model_accesses_add(accesses, &e);
    CHECK_EQ_INT(model_accesses_count(accesses), 1);
    CHECK_EQ_INT(model_accesses_dropped(accesses), 1);
    model_accesses_free(accesses);
}

/* ---- global memory ---- */
#define BEGIN UINT64_C(0x550000000000)

static void touch(model_trace *trace, uint32_t mask, uint8_t bytes, const uint64_t address[32])
{
    event_memory e = {.space = EVENT_GLOBAL, .op = EVENT_LOAD, .bytes = bytes, .mask = mask, .address = address};
    model_trace_add(trace, &e);
}

/* What was kept of an access is what it was, whatever its lanes and addresses. */
UNIT_CASE(traces)
{
    static const uint32_t masks[] = {UINT32_MAX, 1, 0x80000000, 0x0f0f0f0f, 0x80000001};
    model_trace *trace = model_trace_make(NULL);
    uint64_t given[5][4][32], address[32];
    for (uint32_t m = 0; m < LW_COUNT(masks); m++)
        for (uint32_t kind = 0; kind < 4; kind++) {
            for (uint32_t i = 0; i < 32; i++)
                given[m][kind][i] = BEGIN + (kind == 0   ? 4096 - 12 * i
                                             : kind == 1 ? 64
                                             : kind == 2 ? i * i * 8
                                                         : i * (UINT64_C(3) << 32));
            touch(trace, masks[m], 4, given[m][kind]);
        }
    REQUIRE(model_trace_count(trace) == 4 * LW_COUNT(masks));
    for (uint32_t k = 0; k < model_trace_count(trace); k++) {
        const model_touch *t = model_trace_at(trace, k, address);
        CHECK_EQ_INT(t->mask, masks[k / 4]);
        for (uint32_t m = t->mask; m; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            CHECK_EQ_INT(address[i], given[k / 4][k % 4][i]);
        }
    }
    model_trace_free(trace);
}

UNIT_CASE(traces_end)
{
    int64_t budget = 2 * sizeof(model_touch);
    model_trace *trace = model_trace_make(&budget);
    uint64_t address[32];
    for (uint32_t i = 0; i < 32; i++) address[i] = BEGIN + 4 * i;
    for (uint32_t k = 0; k < 5; k++) touch(trace, UINT32_MAX, 4, address);
    CHECK_EQ_INT(model_trace_count(trace), 2);
    CHECK_EQ_INT(model_trace_dropped(trace), 3);
    model_trace_free(trace);
}

/* 64 structures of 12 bytes, of which each field is read by all lanes; joined: as one access of 8 bytes and one of 4. */
static uint64_t sectors_of_structures(const model_layout *layout, bool joined, bool *fine)
{
    device_profile device;
    lw_error error = {0};
    uint64_t address[32], by_insn = 0;
    uint32_t insn;
    uint8_t parts[1] = {4};
    model_trace *trace = model_trace_make(NULL);
    model_traces traces = {&trace, 1};
    model_block block = {.begin = BEGIN, .bytes = 64 * 12, .parts = parts, .narrow = 4, .wide = 4};
    CHECK(!device_find("cc:9.0", &device, &error));
    for (uint32_t warp = 0; warp < 2; warp++)
        for (uint32_t field = 0; field < 3; field += joined && !field ? 2 : 1) {
            for (uint32_t i = 0; i < 32; i++) address[i] = BEGIN + (warp * 32 + i) * 12 + field * 4;
            touch(trace, UINT32_MAX, joined && !field ? 8 : 4, address);
        }
    *fine = model_relayout_count(&traces, &block, layout, &device, 1, &by_insn, &insn);
    model_relayouts found = {0};
    model_relayouts_of(&traces, &block, &device, &found);
    CHECK(found.count);
    bool known = false;
    for (size_t k = 0; k < found.count; k++)
        known |= found.items[k].kind == MODEL_LAYOUT_TRANSPOSED && found.items[k].pitch == 12;
    CHECK(known);
    lw_vec_free(&found);
    model_trace_free(trace);
    return by_insn;
}

UNIT_CASE(structures)
{
    bool fine;
    model_layout arrays = {.kind = MODEL_LAYOUT_TRANSPOSED, .bytes = 64 * 12, .element = 4, .pitch = 12};
    CHECK_EQ_INT(sectors_of_structures(NULL, false, &fine), 2 * 3 * 12);
    CHECK_EQ_INT(sectors_of_structures(&arrays, false, &fine), 2 * 3 * 4);
    CHECK_EQ_INT(sectors_of_structures(&arrays, true, &fine), 2 * 3 * 4); /* the joined access falls into its parts */
    CHECK(fine);
    arrays.kind = MODEL_LAYOUT_SHIFTED;
    arrays.pad = 2;
    sectors_of_structures(&arrays, false, &fine);
    CHECK(!fine); /* words at odd halves */
}

UNIT_CASE(log)
{
    char path[] = "/tmp/lanewise-what-if-XXXXXX";
    lw_error error = {0};
    result_log *log;
    result_set set;
    result_what_if what = {.array = "tile",
                           .about = "a block",
                           .global = true,
                           .now = "tile[32][32]",
                           .then = "tile[32][33]",
                           .index = "i + i / 32",
                           .best = true,
                           .exact = true,
                           .before = 96,
                           .after = 3};
    result_launch launch = {.kernel = "k", .kernel_mangled = "k", .count = 1, .what_if = &what, .what_if_count = 1};
    static const uint8_t level[] = {1, 63};
    result_blocks blocks = {.count = 9, .columns = 2, .rows = 1, .level = level};
    launch.blocks = &blocks;
    close(mkstemp(path));
    CHECK(!result_log_create(path, &error));
    CHECK(!result_log_open(&log, path, "d", "9.0", &error));
    result_log_launch(log, &launch);
    what.after = 4;
    result_log_launch(log, &launch); /* the first stays */
    result_log_close(log);
    CHECK(!result_log_read(path, &set, &error));
    CHECK_EQ_INT(set.launches.items[0].what_if_count, 1);
    const result_what_if *back = set.launches.items[0].what_if;
    CHECK_STR(back->then, "tile[32][33]");
    CHECK_STR(back->about, "a block");
    CHECK(!back->refused && back->best && back->global);
    CHECK_EQ_INT(back->after, 3);
    const result_blocks *kept = set.launches.items[0].blocks;
    REQUIRE(kept);
    CHECK_EQ_INT(kept->count, 9);
    CHECK(!memcmp(kept->level, level, sizeof level));
    result_set_free(&set);
    unlink(path);
}

UNIT_MAIN()
