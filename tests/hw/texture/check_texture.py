#!/usr/bin/env python3
"""Runs record_texture.cu under lanewise and compares with what an H100 gave (h100/): no section may have more words that differ
than limits.csv says; a section that is not in it has none.

usage: check_texture.py BUILD_DIR [--limits]    --limits: prints the table of what differs now
"""
import os
import subprocess
import sys
import tempfile

import compare_texture

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS = (0, 2)


def make(build, part, folder):
    """The program with -DPART=part, under lanewise."""
    source = os.path.join(folder, "record_texture.cu")
    with open(source, "w", encoding="ascii") as out:
        out.write(f"#define PART {part}\n#include \"{HERE}/record_texture.cu\"\n")
    command = [os.path.join(build, "lanewise"), "run", "-o", "/dev/null", source, "--", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return compare_texture.read(folder)


def differences(build):
    """(section, words that differ, words)"""
    for part in PARTS:
        recorded = compare_texture.read(os.path.join(HERE, "h100", f"part{part}"))
        with tempfile.TemporaryDirectory() as folder:
            made = make(build, part, folder)
        for name, words in recorded.items():
            ours = made.get(name, ())
            wrong = sum(a != b for a, b in zip(words, ours)) + abs(len(words) - len(ours))
            yield name, wrong, len(words)


def main():
    found = list(differences(sys.argv[1]))
    if "--limits" in sys.argv:
        print("# Sections of which words differ from an H100's: at most so many (check_texture.py --limits)\nsection,differ,words")
        for name, wrong, words in found:
            if wrong:
                print(f"{name},{wrong},{words}")
        return 0
    limits = {}
    with open(os.path.join(HERE, "limits.csv"), encoding="ascii") as table:
        for line in table:
            words = line.rstrip("\n").rsplit(",", 2)
            if len(words) == 3 and words[1].isdigit():
                limits[words[0]] = int(words[1])
    bad = [(name, wrong, words) for name, wrong, words in found if wrong > limits.get(name, 0)]
    for name, wrong, words in bad:
        print(f"{name}: {wrong} of {words} words differ, {limits.get(name, 0)} are known")
    equal, total = sum(words - wrong for _, wrong, words in found), sum(words for _, _, words in found)
    sentence = f"of {total / 1e6:.2f} million words in {len(found)} sections {equal / 1e6:.2f} million are equal"
    with open(os.path.join(HERE, "..", "..", "..", "docs", "TEXTURES.md"), encoding="utf-8") as page:
        unsaid = sentence not in " ".join(page.read().split())
    if unsaid:
        print(f"docs/TEXTURES.md does not say: {sentence}")
    print(f"{equal} of {total} words are equal; {len(found) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or unsaid or len(found) < 480 else 0


if __name__ == "__main__":
    sys.exit(main())
