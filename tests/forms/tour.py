#!/usr/bin/env python3
"""tour.py: `lanewise tour` shows what it says: each program is above its ideal before the mend, and at it afterwards.

    tests/forms/tour.py BUILD_DIRECTORY
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RATIOS = {"banks": (16.5, "wavefronts"), "transpose": (4.5, "sectors")}  # of the program before the mend, and the counter


def tour(build, folder, *arguments):
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run([build / "lanewise", "tour", *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=100)


def counters_of(path):
    return json.loads(path.read_text())["launches"][0]["counters"]


def whole_tour(build, folder):
    done = tour(build, folder, "programs")
    words = " ".join((done.stdout + done.stderr).split())
    yield done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    yield "32.0x" in words and "8.0x" in words, "the ratios that the tour speaks of are not in the reports"
    yield "Counted: with tile[32][33] instead of tile[32][32]" in words, "--what-if does not recommend tile[32][33]"
    for name, (ratio, counter) in RATIOS.items():
        before = counters_of(folder / "programs" / f"{name}-before.json")
        after = counters_of(folder / "programs" / f"{name}-after.json")
        found = before[counter] / before[counter + "_ideal"]
        yield abs(found - ratio) < 0.01, f"{name}: {found} before the mend"
        yield after[counter] == after[counter + "_ideal"], f"{name}: {after[counter]} after the mend"
        yield f"$ lanewise diff {name}-before.json {name}-after.json" in done.stdout, f"{name}: no diff"


def wrong_uses(build, folder):
    (folder / "file").write_text("")
    done = tour(build, folder, "file")
    yield done.returncode and "cannot use the directory" in done.stderr, f"a file as directory: {done}"
    done = tour(build, folder, "--fast")
    yield done.returncode and "--fast" in done.stderr, f"an unknown option: {done}"


def main(build):
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in (whole_tour, wrong_uses):
            for fine, message in part(build, folder):
                failed += not fine
                if not fine:
                    print(message)
    print("failed" if failed else "passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
