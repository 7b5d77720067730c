#!/usr/bin/env python3
"""Runs the small programs of tests/checks/ under `lanewise run --check` and compares the findings with their comments.

  run.py BUILD [--check LIST] [--jobs N] [case...]

A line that a finding must name carries `// found CASE, CASE: CHECK SEVERITY`; further severities of that check that may
name the line as well follow the first (`error, warning`). `// missing CASE: TEXT`: what the drawing of a race that names the
line says is missing. CHECK is the name that the report gives: `api` for failed calls,
among them wrong frees and copies. A case that must stay silent has `// silent` on the line of its CASE. Each finding of a
case must name marked lines only (its own and those of its other sides), and every marked line must be named. A case
leak_... is run with leakcheck alone. "build with: FLAG" in the first line of a source is for nvcc. open.txt lists cases
that are known to differ, each with its reason: a case that is listed there and agrees fails the run.
Exit status: 0 all agree, 1 something differs, 77 no nvcc.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKS = ["memcheck", "racecheck", "initcheck", "synccheck", "leakcheck"]
LIMIT_SECONDS = 30


def read_cases(source):
    """The cases of one source: name -> {"silent": bool, "lines": {line: (check, severities)}}."""
    cases, marks, gaps = {}, [], []
    with open(os.path.join(HERE, source)) as f:
        for number, text in enumerate(f, 1):
            case = re.match(r"CASE\((\w+)\)", text)
            if case:
                cases[case.group(1)] = {"silent": bool(re.search(r"// silent\b", text)), "lines": {}, "missing": {}}
            found = re.search(r"// found ([\w, ]+): (\w+) ([\w, ]*\w)", text)
            if found:
                marks.append((number, re.split(r",\s*", found.group(1)), found.group(2), re.split(r",\s*", found.group(3))))
            gap = re.search(r"// missing (\w+): (.+)", text)
            if gap:
                gaps.append((number, *gap.groups()))
    for number, name, text in gaps:
        cases[name]["missing"][number] = text
    for number, names, check, severities in marks:
        for name in names:
            if name not in cases:
                sys.exit(f"{source}:{number}: there is no case {name}")
            cases[name]["lines"][number] = (check, severities)
    for name, case in cases.items():
        if case["silent"] == bool(case["lines"]):
            sys.exit(f"{source}: case {name} must either be silent or have lines to be found")
    return cases


def build(source, nvcc, library, folder):
    """Compiles one source unless its program is newer. Returns the program."""
    program = os.path.join(folder, os.path.splitext(source)[0])
    inputs = [os.path.join(HERE, source), os.path.join(HERE, "cases.h")]
    if os.path.exists(program) and all(os.path.getmtime(program) > os.path.getmtime(i) for i in inputs):
        return program
    command = [nvcc, "-gencode", "arch=compute_90,code=compute_90", "-std=c++17", "-lineinfo", "-cudart", "shared",
               "-L" + library, "-o", program, inputs[0]]
    with open(inputs[0]) as f:
        command += re.findall(r"build with: (\S+)", f.readline())
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return program


def findings_of(lanewise, program, checks, name, folder, silent):
    """Runs one case. Returns (findings, what went wrong or None). One that is right ends with 0."""
    report = os.path.join(folder, name + ".json")
    if os.path.exists(report):
        os.remove(report)
    command = [lanewise, "run", "--no-report", "--check=" + checks, "--json", report, program, name]
    try:
        status = subprocess.run(command, capture_output=True, timeout=LIMIT_SECONDS).returncode
        with open(report) as f:
            return json.load(f)["findings"], f"ended with status {status}" if silent and status else None
    except subprocess.TimeoutExpired:
        return [], f"not ended after {LIMIT_SECONDS} s"
    except (OSError, ValueError) as error:
        return [], str(error)


def checks_of(name, source, wanted):
    """What races read may never have been written: each source is about its own checks."""
    if name.startswith("leak_"):
        return "leakcheck"
    if wanted != "all":
        return wanted
    return "initcheck" if source.startswith("init") else "memcheck,racecheck,synccheck"


def with_itself(f):
    """Does a race of two threads of a block name one thread twice?"""
    other = (f.get("related") or [{}])[0]
    return " by two " in f["message"] and (f["block"], f["thread"]) == (other.get("block"), other.get("thread"))


def compare(case, findings, source, checks):
    """What differs between the comments of a case and its findings: a list of texts."""
    wrong, named = [], set()
    lines = {n: mark for n, mark in case["lines"].items() if mark[0] in checks + ["api"]}
    for f in findings:
        if f["check"] not in CHECKS and "api" not in {check for check, _ in lines.values()}:
            continue # calls that fail because of a found bug
        places = [f] + f.get("related", [])
        here = {p["line"] for p in places if os.path.basename(p.get("file", "")) == source}
        label = f"{f['check']} {f['severity']} {sorted(here)}: {f['message']}"
        known = [n for n in here if n in lines and lines[n][0] == f["check"] and f["severity"] in lines[n][1]]
        if not known or len(known) < len(here):
            wrong.append("not expected: " + label)
        if with_itself(f):
            wrong.append("both sides are one thread: " + label)
        named.update(n for n in known if f["severity"] == lines[n][1][0])
    for number, text in case["missing"].items():
        drawn = [f for f in findings if f.get("missing") == text and "sides" in f]
        if "racecheck" in checks and not any(side["line"] == number for f in drawn for side in f["sides"]):
            wrong.append(f"no drawing with line {number} says: {text}")
    for number in sorted(set(lines) - named):
        check, severities = lines[number]
        wrong.append(f"no {check} {severities[0]} names line {number}")
    return wrong


def read_open():
    """open.txt: `case reason` a line."""
    with open(os.path.join(HERE, "open.txt")) as f:
        rows = [line.split(None, 1) for line in f if line.strip() and not line.startswith("#")]
    return {row[0]: row[1].strip() for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--check", default="all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc) or subprocess.run([nvcc, "--version"], capture_output=True).returncode:
        print("run.py: skipped, no nvcc")
        return 77
    lanewise = os.path.join(os.path.abspath(options.build), "lanewise")
    folder = os.path.join(os.path.abspath(options.build), "checks")
    os.makedirs(folder, exist_ok=True)
    checks = CHECKS[:4] if options.check == "all" else options.check.split(",")
    sources = sorted(f for f in os.listdir(HERE) if f.endswith(".cu"))
    cases = {name: (source, case) for source in sources for name, case in read_cases(source).items()}
    unknown = (set(options.case) | set(read_open())) - set(cases)
    if unknown:
        sys.exit(f"run.py: no case {', '.join(sorted(unknown))}")
    wanted = {name: c for name, c in cases.items() if not options.case or name in options.case}
    known = read_open()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        needed = sorted({source for source, _ in wanted.values()})
        library = os.path.join(os.path.abspath(options.build), "lib")
        programs = dict(zip(needed, pool.map(lambda s: build(s, nvcc, library, folder), needed)))
        runs = {name: pool.submit(findings_of, lanewise, programs[source], checks_of(name, source, options.check), name, folder,
                                  case["silent"])
                for name, (source, case) in wanted.items()}
    bad = silent = 0
    for name, (source, case) in wanted.items():
        findings, trouble = runs[name].result()
        wrong = [trouble] if trouble else compare(case, findings, source, checks + ["leakcheck"] * name.startswith("leak_"))
        silent += case["silent"]
        if name in known and wrong:
            print(f"open {name}: {known[name]}")
        elif name in known and options.check == "all":
            print(f"FAIL {name} agrees now: remove it from open.txt")
            bad += 1
        elif wrong:
            print("\n    ".join([f"FAIL {source} {name}"] + wrong))
            bad += 1
    print(f"{len(wanted)} cases ({len(wanted) - silent} to find, {silent} silent), {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
