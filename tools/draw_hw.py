#!/usr/bin/env python3
"""Compares kernels that were recorded for the first time, and keeps what came of it for docs/ACCURACY.md.

usage: tools/draw_hw.py RECORDED_DIR JSON_DIR OUT.csv "WHAT THE PROGRAMS ARE"

RECORDED_DIR: tables of tools/record_hw.py, one per program; JSON_DIR: the reports of `lanewise run --threads 1 --json` of the
same programs, with the same arguments and the same --launch-count as the profiler's. The programs themselves need not be of
this project. OUT.csv has a row per kernel and configuration: verdict as in tools/compare_hw.py, marks (whether any of its rows
is marked), and the counters that differ as name ours/card."""
import csv
import os
import sys

import compare_hw


def main():
    recorded_dir, json_dir, out, what = sys.argv[1:]
    programs = sorted(p[:-4] for p in os.listdir(recorded_dir) if p.endswith(".csv"))
    with open(f"{recorded_dir}/{programs[0]}.csv") as f:
        about = [l for l in f if l.startswith("#")]
    with open(out, "w", newline="") as f:
        f.writelines(about)
        f.write(f"# what: {what}\n")
        table = csv.writer(f, lineterminator="\n")
        table.writerow(["program", "kernel", "grid", "block", "verdict", "marks", "counters"])
        for program in programs:
            hardware, _ = compare_hw.recorded(f"{recorded_dir}/{program}.csv")
            path = f"{json_dir}/{program}.json"
            ours = compare_hw.emulated(path) if os.path.exists(path) else {}
            for key, counters in hardware.items():
                name = compare_hw.base_name(key[0])
                if key not in ours:
                    table.writerow([program, name, *key[1:], "not run", "", ""])
                    continue
                differ = compare_hw.compare(counters, ours[key])
                verdict = "exact" if not differ else "marked" if all(d[3] for d in differ) else "differs"
                table.writerow([program, name, *key[1:], verdict, "yes" if ours[key][1] else "no",
                                "; ".join(f"{d[0]} {d[1]}/{d[2]}" for d in differ)])


main()
