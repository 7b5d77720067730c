#!/bin/sh
# setup.sh: installs what the build and the tests need from Debian's packages, if anything is missing.
# --no-nvcc: act as if there were no NVIDIA toolkit (a CUDA-capable clang is then needed too).
set -eu
need=""
have() { command -v "$1" >/dev/null 2>&1; }
want() { have "$1" || need="$need $2"; }
want cc gcc
want g++ g++
want make make
want cmake cmake
want pkg-config pkg-config
for library in libzstd:libzstd-dev liblz4:liblz4-dev jansson:libjansson-dev; do
    pkg-config --exists "${library%%:*}" 2>/dev/null || need="$need ${library##*:}"
done
cuda=no
if [ "${1:-}" != --no-nvcc ]; then
    for nvcc in nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc"; do
        if have "$nvcc" && "$nvcc" --version >/dev/null 2>&1; then cuda=yes; fi
    done
fi
for version in 19 20 21 18 17 16; do
    if have "clang++-$version" || have "clang-$version"; then cuda=yes; fi
done
[ $cuda = yes ] || need="$need clang-19"
[ -z "$need" ] && exit 0
echo "lanewise: installing$need"
as_root=""
if [ "$(id -u)" != 0 ]; then
    have sudo || { echo "lanewise: please install as root: apt-get install$need" >&2; exit 1; }
    as_root=sudo
fi
$as_root apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $need >/dev/null
