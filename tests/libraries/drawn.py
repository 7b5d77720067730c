#!/usr/bin/env python3
"""The table in docs/LIBRARIES.md of public programs that were tried for the sake of libraries and calls, from drawn.csv.

drawn.py            fails if the page differs
drawn.py --write    writes it

drawn.csv has one row per program: where it comes from, its arguments, what a card made of it (passed, failed, too slow; an H200 with CUDA 13.0,
one device), what lanewise did, and a remark. Outcomes:
  as the card   it ends as on the card, and prints the same numbers to 1 in 500 (times, sizes of buffers and names of devices left out)
  other numbers it ends as on the card; its numbers are others of the same distribution
  own check     it was not tried on the card, and passes its own check
  refused       a call is not supported, and is named on stderr
  too slow      it was ended after two minutes of two processors (240 s of their time)
  failed        anything else
"""
import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/LIBRARIES.md"
BEGIN, END = "<!-- drawn programs -->\n", "<!-- end of drawn programs -->\n"
OUTCOMES = ["as the card", "other numbers", "own check", "refused", "too slow", "failed"]


def table():
    sources, rest = {}, []
    with open(HERE / "drawn.csv", newline="") as f:
        for row in csv.DictReader(f):
            if row["lanewise"] not in OUTCOMES or row["card"] not in ("passed", "failed", "too slow", "not tried"):
                sys.exit(f"drawn.csv: {row['program']} has an outcome of its own")
            if row["card"] == "not tried" and row["lanewise"] in ("as the card", "other numbers"):
                sys.exit(f"drawn.csv: {row['program']} was not tried on the card")
            if row["lanewise"] not in ("as the card", "own check") and not row["remark"]:
                sys.exit(f"drawn.csv: {row['program']} lacks a reason")
            sources.setdefault(row["source"], []).append(row["lanewise"])
            if row["lanewise"] not in ("as the card", "other numbers", "own check"):
                rest.append(row)
    lines = ["| source | programs | " + " | ".join(OUTCOMES) + " |\n", "|---" * (2 + len(OUTCOMES)) + "|\n"]
    for source, outcomes in sources.items():
        lines.append(f"| {source} | {len(outcomes)} | " + " | ".join(str(outcomes.count(o)) for o in OUTCOMES) + " |\n")
    lines += ["\n", "| program | on the card | here | why |\n", "|---|---|---|---|\n"]
    for row in rest:
        lines.append(f"| {row['program']} | {row['card']} | {row['lanewise']} | {row['remark']} |\n")
    return "".join(lines)


def main():
    text = PAGE.read_text()
    before, after = text.split(BEGIN)
    wanted = before + BEGIN + table() + END + after.split(END)[1]
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
    elif text != wanted:
        sys.exit("docs/LIBRARIES.md is not what tests/libraries/drawn.csv says: run tests/libraries/drawn.py --write")


if __name__ == "__main__":
    main()
