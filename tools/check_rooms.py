#!/usr/bin/env python3
"""check_rooms.py: the rooms keep the rules of docs/ARCHITECTURE.md.

    tools/check_rooms.py [--root DIR] [--build DIR]

The rules are the tables in docs/ARCHITECTURE.md with the columns "room" or "folder" and "may include"; nothing is repeated here.
Checked always:
  room     every folder under src/ has a row, every row has a folder, and the headers a row names are there
  include  a file includes only its own room and what its row allows; rooms beside src/ likewise
Checked with --build, on the object files of that build:
  name     an external symbol begins with a prefix of its room (column "names"; the longest prefix that fits decides)
  prefix   no prefix stands in two rows
  circle   the files of a room call each other in one direction (a table of pointers to functions is no call)
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

SOURCES = {".c", ".h", ".def", ".inl", ".inc", ".S", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
CODE = re.compile(r"`([^`]+)`")


class Room:
    def __init__(self, name, path, allowed, prefixes, headers):
        self.name = name          # as violations call it: "exec", "cli"
        self.path = path          # its folder, relative to the root
        self.allowed = allowed    # what it may include: names of rooms, files under include/, "CUDA"
        self.prefixes = prefixes  # prefixes of its external symbols; "include/lanewise/" stands for what is declared there
        self.headers = headers    # files its row names

    def holds(self, path):
        return path == self.path or path.startswith(self.path + "/")


def table_rows(text):
    """The rows of the tables of rooms and folders, as dictionaries by column."""
    columns = None
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if columns is None:
            columns = cells if cells[0] in ("room", "folder") and "may include" in cells else []
        elif columns and not set("".join(cells)) <= set("-: "):
            yield dict(zip(columns, cells))


def read_rooms(root):
    rooms = []
    for row in table_rows((root / "docs/ARCHITECTURE.md").read_text()):
        inside = "room" in row
        folder = CODE.search(row["room" if inside else "folder"]).group(1).strip("/")
        allowed = set()
        for word in re.split(r",\s*", row.get("may include", "")):
            word = word.strip("` ")
            if word == "all above":
                allowed |= {room.name for room in rooms}
            elif word:
                allowed.add(word.rstrip("/"))
        headers = [name for name in CODE.findall(row.get("its header", "")) if "." in name]
        prefixes = CODE.findall(row.get("names", ""))
        rooms.append(Room(folder, "src/" + folder if inside else folder, allowed, prefixes, headers))
    return rooms


def check_rows(root, rooms):
    """Every folder has a row and every row a folder, with the headers that it names."""
    for folder in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
        if not any(room.path == "src/" + folder for room in rooms):
            yield f"room {folder}: no row in docs/ARCHITECTURE.md"
    for room in rooms:
        if not (root / room.path).is_dir():
            yield f"room {room.name}: a row without a folder"
            continue
        for header in room.headers:
            if not (root / room.path / header).is_file():
                yield f"room {room.name}: its header {header} is not there"
    for source in sorted((root / "src").glob("*.*")):
        if source.suffix in SOURCES:
            yield f"room src: {source.name} lies in no room"


def find_included(root, room, file, name):
    """The file that an #include means, relative to the root; None for one that is generated or of the system."""
    beside = sorted(p for p in (root / "src").iterdir() if p.is_dir())  # some targets have another room on their path
    for folder in (file.parent, root / "src", root / "include", root / room.path, *beside):
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return str(candidate.relative_to(root))
    below = [p for p in (root / room.path).rglob(pathlib.Path(name).name) if str(p).endswith("/" + name)]
    return str(below[0].relative_to(root)) if below else None


def is_cuda(name):
    return name.startswith(("cuda", "cublas", "cub/", "cooperative_groups", "thrust/"))


def check_includes(root, rooms):
    for room in rooms:
        for file in sorted((root / room.path).rglob("*")):
            if file.suffix not in SOURCES:
                continue
            for line in file.read_text(errors="replace").splitlines():
                found = INCLUDE.match(line)
                if not found:
                    continue
                quoted, name = found.group(1) == '"', found.group(2)
                target = find_included(root, room, file, name) if quoted or name.startswith("lanewise/") else None
                place = f"include {file.relative_to(root)}: {name}"
                if target is None:
                    if quoted:
                        yield f"{place} is not found"
                    elif is_cuda(name) and "CUDA" not in room.allowed:
                        yield f"{place} is CUDA's, which {room.name} may not include"
                    continue
                owner = next((other for other in rooms if other.holds(target)), None)
                if owner is not room and target not in room.allowed and (owner is None or owner.name not in room.allowed):
                    yield f"{place} is not allowed for {room.name}"


def room_objects(root, build, rooms):
    """(room, source, object file) of every source of a room that the build compiled, for every target it was compiled for."""
    for obj in sorted((build / "CMakeFiles").glob("*.dir/**/*.o")):
        source = re.sub(r"^CMakeFiles/[^/]+\.dir/", "", str(obj.relative_to(build)))[: -len(".o")]
        room = next((room for room in rooms if room.holds(source)), None)
        if room and room.path.startswith("src/") and (root / source).is_file():
            yield room, source, obj


def external_symbols(objects):
    """Object file -> names that it defines for other files."""
    names = collections.defaultdict(set)
    output = subprocess.run(["nm", "-A", "-g", "--defined-only", *map(str, objects)], capture_output=True, text=True, check=True)
    for line in output.stdout.splitlines():
        file, rest = line.split(":", 1)
        names[file].add(rest.split()[-1])
    return names


def referenced_symbols(objects):
    """Object file -> symbols that its code refers to (relocations of its text sections; tables of pointers lie in data)."""
    names = collections.defaultdict(set)
    output = subprocess.run(["readelf", "-rW", *map(str, objects)], capture_output=True, text=True, check=True)
    file, in_text = str(objects[0]), False
    for line in output.stdout.splitlines():
        if line.startswith("File: "):
            file = line[len("File: "):]
        elif line.startswith("Relocation section '"):
            in_text = line.startswith("Relocation section '.rela.text")
        elif in_text:
            fields = line.split()
            if len(fields) >= 5 and fields[2].startswith("R_"):
                names[file].add(fields[4])
    return names


def declared_names(root):
    text = "\n".join(p.read_text() for p in sorted((root / "include").rglob("*.h")))
    return set(re.findall(r"\b(lw_\w+)\s*\(", text))


def check_prefixes(rooms):
    seen = {}
    for room in rooms:
        for prefix in room.prefixes:
            if prefix in seen:
                yield f"prefix {prefix}: in the rows of {seen[prefix]} and {room.name}"
            seen[prefix] = room.name


def check_names(root, rooms, objects, symbols):
    declared = declared_names(root)
    prefixes = {prefix: room.name for room in rooms for prefix in room.prefixes if "/" not in prefix}
    public = {room.name for room in rooms if "include/lanewise/" in room.prefixes}
    bad = set()
    for room, source, obj in objects:
        if room.name == "door" and pathlib.Path(source).stem == "library":
            continue  # compiled once for each library, whose names it defines
        for name in symbols[str(obj)]:
            fitting = [prefix for prefix in prefixes if name.startswith(prefix)]
            owners = {prefixes[max(fitting, key=len)]} if fitting else set()
            if name in declared:
                owners |= public
            if room.name not in owners:
                bad.add(f"name {room.name}: {name}")
    return sorted(bad)


def components(edges):
    """Strongly connected components of more than one node (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def check_circles(rooms, objects, symbols, references):
    for room in rooms:
        defines, refers = {}, collections.defaultdict(set)
        for owner, source, obj in objects:
            if owner is room:
                for name in symbols[str(obj)]:
                    defines[name] = source
                refers[source] |= references[str(obj)]
        edges = {source: collections.defaultdict(list) for source in refers}
        for source, names in refers.items():
            for name in sorted(names):
                target = defines.get(name, source)
                if target != source:
                    edges[source][target].append(name)
        for circle in components(edges):
            for source in circle:
                for target in circle:
                    if edges[source].get(target):
                        some = edges[source][target]
                        what = ", ".join(some[:4]) + (", ..." if len(some) > 4 else "")
                        yield f"circle {room.name}: {source.split('/', 2)[-1]} -> {target.split('/', 2)[-1]}", what


def main():
    parser = argparse.ArgumentParser(description="check that the rooms keep the rules of docs/ARCHITECTURE.md")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("--build", type=pathlib.Path, help="a build folder, for the checks of names and circles")
    options = parser.parse_args()
    root = options.root.resolve()
    rooms = read_rooms(root)
    violations = {}  # violation -> what explains it
    for found in (check_rows(root, rooms), check_includes(root, rooms)):
        violations.update((line, "") for line in found)
    if options.build:
        objects = list(room_objects(root, options.build.resolve(), rooms))
        if not objects:
            sys.exit(f"check_rooms: no object files of the rooms in {options.build}")
        files = [obj for _room, _source, obj in objects]
        symbols = external_symbols(files)
        violations.update((line, "") for line in check_prefixes(rooms))
        violations.update((line, "") for line in check_names(root, rooms, objects, symbols))
        violations.update(check_circles(rooms, objects, symbols, referenced_symbols(files)))

    for line, why in violations.items():
        print(line + (f" ({why})" if why else ""))
    if violations:
        sys.exit(f"check_rooms: {len(violations)} violations (docs/ARCHITECTURE.md, 'Rooms')")
    print(f"check_rooms: {len(rooms)} rooms keep their rules")


if __name__ == "__main__":
    main()
