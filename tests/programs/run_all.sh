#!/usr/bin/env bash
# Compiles and runs the test programs: every .cu file here, and every folder here as one program of several files.
# Each must print PASS as its last line and exit with 0. One line a program: `ok|FAIL|TIMEOUT|BUILD name`.
# A program that needs what lanewise refuses says so in a line `// lanewise refuses: TEXT`: under lanewise it must fail
# and name TEXT on stderr. Flags a program needs stand in the first line of its source (of main.cu for a folder):
# `// nvcc: -rdc=true`.
#
#   run_all.sh [--build DIR] [--nvcc CMD] [--nvcc-flags FLAGS] [--runner CMD] [--filter REGEX]
#              [--except REGEX] [--timeout SECONDS] [--jobs N] [--build-only] [--examples] [--source DIR]
#              [--verbose] [--list]
#
#   --build DIR      where binaries are kept (default: build/programs in the repository); a binary is built again
#                    when its source or the flags have changed
#   --nvcc-flags F   added to `-arch=sm_90 -std=c++17` (which --arch replaces)
#   --runner CMD     put before each program, e.g. 'lanewise run --no-report'
#   --examples       the programs of examples/ instead
#   --source DIR     the programs of DIR instead, e.g. tests/programs2
# The last argument may be a filter, too. Exit status: 0 when all passed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
source_dir=$here
build=
nvcc=nvcc
arch="-arch=sm_90 -std=c++17"
flags=
runner=
filter=.
except='^$'
limit=60
jobs=1
build_only=0
verbose=0
list=0

while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift ;;
    --nvcc) nvcc=$2; shift ;;
    --nvcc-flags) flags=$2; shift ;;
    --arch) arch=$2; shift ;;
    --runner) runner=$2; shift ;;
    --filter) filter=$2; shift ;;
    --except) except=$2; shift ;;
    --timeout) limit=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --build-only) build_only=1 ;;
    --examples) source_dir=$root/examples ;;
    --source) source_dir=$2; shift ;;
    --verbose) verbose=1 ;;
    --list) list=1 ;;
    -h | --help) sed -n '2,20s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "run_all.sh: unknown option $1" >&2; exit 2 ;;
    *) filter=$1 ;;
    esac
    shift
done
build=${build:-$root/build/programs}
mkdir -p "$build" || exit 2
build=$(cd "$build" && pwd)

# The programs' names: files first, then folders with a main.cu.
names() {
    for f in "$source_dir"/*.cu; do
        [ -e "$f" ] && basename "$f" .cu
    done
    for f in "$source_dir"/*/main.cu; do
        [ -e "$f" ] && basename "$(dirname "$f")"
    done
}

# Builds one program unless it is up to date. Prints nothing; the compiler's output is kept in NAME.log.
build_one() {
    local name=$1 sources first extra own command f fresh=1
    if [ -d "$source_dir/$name" ]; then
        # shellcheck disable=SC2012 # names of programs have no blanks
        sources=$(ls "$source_dir/$name"/*.cu "$source_dir/$name"/*.cpp "$source_dir/$name"/*.c 2>/dev/null | tr '\n' ' ')
        first=$source_dir/$name/main.cu
    else
        sources=$source_dir/$name.cu
        first=$sources
    fi
    extra=$(sed -n '1s,^// nvcc: *,,p' "$first")
    case $extra in
    *-gencode*) own=${arch#-arch=* } ;; # its architectures are those that the program names
    *) own=$arch ;;
    esac
    command="$nvcc $own $extra $flags -o $build/$name $sources"
    if [ ! -x "$build/$name" ] || [ "$(cat "$build/$name.command" 2>/dev/null)" != "$command" ]; then
        fresh=0
    else
        for f in $sources "$(dirname "$first")"/*.h; do
            [ -e "$f" ] && [ "$f" -nt "$build/$name" ] && fresh=0
        done
    fi
    [ $fresh = 1 ] && return 0
    rm -f "$build/$name" "$build/$name.command"
    if eval "$command" >"$build/$name.log" 2>&1; then
        printf '%s' "$command" >"$build/$name.command"
        return 0
    fi
    return 1
}

# Builds and runs one program; its verdict is one line in NAME.result.
do_one() {
    local name=$1 status last refused
    rm -f "$build/$name.result"
    if ! build_one "$name"; then
        echo "BUILD $name" >"$build/$name.result"
    elif [ $build_only = 1 ]; then
        echo "ok $name" >"$build/$name.result"
    else
        # shellcheck disable=SC2086 # a command and its arguments
        timeout -k 5 "$limit" $runner "$build/$name" >"$build/$name.out" 2>"$build/$name.err" </dev/null
        status=$?
        last=$(tail -n 1 "$build/$name.out" | tr -d '\r')
        refused=
        case $runner in *lanewise*) refused=$(sed -n 's,^// lanewise refuses: *,,p' "$source_dir/$name.cu" 2>/dev/null) ;; esac
        if [ $status = 124 ] || [ $status = 137 ]; then
            echo "TIMEOUT $name" >"$build/$name.result"
        elif [ -n "$refused" ]; then # what is not supported must be named, and the program must see the failure
            if [ $status != 0 ] && grep -qF -- "$refused" "$build/$name.err"; then
                echo "ok $name (refused by name)" >"$build/$name.result"
            else
                echo "FAIL $name (not refused: $refused)" >"$build/$name.result"
            fi
        elif [ $status = 0 ] && [ "$last" = PASS ]; then
            echo "ok $name" >"$build/$name.result"
        else
            echo "FAIL $name (exit $status)" >"$build/$name.result"
        fi
    fi
    cat "$build/$name.result"
    if [ $verbose = 1 ] && ! grep -q '^ok' "$build/$name.result"; then
        tail -n 8 "$build/$name.log" 2>/dev/null | sed 's/^/    /'
        tail -n 8 "$build/$name.out" 2>/dev/null | sed 's/^/    /'
        tail -n 8 "$build/$name.err" 2>/dev/null | sed 's/^/    /'
    fi
}

selected=$(names | grep -E -- "$filter" | grep -Ev -- "$except")
if [ $list = 1 ]; then
    echo "$selected"
    exit 0
fi
[ -n "$selected" ] || { echo "run_all.sh: no program matches '$filter'" >&2; exit 2; }

running=0
for name in $selected; do
    if [ "$jobs" -le 1 ]; then
        do_one "$name"
        continue
    fi
    do_one "$name" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then
        wait -n
        running=$((running - 1))
    fi
done
wait

passed=0
failed=0
for name in $selected; do
    if grep -q '^ok ' "$build/$name.result" 2>/dev/null; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
