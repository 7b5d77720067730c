/* What the core gives cuBLAS's door: its functions in the order of their table. */
#include "blas/blas.h"

#define DECLARE_IMPLEMENTED(symbol) void lw_cublas_##symbol(void);
#define DECLARE_UNSUPPORTED(symbol)                                                                                    \
    static int unsupported_##symbol(void) { return blas_end_call(blas_unsupported(#symbol), "lw_cublas_" #symbol); }
#define ENTRY(symbol, kind, group) DECLARE_##kind(symbol)
#include "blas/entrypoints.def"
#undef ENTRY

#define POINTER_IMPLEMENTED(symbol) (const void *)lw_cublas_##symbol,
#define POINTER_UNSUPPORTED(symbol) (const void *)unsupported_##symbol,
#define ENTRY(symbol, kind, group) POINTER_##kind(symbol)
const void *const lw_cublas_entries[] = {
#include "blas/entrypoints.def"
};
#undef ENTRY

const size_t lw_cublas_entry_count = LW_COUNT(lw_cublas_entries);
