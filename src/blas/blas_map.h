/* Run through the preprocessor: the version script of libcublas.so.13, whose names have NVIDIA's version. */
VERSION_NAME
{
global:
#define ENTRY(symbol, kind, group) symbol;
#include "entrypoints.def"
    lw_cublas_marker;
local:
    *;
};
