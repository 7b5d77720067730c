#!/usr/bin/env python3
"""Compares what an H100 counts of copies by tensor maps, and of sparse wgmma, with lanewise.

usage: check_tensor_copies.py BUILD_DIR

Loads: what comes from the L2 cache into the multiprocessor, the part of the box beyond the tensor's edges, which is filled,
included; of multicasts what the L2 cache reads, once for all blocks. Stores and reductions: what leaves it. Cases are told apart by their
size of shared memory. ../h100-tensor-copies.csv: count_texture.cu; ../h100-more-tensor-copies.csv: ../tensor/count_tensor_map.cu, whose even
cases rules were fitted to, whose odd ones were not looked at; ../h200-more-tensor-copies.csv: the same program, to which the rules of
multicasts and interleaved maps were fitted, but for the parts slices16 and edges. ../h100-sparse-wgmma.csv: ../kernels/wgmma_sparse.cu.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IN, OUT = "l1tex__m_xbar2l1tex_read_sectors_pipe_tma", "l1tex__m_l1tex2xbar_write_sectors_pipe_tma"

READ = "lts__t_sectors_srcunit_tex_op_read"
TABLES = {"h100-more-tensor-copies.csv": ("tiles", "strides", "columns", "others", "casts", "interleaved"),
          "h200-more-tensor-copies.csv": ("more-casts", "bulks", "sliced", "slices16", "edges")}

def table(name):
    with open(os.path.join(HERE, "..", name), encoding="ascii") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def launches_of(build, program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [os.path.join(build, "lanewise"), "run", f"--json={report}", "-o", "/dev/null", program, *arguments]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        with open(report, encoding="utf-8") as file:
            return json.load(file)["launches"]


def counted(build, base, program, *arguments):
    """{case: sectors of global memory}"""
    found = {}
    for launch in launches_of(build, os.path.join(HERE, program), *arguments):
        lines = [line for line in launch["lines"] if line["space"] == "global"]
        marked = [line for line in lines if not line["exact"]]
        sectors = sum(line["counters"].get("sectors", 0) for line in lines)
        found[(launch["dynamic_shared_bytes"] - base) // 16] = "marked" if marked else sectors
    return found


def compare(card, ours, part):
    """How many differ; card: [(number, row)]"""
    wrong = 0
    for number, row in card:
        to_one = part == "maps" or (part != "bulks" and " mask 0/" in row["case"])
        sectors = max(int(row[IN]), int(row[OUT])) if to_one else int(row[READ])
        if ours.get(number) != sectors:
            wrong += 1
            print(f"{part} {number}, {row['case']}: H100 {sectors}, lanewise {ours.get(number)}")
    return wrong


def compare_sparse(build):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "wgmma_sparse")
        subprocess.run(["nvcc", "-gencode", "arch=compute_90a,code=compute_90a", "-lineinfo", "-o", program, "-cudart", "shared",
                        os.path.join(HERE, "..", "kernels", "wgmma_sparse.cu")], check=True)
        ours, card = {}, {}
        for launch in launches_of(build, program):
            key = launch["kernel"].split("(")[0], launch["block"][0]
            for line in launch["lines"]:
                if line["space"] == "shared" and line["exact"]:
                    ours[key] = ours.get(key, 0) + line["counters"]["wavefronts"]
        for row in table("h100-sparse-wgmma.csv"):
            key = row["kernel"], int(row["threads"])
            card[key] = card.get(key, 0) + int(row["wavefronts"])
    for key in card:
        if ours.get(key) != card[key]:
            print(f"{key}: H100 {card[key]}, lanewise {ours.get(key)}")
    return sum(ours.get(key) != card[key] for key in card), len(card)


def main():
    build = sys.argv[1]
    card = list(enumerate(table("h100-tensor-copies.csv")))
    wrong, cases = compare(card, counted(build, 65536, "count_texture.cu", "--", "maps"), "maps"), len(card)
    for name, parts in TABLES.items():
        for part in parts:
            card = [(int(row["number"]), row) for row in table(name) if row["part"] == part]
            ours = counted(build, 32768, "../tensor/count_tensor_map.cu", "-lcuda", "--", part)
            wrong += compare(card, ours, part)
            cases += len(card)
    sparse_wrong, sparse_cases = compare_sparse(build)
    wrong += sparse_wrong
    cases += sparse_cases
    print(f"{cases - wrong} passed, {wrong} failed")
    sys.exit(1 if wrong or cases < 500 else 0)


main()
