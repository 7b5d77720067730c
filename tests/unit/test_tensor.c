/* test_tensor: mma.sync and wgmma against an H200. Every product that tests/hw/tensor has recorded is executed from PTX with the
 * same operands, and the sum over its results compared; half of the operand sets are edge cases. LW_TENSOR_SETS=N compares
 * N sets of each (there are 10,240); the whole record takes half an hour. wmma is tried with its loads and stores, whose
 * layouts were recorded, too. */
#include "fixture.h"

#include "../hw/tensor/operands.h"
#include "tensor_record.h"

enum { SOME_SETS = 64, LANE_WORDS = 40, AT_A = 0, AT_B = 16, AT_C = 24, AT_E = 32 };
enum { MMA, MMA64, SPARSE0, SPARSE1, SPARSE3, WGMMA, WGMMA_SS, WGMMA_SP, WGMMA_SP_SS };

typedef struct operation {
    int id, m, n, k, type_a, type_b, type_c, family, registers[3];
    const char *name, *text, *tail;
} operation;

static const operation operations[] = {
#define OP(id, name, m, n, k, ta, tb, tc, family, na, nb, nc, text, tail)                                              \
    {id, m, n, k, ta, tb, tc, family, {na, nb, nc}, name, text, tail},
#include "../hw/tensor/operations.def"
#undef OP
};

/* ---------------------------------------------------------------- fragments, as the PTX ISA draws them */
static bool is_quad(const operation *o) { return o->m == 8 && o->k == 4 && o->type_a == T_F16; }
static bool is_sparse(const operation *o)
{
    return (o->family >= SPARSE0 && o->family <= SPARSE3) || o->family >= WGMMA_SP;
}
static int kept_of(const operation *o) { return is_sparse(o) ? o->k / 2 : o->k; }
/* 32-bit words of B along k: of a warpgroup's products. */
static int words_along_k(const operation *o) { return is_sparse(o) ? 16 : 8; }

static void put_element(uint32_t *words, uint32_t bits, uint32_t n, uint64_t value)
{
    if (bits == 64) {
        words[2 * n] = (uint32_t)value;
        words[2 * n + 1] = (uint32_t)(value >> 32);
    } else {
        words[n * bits / 32] |= (uint32_t)value << n * bits % 32;
    }
}

static void fill_a(const operation *o, uint32_t set, int lane, uint32_t *words)
{
    int bits = tensor_format_of(o->type_a).bits, per = bits == 64 ? 1 : 32 / bits, g = lane >> 2, t = lane & 3;
    for (int r = 0; r < o->registers[0]; r++)
        for (int i = 0; i < per; i++) {
            int row = o->m == 8 ? g : g + 8 * (r & 1), column = t * per + i + 4 * per * (o->m == 8 ? r : r >> 1);
            if (is_quad(o)) {
                row = (lane & 3) + 4 * (lane >> 4);
                column = 2 * r + i;
            }
            put_element(words, (uint32_t)bits, (uint32_t)(r * per + i),
                        tensor_element(o->type_a, (uint32_t)o->id, set, 0, row, column, kept_of(o)));
        }
}

static void fill_b(const operation *o, uint32_t set, int lane, uint32_t *words)
{
    int bits = tensor_format_of(o->type_b).bits, per = bits == 64 ? 1 : 32 / bits;
    for (int r = 0; r < o->registers[1]; r++)
        for (int i = 0; i < per; i++) {
            int row = (lane & 3) * per + i + 4 * per * r, column = lane >> 2;
            if (is_quad(o)) {
                row = 2 * r + i;
                column = (lane & 3) + 4 * (lane >> 4);
            }
            put_element(words, (uint32_t)bits, (uint32_t)(r * per + i),
                        tensor_element(o->type_b, (uint32_t)o->id, set, 1, row, column, o->k));
        }
}

static void place_c(const operation *o, int lane, int i, int *row, int *column)
{
    int q = lane & 3, h = lane >> 4;
    *row = (lane >> 2) + 8 * (i >> 1);
    *column = 2 * q + (i & 1);
    if (!is_quad(o)) return;
    *row = o->type_c == T_F32 ? (lane & 1) + (i & 2) + 4 * h : q + 4 * h;
    *column = o->type_c == T_F32 ? (i & 4) + (lane & 2) + (i & 1) : i;
}

static int elements_of_c(const operation *o) { return is_quad(o) ? 8 : o->m * o->n / 32; }

static void fill_c(const operation *o, uint32_t set, int lane, uint32_t *words)
{
    for (int i = 0; i < elements_of_c(o); i++) {
        int row, column;
        place_c(o, lane, i, &row, &column);
        put_element(words, (uint32_t)tensor_format_of(o->type_c).bits, (uint32_t)i,
                    tensor_element(o->type_c, (uint32_t)o->id, set, 2, row, column, o->k));
    }
}

/* The recorded sum over D. */
static uint32_t hash_of(const operation *o, const uint32_t *lanes)
{
    uint32_t d[16 * 8 * 2] = {0}, hash = TENSOR_HASH_START, each = o->type_c == T_F64 ? 2 : 1;
    for (int lane = 0; lane < 32; lane++) {
        const uint32_t *words = lanes + lane * LANE_WORDS + AT_C;
        for (int i = 0; i < elements_of_c(o) && !(is_quad(o) && (lane & 12)); i++) {
            int row, column;
            place_c(o, lane, i, &row, &column);
            uint32_t *to = d + (row * o->n + column) * (int)each;
            if (o->type_c == T_F16) to[0] = words[i / 2] >> 16 * (i & 1) & 0xffff;
            else memcpy(to, words + i * (int)each, 4 * each);
        }
    }
    for (uint32_t w = 0; w < (uint32_t)(o->m * o->n) * each; w++) hash = tensor_hash(hash, d[w]);
    return hash;
}

/* ---------------------------------------------------------------- kernels: one instruction, its registers in memory */
static void add_registers(lw_text *text, const char *prefix, int count)
{
    lw_text_add(text, "{");
    for (int k = 0; k < count; k++) lw_text_add(text, "%s%%%s%d", k ? ", " : "", prefix, k);
    lw_text_add(text, "}");
}

static char *kernel_text(const operation *o)
{
    static const char *const prefixes[] = {"a", "b", "d"};
    static const int places[] = {AT_A, AT_B, AT_C}, selectors[] = {[SPARSE0] = 0, [SPARSE1] = 1, [SPARSE3] = 3};
    int bits = o->type_a == T_F64 ? 64 : 32;
    lw_text text = {0};
    lw_text_add(&text, ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n");
    lw_text_add(&text, ".reg .b%d %%a<9>, %%b<9>, %%d<9>; .reg .b32 %%e, %%t, %%s; .reg .b64 %%x, %%y;\n", bits);
    lw_text_add(&text,
                "ld.param.u64 %%x, [p]; mov.u32 %%t, %%tid.x; mov.u32 %%s, %%ctaid.x; mad.lo.u32 %%t, %%s, 32, %%t;\n"
                "mul.wide.u32 %%y, %%t, %d; add.u64 %%x, %%x, %%y;\n",
                LANE_WORDS * 4);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < o->registers[r]; k++)
            lw_text_add(&text, "ld.global.b%d %%%s%d, [%%x+%d];\n", bits, prefixes[r], k, 4 * places[r] + k * bits / 8);
    lw_text_add(&text, "ld.global.b32 %%e, [%%x+%d];\n%s ", 4 * AT_E, o->text);
    add_registers(&text, "d", o->registers[2]);
    for (int r = 0; r < 3; r++) {
        lw_text_add(&text, ", ");
        add_registers(&text, prefixes[r], o->registers[r]);
    }
    if (kept_of(o) < o->k) lw_text_add(&text, ", %%e, %d", selectors[o->family]);
    lw_text_add(&text, ";\n");
    for (int k = 0; k < o->registers[2]; k++)
        lw_text_add(&text, "st.global.b%d [%%x+%d], %%d%d;\n", bits, 4 * AT_C + k * bits / 8, k);
    lw_text_add(&text, "ret;\n}\n");
    return text.data;
}

/* A warpgroup of 128 threads. Its A lies in registers and in shared memory, B, of which a thread has a word, in shared memory:
 * without swizzle, pieces of 16 bytes of k 128 bytes apart, 8 rows 256. */
static char *group_text(const operation *o)
{
    lw_text text = {0};
    lw_text_add(&text, ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from)\n{\n"
                       ".shared .align 1024 .b8 ta[2048]; .shared .align 1024 .b8 tb[512];\n"
                       ".reg .b32 %%a<4>, %%b, %%d<4>, %%e, %%t, %%s, %%u, %%v; .reg .b64 %%x, %%y, %%descA, %%descB;\n"
                       ".reg .pred p, q, r;\n"
                       "ld.param.u64 %%x, [from]; mov.u32 %%t, %%tid.x; mov.u32 %%s, %%ctaid.x;\n"
                       "mad.lo.u32 %%s, %%s, 128, %%t;\n");
    lw_text_add(&text, "mul.wide.u32 %%y, %%s, %d; add.u64 %%x, %%x, %%y;\n", LANE_WORDS * 4);
    for (int k = 0; k < 4; k++) lw_text_add(&text, "ld.global.b32 %%a%d, [%%x+%d];\n", k, 4 * (AT_A + k));
    lw_text_add(&text, "ld.global.b32 %%b, [%%x+%d]; ld.global.b32 %%e, [%%x+%d];\n", 4 * AT_B, 4 * AT_E);
    for (int k = 0; k < o->registers[2]; k++) lw_text_add(&text, "ld.global.b32 %%d%d, [%%x+%d];\n", k, 4 * (AT_C + k));
    lw_text_add(&text,
                "and.b32 %%u, %%t, 31; shr.u32 %%v, %%t, 5; mad.lo.u32 %%u, %%v, 128, %%u; shl.b32 %%u, %%u, 2;\n"
                "mov.u32 %%v, ta; add.u32 %%u, %%u, %%v;\n");
    for (int r = 0; r < 4; r++)
        lw_text_add(&text, "st.shared.b32 [%%u+%d], %%a%d;\n", 4 * ((r & 1) * 64 + (r >> 1) * 32), r);
    lw_text_add(&text,
                "setp.lt.u32 r, %%t, %d;\n"
                "and.b32 %%u, %%t, 3; shr.u32 %%v, %%t, %d; mad.lo.u32 %%u, %%v, 4, %%u; and.b32 %%v, %%t, %d;\n",
                8 * words_along_k(o), is_sparse(o) ? 4 : 3, words_along_k(o) - 4);
    lw_text_add(&text, "mad.lo.u32 %%u, %%v, 8, %%u; shl.b32 %%u, %%u, 2; mov.u32 %%v, tb; add.u32 %%u, %%u, %%v;\n"
                       "@r st.shared.b32 [%%u], %%b;\nfence.proxy.async.shared::cta; bar.sync 0;\n"
                       "mov.u32 %%u, ta; shr.u32 %%u, %%u, 4; cvt.u64.u32 %%descA, %%u;\n"
                       "or.b64 %%descA, %%descA, 0x1000080000;\n"
                       "mov.u32 %%u, tb; shr.u32 %%u, %%u, 4; cvt.u64.u32 %%descB, %%u;\n"
                       "or.b64 %%descB, %%descB, 0x1000080000;\n"
                       "setp.ge.u32 p, %%t, 0; setp.lt.u32 q, %%t, 0;\nwgmma.fence.sync.aligned;\n");
    lw_text_add(&text, "%s ", o->text);
    add_registers(&text, "d", o->registers[2]);
    lw_text_add(&text, ", ");
    if (o->family == WGMMA_SS || o->family == WGMMA_SP_SS) lw_text_add(&text, "%%descA");
    else add_registers(&text, "a", 4);
    lw_text_add(&text, ", %%descB%s, %s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
                is_sparse(o) ? ", %e" : "", o->tail);
    for (int k = 0; k < o->registers[2]; k++) lw_text_add(&text, "st.global.b32 [%%x+%d], %%d%d;\n", 4 * (AT_C + k), k);
    lw_text_add(&text, "ret;\n}\n");
    return text.data;
}

/* Row and column of element i of C that a thread of the warpgroup holds. */
static void place_group_c(int thread, int i, int *row, int *column)
{
    *row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i >> 1 & 1);
    *column = 2 * (thread & 3) + (i & 1);
}

static void fill_group(const operation *o, uint32_t set, int thread, uint32_t *words)
{
    uint32_t bits = (uint32_t)tensor_format_of(o->type_a).bits, id = (uint32_t)o->id;
    int per = 32 / (int)bits, row, column, deep = words_along_k(o);
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < per; i++) {
            row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r & 1);
            column = (thread % 4 + 4 * (r >> 1)) * per + i;
            put_element(words + AT_A, bits, (uint32_t)(r * per + i),
                        tensor_element(o->type_a, id, set, 0, row, column, kept_of(o)));
        }
    for (int i = 0; thread < 8 * deep && i < per; i++)
        put_element(words + AT_B, bits, (uint32_t)i,
                    tensor_element(o->type_b, id, set, 1, thread % deep * per + i, thread / deep, o->k));
    words[AT_E] = tensor_metadata(o->type_a, id, set, thread);
    for (int i = 0; i < 4; i++) {
        place_group_c(thread, i, &row, &column);
        put_element(words + AT_C, (uint32_t)tensor_format_of(o->type_c).bits, (uint32_t)i,
                    tensor_element(o->type_c, id, set, 2, row, column, o->k));
    }
}

static uint32_t hash_of_group(const operation *o, const uint32_t *threads)
{
    uint32_t d[64 * 8], hash = TENSOR_HASH_START;
    for (int thread = 0; thread < 128; thread++)
        for (int i = 0, row, column; i < 4; i++) {
            const uint32_t *words = threads + thread * LANE_WORDS + AT_C;
            place_group_c(thread, i, &row, &column);
            d[row * 8 + column] = o->type_c == T_F16 ? words[i / 2] >> 16 * (i & 1) & 0xffff : words[i];
        }
    for (int k = 0; k < 64 * 8; k++) hash = tensor_hash(hash, d[k]);
    return hash;
}

static int compare(const operation *o, int sets, const uint32_t *expected)
{
    fixture f;
    exec_result result = {0};
    bool group = o->family >= WGMMA;
    char *text = group ? group_text(o) : kernel_text(o);
    int wrong = 0, threads = group ? 128 : 32;
    bool loaded = load(&f, text, "k");
    CHECK(loaded);
    uint64_t at = loaded ? buffer(&f, (uint64_t)(sets * threads) * LANE_WORDS * 4) : 0;
    uint32_t *lanes = (uint32_t *)(uintptr_t)at;
    for (int n = 0; loaded && n < sets * threads; n++) {
        uint32_t *words = lanes + (size_t)n * LANE_WORDS, set = (uint32_t)(n / threads);
        if (group) {
            fill_group(o, set, n % threads, words);
            continue;
        }
        fill_a(o, set, n % 32, words + AT_A);
        fill_b(o, set, n % 32, words + AT_B);
        fill_c(o, set, n % 32, words + AT_C);
        words[AT_E] = tensor_metadata(o->type_a, (uint32_t)o->id, set, n % 32);
    }
    exec_launch l = {.kernel = f.kernel,
                     .grid = {(uint32_t)sets, 1, 1},
                     .block = {(uint32_t)threads, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)&at,
                     .threads = 1,
                     .memory = f.memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    if (loaded) CHECK(exec_run(&l, &result, &f.error) == LW_OK && result.fault.kind == EXEC_NO_FAULT);
    for (int set = 0; loaded && set < sets; set++) {
        const uint32_t *of_set = lanes + (size_t)(set * threads) * LANE_WORDS;
        wrong += (group ? hash_of_group(o, of_set) : hash_of(o, of_set)) != expected[set];
    }
    exec_result_free(&result);
    unload(&f);
    free(text);
    return wrong;
}

static int compare_all(const char *folder)
{
    const char *wanted = getenv("LW_TENSOR_SETS");
    int most = wanted ? atoi(wanted) : SOME_SETS, done = 0;
    record r = {0};
    CHECK(read_record(folder, &r));
    for (size_t k = 0; r.count && k < LW_COUNT(operations); k++) {
        const operation *o = &operations[k];
        int sets = 0;
        long first = first_hash(&r, o->id, &sets);
        if (first < 0) continue;
        if ((uint32_t)first + (uint32_t)sets > r.count) break;
        int wrong = compare(o, LW_MIN(sets, most), r.hashes + first);
        if (wrong) UNIT_FAIL("%s: %d sets differ", o->name, wrong);
        done++;
    }
    free(r.hashes);
    free(r.table);
    return done;
}

UNIT_CASE(products_are_those_of_an_h200) { CHECK(compare_all("h200") >= 105); }
UNIT_CASE(sparse_products_of_a_warpgroup_are_those_of_an_h100) { CHECK(compare_all("h100") >= 26); }

/* ---------------------------------------------------------------- wmma */
typedef struct wmma_operation {
    int id, m, n, k, type_a, type_c;
    const char *a, *c; /* names of the types */
} wmma_operation;

/* The rows of results.csv from 170 on (tests/hw/tensor/record_tensor.cu). */
static const wmma_operation wmma_operations[] = {
    {170, 16, 16, 16, T_F16, T_F32, "f16", "f32"},   {171, 32, 8, 16, T_F16, T_F32, "f16", "f32"},
    {172, 8, 32, 16, T_F16, T_F32, "f16", "f32"},    {173, 16, 16, 16, T_F16, T_F16, "f16", "f16"},
    {174, 32, 8, 16, T_F16, T_F16, "f16", "f16"},    {175, 8, 32, 16, T_F16, T_F16, "f16", "f16"},
    {176, 16, 16, 16, T_BF16, T_F32, "bf16", "f32"}, {177, 32, 8, 16, T_BF16, T_F32, "bf16", "f32"},
    {178, 8, 32, 16, T_BF16, T_F32, "bf16", "f32"},  {179, 16, 16, 8, T_TF32, T_F32, "tf32", "f32"},
    {180, 8, 8, 4, T_F64, T_F64, "f64", "f64"},      {181, 16, 16, 16, T_S8, T_S32, "s8", "s32"},
    {182, 32, 8, 16, T_S8, T_S32, "s8", "s32"},      {183, 8, 32, 16, T_U8, T_S32, "u8", "s32"},
};
enum { SET_BYTES = 8192, MATRIX_B = 2048, MATRIX_C = 4096 }; /* of one set: A, B, C */

static int wmma_registers(int elements, int bits, bool f16_operand)
{
    return f16_operand ? 8 : elements * bits / 32 / (bits == 64 ? 64 : 32);
}

static void wmma_head(lw_text *text)
{
    lw_text_add(text, ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n");
    lw_text_add(text, ".reg .b32 %%r<8>, %%s; .reg .b64 %%x, %%y;\n"
                      "ld.param.u64 %%x, [p]; mov.u32 %%s, %%ctaid.x;\n");
    lw_text_add(text, "mul.wide.u32 %%y, %%s, %d; add.u64 %%x, %%x, %%y;\n", SET_BYTES);
}

static char *wmma_text(const wmma_operation *o)
{
    int bits = tensor_format_of(o->type_a).bits, bits_c = tensor_format_of(o->type_c).bits;
    int a = wmma_registers(o->m * o->k, bits, o->type_a == T_F16),
        b = wmma_registers(o->n * o->k, bits, o->type_a == T_F16);
    int c = wmma_registers(o->m * o->n, bits_c, false);
    char shape[32];
    lw_text text = {0};
    snprintf(shape, sizeof shape, "m%dn%dk%d", o->m, o->n, o->k);
    wmma_head(&text);
    lw_text_add(&text, ".reg .b%d %%a<8>, %%b<8>, %%d<8>;\n", bits == 64 ? 64 : 32);
    lw_text_add(&text, "wmma.load.a.sync.aligned.row.%s.global.%s ", shape, o->a);
    add_registers(&text, "a", a);
    lw_text_add(&text, ", [%%x], %d;\nwmma.load.b.sync.aligned.col.%s.global.%s ", o->k, shape, o->a);
    add_registers(&text, "b", b);
    lw_text_add(&text, ", [%%x+%d];\nwmma.load.c.sync.aligned.row.%s.global.%s ", MATRIX_B, shape, o->c);
    add_registers(&text, "d", c);
    lw_text_add(&text, ", [%%x+%d], %d;\nwmma.mma.sync.aligned.row.col.%s", MATRIX_C, o->n, shape);
    if (o->type_a == T_F16) lw_text_add(&text, ".%s.%s ", o->c, o->c);
    else lw_text_add(&text, "%s.%s.%s.%s.%s ", o->type_a == T_F64 ? ".rn" : "", o->c, o->a, o->a, o->c);
    const char *const operands[] = {"d", "a", "b", "d"}; /* C is overwritten */
    const int counts[] = {c, a, b, c};
    for (int k = 0; k < 4; k++) {
        lw_text_add(&text, k ? ", " : "");
        add_registers(&text, operands[k], counts[k]);
    }
    lw_text_add(&text, ";\nwmma.store.d.sync.aligned.row.%s.global.%s [%%x+%d], ", shape, o->c, MATRIX_C);
    add_registers(&text, "d", c);
    lw_text_add(&text, ", %d;\nret;\n}\n", o->n);
    return text.data;
}

static void put_bits(uint8_t *at, int bits, int i, uint64_t value)
{
    memcpy(at + i * bits / 8, &value, (size_t)bits / 8);
}
static uint64_t get_bits(const uint8_t *at, int bits, int i)
{
    uint64_t value = 0;
    memcpy(&value, at + i * bits / 8, (size_t)bits / 8);
    return value;
}

static void fill_matrices(const wmma_operation *o, uint32_t set, uint8_t *at)
{
    int bits = tensor_format_of(o->type_a).bits, bits_c = tensor_format_of(o->type_c).bits;
    uint32_t id = (uint32_t)o->id;
    for (int i = 0; i < o->m * o->k; i++)
        put_bits(at, bits, i, tensor_element(o->type_a, id, set, 0, i / o->k, i % o->k, o->k));
    for (int i = 0; i < o->n * o->k; i++)
        put_bits(at + MATRIX_B, bits, i, tensor_element(o->type_a, id, set, 1, i % o->k, i / o->k, o->k));
    for (int i = 0; i < o->m * o->n; i++)
        put_bits(at + MATRIX_C, bits_c, i, tensor_element(o->type_c, id, set, 2, i / o->n, i % o->n, o->k));
}

static uint32_t hash_of_matrix(const wmma_operation *o, const uint8_t *at)
{
    int bits = tensor_format_of(o->type_c).bits;
    uint32_t hash = TENSOR_HASH_START;
    for (int i = 0; i < o->m * o->n; i++) {
        uint64_t value = get_bits(at + MATRIX_C, bits, i);
        hash = tensor_hash(hash, (uint32_t)value);
        if (bits == 64) hash = tensor_hash(hash, (uint32_t)(value >> 32));
    }
    return hash;
}

/* Runs text's kernel k with `blocks` warps over memory that fill() has written, which stays readable until unload(). */
static uint8_t *run_text(fixture *f, const char *text, int blocks, void (*fill)(const void *what, uint8_t *at),
                         const void *what)
{
    exec_result result = {0};
    if (!load(f, text, "k")) return NULL;
    uint64_t at = buffer(f, (uint64_t)blocks * SET_BYTES);
    fill(what, (uint8_t *)(uintptr_t)at);
    exec_launch l = {.kernel = f->kernel,
                     .grid = {(uint32_t)blocks, 1, 1},
                     .block = {32, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)&at,
                     .threads = 1,
                     .memory = f->memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    bool ok = exec_run(&l, &result, &f->error) == LW_OK && result.fault.kind == EXEC_NO_FAULT;
    exec_result_free(&result);
    return ok ? (uint8_t *)(uintptr_t)at : NULL;
}

typedef struct wmma_sets {
    const wmma_operation *o;
    int sets;
} wmma_sets;

static void fill_sets(const void *what, uint8_t *at)
{
    const wmma_sets *s = what;
    for (int set = 0; set < s->sets; set++) fill_matrices(s->o, (uint32_t)set, at + (size_t)set * SET_BYTES);
}

UNIT_CASE(products_of_wmma_are_those_of_an_h200)
{
    const char *wanted = getenv("LW_TENSOR_SETS");
    int most = wanted ? atoi(wanted) : SOME_SETS;
    record r;
    REQUIRE(read_record("h200", &r));
    for (size_t k = 0; k < LW_COUNT(wmma_operations); k++) {
        const wmma_operation *o = &wmma_operations[k];
        int sets = 0, wrong = 0;
        long first = first_hash(&r, o->id, &sets);
        REQUIRE(first >= 0 && (uint32_t)first + (uint32_t)sets <= r.count);
        wmma_sets s = {o, LW_MIN(sets, most)};
        char *text = wmma_text(o);
        fixture f;
        const uint8_t *at = run_text(&f, text, s.sets, fill_sets, &s);
        CHECK(at != NULL);
        for (int set = 0; at && set < s.sets; set++)
            wrong += hash_of_matrix(o, at + (size_t)set * SET_BYTES) != r.hashes[first + set];
        if (wrong) UNIT_FAIL("wmma %d: %d sets differ", o->id, wrong);
        unload(&f);
        free(text);
    }
    free(r.hashes);
    free(r.table);
}

/* ---- layouts: matrices of indices are loaded, and each lane's registers say which it got ---- */
typedef struct layout {
    char shape[16], type[8], matrix[4], order[4];
    int height, width, bits, registers;
} layout;

static bool read_layout(const char *line, layout *out, int *lane, const char **list)
{
    int m, n, k, used = 0;
    if (sscanf(line, "%15[^,],%7[^,],%3[^,],%3[^,],%d,%n", out->shape, out->type, out->matrix, out->order, lane,
               &used) != 5)
        return false;
    if (sscanf(out->shape, "m%dn%dk%d", &m, &n, &k) != 3) return false;
    *list = line + used;
    out->height = out->matrix[0] == 'b' ? k : m;
    out->width = out->matrix[0] == 'a' ? k : n;
    out->bits = !strcmp(out->type, "f64") ? 64 : strstr(out->type, "16") ? 16 : strstr(out->type, "32") ? 32 : 8;
    bool copies = !strcmp(out->type, "f16") && out->matrix[0] != 'c';
    out->registers = wmma_registers(out->height * out->width, out->bits, copies);
    return true;
}

static void fill_indices(const void *what, uint8_t *at)
{
    const layout *l = what;
    for (int block = 0; block < 2; block++) /* bytes hold half of an index at a time */
        for (int i = 0; i < l->height * l->width; i++)
            put_bits(at + block * SET_BYTES, l->bits, i, (uint64_t)i >> 8 * block);
}

/* Loads a matrix, writes the registers behind it, and stores it again where there is a store; shared: by way of shared
 * memory. */
static char *layout_text(const layout *l, bool shared)
{
    lw_text text = {0};
    wmma_head(&text);
    int wide = l->bits == 64 ? 8 : 4;
    const char *space = shared ? "shared" : "global", *at = shared ? "s" : "%x";
    lw_text_add(&text,
                ".shared .align 128 .b8 s[8192];\nmov.u32 %%r0, s; mov.u32 %%r1, %%tid.x; shl.b32 %%r1, %%r1, 2;\n"
                "add.u32 %%r0, %%r0, %%r1; cvt.u64.u32 %%y, %%r1; add.u64 %%y, %%x, %%y;\n");
    for (int k = 0; shared && k < MATRIX_B; k += 128)
        lw_text_add(&text, "ld.global.b32 %%r2, [%%y+%d]; st.shared.b32 [%%r0+%d], %%r2;\n", k, k);
    lw_text_add(&text, "bar.warp.sync -1;\n.reg .b%d %%a<8>;\nwmma.load.%s.sync.aligned.%s.%s.%s.%s ", 8 * wide,
                l->matrix, l->order, l->shape, space, l->type);
    add_registers(&text, "a", l->registers);
    lw_text_add(&text, ", [%s], %d;\n", at, l->order[0] == 'r' ? l->width : l->height);
    if (l->matrix[0] == 'c') {
        lw_text_add(&text, "wmma.store.d.sync.aligned.%s.%s.%s.%s [%s+%d], ", l->order, l->shape, space, l->type, at,
                    MATRIX_C);
        add_registers(&text, "a", l->registers);
        lw_text_add(&text, ";\nbar.warp.sync -1;\n");
    }
    for (int k = 0; shared && l->matrix[0] == 'c' && k < MATRIX_B; k += 128)
        lw_text_add(&text, "ld.shared.b32 %%r2, [%%r0+%d]; st.global.b32 [%%y+%d], %%r2;\n", MATRIX_C + k,
                    MATRIX_C + k);
    lw_text_add(&text, "mov.u32 %%s, %%tid.x; mul.wide.u32 %%y, %%s, 64; add.u64 %%x, %%x, %%y;\n");
    for (int k = 0; k < l->registers; k++)
        lw_text_add(&text, "st.global.b%d [%%x+%d], %%a%d;\n", 8 * wide, 6144 + k * wide, k);
    lw_text_add(&text, "ret;\n}\n");
    return text.data;
}

/* The index that element i of a lane's registers holds. */
static int index_at(const layout *l, const uint8_t *at, int lane, int i)
{
    int low = (int)get_bits(at + 6144 + lane * 64, l->bits, i);
    if (l->bits > 8) return low;
    return low | (int)get_bits(at + SET_BYTES + 6144 + lane * 64, l->bits, i) << 8;
}

static int compare_lane(const layout *l, const uint8_t *at, int lane, const char *list)
{
    int wrong = 0, i = 0;
    for (const char *pair = list; pair && *pair > ' '; i++) {
        int row, column;
        if (sscanf(pair, "%d:%d", &row, &column) != 2) return 1;
        wrong += index_at(l, at, lane, i) != (l->order[0] == 'r' ? row * l->width + column : row + column * l->height);
        pair += strcspn(pair, " \n");
        if (*pair == ' ') pair++;
    }
    return wrong + (i * l->bits != l->registers * (l->bits == 64 ? 64 : 32));
}

static void check_layouts(bool shared)
{
    size_t size;
    char *table = read_whole("h200", "wmma_layouts.csv", &size);
    REQUIRE(table != NULL);
    layout now = {0}, next = {0};
    fixture f;
    const uint8_t *at = NULL;
    const char *list;
    int lane, lanes = 0, wrong = 0;
    for (const char *line = strchr(table, '\n') + 1; read_layout(line, &next, &lane, &list);
         line = strchr(line, '\n') + 1) {
        if (lane == 0) {
            if (at) unload(&f);
            now = next;
            char *text = layout_text(&now, shared);
            at = run_text(&f, text, 2, fill_indices, &now);
            CHECK(at != NULL);
            bool stored = now.matrix[0] != 'c' || !at ||
                          !memcmp(at, at + MATRIX_C, (size_t)(now.height * now.width * now.bits / 8));
            if (!stored) UNIT_FAIL("%s %s %s: what was stored differs", now.shape, now.type, now.order);
            free(text);
        }
        int here = at ? compare_lane(&now, at, lane, list) : 1;
        if (here && !wrong++)
            UNIT_FAIL("%s %s %s %s: lane %d differs", now.shape, now.type, now.matrix, now.order, lane);
        lanes++;
    }
    if (at) unload(&f);
    CHECK(lanes == 78 * 32 && !wrong);
    free(table);
}

UNIT_CASE(layouts_of_wmma_are_those_of_an_h200)
{
    check_layouts(false);
    check_layouts(true);
}

/* ---------------------------------------------------------------- wgmma: what it tells, and when it faults */
typedef struct watcher {
    uint64_t undefined; /* this byte of shared memory, or of global memory, is */
    uint32_t told, counted, matrices, parts;
    uint32_t bad[128]; /* by thread: bit k: register k of D is stored with undefined bits */
    uint64_t buffer;
} watcher;

static void watch(void *state, const event_memory *e)
{
    watcher *w = state;
    bool product = e->op == EVENT_MATRIX_LOAD;
    if (e->kind == EVENT_COUNTED) {
        w->counted += product;
        w->parts += product && e->flags & EVENT_PART;
        return;
    }
    w->told += product;
    w->matrices += product ? e->matrices : 0;
    if (product) CHECK(e->async && e->bytes == 16 && e->space == EVENT_SHARED);
    event_undefined *u = e->undefined;
    if (e->op == EVENT_STORE && e->space == EVENT_GLOBAL)
        for (uint32_t m = u->lanes; m; m &= m - 1) {
            uint64_t at = (e->address[__builtin_ctz(m)] - w->buffer) / 4;
            w->bad[at / LANE_WORDS] |= 1u << (at % LANE_WORDS - AT_C);
        }
    if (e->op != EVENT_LOAD && !product) return;
    u->lanes = 0;
    for (uint32_t m = e->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t far = w->undefined - e->address[lane];
        memset(u->bits[lane], 0, sizeof u->bits[lane]);
        if (far >= e->bytes) continue;
        u->bits[lane][far] = 1;
        u->lanes |= 1u << lane;
        u->origin = (event_origin){.insn = e->insn, .space = e->space, .address = w->undefined};
    }
}

static void *watcher_begins(void *launch, uint32_t worker)
{
    (void)worker;
    return launch;
}

static const event_client watching = {.name = "watching",
                                      .kinds = EVENT_BIT(EVENT_ACCESS) | EVENT_BIT(EVENT_COUNTED),
                                      .fields = EVENT_FIELD_UNDEFINED,
                                      .worker_begin = watcher_begins,
                                      .memory = watch};

/* Runs one warpgroup. in_buffer: w->undefined counts from the start of global memory. */
static void run_group(const char *text, uint32_t threads, watcher *w, bool in_buffer, exec_result *result)
{
    fixture f;
    event_launch shown = {0};
    event_listener listener = {&watching, w};
    REQUIRE(load(&f, text, "k"));
    w->buffer = buffer(&f, 128 * LANE_WORDS * 4);
    if (in_buffer) w->undefined += w->buffer;
    exec_launch l = {.kernel = f.kernel,
                     .grid = {1, 1, 1},
                     .block = {threads, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)&w->buffer,
                     .grid_id = 1,
                     .threads = 1,
                     .memory = f.memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    exec_describe_launch(&l, &shown);
    l.event = &shown;
    l.listeners = &listener;
    l.listener_count = 1;
    CHECK(exec_run(&l, result, &f.error) == LW_OK);
    unload(&f);
}

static const operation *operation_of(int id)
{
    for (size_t k = 0; k < LW_COUNT(operations); k++)
        if (operations[k].id == id) return &operations[k];
    return NULL;
}

static void run_operation(int id, watcher *w, bool in_buffer)
{
    exec_result result = {0};
    char *text = group_text(operation_of(id));
    run_group(text, 128, w, in_buffer, &result);
    CHECK_STR(result.fault.message, "");
    exec_result_free(&result);
    free(text);
}

UNIT_CASE(operands_in_shared_memory_are_read_for_all_to_see)
{
    watcher w = {.undefined = UINT64_MAX / 2};
    run_operation(145, &w,
                  false); /* 64 x 8, A shared: a warp has four of its core matrices, B has two for all four warps */
    CHECK_EQ_INT(w.told, 8);
    CHECK_EQ_INT(w.matrices, 4 * 6);
    CHECK_EQ_INT(w.counted, 4 + 1);
    CHECK_EQ_INT(w.parts, 1);
    for (int t = 0; t < 128; t++) CHECK(!w.bad[t]);
    w = (watcher){.undefined = UINT64_MAX / 2};
    run_operation(130, &w, false); /* A in registers */
    CHECK_EQ_INT(w.told, 4);
    CHECK_EQ_INT(w.counted, 4); /* each warp its instruction */
    CHECK_EQ_INT(w.parts, 0);
}

UNIT_CASE(undefined_operands_make_their_row_or_column_undefined)
{
    watcher w = {.undefined = 512 + 256 + 5 * 16 + 3}; /* row 16 + 8 + 5 of A */
    run_operation(145, &w, false);
    for (uint32_t t = 0; t < 128; t++) CHECK_EQ_INT(w.bad[t], t / 4 == 8 + 5 ? 0xc : 0);
    w = (watcher){.undefined = 2048 + 128 + 3 * 16}; /* column 3 of B, the second half of k */
    run_operation(145, &w, false);
    for (uint32_t t = 0; t < 128; t++) CHECK_EQ_INT(w.bad[t], t % 4 == 1 ? 0xa : 0);
    w = (watcher){.undefined = 2048 + 3 * 16}; /* of f16 results: both columns of a register apart */
    run_operation(131, &w, false);
    for (uint32_t t = 0; t < 128; t++) CHECK_EQ_INT(w.bad[t], t % 4 == 1 ? 3 : 0);
    w = (watcher){.undefined = (70 * LANE_WORDS + AT_C + 2) * 4}; /* an accumulator */
    run_operation(145, &w, true);
    for (uint32_t t = 0; t < 128; t++) CHECK_EQ_INT(w.bad[t], t == 70 ? 4 : 0);
    w = (watcher){.undefined = (70 * LANE_WORDS + AT_C + 2) * 4}; /* that is not added */
    run_operation(143, &w, true);
    for (uint32_t t = 0; t < 128; t++) CHECK_EQ_INT(w.bad[t], 0);
}

/* text with its first `from` replaced. */
static char *changed(char *text, const char *from, const char *to)
{
    lw_text out = {0};
    char *at = strstr(text, from);
    CHECK(at != NULL);
    if (at) lw_text_add(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return out.data;
}

UNIT_CASE(products_that_fault_say_why)
{
    static const struct {
        const char *from, *to, *says;
        uint32_t threads;
    } rows[] = {
        {"or.b64 %descB, %descB, 0x1000080000", "or.b64 %descB, %descB, 0x1000083fff", "behind the block's 2560 bytes",
         128},
        {"or.b64 %descA, %descA, 0x1000080000", "or.b64 %descA, %descA, 0x3fff00080000", "behind the block's", 128},
        {"ret;", "ret;", "fewer than four warps", 96},
    };
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        watcher w = {.undefined = UINT64_MAX / 2};
        exec_result result = {0};
        char *text = changed(group_text(operation_of(145)), rows[k].from, rows[k].to);
        run_group(text, rows[k].threads, &w, false, &result);
        CHECK_HAS(result.fault.message, rows[k].says);
        exec_result_free(&result);
        free(text);
    }
}

UNIT_CASE(what_is_no_product_is_named)
{
    static const char *const texts[] = {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", /* types */
        "mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32",  /* shape */
        "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
    };
    for (size_t k = 0; k < LW_COUNT(texts); k++) {
        operation o = {.m = 16, .n = 8, .k = 16, .type_a = T_F16, .registers = {4, 2, 4}, .text = texts[k]};
        char *text = kernel_text(&o);
        fixture f;
        CHECK(!load(&f, text, "k"));
        CHECK(strstr(f.error.message, texts[k]) != NULL);
        f.error.message[0] = 0;
        unload(&f);
        free(text);
    }
}

UNIT_MAIN()
