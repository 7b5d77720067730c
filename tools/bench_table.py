#!/usr/bin/env python3
"""Writes the table of recorded figures in README.md from ops/bench/results: python3 tools/bench_table.py [--check]

Between <!-- bench --> and <!-- end bench -->: a row per goal, of the newest recording of lanewise-ops-bench that has
its op, else of peers.py (the date stands in each file's comment lines); forced strategies are left out. Peers are
those of both, by op and case: the best of each case, each beside ours in the same run. Cases that are more than 2 %
slower than a peer are named below the table. --check changes nothing and fails if the text differs."""
import csv
import glob
import os
import re
import statistics
import sys
import textwrap

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
    ("conversions, contiguous", "convert", "contiguous$", ""),
    ("conversions that turn", "convert", "(transposed|p021)$", ""),
    ("pads and crops", "(pad|crop)", "", ""),
    ("rows of 256 bytes and more by index", "(gather|scatter)", r"rows of (256|1024|4096) bytes", ""),
    ("any op, 256 KiB to 32 MiB in L2", "cached", "", "0.90"),
    ("host to device, pageable, to 1 MiB", "h2d", (0, 1024), ""),
    ("device to host, pageable, to 1 MiB", "d2h", (0, 1024), ""),
    ("host to device, pageable, 4 MiB", "h2d", (4096, 4096), "0.50"),
    ("device to host, pageable, 4 MiB", "d2h", (4096, 4096), "0.50"),
    ("host to device, pageable, 64 MiB and more", "h2d", (65536, 1 << 30), "0.80"),
    ("device to host, pageable, 64 MiB and more", "d2h", (65536, 1 << 30), "0.80"),
    ("host to device, the same, to as many threads' memcpy", "h2d memcpy", (65536, 1 << 30), "0.90"),
    ("device to host, the same, to as many threads' memcpy", "d2h memcpy", (65536, 1 << 30), "0.90"),
]


SLOWER = 1.02 # a peer's ratio / ours
NAMED = 8     # cases in the text


def date_of(lines):
    for line in lines:
        found = re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", line)
        if found:
            return found[0]
    return ""


def beside_memcpy(rows):
    """The rows of host copies once more, beside what the same threads' memcpy reaches."""
    out = []
    for row in rows:
        found = re.search(r"threads' memcpy ([\d.]+) GB/s", row["plan"])
        if found and float(found[1]): # of small sizes it is 0.00
            ratio = float(row["GB_per_s"]) / float(found[1])
            out.append({**row, "op": row["op"] + " memcpy", "ratio": ratio, "peer_ratio": 0, "peers": ""})
    return out


def recordings():
    """[(date, file, device, rows, notes)], newest first; files without a time of day hold no rows of ours."""
    out = []
    for path in glob.glob(os.path.join(root, "ops", "bench", "results", "*.csv")):
        with open(path, newline="") as f:
            lines = f.read().splitlines()
        notes = [line for line in lines if line.startswith("#")]
        date, device = date_of(notes), next((re.search(r"device ([^,]*)", n)[1] for n in notes if "device " in n), "")
        if date and not any("--seed" in note for note in notes): # other seeds stand in ops/NOTES.md
            rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
            out.append((date, os.path.basename(path), device, rows + beside_memcpy(rows), notes))
    return sorted(out, key=lambda r: (r[0], r[1]), reverse=True)


def fits(case, pattern):
    if isinstance(pattern, str):
        return re.search(pattern, case)
    number = re.search(r"bins (\d+)$|^(\d+) KiB", case)
    forced = re.search(r" s[1-9]| forced", case) # only the strategy that is chosen
    return number and not forced and pattern[0] <= int(number[1] or number[2]) <= pattern[1]


def of_peers(record):
    """Whether peers.py wrote it: ours there is timed together with Python's overhead."""
    return any("peers.py" in note for note in record[4])


def chosen(records, op, pattern):
    """(file, rows) of the newest recording with that op: cases and their figures."""
    for record in sorted(records, key=of_peers):
        rows = record[3]
        if any(re.fullmatch(op, r["op"]) for r in rows):
            return record[1], [r for r in rows if re.fullmatch(op, r["op"]) and fits(r["case"], pattern)]
    return None, []


def peers_of(row):
    """[(ratio, name)], best first; older recordings have one peer."""
    found = [(float(text.rpartition(" ")[2]), text.rpartition(" ")[0])
             for text in (row.get("peers") or "").split("; ") if text]
    if not found and float(row["peer_ratio"] or 0) > 0:
        found = [(float(row["peer_ratio"]), row["peer"])]
    return sorted(found, reverse=True)


def contests(records, op, pattern):
    """[(case, ours, ratio of the best peer, its name, file)] of every file's newest row of the case."""
    out, seen = [], set()
    for record in records:
        for row in record[3]:
            key = (row["op"], row["case"], of_peers(record))
            if not re.fullmatch(op, row["op"]) or not fits(row["case"], pattern) or key in seen:
                continue
            seen.add(key)
            peers = peers_of(row)
            if peers:
                out.append((f"{row['op']} {row['case']}", float(row["ratio"]), *peers[0], record[1]))
    return out


def peer_text(races):
    """The best peer of the cases, as a cell."""
    if not races:
        return ""
    by_case = {}
    for case, ours, ratio, name, _ in races: # the best of a case in whichever run: by how it did beside ours
        if case not in by_case or ratio / ours > by_case[case][0]:
            by_case[case] = (ratio / ours, ratio, name)
    names = [name for _, _, name in by_case.values()]
    most = max(sorted(set(names)), key=names.count)
    ahead = sum(part <= 1 for part, _, _ in by_case.values())
    middle = statistics.median(ratio for _, ratio, _ in by_case.values())
    return f"{most}{' and others' if len(set(names)) > 1 else ''} {middle:.2f}, ahead in {ahead} of {len(by_case)}"


def slower(races):
    """What is more than 2 % slower than a peer, worst first."""
    behind = sorted({(round(ratio / ours, 3), case, ours, ratio, name) for case, ours, ratio, name, _ in races
                     if ratio > SLOWER * ours}, reverse=True)
    if not behind:
        return ["No case is more than 2 % slower than a peer."]
    named = "; ".join(f"{case} {ours:.2f}, {name} {ratio:.2f}" for _, case, ours, ratio, name in behind[:NAMED])
    more = f"; and {len(behind) - NAMED} more" if len(behind) > NAMED else ""
    return [f"More than 2 % slower than a peer, {len(behind)} of {len(races)} comparisons, worst first: {named}{more}."]


def host_lines(records):
    """Host time of planned calls and of making plans."""
    out = []
    for _, name, _, rows, notes in records:
        calls = [(1e3 * (float(r["ms"]) - float(r["denominator_ms"])),
                  r["case"]) for r in rows if r["op"] == "hostcall"]
        plans = [found for note in notes for found in [re.match(r"# (plans of .*)", note)] if found]
        if calls:
            out.append(f"On the host a planned call takes {min(calls)[0]:.1f} to {max(calls)[0]:.1f} us more than bare "
                       f"launches (goal: 3; most: {max(calls)[1]}).")
            out += [f"{found[1][0].upper()}{found[1][1:]} (goal: 20)." for found in plans]
            return [" ".join(out)]
    return out


def table():
    records = recordings()
    lines = ["| NVIDIA H200; 1.00: best plain copy or read | cases | median | worst | goal | best peer, where measured "
             "|",
             "|---|---|---|---|---|---|"]
    used, races = {}, []
    for label, op, pattern, goal in ROWS:
        name, rows = chosen(records, op, pattern)
        if not rows:
            continue
        used[name] = next(r for r in records if r[1] == name)
        ratios = [float(r["ratio"]) for r in rows]
        here = contests([r for r in records if r[1] == name or of_peers(r)], op, pattern)
        races += here
        used.update((r[1], r) for r in records if r[1] in {race[4] for race in here})
        middle = statistics.median(ratios)
        lines.append(f"| {label} | {len(ratios)} | {middle:.2f} | {min(ratios):.2f} | {goal} | {peer_text(here)} |")
    names = ", ".join(f"[{n}](ops/bench/results/{n})" for n in sorted(used))
    if len({device for _, _, device, _, _ in used.values()}) != 1:
        raise SystemExit("the recordings are of several devices")
    lines += [""] + [part for line in slower(races) + host_lines(records) for part in textwrap.wrap(line, 118)]
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
