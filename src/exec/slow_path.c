/* slow_path.c: divisions, roots and reciprocals of 32 bits in kernels whose functions save registers: for some operands machine
 * code calls a function that saves some, too. Which operands these are, its code says before the call: of the exponent
 * alone (machine code of ptxas 13.0); of divisions one instruction (FCHK) decides, recorded on a card
 * (tests/hw/h200-slow-divisions.csv). */
#include "exec/emit.h"
#include "exec/operand.h"

enum { EXPONENT_BITS = 23, NOT_FINITE = 255 };

static uint32_t exponent_of(uint32_t bits) { return bits >> EXPONENT_BITS & NOT_FINITE; }

bool exec_divides_slowly(uint32_t a, uint32_t b)
{
    enum { LEAST_OVER = 25, LEAST_UNDER = 2, MOST_UNDER = 251, FAR_OVER = 126, FAR_UNDER = 124 };
    int32_t over = (int32_t)exponent_of(a), under = (int32_t)exponent_of(b);
    return over < LEAST_OVER || over == NOT_FINITE || under < LEAST_UNDER || under > MOST_UNDER ||
           over - under > FAR_OVER || under - over > FAR_UNDER;
}

static bool is_slow(code_slow_path path, uint32_t a, uint32_t b)
{
    switch (path) {
    case CODE_SLOW_SQRT: return a - UINT32_C(0x0d000000) > UINT32_C(0x727fffff);
    case CODE_SLOW_RCP: return ((a + UINT32_C(0x01800000)) & UINT32_C(0x7f800000)) <= UINT32_C(0x01ffffff);
    default: return exec_divides_slowly(a, b);
    }
}

static void run_as(exec_ctx *x, const code_insn *i, uint32_t mask, code_slow_path path)
{
    const code_slow *slow = &x->launch->kernel->body->slow[path];
    const uint32_t *a = LANES(uint32_t, i->a), *b = path == CODE_SLOW_DIV ? LANES(uint32_t, i->b) : a;
    uint32_t lanes = 0;
    LANES_OF(mask) lanes |= is_slow(path, a[l], b[l]) ? UINT32_C(1) << l : 0;
    slow->run(x, i, mask);
    if (!lanes) return;
    exec_emit_save(x, i, lanes, slow->saves, false);
    exec_emit_restore(x, i, lanes, slow->saves);
}

static void run_div(exec_ctx *x, const code_insn *i, uint32_t mask) { run_as(x, i, mask, CODE_SLOW_DIV); }
static void run_sqrt(exec_ctx *x, const code_insn *i, uint32_t mask) { run_as(x, i, mask, CODE_SLOW_SQRT); }
static void run_rcp(exec_ctx *x, const code_insn *i, uint32_t mask) { run_as(x, i, mask, CODE_SLOW_RCP); }

void exec_take_slow_paths(struct code_body *body, code_run_fn *run)
{
    static const exec_run_entry slow[CODE_SLOW_PATHS] = {
        [CODE_SLOW_DIV] = {OP_div_f32, run_div},
        [CODE_SLOW_SQRT] = {OP_sqrt_f32, run_sqrt},
        [CODE_SLOW_RCP] = {OP_rcp_f32, run_rcp},
    };
    for (uint32_t k = 0; k < CODE_SLOW_PATHS; k++) {
        if (!body->slow[k].saves) continue;
        body->slow[k].run = run[slow[k].op];
        run[slow[k].op] = slow[k].run;
    }
}
