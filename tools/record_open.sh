#!/bin/sh
# Asks a GPU what the counting rules leave open (tests/hw/open/open_points.cu): each experiment runs under Nsight Compute with
# the metrics it needs.
#
# usage: tools/record_open.sh RAW_DIR [EXPERIMENT ...]   on a machine with a GPU, nvcc and ncu
# then:  tools/record_open.py RAW_DIR >tests/hw/h200-open.csv
#
# Clocks are left alone.
set -u
raw=$1
shift
wanted=" $* "
mkdir -p "$raw"
began=$(date +%s)
program=$raw/open_points
nvcc -arch=sm_90 -O3 -lineinfo -cudart static -diag-suppress=550 -o "$program" "$(dirname "$0")/../tests/hw/open/open_points.cu" -lcuda || exit 1
cuobjdump -sass "$program" 2>/dev/null | grep -E 'Function|LDGSTS|ATOM|RED|LDC|LDG|STG|LD\.|ST\.' >"$raw/sass"
ncu --query-metrics 2>/dev/null | awk '{print $1}' >"$raw/query"
{
    echo "device: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
    echo "driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
    echo "toolkit: $(nvcc --version | sed -n 's/.*release \([^,]*\), V\(.*\)/\2/p')"
    echo "profiler: ncu $(ncu --version | sed -n 's/^Version //p')"
    echo "date: $(date -u +%Y-%m-%d)"
    echo "command: ncu --clock-control none --metrics (the names in the column counter) open_points EXPERIMENT"
} >"$raw/header"
echo "built after $(($(date +%s) - began)) s"

# record EXPERIMENT REGULAR-EXPRESSION-OF-METRICS [other metrics]
record() {
    case "$wanted" in "  " | *" $1 "*) ;; *) return ;; esac
    metrics=$(grep -E -e "^($2)\$" "$raw/query" | sed 's/$/.sum/' | paste -sd,)
    timeout 100 "$program" "$1" >"$raw/$1.plain" 2>&1 # the same without the profiler: does it run at all?
    timeout 120 ncu -f --clock-control none --csv --page raw --print-units base --metrics "$metrics${3:+,$3}" \
        --log-file "$raw/$1.csv" "$program" "$1" >"$raw/$1.cases" 2>"$raw/$1.error"
    echo "$1: $? after $(($(date +%s) - began)) s, $(grep -c ^CASE "$raw/$1.cases") cases"
}

record copy 'l1tex__t_(requests|sectors|set_accesses|output_wavefronts)_pipe_lsu_mem_global_op_(ld|ldgsts[a-z_]*)|l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts[a-z_]*|smsp__sass_l1tex_data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_ldgsts[a-z_]*|l1tex__data_bank_conflicts_type_arbitration'
record hash 'l1tex__t_(sectors|set_accesses|output_wavefronts)_pipe_lsu_mem_global_op_ld'
record atomic 'l1tex__t_(requests|sectors|set_accesses|output_wavefronts)_pipe_lsu_mem_global_op_(red|atom)|lts__t_(requests|sectors)_srcunit_tex_op_(red|atom|atom_dot_alu|atom_dot_cas)'
record multiplicity 'l1tex__t_(sectors|set_accesses|output_wavefronts)_pipe_lsu_mem_global_op_(red|atom)|lts__t_sectors_srcunit_tex_op_(red|atom)'
record constant 'idc__requests|idc__requests_lookup_(hit|miss)|smsp__inst_executed'
record cluster 'l1tex__t_(requests|sectors|set_accesses|output_wavefronts)_pipe_lsu_mem_dshared_op_(ld|st|atom)|l1tex__data_bank_conflicts_pipe_lsu_mem_(dshared|shared)_op_(ld|st|atom)|l1tex__data_pipe_lsu_wavefronts_mem_(dshared|shared)_op_(ld|st|atom)'
record fetch 'dram__sectors_read|lts__t_sectors_srcunit_tex_op_read|lts__t_sectors_srcunit_tex_lookup_(hit|miss)|lts__t_sectors_op_read_lookup_miss|l1tex__t_sectors_pipe_lsu_mem_global_op_ld'
record arbitration 'l1tex__data_bank_conflicts_type_arbitration|l1tex__data_(bank_conflicts|pipe_lsu_wavefronts)_pipe_lsu_mem_shared_op_(ld|st)|l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_(ld|st)|l1tex__data_pipe_lsu_wavefronts_mem_shared_op_(ld|st)'
record occupancy 'smsp__inst_executed' launch__occupancy_limit_blocks,launch__occupancy_limit_registers,launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps,launch__occupancy_limit_barriers,launch__registers_per_thread,launch__shared_mem_per_block,launch__shared_mem_config_size
echo "done after $(($(date +%s) - began)) s"
