#!/bin/sh
# Records what a GPU counts for whole kernels: builds each program, runs it under Nsight Compute and exports the counters per
# launch (raw.csv) and per machine instruction (sass.csv), with the disassembly and the PTX they belong to.
#
# usage: tools/record_hw.sh RAW_DIR program.cu ...      on a machine with a GPU, nvcc, ncu, cuobjdump and nvdisasm
# then:  tools/record_hw.py RAW_DIR tests/hw/h200       anywhere: the compact tables that are kept
#
# Clocks are left alone. LW_RECORD_SECONDS: start no further program after so many seconds (default 240).
set -u
raw=$1
shift
mkdir -p "$raw/bin"
began=$(date +%s)
limit=${LW_RECORD_SECONDS:-240}

# One build per processor at a time.
# shellcheck disable=SC2016 # the inner shell expands
for source; do
    name=$(basename "$source" .cu)
    echo "$name $source"
done | xargs -P "$(nproc)" -L 1 sh -c '
    nvcc -arch=sm_90 -O3 -lineinfo -cudart static -diag-suppress=550 -keep -keep-dir "$0/bin" -I"$(dirname "$2")" \
         -o "$0/bin/$1" "$2" >"$0/$1.build" 2>&1
    cuobjdump -sass "$0/bin/$1" >"$0/$1.sass" 2>&1
    (mkdir -p "$0/bin/$1.d"; cd "$0/bin/$1.d" && cuobjdump -xelf all "../$1" >/dev/null 2>&1 && nvdisasm -g -c *.cubin) >"$0/$1.lines" 2>&1
' "$raw"
echo "built after $(($(date +%s) - began)) s"

# The metrics of the request path that this card and this ncu have, and those of source lines.
ncu --query-metrics 2>/dev/null | awk '{print $1}' >"$raw/query"
grep -E -e '^l1tex__t_(requests|sectors|set_accesses)_pipe_lsu_mem_(global_op_(ld|st|red|atom|ldgsts[a-z_]*)|local_op_(ld|st)|dshared_op_(ld|st|atom))$' \
    -e '^l1tex__data_pipe_lsu_wavefronts_mem_shared_op_(ld|st|atom)$' \
    -e '^l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_(ld|st|atom|ldgsts)$' \
    -e '^smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_[a-z_]+$' \
    -e '^smsp__sass_inst_executed_op_(shared|global|local|dshared|ldgsts|ldsm)[a-z_]*$' \
    -e '^(smsp__inst_executed|idc__requests)$' "$raw/query" | sed 's/$/.sum/' >"$raw/metrics"
lines="inst_executed thread_inst_executed_true memory_l1_wavefronts_shared memory_l1_wavefronts_shared_ideal memory_l1_tag_requests_global memory_l2_theoretical_sectors_global memory_l2_theoretical_sectors_global_ideal memory_l2_theoretical_sectors_local"
first=$raw/bin/$(basename "$1" .cu)
for metric in $lines; do
    if ncu --clock-control none --launch-count 1 --metrics "$metric" --csv "$first" 2>&1 | grep -q "\"$metric"; then
        echo "$metric" >>"$raw/metrics"
    else
        echo "no $metric here"
    fi
done
metrics=$(paste -sd, "$raw/metrics")
echo "$(wc -l <"$raw/metrics") metrics after $(($(date +%s) - began)) s"

{
    echo "device: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
    echo "driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
    echo "toolkit: $(nvcc --version | sed -n 's/.*release \([^,]*\), V\(.*\)/\2/p')"
    echo "profiler: ncu $(ncu --version | sed -n 's/^Version //p')"
    echo "date: $(date -u +%Y-%m-%d)"
    echo "build: nvcc -arch=sm_90 -O3 -lineinfo -cudart static"
    echo "command: ncu --clock-control none --metrics (the names in tools/record_hw.py)"
} >"$raw/header"

for source; do
    name=$(basename "$source" .cu)
    if [ $(($(date +%s) - began)) -gt "$limit" ]; then
        echo "no time for $name"
        continue
    fi
    timeout 150 ncu -f -o "$raw/bin/$name" --clock-control none --metrics "$metrics" "$raw/bin/$name" >"$raw/$name.log" 2>&1
    echo "$name: $? after $(($(date +%s) - began)) s, $(tail -1 "$raw/$name.log")"
    (
        ncu --import "$raw/bin/$name.ncu-rep" --page raw --csv --print-kernel-base mangled --print-units base >"$raw/$name.raw.csv" 2>&1
        ncu --import "$raw/bin/$name.ncu-rep" --page source --csv --print-source sass --print-kernel-base mangled >"$raw/$name.sass.csv" 2>&1
    ) &
done
wait
for source; do
    name=$(basename "$source" .cu)
    cp "$raw/bin/$name.ptx" "$raw/" 2>/dev/null
done
echo "done after $(($(date +%s) - began)) s"
