#!/bin/sh
# update.sh: writes again everything that is generated: `make update`. What is stale fails `make check` or .ci/run.
#
#   tools/update.sh BUILD_DIRECTORY [PART...]
#
# Parts, without any all of them:
#   support   docs/SUPPORT_PTX.md, docs/SUPPORT_RUNTIME.md: from the tables of instructions and calls
#   bench     the figures of liblanewise-ops: from ops/bench/results
#   golden    expected output of the command and of the report (tests/golden); stars stay where they still fit
#   figures   the figures of examples/README.md (needs nvcc)
#   what_if   the table of docs/REPORT.md: what --what-if says and what is counted then (needs nvcc)
#   accuracy  docs/ACCURACY.md and README.md's sentence: counts against recorded counters (needs nvcc; minutes)
#   bars      tests/ops/bars.csv: what each operation may cost (needs nvcc; minutes). Look at every bar that rises
set -eu
[ $# -ge 1 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2; }
cd "$(dirname "$0")/.."
build=$1
shift
have_nvcc() {
    PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin nvcc --version >/dev/null 2>&1 && return 0
    echo "update.sh: no nvcc: $1 stays as it is" >&2
    return 1
}
# Some pages and expected texts are written by the unit test that checks them.
update_test() {
    LANEWISE_UPDATE=1 LW_TESTS_DIR=$PWD/tests LW_BUILD_DIR=$PWD/$build "$build/tests/$1"
}
update() {
    case $1 in
    support)
        update_test test_support
        update_test test_open_points # the table of docs/RULES.md's open points
        python3 tools/gen_support.py --update
        ;;
    bench) python3 tools/bench_table.py ;;
    golden)
        update_test test_report
        tests/golden/run.sh --update "$build" || true # it says what it changed
        ;;
    figures) have_nvcc "examples/README.md" && python3 tools/figures.py "$build" --update ;;
    what_if) have_nvcc "docs/REPORT.md" && python3 tests/what_if/check.py "$build" --update ;;
    accuracy) have_nvcc "docs/ACCURACY.md" && tools/compare_hw.sh "$build" --update ;;
    bars)
        have_nvcc "tests/ops/bars.csv" || return 0
        tests/ops/run.sh "$build" build
        "$build/lanewise" run -o /dev/null python3 tests/ops/bars.py "$build/ops/lib" --update
        ;;
    *) echo "update.sh: no part '$1'" >&2; exit 2 ;;
    esac
}
[ $# -gt 0 ] || set -- support bench golden figures what_if accuracy bars
for part; do
    echo "==== $part"
    update "$part" || [ $? = 1 ]
done
git status --short
