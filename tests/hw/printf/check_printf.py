#!/usr/bin/env python3
"""What calls of printf count beside what an H200 and an H100 counted: calls.cu, calls.csv, h100/calls.csv (recorded by
tools/record_hw.sh).

usage: tests/hw/printf/check_printf.py BUILD

No kernel may differ without a mark, and those that are equal and those that are marked are as many as they were.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
EXACT, MARKED = 103, 15  # marked: 28 arguments and more, lanes that print different things, atomics where warps meet


def check(build, device, recorded):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([f"{build}/lanewise", "run", "--threads", "1", "--device", device, "--json", f"{work}/calls.json", "-o", os.devnull,
                        f"{HERE}/calls.cu", "-O3", "-lineinfo", "-diag-suppress=181,224,225,226,550", f"-I{ROOT}/tests/hw/kernels"],
                       stdout=subprocess.DEVNULL, check=True)
        compared = subprocess.run([sys.executable, "tools/compare_hw.py", recorded, work, "calls"], cwd=ROOT,
                                  stdout=subprocess.PIPE, text=True)
    found = re.search(r"(\d+) exact, (\d+) marked, (\d+) by the order of warps, (\d+) differ, (\d+) not run", compared.stdout)
    counts = tuple(int(n) for n in found.groups()) if found else None
    if compared.returncode or counts != (EXACT, MARKED, 0, 0, 0):
        print(compared.stdout)
        return 1
    print(f"{device}: {found.group(0)}")
    return 0


def main():
    build = os.path.abspath(sys.argv[1])
    return check(build, "h200", "tests/hw/printf") or check(build, "h100", "tests/hw/printf/h100")


if __name__ == "__main__":
    sys.exit(main())
