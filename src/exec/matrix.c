/* matrix.c: ldmatrix, stmatrix, movmatrix on 8x8 matrices of 16-bit elements.
 *
 * Lane 8m + r gives the address of row r (16 bytes) of matrix m. Lane t holds elements 2(t%4) and 2(t%4)+1 of row t/4,
 * the lower index in the lower half of its register; transposed, the same elements of column t/4. */
#include "exec/emit.h"
#include "exec/operand.h"

#include <string.h>

/* The rows that the lanes name: 8 of each matrix, all in the block's own shared memory. */
typedef struct matrices {
    uint8_t *row[32];  /* by lane */
    uint64_t seen[32]; /* their addresses as events give them */
    uint32_t lanes;    /* that name one */
} matrices;

static bool find_row(exec_ctx *x, const code_insn *i, uint32_t lane, uint64_t address, matrices *out)
{
    event_space space;
    bool stores = i->op == OP_stmatrix;
    out->row[lane] =
        exec_lane_pointer(x, i, (ptx_space)i->mem.space, lane, address, 16, stores, &space, &out->seen[lane]);
    if (!out->row[lane]) return false;
    if (space == EVENT_SHARED) return true;
    exec_fail(x, i, EXEC_INVALID_SPACE, lane, address, 16, stores, exec_space_name(space),
              "matrix row at 0x%llx: not the block's own shared memory", (unsigned long long)address);
    return false;
}

static bool find_rows(exec_ctx *x, const code_insn *i, uint32_t mask, matrices *out)
{
    uint64_t address[32];
    uint32_t rows = i->mem.vector >= 4 ? FULL_MASK : (1u << 8 * i->mem.vector) - 1;
    if (rows & ~mask) {
        uint32_t lane = (uint32_t)__builtin_ctz(rows & ~mask);
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, (uint32_t)__builtin_ctz(mask), 0, 16, false, "shared",
                  "lane %u gives the address of a matrix row but does not execute the instruction: all lanes of the "
                  "warp must",
                  lane);
        return false;
    }
    exec_lane_addresses(x, i, address);
    out->lanes = rows;
    LANES_OF(rows) if (!find_row(x, i, l, address[l], out)) return false;
    return true;
}

static void tell_matrix(exec_ctx *x, const code_insn *i, const matrices *a)
{
    x->lanes_on[i->site] += lw_popcount(x->mask);
    if (!exec_wants_access(x, i)) return;
    exec_access access = {
        .mask = a->lanes, .space = EVENT_SHARED, .bytes = 16, .matrices = i->mem.vector, .address = a->seen};
    exec_emit_access(x, i, &access);
}

/* Where half h (0: the lower) of lane t's register lies in matrix k. */
static uint8_t *half_at(const code_insn *i, const matrices *a, uint32_t k, uint32_t t, uint32_t h)
{
    uint32_t major = t >> 2;
    uint32_t minor = 2 * (t & 3) + h;
    uint32_t row = i->mem.matrix.transposed ? minor : major;
    uint32_t column = i->mem.matrix.transposed ? major : minor;
    return a->row[8 * k + row] + 2 * column;
}

/* Waits until the whole warp has come: .aligned. */
static bool whole_warp(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t lanes;
    if (!exec_warpsync_ready(x, i, FULL_MASK, mask, &lanes)) return false;
    exec_emit_warp_sync(x, i, lanes);
    return true;
}

void run_ldmatrix(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    matrices a;
    if (!whole_warp(x, i, mask) || !find_rows(x, i, mask, &a)) return;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        if (list->ref[k] == CODE_NO_REF) continue;
        uint32_t *d = LANES(uint32_t, list->ref[k]);
        LANES_OF(mask)
        {
            uint16_t low, high;
            memcpy(&low, half_at(i, &a, k, l, 0), 2);
            memcpy(&high, half_at(i, &a, k, l, 1), 2);
            d[l] = low | (uint32_t)high << 16;
        }
    }
    tell_matrix(x, i, &a);
}

void run_stmatrix(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->mem.list;
    matrices a;
    if (!whole_warp(x, i, mask) || !find_rows(x, i, mask, &a)) return;
    for (uint32_t k = 0; k < i->mem.vector; k++) {
        const uint32_t *s = LANES(uint32_t, list->ref[k]);
        LANES_OF(mask)
        {
            uint16_t low = (uint16_t)s[l];
            uint16_t high = (uint16_t)(s[l] >> 16);
            memcpy(half_at(i, &a, k, l, 0), &low, 2);
            memcpy(half_at(i, &a, k, l, 1), &high, 2);
        }
    }
    LANES_OF(a.lanes) exec_note_overwrite(x, a.row[l], 16);
    tell_matrix(x, i, &a);
}

void run_movmatrix(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint16_t element[8][8];
    if (!whole_warp(x, i, mask)) return;
    const uint32_t *a = LANES(uint32_t, i->a);
    for (uint32_t t = 0; t < 32; t++)
        for (uint32_t h = 0; h < 2; h++) element[t >> 2][2 * (t & 3) + h] = (uint16_t)(a[t] >> 16 * h);
    uint32_t *d = LANES(uint32_t, i->d);
    LANES_OF(mask)
    {
        uint32_t row = 2 * (l & 3), column = l >> 2; /* of the matrix as it was */
        d[l] = element[row][column] | (uint32_t)element[row + 1][column] << 16;
    }
}
