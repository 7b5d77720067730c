#!/usr/bin/env python3
"""check.py: what --what-if says is what is counted once the recommended change is made.

    tests/what_if/check.py BUILD_DIRECTORY [--show | --update]

pairs.cu runs each kernel as it is (template argument Plain) and with the layout that was recommended; of kernels whose name begins with
g_ or gh_ the array is in global memory. Those of later.h (h_, gh_) were written when the rules were done: they count for themselves, and are
the table of docs/REPORT.md (--update writes it). Where the report marks a number with ~, the compiler joins accesses, and may join others afterwards: of
these one in ten of all pairs may differ, but none may get worse. The page of the same run (--html) has what the blocks of each launch cost:
added up it is what was counted. --show: prints what is recommended for each kernel.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LEAST_EQUAL = 0.9
LEAST_PAIRS = 30
LATER = ("h_", "gh_")
PAGE = HERE.parent.parent / "docs" / "REPORT.md"
MARKED = re.compile("(<!-- what-if -->\n)(.*?)(<!-- end -->)", re.S)
REFUSED = {  # why no layout is recommended
    "g_no_two_arguments": "several arguments point into it",
    "g_no_two_arrays": "accesses several arrays at once",
    "g_no_asynchronous_copy": "asynchronous copies read it",
    "g_no_end": "goes beyond its end",
    "g_three_points": "nothing is gained",
    "g_only_begun_later": "nothing is gained",
    "s_no_end": "goes beyond its end",
    "s_no_telling_which": "may be one of another array",
}
REFUSED_LAYOUT = {  # a layout that costs less and is refused all the same, and why
    "s_no_alignment": ("s[32][33]", "accesses would not be aligned"),
    "s_no_room": ("s[194][33]", "occupancy falls: 8 blocks of a multiprocessor instead of 9"),
}


def launches(build):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        page = pathlib.Path(folder) / "report.html"
        command = [build / "lanewise", "run", "--what-if", "--json", report, "--html", page, "-o", "/dev/null", HERE / "pairs.cu"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        kernels = re.findall(r'id="lw-kernel-\d+">(.*?)</script>', page.read_text())
        return json.loads(report.read_text())["launches"], [json.loads(k) for k in kernels]


def by_name(all_launches, plain):
    chosen = {}
    for launch in all_launches:
        if ("<Plain>" in launch["kernel"]) == plain:
            chosen[re.match(r"(?:void )?(\w+)", launch["kernel"]).group(1)] = launch
    return chosen


def is_global(name):
    return name.startswith(("g_", "gh_"))


def index_of(name, launch):
    """What is recommended, and as a template argument."""
    space = "global" if is_global(name) else "shared"
    best = [w for w in launch.get("what_if", []) if w["best"] and w["space"] == space and w["array"] != "arg2"]
    if not best:
        return None, None
    numbers = [int(n) for n in re.findall(r"\d+", best[0]["index"])]
    if "^" in best[0]["index"]:
        return best[0], "Swizzled<%d, %d, %d>" % tuple((numbers + [1])[:3])
    if "%" in best[0]["index"]:
        return best[0], "Swapped<%d, %d>" % tuple(numbers[:2])
    if "/" not in best[0]["index"]:
        return best[0], "Shifted<%d>" % numbers[0]
    return best[0], "Padded<%d, %d>" % tuple((numbers + [1])[:2])


def check(plain, mended):
    equal, wrong, rows = {}, [], []
    for name, launch in sorted(plain.items()):
        best, layout = index_of(name, launch)
        then = mended.get(name)
        if not best or not then or name in REFUSED_LAYOUT:
            if (best or then) and name not in REFUSED_LAYOUT:
                wrong.append(f"{name}: pairs.cu has {then and then['kernel']}, recommended is {layout}")
            continue
        if layout.replace(" ", "") not in then["kernel"].replace("(int)", "").replace(" ", ""):
            wrong.append(f"{name}: pairs.cu has {then['kernel']}, recommended is {layout}")
        unit = "sectors" if is_global(name) else "wavefronts"
        before = launch["counters"][unit]
        said = before - best[f"{unit}_before"] + best[f"{unit}_after"]
        counted = then["counters"][unit]
        about = "" if best["exact"] else "~"
        print(f"{name}: {best['then']}: {before} -> {about}{said} {unit}, counted {counted}{'' if said == counted else ', DIFFERS'}")
        equal[name] = said == counted
        if name.startswith(LATER):
            rows.append(f"| `{name}` | `{best['now']}` | `{best['then']}` | {before:,} {unit} | {about}{said:,} | {counted:,} |")
        if counted > before or (best["exact"] and said != counted):
            wrong.append(f"{name}: {before}, said {said}, counted {counted}")
    return equal, wrong, rows


def table(rows, equal, plain):
    """The table of the documentation: it is written, or compared."""
    names = [n for n in plain if n.startswith(LATER)]
    pairs = [n for n in equal if n.startswith(LATER)]
    text = "\n".join([
        f"Of {len(names)} such kernels {len(pairs)} have a recommended layout; {sum(equal[n] for n in pairs)} of {len(pairs)} count as was said.", "",
        "| kernel | as it is | recommended | counted | said | counted then |", "|---|---|---|---|---|---|", *rows, ""])
    page = PAGE.read_text()
    fresh = MARKED.sub(lambda m: m[1] + text + m[3], page)
    if "--update" in sys.argv:
        PAGE.write_text(fresh)
    elif fresh != page or not MARKED.search(page):
        yield "the table of docs/REPORT.md is not what is counted: tests/what_if/check.py BUILD_DIRECTORY --update"


def refusals(plain):
    for name, why in REFUSED.items():
        said = [w.get("refused", "") for w in plain[name].get("what_if", []) if w["space"] == ("global" if is_global(name) else "shared")]
        if not said or not any(why in text for text in said) or not all(said):
            yield f"{name}: should be refused as '{why}', was {said}"
    for name, (then, why) in REFUSED_LAYOUT.items():
        said = {w["then"]: w.get("refused", "") for w in plain[name]["what_if"]}
        best = [w["then"] for w in plain[name]["what_if"] if w["best"]]
        if why not in said.get(then, "") or then in best or not best:
            yield f"{name}: {then} should be refused as '{why}' and another one recommended, was {said}"


def wrong_blocks(kernels):
    for k in kernels:
        blocks, counted = k["blocks"], k["counters"]
        cycles = counted.get("wavefronts", 0) + counted.get("sectors", 0) / 2
        if abs(blocks["mean"] * blocks["count"] - cycles) > 1e-6 * cycles or k["count"] != 1:
            yield f"{k['kernel']}: {blocks['count']} blocks of {blocks['mean']} cycles, counted were {cycles}"
        if ("levels" in blocks) != (blocks["most"] > blocks["least"]) or len(blocks.get("levels", "")) not in (0, blocks["columns"] * blocks["rows"]):
            yield f"{k['kernel']}: levels do not fit: {blocks}"
        # block b: b + 1 loads and a store of 4 warps, 4 sectors each: 16, 24, 32 and 40 cycles
        if "g_triangle" in k["kernel"] and (blocks["least"], blocks["most"], blocks.get("levels")) != (16, 40, "Zmy_"):
            yield f"{k['kernel']}: {blocks}"


def main(build):
    everything, kernels = launches(build)
    plain, mended = by_name(everything, True), by_name(everything, False)
    if "--show" in sys.argv:
        for name, launch in sorted(plain.items()):
            print(name, index_of(name, launch)[1])
        return 0
    equal, wrong, rows = check(plain, mended)
    wrong += table(rows, equal, plain)
    wrong += refusals(plain)
    wrong += wrong_blocks(kernels)
    for which, names in (("of the kernels of the rules' time", [n for n in equal if not n.startswith(LATER)]), ("of later ones", [n for n in equal if n.startswith(LATER)])):
        same = sum(equal[n] for n in names)
        print(f"{which}: {same} of {len(names)} as said")
        if same < LEAST_EQUAL * len(names) or len(names) < LEAST_PAIRS:
            wrong.append(f"{which}: too few")
    for line in wrong:
        print("WRONG:", line)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
