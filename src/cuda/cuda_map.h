/* Run through the preprocessor: the version script of libcuda.so.1, whose names have no versions, as NVIDIA's. */
{
global:
#define ENTRY(symbol, kind, group, name, version, stream) symbol;
#include "entrypoints.def"
    lw_cuda_marker;
local:
    *;
};
