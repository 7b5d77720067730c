#!/usr/bin/env python3
"""What `lanewise tune` ranks first beside what a card measured: a part of the section "Caches and time" of docs/ACCURACY.md.

usage: tools/tune_accuracy.py BUILD_DIR    ranks the programs of tests/hw/tune, writes predicted.csv there (needs nvcc)

tools/time_accuracy.py page writes the section. h100.csv holds the measured times of all variants."""
import csv
import json
import os
import subprocess
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests/hw/tune")
PROGRAMS = {  # program -> kernel, macros
    "transpose": ("transpose", ["KIND=0:3:1", "BX=8,16,32,64", "BY=2,4,8,16,32"]),
    "matmul": ("multiply", ["TILE=8,16,32", "WORK=1,2,4,8", "UNROLL=1,4,8"]),
}


def table(name):
    return list(csv.DictReader(line for line in open(os.path.join(FOLDER, name)) if not line.startswith("#")))


def run(build):
    with open(os.path.join(FOLDER, "predicted.csv"), "w", newline="") as f:
        f.write("# lanewise tune --device h100, by tools/tune_accuracy.py; variants that do not run are left out\n")
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["program", "variant", "us"])
        for program, (kernel, macros) in PROGRAMS.items():
            command = [os.path.join(build, "lanewise"), "tune", "--json", "--max", "100", "--device", "h100", "--kernel", kernel]
            for macro in macros:
                command += ["--define", macro]
            told = subprocess.run(command + [os.path.join(FOLDER, program + ".cu"), "-O3"], stdout=subprocess.PIPE, check=True).stdout
            for v in json.loads(told)["variants"]:
                if "failed" not in v:
                    out.writerow([program, " ".join(f"{k}={x}" for k, x in v["define"].items()), f"{v['seconds'] * 1e6:.3f}"])


def lines():
    """Of each program: the variant that is ranked first and, beside it, the best that was measured."""
    measured = {(r["program"], r["variant"]): float(r["us"]) for r in table("h100.csv")}
    page = ["", "`lanewise tune` beside an H100 (`tests/hw/tune`): the variant that it names best, and the best that was measured.", "",
            "| program | variants | named best | µs, predicted / measured | best measured | µs | the named one takes |", "|---|---|---|---|---|---|---|"]
    for program in PROGRAMS:
        ranked = [r for r in table("predicted.csv") if r["program"] == program and (program, r["variant"]) in measured]
        first = ranked[0]
        took = measured[program, first["variant"]]
        best = min((r["variant"] for r in ranked), key=lambda v: measured[program, v])
        least = measured[program, best]
        page.append(f"| {program} | {len(ranked)} | {first['variant']} | {float(first['us']):.4g} / {took:.4g} | {best} | {least:.4g} | "
                    f"{took / least - 1:+.0%} |")
    return page


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run(sys.argv[1])
