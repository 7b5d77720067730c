#!/usr/bin/env python3
"""Writes generations.csv: accesses and what a reference of the counting rules, a Python module, gives for each
generation. The reference is a second writing of the rules' texts, kept apart from this repository; it is needed only
to make the file again.

    python3 tests/data/make_generations.py REFERENCE.py > tests/data/generations.csv
"""
import importlib.util
import random
import sys

COLUMNS = ('size units sh1_load sh1_store sh2 sh2_conflicts sh3b4 sh3b4_conflicts sh3b8 sh3b8_conflicts sh5_load '
           'sh5_load_conflicts sh5_store sh5_store_conflicts g10 g12 g2_l1 g2_l2 sectors tags').split()


def load(path):
    spec = importlib.util.spec_from_file_location('reference', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def structured():
    """Lane -> unit (multiple of the access size), or None."""
    yield from ([i * s + o for i in range(32)] for o in (0, 1)
                for s in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 24, 31, 32, 33, 34, 64, 65, 66, 128))
    yield from ([(31 - i) * s for i in range(32)] for s in (1, 2, 3))
    yield from ([i ^ k for i in range(32)] for k in (1, 2, 5, 16, 31))
    yield from ([i // k for i in range(32)] for k in (2, 4, 8, 16))
    yield from ([i % k * s for i in range(32)] for k in (2, 4, 8, 16) for s in (1, 16, 17, 32))
    yield from ([i % 16 * (16 + pad) + i // 16 for i in range(32)] for pad in (0, 1, 2, 16, 17, 18))
    yield from ([i if f(i) else None for i in range(32)] for f in (
        lambda i: i < 16, lambda i: i >= 16, lambda i: i % 2, lambda i: i == 7, lambda i: i not in (3, 17),
        lambda i: i < 8, lambda i: 8 <= i < 24))
    yield from ([i + 16 * (i >= 16) + k for i in range(32)] for k in (0, 16, 8))
    yield [i + 32 * (i == 5) for i in range(32)]
    yield [0 if i == 0 else None for i in range(32)]


def noise(rng):
    window = rng.choice((4, 8, 16, 32, 33, 64, 100, 256, 1024))
    units = [rng.randrange(window) for _ in range(32)]
    kind = rng.randrange(5)
    if kind == 1:
        units.sort()
    if kind == 2:
        units = [units[i // 2] for i in range(32)]
    if kind == 3:
        units = [i + rng.randrange(0, 3) * window for i in range(32)]
    if rng.randrange(3) == 0:
        mask = rng.getrandbits(32) | 1 << rng.randrange(32)
        units = [u if mask >> i & 1 else None for i, u in enumerate(units)]
    return units


def sizes(transactions):
    """1.x: how many of 32, 64 and 128 bytes."""
    return ':'.join(str(sum(1 for _, n in transactions if n == k)) for k in (32, 64, 128))


def row(r, size, units):
    a = [None if u is None else u * size for u in units]
    pairs = [r.shared_cc2(a, size), r.shared_cc3(a, size, 4), r.shared_cc3(a, size, 8), r.shared_cc5(a, size, 'ld'),
             r.shared_cc5(a, size, 'st')]
    out = [size, ' '.join('-' if u is None else str(u) for u in units), r.shared_cc1(a, size, 'ld'),
           r.shared_cc1(a, size, 'st')]
    out += ['' if x is None else x for pair in pairs for x in pair]
    out += [sizes(r.global_cc10(a, size)), sizes(r.global_cc12(a, size)), len(r.global_cc2(a, size, True)),
            len(r.global_cc2(a, size, False)), r.sectors(a, size), r.tags(a, size)]
    return ','.join(map(str, out))


def main():
    r, rng = load(sys.argv[1]), random.Random(20)
    print('# made by tests/data/make_generations.py from the reference of the rules; '
          'units: lane address / size, - = off')
    print(','.join(COLUMNS))
    for size in (1, 2, 4, 8, 16):
        for units in structured():
            print(row(r, size, units))
        for _ in range(80):
            print(row(r, size, noise(rng)))


main()
