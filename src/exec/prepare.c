/* prepare.c: gives every micro-operation of a kernel its executor for the host's instruction set. */
#include "exec/warp.h"

#include <stdlib.h>
#include <string.h>

#define ISA_TABLES(isa)                                                                                                \
    extern const exec_run_entry exec_rows_int_##isa[], exec_rows_float_##isa[], exec_rows_tensor_##isa[];              \
    code_run_fn exec_select_access_##isa(const code_insn *i);
EXEC_LEVELS(ISA_TABLES)

typedef struct isa_tables {
    const char *name;
    const exec_run_entry *tables[3];
    code_run_fn (*access)(const code_insn *i);
} isa_tables;

static const isa_tables levels[] = {
#define LEVEL(isa)                                                                                                     \
    {#isa, {exec_rows_int_##isa, exec_rows_float_##isa, exec_rows_tensor_##isa}, exec_select_access_##isa},
    EXEC_LEVELS(LEVEL)
#undef LEVEL
};

uint32_t exec_host_level(void)
{
    uint32_t level = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) level = 1;
    if (level && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        level = 2;
    level = LW_MIN(level, (uint32_t)LW_COUNT(levels) - 1);
    const char *wanted = getenv("LANEWISE_ISA");
    for (uint32_t k = 0; wanted && k < level; k++)
        if (!strcmp(wanted, levels[k].name)) level = k;
    return level;
}

/* Marks the basic blocks that write memory which other warps see (schedule.c). */
static void mark_stores(code_function *f)
{
    code_insn *block = NULL;
    for (uint32_t u = 0; u < f->insn_count; u++) {
        code_insn *i = &f->insns[u];
        if (i->op == OP_block) block = i;
        bool stores = (i->op == OP_st && i->mem.space != PTX_LOCAL) || i->op == OP_stmatrix || i->op == OP_atom;
        if (block && stores) block->block.stores = true;
    }
}

void exec_prepare(code_kernel *kernel)
{
    static const exec_run_entry plain[] = {
#define UOP(id, ...) {OP_##id, run_##id},
#define OWN_ACCESS
#include "code/uops.def"
#undef UOP
    };
    const isa_tables *isa = &levels[exec_host_level()];
    code_run_fn *run = lw_alloc(CODE_OP_COUNT * sizeof *run);
    for (size_t k = 0; k < LW_COUNT(plain); k++) run[plain[k].op] = plain[k].run;
    for (size_t t = 0; t < LW_COUNT(isa->tables); t++)
        for (const exec_run_entry *e = isa->tables[t]; e->run; e++) run[e->op] = e->run;
    const struct code_body *b = kernel->body;
    exec_take_slow_paths((struct code_body *)b, run);
    for (uint32_t f = 0; f < b->function_count; f++) {
        mark_stores(b->functions[f]);
        for (uint32_t u = 0; u < b->functions[f]->insn_count; u++) {
            code_insn *i = &b->functions[f]->insns[u];
            bool access = i->op == OP_ld || i->op == OP_st || i->op == OP_ld_frame || i->op == OP_st_frame;
            code_run_fn piece = exec_piece_run(i);
            i->run = access ? isa->access(i) : piece ? piece : run[i->op];
        }
    }
    free(run);
}

/* Chosen per instruction above; these names only complete the table. */
void run_ld(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_select_access_v2(i)(x, i, mask); }
void run_st(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_select_access_v2(i)(x, i, mask); }
void run_ld_frame(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_select_access_v2(i)(x, i, mask); }
void run_st_frame(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_select_access_v2(i)(x, i, mask); }
void run_mma(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_rows_tensor_v2[0].run(x, i, mask); }
void run_wgmma(exec_ctx *x, const code_insn *i, uint32_t mask) { exec_rows_tensor_v2[1].run(x, i, mask); }
