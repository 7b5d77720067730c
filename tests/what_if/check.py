#!/usr/bin/env python3
"""check.py: what --what-if says is what is counted once the recommended change is made.

    tests/what_if/check.py BUILD_DIRECTORY

pairs.cu runs each kernel as it is (template argument Plain) and with the layout that was recommended. Where the report marks a number
with ~, the compiler joins accesses, and may join others afterwards: of these one in ten of all pairs may differ, but none may get worse.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST_EQUAL = 0.9


def launches(build):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [build / "lanewise", "run", "--what-if", "--json", report, "-o", "/dev/null", HERE / "pairs.cu"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())["launches"]


def by_name(all_launches, plain):
    chosen = {}
    for launch in all_launches:
        if ("<Plain>" in launch["kernel"]) == plain:
            chosen[re.match(r"(?:void )?(\w+)", launch["kernel"]).group(1)] = launch
    return chosen


def index_of(launch):
    """The recommended layout as template argument."""
    best = [w for w in launch.get("what_if", []) if w["best"]]
    if not best:
        return None, None
    numbers = [int(n) for n in re.findall(r"\d+", best[0]["index"])]
    if "^" in best[0]["index"]:
        return best[0], "Swizzled<%d, %d, %d>" % tuple((numbers + [1])[:3])
    if "%" in best[0]["index"]:
        return best[0], "Swapped<%d, %d>" % tuple(numbers[:2])
    return best[0], "Padded<%d, %d>" % tuple((numbers + [1])[:2])


def check(plain, mended):
    equal, wrong = 0, []
    for name, launch in sorted(plain.items()):
        best, layout = index_of(launch)
        then = mended.get(name)
        if not best or not then:
            if best or then:
                wrong.append(f"{name}: pairs.cu has {then and then['kernel']}, recommended is {layout}")
            continue
        if layout.replace(" ", "") not in then["kernel"].replace("(int)", "").replace(" ", ""):
            wrong.append(f"{name}: pairs.cu has {then['kernel']}, recommended is {layout}")
        before = launch["counters"]["wavefronts"]
        said = before - best["wavefronts_before"] + best["wavefronts_after"]
        counted = then["counters"]["wavefronts"]
        about = "" if best["exact"] else "~"
        print(f"{name}: {best['then']}: {before} -> {about}{said}, counted {counted}{'' if said == counted else ', DIFFERS'}")
        equal += said == counted
        if counted > before or (best["exact"] and said != counted):
            wrong.append(f"{name}: {before}, said {said}, counted {counted}")
    return equal, wrong


def main(build):
    everything = launches(build)
    mended = by_name(everything, False)
    equal, wrong = check(by_name(everything, True), mended)
    print(f"{equal} of {len(mended)} as counted")
    for line in wrong:
        print("WRONG:", line)
    return bool(wrong) or equal < LEAST_EQUAL * len(mended)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
