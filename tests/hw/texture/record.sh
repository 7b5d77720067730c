#!/bin/sh
# Records textures, surfaces and copies by tensor maps on a GPU. usage: record.sh RESULTS, in a folder with record_texture and
# count_texture, built by nvcc -arch=sm_90 -O1
set -u
out=$1
mkdir -p "$out"
began=$(date +%s)
{
    echo "# device: $(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)"
    echo "# driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -1)"
    echo "# toolkit: $(nvcc --version | sed -n 's/.*release \([^,]*\), V\(.*\)/\2/p')"
    echo "# profiler: ncu $(ncu --version 2>/dev/null | sed -n 's/^Version //p')"
    echo "# date: $(date -u +%Y-%m-%d)"
} >"$out/header"
timeout 60 ./record_texture "$out" 2>"$out/record.error"
echo "record: $? after $(($(date +%s) - began)) s"
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do timeout 20 ./record_texture trap $n; done >"$out/traps.txt" 2>&1
echo "traps after $(($(date +%s) - began)) s"
for n in $(seq 0 105); do timeout 20 ./count_texture maps "$n"; done >"$out/maps.txt" 2>&1
echo "maps after $(($(date +%s) - began)) s"
ncu --query-metrics 2>/dev/null | awk '{print $1}' >"$out/query"
count() {
    metrics=$(grep -E -e "^($2)\$" "$out/query" | sed 's/$/.sum/' | paste -sd,)
    timeout "$3" ncu -f --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
        --log-file "$out/$1.csv" ./count_texture "$1" >"$out/$1.cases" 2>"$out/$1.error"
    echo "$1: $? after $(($(date +%s) - began)) s"
}
count maps 'l1tex__m_[a-z0-9_]*_(pipe_tma|op_tma[a-z_]*)|l1tex__tmain_requests|sm__(sass_)?inst_executed_(pipe|op)_tma[a-z_]*|lts__t_(sectors|requests)_srcunit_tex(_op_(read|write|red))?|l1tex__data_bank_(reads|writes)' 60
count textures 'l1tex__t_(requests|sectors|set_accesses|output_wavefronts)_pipe_tex_mem_(texture|surface)(_op_[a-z]*)?|l1tex__data_pipe_tex_wavefronts(_mem_texture|_mem_surface)?|l1tex__texin_requests_(mem_texture|null)|sm__sass_inst_executed_op_texture|smsp__inst_executed_pipe_tex|l1tex__f_wavefronts|lts__t_sectors_srcunit_tex_op_read' 90
rm "$out/query"
xz -9 "$out/words.bin" 2>/dev/null || gzip -9 "$out/words.bin"
echo "done after $(($(date +%s) - began)) s"
