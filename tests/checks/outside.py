#!/usr/bin/env python3
"""The figures of docs/CHECKS.md for labelled programs from outside, from outside.csv. Without --write: fails if they differ.

The programs are not part of the project. A row of outside.csv: suite, program, its label (racy or clean), the gravest that
racecheck reported in the usual order of warps, and that under any of ten seeds of --schedule=random (empty: not run).
"""
import csv
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "CHECKS.md")


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def table():
    with open(os.path.join(HERE, "outside.csv"), newline="") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    lines = ["| suite | racy | found | found with seeds | clean | warnings | errors | precision | recall |",
             "|---|---|---|---|---|---|---|---|---|"]
    for suite in dict.fromkeys(r["suite"] for r in rows):
        racy = [r for r in rows if r["suite"] == suite and r["label"] == "racy"]
        clean = [r["found"] for r in rows if r["suite"] == suite and r["label"] == "clean"]
        found = sum(r["found"] != "silent" for r in racy)
        seeds = sum(r["seeds"] != "silent" for r in racy) if all(r["seeds"] for r in racy) else "-"
        alarms = len(clean) - clean.count("silent")
        lines.append(f"| {suite} | {len(racy)} | {found} | {seeds} | {len(clean)} | {clean.count('warning')} | {clean.count('error')} | "
                     f"{percent(found, found + alarms)} | {percent(found, len(racy))} |")
    return "\n".join(lines) + "\n"


def main():
    with open(PAGE) as f:
        old = f.read()
    new = re.sub(r"(<!-- outside -->\n).*?(<!-- end -->)", lambda m: m[1] + table() + m[2], old, flags=re.S)
    if "--write" in sys.argv:
        with open(PAGE, "w") as f:
            f.write(new)
    elif new != old:
        sys.exit("docs/CHECKS.md is not what outside.csv says: run tests/checks/outside.py --write")


if __name__ == "__main__":
    main()
