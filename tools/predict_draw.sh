#!/usr/bin/env bash
# Predicts what tools/record_draw.sh records: runs each program of FOLDER/list.csv under `lanewise run --time`.
#
# usage: tools/predict_draw.sh BUILD_DIR FOLDER OUT JOBS [PROGRAM...]     DEVICE=h200 LIMIT=150 (seconds a program)
# then:  tools/draw_errors.py CARD-DRAW.csv OUT, tools/time_accuracy.py public DRAW OUT
#
# OUT/PROGRAM.json is what it says, OUT/PROGRAM.log what the program prints, OUT/log.txt a line each: program, exit status, seconds.
set -eu
build=$(realpath "$1") folder=$(realpath "$2") jobs=$4
mkdir -p "$3"
out=$(realpath "$3")
shift 4
predict() {
    arguments=$(sed -n "s/^$1,//p" "$folder/list.csv")
    began=$(date +%s)
    mkdir -p "$folder/files/$1"
    cd "$folder/files/$1"
    status=0
    # shellcheck disable=SC2086 # arguments are words
    timeout -k 10 "${LIMIT:-150}" "$build/lanewise" run --time --device "${DEVICE:-h200}" --launch-count 12 --json "$out/$1.json" \
        -o /dev/null "$folder/bin/$1" $arguments >"$out/$1.log" 2>&1 </dev/null || status=$?
    echo "$1 $status $(($(date +%s) - began))" >>"$out/log.txt"
}
export -f predict
export build folder out
[ $# -gt 0 ] || mapfile -t programs < <(tail -n +2 "$folder/list.csv" | cut -d, -f1)
[ $# -eq 0 ] || programs=("$@")
printf '%s\n' "${programs[@]}" | xargs -P "$jobs" -I{} bash -c 'predict {}'
