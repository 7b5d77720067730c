#!/usr/bin/env python3
"""Records what compute-sanitizer says of the small programs, on a machine with a GPU: the rows of verdicts.csv.

  record.py build FOLDER            compiles each source of this folder to FOLDER/NAME (needs nvcc, no GPU)
  record.py run FOLDER OUT.csv      runs every case alone and under each tool (needs a GPU and compute-sanitizer)
  record.py add FOLDER OUT.csv      the same for the cases alone that OUT.csv lacks

`run` rewrites OUT.csv as a whole: the verdicts of all cases come from one device, one driver and one version of the tool. `add`
keeps its rows, and its head says which device and version the added ones come from.
"""
import concurrent.futures
import csv
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-arch=sm_90", "-std=c++17", "-lineinfo"]
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
TOOL_OPTIONS = {"initcheck": ["--initcheck-address-space", "all"]}
LIMIT_SECONDS = 40
FOUND = 9  # exit status of the tool when it has found something
JOBS = 8


def sources():
    return sorted(f[:-3] for f in os.listdir(HERE) if f.endswith(".cu"))


def build(folder):
    os.makedirs(folder, exist_ok=True)
    for name in sources():
        path = os.path.join(HERE, name + ".cu")
        with open(path) as f:
            extra = re.search(r"build with: (-\S+)", f.readline())
        flags = FLAGS + ([extra.group(1)] if extra else [])
        subprocess.run(["nvcc", *flags, "-o", os.path.join(folder, name), path], check=True)


def output_of(command):
    """Exit status and output; a status of None: it did not end in time."""
    try:
        p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_SECONDS)
        return p.returncode, p.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def options_known(tool):
    """The tool's own options, left out where its version does not know them."""
    options = TOOL_OPTIONS.get(tool, [])
    status, text = output_of(["compute-sanitizer", "--help"])
    return options if options and options[0].lstrip("-") in text else []


def verdict(folder, source, case, tool):
    program = os.path.join(folder, source)
    if tool == "run":
        status, text = output_of([program, case])
        last = text.strip().splitlines()[-1:] or [""]
        return [source, case, tool, "ran" if status is not None else "timeout", last[0].strip()]
    command = ["compute-sanitizer", "--error-exitcode", str(FOUND), "--tool", tool, *options_known(tool), program, case]
    status, text = output_of(command)
    if status is None:
        return [source, case, tool, "timeout", f"no end after {LIMIT_SECONDS} s"]
    lines = [re.sub(r"^=+ ", "", line).strip() for line in text.splitlines() if line.startswith("===")]
    first = [line for line in lines if re.match(r"(Error|Warning|Invalid|Barrier|Uninit|Divergent|Program hit|Leaked|Race)", line)]
    summary = [line for line in lines if "SUMMARY" in line]
    found = status == FOUND
    message = (first if found else summary)[:1] or lines[-1:] or [""]
    return [source, case, tool, "found" if found else "silent", message[0]]


def tool_and_device():
    device = output_of(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])[1].strip()
    version = re.search(r"[Vv]ersion (\S+)", output_of(["compute-sanitizer", "--version"])[1])
    date = output_of(["date", "+%Y-%m-%d"])[1].strip()
    return f"compute-sanitizer {version.group(1) if version else '?'} on an {device.replace(', ', ', driver ')}, {date}"


def header():
    return (f"# {tool_and_device()}; sources compiled with\n"
            f"# nvcc {shlex.join(FLAGS)}; compute-sanitizer --error-exitcode {FOUND} --tool TOOL PROGRAM CASE.\n"
            f"# 'run': the program alone, with the sum that it printed. Written by record.py.\n")


def recorded(path):
    """The head of a recording, and its rows."""
    with open(path) as f:
        lines = f.readlines()
    head = [line for line in lines if line.startswith("#")]
    return "".join(head), list(csv.reader(lines[len(head) + 1:]))


def record(folder, out, head, kept):
    """Runs the cases of which no row is kept, and writes all rows."""
    work, have = [], {(row[0], row[1]) for row in kept}
    for source in sources():
        cases = output_of([os.path.join(folder, source), "--list"])[1].split()
        work += [(source, case, tool) for case in cases if (source, case) not in have for tool in [*TOOLS, "run"]]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = sorted(kept + list(pool.map(lambda w: verdict(folder, *w), work)))
    with open(out, "w", newline="") as f:
        f.write(head)
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(["source", "case", "tool", "verdict", "message"])
        writer.writerows(rows)


def add(folder, out):
    head, kept = recorded(out)
    before = {row[1] for row in kept}
    record(folder, out, head, kept)
    _, rows = recorded(out)
    names = sorted({row[1] for row in rows} - before)
    text = f"# Added: {tool_and_device()}: {len(names)} cases ({', '.join(names)})\n" if names else ""
    with open(out) as f:
        body = f.read()[len(head):]
    with open(out, "w") as f:
        f.write(head + text + body)


if __name__ == "__main__":
    if sys.argv[1:2] == ["build"] and len(sys.argv) == 3:
        build(sys.argv[2])
    elif sys.argv[1:2] == ["run"] and len(sys.argv) == 4:
        record(sys.argv[2], sys.argv[3], header(), [])
    elif sys.argv[1:2] == ["add"] and len(sys.argv) == 4:
        add(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
