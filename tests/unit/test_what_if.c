/* --what-if: layouts move every element to a place of its own; what is counted for them is what the model counts; the table
 * survives the result log. */
#include "model/candidates.h"
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

UNIT_CASE(log)
{
    char path[] = "/tmp/lanewise-what-if-XXXXXX";
    lw_error error = {0};
    result_log *log;
    result_set set;
    result_what_if what = {.array = "tile",
                           .now = "tile[32][32]",
                           .then = "tile[32][33]",
                           .index = "i + i / 32",
                           .best = true,
                           .exact = true,
                           .before = 96,
                           .after = 3};
    result_launch launch = {.kernel = "k", .kernel_mangled = "k", .count = 1, .what_if = &what, .what_if_count = 1};
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
    CHECK(!back->refused && back->best);
    CHECK_EQ_INT(back->after, 3);
    result_set_free(&set);
    unlink(path);
}

UNIT_MAIN()
