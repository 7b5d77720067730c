#!/bin/sh
# tidy.sh: runs clang-tidy (.clang-tidy) over src/ and cli/ and fails if it complains.
#
#   tools/tidy.sh [BUILD_DIRECTORY] [FILE...]     a build that was configured there says how each file is compiled
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# = 0 ] || shift
[ -f "$build/compile_commands.json" ] || { echo "tidy.sh: no compile_commands.json in $build: configure it first" >&2; exit 2; }
# gcc's flags that clang does not know would be errors
mkdir -p "$build/tidy"
sed 's/ -fno-tree-loop-distribute-patterns//g' "$build/compile_commands.json" >"$build/tidy/compile_commands.json"
[ $# -gt 0 ] || set -- src/*/*.c cli/*.c
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build/tidy" --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-Wno-unknown-pragmas \
    --extra-arg=-Wno-ignored-optimization-argument >"$build/tidy.log" 2>&1 ||
    { grep -vE 'warnings? generated|^Suppressed|^Use -' "$build/tidy.log" >&2; exit 1; }
