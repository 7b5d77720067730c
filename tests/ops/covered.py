"""Every kernel of liblanewise-ops is launched by some test: what no test chooses is not tested.

usage: covered.py SOURCES REPORT.json...    SOURCES: ops/; reports: of all test programs, by `lanewise run --json`"""
import glob
import json
import os
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
BOUNDS = re.compile(r"__launch_bounds__\((?:[^()]|\([^()]*\))*\)")
# kernels of two files may share a name: that of their parameters tells them apart
KERNEL = re.compile(r"__global__\s+void\s+(\w+)\s*\((?:const\s+|__grid_constant__\s+)*(\w+)")
LAUNCHED = re.compile(r"(\w+)(?:<.*>)?\((\w+)")


def kernels(sources):
    """(name, parameters): file, of the library's kernels"""
    found = {}
    for path in sorted(glob.glob(os.path.join(sources, "*", "*.cu"))):
        if os.path.basename(os.path.dirname(path)) == "bench":
            continue
        with open(path) as f:
            text = BOUNDS.sub("", COMMENT.sub("", f.read()))
        names = KERNEL.findall(text)
        if len(names) != text.count("__global__"):
            raise SystemExit(f"FAIL: {path}: a kernel whose name is not found")
        for name in names:
            if name in found:
                raise SystemExit(f"FAIL: {name[0]}({name[1]}) is in {found[name]} and in {path}")
            found[name] = os.path.relpath(path, sources)
    return found


def launched(reports):
    """The same of the kernels in the reports."""
    names = set()
    for path in reports:
        with open(path) as f:
            for launch in json.load(f)["launches"]:
                names.add(LAUNCHED.search(launch["kernel"]).groups())
    return names


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    all_kernels, seen = kernels(sys.argv[1]), launched(sys.argv[2:])
    seen |= {(name, "P") for name, _ in seen} # a template's: any
    missing = {name: path for name, path in all_kernels.items() if name not in seen}
    for (name, _), path in missing.items():
        print(f"FAIL: no test launches {name} of {path}: tests/ops/ needs a case that chooses it")
    print(f"{len(all_kernels) - len(missing)} of {len(all_kernels)} kernels are launched by tests")
    sys.exit(1 if missing or not all_kernels else 0)
