#!/usr/bin/env python3
"""tools/drawn_programs.py judges as its table says."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tools"))
import drawn_programs

CASES = [  # output here, status, output on the card (None: not asked), status there, verdict
    ("sum 4\nPASSED\n", "0", "sum 4\nPASSED\n\n[...]\nsum 4\nPASSED\n", "0", "passes"),
    ("PASSED\n", "1", None, None, "fails"),
    ("Result mismatch\n", "0", "PASS\n\n[...]\nPASS\n", "0", "wrong"),
    ("Result mismatch\n", "0", None, None, "fails"),
    ("Result mismatch\n", "0", "Result mismatch\n\n[...]\nResult mismatch\n", "0", "as the card"),
    ("/a/b/prog Starting...\n3\n", "0", "/c/prog Starting...\n3\n\n[...]\n/c/prog Starting...\n3\n", "0", "as the card"),
    ("x 3\ntime 5 ms\n", "0", "x 3\ntime 1 ms\n\n[...]\nx 3\ntime 1 ms\n", "0", "as the card"),
    ("x 3\n", "0", "x 4\n\n[...]\nx 4\n", "0", "differs"),
    ("x 3\n", "1", "x 3\n\n[...]\nx 3\n", "0", "differs"),
    ("x 3\n", "0", None, None, "ends"),
    ("x 3\n", "124", None, None, "too long"),
    ("lanewise: cudaFoo is not supported\n", "1", None, None, "refused"),
]

bad = 0
for here, status, card, card_status, want in CASES:
    got = drawn_programs.judge(here, status, card, card_status)[0]
    if got != want:
        print(f"{here!r} with {status} beside {card!r} is {got}, not {want}")
        bad += 1
sys.exit(bad != 0)
