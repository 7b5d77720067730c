#!/usr/bin/env python3
"""Compares the sectors of fetches from textures with an H100: count_texture.cu under lanewise against ../h100-textures.csv,
to which the rules were fitted, ../h100-more-textures.csv, and ../h200-surfaces.csv.

usage: check_texture_sectors.py BUILD_DIR

Cases are told apart by their size of shared memory: 16 bytes a case.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
# which differ: what lanewise counts
KNOWN = {("3d f32 linear", "random 16"): 139, ("3d u8x4 linear", "random 16"): 139,
         ("2d f32x4 linear", "random 8"): 160, ("levels 3d f32 linear 0.5", "random 16"): 250}


def recorded(table):
    """{(case, pattern): sectors}"""
    with open(os.path.join(HERE, "..", table), encoding="ascii") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["case"], row["pattern"]): max(int(row[name]) for name in row if "_sectors_" in name) for row in rows}


def counted(build, part):
    """{(case, pattern): sectors, or None where they carry a mark}"""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [os.path.join(build, "lanewise"), "run", f"--json={report}", "-o", "/dev/null",
                   os.path.join(HERE, "count_texture.cu"), "--", part]
        out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(report, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
    names = [tuple(line[5:].split(",")) for line in out.splitlines() if line.startswith("CASE ")]
    found = {}
    for launch in launches:
        name = names[launch["dynamic_shared_bytes"] // 16]
        lines = [line for line in launch["lines"] if line["space"] == "texture"]
        exact = all(line["exact"] for line in lines)
        found[name] = sum(line["counters"].get("sectors", 0) for line in lines) if exact else None
    return found


def said(sentences):
    """Prints those that docs/TEXTURES.md does not have; returns how many."""
    with open(os.path.join(HERE, "..", "..", "..", "docs", "TEXTURES.md"), encoding="utf-8") as page:
        text = " ".join(page.read().split())
    missing = [sentence for sentence in sentences if sentence not in text]
    for sentence in missing:
        print(f"docs/TEXTURES.md does not say: {sentence}")
    return len(missing)


def main():
    failed, equal, sentences, apart = 0, 0, [], []
    for table, part in ("h100-textures.csv", "textures"), ("h100-more-textures.csv", "more"), ("h200-surfaces.csv", "surfaces"):
        ours, all_launches, marked, same = counted(sys.argv[1], part), recorded(table), 0, 0
        for name, sectors in all_launches.items():
            if ours.get(name) is None:
                marked += 1
            elif ours.get(name) != KNOWN.get(name, sectors):
                failed += 1
                print(f"{name[0]}, {name[1]}: H100 {sectors}, lanewise {ours.get(name)}")
            else:
                same += name not in KNOWN
                apart += [(abs(sectors - KNOWN[name]), sectors)] if name in KNOWN else []
        equal += same
        sentences.append(f"{table}` ({len(all_launches)} launches: {same} equal, {marked} marked, "
                         f"{len(all_launches) - same - marked} differ)")
    by, of = zip(*apart)
    sentences.append(f"by {min(by)} to {max(by)} of {min(of)} to {max(of)} sectors")
    failed += said(sentences)
    print(f"{equal} equal, {len(KNOWN)} known to differ, {failed} failed")
    sys.exit(1 if failed or equal < 440 else 0)


main()
