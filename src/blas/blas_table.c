/* What the core gives cuBLAS's door. */
#include "blas/blas.h"

#define PREFIX lw_cublas_
#define ENTRYPOINTS "blas/entrypoints.def"
#define TABLE lw_cublas_entries
#define COUNT lw_cublas_entry_count
#define UNSUPPORTED(function) blas_end_call(blas_unsupported(function), function)
#include "face/library_table.inc"
