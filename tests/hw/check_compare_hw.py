#!/usr/bin/env python3
"""tools/compare_hw.py takes either of the card's two counters of shared wavefronts, and the ideal that goes with it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../tools"))
import compare_hw

CASES = [  # stores as the instructions count, as the unit does, the ideal; here: stores, ideal, what differs
    (7760, 7761, 10598, 7760, 10598, []),
    (7760, 7761, 10598, 7761, 10599, []),
    (7760, 7761, 10598, 7761, 10598, []),
    (7760, 7761, 10598, 7760, 10599, ["shared_wavefronts_ideal"]),
    (7760, 7761, 10598, 7761, 10600, ["shared_wavefronts_ideal"]),
    (7760, 7761, 10598, 7762, 10600, ["shared_st_wavefronts", "shared_wavefronts_ideal"]),
    (7760, 7760, 10598, 7760, 10599, ["shared_wavefronts_ideal"]),
]

bad = 0
for insns, unit, ideal, mine, my_ideal, want in CASES:
    card = {"shared_st_wavefronts": insns, "shared_st_wavefronts_l1tex": unit, "shared_wavefronts_ideal": ideal}
    ours = {"shared_st_wavefronts": mine, "shared_wavefronts_ideal": my_ideal}
    got = [d[0] for d in compare_hw.compare(card, (ours, {}, []))]
    if got != want:
        print(f"{mine} stores and an ideal of {my_ideal} differ in {got}, not {want}")
        bad += 1
sys.exit(bad != 0)
