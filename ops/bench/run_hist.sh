#!/bin/sh
# Tests the histograms on this machine's GPU, sizes above 2^32 included, then times every strategy beside the chosen one.
# Build first: make -C ops BUILD=DIR tests bench
#
#   ops/bench/run_hist.sh DIR [RESULTS.csv]     about 40 s on an H200
set -eu
[ $# -ge 1 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
dir=$(CDPATH='' cd -- "$1" && pwd)
out=${2:-hist.csv}
LD_LIBRARY_PATH=$dir:${CUDA_HOME:-/usr/local/cuda}/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
clocks() { nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks_event_reasons.active --format=csv,noheader || true; }
clocks
for test in test_hist test_hist_any; do LW_OPS_TEST_CASES=200 "$dir/$test"; done
"$dir/lanewise-ops-bench" --skip-copy --only hist --out "$out"
clocks
