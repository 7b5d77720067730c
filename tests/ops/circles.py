#!/usr/bin/env python3
"""Whether the files of liblanewise-ops need each other in a circle: tests/ops/circles.py OBJECT_DIRECTORY

Every object file there is a file of the library. One needs another if it has an undefined symbol that the other defines;
data (the rows of forms.def) does not count as a call, but is a need as well. Prints each circle and fails if there is one."""
import os
import subprocess
import sys


def symbols(path):
    """(defined, undefined) names of an object."""
    defined, undefined = set(), set()
    text = subprocess.run(["nm", "-g", "-P", path], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        name, kind = line.split()[:2]
        (undefined if kind == "U" else defined).add(name)
    return defined, undefined


def objects(folder):
    for where, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".o"):
                yield os.path.join(where, name)


def circles(needs):
    """Strongly connected components of more than one file (Tarjan)."""
    order, low, stack, out = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for other in sorted(needs[file]):
            if other not in order:
                visit(other)
            if other in stack:
                low[file] = min(low[file], low[other])
        if low[file] == order[file]:
            part = stack[stack.index(file):]
            del stack[stack.index(file):]
            if len(part) > 1:
                out.append(sorted(part))

    for file in sorted(needs):
        if file not in order:
            visit(file)
    return out


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = {os.path.relpath(path, sys.argv[1]): symbols(path) for path in objects(sys.argv[1])}
    if not found:
        raise SystemExit(f"circles.py: no object files in {sys.argv[1]}")
    home = {name: file for file, (defined, _) in found.items() for name in defined}
    needs = {file: {home[name] for name in undefined if name in home} - {file} for file, (_, undefined) in found.items()}
    bad = circles(needs)
    for part in bad:
        print("a circle:", ", ".join(part))
        for file in part:
            for other in sorted(needs[file] & set(part)):
                names = sorted(found[file][1] & found[other][0])
                print(f"  {file} needs {other}: {', '.join(names)}")
    return 1 if bad else 0


sys.exit(main())
