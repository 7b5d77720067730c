#!/usr/bin/env python3
"""structure.py: figures of the structure of the sources, to compare two states of the tree.

    tools/structure.py [--root DIR] [--build DIR]

Per room: files, lines, share of comment lines, the longest file and function, functions over 60 lines, writable statics and
(with --build) external names without a prefix of the room, and files that call each other in circles. Prefixes are those of
this tree's docs/ARCHITECTURE.md, for an older tree as well.
"""
import argparse
import json
import pathlib
import re
import subprocess

import check_rooms

CODE = {".c", ".h", ".inl", ".inc", ".cu", ".cuh", ".def"}


def comment_lines(text):
    """Lines that are comment and nothing else."""
    bare = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    blanked = re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: re.sub(r"[^\n]", "\0", found.group()), bare, flags=re.S)
    return sum(1 for line in blanked.splitlines() if "\0" in line and not line.replace("\0", "").strip())


def functions(files):
    """(lines, name, file) of every function, longest first."""
    command = ["ctags", "--languages=C,C++,CUDA", "--langmap=C++:+.inl", "--kinds-C=f", "--kinds-C++=f", "--kinds-CUDA=f",
               "--fields=+ne", "--output-format=json", "-o", "-", *map(str, files)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tags = [json.loads(line) for line in output.splitlines()]
    return sorted(((tag["end"] - tag["line"] + 1, tag["name"], pathlib.Path(tag["path"]).name) for tag in tags if "end" in tag),
                  reverse=True)


def writable_statics(objects):
    """(file, name) of what can be written while the program runs: variables in .data and .bss; .data.rel.ro is constant."""
    output = subprocess.run(["objdump", "-t", *map(str, objects)], capture_output=True, text=True, check=True).stdout
    file, names = None, set()
    for line in output.splitlines():
        if "file format" in line:
            file = line.split(":")[0]
        found = re.match(r"\S+ .{6}O \.(data|bss)(\S*)\s+\S+ (?:\.hidden )?(\S+)", line)
        if found and "rel.ro" not in found.group(2):
            names.add((file, found.group(3)))
    return names


def room_figures(root, room, objects, rooms):
    files = [p for p in sorted((root / room.path).rglob("*")) if p.suffix in CODE]
    texts = {p: p.read_text(errors="replace") for p in files}
    lines = {p: text.count("\n") for p, text in texts.items()}
    long_functions = functions(files) if files else []
    mine = [entry for entry in objects if entry[0] is room]
    longest = max(lines, key=lines.get, default=None)
    figures = {"files": len(files), "lines": sum(lines.values()),
               "comments": sum(comment_lines(text) for text in texts.values()),
               "longest file": f"{longest.name} {lines[longest]}" if longest else "",
               "longest function": "{1} {0}".format(*long_functions[0]) if long_functions else "",
               "over 60": sum(1 for function in long_functions if function[0] > 60)}
    if mine:
        symbols = check_rooms.external_symbols([obj for _room, _source, obj in mine])
        figures["statics"] = len(writable_statics([obj for _room, _source, obj in mine]))
        figures["unprefixed"] = len(check_rooms.check_names(root, rooms, mine, symbols))
        references = check_rooms.referenced_symbols([obj for _room, _source, obj in mine])
        pairs = [line for line, _what in check_rooms.check_circles([room], mine, symbols, references)]
        figures["in circles"] = len({word for line in pairs for word in line.split()[2:] if word != "->"})
    return figures


def main():
    parser = argparse.ArgumentParser(description="figures of the structure of the sources")
    here = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--root", type=pathlib.Path, default=here)
    parser.add_argument("--build", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    rooms = [room for room in check_rooms.read_rooms(here) if (root / room.path).is_dir()]
    objects = list(check_rooms.room_objects(root, options.build.resolve(), rooms)) if options.build else []
    columns = ["files", "lines", "comments", "over 60", "statics", "unprefixed", "in circles", "longest function", "longest file"]
    rows = [(room.name, room_figures(root, room, objects, rooms)) for room in rooms]
    print("| room | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name, figures in rows:
        share = 100 * figures["comments"] / max(1, figures["lines"])
        print(f"| {name} | " + " | ".join(f"{share:.0f} %" if c == "comments" else str(figures.get(c, "")) for c in columns) + " |")
    total = {c: sum(figures.get(c, 0) for _name, figures in rows) for c in columns[:7]}
    total["comments"] = f"{100 * total['comments'] / total['lines']:.0f} %"
    print("| all | " + " | ".join(str(total.get(c, "")) for c in columns) + " |")


if __name__ == "__main__":
    main()
