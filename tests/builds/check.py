#!/usr/bin/env python3
"""Builds a small project with each build system below `lanewise build`, and runs what was built.

check.py BUILD_FOLDER [PROJECT ...]
check.py --page          compares the table in docs/BUILDS.md with builds.csv
check.py --page --write  writes it

builds.csv names the projects (folders below projects/; projects/common/ is copied into each), their commands, and what
each needs; projects that need something that is not installed are named and left out. A project passes if the program
prints `scaled`, and the report names the line of its access: it attached, with source lines.
"""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "docs/BUILDS.md"
BEGIN, END = "<!-- builds -->\n", "<!-- end of builds -->\n"
COMMAND = "command after `lanewise build`"


def rows():
    with open(HERE / "builds.csv", newline="") as f:
        return list(csv.DictReader(f))


def table():
    lines = ["| build system | what the project does | after `lanewise build` | tried |\n", "|---|---|---|---|\n"]
    for r in rows():
        tried = "in each test run" if r["tried"] == "test" else r["tried"]
        lines.append(f"| {r['system']} | {r['what it does']} | `{r[COMMAND]}` | {tried} |\n")
    return "".join(lines)


def check_page(write):
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    wanted = before + BEGIN + table() + END + after
    if write:
        PAGE.write_text(wanted)
    elif text != wanted:
        sys.exit("docs/BUILDS.md is not what tests/builds/builds.csv says: run tests/builds/check.py --page --write")


def toolkit():
    """The folder that holds bin/nvcc."""
    nvcc = shutil.which("nvcc", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    return str(Path(nvcc).resolve().parent.parent) if nvcc else None


def build_and_run(row, build, cuda):
    """None, or what went wrong."""
    line = next(i for i, text in enumerate((HERE / "projects/common/scale.cu").read_text().split("\n"), 1) if "counted:" in text)
    with tempfile.TemporaryDirectory() as folder:
        for source in ("common", row["project"]):
            shutil.copytree(HERE / "projects" / source, folder, dirs_exist_ok=True)
        unwanted = ("NVCC_APPEND_FLAGS", "LD_PRELOAD", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "ASAN_OPTIONS")
        env = {k: v for k, v in os.environ.items() if k not in unwanted and not k.startswith("CMAKE_")}
        env.update(PATH=f"{build}:{env['PATH']}:{cuda}/bin", CUDA=cuda)
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0"
        made = subprocess.run(["sh", "-c", "lanewise build " + row[COMMAND]], cwd=folder, env=env, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if made.returncode:
            return "the build failed:\n" + made.stdout[-3000:]
        ran = subprocess.run(["lanewise", "run", "./app"], cwd=folder, env=env, text=True, capture_output=True)
        if ran.returncode or ran.stdout != "scaled\n":
            return f"status {ran.returncode}, printed {ran.stdout!r}:\n{ran.stderr}"
        if f"scale.cu:{line} " not in ran.stderr:
            return "no such line in the report:\n" + ran.stderr
    return None


def main():
    if sys.argv[1] == "--page":
        return check_page("--write" in sys.argv)
    build, cuda, chosen = Path(sys.argv[1]).resolve(), toolkit(), sys.argv[2:]
    if not cuda:
        print("skipped: no nvcc")
        return 0
    projects = [r for r in rows() if r["tried"] == "test" and (not chosen or r["project"] in chosen)]
    here = [r for r in projects if shutil.which(r["needs"])]
    for r in projects:
        if r not in here:
            print(f"skip {r['project']}: no {r['needs']}")
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for r, wrong in zip(here, pool.map(lambda row: build_and_run(row, build, cuda), here)):
            print(f"FAIL {r['project']}: {wrong}" if wrong else f"ok   {r['project']}")
            failed += wrong is not None
    return 1 if failed or not here else 0


if __name__ == "__main__":
    sys.exit(main())
