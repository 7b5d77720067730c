#!/usr/bin/env python3
"""What the checks say of public programs, judged in public*.csv: brings the tables of docs/CHECKS.md up to date.

usage: tests/checks/public.py [--write]

Without --write: exit status 1 if the page is not what they say, or a finding has no verdict or no reason."""
import collections
import csv
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = {"public": ("public.csv", 120), "public more": ("public-more.csv", 20),
        "public ggml": ("public-ggml.csv", 320)}  # place in the page: data, seconds that a program got
PAGE = os.path.join(HERE, "..", "..", "docs", "CHECKS.md")
VERDICTS = {"true": "true: the program is wrong, or right by luck", "warning by policy": "warnings by policy, of correct code",
            "false": "false alarms"}


def read(name):
    with open(os.path.join(HERE, name), newline="") as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def unjudged(rows):
    return [r["program"] for r in rows if r["check"] and (r["verdict"] not in VERDICTS or not r["reason"])]


def table(rows, seconds):
    programs = {r["program"]: r for r in rows}
    silent = {r["program"] for r in rows if not r["check"]}
    ended = sum(r["ended"] == "yes" for r in programs.values())
    sources = collections.Counter(r["repository"] for r in programs.values()).most_common()
    lines = [f"{len(programs)} programs: {', '.join(f'{name} ({count})' for name, count in sources)}. {ended} ended within {seconds} seconds. "
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


def update(page, place, name, seconds):
    """The page with the table of one set. Raises ValueError: a finding is not judged, or the page has no such place."""
    rows = read(name)
    if unjudged(rows):
        raise ValueError(f"{name}: no verdict or reason: {', '.join(unjudged(rows))}")
    if f"<!-- {place} -->" not in page:
        raise ValueError(f"docs/CHECKS.md has no place for {name}")
    return re.sub(rf"(<!-- {place} -->\n).*?(<!-- end -->)", lambda m: m[1] + table(rows, seconds) + m[2], page, flags=re.S)


def main():
    with open(PAGE) as f:
        old = new = f.read()
    try:
        for place, (name, seconds) in SETS.items():
            new = update(new, place, name, seconds)
    except ValueError as error:
        print(error)
        return 1
    if "--write" in sys.argv:
        with open(PAGE, "w") as f:
            f.write(new)
    elif new != old:
        print("docs/CHECKS.md is not what public*.csv say: run tests/checks/public.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
