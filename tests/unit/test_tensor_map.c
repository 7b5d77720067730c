/* test_tensor_map: copies by tensor maps, element by element against a reference written from the PTX ISA's sections
 * "Tensors" and cp.async.bulk.tensor: every number of dimensions, both modes, swizzles, fills, strides, what lies out of
 * bounds on every side, reductions, multicast, maps changed on the device; their events, faults and refusals. Nothing
 * here was recorded on a card. */
#include "fixture.h"

#include "exec/tensor_map.h"

enum { TILE_BYTES = 32768, TENSOR_BYTES = 1 << 18 };

/* ---------------------------------------------------------------- kernels */
/* One thread copies; the block dumps its shared memory, which held 0xee before. $: operands that differ. */
static const char load_text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, .param .u32 "
    "extent)\n"
    "{\n.reg .b32 %%r<30>; .reg .b16 %%h<4>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n"
    ".shared .align 1024 .b8 tile[32768]; .shared .align 8 .b64 bar;\n"
    "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [map];\n"
    "ld.param.s32 %%r1, [at]; ld.param.s32 %%r2, [at+4]; ld.param.s32 %%r3, [at+8]; ld.param.s32 %%r4, [at+12];\n"
    "ld.param.s32 %%r5, [at+16]; ld.param.u16 %%h1, [at+20]; ld.param.u16 %%h2, [at+24]; ld.param.u16 %%h3, [at+28];\n"
    "ld.param.u32 %%r6, [bytes]; ld.param.u32 %%r7, [extent];\n"
    "mov.u32 %%r10, %%tid.x; mov.u32 %%r11, tile; shl.b32 %%r12, %%r10, 2;\n"
    "mov.u32 %%r13, %%r12; mov.u32 %%r14, 0xeeeeeeee;\n"
    "BEFORE: setp.ge.u32 %%p1, %%r13, %%r7; @%%p1 bra READY; add.u32 %%r15, %%r11, %%r13; st.shared.u32 [%%r15], "
    "%%r14;\n"
    "add.u32 %%r13, %%r13, 128; bra BEFORE;\n"
    "READY: setp.ne.u32 %%p1, %%r10, 0; @!%%p1 mbarrier.init.shared.b64 [bar], 1;\n"
    "fence.proxy.async; bar.sync 0; @%%p1 bra WAIT;\n"
    "mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r6;\n"
    "%s;\n"
    "WAIT: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra WAIT;\n"
    "mov.u32 %%r13, %%r12;\n"
    "DUMP: setp.ge.u32 %%p1, %%r13, %%r7; @%%p1 bra END; add.u32 %%r15, %%r11, %%r13; ld.shared.u32 %%r16, [%%r15];\n"
    "cvt.u64.u32 %%rd3, %%r13; add.u64 %%rd3, %%rd3, %%rd1; st.global.u32 [%%rd3], %%r16;\n"
    "add.u32 %%r13, %%r13, 128; bra DUMP;\nEND: ret;\n}\n";

/* The block fills its shared memory from `in`; one thread copies. */
static const char store_text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, .param .u32 "
    "extent)\n"
    "{\n.reg .b32 %%r<30>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n"
    ".shared .align 1024 .b8 tile[32768];\n"
    "ld.param.u64 %%rd1, [in]; ld.param.u64 %%rd2, [map];\n"
    "ld.param.s32 %%r1, [at]; ld.param.s32 %%r2, [at+4]; ld.param.s32 %%r3, [at+8]; ld.param.s32 %%r4, [at+12];\n"
    "ld.param.s32 %%r5, [at+16]; ld.param.u32 %%r7, [extent];\n"
    "mov.u32 %%r10, %%tid.x; mov.u32 %%r11, tile; shl.b32 %%r13, %%r10, 2;\n"
    "BEFORE: setp.ge.u32 %%p1, %%r13, %%r7; @%%p1 bra READY; cvt.u64.u32 %%rd3, %%r13; add.u64 %%rd3, %%rd3, %%rd1;\n"
    "ld.global.u32 %%r16, [%%rd3]; add.u32 %%r15, %%r11, %%r13; st.shared.u32 [%%r15], %%r16;\n"
    "add.u32 %%r13, %%r13, 128; bra BEFORE;\n"
    "READY: fence.proxy.async.shared::cta; bar.sync 0; setp.ne.u32 %%p1, %%r10, 0; @%%p1 bra END;\n"
    "%s;\n"
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND: ret;\n}\n";

static const char *const coordinate_text[] = {
    "", "%r1", "%r1, %r2", "%r1, %r2, %r3", "%r1, %r2, %r3, %r4", "%r1, %r2, %r3, %r4, %r5"};
static const char *const offset_text[] = {"", "", "", "%h1", "%h1, %h2", "%h1, %h2, %h3"};

/* ---------------------------------------------------------------- a copy, and what it must do */
typedef struct copy_case {
    uint32_t rank;
    bool im2col;
    uint32_t type; /* as in PTX */
    uint64_t dims[5];
    uint32_t pad;    /* units of 16 bytes behind every row and plane of the tensor */
    uint32_t box[5]; /* im2col: channels, pixels */
    uint32_t steps[5];
    int lower[3], upper[3];
    uint32_t swizzle, fill;
    int32_t at[5];
    uint16_t offset[3];
} copy_case;

static uint64_t stride_of(const copy_case *c, uint32_t k)
{
    uint64_t bytes = (c->dims[0] * exec_tensor_types[c->type].bytes + 15) / 16 * 16 + 16 * c->pad;
    for (uint32_t d = 1; d < k; d++) bytes = bytes * c->dims[d] + 16 * c->pad;
    return bytes;
}

static void make_map(const copy_case *c, uint64_t tensor, exec_tensor_map *m)
{
    *m = (exec_tensor_map){.address = tensor, .mode = c->im2col, .type = (uint8_t)c->type};
    m->rank_1 = (uint8_t)(c->rank - 1);
    m->swizzle = (uint8_t)c->swizzle;
    m->fill = (uint8_t)c->fill;
    for (uint32_t k = 0; k < c->rank; k++) {
        m->dim_1[k] = (uint32_t)(c->dims[k] - 1);
        m->step_1[k] = (uint8_t)(c->steps[k] ? c->steps[k] - 1 : 0);
        if (k) m->stride[k - 1] = stride_of(c, k);
        if (k < (c->im2col ? 2u : c->rank)) m->box_1[k] = (uint16_t)(c->box[k] - 1);
    }
    for (uint32_t k = 0; k + 2 < c->rank; k++) {
        m->lower[k] = (int16_t)c->lower[k];
        m->upper[k] = (int16_t)c->upper[k];
    }
}

/* Coordinates of every row of the box: at most 2048. */
typedef struct row_list {
    uint32_t count;
    int64_t at[2048][5];
} row_list;

static void add_row(row_list *rows, const int64_t at[5])
{
    if (rows->count < 2048) memcpy(rows->at[rows->count++], at, 5 * sizeof *at);
}

static void list_tile(const copy_case *c, row_list *rows)
{
    int64_t at[5] = {c->at[0]};
    uint32_t n[5] = {1, 1, 1, 1, 1};
    for (uint32_t k = 1; k < c->rank; k++) n[k] = (c->box[k] + c->steps[k] - 1) / c->steps[k];
    for (uint32_t a = 0; a < n[4]; a++)
        for (uint32_t b = 0; b < n[3]; b++)
            for (uint32_t e = 0; e < n[2]; e++)
                for (uint32_t f = 0; f < n[1]; f++) {
                    const uint32_t index[5] = {0, f, e, b, a};
                    for (uint32_t k = 1; k < c->rank; k++) at[k] = c->at[k] + (int64_t)index[k] * c->steps[k];
                    add_row(rows, at);
                }
}

/* Pixels of the bounding boxes of all images from the first one on, image by image; dimensions that are not there have
 * one pixel. */
static void list_im2col(const copy_case *c, row_list *rows)
{
    uint32_t images = c->rank - 1;
    int64_t low[4] = {0}, high[4] = {0}, start[4] = {0}, step[4] = {1, 1, 1, 1};
    for (uint32_t k = 1; k < images; k++) {
        low[k] = c->lower[k - 1];
        high[k] = (int64_t)c->dims[k] - 1 + c->upper[k - 1];
        start[k] = c->at[k];
        step[k] = c->steps[k];
    }
    bool w_first = true, h_first = true, d_first = true;
    for (int64_t n = c->at[images]; rows->count < c->box[1]; n++) {
        for (int64_t d = d_first ? start[3] : low[3]; d <= high[3] && rows->count < c->box[1]; d += step[3]) {
            for (int64_t h = h_first ? start[2] : low[2]; h <= high[2] && rows->count < c->box[1]; h += step[2]) {
                for (int64_t w = w_first ? start[1] : low[1]; w <= high[1] && rows->count < c->box[1]; w += step[1]) {
                    const int64_t whd[4] = {0, w, h, d};
                    int64_t at[5] = {c->at[0]};
                    for (uint32_t k = 1; k < images; k++) at[k] = whd[k] + c->offset[k - 1];
                    at[images] = n;
                    add_row(rows, at);
                }
                w_first = false;
            }
            h_first = false;
        }
        d_first = false;
    }
}

static uint32_t inner_bytes(const copy_case *c) { return c->box[0] * exec_tensor_types[c->type].bytes; }

static uint32_t pitch_of(const copy_case *c) { return c->swizzle ? 16u << c->swizzle : inner_bytes(c); }

/* Where byte b of row r lies: its chunk of 16 bytes changes places within the span, by the number of its 128 bytes. */
static uint32_t place_in_tile(const copy_case *c, uint32_t r, uint32_t b)
{
    uint32_t plain = r * pitch_of(c) + b, line = plain / 128, chunk = plain / 16 % 8;
    static const uint32_t spans[] = {1, 2, 4, 8}; /* chunks */
    uint32_t span = spans[c->swizzle], moved = chunk / span * span + ((chunk % span) ^ (line % span));
    return line * 128 + moved * 16 + plain % 16;
}

/* The element's offset in the tensor, or -1. */
static int64_t element_offset(const copy_case *c, const int64_t at[5], uint32_t inner)
{
    int64_t offset = 0;
    for (uint32_t k = 0; k < c->rank; k++) {
        int64_t x = k ? at[k] : at[0] + inner;
        if (x < 0 || x >= (int64_t)c->dims[k]) return -1;
        offset += x * (int64_t)(k ? stride_of(c, k) : exec_tensor_types[c->type].bytes);
    }
    return offset;
}

static void fill_element(const copy_case *c, uint8_t *to)
{
    static const uint64_t nans[] = {[2] = 0x7ff7, [4] = 0x7ff77ff7, [8] = UINT64_C(0x7ff77ff77ff77ff7)};
    uint32_t bytes = exec_tensor_types[c->type].bytes;
    uint64_t v = c->fill ? nans[bytes] : 0;
    memcpy(to, &v, bytes);
}

/* ---------------------------------------------------------------- running */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

typedef struct kernel_params {
    uint64_t data, map;
    int32_t at[5];
    uint32_t offset[3];
    uint32_t bytes, extent;
} kernel_params;

typedef struct machine {
    fixture f;
    exec_result result;
    uint8_t *data, *tensor, *old;
    exec_tensor_map *map;
    const event_listener *listener;
    uint32_t cluster;
} machine;

static bool open_text(machine *m, const char *text)
{
    *m = (machine){.cluster = 1};
    if (!load(&m->f, text, "k")) return false;
    m->data = (uint8_t *)(uintptr_t)buffer(&m->f, 4 * TILE_BYTES);
    m->tensor = (uint8_t *)(uintptr_t)buffer(&m->f, TENSOR_BYTES);
    m->old = (uint8_t *)(uintptr_t)buffer(&m->f, TENSOR_BYTES);
    m->map = (exec_tensor_map *)(uintptr_t)buffer(&m->f, 128);
    return true;
}

static void close_machine(machine *m)
{
    exec_result_free(&m->result);
    unload(&m->f);
}

/* body: a format with the instruction in it. */
static bool open_body(machine *m, const char *body, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool open_body(machine *m, const char *body, const char *format, ...)
{
    static char text[8192], insn[512];
    va_list args;
    va_start(args, format);
    vsnprintf(insn, sizeof insn, format, args);
    va_end(args);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, body, insn);
#pragma GCC diagnostic pop
    if (open_text(m, text)) return true;
    UNIT_FAIL("%s: %s", insn, m->f.error.message);
    m->f.error.message[0] = 0;
    unload(&m->f); /* there is one window of device memory */
    return false;
}

static bool open_load(machine *m, uint32_t rank, bool im2col, const char *words)
{
    return open_body(m, load_text,
                     "cp.async.bulk.tensor.%ud.shared::cluster.global.%smbarrier::complete_tx::bytes%s "
                     "[%%r11], [%%rd2, {%s}], [bar]%s%s%s",
                     rank, im2col ? "im2col." : "tile.", words, coordinate_text[rank], im2col ? ", {" : "",
                     im2col ? offset_text[rank] : "", im2col ? "}" : "");
}

static bool open_store(machine *m, uint32_t rank, bool im2col, const char *operation)
{
    bool reduces = operation[0] != 0;
    return open_body(m, store_text,
                     "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group [%%rd2, {%s}], [%%r11]",
                     reduces ? "reduce." : "", rank, reduces ? "." : "", operation,
                     im2col ? ".im2col_no_offs" : ".tile", coordinate_text[rank]);
}

static exec_fault_kind run(machine *m, const copy_case *c, uint32_t rows)
{
    kernel_params p = {.data = (uintptr_t)m->data, .map = (uintptr_t)m->map};
    memcpy(p.at, c->at, sizeof p.at);
    for (uint32_t k = 0; k < 3; k++) p.offset[k] = c->offset[k];
    p.bytes = rows * inner_bytes(c);
    p.extent = rows * pitch_of(c);
    exec_launch l = {.kernel = m->f.kernel,
                     .grid = {m->cluster, 1, 1},
                     .block = {32, 1, 1},
                     .cluster = {m->cluster, 1, 1},
                     .params = (const uint8_t *)&p,
                     .stop_at_errors = true,
                     .threads = 1,
                     .memory = m->f.memory,
                     .listeners = m->listener,
                     .listener_count = m->listener ? 1 : 0,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_result_free(&m->result);
    CHECK(exec_run(&l, &m->result, &m->f.error) == LW_OK);
    return m->result.fault.kind;
}

static bool runs(machine *m, const copy_case *c, uint32_t rows)
{
    exec_fault_kind kind = run(m, c, rows);
    if (kind != EXEC_NO_FAULT) UNIT_FAIL("fault %d: %s", kind, m->result.fault.message);
    return kind == EXEC_NO_FAULT;
}

static row_list *list_rows(const copy_case *c)
{
    static row_list rows;
    rows.count = 0;
    if (c->im2col) list_im2col(c, &rows);
    else list_tile(c, &rows);
    return &rows;
}

static void describe(const copy_case *c)
{
    printf("    rank %u%s type %s swizzle %u fill %u; dims box steps at:", c->rank, c->im2col ? " im2col" : "",
           exec_tensor_types[c->type].name, c->swizzle, c->fill);
    for (uint32_t k = 0; k < c->rank; k++)
        printf(" (%llu %u %u %d)", (unsigned long long)c->dims[k], c->box[k], c->steps[k], c->at[k]);
    (void)putchar('\n');
}

static void fill_random(uint8_t *p, size_t bytes, uint32_t *seed)
{
    for (size_t k = 0; k < bytes; k++) p[k] = (uint8_t)next_random(seed);
}

/* ---------------------------------------------------------------- loads and stores */
static void check_load(machine *m, const copy_case *c, uint32_t *seed)
{
    static uint8_t want[4 * TILE_BYTES];
    const row_list *rows = list_rows(c);
    uint32_t element = exec_tensor_types[c->type].bytes, extent = rows->count * pitch_of(c);
    fill_random(m->tensor, TENSOR_BYTES, seed);
    make_map(c, (uintptr_t)m->tensor, m->map);
    memset(want, 0xee, extent);
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < c->box[0]; k++) {
            int64_t from = element_offset(c, rows->at[r], k);
            uint8_t *to = want + place_in_tile(c, r, k * element);
            if (from < 0) fill_element(c, to);
            else memcpy(to, m->tensor + from, element);
        }
    if (!runs(m, c, rows->count) || memcmp(want, m->data, extent)) {
        UNIT_FAIL("load differs");
        describe(c);
    }
}

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
    fill_random(m->data, rows->count * pitch_of(c), seed);
    memcpy(m->old, m->tensor, TENSOR_BYTES);
    make_map(c, (uintptr_t)m->tensor, m->map);
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < c->box[0]; k++) {
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

/* ---------------------------------------------------------------- clusters, forms */
/* Every block waits for its own mbarrier; the first copies to all. All write the same dump. */
UNIT_CASE(multicast)
{
    static char text[8192];
    machine m;
    uint32_t seed = 5;
    copy_case c = {.rank = 2, .type = 2, .dims = {32, 8}, .box = {32, 8}, .steps = {1, 1}, .swizzle = 3};
    snprintf(
        text, sizeof text,
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, .param "
        ".u32 extent)\n"
        "{\n.reg .b32 %%r<30>; .reg .b16 %%h<4>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n"
        ".shared .align 1024 .b8 tile[1024]; .shared .align 8 .b64 bar;\n"
        "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [map]; ld.param.u32 %%r6, [bytes];\n"
        "mov.u32 %%r10, %%tid.x; mov.u32 %%r20, %%cluster_ctarank; or.b32 %%r21, %%r10, %%r20; mov.u32 %%r1, 0;\n"
        "setp.ne.u32 %%p1, %%r10, 0; setp.ne.u32 %%p3, %%r21, 0; mov.b16 %%h1, 13;\n"
        "@!%%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
        "@!%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r6;\n"
        "barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mov.u32 %%r11, tile; setp.eq.u32 %%p1, %%r20, 1; @%%p1 bra LAST;\n"
        "@!%%p3 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%%r11], [%%rd2, {%%r1, %%r1}], [bar], %%h1;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 %%p2, [bar], 0; @!%%p2 bra WAIT;\n"
        "shl.b32 %%r12, %%r10, 5; add.u32 %%r13, %%r11, %%r12; shl.b32 %%r14, %%r20, 10; add.u32 %%r12, %%r12, %%r14;\n"
        "cvt.u64.u32 %%rd3, %%r12; add.u64 %%rd3, %%rd3, %%rd1;\n"
        "ld.shared.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%r13]; st.global.v4.b32 [%%rd3], {%%r1, %%r2, %%r3, %%r4};\n"
        "ld.shared.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%r13+16]; st.global.v4.b32 [%%rd3+16], {%%r1, %%r2, %%r3, "
        "%%r4};\n"
        "LAST: barrier.cluster.arrive; barrier.cluster.wait; ret;\n}\n");
    if (!open_text(&m, text)) {
        UNIT_FAIL("%s", m.f.error.message);
        unload(&m.f);
        return;
    }
    fill_random(m.tensor, TENSOR_BYTES, &seed);
    make_map(&c, (uintptr_t)m.tensor, m.map);
    memset(m.data, 0, 4096);
    m.cluster = 4;
    runs(&m, &c, 8);
    for (uint32_t rank = 0; rank < 4; rank++)
        for (uint32_t k = 0; k < 1024; k++)
            if (m.data[rank * 1024 + place_in_tile(&c, k / 128, k % 128)] != (rank == 1 ? 0 : m.tensor[k])) {
                UNIT_FAIL("block %u, byte %u", rank, k);
                break;
            }
    close_machine(&m);
}

UNIT_CASE(other_spellings)
{
    static const char *const insns[] = {
        "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile], [%rd2, {%r1}], "
        "[bar], %rd4",
        "prefetch.tensormap [%rd2]; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd2, {%r1}]; "
        "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128; "
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, %r1], [bar]"};
    uint32_t seed = 6;
    for (size_t k = 0; k < LW_COUNT(insns); k++) {
        machine m;
        copy_case c = {.rank = 1, .type = 2, .dims = {20}, .box = {24}, .steps = {1}, .at = {4}};
        if (!open_body(&m, load_text, "%s", insns[k])) continue;
        check_load(&m, &c, &seed);
        close_machine(&m);
    }
}

UNIT_CASE(forms_that_are_refused)
{
    static const struct {
        const char *insn, *why;
    } rows[] = {
        {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2 [%r11], [%rd2, "
         "{%r1}], "
         "[bar]",
         "needs sm_100a"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r11], [%rd2, "
         "{%r1, "
         "%r2, %r3, %r4, %r5}], [bar]",
         "needs sm_100a"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, {%r1}], [bar]",
         "2 coordinates"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.bulk_group [%r11], [%rd2, {%r1, %r2}], [bar]",
         "completion mechanism"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r11], [%rd2, {%r1, "
         "%r2}], "
         "[bar], {%h1}",
         "not possible in this mode"},
        {"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd2], 5, 1", "not a constant of its range"}};
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        static char text[8192];
        fixture f;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, sizeof text, load_text, rows[k].insn);
#pragma GCC diagnostic pop
        CHECK(!load(&f, text, "k"));
        CHECK_HAS(f.error.message, rows[k].why);
        f.error.message[0] = 0;
        unload(&f);
    }
}

/* ---------------------------------------------------------------- maps made on the device */
/* Every field of a map of zeros in shared memory, then to global memory, then a copy by it. */
UNIT_CASE(maps_built_on_the_device)
{
    static char text[8192];
    machine m;
    uint32_t seed = 7;
    copy_case c = {
        .rank = 2, .type = 10, .dims = {40, 9}, .pad = 1, .box = {32, 8}, .steps = {1, 2}, .swizzle = 2, .fill = 1};
    c.at[0] = 16;
    c.at[1] = -2;
    snprintf(text, sizeof text,
             ".version 8.6\n.target sm_90a\n.address_size 64\n"
             ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, "
             ".param .u32 extent)\n"
             "{\n.reg .b32 %%r<30>; .reg .b64 %%rd<8>; .reg .pred %%p<4>;\n.shared .align 128 .b8 made[128];\n"
             "ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [map]; mov.u32 %%r10, %%tid.x; mov.u32 %%r11, made;\n"
             "shl.b32 %%r12, %%r10, 2; add.u32 %%r13, %%r11, %%r12; st.shared.u32 [%%r13], 0; bar.warp.sync -1;\n"
             "setp.ne.u32 %%p1, %%r10, 0; @%%p1 bra COPY; mov.u32 %%r1, 40; mov.u64 %%rd3, %llu;\n"
             "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%%r11], %%rd1;\n"
             "tensormap.replace.tile.rank.shared::cta.b1024.b32 [made], 1;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%%r11], 0, 32;\n"
             "tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%%r11], 1, 8;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%%r11], 0, %%r1;\n"
             "tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%%r11], 1, 9;\n"
             "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%%r11], 0, %%rd3;\n"
             "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%%r11], 1, 2;\n"
             "tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%%r11], 10;\n"
             "tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%%r11], 0;\n"
             "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%%r11], 2;\n"
             "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%%r11], 1;\n"
             "COPY: bar.warp.sync -1;\n"
             "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%%rd2], [%%r11], "
             "128;\n"
             "ret;\n}\n",
             (unsigned long long)stride_of(&c, 1));
    if (!open_text(&m, text)) {
        UNIT_FAIL("%s", m.f.error.message);
        unload(&m.f);
        return;
    }
    exec_tensor_map want, made;
    make_map(&c, (uintptr_t)m.data, &want); /* the kernel takes its first parameter for the tensor */
    memset(m.map, 0xff, sizeof *m.map);
    if (runs(&m, &c, 1)) memcpy(&made, m.map, sizeof made);
    CHECK(!memcmp(&made, &want, sizeof made));
    close_machine(&m);
    REQUIRE(open_load(&m, 2, false, ""));
    check_load(&m, &c, &seed);
    close_machine(&m);
}

/* Before PTX 8.5 strides came in units of 16 bytes. */
UNIT_CASE(strides_of_older_programs)
{
    for (uint32_t newer = 0; newer < 2; newer++) {
        static char text[2048];
        machine m;
        copy_case c = {.rank = 2, .type = 0, .dims = {16, 16}, .box = {16, 1}};
        snprintf(text, sizeof text,
                 ".version %s\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k(.param .u64 out, .param .u64 map, .param .align 4 .b8 at[32], .param .u32 bytes, "
                 ".param .u32 extent)\n{\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [map];\nmov.u64 %%rd2, 64;\n"
                 "tensormap.replace.tile.global_stride.global.b1024.b64 [%%rd1], 0, %%rd2;\nret;\n}\n",
                 newer ? "8.5" : "8.4");
        if (!open_text(&m, text)) {
            UNIT_FAIL("%s", m.f.error.message);
            unload(&m.f);
            return;
        }
        make_map(&c, (uintptr_t)m.tensor, m.map);
        if (runs(&m, &c, 1)) CHECK_EQ_INT(m.map->stride[0], newer ? 64 : 1024);
        close_machine(&m);
    }
}

/* ---------------------------------------------------------------- faults */
static void expect_fault(machine *m, const copy_case *c, exec_fault_kind kind, const char *part)
{
    CHECK_EQ_INT(run(m, c, 1), kind);
    CHECK_HAS(m->result.fault.message, part);
}

UNIT_CASE(faults)
{
    machine m;
    const copy_case good = {.rank = 2, .type = 7, .dims = {8, 8}, .box = {8, 1}, .steps = {1, 1}};
    const uint64_t beyond = TENSOR_BYTES - 64; /* the tensor's second row lies behind its allocation */
    REQUIRE(open_load(&m, 2, false, ""));
    make_map(&good, (uintptr_t)m.tensor, m.map);
    runs(&m, &good, 1);
    m.map->rank_1 = 2;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "number of dimensions");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->mode = EXEC_TENSOR_IM2COL;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "the other mode");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->interleave = 1;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "interleaved");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->atomicity = 1;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "compute capability 10.0");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    m.map->box_1[0] = 2;
    expect_fault(&m, &good, EXEC_ILLEGAL_INSTRUCTION, "multiple of 16 bytes");
    make_map(&good, (uintptr_t)m.tensor, m.map);
    copy_case far = good;
    far.at[0] = 2;
    expect_fault(&m, &far, EXEC_ILLEGAL_INSTRUCTION, "no multiple of 16 bytes along dimension 0");
    far.at[0] = 0;
    far.at[1] = 2;
    make_map(&far, (uintptr_t)m.tensor + beyond, m.map);
    expect_fault(&m, &far, EXEC_ILLEGAL_ADDRESS, "past the end");
    close_machine(&m);
    REQUIRE(open_body(&m, load_text,
                      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                      "[%%r11+64], [%%rd2, {%%r1, %%r2}], [bar]"));
    make_map(&good, (uintptr_t)m.tensor, m.map);
    expect_fault(&m, &good, EXEC_MISALIGNED, "multiple of 128");
    close_machine(&m);
    REQUIRE(open_store(&m, 2, false, "add"));
    copy_case bytes = good;
    bytes.type = 0;
    bytes.box[0] = 16;
    make_map(&bytes, (uintptr_t)m.tensor, m.map);
    expect_fault(&m, &bytes, EXEC_ILLEGAL_INSTRUCTION, "element type");
    close_machine(&m);
}

/* ---------------------------------------------------------------- events */
typedef struct seen {
    event_memory mem[64];
    uint64_t address[64], address2[64];
    uint32_t count;
    uint32_t bytes; /* of the completed transaction */
} seen;

static void note_mem(void *state, const event_memory *e)
{
    seen *s = state;
    if (s->count == 64 || !(e->flags & EVENT_BULK)) return;
    s->mem[s->count] = *e;
    s->address[s->count] = e->address[__builtin_ctz(e->mask)];
    if (e->address2) s->address2[s->count] = e->address2[__builtin_ctz(e->mask)];
    s->count++;
}

static void note_sync(void *state, const event_sync *e)
{
    if (e->op == EVENT_MBARRIER_COMPLETE_TX) ((seen *)state)->bytes = e->bytes;
}

static const event_client noter = {.kinds =
                                       EVENT_BIT(EVENT_COUNTED) | EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_MBARRIER),
                                   .memory = note_mem,
                                   .sync = note_sync};

/* Bytes of the events of a kind, operation and space; the first of them. */
static uint64_t told(const seen *s, event_kind kind, event_op op, event_space space, uint32_t *out_count,
                     uint32_t *out_first)
{
    uint64_t bytes = 0;
    *out_count = 0;
    for (uint32_t k = 0; k < s->count; k++) {
        const event_memory *e = &s->mem[k];
        if (e->kind != kind || e->op != op || e->space != space) continue;
        if (!(*out_count)++) *out_first = k;
        bytes += e->bytes_total;
    }
    return bytes;
}

/* Rows that follow each other are one piece of global memory; the box hangs over the tensor's end by a row, which is
 * counted as on a card, and accessed nowhere. */
UNIT_CASE(events_of_a_load)
{
    static seen s;
    event_listener listener = {&noter, &s};
    machine m;
    uint32_t count, first = 0;
    copy_case c = {.rank = 2, .type = 2, .dims = {8, 4}, .box = {8, 4}, .steps = {1, 1}, .swizzle = 1};
    c.at[1] = 1;
    s = (seen){0};
    REQUIRE(open_load(&m, 2, false, ""));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(s.bytes, 128);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_READ, EVENT_GLOBAL, &count, &first), 128);
    CHECK_EQ_INT(count, 2); /* what is read, and the row that is filled */
    CHECK_EQ_INT(s.address[first], (uintptr_t)m.tensor + 32);
    CHECK_EQ_INT(s.mem[first].bytes_total, 96);
    CHECK_EQ_INT(s.mem[first].flags & EVENT_FILLED, 0);
    CHECK_EQ_INT(s.mem[first + 1].bytes_total, 32);
    CHECK_EQ_INT(s.mem[first + 1].flags & (EVENT_FILLED | EVENT_PART), EVENT_FILLED | EVENT_PART);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_WRITE, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(count, 1);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_READ, EVENT_GLOBAL, &count, &first), 96);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_WRITE, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(count, 8);
    CHECK_EQ_INT(s.address2[first + 1], (uintptr_t)m.tensor + 48);
    CHECK(s.mem[first].address2 && !s.mem[s.count - 2].address2);
    CHECK(m.f.kernel->sites[s.mem[first].insn].exact);
    close_machine(&m);
}

UNIT_CASE(events_of_a_store)
{
    static seen s;
    event_listener listener = {&noter, &s};
    machine m;
    uint32_t count, first = 0;
    copy_case c = {.rank = 2, .type = 2, .dims = {8, 4}, .pad = 2, .box = {8, 4}, .steps = {1, 1}};
    c.at[0] = 4;
    s = (seen){0};
    REQUIRE(open_store(&m, 2, false, ""));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_READ, EVENT_SHARED, &count, &first), 128);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_COPY_WRITE, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(count, 4);
    CHECK_EQ_INT(s.address[first], (uintptr_t)m.tensor + 16);
    CHECK(!(s.mem[first].flags & EVENT_PART));
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_COPY_WRITE, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(s.address2[first], 0);
    close_machine(&m);
    s = (seen){0};
    REQUIRE(open_store(&m, 2, false, "add"));
    make_map(&c, (uintptr_t)m.tensor, m.map);
    m.listener = &listener;
    runs(&m, &c, 4);
    CHECK_EQ_INT(told(&s, EVENT_ACCESS, EVENT_REDUCTION, EVENT_GLOBAL, &count, &first), 64);
    CHECK_EQ_INT(told(&s, EVENT_COUNTED, EVENT_REDUCTION, EVENT_GLOBAL, &count, &first), 64);
    close_machine(&m);
}

UNIT_MAIN()
