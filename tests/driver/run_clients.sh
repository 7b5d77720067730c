#!/usr/bin/env bash
# Runs the Python clients of the driver API that are installed; the others are named and skipped.
#   run_clients.sh [--lanewise FILE] [--python FILE]
# NVRTC and NVVM come from the toolkit (CUDA_HOME, default /usr/local/cuda) or from the clients' own packages.
set -u
here=$(cd "$(dirname "$0")" && pwd)
lanewise=$here/../../build/lanewise
python=python3
while [ $# -gt 0 ]; do
    case $1 in
    --lanewise) lanewise=$2; shift ;;
    --python) python=$2; shift ;;
    -h | --help) sed -n '2,4s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "run_clients.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done
export CUDA_HOME=${CUDA_HOME:-/usr/local/cuda}
export PATH=$PATH:$CUDA_HOME/bin
[ -d "$CUDA_HOME/lib64" ] && export LD_LIBRARY_PATH="$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
failed=0
try() { # PACKAGE SCRIPT
    if ! "$python" -c "import $1" 2>/dev/null; then
        echo "skip $2: no package $1"
    elif ! "$lanewise" run --no-report "$python" -W ignore "$here/$2"; then
        echo "FAIL $2"
        failed=1
    fi
}
try ctypes vector_add.py
try numba clients/numba_kernels.py
try cuda.bindings clients/nvrtc_bindings.py
try cuda.bindings clients/runtime_bindings.py
try tinygrad clients/tinygrad_ops.py
try pycuda clients/pycuda_ptx.py
try triton clients/triton_kernels.py
try jax clients/jax_ops.py
exit $failed
