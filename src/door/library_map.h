/* Run through the preprocessor: the version script of one library, whose names have NVIDIA's version. */
VERSION_NAME
{
global:
#define ENTRY(symbol, kind, group) symbol;
#include ENTRYPOINTS
    MARKER;
local:
    *;
};
