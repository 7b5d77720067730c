#!/usr/bin/env python3
"""Compares the sectors of copies by tensor maps with an H100: count_texture.cu under lanewise against ../h100-tensor-copies.csv.

usage: check_tensor_copies.py BUILD_DIR

Loads: what comes from the L2 cache into the multiprocessor, the part of the box beyond the tensor's edges, which is filled,
included. Stores and reductions: what leaves it. Cases are told apart by their size of shared memory: 65,536 bytes and 16 a case.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IN, OUT = "l1tex__m_xbar2l1tex_read_sectors_pipe_tma", "l1tex__m_l1tex2xbar_write_sectors_pipe_tma"


def recorded():
    with open(os.path.join(HERE, "..", "h100-tensor-copies.csv"), encoding="ascii") as table:
        return list(csv.DictReader(line for line in table if not line.startswith("#")))


def counted(build):
    """{case: sectors of global memory}"""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [os.path.join(build, "lanewise"), "run", f"--json={report}", "-o", "/dev/null",
                   os.path.join(HERE, "count_texture.cu"), "--", "maps"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        with open(report, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
    found = {}
    for launch in launches:
        lines = [line for line in launch["lines"] if line["space"] == "global"]
        marked = [line for line in lines if not line["exact"]]
        sectors = sum(line["counters"].get("sectors", 0) for line in lines)
        found[(launch["dynamic_shared_bytes"] - 65536) // 16] = "marked" if marked else sectors
    return found


def main():
    card, ours = recorded(), counted(sys.argv[1])
    wrong = 0
    for number, row in enumerate(card):
        sectors = max(int(row[IN]), int(row[OUT]))
        if ours.get(number) != sectors:
            wrong += 1
            print(f"{row['case']}, {row['pattern']}: H100 {sectors}, lanewise {ours.get(number)}")
    print(f"{len(card) - wrong} passed, {wrong} failed")
    sys.exit(1 if wrong or len(card) < 90 else 0)


main()
