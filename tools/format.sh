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
        command -v "${candidate:-none}" >/dev/null 2>&1 || continue
        case $("$candidate" --version) in *" 19."*) echo "$candidate"; return ;; esac
    done
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        echo "format.sh: no clang-format 19 here, and no python3-venv to install it with: apt-get install python3-venv" >&2
        return 1
    fi
    echo "format.sh: installing clang-format $VERSION from PyPI into build/clang-format" >&2
    if ! { python3 -m venv build/clang-format && build/clang-format/bin/pip install -q "clang-format==$VERSION"; } >&2; then
        echo "format.sh: that failed; any clang-format 19 will do: CLANG_FORMAT=/path/to/clang-format tools/format.sh" >&2
        return 1
    fi
    echo "$own"
}

mkdir -p build
formatter=$(find_formatter) || exit 1
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
