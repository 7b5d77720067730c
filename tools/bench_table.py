#!/usr/bin/env python3
"""Writes the recorded figures of liblanewise-ops from ops/bench/results: python3 tools/bench_table.py [--check]

Three places: ops/RESULTS.md has a row per goal, of the newest recording of lanewise-ops-bench that has its op, else of
peers.py (the date stands in each file's comment lines); forced strategies are left out. Peers are those of both, by op
and case: the best of each case, each beside ours in the same run. Cases that are more than 2 % slower than a peer are
named below the table. ops/results.svg is a chart of the families in BARS; README.md has these between <!-- bench -->
and <!-- end bench -->. --check changes nothing and fails if a text differs."""
import csv
import glob
import os
import re
import statistics
import sys
import textwrap
from xml.sax.saxutils import escape

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

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

# families of the chart and of README.md: label, op, pattern of the case
BARS = [
    ("transpose, large", "transpose", ""),
    ("transpose, odd sizes and addresses", "transodd", ""),
    ("transpose, batches of small matrices", "batch", ""),
    ("permute, rank 3 to 7", "permute[14]", ""),
    ("transpose in place, square", "square", ""),
    ("transpose in place, other shapes", "inplace(few)?", ""),
    ("flip", "flip", ""),
    ("AoS to SoA and back", "(aos2soa|soa2aos)", ""),
    ("histogram, up to 32 K bins", "hist", (0, 32768)),
    ("histogram, 64 K to 1 M bins", "hist", (58001, 1048576)),
    ("conversions", "convert", ""),
    ("host copies, pageable, 64 MiB and more", "(h2d|d2h)", (65536, 1 << 30)),
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
        if date and not any("--seed" in note for note in notes): # other seeds stand in ops/EXPERIMENTS.md
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


def by_case(races):
    """{case: (peer's ratio / ours, peer's ratio, name)} of the best peer of a case in whichever run."""
    best = {}
    for case, ours, ratio, name, _ in races:
        if case not in best or ratio / ours > best[case][0]:
            best[case] = (ratio / ours, ratio, name)
    return best


def most_common(best):
    names = [name for _, _, name in best.values()]
    most = max(sorted(set(names)), key=names.count)
    return f"{most}{' and others' if len(set(names)) > 1 else ''}"


def peer_text(races):
    """The best peer of the cases, as a cell."""
    if not races:
        return ""
    best = by_case(races)
    ahead = sum(part <= 1 for part, _, _ in best.values())
    middle = statistics.median(ratio for _, ratio, _ in best.values())
    return f"{most_common(best)} {middle:.2f}, ahead in {ahead} of {len(best)}"


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


def table(records):
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
    if len({device for _, _, device, _, _ in used.values()}) != 1:
        raise SystemExit("the recordings are of several devices")
    lines += [""] + [part for line in slower(races) + host_lines(records) for part in textwrap.wrap(line, 118)]
    lines += ["", f"Recorded {min(r[0] for r in used.values())[:10]}, newest recording of each op:", ""]
    return lines + [f"- [{n}](bench/results/{n})" for n in sorted(used)]


def results(records):
    """The text of ops/RESULTS.md."""
    return "\n".join([
        "# Recorded figures of liblanewise-ops", "",
        "Written by `tools/bench_table.py` from `bench/results/`; do not edit. `lanewise bench` records and shows such figures.",
        "Ratios of speed to the best plain copy (or read) of the same bytes in the same run, so that 1.00 is what the memory",
        "allows. [EXPERIMENTS.md](EXPERIMENTS.md) says what was tried and what bounds what is below its goal.", "",
        "![Speed of each family of operations, as a share of a plain copy's](results.svg)", "",
        *table(records), ""])


def bars(records):
    """[(label, cases, our median, the best peers' median or None, their name, all about them)] of the chart."""
    out = []
    for label, op, pattern in BARS:
        name, rows = chosen(records, op, pattern)
        races = contests([r for r in records if r[1] == name or of_peers(r)], op, pattern)
        best = by_case(races)
        ours = statistics.median(float(r["ratio"]) for r in rows)
        peer = statistics.median(ratio for _, ratio, _ in best.values()) if best else None
        out.append((label, len(rows), ours, peer, most_common(best) if best else "", peer_text(races)))
    return out


def summary(rows):
    """The part of README.md: the chart and a line per family."""
    lines = ["![Speed of each family of operations, as a share of a plain copy's](ops/results.svg)", "",
             "| NVIDIA H200; 1.00: best plain copy or read | cases | median | best peer, where measured |",
             "|---|---|---|---|"]
    lines += [f"| {label} | {cases} | {ours:.2f} | {text} |" for label, cases, ours, _, _, text in rows]
    return "\n".join(lines)


# One set of colours that can be read on white and on black: a page does not tell an image which of them it has.
STYLE = """\
  text { font: 13px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #6e7781 }
  .small { font-size: 11px }
  .grid { stroke: #8c959f; stroke-opacity: 0.35 }
  .limit { stroke: #8c959f; stroke-dasharray: 3 3 }
  .ours { fill: #2f9e55 }
  .peer { fill: #99a2ac }"""


def chart(rows):
    """An SVG: two bars per family, ours and the best peer's, on a scale to which a plain copy is 1."""
    left, scale, high, top = 290, 400, 34, 54
    width, height = left + int(scale * 1.1) + 140, top + high * len(rows) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'role="img">',
           "<title>Speed of liblanewise-ops on an NVIDIA H200, as a share of the best plain copy's</title>",
           f"<style>\n{STYLE}\n</style>",
           f'<rect class="ours" x="{left}" y="12" width="12" height="12"/>'
           f'<text x="{left + 18}" y="23">liblanewise-ops</text>',
           f'<rect class="peer" x="{left + 140}" y="12" width="12" height="12"/>'
           f'<text x="{left + 158}" y="23">best peer of each case, where measured</text>']
    for tenth in range(0, 11, 2):
        x = left + scale * tenth / 10
        kind = "limit" if tenth == 10 else "grid"
        out.append(f'<line class="{kind}" x1="{x:g}" y1="{top - 8}" x2="{x:g}" y2="{height - 26}"/>'
                   f'<text class="small" x="{x:g}" y="{height - 10}" text-anchor="middle">{tenth / 10:.1f}</text>')
    out.append(f'<text class="small" x="{left + scale:g}" y="{top - 13}" text-anchor="middle">plain copy</text>')
    for i, (label, _, ours, peer, name, _) in enumerate(rows):
        y = top + high * i
        out.append(f'<text x="{left - 10}" y="{y + 17}" text-anchor="end">{escape(label)}</text>'
                   f'<rect class="ours" x="{left}" y="{y + 2}" width="{scale * ours:.1f}" height="13" rx="2"/>'
                   f'<text class="small" x="{left + scale * ours + 6:.1f}" y="{y + 12}">{ours:.2f}</text>')
        if peer is not None:
            out.append(f'<rect class="peer" x="{left}" y="{y + 17}" width="{scale * peer:.1f}" height="9" rx="2"/>'
                       f'<text class="small" x="{left + scale * peer + 6:.1f}" y="{y + 25}">{peer:.2f} '
                       f'{escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def fresh_readme(text, part):
    pattern = re.compile(r"(<!-- bench -->\n).*?(<!-- end bench -->)", re.S)
    if not pattern.search(text):
        raise SystemExit("README.md has no place for the figures: <!-- bench -->")
    return pattern.sub(lambda m: m[1] + part + "\n" + m[2], text)


def read(path):
    try:
        with open(os.path.join(root, path)) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def main():
    records = recordings()
    rows = bars(records)
    fresh = {
        "ops/RESULTS.md": results(records),
        "ops/results.svg": chart(rows),
        "README.md": fresh_readme(read("README.md"), summary(rows)),
    }
    stale = [path for path, text in fresh.items() if read(path) != text]
    if "--check" in sys.argv:
        if stale:
            raise SystemExit(f"not up to date: {', '.join(stale)}: python3 tools/bench_table.py")
        return
    for path in stale:
        with open(os.path.join(root, path), "w") as f:
            f.write(fresh[path])


main()
