#!/usr/bin/env python3
"""What two devices answer here against what two H100s answered (h100-two-*.txt, driver 580.159.04, CUDA 13.0.88, 2026-11-25).
Every line that differs stands in two-devices-differ.txt; more of them, or fewer, are a failure. usage: BUILD [--update]"""
import difflib, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS_APART = {"order"}  # what waits for what in time: here work of all devices is one queue (docs/driver.md)


def parts_of(text):
    parts, name = {}, None
    for line in text.splitlines():
        if not line.startswith(" "):
            name = line
            parts[name] = []
        else:
            parts[name].append(line)
    return parts


def differences(build, program, folder):
    lanewise = os.path.join(build, "lanewise")
    binary = os.path.join(folder, program)
    source = os.path.join(HERE, f"record_{program}.cu")
    subprocess.run([lanewise, "build", "nvcc", "-arch=sm_90", "-diag-suppress", "177", source, "-o", binary, "-lcuda"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(HERE, f"h100-{program.replace('_', '-')}.txt")) as f:
        recorded = parts_of(f.read())
    out = []
    for part in [p for p in recorded if p not in PARTS_APART]:
        run = subprocess.run([lanewise, "run", "--no-report", "--device", "h100", "--devices", "2", binary, part],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=100)
        ours = parts_of(run.stdout).get(part, [])
        for line in difflib.unified_diff(recorded[part], ours, n=0, lineterm=""):
            if line[:3] not in ("---", "+++") and not line.startswith("@@"):
                out.append(f"{part}: {line}")
    return out


def main():
    build, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for program in ("two_devices", "two_contexts"):
            found += differences(build, program, folder)
    path = os.path.join(HERE, "two-devices-differ.txt")
    if update:
        with open(path, "w") as f:
            f.write("".join(line + "\n" for line in found))
    with open(path) as f:
        known = f.read().splitlines()
    for line in difflib.unified_diff(known, found, "known", "found", n=0, lineterm=""):
        print(line)
    return found != known


sys.exit(main())
