/* The driver's trampolines. */
#define ENTRYPOINTS "../cuda/entrypoints.def"
#define TABLE lw_cuda_table
#define BIND lw_cuda_bind
#include "../door/door.inc"
