/* The runtime's trampolines. */
#define ENTRYPOINTS "../cudart/entrypoints.def"
#define TABLE lw_cudart_table
#define BIND lw_cudart_bind
#include "../door/door.inc"
