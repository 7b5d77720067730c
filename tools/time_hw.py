#!/usr/bin/env python3
"""Turns what a profiler measured of kernels' caches, DRAM and time into the compact tables of tests/hw/time.

usage: tools/time_hw.py RAW_DIR HEADER OUT.csv NAME...

RAW_DIR/NAME.raw.csv and NAME.sol.csv: `ncu --page raw --csv` and the throughput breakdowns of `ncu --page details --print-details
all --csv` of one program. NAME is written to the column `program`, or, where there is a file NAME.cases, the line of it that belongs
to the launch. HEADER: a file of "key: value" lines that become comments.
OUT.csv has a row per launch: counters (sums over the device, zeros as 0; names without their unit prefix and .sum are in NAMES),
and the units of the profiler's speed-of-light breakdown with their percentages, the highest first."""
import csv
import os
import re
import sys

NAMES = [
    ("gpu__time_duration.sum", "ns"), ("sm__cycles_elapsed.max", "sm_cycles"), ("sm__cycles_active.sum", "sm_cycles_active"),
    ("dram__bytes_read.sum", "dram_read_bytes"), ("dram__bytes_write.sum", "dram_write_bytes"),
    ("lts__t_sectors.sum", "l2_sectors"), ("lts__t_sectors_op_read.sum", "l2_read_sectors"),
    ("lts__t_sectors_op_write.sum", "l2_write_sectors"), ("lts__t_sectors_op_atom.sum", "l2_atom_sectors"),
    ("lts__t_sectors_op_red.sum", "l2_red_sectors"), ("lts__t_sectors_lookup_hit.sum", "l2_hit_sectors"),
    ("lts__t_sectors_lookup_miss.sum", "l2_miss_sectors"), ("lts__t_sectors_srcunit_tex.sum", "l2_sm_sectors"),
    ("lts__t_sectors_srcunit_tex_op_read.sum", "l2_sm_read_sectors"),
    ("lts__t_sectors_srcunit_tex_op_write.sum", "l2_sm_write_sectors"),
    ("lts__t_sectors_srcunit_tex_lookup_hit.sum", "l2_sm_hit_sectors"), ("lts__t_requests_srcunit_tex.sum", "l2_sm_requests"),
    ("l1tex__t_sectors.sum", "l1_sectors"), ("l1tex__t_sectors_lookup_hit.sum", "l1_hit_sectors"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1_global_ld_sectors"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", "l1_global_ld_hit_sectors"),
    ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1_global_st_sectors"),
    ("l1tex__m_xbar2l1tex_read_sectors.sum", "xbar_read_sectors"), ("l1tex__data_pipe_lsu_wavefronts.sum", "l1_wavefronts"),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "shared_wavefronts"), ("l1tex__lsu_writeback_active.sum", "l1_writeback"),
    ("smsp__inst_executed.sum", "inst_executed"), ("smsp__inst_issued.sum", "inst_issued"),
    ("smsp__thread_inst_executed.sum", "thread_inst"), ("smsp__issue_active.sum", "issue_active"),
    ("smsp__cycles_active.sum", "scheduler_cycles"), ("smsp__warps_active.sum", "warp_cycles"),
    ("smsp__inst_executed_pipe_fma.sum", "pipe_fma"), ("smsp__inst_executed_pipe_alu.sum", "pipe_alu"),
    ("smsp__inst_executed_pipe_fp64.sum", "pipe_fp64"), ("smsp__inst_executed_pipe_xu.sum", "pipe_xu"),
    ("smsp__inst_executed_pipe_lsu.sum", "pipe_lsu"), ("smsp__inst_executed_pipe_adu.sum", "pipe_adu"),
    ("smsp__inst_executed_pipe_uniform.sum", "pipe_uniform"), ("launch__registers_per_thread", "registers"),
    ("launch__waves_per_multiprocessor", "waves"), ("gpc__cycles_elapsed.avg.per_second", "sm_hz"),
    ("dram__cycles_elapsed.avg.per_second", "dram_hz"), ("lts__cycles_elapsed.avg.per_second", "l2_hz"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm_percent"),
    ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "memory_percent"),
    ("l1tex__throughput.avg.pct_of_peak_sustained_active", "l1_percent"),
    ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "l2_percent"),
    ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram_percent"),
]
UNITS_SHOWN = 6


def rows_of(path):
    return list(csv.reader(l for l in open(path, errors="replace") if l.startswith('"')))


def number(text):
    value = float(text.replace(",", "").replace("nan", "") or 0)
    return int(value) if value == int(value) else round(value, 3)


def cases_of(path):
    return open(path).read().split() if os.path.exists(path) else []


def extent(text):
    return re.sub(r"[(), ]+", "x", text).strip("x")


def breakdowns(path):
    """{launch: "UNIT percent; ..."}: the constituents of the throughputs, the highest first."""
    found = {}
    for row in rows_of(path):
        if len(row) > 15 and ": " in row[13] and row[14] == "%":  # "L1: Data Pipe Lsu Wavefronts"
            found.setdefault(row[0], {})[row[13]] = number(row[15])
    return {launch: "; ".join(f"{name} {value}" for name, value in sorted(units.items(), key=lambda u: -u[1])[:UNITS_SHOWN])
            for launch, units in found.items()}


def main():
    raw, header, out, *names = sys.argv[1:]
    with open(out, "w", newline="") as f:
        f.writelines("# " + line for line in open(header))
        table = csv.writer(f, lineterminator="\n")
        table.writerow(["program", "kernel", "launch", "grid", "block"] + [short for _, short in NAMES] + ["units"])
        for name in names:
            rows, units = rows_of(f"{raw}/{name}.raw.csv"), breakdowns(f"{raw}/{name}.sol.csv")
            head, cases = rows[0], cases_of(f"{raw}/{name}.cases")
            assert not cases or len(cases) == len(rows) - 2, name
            for k, row in enumerate(rows[2:]):
                v = dict(zip(head, row))
                table.writerow([cases[k] if cases else name, v["Kernel Name"], v["ID"], extent(v["Grid Size"]), extent(v["Block Size"])] +
                               [number(v.get(metric, "0")) for metric, _ in NAMES] + [units.get(v["ID"], "")])


main()
