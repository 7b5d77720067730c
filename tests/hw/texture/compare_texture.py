#!/usr/bin/env python3
"""Compares two folders that record_texture wrote: for each section how many words differ, and the first ones.

usage: compare_texture.py RECORDED MADE [SECTION ...]     SECTION: its beginning; shows more of its differences
"""
import lzma
import os
import struct
import sys


def read(folder):
    """{section: words}, in the order of the file."""
    path = os.path.join(folder, "words.bin")
    data = lzma.open(path + ".xz").read() if os.path.exists(path + ".xz") else open(path, "rb").read()
    out = {}
    for line in open(os.path.join(folder, "index.csv")):
        name, first, count = line.rstrip("\n").rsplit(",", 2)
        out[name] = struct.unpack_from("<%dI" % int(count), data, 4 * int(first))
    return out


def show(word):
    return "%08x %.9g" % (word, struct.unpack("<f", struct.pack("<I", word))[0])


def main():
    recorded, made = read(sys.argv[1]), read(sys.argv[2])
    wanted = sys.argv[3:]
    different = 0
    for name, words in recorded.items():
        if wanted and not any(name.startswith(w) for w in wanted):
            continue
        other = made.get(name)
        if other is None:
            print("%-60s is missing" % name)
            different += 1
            continue
        at = [k for k in range(len(words)) if words[k] != other[k]]
        if not at:
            continue
        different += 1
        print("%-60s %d of %d" % (name, len(at), len(words)))
        for k in at[: 12 if wanted else 0]:
            print("    %6d: %s   made %s" % (k, show(words[k]), show(other[k])))
    print("%d of %d sections differ" % (different, len(recorded)))
    return different != 0


if __name__ == "__main__":
    sys.exit(main())
