#!/usr/bin/env bash
# make bench: the executor's speed on W1..W4 (counting on and off, caches, time), start-up, loading of large PTX, textures, atomics
# on one word and tensor cores, and, where they are installed, the same workloads on Oclgrind and PoCL in the same run: absolute figures
# depend on the machine, ratios less.
# Usage: bench/run.sh BUILD_DIR [RESULT_FILE]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}
result=${2:-}
table() {
    echo "date       $(date -u +%F)"
    processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
    echo "processor  $processor, $(nproc) used, load $(cut -d' ' -f1 /proc/loadavg)"
    echo "compiler   $(cc --version | head -1)"
    echo "commit     $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    echo
    LANEWISE_CACHES=1 "$build/lanewise_bench" bench/workloads.ptx "$(nproc)" 5
    echo
    startup
    loading
    cliffs
    peers
}
startup() {
    # a program that launches one empty kernel through the runtime face, against the same program without CUDA
    command -v nvcc >/dev/null 2>&1 || return 0
    local dir=$build/bench best=999999
    mkdir -p "$dir"
    printf '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }\n' >"$dir/empty.cu"
    [ -x "$dir/empty" ] || nvcc -arch=sm_90 -o "$dir/empty" -L"$build/lib" "$dir/empty.cu"
    for _ in 1 2 3 4 5; do
        local start end
        start=$(date +%s%N)
        "$build/lanewise" run --no-report "$dir/empty"
        end=$(date +%s%N)
        local ms=$(((end - start) / 1000))
        [ $ms -lt $best ] && best=$ms
    done
    awk -v us="$best" 'BEGIN { printf "start-up of a program with one empty kernel, lanewise run included: %.1f ms", us / 1000
                              print " (goal 50)" }'
}
cliffs() {
    # textures, atomics on one word and tensor cores, counting, one host thread
    command -v nvcc >/dev/null 2>&1 || return 0
    local program=$build/bench/cliffs
    if [ "$program" -ot bench/cliffs.cu ] || [ "$program" -ot bench/measure.h ] || [ ! -e "$program" ]; then
        nvcc -std=c++17 -arch=sm_90 -o "$program" -L"$build/lib" bench/cliffs.cu
    fi
    echo
    echo "a core, counting"
    "$build/lanewise" run --threads 1 -o /dev/null "$program"
    program=$build/bench/tensor
    if [ "$program" -ot bench/tensor.cu ] || [ "$program" -ot bench/measure.h ] || [ ! -e "$program" ]; then
        nvcc -std=c++17 -gencode arch=compute_90a,code=compute_90a -o "$program" -L"$build/lib" bench/tensor.cu
    fi
    "$build/lanewise" run --threads 1 -o /dev/null "$program"
}
loading() {
    # 100,000 lines of PTX: parse, link, decode
    "$build/lanewise_bench" --load 100000
}
peers() {
    [ -x "$build/peer_opencl" ] || cc -O2 bench/peer_opencl.c -lOpenCL -o "$build/peer_opencl" 2>/dev/null || return 0
    echo
    echo "peers (kernel seconds)"
    echo "PoCL"
    "$build/peer_opencl" 3 | sed 's/^/  /' || true
    if command -v oclgrind >/dev/null 2>&1; then
        echo "Oclgrind (W1..W3)"
        for w in 1 2 3; do timeout 120 oclgrind "$build/peer_opencl" 0 $w | sed 's/^/  /' || true; done
    fi
}
if [ -n "$result" ]; then table | tee "$result"; else table; fi
