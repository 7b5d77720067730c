#!/bin/sh
# Fails unless every atomic, shuffle and vote in a PTX file stands under a .loc of a .cu file: the headers' functions
# leave no line of their own, so that a report names the line of the program.
awk '
FNR == NR { if ($1 == ".file") { cu[$2] = $0 ~ /\.cu"/ } next }
$1 == ".loc" { ok = cu[$2] && $3 > 0 }
$1 ~ /^(atom|shfl|vote|match|redux)\./ { n++; if (!ok) { bad++; print FNR ": " $0 } }
END { print n + 0 " instructions, " bad + 0 " without a line of the program"; exit n < 20 || bad > 0 }' "$1" "$1"
