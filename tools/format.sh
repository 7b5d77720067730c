#!/usr/bin/env bash
# format.sh: brings the C and CUDA sources into the project's one format (.clang-format), or checks that they are in it.
#
#   tools/format.sh [--check] [FILE...]
#
# Without files: every file that git knows and .clang-format-ignore does not leave out. Versions of clang-format differ in
# what they do, so one is fixed here; if it is not installed it is taken from PyPI into build/.
set -euo pipefail
cd "$(dirname "$0")/.."
VERSION=19.1.7
check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi

find_formatter() {
    local own=build/clang-format/bin/clang-format candidate
    for candidate in "${CLANG_FORMAT:-}" "$own" clang-format-19 clang-format; do
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 || continue
        case $("$candidate" --version) in *" 19."*) echo "$candidate"; return ;; esac
    done
    echo "format.sh: installing clang-format $VERSION into build/clang-format" >&2
    python3 -m venv build/clang-format >&2 && build/clang-format/bin/pip install -q "clang-format==$VERSION" >&2
    echo "$own"
}

formatter=$(find_formatter)
if [ $# = 0 ]; then
    mapfile -t files < <(git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.inl')
else
    files=("$@")
fi
if [ $check = no ]; then
    printf '%s\0' "${files[@]}" | xargs -0 -P"$(nproc)" -n40 "$formatter" -i
elif ! printf '%s\0' "${files[@]}" | xargs -0 -P"$(nproc)" -n40 "$formatter" --dry-run -Werror 2>build/format.log; then
    sed -n 's/: error: code should be clang-formatted.*//p' build/format.log | head -40 >&2
    echo "format.sh: not in the project's format (the places above): run tools/format.sh" >&2
    exit 1
fi
