#!/usr/bin/env python3
"""Finds the tables of the special function unit (src/ptx/sfu.c) from its results.

usage: fit.py FOLDER > sfu.c        FOLDER: what `record results FOLDER` wrote; needs numpy and scipy

The form of the interpolation is given (semantics_sfu.h says it); it was found by trying which widths of the square leave a
solution at all: without the squarer's missing partial products, or with one column more or fewer, no row of any table has one.
Per row a linear programme bounds c1 and c2; both bounds must round to one whole number (c2: of halves). The sum of the rest
then bounds c0. Fails if a row has no solution."""
import concurrent.futures
import sys

import numpy as np
from scipy.optimize import linprog

X_BITS, DROPPED = 17, 19  # of a row's operand; columns of its square that the squarer lacks
UNIT = 1 << 17            # c0 is found in parts of the last place
FRACTION = 1 << 23


def squares():
    """x^2 without the partial products below 2^DROPPED, divided by it."""
    x = np.arange(1 << X_BITS, dtype=np.int64)
    bits = [(x >> i) & 1 for i in range(X_BITS)]
    total = np.zeros_like(x)
    for i in range(X_BITS):
        if 2 * i >= DROPPED:
            total += bits[i] << (2 * i)
        for j in range(i + 1, X_BITS):
            if i + j + 1 >= DROPPED:
                total += (bits[i] & bits[j]) << (i + j + 1)
    return total >> DROPPED


SQUARE = squares()


def bound(basis, low, high, column):
    """The least and greatest value of one coefficient for which low <= basis * c < high; few points matter, so that they are
    added until none is violated. None: there is no solution."""
    base = np.round(np.linalg.lstsq(basis, (low + high) / 2, rcond=None)[0])
    low, high = low - basis @ base, high - basis @ base
    bounds = []
    for sign in (1, -1):
        active = set(np.linspace(0, len(low) - 1, 60).astype(int))
        while True:
            k = np.array(sorted(active))
            cost = np.zeros(3)
            cost[column] = sign
            found = linprog(cost, A_ub=np.concatenate([-basis[k], basis[k]]), b_ub=np.concatenate([-low[k], high[k] - 1e-9]),
                            bounds=[(None, None)] * 3, method="highs")
            if found.status:
                return None
            value = basis @ found.x
            below, above = np.argsort(value - low)[:20], np.argsort(high - value)[:20]
            if (value - low)[below[0]] >= -1e-7 and (high - value)[above[0]] >= -1e-7:
                break
            active |= set(below.tolist()) | set(above.tolist())
        bounds.append(base[column] + found.x[column])
    return bounds


def fit_row(work):
    """A row from operands x and what its value lies between: (least c0, greatest c0, c1, c2), c0 in parts of UNIT."""
    name, x, low, high = work
    square = SQUARE[x]
    basis = np.stack([np.ones(len(x)), x / (1 << X_BITS), square / (1 << 15)], 1)
    c1, c2 = bound(basis, low, high, 1), bound(basis, low, high, 2)
    if c1 is None or c2 is None:
        sys.exit(f"{name}: no solution")
    c1, c2 = round(sum(c1) / 2), round(sum(c2))
    rest = c1 * x * (UNIT >> X_BITS) + c2 * square * (UNIT >> 16)
    least = (np.ceil(low * UNIT).astype(np.int64) - rest).max()
    greatest = (np.ceil(high * UNIT).astype(np.int64) - 1 - rest).min()
    if least > greatest:
        sys.exit(f"{name}: no solution with whole coefficients")
    return int(least), int(greatest), c1, c2


def between(results, exponent):
    """What values lie between that were cut to these f32, in last places of 2^exponent's binade."""
    bits = results.astype(np.int64)
    place = 2.0 ** ((bits >> 23) - 127 - exponent)
    mantissa = (bits & 0x7FFFFF) | 0x800000
    return mantissa * place, (mantissa + 1) * place


def read(folder, name):
    return np.fromfile(f"{folder}/{name}.u32", np.uint32)


def rows_of(name, results, exponent, shift=0):
    """Work for a table over a whole binade of operands; shift: what x has beyond the fraction's lower bits."""
    low, high = between(results, exponent)
    width = 1 << (X_BITS - shift)
    x = np.arange(width, dtype=np.int64) << shift
    for row in range(FRACTION // width):
        part = slice(row * width, (row + 1) * width)
        # results that are exact, or 0, whatever the table says: of 1
        first = 1 if row == 0 and name in ("rsqrt_0", "sin") else 0
        yield f"{name} {row}", x[first:], low[part][first:], high[part][first:]


def sine(folder):
    """The first quarter of the sine, from all quarters of sine and cosine."""
    table = np.full(FRACTION, -1, np.int64)
    factor = np.array([0x3E22F983], np.uint32).view(np.float32).astype(np.float64)[0]  # 1 / 2 pi
    for function, shift in (("sin", 0), ("cos", 1)):
        for e in range(-2, 3):
            operands = (np.uint32((127 + e) << 23) + np.arange(FRACTION, dtype=np.uint32)).view(np.float32)
            product = (operands.astype(np.float64) * factor).view(np.uint64) & ~np.uint64(0x1FFFFFFF)
            n = np.floor(product.view(np.float64) * 2.0**25).astype(np.int64) + (shift << 23)
            f = np.where(n >> 23 & 1, ~n, n) & (FRACTION - 1)
            table[f] = read(folder, f"{function}_{e}").astype(np.int64) & 0x7FFFFFFF
    if (table < 0).any():
        sys.exit("sin: not all operands are covered")
    return table


TANH_BITS = {-8: 25, -7: 24, -6: 23, -5: 23, -4: 22, -3: 22, -2: 21, -1: 20, 0: 20, 1: 20, 2: 18}


def tanh_rows(folder):
    for e, fraction_bits in TANH_BITS.items():
        low, high = between(read(folder, f"tanh_{e}"), -1)
        operands = (np.uint32((127 + e) << 23) + 16 * np.arange(FRACTION // 16, dtype=np.uint32)).view(np.float32)
        n = np.floor(operands.astype(np.float64) * 2.0**fraction_bits).astype(np.int64)
        for row in sorted(set((n >> X_BITS).tolist())):
            k = np.nonzero(n >> X_BITS == row)[0]
            _, distinct = np.unique(n[k], return_index=True)
            k = k[distinct]
            yield f"tanh 2^{e} {row}", n[k] & ((1 << X_BITS) - 1), low[k], high[k]


def fewest_bits(least, greatest):
    for bits in range(60, -1, -1):
        if greatest >> bits << bits >= least:
            return greatest >> bits << bits


def chosen_c0(rows):
    """A fraction of c0 below 1/8 that all rows allow, or else each row's value of the fewest bits."""
    step = UNIT >> 3
    least, greatest = max(r[0] % step for r in rows), min(r[1] % step for r in rows)
    if 0 < least <= greatest:
        common = fewest_bits(least, greatest)
        return [r[0] // step * step + common for r in rows]
    return [fewest_bits(r[0], r[1]) for r in rows]


def print_table(name, size, rows, offset=0):
    print(f"\nconst ptx_sfu_row ptx_sfu_{name}[{size}] = {{")
    cells = [f"{{{(c0 - offset * UNIT) / UNIT!r}, {r[2]}, {r[3]}}}," for c0, r in zip(chosen_c0(rows), rows)]
    for k in range(0, len(cells), 3):
        print("    " + " ".join(cells[k:k + 3]))
    print("};")


HEAD = """/* sfu.c: the tables of the special function unit, as tests/hw/sfu/fit.py found them from the results of an H200. Each value
 * of c1 and c2 is the only one that agrees with all results; c0 is one of a few that do. */
#include "ptx/semantics.h"

/* clang-format off */"""


def main():
    folder = sys.argv[1]
    with concurrent.futures.ProcessPoolExecutor() as pool:
        fit = lambda work: list(pool.map(fit_row, work))
        binades = lambda name, exponent: [w for e in (0, 1) for w in rows_of(f"{name}_{e}", read(folder, f"{name}_{e}"), exponent)]
        print(HEAD)
        print_table("rcp", "128", fit(rows_of("rcp", read(folder, "rcp_0"), -1, 1)))
        print_table("rsqrt", "2 * 64", fit(binades("rsqrt", -1)))
        print_table("sqrt", "2 * 64", fit(binades("sqrt", 0)))
        print_table("ex2", "64", fit(rows_of("ex2", read(folder, "ex2_0"), 1)))
        print_table("lg2", "64", fit(rows_of("lg2", read(folder, "lg2_1"), 0)), FRACTION)
        print_table("sin", "64", fit(rows_of("sin", sine(folder), -1)))
        rows = fit(tanh_rows(folder))
        print_table("tanh", str(len(rows)), rows)
        print("\nconst ptx_sfu_binade ptx_sfu_tanh_binade[SFU_TANH_LAST - SFU_TANH_FIRST + 1] = {")
        first, cells = 0, []
        for e, bits in TANH_BITS.items():
            cells.append(f"{{{bits}, {first}}},")
            first += max(1, 1 << (e + bits - X_BITS))
        print("    " + " ".join(cells) + "\n};")
        print("/* clang-format on */")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
