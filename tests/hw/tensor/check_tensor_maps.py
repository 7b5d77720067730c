#!/usr/bin/env python3
"""Compares what tensor maps put into shared memory with an H200: record_tensor_map.cu under lanewise against h200/tensor_maps.txt.

usage: check_tensor_maps.py BUILD_DIR
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 676


def rows(text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "answer":
            found[line.split(": ", 1)[1]] = words[1]
        elif len(words) > 7 and words[1] == "encode":
            found[int(words[0])] = " ".join(words[1:])
    return found


def run(build):
    """The program ends with the context: it goes on behind the case that ended it."""
    text, first = "", 0
    while first < CASES:
        command = [os.path.join(build, "lanewise"), "run", "-o", "/dev/null", os.path.join(HERE, "record_tensor_map.cu"),
                   "-lcuda", "--", str(first)]
        part = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
        last = [line.split()[0] for line in part.splitlines() if line[:1].isdigit()]
        if not last:
            sys.exit(f"no case after {first}")
        text += part
        first = int(last[-1]) + 1
    return rows(text)


def main():
    with open(os.path.join(HERE, "h200", "tensor_maps.txt"), encoding="ascii") as table:
        card = rows(table.read())
    ours = run(sys.argv[1])
    wrong = [f"{key}\n  H200     {card[key]}\n  lanewise {ours.get(key)}" for key in card if card[key] != ours.get(key)]
    for line in wrong[:10]:
        print(line)
    print(f"{len(card) - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(1 if wrong or len(card) < CASES + 60 else 0)


main()
