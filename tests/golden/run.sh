#!/bin/sh
# Golden tests of the command. Each directory here with a file `cmd` is a case: cmd is run by sh in an empty directory,
# with the lanewise under test first on PATH and SRC naming the source tree; its output is compared with the files
# stdout and stderr, its exit status with `exit` (missing: empty, empty, 0).
#
#   tests/golden/run.sh [--update] BUILD_DIRECTORY [case...]
#
# In expected lines * stands for any text, and a line that is only ... for any lines. --update rewrites what differs: lines
# with stars stay where they still fit, files with a line ... are left to be edited by hand. A case with a file `needs` is skipped unless the shell command in it succeeds.
set -u
update=no
[ "${1:-}" = --update ] && update=yes && shift
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2; }
golden=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$(CDPATH='' cd -- "$1" && pwd) || exit 2
shift
[ -x "$build/lanewise" ] || { echo "no lanewise in $build" >&2; exit 2; }
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT INT TERM
SRC=$(CDPATH='' cd -- "$golden/../.." && pwd)
PATH=$build:$PATH
XDG_CACHE_HOME=$scratch/cache COLUMNS=80 LC_ALL=C TERM=dumb
export SRC PATH XDG_CACHE_HOME COLUMNS LC_ALL TERM
# What the caller of this script was given: a `make` around it would make a make in a test talk of directories.
unset NO_COLOR LANEWISE_LIBDIR NVCC_APPEND_FLAGS MAKEFLAGS MAKELEVEL MFLAGS 2>/dev/null

# Compares two files: expected (with * and ...) and got.
same() {
    awk -v expected="$1" -v got="$2" '
        function pattern(s) {
            gsub(/[][\\.^$+?(){}|\/]/, "\\\\&", s)
            gsub(/\*/, ".*", s)
            return "^" s "$"
        }
        function match_from(i, j) {
            while (i <= n) {
                if (want[i] == "...") {
                    for (; j <= m + 1; j++) if (match_from(i + 1, j)) return 1
                    return 0
                }
                if (j > m || have[j] !~ pattern(want[i])) return 0
                i++; j++
            }
            return j == m + 1
        }
        BEGIN {
            while ((getline line < expected) > 0) want[++n] = line
            while ((getline line < got) > 0) have[++m] = line
            exit !match_from(1, 1)
        }'
}

# Writes what was got over what was expected, but for lines with stars that match a line that was got.
rewrite() {
    if grep -qx '\.\.\.' "$1" 2>/dev/null; then
        echo "$1 has a line '...': edit it by hand"
        return
    fi
    awk -v expected="$1" '
        function pattern(s) {
            gsub(/[][\\.^$+?(){}|\/]/, "\\\\&", s)
            gsub(/\*/, ".*", s)
            return "^" s "$"
        }
        function fits(i, j) { return want[i] == have[j] || (want[i] ~ /\*/ && have[j] ~ pattern(want[i])) }
        BEGIN { while ((getline line < expected) > 0) want[++n] = line }
        { have[++m] = $0 }
        END { # the longest sequence of lines that fit, in order: those stay as they are written
            for (i = n; i >= 1; i--)
                for (j = m; j >= 1; j--)
                    if (fits(i, j)) most[i, j] = most[i + 1, j + 1] + 1
                    else most[i, j] = most[i + 1, j] > most[i, j + 1] ? most[i + 1, j] : most[i, j + 1]
            i = 1
            for (j = 1; j <= m; j++) {
                while (i <= n && !fits(i, j) && most[i + 1, j] == most[i, j] && most[i, j] > most[i, j + 1]) i++
                if (i <= n && fits(i, j)) print want[i++]
                else print have[j]
            }
        }' "$2" >"$scratch/rewritten"
    cp "$scratch/rewritten" "$1"
}

passed=0 failed=0 skipped=0
run_case() {
    case_dir=$golden/$1
    work=$scratch/$1
    mkdir -p "$work/in" && cd "$work/in" || exit 2
    if [ -f "$case_dir/needs" ] && ! sh "$case_dir/needs" >/dev/null 2>&1; then
        skipped=$((skipped + 1))
        return
    fi
    timeout 120 sh "$case_dir/cmd" >"$work/stdout" 2>"$work/stderr" </dev/null
    status=$?
    bad=
    for stream in stdout stderr; do
        want=$case_dir/$stream
        [ -f "$want" ] || want=/dev/null
        same "$want" "$work/$stream" && continue
        bad="$bad $stream"
        if [ $update = yes ]; then rewrite "$case_dir/$stream" "$work/$stream"; else diff -u "$want" "$work/$stream"; fi
    done
    want=$(cat "$case_dir/exit" 2>/dev/null || echo 0)
    if [ "$status" != "$want" ]; then
        bad="$bad exit"
        [ $update = yes ] && echo "$status" >"$case_dir/exit"
        echo "$1: exit status $status, expected $want"
    fi
    if [ -n "$bad" ]; then
        echo "$1: differs:$bad"
        failed=$((failed + 1))
    else
        passed=$((passed + 1))
    fi
}

# shellcheck disable=SC2046 # names of cases have no blanks
[ $# -gt 0 ] || set -- $(cd "$golden" && for d in */cmd; do dirname "$d"; done)
for name; do run_case "$name"; done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
