#!/usr/bin/env bash
# Records public programs for tests/hw/time: caches, DRAM, pipes, time and units of each launch, caches as the program left them.
#
# usage: tools/record_draw.sh FOLDER FIRST SECONDS OUT [LAUNCHES]   on a machine with a GPU and ncu
# then:  tools/time_hw.py OUT/raw OUT/header tests/hw/time/CARD-DRAW.csv $(cat OUT/names)
#
# FOLDER/list.csv: program,arguments; FOLDER/bin/PROGRAM the program, FOLDER/files/PROGRAM/ the files that it reads, if any.
# Begins with line FIRST (1 the first program), begins no program after SECONDS, records at most LAUNCHES (12) launches of each.
# Clocks are left alone.
set -u
folder=$(realpath "$1") first=$2 limit=$3
mkdir -p "$4/raw"
out=$(realpath "$4")
launches=${5:-12}
metrics=$(sed -n '/^NAMES/,/^]/p' "$(dirname "$0")/time_hw.py" | grep -oE '\("[a-z_0-9.]+' | tr -d '("' | paste -sd,)
[ -d "$folder/lib" ] && export LD_LIBRARY_PATH=$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
{
    echo "device: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
    echo "driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
    echo "toolkit: $(nvcc --version | sed -n 's/.*release \([^,]*\), V\(.*\)/\2/p')"
    echo "profiler: ncu $(ncu --version | sed -n 's/^Version //p')"
    echo "date: $(date -u +%Y-%m-%d)"
    echo "clocks: left alone ($(nvidia-smi --query-gpu=clocks.max.sm,clocks.max.mem --format=csv,noheader | head -1))"
    echo "command: ncu --clock-control none --cache-control none --launch-count $launches --section SpeedOfLight --metrics (the names in tools/time_hw.py)"
} >"$out/header"

# report NAME: the tables of what was recorded
report() {
    ncu --import "$out/$1.ncu-rep" --page raw --csv --print-kernel-base mangled --print-units base >"$out/raw/$1.raw.csv" 2>/dev/null
    ncu --import "$out/$1.ncu-rep" --page details --print-details all --csv --print-units base >"$out/raw/$1.sol.csv" 2>/dev/null
    rm -f "$out/$1.ncu-rep"
    grep -q '^"0"' "$out/raw/$1.raw.csv" && echo "$1" >>"$out/names"
}

began=$(date +%s)
number=0
while IFS=, read -r name arguments; do
    number=$((number + 1))
    [ "$number" -ge "$first" ] || continue
    now=$(($(date +%s) - began))
    if [ "$now" -ge "$limit" ]; then
        echo "next: $number ($name)"
        break
    fi
    mkdir -p "$folder/files/$name"
    # shellcheck disable=SC2086 # arguments are words
    (cd "$folder/files/$name" && timeout -k 5 45 ncu -f -o "$out/$name" --clock-control none --cache-control none --launch-count "$launches" \
        --section SpeedOfLight --metrics "$metrics" --target-processes all "$folder/bin/$name" $arguments >"$out/raw/$name.log" 2>&1 </dev/null)
    echo "$name $? $(($(date +%s) - began - now)) s"
    report "$name" &
done < <(tail -n +2 "$folder/list.csv")
wait
sort -o "$out/names" "$out/names"
