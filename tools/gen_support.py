#!/usr/bin/env python3
"""Writes docs/SUPPORT_RUNTIME.md from src/cudart/entrypoints.def: which calls of the CUDA runtime are supported.

usage: gen_support.py [--update]   without --update it only says (by its exit status) whether the page is current
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = os.path.join(ROOT, "src/cudart/entrypoints.def")
PAGE = os.path.join(ROOT, "docs/SUPPORT_RUNTIME.md")
TITLES = {
    "compiler": "What compiled programs call",
    "device": "Devices",
    "memory": "Memory",
    "pools": "Stream-ordered allocation",
    "streams": "Streams",
    "events": "Events",
    "launch": "Launches, functions, occupancy, libraries",
    "graphs": "Graphs and capture",
    "textures": "Arrays, textures, surfaces",
    "errors": "Errors, versions, profiler, driver functions",
    "interop": "Other APIs (graphics, EGL, IPC, external memory)",
}


def rows():
    with open(TABLE, encoding="utf-8") as file:
        rows = re.findall(r"^ENTRY\((\w+), (\w+), (\w+)\)", file.read(), re.M)
        return [row for row in rows if "Lanewise" not in row[0]]  # our own are none of NVIDIA's


def suffixed(name, names):
    """cudaX_ptsz and cudaX_ptds are named with cudaX."""
    base = re.sub(r"_pt[sd][sz]$", "", name)
    return base if base != name and base in names else None


def page():
    table = rows()
    names = {name for name, _, _ in table}
    done = sum(kind != "UNSUPPORTED" for _, kind, _ in table)
    out = ["# Calls of the CUDA runtime", ""]
    out.append(f"Made from `src/cudart/entrypoints.def` by `tools/gen_support.py`. {done} of the {len(table)} functions that the")
    out.append("runtime of CUDA 13.0 exports are supported. Any other returns `cudaErrorNotSupported` and is named once on stderr.")
    out.append("Functions marked \u00b7 also exist for the per-thread default stream (`_ptsz`, `_ptds`).")
    for group, title in TITLES.items():
        mine = [(name, kind) for name, kind, g in table if g == group and not suffixed(name, names)]
        twins = {suffixed(name, names) for name, _, _ in table} - {None}
        out += ["", f"## {title}", ""]
        for supported, label in ((True, "Supported"), (False, "Not supported")):
            chosen = [name + ("\u00b7" if name in twins else "") for name, kind in mine if (kind != "UNSUPPORTED") == supported]
            if chosen:
                out.append(f"{label}: " + ", ".join(f"`{name}`" if not name.endswith("\u00b7") else f"`{name[:-1]}`\u00b7" for name in chosen) + ".")
                out.append("")
        out.pop()
    return "\n".join(out) + "\n"


def main():
    text = page()
    if "--update" not in sys.argv[1:]:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() == text:
                return 0
        print("docs/SUPPORT_RUNTIME.md is stale: run `make update`", file=sys.stderr)
        return 1
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
