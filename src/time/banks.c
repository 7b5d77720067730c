#include "time/banks.h"

#include <stddef.h>

#define LINE_BITS 21u /* that are known to count */

/* What each bit of a line's number adds, measured bit by bit: of 32 lines that lie evenly one is moved, and all are missed only if it stays
 * in its bank. */
static const uint8_t bank_bits[LINE_BITS] = {1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3, 1, 3, 2, 1, 3, 1, 3, 0};

uint32_t cache_bank_of(uint64_t line)
{
    uint32_t bank = 0;
    for (line &= (UINT64_C(1) << LINE_BITS) - 1; line; line &= line - 1) bank ^= bank_bits[__builtin_ctzll(line)];
    return bank;
}

/* Rows of a store, and how many lines each has. */
typedef struct store_rows {
    uint32_t count;
    uint8_t of[CACHE_STORE_LINES]; /* row of a line */
    uint8_t lines[CACHE_STORE_LINES];
} store_rows;

static store_rows rows_of(const uint64_t *line, uint32_t count)
{
    store_rows rows = {0};
    uint8_t next[CACHE_BANKS] = {0};
    for (uint32_t k = 0; k < count; k++) {
        uint8_t row = next[cache_bank_of(line[k])]++;
        rows.of[k] = row;
        rows.lines[row]++;
        if (rows.count <= row) rows.count = row + 1u;
    }
    return rows;
}

/* Lines that have left behind those of a row when another comes to it, after so many rows: each of them made one leave, the oldest. */
static uint32_t left_behind(const store_rows *rows, uint32_t row, uint32_t after, uint32_t kept)
{
    uint32_t lines = 0;
    for (uint32_t k = 1; k < after - kept; k++) lines += rows->lines[(row + k) % rows->count];
    return lines;
}

uint32_t cache_lines_gone(const uint64_t *line, uint32_t count, uint32_t between, uint32_t kept, uint32_t gone)
{
    const store_rows rows = rows_of(line, count);
    const uint32_t after = rows.count * (between + 1);
    uint32_t mask = 0;
    if (after <= kept) return 0; /* all are still there */
    for (uint32_t k = 0; k < count; k++) mask |= (uint32_t)(left_behind(&rows, rows.of[k], after, kept) < gone) << k;
    return mask;
}
