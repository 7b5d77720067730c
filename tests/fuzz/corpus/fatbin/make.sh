#!/bin/sh
# Builds the samples in this folder again (needs nvcc 13.0; the committed files were made by it). The tests in
# tests/unit/test_fatbin.c know what they contain: registers and sizes are those that "ptxas -v" printed.
set -e
here=$(cd "$(dirname "$0")" && pwd)
# PTX with line information holds the absolute path of its source: build in a folder that is the same everywhere
build=/var/tmp/lanewise-samples
mkdir -p $build
cp "$here/sample.cu" $build
cd $build

# section NAME SECTION nvcc options: that section of a program
section() {
    name=$1 section=$2
    shift 2
    nvcc -DPROGRAM -cudart shared "$@" -o program sample.cu
    objcopy -O binary --only-section="$section" program "$here/$name"
}

section default.fatbin .nv_fatbin
section several.fatbin .nv_fatbin -gencode 'arch=compute_75,code=[compute_75,sm_75]' \
    -gencode arch=compute_80,code=compute_80 -gencode 'arch=compute_90,code=[compute_90,sm_90]'
section sm90a.fatbin .nv_fatbin -arch=sm_90a
section family.fatbin .nv_fatbin -gencode arch=compute_100f,code=compute_100f
section code_only.fatbin .nv_fatbin -gencode arch=compute_90,code=sm_90 --compress-mode=size
section lz4.fatbin .nv_fatbin -arch=sm_90 --compress-mode=speed
section lines.fatbin .nv_fatbin -arch=sm_90 --compress-mode=size -lineinfo
section plain.fatbin .nv_fatbin -arch=sm_90 --compress-mode=none
section debug.fatbin .nv_fatbin -arch=sm_90 -G
section rdc_linked.fatbin .nv_fatbin -arch=sm_90 -rdc=true
section rdc_units.fatbin __nv_relfatbin -arch=sm_90 -rdc=true
strip -o "$here/rdc_program" program
nvcc -arch=sm_90 --compress-mode=size -c -o "$here/object.o" sample.cu
nvcc -arch=sm_80 -cubin -Xptxas -v -o "$here/sm80.cubin" sample.cu
nvcc -arch=sm_90 -cubin -Xptxas -v -o sm90.cubin sample.cu
nvcc -arch=sm_90 -ptx -o "$here/text.ptx" sample.cu
nvcc -arch=sm_90 -cubin -o "$here/frames.cubin" "$here/frames.cu"

# line tables of DWARF 3 to 5 (nothing writes version 2 any more); lines.txt: what addr2line says of every address of the code
cp "$here/lines.c" "$here/lines.h" $build
for version in 3 4 5; do
    gcc -gdwarf-$version -g1 -O1 -ffunction-sections -shared -nostdlib -Wl,--build-id=none -o lines$version.elf lines.c
    cp lines$version.elf "$here"
    objdump -h lines$version.elf | awk '$2 == ".text" { print $3, $4 }' | while read -r size from; do
        seq $((0x$from)) $((0x$from + 0x$size - 1)) | while read -r at; do
            printf 'lines%s.elf %d %s\n' $version "$at" "$(addr2line -e lines$version.elf "$(printf 0x%x "$at")" | sed 's/ (disc.*//')"
        done
    done
done >"$here/../../../unit/lines.txt"
rm -r $build
