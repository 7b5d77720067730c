#!/usr/bin/env python3
"""Predictions of caches, DRAM and time beside what an H200 measured: the section "Caches and time" of docs/ACCURACY.md.

usage: tools/time_accuracy.py run BUILD_DIR [--limit SECONDS] [--jobs N] [CASE...]   predicts, writes tests/hw/time/predicted.csv (needs nvcc)
       tools/time_accuracy.py public DRAW JSON_DIR                      writes tests/hw/time/predicted-DRAW.csv: hecbench, draw, third, fourth, fifth to twenty-seventh
       tools/time_accuracy.py page                                      writes the section, and README.md's sentence, from both

run compiles tests/hw/time/kernels.cu and runs its cases under `lanewise run --time --caches=cold`, each for at most SECONDS (60), N (1) at a time;
cases that take longer stand in predicted.csv without figures. With names only these are run again. Measured: h200-cold.csv.
public reads what `lanewise run --time --launch-count 12 --device CARD --json JSON_DIR/PROGRAM.json` said of public programs that are
not part of this repository, run with the arguments with which they were recorded in CARD-DRAW.csv.
tests/hw/split.csv says which cases a model may be fitted to."""
import concurrent.futures
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import tune_accuracy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "tests/hw/time")
PREDICTED = os.path.join(FOLDER, "predicted.csv")
README = os.path.join(ROOT, "README.md")
PAGE = os.path.join(ROOT, "docs/ACCURACY.md")
TITLE = "## Caches and time"
# ours -> the column of h200-cold.csv
COUNTERS = {"l1_hit_sectors": "l1_hit_sectors", "l2_read_sectors": "l2_sm_read_sectors",
            "l2_write_sectors": "l2_sm_write_sectors", "l2_hit_sectors": "l2_sm_hit_sectors",
            "dram_read_bytes": "dram_read_bytes", "dram_write_bytes": "dram_write_bytes"}
# Draws of public programs: name -> card, bytes a second of its memory.
DRAWS = {"hecbench": ("h200", 4.81e12), "draw": ("h100", 3.35e12), "third": ("h100", 3.35e12), "fourth": ("h200", 4.81e12),
         "fifth": ("h200", 4.81e12), "sixth": ("h200", 4.81e12), "seventh": ("h200", 4.81e12), "eighth": ("h100", 3.35e12),
         "ninth": ("h100", 3.35e12), "tenth": ("h200", 4.81e12), "eleventh": ("h100", 3.35e12),
         "twelfth": ("h100", 3.35e12), "thirteenth": ("h200", 4.81e12),
         "fourteenth": ("h200", 4.81e12), "fifteenth": ("h200", 4.81e12), "sixteenth": ("h200", 4.81e12),
         "seventeenth": ("h200", 4.81e12), "eighteenth": ("h200", 4.81e12), "nineteenth": ("h100", 3.35e12),
         "twentieth": ("h100", 3.35e12), "twenty-first": ("h200", 4.81e12),
         "twenty-second": ("h200", 4.81e12), "twenty-third": ("h200", 4.81e12),
         "twenty-fourth": ("h200", 4.81e12), "twenty-fifth": ("h200", 4.81e12),
         "twenty-sixth": ("h200", 4.81e12), "twenty-seventh": ("h200", 4.81e12)}
LAST = "twenty-seventh"  # the draw whose figures README states
HELD_OUT = {"twenty-seventh"}  # after these no model was changed: the programs took part in no fitting
REPOSITORIES = {"fifth": "HeCBench and eight repositories of courses and tutorials",
                "sixth": "HeCBench and nine repositories of courses and tutorials",
                "seventh": "HeCBench and fifteen repositories of courses, tutorials and examples",
                "eighth": "21 repositories of suites, courses, tutorials and solutions",
                "ninth": "45 repositories of courses, exercises, tutorials and small programs",
                "tenth": "41 repositories of courses, exercises, tutorials and small programs",
                "eleventh": "45 other repositories of courses, exercises, tutorials and small programs",
                "twelfth": "41 other repositories of the same kinds",
                "thirteenth": "38 other repositories of the same kinds",
                "fourteenth": "34 other repositories of the same kinds",
                "fifteenth": "49 other repositories of the same kinds",
                "sixteenth": "32 other repositories of the same kinds",
                "seventeenth": "30 other repositories of the same kinds",
                "eighteenth": "77 other repositories of the same kinds", "nineteenth": "70 other repositories of the same kinds",
                "twentieth": "66 other repositories of the same kinds, all but what the twenty-first has",
                "twenty-first": "33 programs of the same repositories as the twentieth",
                "twenty-second": "67 other repositories of the same kinds, `programs-twenty-second.csv`",
                "twenty-third": "59 other repositories of the same kinds, `programs-twenty-third.csv`",
                "twenty-fourth": "63 other repositories of the same kinds, `programs-twenty-fourth.csv`",
                "twenty-fifth": "115 other repositories of the same kinds, `programs-twenty-fifth.csv`",
                "twenty-sixth": "78 other repositories of the same kinds, `programs-twenty-sixth.csv`",
                "twenty-seventh": "103 other repositories of the same kinds, `programs-twenty-seventh.csv`"}
LIMITS = {"eighth": 120, "ninth": 120}  # seconds that a program had here; 150 in the others
PUBLIC_COLUMNS = ["program", "kernel", "grid", "block", *COUNTERS, "seconds", "low", "high", "bottleneck", "inst_executed"]
# Kernels that do the same in several ways: a model has to rank them.
VARIANTS = [["transpose_read_1k", "transpose_tile_1k"], ["matmul_16_1k", "matmul_registers_1k"], ["matmul_naive_2k", "matmul_32_2k"],
            ["transpose_read_8k", "transpose_write_8k", "transpose_tile_8k", "transpose_padded_8k"],
            ["stencil_2d_8k", "stencil_2d_shared_8k"], ["spmv_scalar_1m", "spmv_vector_1m"],
            ["histogram_global_256", "histogram_global_64k"], ["banks_1", "banks_8"]]
COLUMNS = ["program", "why", *COUNTERS, "seconds", "low", "high", "bottleneck", "inst_executed"]
# The units of the profiler's breakdown: docs/REPORT.md. The first row that fits.
UNITS = [("DRAM:", "dram"), ("L2: D Atomic", "atomics"), ("L2:", "l2"), ("GPU: Compute Memory Access", "l2"),
         ("L1: Data Pipe Lsu", "data"), ("L1: Lsu Writeback", "data"), ("L1: Data Bank", "data"), ("L1:", "l1"),
         ("SM: Inst Executed Pipe Lsu", "l1"), ("SM: Inst Executed Pipe Xu", "sfu"), ("SM: Pipe Fp64", "fp64"),
         ("SM: Pipe Tensor", "tensor"), ("SM: Pipe Alu", "int"), ("SM: Pipe", "fp32"), ("SM:", "issue")]


def table(path):
    return list(csv.DictReader(line for line in open(path) if not line.startswith("#")))


def split():
    return {row["program"]: row["set"] for row in table(os.path.join(ROOT, "tests/hw/split.csv"))}


def measured():
    return {row["program"]: row for row in table(os.path.join(FOLDER, "h200-cold.csv"))}


# ---- run
def compile_cases(build, folder):
    program = os.path.join(folder, "kernels")
    subprocess.run(["nvcc", "-arch=sm_90", "-O2", "-std=c++17", "-lineinfo", "-cudart", "shared", "-o", program,
                    os.path.join(FOLDER, "kernels.cu")], check=True)
    return program


def predict(build, program, row, limit, folder):
    out = os.path.join(folder, row["program"] + ".json")
    command = [os.path.join(build, "lanewise"), "run", "--time", "--caches=cold", "--kernel", "^" + row["kernel"] + "$",
               "--json", out, "-o", os.devnull, program, "run", "1", row["program"]]
    found = {"program": row["program"]}
    try:
        done = subprocess.run(command, timeout=limit, capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return {**found, "why": f"longer than {limit:g} s"}
    if done.returncode:
        return {**found, "why": (done.stderr or done.stdout).strip().splitlines()[-1][:80]}
    launch = next(l for l in json.load(open(out))["launches"] if l["kernel_mangled"] == row["kernel"])
    found.update({name: launch["counters"].get(name, 0) for name in COUNTERS})
    found.update({name: launch["time"][name] for name in ("seconds", "low", "high", "bottleneck")})
    return {**found, "inst_executed": launch["inst_executed"]}


EARLIER = "# by an earlier model: "


def earlier():
    """Cases whose predictions are of a model before the last change: too long to be run again with each."""
    lines = [line for line in open(PREDICTED) if line.startswith(EARLIER)] if os.path.exists(PREDICTED) else []
    return lines[0][len(EARLIER):].split() if lines else []


def run(build, limit, jobs, names):
    stale = [name for name in earlier() if names and name not in names]
    rows, old = measured(), {row["program"]: row for row in table(PREDICTED)} if os.path.exists(PREDICTED) else {}
    with tempfile.TemporaryDirectory() as folder:
        program = compile_cases(build, folder)
        pool = concurrent.futures.ThreadPoolExecutor(jobs)
        for found in pool.map(lambda name: predict(build, program, rows[name], limit, folder), names or rows):
            old[found["program"]] = found
            print(found["program"], found.get("why") or "", flush=True)
            with open(PREDICTED, "w", newline="") as f:
                f.write("# Predictions for an H200 by tools/time_accuracy.py run: cold caches, one launch\n")
                if stale:
                    f.write(EARLIER + " ".join(stale) + "\n")
                out = csv.DictWriter(f, COLUMNS, lineterminator="\n", restval="")
                out.writeheader()
                out.writerows(old[n] for n in rows if n in old)


# ---- public programs
def shape(sizes):
    return "x".join(str(n) for n in sizes)


def public(draw, folder):
    """A row per kernel and configuration: means over its launches."""
    with open(os.path.join(FOLDER, f"predicted-{draw}.csv"), "w", newline="") as f:
        f.write("# Predictions by tools/time_accuracy.py public: warm caches, as many launches of a program as were recorded\n")
        out = csv.DictWriter(f, PUBLIC_COLUMNS, lineterminator="\n")
        out.writeheader()
        groups = {}  # launches of a configuration may be in several groups, as their shared memory or marks differ
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".json"):
                continue
            for l in json.load(open(os.path.join(folder, name)))["launches"]:
                if "time" not in l:
                    continue
                key = (name[:-5], l["kernel_mangled"], shape(l["grid"]), shape(l["block"]))
                groups.setdefault(key, []).append(l)
        for key, parts in groups.items():
            out.writerow(public_row(key, parts))


def public_row(key, parts):
    count = sum(l["count"] for l in parts)
    row = dict(zip(("program", "kernel", "grid", "block"), key))
    row.update({n: sum(l["counters"].get(n, 0) for l in parts) / count for n in COUNTERS})
    row.update({n: sum(l["time"][n] * l["count"] for l in parts) / count for n in ("seconds", "low", "high")})
    row["bottleneck"] = max(parts, key=lambda l: l["time"]["seconds"] * l["count"])["time"]["bottleneck"]
    row["inst_executed"] = sum(l["inst_executed"] for l in parts) / count
    return row


def configuration(row):
    return row["program"], row["kernel"], row["grid"], row["block"]


def public_measured(draw="hecbench"):
    """(program, kernel, grid, block) -> a row like the recorded ones, with the means of its launches."""
    launches = {}
    for row in table(os.path.join(FOLDER, f"{DRAWS[draw][0]}-{draw}.csv")):
        if float(row["ns"]):  # else the profiler lost it
            launches.setdefault(configuration(row), []).append(row)
    means = {}
    for key, rows in launches.items():
        numbers = {c: statistics.mean(float(r[c]) for r in rows) for c in [*COUNTERS.values(), "ns", "l1_wavefronts", "shared_wavefronts"]}
        means[key] = {**rows[0], **numbers}
    return means


def public_cases(draw, model=""):
    """Pairs of a prediction and what was measured, and the kernels that have no prediction. model: "", or "-before" an earlier one."""
    path = os.path.join(FOLDER, f"predicted-{draw}{model}.csv")
    if not os.path.exists(path):
        return [], []
    if not os.path.exists(os.path.join(FOLDER, f"{DRAWS[draw][0]}-{draw}.csv")):
        return [], []
    rows = public_measured(draw)
    predicted = {configuration(p): p for p in table(path)}
    return [(predicted[k], r) for k, r in rows.items() if k in predicted], [r for k, r in rows.items() if k not in predicted]


def public_times(draw, least, model=""):
    """Errors of the time of kernels that take at least so many ns; without a prediction 100 %."""
    cases, missing = public_cases(draw, model)
    errors = [error(float(p["seconds"]) * 1e9, float(r["ns"])) for p, r in cases if float(r["ns"]) >= least]
    return errors + [1.0 for r in missing if float(r["ns"]) >= least]


def public_lines(draw, text):
    cases, missing = public_cases(draw)
    if not cases:
        return []
    lines = ["", *text, "", "| | median, nine tenths (kernels) |", "|---|---|"]
    for name, measure in MEASURES:
        if name == TIMES:
            errors = public_times(draw, 1e4)
        elif name == BASELINE:
            errors = [error(baseline(r, p, DRAWS[draw][1]) * 1e9, float(r["ns"])) for p, r in cases if float(r["ns"]) >= 1e4]
        else:
            errors = [error(*pair) for pair in (measure(p, r) for p, r in cases) if pair]
        lines.append(f"| {name} | {distribution(errors)} |")
    lines.append(f"| time of all kernels | {distribution(public_times(draw, 0))} |")
    for name, holds in ANSWERS:
        answers = [holds(p, r) for p, r in cases]
        lines.append(f"| {name} | {sum(answers)} of {len(answers) + len(missing)} |")
    lines.append(f"| high / low, median | {statistics.median(float(p['high']) / float(p['low']) for p, _ in cases):.2f} |")
    right = list(variants(draw))
    lines.append(f"| pairs of variants in a program that differ by more than 10 %, ranked as measured | {sum(right)} of {len(right)} |")
    if missing:
        programs = sorted({r["program"] for r in missing})
        lines += ["", f"Without a prediction, in the rows of time with 100 %: {len(missing)} kernels of {', '.join(programs)}."]
    worst = sorted(((float(p["seconds"]) * 1e9 / float(r["ns"]) - 1, r, p) for p, r in cases if float(r["ns"]) >= 1e4), key=lambda w: -abs(w[0]))
    lines += ["", "| of 10 µs and more, the largest error first | µs | error | bottleneck |", "|---|---|---|---|"]
    for off, r, p in worst:
        lines.append(f"| {r['program']} {short_name(r['kernel'])} | {float(p['seconds']) * 1e6:.4g} / {float(r['ns']) / 1e3:.4g} | {off:+.0%} | "
                     f"{p['bottleneck']} / {label(r)} |")
    return lines


def short_name(mangled):
    """_Z4corePdS_: core; _ZN4mgpu7compactIiEEvPT_: compact."""
    at = re.match(r"(?:_ZN?K?)?", mangled).end()
    name = mangled[:40]
    while found := re.match(r"\d+", mangled[at:]):
        begin = at + found.end()
        at = begin + int(found.group())
        name = mangled[begin:at]
        if mangled[2:3] != "N":
            break
    return name


def before(draw):
    """What the model before its last change says of a draw."""
    cases, missing = public_cases(draw, "-before")
    inside = sum(ANSWERS[0][1](p, r) for p, r in cases)
    return (f"time of kernels of 10 µs and more {distribution(public_times(draw, 1e4, '-before'))}, of all kernels "
            f"{distribution(public_times(draw, 0, '-before'))}, range {inside} of {len(cases) + len(missing)}")


def public_section():
    lines = public_lines("hecbench", [
        "Public programs, first draw (HeCBench, drawn by a fixed seed, small arguments, caches as the program left them, at most 12 launches",
        "of each), recorded on an H200 as `h200-hecbench.csv`. Models were changed after these had been compared: they are fit. A kernel and",
        "configuration counts once. Before: time of kernels of 10 µs and more 29.4%, 83.9% (34), range 44 of 77, bottleneck 52 of 77."])
    lines += public_lines("draw", [
        "Public programs, second draw (HeCBench and cuda-samples, by another seed, the same way), recorded on an H100 as `h100-draw.csv` and",
        "predicted for `--device h100`. The model was changed after these had been compared: they are fit. Before: time of kernels of 10 µs",
        "and more 32%, 79% (58), range 67 of 174, bottleneck 81%. Programs that take longer than one to three minutes here are predicted from",
        "what they had done by then."])
    return lines + public_lines("third", [
        "Public programs, third draw (HeCBench, cuda-samples and eight repositories of courses, books and suites, by another seed, the same",
        "way, at most 10 launches), recorded on an H100 as `h100-third.csv`. The model was changed after these had been compared: they are fit.",
        f"Before, predicted without anything recorded having been looked at: {before('third')}."]) + public_lines("fourth", [
        "Public programs, fourth draw (HeCBench and four repositories of courses and tutorials, by another seed, the same way), recorded",
        "on an H200 as `h200-fourth.csv` and predicted before anything recorded was looked at. The model was changed after these had been",
        "compared: the programs are fit now, the figures are those of before. The model before that, on the same kernels:",
        f"{before('fourth')}."]) + [line for draw in REPOSITORIES for line in later_lines(draw)]


def later_lines(draw):
    card = DRAWS[draw][0]
    if draw in HELD_OUT:
        since = ["No model was", "changed after that: the programs took part in no fitting."]
    else:
        since = ["The model was changed", "after that: the programs are fit now, the figures are those of before."]
    return public_lines(draw, [
        f"Public programs, {draw} draw ({REPOSITORIES[draw]}, by another seed, the same way), recorded on an",
        f"{card.upper()} as `{card}-{draw}.csv`, predicted before anything recorded was looked at, and compared once. {since[0]}",
        f"{since[1]} Programs that did not end within {LIMITS.get(draw, 150)} s are predicted",
        "from what they had done by then."])


def error(predicted, value):
    return abs(predicted - value) / value


def label(row):
    """What the profiler names: the table in docs/REPORT.md."""
    units = [u.rsplit(" ", 1) for u in row["units"].split("; ")]
    if float(row["ns"]) < 5000:
        return "launch"
    if not units or len(units[0]) < 2 or float(units[0][1]) < 40:
        return "latency"
    found = next(to for begin, to in UNITS if units[0][0].startswith(begin))
    if found == "data":
        return "shared" if 2 * float(row["shared_wavefronts"]) > float(row["l1_wavefronts"]) else "l1"
    return found


def baseline(row, predicted, peak=4.81e12):
    """max(bytes / peak, instructions / peak): what a person would compute first."""
    data = float(predicted["dram_read_bytes"]) + float(predicted["dram_write_bytes"])
    return max(data / peak, float(predicted["inst_executed"]) / (132 * 4 * 1.98e9))


def nine_tenths(errors):
    return sorted(errors)[max(0, math.ceil(0.9 * len(errors)) - 1)]


def distribution(errors):
    if not errors:
        return "none"
    return f"{statistics.median(errors):.1%}, {nine_tenths(errors):.1%} ({len(errors)})"


def counters_of(predicted, row, name):
    """Prediction and measurement, None where the kernel has too little of it to compare: a share of noise."""
    least = {"dram_read_bytes": 4 << 20, "dram_write_bytes": 4 << 20}.get(name, 100000)
    value = float(row[COUNTERS[name]])
    return (float(predicted[name]), value) if value >= least else None


def sum_of(predicted, row, names, least):
    value = sum(float(row[COUNTERS[n]]) for n in names)
    return (sum(float(predicted[n]) for n in names), value) if value >= least else None


TIMES = "time of kernels of 10 µs and more"
BASELINE = "the same by max(bytes / peak, instructions / peak)"
MEASURES = [
    ("L1 hits", lambda p, r: counters_of(p, r, "l1_hit_sectors")),
    ("L2 sectors (read and written)", lambda p, r: sum_of(p, r, ["l2_read_sectors", "l2_write_sectors"], 10000)),
    ("L2 hits", lambda p, r: counters_of(p, r, "l2_hit_sectors")),
    ("DRAM bytes (read and written)", lambda p, r: sum_of(p, r, ["dram_read_bytes", "dram_write_bytes"], 8 << 20)),
    (TIMES, lambda p, r: (float(p["seconds"]) * 1e9, float(r["ns"])) if float(r["ns"]) >= 1e4 else None),
    (BASELINE,
     lambda p, r: (baseline(r, p) * 1e9, float(r["ns"])) if float(r["ns"]) >= 1e4 else None),
]


ANSWERS = [("measured time between low and high", lambda p, r: float(p["low"]) <= float(r["ns"]) * 1e-9 <= float(p["high"])),
           ("bottleneck as the profiler names it", lambda p, r: p["bottleneck"] == label(r)),
           ("bottleneck, always answering dram", lambda p, r: label(r) == "dram")]


def ranking(cases):
    """Pairs of variants whose measured times differ by more than 10 %: how many, and how many the model ranks as measured."""
    known = {p["program"]: (float(p["seconds"]), float(r["ns"])) for p, r in cases}
    right = all_pairs = 0
    for group in VARIANTS:
        times = [known[name] for name in group if name in known]
        for a, b in ((a, b) for k, a in enumerate(times) for b in times[k + 1:]):
            if max(a[1], b[1]) <= 1.1 * min(a[1], b[1]):
                continue
            all_pairs += 1
            right += (a[0] < b[0]) == (a[1] < b[1])
    return f"{right} of {all_pairs}"


def stem(kernel):
    """reduce_v3, reduce_4, reduce5: reduce."""
    return re.sub(r"(_?v)?_?\d+$", "", short_name(kernel))


def variants(draw):
    """Pairs of kernels of a program that a draw has variants of: alike in name but for a number at its end, or one kernel with as many
    threads in other blocks; of 2.5 us and more, and measured times that differ by more than 10 %."""
    groups = {}
    for p, r in public_cases(draw)[0]:
        groups.setdefault((r["program"], stem(r["kernel"])), []).append((p, r, threads(r)))
    for rows in groups.values():
        for (p, r, a), (q, s, b) in ((x, y) for k, x in enumerate(rows) for y in rows[k + 1:]):
            if r["kernel"] == s["kernel"] and a != b:
                continue
            times = float(r["ns"]), float(s["ns"])
            if min(times) >= 2500 and max(times) > 1.1 * min(times):
                yield (float(p["seconds"]) < float(q["seconds"])) == (times[0] < times[1])


def threads(row):
    return math.prod(int(n) for n in (row["grid"] + "x" + row["block"]).split("x"))


def pairs_of(cases, measure, which, sets):
    found = [measure(p, r) for p, r in cases if sets[p["program"]] == which]
    return [pair for pair in found if pair]


def summary(cases, sets):
    lines = ["| | fit: median, nine tenths (kernels) | held out |", "|---|---|---|"]
    for name, measure in MEASURES:
        cells = [distribution([error(*pair) for pair in pairs_of(cases, measure, which, sets)]) for which in ("fit", "held-out")]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    for name, holds in ANSWERS:
        cells = []
        for which in ("fit", "held-out"):
            answers = [holds(p, r) for p, r in cases if sets[p["program"]] == which]
            cells.append(f"{sum(answers)} of {len(answers)}")
        lines.append(f"| {name} | {cells[0]} | {cells[1]} |")
    ratios = [float(p["high"]) / float(p["low"]) for p, _ in cases]
    lines.append(f"| high / low, median | {statistics.median(ratios):.2f} | |")
    lines.append(f"| pairs of variants that differ by more than 10 %, ranked as measured | {ranking(cases)} (both sets) | |")
    return lines


def confusion(cases):
    named = sorted({label(r) for _, r in cases} | {p["bottleneck"] for p, _ in cases})
    lines = ["| profiler \\ predicted | " + " | ".join(named) + " |", "|---" * (len(named) + 1) + "|"]
    for truth in named:
        counts = [sum(label(r) == truth and p["bottleneck"] == answer for p, r in cases) for answer in named]
        lines.append(f"| {truth} | " + " | ".join(str(n or "") for n in counts) + " |")
    return lines


def cell(pair, scale):
    if not pair:
        return ""
    return f"{pair[0] / scale:.4g} / {pair[1] / scale:.4g}"


def kernel_rows(cases, sets):
    lines = ["| kernel | set | L1 hits, M | L2 sectors, M | L2 hits, M | DRAM, MB | µs | error | bottleneck |",
             "|---|---|---|---|---|---|---|---|---|"]
    for p, r in cases:
        values = [measure(p, r) for _, measure in MEASURES[:4]]
        cells = [cell(pair, 1e6) for pair in values]
        time = (float(p["seconds"]) * 1e6, float(r["ns"]) / 1e3)
        lines.append(f"| {p['program']} | {sets[p['program']]} | " + " | ".join(cells) +
                     f" | {cell(time, 1)} | {time[0] / time[1] - 1:+.0%} | {p['bottleneck']} / {label(r)} |")
    return lines


def section():
    if not os.path.exists(PREDICTED):
        return ""
    sets, rows = split(), measured()
    predicted = table(PREDICTED)
    cases = [(p, rows[p["program"]]) for p in predicted if not p["why"]]
    out = [p for p in predicted if p["why"]]
    lines = [TITLE, "", "Written by `tools/time_accuracy.py page`; do not edit it. Kernels of `tests/hw/time` at sizes a GPU is used for,",
             "`lanewise run --time --caches=cold` beside an H200 (Nsight Compute with its caches flushed before each kernel, clocks left",
             "alone). `tests/hw/split.csv` says which kernels the models were fitted to. Errors are relative to what was measured; counters",
             "with less than 100,000 sectors, 4 MB or, of sums, 8 MB are not compared.", ""]
    lines += summary(cases, sets) + ["", "Predicted / measured:", ""] + kernel_rows(cases, sets)
    lines += ["", "Bottlenecks: rows as the profiler names them (the table in [REPORT.md](REPORT.md)), columns as predicted.", ""]
    lines += confusion(cases)
    if earlier():
        lines += ["", f"Predicted by the model before its last change: {', '.join(earlier())}."]
    if out:
        lines += ["", "Without a prediction (100 % error, not in the figures above): " +
                  ", ".join(f"{p['program']} ({p['why']})" for p in out) + "."]
    lines += tune_accuracy.lines() + public_section()
    return "\n".join(lines) + "\n"


def sentence():
    """For README.md: of the kernels that took part in no fitting; no prediction is an error of 100 %."""
    sets, rows = split(), measured()
    held = [p for p in table(PREDICTED) if sets[p["program"]] == "held-out" and float(rows[p["program"]]["ns"]) >= 1e4]
    errors = [1.0 if p["why"] else error(float(p["seconds"]) * 1e9, float(rows[p["program"]]["ns"])) for p in held]
    text = (f"Times predicted by `--time` for {len(errors)} kernels that took part in no fitting: median error "
            f"{statistics.median(errors):.0%}, nine tenths within {nine_tenths(errors):.0%} of an H200's")
    others = public_times(LAST, 1e4)
    if others:
        text += (f"; for {len(others)} kernels of public programs, drawn and predicted before they were compared: median "
                 f"{statistics.median(others):.0%}, nine tenths within {nine_tenths(others):.0%}")
    return text + "."


def page():
    readme = re.sub(r"Times predicted by `--time`[^\n]*", lambda _: sentence(), open(README).read())
    before, _, after = open(PAGE).read().partition(TITLE + "\n")
    rest = after[after.index("\n## "):].lstrip("\n") if "\n## " in after else ""
    text = before.rstrip("\n") + "\n\n" + section() + ("\n" + rest if rest else "")
    for path, content in ((README, readme), (PAGE, text)):  # written when all of it is known
        with open(path, "w") as file:
            file.write(content)


def main():
    words = sys.argv[1:]
    if words[:1] == ["page"]:
        return page()
    if words[:1] == ["public"] and len(words) == 3 and words[1] in DRAWS:
        return public(*words[1:])
    if words[:1] != ["run"] or len(words) < 2:
        sys.exit(__doc__)
    options = {"--limit": 60.0, "--jobs": 1.0}
    for name in options:
        if name in words:
            at = words.index(name)
            options[name] = float(words[at + 1])
            del words[at:at + 2]
    run(words[1], options["--limit"], int(options["--jobs"]), words[2:])


if __name__ == "__main__":
    main()
