#!/bin/sh
# Records tests/ptx/vectors/h200_sm90.vec on a machine with nvcc and an H200:
#   sh tests/ptx/vectors/record.sh OUT [COUNT COUNT16]
# OUT: a text header, a line "data zstd", then the results (record.c) as one zstd frame. Forms that ptxas refuses are in
# rejected.txt; without that file they are found by trying.
set -e
cd "$(dirname "$0")/../../.."
here=tests/ptx/vectors out=$1 count=${2:-256} count16=${3:-256} work=$(mktemp -d)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
driver=$(ldconfig -p | awk '/libcuda.so.1/ { print $NF; exit }')
cc=${CC:-gcc}
$cc -std=gnu11 -O1 -Isrc -I$here $here/gen_ptx.c -o "$work"/gen_ptx
$cc -std=gnu11 -O1 -Isrc -I$here -I"$cuda"/include -I"$cuda"/targets/x86_64-linux/include $here/record.c -o "$work"/record \
    "${driver:-$(find / -name libcuda.so.1 2>/dev/null | head -n 1)}"
cp $here/rejected.txt "$work"/rejected 2>/dev/null || : >"$work"/rejected
while "$work"/gen_ptx "$work"/v.ptx "$work"/rejected; do
    ptxas -arch=sm_90 "$work"/v.ptx -o "$work"/v.cubin >"$work"/log 2>&1 && break
    sed -n 's/.*line \([0-9]*\); error.*/\1p/p' "$work"/log | sort -u >"$work"/lines
    sed -n -f "$work"/lines "$work"/v.ptx | sed -n 's,.*// ,,p' | sort -u >>"$work"/rejected
done
"$work"/record "$work"/v.cubin "$work"/raw "$count" "$count16" 2>"$work"/device
{
    echo "Results of PTX instructions on real hardware; read by tests/unit/test_vectors.c."
    cat "$work"/device
    echo "driver: $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    echo "toolkit: $(nvcc --version | grep release | sed 's/.*release/CUDA/'), ptxas -arch=sm_90"
    echo "date: $(date -u +%Y-%m-%d)"
    echo "command: sh tests/ptx/vectors/record.sh OUT"
    echo "results per form: $count (one 16-bit source: $count16)"
    echo "data zstd"
    zstd -19 -q -c "$work"/raw || echo "no zstd here: append the output of zstd -19 -c $out.raw" >&2
} >"$out"
cp "$work"/raw "$out.raw"
rm -r "$work"
