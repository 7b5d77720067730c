#include "time/banks.h"

#include <stdbool.h>
#include <stddef.h>

/* The bits of a line's number that each of the two sums is of, measured bit by bit up to the 20th: of 32 lines that lie evenly one is moved,
 * and all are missed only if it stays in its bank. */
#define FIRST_SUM 0xf7ab5u
#define SECOND_SUM 0xad5dau

uint32_t cache_bank_of(uint64_t line)
{
    uint32_t number = (uint32_t)line;
    return (uint32_t)__builtin_parity(number & FIRST_SUM) | (uint32_t)__builtin_parity(number & SECOND_SUM) << 1;
}

cache_rows cache_rows_of(const uint64_t *line, uint32_t count)
{
    cache_rows rows = {.lines = count};
    uint8_t next[CACHE_BANKS] = {0};
    for (uint32_t k = 0; k < count; k++) {
        uint8_t row = next[cache_bank_of(line[k])]++;
        rows.of[k] = row;
        rows.lines_of[row]++;
        if (rows.count <= row) rows.count = row + 1u;
    }
    return rows;
}

/* Lines that have left behind those of a row when another comes to it, after so many rows: each of them made one leave, the oldest. */
static uint32_t left_behind(const cache_rows *rows, uint32_t row, uint32_t after, uint32_t kept)
{
    uint32_t behind = after - kept - 1, left = behind / rows->count * rows->lines;
    for (uint32_t k = 1; k <= behind % rows->count; k++) left += rows->lines_of[(row + k) % rows->count];
    return left;
}

uint32_t cache_lines_gone(const cache_rows *rows, uint32_t between, uint32_t kept, uint32_t leaving)
{
    const uint32_t after = rows->count * (between + 1);
    bool row_gone[CACHE_STORE_LINES];
    uint32_t mask = 0;
    if (after <= kept) return 0; /* all are still there */
    for (uint32_t k = 0; k < rows->count; k++) row_gone[k] = left_behind(rows, k, after, kept) < leaving;
    for (uint32_t k = 0; k < rows->lines; k++) mask |= (uint32_t)row_gone[rows->of[k]] << k;
    return mask;
}
