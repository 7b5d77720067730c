#!/bin/sh
# Builds liblanewise-ops (PTX only) and tests it under `lanewise run`. Exit code 77: skipped, for want of nvcc.
#
#   [LW_OPS_TARGETS="75 80"] tests/ops/run.sh BUILD_DIRECTORY [PART...]
#
# Parts, without any all of them: build; programs (equal to the CPU reference, no finding, every kernel is launched);
# python (the binding); bars (counters within bars.csv); library (what it links, how it installs, no circles of files).
# LW_OPS_TARGETS: what the PTX is for, 75, 80 or 90 (without it); bars are those of these devices, programs run on the
# lowest and on an H200.
set -eu
[ $# -ge 1 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$(CDPATH='' cd -- "$here/../.." && pwd)
build=$(CDPATH='' cd -- "$1" && pwd)
shift
parts=${*:-build programs python bars library}
[ -x "$build/lanewise" ] || { echo "no lanewise in $build" >&2; exit 2; }
nvcc=
for candidate in nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc"; do
    if command -v "$candidate" >/dev/null 2>&1 && "$candidate" --version >/dev/null 2>&1; then
        nvcc=$(command -v "$candidate")
        break
    fi
done
[ -n "$nvcc" ] || { echo "SKIPPED: no nvcc"; exit 77; }
unset NVCC_APPEND_FLAGS 2>/dev/null || true
targets=${LW_OPS_TARGETS:-90}
ops=$build/ops
[ "$targets" = 90 ] || ops=$build/ops-$(echo "$targets" | tr ' ' -)
LIBRARY_BYTES=5500000 # of a PTX target built here; a release of seven architectures may have 40 MB (ops/release.sh)
export LW_OPS_TEST_CODE="${targets##* }" # what the library has no code above
fail() { echo "FAIL: $*" >&2; exit 1; }
lanewise() { "$build/lanewise" run --error-exitcode 9 -o "$ops/report.txt" "$@"; }

part_build() {
    cmake -S "$root/ops" -B "$ops" -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DLW_OPS_CUDA_ARCHITECTURES="$(echo "$targets" | sed 's/ /-virtual;/g')-virtual" >"$ops.log" 2>&1 ||
        { cat "$ops.log"; fail "cmake"; }
    cmake --build "$ops" -j2 >"$ops.log" 2>&1 || { tail -40 "$ops.log"; fail "build"; }
    if grep -E 'warning' "$ops.log"; then fail "the compiler warns"; fi
}

device_of() {
    case $1 in
    75) echo cc:7.5 ;;
    80) echo cc:8.0 ;;
    *) echo h200 ;;
    esac
}

part_programs() {
    lowest=$(device_of "${targets%% *}")
    "$ops/tests/ops_copier_order" || fail "ops_copier_order"
    rm -f "$ops"/launched-*.json
    for test in "$ops"/tests/ops_test_*; do
        [ -x "$test" ] || fail "no tests were built"
        for device in $(printf '%s\n' "$lowest" h200 | sort -u); do
            lanewise --device "$device" --json "$ops/launched-$(basename "$test").json" "$test" ||
                { [ -s "$ops/report.txt" ] && tail -30 "$ops/report.txt"; fail "$(basename "$test") on $device"; }
        done
    done
    # older devices do not launch what needs 9.0
    if [ "$targets" = 90 ] && command -v python3 >/dev/null 2>&1; then
        python3 "$here/covered.py" "$root/ops" "$ops"/launched-*.json || fail "a kernel is not tested"
    fi
}

has_python() {
    command -v python3 >/dev/null 2>&1 && return 0
    echo "SKIPPED: no python3"
    case $parts in python | bars) exit 77 ;; esac
    return 1
}

part_python() {
    has_python || return 0
    python3 "$here/python_test.py" "$root/include/lanewise/ops.h" --layout |
        cc -std=gnu11 -fsyntax-only -I "$root/include" -x c - || fail "structures of lanewise_ops.py"
    LANEWISE_OPS_LIBRARY=$ops/lib/liblanewise-ops.so.0 lanewise python3 "$here/python_test.py" \
        "$root/include/lanewise/ops.h" || fail "python_test.py"
}

part_bars() {
    has_python || return 0
    for target in $targets; do
        device=$(device_of "$target")
        lanewise --device "$device" python3 "$here/bars.py" "$ops/lib" || fail "bars on $device"
    done
}

# What it links, what it shows, how large it is, and that programs find it where it is installed.
part_library() {
    size=$(wc -c <"$ops/lib/liblanewise-ops.so.0")
    most=$((LIBRARY_BYTES * $(echo "$targets" | wc -w)))
    [ "$size" -le "$most" ] || fail "the library has $size bytes, at most $most: a release would be too large"
    needed=$(readelf -d "$ops/lib/liblanewise-ops.so.0" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
    echo "$needed" | grep -q '^libcudart\.so\.' || fail "libcudart is not needed: $needed"
    for library in libstdc++ libcuda.so libcublas; do
        if echo "$needed" | grep -q "^$library"; then fail "$library is needed"; fi
    done
    readelf -d "$ops/lib/liblanewise-ops.so.0" | grep -q 'SONAME.*\[liblanewise-ops.so.0\]' || fail "the SONAME"
    if nm -C --defined-only "$ops/lib/liblanewise-ops.so.0" | grep -E ' [A-Za-z] (cudart::|cudaMalloc$)'; then
        fail "contains the static runtime"
    fi
    if command -v python3 >/dev/null 2>&1; then
        python3 "$here/circles.py" "$ops/CMakeFiles/lanewise_ops_objects.dir" || fail "files need each other in a circle"
    fi
    exported=$(nm -D --defined-only "$ops/lib/liblanewise-ops.so.0" | awk '{print $3}' | grep -v '^lw_' || true)
    [ -z "$exported" ] || fail "exports more than lw_*: $exported"

    # installed, as users find it
    prefix=$ops/prefix
    rm -rf "$prefix" "$ops/user"
    cmake --install "$build" --prefix "$prefix" >/dev/null
    cmake --install "$ops" --prefix "$prefix" >/dev/null
    cudart=$(dirname "$(readlink -f "$(dirname "$nvcc")/../lib64/libcudart.so")")
    cmake -S "$here/install" -B "$ops/user" -DCMAKE_PREFIX_PATH="$prefix" -DCUDART_DIRECTORY="$cudart" \
        >"$ops.log" 2>&1 || { tail -20 "$ops.log"; fail "find_package"; }
    cmake --build "$ops/user" >>"$ops.log" 2>&1 || { tail -20 "$ops.log"; fail "find_package"; }
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    # shellcheck disable=SC2046
    cc "$here/install/user.c" -o "$ops/user/by_pkg_config" $(pkg-config --cflags --libs lanewise-ops) \
        -Wl,-rpath-link,"$cudart"
    cc "$here/install/user.c" -o "$ops/user/by_archive" -I"$prefix/include" "$prefix/lib/liblanewise-ops.a" \
        -L"$cudart" -lcudart -lm -lpthread
    for user in user_shared user_static by_pkg_config by_archive; do
        LD_LIBRARY_PATH="$prefix/lib" lanewise "$ops/user/$user" || fail "$user"
    done
    if command -v python3 >/dev/null 2>&1; then
        PYTHONPATH="$prefix/share/lanewise/python" \
            lanewise python3 -c 'import lanewise_ops; lanewise_ops.Ops().close()' ||
            fail "the installed lanewise_ops.py"
    fi
}

for part in $parts; do
    case $part in
    build | programs | python | bars | library) "part_$part" ;;
    *) fail "no part $part" ;;
    esac
done
echo "ops: passed: $parts"
