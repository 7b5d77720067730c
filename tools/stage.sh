#!/bin/sh
# stage.sh: runs one stage of `make check` or .ci/run and holds it to its time budget (tests/budgets.csv).
#
#   tools/stage.sh STAGE COMMAND [ARGUMENT...]
#
# Fails if the command fails, or if it takes more than 1.5 times the budget of the stage. LW_BUDGET_FACTOR: another factor
# than 1.5, for a slower or busier machine; 0 turns the budgets off. What every stage took is added to build/stages.csv.
set -eu
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
stage=$1
shift
budget=$(awk -F, -v stage="$stage" '!/^#/ && $1 == stage {print $2}' "$root/tests/budgets.csv")
[ -n "$budget" ] || { echo "stage.sh: no budget for the stage '$stage' in tests/budgets.csv" >&2; exit 2; }
factor=${LW_BUDGET_FACTOR:-1.5}
echo "==== $stage (budget $budget s)"
started=$(date +%s)
"$@" || { echo "stage '$stage' failed" >&2; exit 1; }
took=$(($(date +%s) - started))
mkdir -p "$root/build"
echo "$(date -u +%FT%TZ),$stage,$took,$budget" >>"$root/build/stages.csv"
if awk -v took=$took -v budget="$budget" -v factor="$factor" 'BEGIN {exit !(factor > 0 && took > factor * budget)}'; then
    echo "stage '$stage' took $took s: more than $factor times its budget of $budget s (tests/budgets.csv)" >&2
    echo "Find out what became slower. On a slow or busy machine: LW_BUDGET_FACTOR=3, or 0 for no budgets." >&2
    exit 1
fi
echo "==== $stage: $took s"
