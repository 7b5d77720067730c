#!/usr/bin/env python3
"""Writes the table of recorded figures in README.md from ops/bench/results: python3 tools/bench_table.py [--check]

Between <!-- bench --> and <!-- end bench -->: a row per goal, of the newest recording that has its op (the date stands
in each file's comment lines); forced strategies are left out. --check changes nothing and fails if the text differs."""
import csv
import glob
import os
import re
import statistics
import sys

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
readme = os.path.join(root, "README.md")

# label, op, pattern of the case (or from..to bins or KiB), goal of the median
ROWS = [
    ("transpose, large, 4 to 16 B", "transpose", r" e(4|8|12|16)$", "0.97"),
    ("transpose, large, 2 B", "transpose", r" e2$", "0.95"),
    ("transpose, large, 1 B", "transpose", r" e1$", "0.93"),
    ("transpose, odd sizes and bases, 4 to 16 B", "transodd", r" e(4|8|12|16)( |$)", "0.88"),
    ("transpose, odd, 2 B", "transodd", r" e2( |$)", "0.75"),
    ("transpose, odd, 1 B", "transodd", r" e1( |$)", "0.60"),
    ("batches of small matrices", "batch", r" e4$", "0.85"),
    ("permute, rank 3 to 7, 4 B and more", "permute4", "", "0.92"),
    ("permute, rank 3 to 7, 1 and 2 B", "permute1", "", "0.80"),
    ("transpose in place, square", "square", "", "0.90"),
    ("in place, general, 4 B", "inplace", " e4", "0.18"),
    ("in place, at most 64 columns", "inplacefew", "", "0.40"),
    ("flip", "flip", "", "0.97"),
    ("flip in place", "flipin", "", "0.95"),
    ("AoS to SoA, fields of 4 B", "aos2soa", r"bytes$", "0.93"),
    ("SoA to AoS, fields of 4 B", "soa2aos", r"bytes$", "0.93"),
    ("AoS and SoA, mixed sizes", "(aos2soa|soa2aos)", "mixed", "0.85"),
    ("histogram, 4 B, to 32 K bins", "hist", (0, 32768), "0.93"),
    ("histogram, 4 B, 57 K bins", "hist", (32769, 58000), "0.90"),
    ("histogram, 4 B, 64 to 112 K bins", "hist", (58001, 115000), "0.70"),
    ("histogram, 4 B, 128 to 256 K bins", "hist", (115001, 262144), "0.45"),
    ("histogram, 4 B, 512 K to 1 M bins", "hist", (262145, 1048576), "0.30"),
    ("histogram, u8, 256 bins, uniform", "hist8", r"uniform s0", "0.70"),
    ("histogram, u8, 256 bins, constant", "hist8", r"constant s0", "0.85"),
    ("histogram, u16, 65,536 bins", "hist16", r"s1", "0.45"),
    ("histogram, even levels, f32 and f64", "histeven", r"f(32|64) uniform", ""),
    ("histogram, edges, f32", "histedges", r"f32", "0.55"),
    ("histogram, edges, f64", "histedges", r"f64", "0.65"),
    ("histogram, f32 weights, uniform", "histweights", r"uniform f32 weights bins", "0.60"),
    ("host to device, pageable, 64 MiB and more", "h2d", (65536, 1 << 30), "0.80"),
    ("device to host, pageable, 64 MiB and more", "d2h", (65536, 1 << 30), "0.80"),
]


def date_of(lines):
    for line in lines:
        found = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", line)
        if found:
            return found[0]
    return ""


def recordings():
    """[(date, file, device, rows)], newest first; files without a time of day hold no rows of ours."""
    out = []
    for path in glob.glob(os.path.join(root, "ops", "bench", "results", "*.csv")):
        with open(path, newline="") as f:
            lines = f.read().splitlines()
        notes = [line for line in lines if line.startswith("#")]
        date, device = date_of(notes), next((re.search(r"device ([^,]*)", n)[1] for n in notes if "device " in n), "")
        if date:
            rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
            out.append((date, os.path.basename(path), device, rows))
    return sorted(out, key=lambda r: (r[0], r[1]), reverse=True)


def fits(case, pattern):
    if isinstance(pattern, str):
        return re.search(pattern, case)
    number = re.search(r"bins (\d+)$|^(\d+) KiB", case)
    forced = re.search(r" s[1-9]", case) # of histograms: only the strategy that is chosen
    return number and not forced and pattern[0] <= int(number[1] or number[2]) <= pattern[1]


def chosen(records, op, pattern):
    for date, name, device, rows in records:
        if any(re.fullmatch(op, r["op"]) for r in rows):
            return name, [r for r in rows if re.fullmatch(op, r["op"]) and fits(r["case"], pattern)]
    return None, []


def table():
    records = recordings()
    lines = ["| NVIDIA H200; 1.00: best plain copy or read | cases | median | worst | goal | peer, where measured |",
             "|---|---|---|---|---|---|"]
    used = {}
    for label, op, pattern, goal in ROWS:
        name, rows = chosen(records, op, pattern)
        if not rows:
            continue
        used[name] = next(r for r in records if r[1] == name)
        ratios = [float(r["ratio"]) for r in rows]
        peers = [(float(r["ratio"]), float(r["peer_ratio"]), r["peer"])
                 for r in rows if float(r["peer_ratio"] or 0) > 0]
        peer = ""
        if peers:
            ahead = sum(a >= b for a, b, _ in peers)
            peer = f"{peers[0][2]} {statistics.median(p[1] for p in peers):.2f}, ahead of it in {ahead} of {len(peers)}"
        middle = statistics.median(ratios)
        lines.append(f"| {label} | {len(ratios)} | {middle:.2f} | {min(ratios):.2f} | {goal} | {peer} |")
    names = ", ".join(f"[{n}](ops/bench/results/{n})" for n in sorted(used))
    if len({device for _, _, device, _ in used.values()}) != 1:
        raise SystemExit("the recordings are of several devices")
    lines += ["", f"Recorded {min(r[0] for r in used.values())[:10]}, newest recording of each op: {names}."]
    return "\n".join(lines)


def main():
    with open(readme) as f:
        text = f.read()
    pattern = re.compile(r"(<!-- bench -->\n).*?(<!-- end bench -->)", re.S)
    if not pattern.search(text):
        raise SystemExit("README.md has no place for the table: <!-- bench -->")
    fresh = pattern.sub(lambda m: m[1] + table() + "\n" + m[2], text)
    if "--check" in sys.argv:
        if fresh != text:
            raise SystemExit("README.md: the table of recorded figures is not up to date: python3 tools/bench_table.py")
        return
    with open(readme, "w") as f:
        f.write(fresh)


main()
