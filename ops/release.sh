#!/bin/sh
# Builds liblanewise-ops for all architectures of a release and says what it costs.
#
#   [JOBS=1] ops/release.sh BUILD_DIRECTORY [RESULTS.csv]
#
# The CSV has a row per file (seconds of wall and of processor time) and one of the library's bytes. Fails above 40 MB.
set -eu
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
build=$(CDPATH='' cd -- "$1" && pwd)
out=${2:-$build/release.csv}
most=40000000
jobs=${JOBS:-1} # files at a time
cat >"$build/timed" <<'END'
#!/bin/bash
# runs a compiler and notes its time beside the file it wrote
TIMEFORMAT='%R,%U'
for a; do case $a in *.cu | *.c) file=$(basename "$a") ;; esac; done
{ time "$@" 2>&3; } 3>&2 2>"$LW_TIMES/$file.time"
END
chmod +x "$build/timed"
LW_TIMES=$build/times
export LW_TIMES
rm -rf "$LW_TIMES"
mkdir -p "$LW_TIMES"
cmake -S "$here" -B "$build" -DLW_OPS_CUDA_ARCHITECTURES=release -DLW_OPS_TESTS=OFF \
    -DCMAKE_CUDA_COMPILER_LAUNCHER="$build/timed" >/dev/null
cmake --build "$build" -j"$jobs" --target lanewise_ops
{
    echo "# liblanewise-ops for all architectures of a release, $(date -u +%Y-%m-%d); -j$jobs of $(nproc) processors, nvcc $(nvcc --version | sed -n 's/.*release.*V//p')"
    echo "file,seconds,processor_seconds"
    for t in "$LW_TIMES"/*.time; do
        echo "$(basename "$t" .time),$(tail -1 "$t")"
    done | sort -t, -k2 -rn
} >"$out"
bytes=$(wc -c <"$build/lib/liblanewise-ops.so.0")
sums=$(awk -F, -v b="$bytes" '!/^#|^file/ {s += $2; u += $3} END {printf "all,%.1f,%.1f\n# library: %d bytes\n", s, u, b}' "$out")
echo "$sums" >>"$out"
tail -2 "$out"
[ "$bytes" -le $most ] || { echo "more than $most bytes" >&2; exit 1; }
