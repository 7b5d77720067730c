/* cuBLAS's trampolines. */
#define ENTRYPOINTS "../blas/entrypoints.def"
#define TABLE lw_cublas_table
#define BIND lw_cublas_bind
#include "../door/door.inc"
