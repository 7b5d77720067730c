/* tensor_copy.h: for tests of copies by tensor maps: kernels of one copy, the machine that runs them, and what a copy must do, row by
 * row, as a reference written from the PTX ISA's section "Tensors". */
#ifndef LW_TENSOR_COPY_H
#define LW_TENSOR_COPY_H

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
    uint32_t swizzle, fill, interleave;
    int32_t at[5];
    uint16_t offset[3];
} copy_case;

/* Interleaved: rows are slices of 16 or 32 bytes, and differ along dimension 0, too; of the last dimension but one, which
 * numbers the slices, there is one. */
static inline uint32_t slice_bytes(const copy_case *c) { return 16u << (c->interleave - 1); }
static inline uint32_t first_outer(const copy_case *c) { return c->interleave ? 0 : 1; }
static inline uint32_t row_elements(const copy_case *c)
{
    return c->interleave ? slice_bytes(c) / exec_tensor_types[c->type].bytes : c->box[0];
}

static inline uint64_t stride_of(const copy_case *c, uint32_t k)
{
    uint64_t bytes = (c->dims[0] * exec_tensor_types[c->type].bytes + 15) / 16 * 16 + 16 * c->pad;
    if (c->interleave) bytes = k ? slice_bytes(c) * (c->dims[0] + c->pad) : slice_bytes(c);
    for (uint32_t d = 1; d < k; d++) bytes = bytes * c->dims[d] + (c->interleave ? slice_bytes(c) : 16) * c->pad;
    return bytes;
}

static inline void make_map(const copy_case *c, uint64_t tensor, exec_tensor_map *m)
{
    *m = (exec_tensor_map){.address = tensor, .mode = c->im2col, .type = (uint8_t)c->type};
    m->rank_1 = (uint8_t)(c->rank - 1);
    m->swizzle = (uint8_t)c->swizzle;
    m->fill = (uint8_t)c->fill;
    m->interleave = (uint8_t)c->interleave;
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

static inline void add_row(row_list *rows, const int64_t at[5])
{
    if (rows->count < 2048) memcpy(rows->at[rows->count++], at, 5 * sizeof *at);
}

static inline void list_tile(const copy_case *c, row_list *rows)
{
    int64_t at[5] = {c->at[0]};
    uint32_t n[5] = {1, 1, 1, 1, 1}, first = first_outer(c);
    for (uint32_t k = first; k < c->rank; k++)
        n[k] = c->interleave && k + 2 == c->rank ? 1 : (c->box[k] + c->steps[k] - 1) / c->steps[k];
    for (uint32_t r = 0; r < n[0] * n[1] * n[2] * n[3] * n[4]; r++) {
        for (uint32_t k = first, rest = r; k < c->rank; rest /= n[k], k++)
            at[k] = c->at[k] + (int64_t)(rest % n[k]) * c->steps[k];
        add_row(rows, at);
    }
}

/* Pixels of the bounding boxes of all images from the first one on, image by image; dimensions that are not there have
 * one pixel. */
static inline void list_im2col(const copy_case *c, row_list *rows)
{
    uint32_t images = c->rank - 1, first = first_outer(c);
    int64_t low[4] = {0}, high[4] = {0}, start[4] = {0}, step[4] = {1, 1, 1, 1};
    for (uint32_t k = 1; k < images; k++) {
        uint32_t d = first + k - 1; /* of W, H, D */
        low[k] = c->lower[k - 1];
        high[k] = (int64_t)c->dims[d] - 1 + c->upper[k - 1];
        start[k] = c->at[d];
        step[k] = c->steps[d];
    }
    bool w_first = true, h_first = true, d_first = true;
    for (int64_t n = c->at[images]; rows->count < c->box[1]; n++) {
        for (int64_t d = d_first ? start[3] : low[3]; d <= high[3] && rows->count < c->box[1]; d += step[3]) {
            for (int64_t h = h_first ? start[2] : low[2]; h <= high[2] && rows->count < c->box[1]; h += step[2]) {
                for (int64_t w = w_first ? start[1] : low[1]; w <= high[1] && rows->count < c->box[1]; w += step[1]) {
                    const int64_t whd[4] = {0, w, h, d};
                    int64_t at[5] = {c->at[0]};
                    if (c->interleave) at[images - 1] = c->at[images - 1];
                    for (uint32_t k = 1; k < images; k++) at[first + k - 1] = whd[k] + c->offset[k - 1];
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

static inline uint32_t inner_bytes(const copy_case *c) { return row_elements(c) * exec_tensor_types[c->type].bytes; }

static inline uint32_t pitch_of(const copy_case *c)
{
    return c->swizzle && !c->interleave ? 16u << c->swizzle : inner_bytes(c);
}

/* Of all rows: slices lie close together, and change places within the swizzle's span. */
static inline uint32_t extent_of(const copy_case *c, uint32_t rows)
{
    uint32_t span = 16u << c->swizzle;
    return (rows * pitch_of(c) + span - 1) / span * span;
}

/* Where byte b of row r lies: its chunk of 16 bytes changes places within the span, by the number of its 128 bytes. */
static inline uint32_t place_in_tile(const copy_case *c, uint32_t r, uint32_t b)
{
    uint32_t plain = r * pitch_of(c) + b, line = plain / 128, chunk = plain / 16 % 8;
    static const uint32_t spans[] = {1, 2, 4, 8}; /* chunks */
    uint32_t span = spans[c->swizzle], moved = chunk / span * span + ((chunk % span) ^ (line % span));
    return line * 128 + moved * 16 + plain % 16;
}

/* The element's offset in the tensor, or -1. */
static inline int64_t element_offset(const copy_case *c, const int64_t at[5], uint32_t inner)
{
    int64_t offset = c->interleave ? inner * exec_tensor_types[c->type].bytes : 0;
    for (uint32_t k = 0; k < c->rank; k++) {
        int64_t x = k || c->interleave ? at[k] : at[0] + inner;
        if (x < 0 || x >= (int64_t)c->dims[k]) return -1;
        offset += x * (int64_t)(k || c->interleave ? stride_of(c, k) : exec_tensor_types[c->type].bytes);
    }
    return offset;
}

static inline void fill_element(const copy_case *c, uint8_t *to)
{
    static const uint64_t nans[] = {[2] = 0x7ff7, [4] = 0x7ff77ff7, [8] = UINT64_C(0x7ff77ff77ff77ff7)};
    uint32_t bytes = exec_tensor_types[c->type].bytes;
    uint64_t v = c->fill ? nans[bytes] : 0;
    memcpy(to, &v, bytes);
}

/* ---------------------------------------------------------------- running */
static inline uint32_t next_random(uint32_t *state)
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

static inline bool open_text(machine *m, const char *text)
{
    *m = (machine){.cluster = 1};
    if (!load(&m->f, text, "k")) return false;
    m->data = (uint8_t *)(uintptr_t)buffer(&m->f, 4 * TILE_BYTES);
    m->tensor = (uint8_t *)(uintptr_t)buffer(&m->f, TENSOR_BYTES);
    m->old = (uint8_t *)(uintptr_t)buffer(&m->f, TENSOR_BYTES);
    m->map = (exec_tensor_map *)(uintptr_t)buffer(&m->f, 128);
    return true;
}

static inline void close_machine(machine *m)
{
    exec_result_free(&m->result);
    unload(&m->f);
}

/* body: a format with the instruction in it. */
static inline bool open_body(machine *m, const char *body, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline bool open_body(machine *m, const char *body, const char *format, ...)
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

static inline bool open_load(machine *m, uint32_t rank, bool im2col, const char *words)
{
    return open_body(m, load_text,
                     "cp.async.bulk.tensor.%ud.shared::cluster.global.%smbarrier::complete_tx::bytes%s "
                     "[%%r11], [%%rd2, {%s}], [bar]%s%s%s",
                     rank, im2col ? "im2col." : "tile.", words, coordinate_text[rank], im2col ? ", {" : "",
                     im2col ? offset_text[rank] : "", im2col ? "}" : "");
}

static inline bool open_store(machine *m, uint32_t rank, bool im2col, const char *operation)
{
    bool reduces = operation[0] != 0;
    return open_body(m, store_text,
                     "cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group [%%rd2, {%s}], [%%r11]",
                     reduces ? "reduce." : "", rank, reduces ? "." : "", operation,
                     im2col ? ".im2col_no_offs" : ".tile", coordinate_text[rank]);
}

static inline exec_fault_kind run(machine *m, const copy_case *c, uint32_t rows)
{
    kernel_params p = {.data = (uintptr_t)m->data, .map = (uintptr_t)m->map};
    memcpy(p.at, c->at, sizeof p.at);
    for (uint32_t k = 0; k < 3; k++) p.offset[k] = c->offset[k];
    p.bytes = rows * inner_bytes(c);
    p.extent = extent_of(c, rows);
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

static inline bool runs(machine *m, const copy_case *c, uint32_t rows)
{
    exec_fault_kind kind = run(m, c, rows);
    if (kind != EXEC_NO_FAULT) UNIT_FAIL("fault %d: %s", kind, m->result.fault.message);
    return kind == EXEC_NO_FAULT;
}

static inline row_list *list_rows(const copy_case *c)
{
    static row_list rows;
    rows.count = 0;
    if (c->im2col) list_im2col(c, &rows);
    else list_tile(c, &rows);
    return &rows;
}

static inline void describe(const copy_case *c)
{
    printf("    rank %u%s type %s swizzle %u fill %u interleave %u; dims box steps at:", c->rank,
           c->im2col ? " im2col" : "", exec_tensor_types[c->type].name, c->swizzle, c->fill, c->interleave);
    for (uint32_t k = 0; k < c->rank; k++)
        printf(" (%llu %u %u %d)", (unsigned long long)c->dims[k], c->box[k], c->steps[k], c->at[k]);
    (void)putchar('\n');
}

static inline void fill_random(uint8_t *p, size_t bytes, uint32_t *seed)
{
    for (size_t k = 0; k < bytes; k++) p[k] = (uint8_t)next_random(seed);
}

/* Loads the box into shared memory, and compares all of it. */
static inline void check_load(machine *m, const copy_case *c, uint32_t *seed)
{
    static uint8_t want[4 * TILE_BYTES];
    const row_list *rows = list_rows(c);
    uint32_t element = exec_tensor_types[c->type].bytes, extent = extent_of(c, rows->count);
    fill_random(m->tensor, TENSOR_BYTES, seed);
    make_map(c, (uintptr_t)m->tensor, m->map);
    memset(want, 0xee, extent);
    for (uint32_t r = 0; r < rows->count; r++)
        for (uint32_t k = 0; k < row_elements(c); k++) {
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

#endif
