#!/usr/bin/env python3
"""Writes VERDICTS.md, and README's table: what lanewise finds in the small programs, and what compute-sanitizer found on a GPU
(verdicts.csv). A case in open.txt counts as one that lanewise gets wrong.

  verdicts.py [--check]    --check: fails if the page is not current
"""
import csv
import os
import sys

import run

PAGE = os.path.join(run.HERE, "VERDICTS.md")
README = os.path.join(run.HERE, "..", "..", "README.md")
BEGIN, END = "<!-- verdicts -->\n", "<!-- end of verdicts -->"
HEAD = """# Verdicts on the small programs

Written by `verdicts.py` from `verdicts.csv` (compute-sanitizer 2025.3.1 on an H200 or, where its head says so,
an H100) and the comments of the sources, which `run.py` checks. "silent" beside a case to find is a miss; beside a right case, "found" is a false alarm or another opinion. A case
in `open.txt` differs from its comment, for the reason given there; "not recorded" has not been run on a GPU.

| case | is | lanewise | compute-sanitizer |
|---|---|---|---|
"""


def page():
    with open(os.path.join(run.HERE, "verdicts.csv")) as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    theirs = {}
    for row in rows:
        found = theirs.setdefault(row["case"], [])
        if row["verdict"] == "found":
            found.append(row["tool"])
    counts, missing, known = {}, 0, run.read_open()
    text = HEAD
    for source in sorted(f for f in os.listdir(run.HERE) if f.endswith(".cu")):
        for name, case in run.read_cases(source).items():
            ours = sorted({f"{check} {kinds[0]}" for check, kinds in case["lines"].values()})
            kind = "right" if case["silent"] else "to find"
            verdict = ", ".join(sorted(theirs[name])) or "silent" if name in theirs else "not recorded"
            mark = " (open)" if name in known else ""
            text += f"| {name} | {kind} | {', '.join(ours) or 'silent'}{mark} | {verdict} |\n"
            if name not in theirs:
                missing += 1
                continue
            key = (kind, bool(ours) != (name in known), bool(theirs[name]))
            counts[key] = counts.get(key, 0) + 1
    columns = [(True, True), (True, False), (False, True), (False, False)]
    table = "| programs | reported by both | by lanewise alone | by compute-sanitizer alone | by neither |\n|---|---|---|---|---|\n"
    for kind, name in (("to find", "with a bug"), ("right", "without one")):
        table += f"| {name} | " + " | ".join(str(counts.get((kind, *c), 0)) for c in columns) + " |\n"
    return text + "\n" + table + f"\nNot recorded on a GPU: {missing}.\n", table


def with_table(table):
    with open(README) as f:
        before, rest = f.read().split(BEGIN)
    return before + BEGIN + table + END + rest.split(END)[1]


def main():
    text, table = page()
    for path, wanted in ((PAGE, text), (README, with_table(table))):
        if "--check" in sys.argv:
            with open(path) as f:
                if f.read() != wanted:
                    sys.exit(f"{os.path.basename(path)} is not current: run tests/checks/verdicts.py")
            continue
        with open(path, "w") as f:
            f.write(wanted)


main()
