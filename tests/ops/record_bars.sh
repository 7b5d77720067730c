#!/bin/sh
# Records what a card counts for the cases of bars.py, beside which bars.py puts what `lanewise run` counts.
#
#   tests/ops/record_bars.sh LIBRARY_DIRECTORY RAW.csv    on a machine with a GPU, Nsight Compute and python3; the
#       directory holds liblanewise-ops.so.0, liblanewise-ops-naive.so and liblanewise-ops-few-sms.so built for the
#       card (make -C ops BUILD=DIR bars)
# then, anywhere: lanewise run python3 tests/ops/bars.py build/ops/lib --record RAW.csv
#
# The lines that begin with ==NOTE go into the table. Clocks are left alone.
set -eu
[ $# -eq 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2; }
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
command="ncu --clock-control none --page raw --csv --print-kernel-base mangled --print-units base --metrics (bars.py)"
metrics=$(python3 - "$here/bars.py" <<'END'
import re, sys
text = open(sys.argv[1]).read()
scope = {}
exec(text[text.index("METRIC = {"):text.index("SEPARATOR")], scope)
print(",".join(scope["METRIC"]))
END
)
{
    echo "==NOTE device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
    echo "==NOTE profiler: ncu $(ncu --version | sed -n 's/^Version //p'), $(date -u '+%Y-%m-%d')"
    echo "==NOTE command: $command"
} >"$2"
ncu --clock-control none --page raw --csv --print-kernel-base mangled --print-units base --metrics "$metrics" \
    --log-file "$2.log" python3 "$here/bars.py" "$1" --launch
cat "$2.log" >>"$2"
rm -f "$2.log"
