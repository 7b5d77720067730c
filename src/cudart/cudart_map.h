/* Run through the preprocessor: the version script of libcudart.so.13. */
libcudart.so.13
{
global:
#define ENTRY(name, kind, group) name;
#include "entrypoints.def"
    lw_cudart_marker;
local:
    *;
};
