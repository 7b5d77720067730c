#!/bin/sh
# setup.sh: installs what is missing from Debian's packages: what the build needs, and
#   --check    what `make check` needs as well
#   --gate     what .ci/run needs as well
#   --no-nvcc  act as if there were no NVIDIA toolkit (a CUDA-capable clang is then needed too)
set -eu
check=no gate=no no_nvcc=no
for option; do
    case $option in
    --check) check=yes ;;
    --gate) check=yes gate=yes ;;
    --no-nvcc) no_nvcc=yes ;;
    *) echo "setup.sh: unknown option '$option'" >&2; exit 2 ;;
    esac
done
need=""
have() { command -v "$1" >/dev/null 2>&1; }
want() { have "$1" || need="$need $2"; }
want cc gcc
want g++ g++
want make make
has_library() {
    for file in /usr/lib*/"$1" /usr/lib/*/"$1"; do
        if [ -e "$file" ]; then return 0; fi
    done
    return 1
}
want cmake cmake
want pkg-config pkg-config
for library in libzstd:libzstd-dev liblz4:liblz4-dev jansson:libjansson-dev; do
    pkg-config --exists "${library%%:*}" 2>/dev/null || need="$need ${library##*:}"
done
if [ $check = yes ]; then
    want python3 python3
    # cuBLAS and cuFFT run over these; without them their tests are skipped
    for library in libopenblas.so.0:libopenblas0-pthread libfftw3.so.3:libfftw3-double3 libfftw3f.so.3:libfftw3-single3; do
        has_library "${library%%:*}" || need="$need ${library##*:}"
    done
    # tools/format.sh takes clang-format 19 from PyPI where it is not installed
    [ -n "${CLANG_FORMAT:-}" ] || have clang-format-19 || python3 -c 'import ensurepip, venv' 2>/dev/null || need="$need python3-venv"
fi
if [ $gate = yes ]; then
    want clang clang
    want clang-tidy clang-tidy
    want shellcheck shellcheck
    want chromium chromium # the pages of --html are looked at in it
fi
cuda=no
if [ $no_nvcc = no ]; then
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
# shellcheck disable=SC2086 # one word a package
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $need >/dev/null
