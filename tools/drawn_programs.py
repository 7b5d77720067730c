#!/usr/bin/env python3
"""Judges public programs that were drawn at random by their own checks and by what they did on a card; the result is kept for
docs/ACCURACY.md.

usage: tools/drawn_programs.py LIST.csv HERE_DIR CARD_DIR OUT.csv "ABOUT THE DRAW"

LIST.csv: columns program, arguments, repository, source, changed (what of the source was made smaller).
HERE_DIR: NAME.log (what the program printed under `lanewise run`) and NAME.rc ("NAME STATUS MILLISECONDS") of each program.
CARD_DIR: NAME.txt (the first 2,500 and the last 1,500 bytes that it printed on a card) and status (the lines of NAME.rc).
OUT.csv has a row per program; the verdicts are in VERDICTS."""
import csv
import os
import re
import sys
from collections import Counter

PATH = "tests/hw/programs-drawn.csv"
VERDICTS = {
    "passes": "pass by their own check",
    "as the card": "without a check that passes on the card: the same exit status and, but for times and rates, the same output",
    "ends": "without a check of their own: end with status 0; no card has been asked, or their output differs from its in what the column "
            "reason says",
    "wrong": "wrong where a card is right",
    "refused": "need something that is not supported",
    "too long": "did not end in the time allowed",
    "fails": "fail by their own check; no card has been asked",
}
GOOD = ("passes", "as the card", "ends")
FAIL = re.compile(r"\bFAIL(ED|URE)?\b|mismatch|(do|did|does) not match|\bincorrect\b|\bwrong\b|Non-Matching[^:]*: *[1-9]"
                  r"|misses: *[1-9]", re.I)
PASS = re.compile(r"\bPASS(ED)?\b|\bsuccess(fully|ful)?!?\b|no errors?\b|\bcorrect!?|returned OK|^\s*OK\b|arrays match"
                  r"|Non-Matching[^:]*: *0\b|misses: *0\b", re.I | re.M)
REFUSED = re.compile(r"lanewise: .*(not supported|unsupported|cannot be run)")
TIMES = re.compile(r"\b(time|elapsed|bandwidth|took|clocks?|iterations while|speed ?up|efficiency|throughput|ratio|driver)\b"
                   r"|/s\b|flops|\b(ms|us|ns|sec|seconds)\b|tput|NVIDIA|0x[0-9a-f]+|hopper|capability|multi-processors|^[\s,.0-9e+-]*$", re.I)
ENDED_BY_US = ("124", "137", "143")


def comparable(text):
    """The lines that are compared: without blanks at the ends, times, and the folders of paths."""
    lines = (re.sub(r"\S*/(?=\S)", "", line).strip() for line in text.split("\n") if not TIMES.search(line))
    return [line for line in lines if line]


def shown(text):
    """The lines that are compared, of a text cut as CARD_DIR/NAME.txt is."""
    head, tail = text[:2500], text[-1500:]
    if len(text) > 2500:
        head = head.rpartition("\n")[0]
    if len(text) > 1500:
        tail = tail.partition("\n")[2]
    return comparable(head + "\n" + tail)


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, errors="replace") as f:
        return f.read()


def card_lines(text):
    head, _, tail = text.rpartition("\n[...]\n")
    whole = len(head) < 2500  # then the tail repeats it
    head, tail = head if whole else head.rpartition("\n")[0], tail if len(tail) < 1500 else tail.partition("\n")[2]
    return comparable(head + "\n" + tail)


def own_check(text):
    """What a program says of itself: pass, fail or nothing."""
    return "fail" if FAIL.search(text) else "pass" if PASS.search(text) else ""


def judge(here, status, card, card_status, explained=False):
    """(verdict, own check here, own check on the card). explained: LIST.csv says why the outputs differ."""
    mine, theirs = own_check(here), None if card is None else own_check(card)
    if REFUSED.search(here):
        return "refused", mine, theirs
    if status in ENDED_BY_US:
        return "too long", mine, theirs
    if mine == "pass" and (card is None or theirs == "pass" or not theirs) and status == "0":
        return "passes", mine, theirs
    if card is not None and mine != "pass" and theirs == "pass":
        return "wrong", mine, theirs
    if card is not None and status == card_status and shown(here) == card_lines(card):
        return "as the card", mine, theirs
    if card is None and (mine == "fail" or status != "0"):
        return "fails", mine, theirs
    if status == "0" and not mine and (card is None or (card_status == "0" and explained)):
        return "ends", mine, theirs
    return "differs", mine, theirs


def statuses(path):
    text = read(path) or ""
    return {fields[0]: fields[1] for fields in (line.split() for line in text.splitlines()) if len(fields) > 1}


def main():
    list_path, here_dir, card_dir, out, about = sys.argv[1:]
    card_status = statuses(f"{card_dir}/status")
    with open(list_path) as f:
        programs = list(csv.DictReader(f))
    with open(out, "w", newline="") as f:
        f.write(f"# {about}\n")
        table = csv.writer(f, lineterminator="\n")
        table.writerow(["program", "arguments", "repository", "source", "changed", "verdict", "check_here", "check_card", "reason"])
        for p in programs:
            name = p["program"]
            status = statuses(f"{here_dir}/{name}.rc").get(name, "")
            here, card = read(f"{here_dir}/{name}.log") or "", read(f"{card_dir}/{name}.txt")
            verdict, mine, theirs = judge(here, status, card, card_status.get(name), bool(p.get("reason")))
            table.writerow([name, p["arguments"], p["repository"], p["source"], p["changed"], verdict, mine,
                            "not asked" if theirs is None else theirs, p.get("reason") or ""])


def section():
    """The chapter of docs/ACCURACY.md."""
    if not os.path.exists(PATH):
        return ""
    with open(PATH) as f:
        lines = f.readlines()
    about = "".join(l[2:] for l in lines if l.startswith("# ")).strip()
    rows = list(csv.DictReader(l for l in lines if not l.startswith("# ")))
    good = sum(r["verdict"] in GOOD for r in rows)
    asked = sum(r["check_card"] != "not asked" for r in rows)
    wrong = sum(r["verdict"] == "wrong" for r in rows)
    sources = Counter(r["repository"] for r in rows).most_common()
    page = f"## Public programs by their own check\n\n{about} The list: `{PATH}`, by `tools/drawn_programs.py`. Programs: " \
           f"{', '.join(f'{name} ({count})' for name, count in sources)}.\n\n" \
           f"**{good} of {len(rows)} programs ({100 * good / len(rows):.1f} %) end as they should.** " \
           + (f"{asked} of them were run on a card, too: {wrong} are wrong here where the card is right." if asked else
              "What a card says is not compared yet.") + "\n\n| programs that | number |\n|---|---|\n"
    for verdict, text in VERDICTS.items():
        count = sum(r["verdict"] == verdict for r in rows)
        page += f"| {text} | {count} |\n" if count else ""
    bad = [r for r in rows if r["verdict"] not in GOOD]
    page += "\n" + "".join(f"- `{r['program']}` ({r['repository']}): {r['verdict']}{': ' if r['reason'] else ''}{r['reason']}\n" for r in bad)
    return page.rstrip("\n") + "\n\n"


if __name__ == "__main__":
    main()
