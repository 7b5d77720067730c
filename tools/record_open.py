#!/usr/bin/env python3
"""Turns what tools/record_open.sh recorded into one table on standard output.

usage: tools/record_open.py RAW_DIR >tests/hw/h200-open.csv

Comments with device, driver, toolkit, date and command, then the columns experiment, op, name, source, destination
(byte offsets of the lanes, -1 inactive), counters ("name=value", zeros left out).
"""
import csv
import glob
import os
import re
import sys

COUNTERS = re.compile(r"^(l1tex__|lts__|smsp__sass|idc__|dram__).*\.sum$")
OF_LAUNCHES = re.compile(r"^launch__(occupancy_limit_(blocks|registers|shared_mem|warps)|registers_per_thread"
                         r"|shared_mem_per_block_dynamic)$")


def number(text):
    value = float(text.replace(",", "") or 0)
    return int(value) if value == int(value) else value


def main():
    raw = sys.argv[1]
    out = csv.writer(sys.stdout, lineterminator="\n")
    for line in open(os.path.join(raw, "header")):
        print("#", line.rstrip())
    out.writerow(["experiment", "op", "name", "source", "destination", "counters"])
    for path in sorted(glob.glob(os.path.join(raw, "*.cases"))):
        cases = [line.rstrip("\n").split(",")[1:] for line in open(path) if line.startswith("CASE")]
        rows = list(csv.reader(line for line in open(path[:-len("cases")] + "csv") if not line.startswith("==")))
        if len(rows) - 2 != len(cases):
            sys.exit(f"{path}: {len(cases)} cases, {len(rows) - 2} launches")
        for case, row in zip(cases, rows[2:]):
            wanted = OF_LAUNCHES if case[0] == "occupancy" else COUNTERS
            counters = [(re.sub(r"\.sum$", "", n), number(v)) for n, v in zip(rows[0], row) if wanted.match(n)]
            out.writerow(case + [" ".join(f"{name}={value}" for name, value in counters if value)])


main()
