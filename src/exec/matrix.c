/* matrix.c: ldmatrix, stmatrix, movmatrix on 8x8 matrices of 16-bit elements.
 *
 * Lane 8m + r gives the address of row r (16 bytes) of matrix m. Lane t holds elements 2(t%4) and 2(t%4)+1 of row t/4,
 * the lower index in the lower half of its register; transposed, the same elements of column t/4. */
#include "exec/emit.h"

#include <string.h>

typedef struct matrices {
    uint8_t *row[32];
    uint64_t seen[32];
    uint32_t lanes_of[EVENT_SPACE_COUNT];
} matrices;

static bool find_rows(exec_ctx *x, const code_insn *i, uint32_t mask, matrices *out)
{
    uint64_t address[32];
    uint32_t rows = i->mem.vector >= 4 ? FULL_MASK : (1u << 8 * i->mem.vector) - 1;
    exec_lane_addresses(x, i, address);
    memset(out->lanes_of, 0, sizeof out->lanes_of);
    if (rows & ~mask) {
        uint32_t lane = (uint32_t)__builtin_ctz(rows & ~mask);
        exec_fail(x, i, EXEC_ILLEGAL_INSTRUCTION, (uint32_t)__builtin_ctz(mask), 0, 16, false, "shared",
                  "lane %u gives the address of a matrix row but does not execute the instruction: all lanes of the "
                  "warp must",
                  lane);
        return false;
    }
    for (uint32_t m = rows; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        event_space space;
        out->row[lane] = exec_lane_pointer(x, i, (ptx_space)i->mem.space, lane, address[lane], 16, i->op == OP_stmatrix,
                                           &space, &out->seen[lane]);
        if (!out->row[lane]) return false;
        if (space != EVENT_SHARED) {
            exec_fail(x, i, EXEC_INVALID_SPACE, lane, address[lane], 16, i->op == OP_stmatrix, exec_space_name(space),
                      "matrix row at 0x%llx: not the block's own shared memory", (unsigned long long)address[lane]);
            return false;
        }
        out->lanes_of[space] |= 1u << lane;
    }
    return true;
}

static void tell_matrix(exec_ctx *x, const code_insn *i, const matrices *a)
{
    x->lanes_on[i->site] += lw_popcount(x->mask);
    if (!exec_wants_access(x, i)) return;
    exec_access access = {.mask = a->lanes_of[EVENT_SHARED], .space = EVENT_SHARED, .bytes = 16, .address = a->seen};
    access.matrices = i->mem.vector;
    exec_emit_access(x, i, &access);
}

/* Byte offset in its row, and the row, of half h of lane t. */
static uint32_t row_of(const code_insn *i, uint32_t t, uint32_t h)
{
    return i->mem.matrix.transposed ? 2 * (t & 3) + h : t >> 2;
}
static uint32_t byte_of(const code_insn *i, uint32_t t, uint32_t h)
{
    return 2 * (i->mem.matrix.transposed ? t >> 2 : 2 * (t & 3) + h);
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
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t t = (uint32_t)__builtin_ctz(m);
            uint16_t half[2];
            for (uint32_t h = 0; h < 2; h++) memcpy(&half[h], a.row[8 * k + row_of(i, t, h)] + byte_of(i, t, h), 2);
            d[t] = half[0] | (uint32_t)half[1] << 16;
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
        for (uint32_t m = mask; m; m &= m - 1) {
            uint32_t t = (uint32_t)__builtin_ctz(m);
            uint16_t half[2] = {(uint16_t)s[t], (uint16_t)(s[t] >> 16)};
            for (uint32_t h = 0; h < 2; h++) memcpy(a.row[8 * k + row_of(i, t, h)] + byte_of(i, t, h), &half[h], 2);
        }
    }
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
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t t = (uint32_t)__builtin_ctz(m);
        d[t] = element[2 * (t & 3)][t >> 2] | (uint32_t)element[2 * (t & 3) + 1][t >> 2] << 16;
    }
}
