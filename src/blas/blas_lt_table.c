/* What the core gives cuBLASLt's door. */
#include "blas/blas_lt.h"

#define PREFIX lw_cublasLt_
#define ENTRYPOINTS "blas/lt_entrypoints.def"
#define TABLE lw_cublasLt_entries
#define COUNT lw_cublasLt_entry_count
#define UNSUPPORTED(function) blas_lt_end(face_library_unsupported(&blas_lt_library, function), function)
#include "face/library_table.inc"
