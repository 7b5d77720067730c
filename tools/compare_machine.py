#!/usr/bin/env python3
"""Compares what the count plan says of kernels with their machine code. Needs no GPU, but ptxas, cuobjdump and nvdisasm.

usage: tools/compare_machine.py BUILD FILE.ptx ...     BUILD holds tests/plan_dump (cmake --build BUILD --target plan_dump)

The files: nvcc -ptx -arch=sm_90 -lineinfo. Of each kernel are compared
  the widths of the memory instructions of each line, by space and kind: copies by unrolling are one; outside of loops their number;
  whether barriers are executed under a predicate, as far as the plan says, and loads whose value a select takes;
  whether one is executed whenever another is, and whether it can be executed again without the other, for those that stand
  once in both: a load that was moved behind a branch or out of a loop, a store on two ways.
Predicates are followed as far as registers show them; where the assembler computes one again, a difference is said that is
none. Prints the kernels that differ, a line for each difference, marked by ~ where the plan marks the row, and the numbers."""
import collections
import os
import re
import subprocess
import sys
import tempfile

KINDS = {"LDG": ("global", "ld"), "LD": ("generic", "ld"), "LDS": ("shared", "ld"), "LDL": ("local", "ld"),
         "STG": ("global", "st"), "ST": ("generic", "st"), "STS": ("shared", "st"), "STL": ("local", "st"),
         "ATOM": ("generic", "atom"), "ATOMG": ("global", "atom"), "ATOMS": ("shared", "atom"), "RED": ("global", "red"),
         "REDG": ("global", "red"), "LDGSTS": ("shared", "cp"), "LDSM": ("shared", "ldm"), "STSM": ("shared", "stm")}
WIDTHS = {"128": 16, "64": 8, "F64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2, "16": 2}
# machine instructions that write predicates, among their first three operands
SETS_PREDICATES = re.compile("SETP|PLOP3|LOP3|IADD3|R2P|VOTE|SHFL|MATCH|LEA|CHK|ATOM|SHF|MNMX|POPC|FLO|ELECT|SYNCS|REDUX|R2UR")
SELECT = ("select", False)  # the plan's guard of a load whose value a select takes
MOST = 26  # instructions of a kernel whose order is compared

Insn = collections.namedtuple("Insn", "line access guard targets falls ends sets exact barrier", defaults=[None])
# barrier: None, "1": guarded, "2": not, "0": not known; guard: (predicate, negated) or None; targets: indices; falls: may go on behind it although it jumps for all; ends: the thread


def machine_code(text):
    """{kernel: ([Insn], the same with one name for predicates that are computed again)}"""
    kernels, rows, labels, line = {}, None, [], ("?", 0)
    for l in text.splitlines():
        if l.startswith("\t.section"):
            rows = kernels.setdefault(l.split(".text.", 1)[1].split(",")[0].strip('"'), []) if ".section\t.text." in l else None
            labels, line = [], ("?", 0)
        elif rows is None:
            continue
        elif m := re.match(r'\s*//## File "([^"]*)", line (\d+)', l):
            line = (m[1], int(m[2]))
        elif m := re.match(r"^(\.L_x_\d+):", l):
            labels.append(m[1])
        elif m := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(?:@(!?)(U?P\w+)\s+)?(.*?);", l):
            rows.append((line, (m[2], bool(m[1])) if m[2] else None, m[3].strip(), labels))
            labels = []
    out = {}
    for k, rows in kernels.items():
        at = {name: n for n, r in enumerate(rows) for name in r[3]}
        insns = [machine_insn(r, at) for r in rows]
        out[k] = (insns, same_machine_predicates([r[2] for r in rows], insns))
    return out


def machine_insn(row, at):
    line, guard, text, _ = row
    op, _, rest = text.partition(" ")
    base, *mods = op.split(".")
    operands = [o.strip() for o in rest.split(",")]
    access = KINDS.get(base) if guard != ("PT", True) else None  # that one is never executed
    if access:
        access = (*access, next((WIDTHS[m] for m in ("128", *mods) if m in WIDTHS and m in mods), 4))
    jumps = base in ("BRA", "JMP", "BRX", "BRXU")
    targets = [at[x] for x in re.findall(r"\.L_x_\d+", rest) if x in at] if jumps else []
    ends = base in ("EXIT", "RET")
    unclear = jumps and (bool(re.match(r"!?U?P\d", operands[0])) or "DIV" in mods or "CONV" in mods)
    sets = {o for o in operands[:3] if re.match(r"^U?P\d$", o)} if SETS_PREDICATES.search(base) else set()
    if base == "R2P":
        sets = {f"P{k}" for k in range(8)}
    barrier = ("1" if guard else "2") if base == "BAR" else None
    return Insn(line, access, guard, targets, unclear or not (jumps or ends or base in ("KILL", "BPT")), ends, sets, True, barrier)


def written_by(text):
    """The general registers that a machine instruction writes, by its first operand."""
    op, _, rest = text.partition(" ")
    m = re.match(r"\s*(U?R)(\d+)", rest)
    if not m or op.split(".")[0] in ("ST", "STG", "STS", "STL", "RED", "REDG"):
        return []
    wide = 4 if ".128" in op else 2 if re.search(r"\.64|WIDE|\.F64|^D[A-Z]+", op) else 1
    return [f"{m[1]}{int(m[2]) + k}" for k in range(wide)]


def same_machine_predicates(texts, insns):
    """The same instructions, with one name for predicates that are computed again of the same integers, as far as the text shows."""
    versions, now, names, out = collections.Counter(), {}, set(), []
    for text, i in zip(texts, insns):
        guard = (now.get(i.guard[0], i.guard[0]), i.guard[1]) if i.guard else None
        sets = set(i.sets)
        for p in i.sets:
            now.pop(p, None)
        m = re.match(r"(U?ISETP\.\S+) (U?P\d), PT, (.*), PT$", text)
        if m and not i.guard:
            name = m[1] + re.sub(r"\.reuse", "", re.sub(r"\bU?R\d+", lambda r: f"{r[0]}#{versions[r[0]]}", m[3]))
            now[m[2]] = name
            sets = set() if name in names else {name}
            names.add(name)
        versions.update(written_by(text))
        out.append(i._replace(guard=guard, sets=sets))
    return out


def planned(build, path, stacks):
    """{kernel: ([Insn], the same with one name for predicates that are computed again)}, of kernels without functions"""
    text = open(path, errors="replace").read().split("\n")
    same = same_predicates(text)
    out = subprocess.run([f"{build}/tests/plan_dump", path, stacks], capture_output=True, text=True, errors="replace").stdout
    kernels, functions = {}, collections.Counter()
    name = None
    for l in out.splitlines():
        tag, *f = l.split("\t")
        if tag == "K":
            name = f[0]
            kernels[name] = ([], [])
        elif tag == "F":
            functions[name] += 1
        else:
            for insns, lines in zip(kernels[name], (text, same)):
                insns.append(planned_insn(f, lines))
    return {k: v for k, v in kernels.items() if functions[k] == 1}


def same_predicates(text):
    """The same lines, with one name for predicates that are computed again of the same registers, each written once."""
    out, start = [], 0
    for end in [n for n, l in enumerate(text) if re.search(r"\.(entry|func)\b", l)] + [len(text)]:
        out += same_predicates_of(text[start:end])
        start = end
    return out


def same_predicates_of(lines):
    writes, first, names, again, special = collections.Counter(), {}, {}, set(), {}
    for l in lines:
        if m := re.match(r"\s*mov\.u32\s+(%r\d+), (%n?(?:tid|ctaid)\.[xyz]);", l):
            special[m[1]] = m[2]
        if m := re.match(r"\s*(?:@!?%p\d+\s+)?[a-z]\S*\s+(\{[^}]*\}|[^,;]*)", l):
            writes.update(re.findall(r"%\w+", m[1]))
    for n, l in enumerate(lines):
        m = re.match(r"\s*(setp\.\S+)\s+(%p\d+), (.*);", l)
        if m and all(writes[r] <= 1 for r in re.findall(r"%\w+", m[2] + m[3])):
            by = re.sub(r"%r\d+", lambda r: special.get(r[0], r[0]), m[3])
            names[m[2]] = first.setdefault((m[1], by), m[2])
            if names[m[2]] != m[2]:
                again.add(n)
    return ["" if n in again else re.sub(r"%p\d+", lambda m: names.get(m[0], m[0]), l) for n, l in enumerate(lines)]


def planned_insn(f, text):
    op, guarded, line, row = f[1], f[2] != "0", (f[3], int(f[4])), int(f[5])
    said = text[row - 1].strip() if 0 < row <= len(text) else ""
    guard = None
    if m := re.match(r"@(!?)(%p\d+)\s", said):
        guard = (m[2], bool(m[1])) if guarded else None
    elif op == "access" and guarded:
        guard = SELECT
    access, exact = None, True
    if op == "access":
        space, size, kind, is_exact, parts, _ = f[6:12]
        exact = is_exact == "1" and parts == "0"
        access = (space, kind, int(size)) if kind and space != "other" else None
    targets = [int(t) for t in f[6:]] if op in ("bra", "brx") else []
    stops = op in ("bra", "brx", "ret", "exit", "trap")
    sets = set(re.findall(r"%p\d+", said)[:1]) if op == "-" and re.match(r"(setp|\w+\.pred)", said) else set()
    barrier = f[6] if op == "bar" else None
    return Insn(line, access, guard, targets, not stops or (guarded and not guard), op in ("ret", "exit"), sets, exact, barrier)


def arrivals(insns, starts, avoid, goal, predicates):
    """Where one gets from starts, [(index, values of predicates)], that executes nothing of avoid: what goal (indices; None:
    the ends) holds, with what predicates are behind it."""
    seen, todo, index = set(), list(starts), {p: k for k, p in enumerate(predicates)}
    while todo:
        k, values = todo.pop()
        if k >= len(insns):
            if goal is None:
                yield k, values
            continue
        if (k, values) in seen:
            continue
        seen.add((k, values))
        i = insns[k]
        for executed, after in ways_of(i, values, index):
            if not executed:
                todo.append((k + 1, after))
                continue
            if k in avoid:
                continue
            after = tuple(None if predicates[n] in i.sets else v for n, v in enumerate(after))
            if i.ends if goal is None else k in goal:
                yield k, after
            todo += [(t, after) for t in i.targets]
            if i.falls:
                todo.append((k + 1, after))


def ways_of(i, values, index):
    """Whether the instruction may be executed, or not, and what is known of predicates then."""
    if not i.guard:
        return [(True, values)]
    p, wanted = index.get(i.guard[0]), not i.guard[1]
    if p is None:
        return [(True, values), (False, values)]
    if values[p] is None:
        return [(v == wanted, values[:p] + (v,) + values[p + 1:]) for v in (True, False)]
    return [(values[p] == wanted, values)]


def predicates_of(insns, which):
    branches = collections.Counter(i.guard[0] for i in insns if i.guard and (i.targets or i.ends))
    around = {next((insns[n].guard[0] for n in range(k, -1, -1) if insns[n].guard and insns[n].targets), None) for k in which}
    often = {p for p, n in branches.most_common(3) if n > 1} | {p for p in around if branches[p] > 1}
    return sorted({insns[k].guard[0] for k in which if insns[k].guard} | often)


def goes_with(insns, a, b):
    """Whenever one of b is executed, is one of a, before or behind it?"""
    predicates = predicates_of(insns, a | b)
    without = {(k + 1, v) for k, v in arrivals(insns, [(0, (None,) * len(predicates))], a, b, predicates)}
    return not any(arrivals(insns, without, a, None, predicates))


def repeats(insns, a, b):
    """Can a be executed again without b in between?"""
    predicates = predicates_of(insns, a | b)
    behind = {(k + 1, v) for k, v in arrivals(insns, [(0, (None,) * len(predicates))], set(), a, predicates)}
    return any(arrivals(insns, behind, b, a, predicates))


def places(insns):
    out = collections.defaultdict(set)
    for n, i in enumerate(insns):
        if i.access:
            out[(i.line, i.access)].add(n)
    return out


def order_differences(plans, machines):
    plan = plans[0]
    ours, theirs = places(plan), places(machines[0])
    keys = [k for k in ours if k in theirs and len(ours[k]) == len(theirs[k]) and not any(plan[n].guard for n in ours[k])]
    keys = sorted(keys, key=lambda k: (len(ours[k]), min(ours[k])))[:MOST]
    for a in keys:
        if len(ours[a]) > 1 or a[1][1] in ("atom", "red"):  # one lane may issue an atomic for the others
            continue
        for b in keys:
            if a == b:
                continue
            for what, holds in (("is executed with", goes_with), ("is repeated without", repeats)):
                if holds is repeats and len(ours[b]) > 1:
                    continue
                there = holds(machines[0], theirs[a], theirs[b])
                if any(holds(p, ours[a], ours[b]) == there for p in plans):
                    continue
                if holds(machines[1], theirs[a], theirs[b]) == there:
                    yield a, f"{what} {name_of(b)}: plan {not there}, machine code {there}"
                    break


def name_of(key):
    (path, line), (space, kind, size) = key
    return f"{os.path.basename(path)}:{line} {space} {kind}.{size}"


def parts_of(access):
    """A loop of compare-and-swaps is two instructions, and so are words apart; how wide matrices are the two sides say in different ways."""
    if access and access[1] in ("ldm", "stm"):
        return [(*access[:2], 2)]
    if access and access[1] == "swap":
        return [(access[0], "atom", access[2]), (access[0], "ld", access[2])]
    if access and access[1] == "apart":
        return [(access[0], "ld", access[2])] * 2
    return [access] if access else []


def repeated_lines(plan, machine):
    """Those in loops, which may be unrolled; all of a kernel that has copies for warps that diverged."""
    loops = [(t, n) for n, i in enumerate(plan) for t in i.targets if t <= n]
    copies = any(i.targets and i.falls and not i.guard for i in machine)
    return {i.line for n, i in enumerate(plan) if copies or any(first <= n <= last for first, last in loops)}


def width_differences(plan, machine):
    lines = collections.defaultdict(lambda: (collections.Counter(), collections.Counter()))
    for side, insns in enumerate((plan, machine)):
        for i in insns:
            for access in parts_of(i.access):
                lines[i.line][side][access] += 1
    sums = [sum((l[side] for l in lines.values()), collections.Counter()) for side in (0, 1)]
    as_many = {access for access in sums[0] if sums[0][access] == sums[1][access]}
    for l in lines.values():  # a joined access may name another line of its parts, and any that of the instruction before it
        for access in as_many:
            del l[0][access], l[1][access]
    repeated = repeated_lines(plan, machine)
    once = [sum((l[side] for line, l in lines.items() if line not in repeated), collections.Counter()) for side in (0, 1)]
    for line, l in lines.items():
        for access in [a for a in l[0] | l[1] if line not in repeated and once[0][a] == once[1][a]]:
            del l[0][access], l[1][access]
    in_loops = {access for line, l in lines.items() if line in repeated for access in l[0]}
    differ = {line: l for line, l in sorted(lines.items()) if set(l[0]) != set(l[1])}
    for access in set().union(*(set(l[0]) ^ set(l[1]) for l in differ.values())):
        there = [[line for line, l in differ.items() if access in l[s] and access not in l[1 - s]] for s in (0, 1)]
        for here, other in zip(*there):  # the same one, named after another of its lines
            del differ[here][0][access], differ[other][1][access]
    differ |= {line: l for line, l in sorted(lines.items()) if line not in repeated and l[0] != l[1]}
    for line, sides in sorted(differ.items()):
        if set(sides[0]) == set(sides[1]) and (line in repeated or sides[0] == sides[1]):
            continue
        if not sides[0] and set(sides[1]) <= in_loops:  # of a loop, named after the line before
            continue
        said = [" ".join(f"{n}x {s} {k}.{w}" for (s, k, w), n in sorted(side.items())) or "nothing" for side in sides]
        yield line, f"{os.path.basename(line[0])}:{line[1]} plan: {said[0]}; machine code: {said[1]}"


def barrier_differences(plan, machine):
    """Copies by unrolling may go either way."""
    lines = collections.defaultdict(lambda: (set(), set()))
    for side, insns in enumerate((plan, machine)):
        for i in insns:
            if i.barrier:
                lines[i.line][side].add(i.barrier)
    for (path, line), (ours, theirs) in sorted(lines.items()):
        if theirs and "0" not in ours and not ours & theirs:
            said = ["a predicate guards it" if "1" in s else "none does" for s in (ours, theirs)]
            yield f"{os.path.basename(path)}:{line} barrier: plan {said[0]}, machine code {said[1]}"


def select_differences(plan, machine):
    """Loads that the plan executes for those lanes alone that take their value: does the machine code guard one of the line?"""
    guarded = {(i.line, i.access) for i in machine if i.access and i.guard}
    there = {(i.line, i.access) for i in machine if i.access}
    for key in sorted({(i.line, i.access) for i in plan if i.access and i.guard == SELECT} & there - guarded):
        yield key, "is executed under a predicate: plan True, machine code False"


def differences(plans, machines):
    """[(what, is it marked)]"""
    marked = {i.line for i in plans[0] if not i.exact}
    whole = all(not i.exact for i in plans[0] if i.access)  # spills, say, stand in lines of which the plan has nothing
    out = [(text, whole or line in marked) for line, text in width_differences(plans[0], machines[0])]
    out += [(text, False) for text in barrier_differences(plans[0], machines[0])]
    out += [(f"{name_of(a)} {text}", False) for a, text in select_differences(plans[0], machines[0])]
    seen = set()
    for a, text in order_differences(plans, machines):
        if a not in seen:
            out.append((f"{name_of(a)} {text}", a[0] in marked))
        seen.add(a)
    return out


def accesses_of(insns):
    """Numbers of loads and stores, as code_accesses of src/code/code.h has them."""
    numbers = collections.Counter(i.access for i in insns if i.access)
    kinds = [(space, kind, 1 << width) for space in ("generic", "global", "shared", "local") for kind in ("ld", "st") for width in range(5)]
    return " ".join(str(numbers[k]) for k in kinds)


def compare_file(build, path, work):
    cubin = f"{work}/k.cubin"
    subprocess.run(["ptxas", "-arch=sm_90", "-O3", "-lineinfo", path, "-o", cubin], check=True)
    usage = subprocess.run(["cuobjdump", "-res-usage", cubin], capture_output=True, text=True).stdout
    text = subprocess.run(["nvdisasm", "-c", "-g", cubin], capture_output=True, text=True, errors="replace", check=True).stdout
    machine = machine_code(text)
    with open(f"{work}/stacks", "w") as f:
        for name, stack in re.findall(r"Function (\S+):\n.*?STACK:(\d+)", usage):
            f.write(f"{name} {stack} {accesses_of(machine.get(name, ([], []))[0])}\n")
    for kernel, plans in planned(build, path, f"{work}/stacks").items():
        if kernel in machine:
            yield kernel, differences(plans, machine[kernel])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, *paths = sys.argv[1:]
    states = collections.Counter()
    for path in paths:
        with tempfile.TemporaryDirectory() as work:
            for kernel, differ in compare_file(build, path, work):
                states["equal" if not differ else "marked" if all(m for _, m in differ) else "not marked"] += 1
                for text, is_marked in differ:
                    print(f"{os.path.basename(path)} {kernel}: {'~ ' if is_marked else ''}{text}")
    print(f"{sum(states.values())} kernels: {states['equal']} equal, {states['marked']} differ where the plan marks them, "
          f"{states['not marked']} differ without a mark")


main()
