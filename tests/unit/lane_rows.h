/* lane_rows.h: runs one row of insns.def on 32 lanes through the executors of each host instruction set. */
#ifndef LW_TESTS_LANE_ROWS_H
#define LW_TESTS_LANE_ROWS_H

#include "../ptx/vectors/forms.h"
#include "exec/exec_priv.h"

#define LANE_TABLES(isa) extern const exec_run_entry exec_rows_int_##isa[], exec_rows_float_##isa[];
EXEC_LEVELS(LANE_TABLES)

enum { LANE_V2, LANE_V3, LANE_V4 }; /* of which this build may have the first alone */
#define LANE_NAME(isa) #isa,
static const char *const lane_level_name[] = {EXEC_LEVELS(LANE_NAME)};
enum { LANE_LEVEL_COUNT = sizeof lane_level_name / sizeof lane_level_name[0] };

static bool lane_level_runs_here(int level)
{
    __builtin_cpu_init();
    if (level == LANE_V2) return __builtin_cpu_supports("sse4.2");
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
        return false;
    return level == LANE_V3 || (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                                __builtin_cpu_supports("avx512cd"));
}

/* form_rows[k] executes as operation form_ops[k]. */
static const uint16_t form_ops[] = {
#define R1(id, ...) OP_##id,
#define R2(id, ...) OP_##id,
#define R3(id, ...) OP_##id,
#define F1(id, ...) OP_##id,
#define F2(id, ...) OP_##id,
#define F3(id, ...) OP_##id,
#define RC(id, ...) OP_##id,
#include "ptx/insns.def"
};

static code_run_fn lane_executor(int level, uint16_t op)
{
    static code_run_fn executors[LANE_LEVEL_COUNT][CODE_OP_COUNT];
    static const exec_run_entry *const tables[LANE_LEVEL_COUNT][2] = {
#define LANE_ENTRY(isa) {exec_rows_int_##isa, exec_rows_float_##isa},
        EXEC_LEVELS(LANE_ENTRY)};
    if (!executors[level][op])
        for (int t = 0; t < 2; t++)
            for (const exec_run_entry *e = tables[level][t]; e->run; e++) executors[level][e->op] = e->run;
    return executors[level][op];
}

enum { LANE_D = 0, LANE_A = 256, LANE_B = 512, LANE_C = 768, LANE_PRED = 1024, LANE_FILE_BYTES = 2048 };
typedef struct lane_file {
    _Alignas(64) uint8_t bytes[LANE_FILE_BYTES];
} lane_file;

static void lane_put(lane_file *f, uint32_t at, uint32_t lane, uint32_t bytes, uint64_t value)
{
    memcpy(f->bytes + at + lane * bytes, &value, bytes);
}
static uint64_t lane_get(const lane_file *f, uint32_t at, uint32_t lane, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, f->bytes + at + lane * bytes, bytes);
    return value;
}

/* Runs a form on the file's operands A B C, the result at d (LANE_D, or an operand's place: aliased). A comparison's
 * result is one byte per lane, bit 1 the high half's of a packed type. */
static void lane_run(int level, const form *f, lane_file *file, uint32_t mask, uint32_t d)
{
    exec_ctx x = {0};
    for (int k = 0; k < 4; k++) x.file[k] = file->bytes;
    bool compares = f->row->kind == 'C';
    code_insn i = {.op = form_ops[f->row - form_rows],
                   .alu = {.imm = f->imm, .mods = (uint16_t)f->mods},
                   .guard = CODE_NO_REF,
                   .d = compares ? LANE_PRED : d,
                   .a = LANE_A,
                   .b = LANE_B,
                   .c = LANE_C,
                   .e = CODE_NO_REF};
    if (form_sources(f->row) == 1) i.b = CODE_NO_REF;
    code_run_fn run = lane_executor(level, i.op);
    if (!compares) {
        run(&x, &i, mask);
        return;
    }
    for (uint32_t half = 0; half < (form_is_packed_compare(f->row) ? 2u : 1u); half++) {
        uint32_t word = 0;
        memcpy(file->bytes + LANE_PRED, &word, 4);
        i.alu.imm = 16 * half;
        run(&x, &i, mask);
        memcpy(&word, file->bytes + LANE_PRED, 4);
        for (uint32_t l = 0; l < 32; l++) {
            if (!(mask >> l & 1)) continue;
            uint8_t *to = &file->bytes[LANE_D + l];
            *to = (uint8_t)(half ? *to | (word >> l & 1) << 1 : word >> l & 1);
        }
    }
}

#endif
