#!/usr/bin/env python3
"""Runs correct programs under `lanewise run --check`: what is reported must be in alarms.csv, where each row is judged.

  silence.py BUILD [--sample] [--list] [--jobs N] [PROGRAM...]

The programs are those of examples/ and tests/programs*/; --sample: of examples/ only, as the test `examples` compiled them.
--list prints the rows that alarms.csv lacks instead of failing. Notes are not asked for. Exit status: 0 nothing but what is
listed, 1 more or less than that, 77 no nvcc.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import shutil
import subprocess
import sys

import mutants

ALARMS = os.path.join(mutants.HERE, "alarms.csv")
LIMIT_SECONDS = 120


def alarms(lanewise, binary, name, folder):
    """The findings of a program: a set of (program, check, severity, lines)."""
    report = os.path.join(folder, f"silence_{name}.json")
    command = [lanewise, "run", "--no-report", "--check", "--json", report, binary]
    subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS)
    with open(report) as f:
        found = json.load(f)["findings"]
    return {(name, f["check"], f["severity"], mutants.lines_of(f)) for f in found
            if f["severity"] != "note" and f["check"].endswith("check")}


def program_of(name, source, nvcc, build, folder):
    built = os.path.join(build, "examples", name)
    if os.path.dirname(source).endswith("examples") and os.path.exists(built):
        return built
    program = mutants.compile_one(name, source, nvcc, build, folder)
    return program and program.binary


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("program", nargs="*")
    options = parser.parse_intermixed_args()
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        print("silence.py: skipped, no nvcc")
        return 77
    build = os.path.abspath(options.build)
    folder = mutants.prepare(build)
    known = mutants.sources()
    wanted = {n: s for n, s in known.items() if n in options.program or not options.program}
    if options.sample:
        wanted = {n: s for n, s in wanted.items() if os.path.dirname(s).endswith("examples")}
    lanewise = os.path.join(build, "lanewise")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        binaries = dict(zip(wanted, pool.map(lambda n: program_of(n, wanted[n], nvcc, build, folder), wanted)))
        runs = [pool.submit(alarms, lanewise, binary, name, folder) for name, binary in binaries.items() if binary]
        found = set().union(*(r.result() for r in runs))
    listed = {(r["program"], r["check"], r["severity"], r["lines"]) for r in mutants.read_rows(ALARMS) if r["program"] in wanted}
    new, gone = sorted(found - listed), sorted(listed - found)
    if options.list:
        csv.writer(sys.stdout, lineterminator="\n").writerows(new)
        return 0
    for row in new:
        print("not in alarms.csv:", *row)
    for row in gone:
        print("no longer reported:", *row)
    print(f"{len(runs)} programs, {len({row[0] for row in found})} with findings")
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
