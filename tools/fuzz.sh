#!/bin/sh
# fuzz.sh: builds the fuzz targets of tests/fuzz with clang's libFuzzer, ASan and UBSan, and runs each for a while.
#
#   tools/fuzz.sh [SECONDS] [TARGET...]     60 seconds each, all targets
#
# Inputs that are new are collected in build-fuzz/corpus/; an input that crashes is written to build-fuzz/ and named.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# = 0 ] || shift
command -v clang >/dev/null 2>&1 || { echo "fuzz.sh: needs clang (tools/setup.sh --gate)" >&2; exit 1; }
CC=clang cmake -S . -B build-fuzz -DCMAKE_BUILD_TYPE=Release -DLANEWISE_FUZZ=ON -DLANEWISE_SANITIZE=address,undefined >/dev/null
# shellcheck disable=SC2046 # one word a target
[ $# -gt 0 ] || set -- $(basename -s .c tests/fuzz/fuzz_*.c)
cmake --build build-fuzz -j"$(nproc)" --target "$@"
for target; do
    kind=${target#fuzz_}
    mkdir -p "build-fuzz/corpus/$kind"
    echo "==== $target: $seconds s"
    build-fuzz/tests/"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="build-fuzz/$target-" "build-fuzz/corpus/$kind" "tests/fuzz/corpus/$kind" >"build-fuzz/$target.log" 2>&1 ||
        { tail -40 "build-fuzz/$target.log"; echo "$target found something (above): build-fuzz/$target-*" >&2; exit 1; }
    grep -E 'stat::number_of_executed_units|stat::new_units_added' "build-fuzz/$target.log"
done
