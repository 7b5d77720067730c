#!/usr/bin/env python3
"""against.py: the speed of this build beside another one, on one machine at the same time.

usage: bench/against.py OTHER_BUILD BUILD [--pairs N] [--threads N] [--limit PERCENT]

Runs lanewise_bench of both builds in turn, N pairs (21), each with one repetition, and prints for every workload the
median of the pairs' ratios (time here / time there, counting on and off) with their quartiles. Absolute speeds of a
shared machine swing by tens of percent; a ratio of neighbours in time does not. With --limit the exit status is 1 if a
median of counting exceeds 1 + PERCENT/100.
"""
import argparse
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def speeds(build, threads):
    """{workload: (counting, without)} in G thread instructions a second."""
    command = [os.path.join(build, "lanewise_bench"), os.path.join(ROOT, "bench/workloads.ptx"), str(threads), "1"]
    out = {}
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if words and words[0][0] == "W" and words[0][1:].isdigit():
            out[words[0]] = float(words[-4]), float(words[-3])
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other")
    parser.add_argument("build")
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float)
    a = parser.parse_args()
    ratios = {}
    for pair in range(a.pairs):
        order = [a.other, a.build] if pair % 2 else [a.build, a.other]  # neither is always the first
        seen = {build: speeds(build, a.threads) for build in order}
        for name, other in seen[a.other].items():
            here = seen[a.build][name]
            for k in range(2):
                ratios.setdefault((name, k), []).append(other[k] / here[k])
        if sys.stderr.isatty():
            print(f"\r{pair + 1} of {a.pairs} pairs", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"time of {a.build} / time of {a.other}, median of {a.pairs} pairs (quartiles)")
    worst = 0.0
    for name in sorted({n for n, _ in ratios}):
        text = name
        for k, what in enumerate(("counting", "no report")):
            q = statistics.quantiles(ratios[name, k], n=4)
            text += f"   {what} {q[1]:.3f} ({q[0]:.3f}-{q[2]:.3f})"
        worst = max(worst, statistics.median(ratios[name, 0]))
        print(text)
    if a.limit is not None and worst > 1 + a.limit / 100:
        print(f"above the limit of {a.limit:g} %", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
