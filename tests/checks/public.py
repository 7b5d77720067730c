#!/usr/bin/env python3
"""What the checks say of public programs, judged in public.csv: brings the table of docs/CHECKS.md up to date.

usage: tests/checks/public.py [--write]

Without --write: exit status 1 if the page is not what public.csv says, or a finding has no verdict or no reason."""
import collections
import csv
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "public.csv")
PAGE = os.path.join(HERE, "..", "..", "docs", "CHECKS.md")
VERDICTS = {"true": "true: the program is wrong, or right by luck", "warning by policy": "warnings by policy, of correct code",
            "false": "false alarms"}


def read():
    with open(DATA, newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def unjudged(rows):
    return [r["program"] for r in rows if r["check"] and (r["verdict"] not in VERDICTS or not r["reason"])]


def table(rows):
    programs = {r["program"]: r for r in rows}
    silent = {r["program"] for r in rows if not r["check"]}
    ended = sum(r["ended"] == "yes" for r in programs.values())
    sources = collections.Counter(r["repository"] for r in programs.values()).most_common()
    lines = [f"{len(programs)} programs: {', '.join(f'{name} ({count})' for name, count in sources)}. {ended} ended within 120 seconds. "
             f"In {len(silent)} nothing is found; {len(programs) - len(silent)} have findings:", "",
             "| findings | programs | errors | warnings |", "|---|---|---|---|"]
    for verdict, text in VERDICTS.items():
        those = [r for r in rows if r["verdict"] == verdict]
        count = {s: sum(int(r["findings"]) for r in those if r["severity"] == s) for s in ("error", "warning")}
        lines.append(f"| {text} | {len({r['program'] for r in those})} | {count['error']} | {count['warning']} |")
    for r in rows:
        if r["verdict"] == "false":
            lines += ["", f"False: `{r['program']}`, {r['findings']} of {r['check']} ({r['severity']}): {r['reason']}."]
    return "\n".join(lines) + "\n"


def main():
    rows = read()
    if unjudged(rows):
        print(f"public.csv: no verdict or reason: {', '.join(unjudged(rows))}")
        return 1
    with open(PAGE) as f:
        old = f.read()
    new = re.sub(r"(<!-- public -->\n).*?(<!-- end -->)", lambda m: m[1] + table(rows) + m[2], old, flags=re.S)
    if "--write" in sys.argv:
        with open(PAGE, "w") as f:
            f.write(new)
    elif new != old or "<!-- public -->" not in old:
        print("docs/CHECKS.md is not what public.csv says: run tests/checks/public.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
