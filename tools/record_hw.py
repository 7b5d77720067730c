#!/usr/bin/env python3
"""Turns what tools/record_hw.sh recorded into the compact tables of tests/hw/h200.

usage: tools/record_hw.py RAW_DIR OUT_DIR

Each program gives OUT_DIR/<program>.csv: comments with device, driver, toolkit, date and command, then the columns
kernel (mangled), launch (index in the program), line, instruction, counter, value. An empty kernel or launch is that of
the row above; counters of the whole launch have no line; zeros are left out. Rows with a line sum the machine
instructions of one opcode that come from that source line.
"""
import csv
import glob
import os
import re
import sys

# (pattern of the Nsight Compute metric, our name)
NAMES = [(re.compile(p + r"(\.sum)?$"), n) for p, n in [
    (r"l1tex__t_requests_pipe_lsu_mem_(\w+?)_op_(ld|st|red|atom)", r"\1_\2_requests"),
    (r"l1tex__t_sectors_pipe_lsu_mem_(\w+?)_op_(ld|st|red|atom)", r"\1_\2_sectors"),
    (r"l1tex__t_set_accesses_pipe_lsu_mem_(\w+?)_op_(ld|st|red|atom)", r"\1_\2_tags"),
    (r"l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access", r"global_ldgsts_requests"),
    (r"l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access", r"global_ldgsts_sectors"),
    (r"l1tex__t_set_accesses_pipe_lsu_mem_global_op_ldgsts_cache_access", r"global_ldgsts_tags"),
    (r"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_(\w+)", r"shared_\1_wavefronts_l1tex"),
    (r"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_(\w+)", r"shared_\1_conflicts_l1tex"),
    (r"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_(ld|st|atom|ldsm|stsm|ldgsts_cache_\w+)", r"shared_\1_wavefronts"),
    (r"smsp__sass_inst_executed_op_(shared|global|local|dshared)_(\w+)", r"\1_\2_inst"),
    (r"smsp__sass_inst_executed_op_(ldgsts_cache_\w+|ldsm)", r"\1_inst"),
    (r"idc__requests", "idc_requests"),
    (r"smsp__inst_executed", "inst_executed"),
    (r"thread_inst_executed_true", "thread_inst_executed_true"),
    (r"memory_l1_wavefronts_shared(_ideal)?", r"shared_wavefronts\1"),
    (r"memory_l1_tag_requests_global", "global_tags"),
    (r"memory_l2_theoretical_sectors_(global(?:_ideal)?|local)", r"\1_sectors"),
]]
MEMORY = re.compile(r"^(LDS|STS|LDG|STG|LDL|STL|LDSM|STSM|LDGSTS|ATOM|ATOMG|ATOMS|RED|REDG|REDUX|LD|ST|LDC|LDCU)(\.|$)")


def short_name(metric):
    for pattern, name in NAMES:
        match = pattern.match(metric)
        if match:
            return re.sub("global_ideal_sectors", "global_sectors_ideal", match.expand(name))
    return None


def number(text):
    return int(float(text.replace(",", "").replace("nan", "") or 0))  # nan: a kernel that the profiler could not measure


def line_maps(path, source):
    """{kernel: [line of each instruction]}; a line outside of the program's source as file:line."""
    maps, current, group, fresh = {}, None, None, False
    for text in open(path, errors="replace"):
        match = re.match(r"^\.text\.(\S+):", text)
        if match:
            current, group = maps.setdefault(match.group(1), []), ""
            continue
        match = re.search(r'//## File "([^"]*)", line (\d+)', text)
        if match:
            here = os.path.basename(match.group(1))
            label = match.group(2) if here == source else here + ":" + match.group(2)
            if fresh or (":" in group and ":" not in label):  # leaf first; the first frame of the source wins
                group, fresh = label, False
            continue
        if re.match(r"^\s+/\*[0-9a-f]{4,}\*/", text) and current is not None:
            current.append(group)
            fresh = True
    return maps


def launches(path):
    rows = list(csv.reader(l for l in open(path, errors="replace") if not l.startswith("==")))
    head = rows[0]
    for row in rows[2:]:
        values = dict(zip(head, row))
        if values["Grid Size"].startswith("(0,"):  # a launch that failed
            continue
        counters = {"grid": values["Grid Size"], "block": values["Block Size"]}
        for metric in head:
            if re.search(r"\.(avg|max|min)$", metric):
                continue
            name = short_name(metric)
            if name and number(values[metric]):
                counters[name] = number(values[metric])
        yield values["Kernel Name"], {k: re.sub(r"[(), ]+", "x", str(v)).strip("x") for k, v in counters.items()}


def listings(path):
    """Per launch, in order: [(instruction text, {counter: value})]."""
    head, rows = None, None
    for row in csv.reader(l for l in open(path, errors="replace") if not l.startswith("==")):
        if row and row[0] == "Kernel Name":
            if rows is not None:
                yield rows
            head, rows = None, []
        elif row and row[0] == "Address":
            head = row
        elif head and len(row) >= len(head):
            rows.append((row[1], {short_name(h): number(v) for h, v in zip(head[2:], row[2:]) if short_name(h)} |
                         {"inst": number(dict(zip(head, row))["inst_executed"])}))
    if rows is not None:
        yield rows


def by_line(rows, lines):
    total = {}
    for k, (text, counters) in enumerate(rows):
        opcode = re.sub(r"^@\S+\s+", "", text.strip()).split()[0].rstrip(",")
        if not MEMORY.match(opcode) or opcode.startswith(("LDC", "REDUX")):
            continue
        key = (lines[k] if k < len(lines) else "", opcode)
        mine = total.setdefault(key, {})
        for name, value in counters.items():
            if name and value and name != "inst_executed":
                mine[name] = mine.get(name, 0) + value
    return total


def compact(raw, out, name):
    by_lines = os.path.exists(f"{raw}/{name}.sass.csv")  # else totals of launches alone
    maps = line_maps(f"{raw}/{name}.lines", name + ".cu") if by_lines else {}
    sass = list(listings(f"{raw}/{name}.sass.csv")) if by_lines else []
    count = sum(1 for _ in launches(f"{raw}/{name}.raw.csv"))
    sass = sass[::max(1, len(sass) // count)]  # ncu prints the table of a launch twice where a module has several kernels
    assert len(sass) == count or not by_lines, name
    with open(f"{out}/{name}.csv", "w") as f:
        for text in open(raw + "/header"):
            f.write("# " + text)
        f.write("kernel,launch,line,instruction,counter,value\n")
        before = None
        for k, (kernel, counters) in enumerate(launches(f"{raw}/{name}.raw.csv")):
            rows = [("", "", c, v) for c, v in counters.items()]
            for (line, opcode), values in by_line(sass[k] if by_lines else [], maps.get(kernel, [])).items():
                rows += [(line, opcode, c, v) for c, v in values.items()]
            for row, at in zip(rows, [str(k)] + [""] * len(rows)):
                f.write(",".join([kernel if kernel != before else "", at] + [str(c) for c in row]) + "\n")
                before = kernel


def main():
    raw, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    for path in sorted(glob.glob(raw + "/*.raw.csv")):
        if any(launches(path)):
            compact(raw, out, os.path.basename(path)[:-len(".raw.csv")])


main()
