/* banks: the order in which L1 takes the lines of a store, and lets them go.
 *
 * L1 has four banks, told apart by two sums of bits of a line's number. It takes the lines of a store a row at a time, a line of every bank at
 * most, and keeps the last rows until others need their place: stores to a line that is among them join it. When its row has left, a line is
 * gone for a moment, until some more lines have left behind it: a store finds it then neither here nor there. Warps that store to
 * the same lines one right behind the other run into that, and the more, the more evenly these lie over the banks, as those of all
 * strides that are powers of two do. Measured by stores of 8 and 32 warps to lines of 136 strides: the shares that find their line
 * differ by 3 % on the average (tests/hw/h100-scatter.csv, which tests/unit/test_banks.c compares). */
#ifndef LW_TIME_BANKS_H
#define LW_TIME_BANKS_H

#include <stdint.h>

#define CACHE_BANKS 4u
#define CACHE_STORE_LINES 32u /* that a store of a warp may have */

/* Of a line by its number, address / 128. */
uint32_t cache_bank_of(uint64_t line);

/* Rows in which the lines of a store are taken, and how many each has. */
typedef struct cache_rows {
    uint32_t lines, count;
    uint8_t of[CACHE_STORE_LINES]; /* row of a line */
    uint8_t lines_of[CACHE_STORE_LINES];
} cache_rows;

/* line: those of a store in the order of lanes, at most CACHE_STORE_LINES. */
cache_rows cache_rows_of(const uint64_t *line, uint32_t count);

/* between: stores to other lines that lie as these. kept: rows that L1 keeps; leaving: lines that have to leave behind one until it is found again.
 * Bit k: the next store to the same lines does not find line k. */
uint32_t cache_lines_gone(const cache_rows *rows, uint32_t between, uint32_t kept, uint32_t leaving);

#endif
