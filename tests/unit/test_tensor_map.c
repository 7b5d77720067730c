/* test_tensor_map: copies by tensor maps, element by element against a reference written from the PTX ISA's sections
 * "Tensors" and cp.async.bulk.tensor: every number of dimensions, both modes, swizzles, fills, strides, what lies out of
 * bounds on every side, reductions. Nothing here was recorded on a card. */
#include "tensor_copy.h"

/* ---------------------------------------------------------------- loads and stores */
static uint64_t combined(const char *operation, uint32_t type, uint64_t a, uint64_t b)
{
    bool narrow = exec_tensor_types[type].bytes == 4;
    int64_t sa = narrow ? (int32_t)a : (int64_t)a, sb = narrow ? (int32_t)b : (int64_t)b;
    bool is_signed = type == 3 || type == 5;
    bool less = is_signed ? sb < sa : b < a;
    if (!strcmp(operation, "add")) return a + b;
    if (!strcmp(operation, "min")) return less ? b : a;
    if (!strcmp(operation, "max")) return less ? a : b;
    if (!strcmp(operation, "inc")) return a >= b ? 0 : a + 1;
    if (!strcmp(operation, "dec")) return a == 0 || a > b ? b : a - 1;
    if (!strcmp(operation, "and")) return a & b;
    if (!strcmp(operation, "or")) return a | b;
    if (!strcmp(operation, "xor")) return a ^ b;
    return b;
}

static void check_store(machine *m, const copy_case *given, const char *operation, uint32_t *seed)
{
    copy_case forward = *given; /* a store must not begin at a negative coordinate: an H200 faults */
    const copy_case *c = &forward;
    for (uint32_t k = 0; k < LW_COUNT(forward.at); k++) forward.at[k] = abs(forward.at[k]);
    const row_list *rows = list_rows(c);
    uint32_t element = exec_tensor_types[c->type].bytes;
    fill_random(m->tensor, TENSOR_BYTES, seed);
    fill_random(m->data, extent_of(c, rows->count), seed);
    memcpy(m->old, m->tensor, TENSOR_BYTES);
    make_map(c, (uintptr_t)m->tensor, m->map);
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < row_elements(c); k++) {
            uint64_t a = 0, b = 0;
            int64_t to = element_offset(c, rows->at[r], k);
            if (to < 0) continue;
            memcpy(&a, m->old + to, element);
            memcpy(&b, m->data + place_in_tile(c, r, k * element), element);
            a = combined(operation, c->type, a, b);
            memcpy(m->old + to, &a, element);
        }
    if (!runs(m, c, rows->count) || memcmp(m->old, m->tensor, TENSOR_BYTES)) {
        UNIT_FAIL("store %s differs", operation);
        describe(c);
    }
    if (c->im2col) return;
    forward.at[c->rank - 1] = -1;
    CHECK(run(m, c, rows->count) == EXEC_ILLEGAL_INSTRUCTION);
}

static uint32_t between(uint32_t *seed, uint32_t low, uint32_t high)
{
    return low + next_random(seed) % (high - low + 1);
}

/* What all random cases share. The box fits the swizzle and shared memory. */
static copy_case random_case(uint32_t rank, uint32_t *seed)
{
    static const uint32_t types[] = {0, 1, 2, 4, 6, 7, 9, 10};
    copy_case c = {.rank = rank, .type = types[next_random(seed) % 8], .pad = next_random(seed) % 3};
    uint32_t element = exec_tensor_types[c.type].bytes, span = 256;
    c.swizzle = next_random(seed) % 4;
    if (c.swizzle) span = 16u << c.swizzle;
    c.fill = exec_tensor_types[c.type].is_float ? next_random(seed) % 2 : 0;
    c.box[0] = LW_MIN(between(seed, 1, span / 16) * 16 / element, 256u);
    c.dims[0] = between(seed, 1, 40);
    c.at[0] = ((int32_t)between(seed, 0, 4) - 2) * (int32_t)(16 / element); /* elsewhere copies fault */
    for (uint32_t k = 0; k < rank; k++) c.steps[k] = 1;
    return c;
}

static copy_case random_tile(uint32_t rank, uint32_t *seed)
{
    static const uint32_t most[] = {0, 0, 30, 9, 5, 4};
    copy_case c = random_case(rank, seed);
    for (uint32_t k = 1; k < rank; k++) {
        c.dims[k] = between(seed, 1, most[rank]);
        c.box[k] = between(seed, 1, most[rank]);
        c.steps[k] = next_random(seed) % 3 ? 1 : between(seed, 1, 4);
        c.at[k] = (int32_t)between(seed, 0, most[rank] + 4) - 3;
    }
    return c;
}

UNIT_CASE(tiles_are_loaded)
{
    uint32_t seed = 1;
    for (uint32_t rank = 1; rank <= 5; rank++) {
        machine m;
        if (!open_load(&m, rank, false, "")) continue;
        for (uint32_t n = 0; n < 60; n++) {
            copy_case c = random_tile(rank, &seed);
            check_load(&m, &c, &seed);
        }
        close_machine(&m);
    }
}

UNIT_CASE(tiles_are_stored)
{
    uint32_t seed = 2;
    for (uint32_t rank = 1; rank <= 5; rank++) {
        machine m;
        if (!open_store(&m, rank, false, "")) continue;
        for (uint32_t n = 0; n < 40; n++) {
            copy_case c = random_tile(rank, &seed);
            check_store(&m, &c, "", &seed);
        }
        close_machine(&m);
    }
}

static copy_case random_im2col(uint32_t rank, bool stores, uint32_t *seed)
{
    copy_case c = random_case(rank, seed);
    c.im2col = true;
    c.box[1] = between(seed, 1, 60);
    c.dims[rank - 1] = 3;
    c.at[rank - 1] = (int32_t)between(seed, 0, 1);
    for (uint32_t k = 1; k + 1 < rank; k++) {
        c.dims[k] = between(seed, 3, 7);
        c.lower[k - 1] = stores ? (int)between(seed, 0, 1) : (int)between(seed, 0, 4) - 2;
        c.upper[k - 1] = stores ? 0 : (int)between(seed, 0, 3) - 2;
        c.steps[k] = between(seed, 1, 2);
        int last = (int)c.dims[k] - 1 + c.upper[k - 1];
        if (last < c.lower[k - 1]) c.lower[k - 1] = last;
        c.at[k] = (int32_t)between(seed, 0, (uint32_t)(last - c.lower[k - 1])) + c.lower[k - 1];
        if (!stores) c.offset[k - 1] = (uint16_t)between(seed, 0, 3);
    }
    return c;
}

UNIT_CASE(columns_are_loaded_and_stored)
{
    uint32_t seed = 3;
    for (uint32_t k = 0; k < 6; k++) {
        machine m;
        uint32_t rank = 3 + k % 3;
        bool stores = k >= 3;
        if (stores ? !open_store(&m, rank, true, "") : !open_load(&m, rank, true, "")) continue;
        for (uint32_t n = 0; n < 60; n++) {
            copy_case c = random_im2col(rank, stores, &seed);
            if (stores) check_store(&m, &c, "", &seed);
            else check_load(&m, &c, &seed);
        }
        close_machine(&m);
    }
}

/* Of a case whose rows are slices, as recorded: dimensions are W (H, D), slices, images. */
static copy_case random_slices(uint32_t rank, bool im2col, bool stores, uint32_t *seed)
{
    copy_case c = im2col ? random_im2col(rank, stores, seed) : random_tile(rank, seed);
    c.interleave = between(seed, 1, 2);
    if (c.interleave == 2 && !c.swizzle) c.swizzle = 1;
    for (uint32_t k = 0; k < rank; k++) {
        bool spatial = im2col && k + 2 < rank;
        c.dims[k] = between(seed, 3, 6);
        if (!im2col) c.box[k] = between(seed, 1, 4);
        if (!spatial) c.at[k] = (int32_t)between(seed, 0, 6) - 2;
        c.steps[k] = im2col && !spatial ? 1 : between(seed, 1, 2);
        if (!spatial) continue;
        c.at[k] = c.lower[k];
        c.upper[k] = LW_MAX(c.upper[k], c.lower[k] - 2);
    }
    return c;
}

UNIT_CASE(slices_of_interleaved_maps)
{
    uint32_t seed = 5;
    for (uint32_t k = 0; k < 12; k++) {
        machine m;
        uint32_t rank = 3 + k % 3;
        bool stores = k >= 6, im2col = k / 3 & 1;
        if (stores ? !open_store(&m, rank, im2col, "") : !open_load(&m, rank, im2col, "")) continue;
        for (uint32_t n = 0; n < 40; n++) {
            copy_case c = random_slices(rank, im2col, stores, &seed);
            if (stores) check_store(&m, &c, "", &seed);
            else check_load(&m, &c, &seed);
        }
        close_machine(&m);
    }
}

UNIT_CASE(reductions)
{
    static const char *const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    static const char *const types_of[] = {"\2\3\4", "\2\3\4\5", "\2\3\4\5", "\2",
                                           "\2",     "\2\3\4\5", "\2\3\4\5", "\2\3\4\5"};
    uint32_t seed = 4;
    for (size_t k = 0; k < LW_COUNT(operations); k++) {
        machine m;
        if (!open_store(&m, 2, false, operations[k])) continue;
        for (const char *type = types_of[k]; *type; type++)
            for (uint32_t n = 0; n < 4; n++) {
                copy_case c = random_tile(2, &seed);
                c.type = (uint32_t)*type;
                c.box[0] = 32 / exec_tensor_types[c.type].bytes;
                c.at[0] = c.at[0] / 4 * 4;
                c.fill = 0;
                check_store(&m, &c, operations[k], &seed);
            }
        close_machine(&m);
    }
}

/* A 2-D tile of 16-bit floats: what one element becomes. */
static void check_sum(uint32_t type, const char *operation, uint64_t a, uint64_t b, uint64_t want)
{
    machine m;
    uint64_t got = 0;
    copy_case c = {.rank = 1, .type = type, .dims = {64}, .box = {64}, .steps = {1}};
    uint32_t bytes = exec_tensor_types[type].bytes;
    if (!open_store(&m, 1, false, operation)) return;
    make_map(&c, (uintptr_t)m.tensor, m.map);
    memcpy(m.tensor, &a, bytes);
    memcpy(m.data, &b, bytes);
    runs(&m, &c, 1);
    memcpy(&got, m.tensor, bytes);
    CHECK_EQ_INT(got, want);
    close_machine(&m);
}

UNIT_CASE(reductions_of_floats)
{
    check_sum(7, "add", 0x3f800000, 0x40000000, 0x40400000);
    check_sum(8, "add", 0x3f800000, 0x40000000, 0x40400000);
    check_sum(6, "add", 0x3c00, 0x4000, 0x4200);
    check_sum(6, "min", 0x3c00, 0xc000, 0xc000);
    check_sum(10, "add", 0x3f80, 0x4000, 0x4040);
    check_sum(10, "max", 0x3f80, 0x4000, 0x4000);
}

/* Values of f32 that the map's type changes on the way. */
UNIT_CASE(loads_convert)
{
    static const struct {
        uint32_t type, from, want;
    } rows[] = {{7, 0x00000001, 0x00000001},  {8, 0x80000001, 0x80000001},  {8, 0x3f800001, 0x3f800001},
                {11, 0x3f800fff, 0x3f800000}, {11, 0x3f801000, 0x3f802000}, {11, 0x7f800000, 0x7f800000},
                {11, 0x00001000, 0x00002000}, {12, 0x00401000, 0x00402000}, {11, 0xff800001, 0x7fffe000},
                {12, 0x7fc00000, 0x7fffe000}};
    machine m;
    REQUIRE(open_load(&m, 1, false, ""));
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        copy_case c = {.rank = 1, .type = rows[k].type, .dims = {4}, .box = {4}, .steps = {1}};
        uint32_t got;
        make_map(&c, (uintptr_t)m.tensor, m.map);
        memcpy(m.tensor, &rows[k].from, 4);
        if (!runs(&m, &c, 1)) continue;
        memcpy(&got, m.data, 4);
        CHECK_EQ_INT(got, rows[k].want);
    }
    close_machine(&m);
}

UNIT_MAIN()
