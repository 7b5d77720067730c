#!/usr/bin/env python3
"""The findings of the cases of tests/checks/ are the same on one host thread and on two, and in any order of warps and blocks.

  same.py BUILD [--seeds N] [--every N] [--jobs N] [--out FILE] [case...]
  same.py --page [--write]                                                  the figures of docs/CHECKS.md

Each case runs with --threads 1 and 2, and with --schedule=random:1 to random:N; which lines are named, by which check and
how severely, must be the same. --every N: only every Nth case. same.txt lists the cases whose findings depend on the order,
each with the reason. same.csv has what a full run found (--out): of each case the number of runs, and of how many the findings are
others than those of the run on one thread. --page fails if a case has no row, if one differs that is not listed, or if the page
is not what same.csv says; --write brings the page up to date. Exit status: 0 the same, 1 something differs, 77 no nvcc.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys

import run

LISTED = os.path.join(run.HERE, "same.txt")
RESULTS = os.path.join(run.HERE, "same.csv")
PAGE = os.path.join(run.HERE, "..", "..", "docs", "CHECKS.md")
COLUMNS = ["case", "source", "runs", "differ"]


def findings(lanewise, program, name, folder, options):
    """The findings of one run, as a set, or None: the run did not end in time."""
    report = os.path.join(folder, "_".join([name] + options).replace("/", "_").replace(":", "_") + ".json")
    check = run.checks_of(name, os.path.basename(program) + ".cu", "all")
    command = [lanewise, "run", "--no-report", "--check=" + check, "--json", report, *options, program, name]
    try:
        subprocess.run(command, capture_output=True, timeout=run.LIMIT_SECONDS)
        with open(report) as f:
            found = json.load(f)["findings"]
    except (subprocess.TimeoutExpired, OSError, ValueError):
        return None
    os.remove(report)
    return {(f["check"], f["severity"], *sorted({p["line"] for p in [f] + f.get("related", []) if "line" in p})) for f in found}


def differences(lanewise, program, name, folder, seeds):
    """What differs from the run on one thread: a list of texts."""
    orders = [["--threads", "2"]] + [["--threads", "1", f"--schedule=random:{s}"] for s in range(1, seeds + 1)]
    first = findings(lanewise, program, name, folder, ["--threads", "1"])
    found = [(o, findings(lanewise, program, name, folder, o)) for o in orders]
    return [f"{' '.join(order)}: {describe(first, other)}" for order, other in found if other != first]


def describe(first, other):
    if first is None or other is None:
        return "a run does not end"
    texts = [f"no {' '.join(map(str, f))}" for f in sorted(first - other)]
    return ", ".join(texts + [" ".join(map(str, f)) for f in sorted(other - first)])


def read_listed():
    with open(LISTED) as f:
        rows = [line.split(None, 1) for line in f if line.strip() and not line.startswith("#")]
    return {row[0]: row[1].strip() for row in rows}


def all_cases():
    sources = sorted(f for f in os.listdir(run.HERE) if f.endswith(".cu"))
    return [(name, source) for source in sources for name in run.read_cases(source)]


# ---------------------------------------------------------------- the page
def page_text(rows, listed):
    others = [r for r in rows if int(r["differ"])]
    runs = sum(int(r["runs"]) for r in rows)
    text = (f"{len(rows)} small programs, {runs} runs beside the one with `--threads 1`: in {len(rows) - len(others)} programs the findings "
            f"are the same in all runs, in {len(others)} they depend on the order:\n\n| program | runs that differ | why |\n|---|---|---|\n")
    return text + "".join(f"| `{r['case']}` | {r['differ']} of {r['runs']} | {listed[r['case']]} |\n" for r in others)


def page(write):
    with open(RESULTS, newline="") as f:
        rows = list(csv.DictReader(f))
    listed, recorded = read_listed(), {(r["case"], r["source"]) for r in rows}
    wrong = [f"{name}: no row in same.csv" for name, source in all_cases() if (name, source) not in recorded]
    wrong += [f"{r['case']}: differs, and is not in same.txt" for r in rows if int(r["differ"]) and r["case"] not in listed]
    for text in wrong:
        print(text)
    if wrong:
        return 1
    with open(PAGE) as f:
        old = f.read()
    new = re.sub(r"(<!-- same -->\n).*?(<!-- end -->)", lambda m: m[1] + page_text(rows, listed) + m[2], old, flags=re.S)
    if write:
        with open(PAGE, "w") as f:
            f.write(new)
    elif new != old or "<!-- same -->" not in old:
        print("docs/CHECKS.md is not what same.csv says: run tests/checks/same.py --page --write")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    if options.page:
        return page(options.write)
    if not options.build:
        parser.error("BUILD is missing")
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("same.py: skipped, no nvcc")
        return 77
    build = os.path.abspath(options.build)
    lanewise, folder = os.path.join(build, "lanewise"), os.path.join(build, "checks")
    os.makedirs(folder, exist_ok=True)
    wanted = [c for c in all_cases()[::options.every] if not options.case or c[0] in options.case]
    listed = read_listed()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        needed = sorted({source for _, source in wanted})
        programs = dict(zip(needed, pool.map(lambda s: run.build(s, nvcc, os.path.join(build, "lib"), folder), needed)))
        runs = [(name, source, pool.submit(differences, lanewise, programs[source], name, folder, options.seeds)) for name, source in wanted]
    bad = 0
    if options.out:
        with open(options.out, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows(
                [COLUMNS] + [[name, source, options.seeds + 1, len(done.result())] for name, source, done in runs])
    for name, _, done in runs:
        if name in listed:
            continue
        for text in done.result():
            print(f"{name} {text}")
        bad += bool(done.result())
    print(f"{len(wanted)} cases, {len(set(listed) & {n for n, _ in wanted})} listed, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
