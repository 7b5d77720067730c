#!/usr/bin/env python3
"""The table in docs/driver.md of what clients' own tests gave, from clients.csv.

clients.py            fails if the page differs
clients.py --write    writes it

clients.csv has one row per client: its version, the date, the command (below `lanewise run --no-report`), how many tests
ran, failed and were skipped, and what the failed ones need. Passed: the others; failures that the tests expect are among them.
"""
import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/driver.md"
BEGIN, END = "<!-- clients' tests -->\n", "<!-- end of clients' tests -->\n"


def table():
    lines = ["| client | tried | tests | ran | passed | failed | skipped | what the failed need |\n", "|---|---|---|---|---|---|---|---|\n"]
    with open(HERE / "clients.csv", newline="") as f:
        for row in csv.DictReader(f):
            ran, failed, skipped = (int(row[name]) for name in ("ran", "failed", "skipped"))
            if min(ran, failed, skipped, ran - failed - skipped) < 0 or bool(failed) != bool(row["what the failed need"]):
                sys.exit(f"clients.csv: the row of {row['client']} contradicts itself")
            lines.append(f"| {row['client']} {row['version']} | {row['date']} | {row['tests']} | {ran} | {ran - failed - skipped} | {failed} | "
                         f"{skipped} | {row['what the failed need']} |\n")
    return "".join(lines)


def main():
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    wanted = before + BEGIN + table() + END + rest.split(END)[1]
    if "--write" in sys.argv:
        PAGE.write_text(wanted)
    elif text != wanted:
        sys.exit("docs/driver.md is not what tests/driver/clients.csv says: run tests/driver/clients.py --write")


if __name__ == "__main__":
    main()
