#!/bin/sh
# Tests of the clang CUDA headers: layouts and plain C with the host's compiler, math accuracy on the host, then every
# .cu here with every clang from 16 on that is installed: PTX, object, and PTX through ptxas where there is one.
# Programs that check themselves on the host are linked with stubs and run. With an NVIDIA toolkit's headers in
# CUDA_HOME, the same layout tests are compiled against those too, so that the numbers here cannot be wrong without
# notice.
# Usage: run.sh [work folder]
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"
failed=0

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok   $name"
    else
        echo "FAIL $name"
        head -20 "$work/log"
        failed=$((failed + 1))
    fi
}

for f in layout_runtime layout_driver; do
    check "$f" "${CC:-cc}" -std=gnu11 -Wall -Wextra -fsyntax-only -I"$top/clang-include" "$here/$f.c"
    [ -f "${CUDA_HOME:-/usr/local/cuda}/include/cuda.h" ] &&
        check "$f against the toolkit" "${CC:-cc}" -std=gnu11 -fsyntax-only -I"${CUDA_HOME:-/usr/local/cuda}/include" "$here/$f.c"
done
check "plain C" "${CC:-cc}" -std=gnu11 -Wall -Wextra -I"$top/clang-include" "$here/plain.c" -o "$work/plain" -lm
check "plain C runs" "$work/plain"
check "plain C++" "${CXX:-c++}" -x c++ -Wall -Wextra -fsyntax-only -I"$top/clang-include" "$here/plain.c"
fma=
grep -qw fma /proc/cpuinfo 2>/dev/null && fma=-mfma
check "math builds" "${CXX:-c++}" -O2 $fma -ffp-contract=off -Wall -Wextra -I"$top/clang-include" "$here/math_test.cpp" -o "$work/math" -lm
check "math accuracy" "$work/math"
"${CC:-cc}" -c "$here/stubs.c" -o "$work/stubs.o" || exit 1

# A file that lacks device code is refused with the names it lacks, with -rdc=true and without; a complete one is not.
cat >"$work/lacks.cu" <<'END'
extern __device__ int twice(int x);
extern __device__ int table[2];
__global__ void k(int *p) { *p = twice(*p) + table[1]; }
END
cat >"$work/complete.cu" <<'END'
#include <cassert>
#include <cstdio>
__device__ int table[2] = { 1, 2 };
__global__ void k(int *p) {
    extern __shared__ int s[];
    int *q = (int *)malloc(8);
    assert(q);
    s[0] = *p + table[1];
    printf("%d\n", s[0]);
    free(q);
}
END
refused() { # what it lacks is named
    "$top/tools/lanewise-clang-cc" "$@" >"$work/said" 2>&1 && return 1
    grep -q 'lacks.cu needs device code of another file (twice(int), table): ' "$work/said" || { cat "$work/said"; return 1; }
}
if "$top/tools/lanewise-clang-cc" -ptx "$work/complete.cu" -o "$work/complete.ptx" 2>/dev/null; then
    check "device code across files is refused" refused -rdc=true "$work/complete.cu" "$work/lacks.cu" -o "$work/both"
    check "device code of another file is refused" refused -dc "$work/lacks.cu" -o "$work/lacks.o"
    # Names are words, whatever is in them: none of a shell's meanings.
    cp "$work/complete.cu" "$work/a \$(touch \$TOUCHED) 'b'.cu"
    check "odd file names" env TOUCHED="$work/touched" "$top/tools/lanewise-clang-cc" -c "$work/a \$(touch \$TOUCHED) 'b'.cu" \
        -o "$work/odd name.o"
    check "no file name is run" test ! -e "$work/touched" -a -e "$work/odd name.o"
    check "a complete file is not" "$top/tools/lanewise-clang-cc" -rdc=true -c "$work/complete.cu" -o "$work/complete.o"
fi

for v in 16 17 18 19 20 21 22; do
    command -v "clang-$v" >/dev/null 2>&1 || continue
    LANEWISE_CLANG=clang-$v
    export LANEWISE_CLANG
    for f in "$here"/*.cu; do
        n=$(basename "$f" .cu)
        check "clang-$v $n PTX" "$top/tools/lanewise-clang-cc" -ptx "$f" -o "$work/$n.ptx"
        [ -s "$work/log" ] && echo "FAIL clang-$v $n is not silent" && head -5 "$work/log" && failed=$((failed + 1))
        check "clang-$v $n has lines" grep -q '^[[:space:]]*\.loc' "$work/$n.ptx"
        ptxas --version >/dev/null 2>&1 && check "clang-$v $n ptxas" ptxas -O0 -arch=sm_90 "$work/$n.ptx" -o "$work/$n.cubin"
        check "clang-$v $n object" "$top/tools/lanewise-clang-cc" -O1 -c "$f" -o "$work/$n.o"
        case $n in
        half | math | scoped)
            check "clang-$v $n links" "${CXX:-c++}" "$work/$n.o" "$work/stubs.o" -o "$work/$n" -lm
            check "clang-$v $n runs" "$work/$n"
            ;;
        esac
    done
    # Lines of inlined intrinsics are the caller's: none of the headers' own files may carry an atomic.
    check "clang-$v cluster size" grep -q '^\.reqnctapercluster 2, 1, 1' "$work/builtins.ptx"
    check "clang-$v caller's lines" "$here/lines.sh" "$work/intrinsics.ptx"
    # A toolkit's folder given with -I: its CUDA headers must not come before these, its cuRAND must be found.
    if [ -f "${CUDA_HOME:-/usr/local/cuda}/include/curand_kernel.h" ]; then
        check "clang-$v cuRAND" "$top/tools/lanewise-clang-cc" -I"${CUDA_HOME:-/usr/local/cuda}/include" \
            -ptx "$top/tests/programs2/curand_device.cu" -o "$work/curand.ptx"
    fi
    # Thrust and CUB 1.17 of the distribution, or of the folder LANEWISE_THRUST.
    thrust=${LANEWISE_THRUST:-/usr/include}
    lanewise=$(CDPATH='' cd -- "$work/.." && pwd)
    if grep -qs '^#define THRUST_VERSION 1' "$thrust/thrust/version.h" && [ -x "$lanewise/lanewise" ]; then
        for n in cub_block cub_device thrust_basics thrust_advanced; do
            check "clang-$v $n" "$top/tools/lanewise-clang-cc" -I"$thrust" "--cudart-dir=$lanewise/lib" "$top/tests/programs/$n.cu" -o "$work/$n"
            check "clang-$v $n runs" "$lanewise/lanewise" run --no-report "$work/$n"
        done
    else
        echo "skip clang-$v with Thrust and CUB: no version 1 of them in $thrust"
    fi
    check "clang-$v old target" "$top/tools/lanewise-clang-cc" -arch=sm_70 -ptx "$here/math.cu" -o "$work/old.ptx"
done
[ -n "${1:-}" ] || rm -rf "$work"
echo "$failed failed"
[ "$failed" = 0 ]
