/* test_tensor: mma.sync against an H200. Every product that tests/hw/tensor has recorded is executed from PTX with the
 * same operands, and the sum over its results compared; half of the operand sets are edge cases. LW_TENSOR_SETS=N compares
 * N sets of each (there are 10,240); the whole record takes half an hour. */
#include "fixture.h"

#include <zstd.h>

#include "../hw/tensor/operands.h"

enum { SOME_SETS = 64, LANE_WORDS = 40, AT_A = 0, AT_B = 16, AT_C = 24, AT_E = 32 };
enum { MMA, MMA64, SPARSE0, SPARSE1, SPARSE3, WGMMA, WGMMA_SS };

typedef struct operation {
    int id, m, n, k, type_a, type_b, type_c, family, registers[3];
    const char *name, *text;
} operation;

static const operation operations[] = {
#define OP(id, name, m, n, k, ta, tb, tc, family, na, nb, nc, text, tail)                                              \
    {id, m, n, k, ta, tb, tc, family, {na, nb, nc}, name, text},
#include "../hw/tensor/operations.def"
#undef OP
};

/* ---------------------------------------------------------------- what was recorded */
static uint32_t *hashes; /* in the order of results.csv */
static uint32_t hash_count;

static char *read_whole(const char *name, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/hw/tensor/h200/%s", getenv("LW_TESTS_DIR"), name);
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END)) return NULL;
    *size = (size_t)ftell(f);
    rewind(f);
    char *out = lw_alloc(*size + 1);
    if (fread(out, 1, *size, f) != *size) *size = 0;
    fclose(f);
    return out;
}

static bool read_hashes(void)
{
    size_t size = 0;
    char *packed = read_whole("hashes.bin.zst", &size);
    if (!packed) return false;
    unsigned long long bytes = ZSTD_getFrameContentSize(packed, size);
    if (bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN) bytes = UINT64_C(16) << 20;
    hashes = lw_alloc(bytes);
    size_t got = ZSTD_decompress(hashes, bytes, packed, size);
    free(packed);
    hash_count = ZSTD_isError(got) ? 0 : (uint32_t)(got / 4);
    return hash_count != 0;
}

/* Where the sets of an operation begin; -1: it was not recorded. */
static long first_hash(int id, int *sets)
{
    size_t size;
    char *table = read_whole("results.csv", &size);
    long at = 0, found = -1;
    for (char *line = table ? strchr(table, '\n') : NULL; line && line[1]; line = strchr(line + 1, '\n')) {
        int number, count;
        if (sscanf(line + 1, "%d,%*[^,],%*d,%*d,%*d,%d", &number, &count) != 2) break;
        if (number == id) {
            found = at;
            *sets = count;
        }
        at += count;
    }
    free(table);
    return found;
}

/* ---------------------------------------------------------------- fragments, as the PTX ISA draws them */
static bool is_quad(const operation *o) { return o->m == 8 && o->k == 4 && o->type_a == T_F16; }
static int kept_of(const operation *o) { return o->family >= SPARSE0 && o->family <= SPARSE3 ? o->k / 2 : o->k; }

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

static int compare(const operation *o, int sets, const uint32_t *expected)
{
    fixture f;
    exec_result result = {0};
    char *text = kernel_text(o);
    int wrong = 0;
    bool loaded = load(&f, text, "k");
    CHECK(loaded);
    uint64_t at = loaded ? buffer(&f, (uint64_t)sets * 32 * LANE_WORDS * 4) : 0;
    uint32_t *lanes = (uint32_t *)(uintptr_t)at;
    for (int n = 0; loaded && n < sets * 32; n++) {
        uint32_t *words = lanes + (size_t)n * LANE_WORDS, set = (uint32_t)n / 32;
        fill_a(o, set, n % 32, words + AT_A);
        fill_b(o, set, n % 32, words + AT_B);
        fill_c(o, set, n % 32, words + AT_C);
        words[AT_E] = tensor_metadata(o->type_a, (uint32_t)o->id, set, n % 32);
    }
    exec_launch l = {.kernel = f.kernel,
                     .grid = {(uint32_t)sets, 1, 1},
                     .block = {32, 1, 1},
                     .cluster = {1, 1, 1},
                     .params = (const uint8_t *)&at,
                     .threads = 1,
                     .memory = f.memory,
                     .device = {.cc = 90, .sm_count = 132, .max_blocks_per_sm = 8, .stack_bytes = 1024}};
    if (loaded) CHECK(exec_run(&l, &result, &f.error) == LW_OK && result.fault.kind == EXEC_NO_FAULT);
    for (int set = 0; loaded && set < sets; set++)
        wrong += hash_of(o, lanes + (size_t)set * 32 * LANE_WORDS) != expected[set];
    exec_result_free(&result);
    unload(&f);
    free(text);
    return wrong;
}

UNIT_CASE(products_are_those_of_an_h200)
{
    const char *wanted = getenv("LW_TENSOR_SETS");
    int most = wanted ? atoi(wanted) : SOME_SETS, done = 0;
    REQUIRE(read_hashes());
    for (size_t k = 0; k < LW_COUNT(operations); k++) {
        const operation *o = &operations[k];
        int sets = 0;
        long first = first_hash(o->id, &sets);
        if (o->family >= WGMMA || first < 0) continue;
        REQUIRE((uint32_t)first + (uint32_t)sets <= hash_count);
        int wrong = compare(o, LW_MIN(sets, most), hashes + first);
        if (wrong) UNIT_FAIL("%s: %d sets differ", o->name, wrong);
        done++;
    }
    CHECK(done >= 80);
    free(hashes);
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
