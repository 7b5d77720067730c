#!/bin/sh
# Compares what lanewise counts with what an H200 counted, for every program recorded in tests/hw/h200.
#
# usage: tools/compare_hw.sh BUILD [compare_hw.py's options] [program ...]     BUILD holds lanewise; needs nvcc and python3
#        --update  rewrite docs/ACCURACY.md and README.md's sentence
#        --check   fail if either is stale
#        --all     also the kernels that agree
#        --lines   the rows that differ, by line
#
# One host thread: what depends on the order of blocks repeats.
# Fails if a row that the count plan calls exact differs, or if a program that was recorded cannot be run.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
shift
options=
while [ $# -gt 0 ] && [ "${1#--}" != "$1" ]; do
    options="$options $1"
    shift
done
# shellcheck disable=SC2046,SC2012 # names of programs have no blanks
[ $# -gt 0 ] || set -- $(ls "$here/tests/hw/h200" | sed -n 's/\.csv$//p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name; do
    source=$here/tests/hw/kernels/$name.cu
    [ -f "$source" ] || source=$here/examples/$name.cu
    [ -f "$source" ] || source=$here/tests/programs/$name.cu
    [ -f "$source" ] || source=$here/tests/programs2/$name.cu
    "$build/lanewise" run --threads 1 --json "$work/$name.json" -o /dev/null "$source" -O3 -lineinfo -diag-suppress=550 \
        >"$work/$name.out" 2>"$work/$name.err" || sed "s/^/$name: /" "$work/$name.err" | head -3 >&2
done
# shellcheck disable=SC2086 # options have no blanks
cd "$here" && python3 tools/compare_hw.py $options --second=tests/hw/h100 tests/hw/h200 "$work" "$@"
