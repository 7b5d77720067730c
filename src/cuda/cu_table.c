/* What the core gives the driver's door: its functions in the order of their table, and the rows that cuGetProcAddress
 * searches. */
#include "cuda/driver.h"

#define DECLARE_IMPLEMENTED(symbol) void lw_cuda_##symbol(void);
#define DECLARE_UNSUPPORTED(symbol)                                                                                    \
    static int unsupported_##symbol(void) { return cu_end_call(cu_unsupported(#symbol), "lw_cuda_" #symbol); }
#define DECLARE_LAUNCH DECLARE_IMPLEMENTED
#define DECLARE_PROBE DECLARE_IMPLEMENTED
#define ENTRY(symbol, kind, group, name, version, stream) DECLARE_##kind(symbol)
#include "cuda/entrypoints.def"
#undef ENTRY

#define POINTER_IMPLEMENTED(symbol) (const void *)lw_cuda_##symbol,
#define POINTER_UNSUPPORTED(symbol) (const void *)unsupported_##symbol,
#define POINTER_LAUNCH POINTER_IMPLEMENTED
#define POINTER_PROBE POINTER_IMPLEMENTED
#define ENTRY(symbol, kind, group, name, version, stream) POINTER_##kind(symbol)
const void *const lw_cuda_entries[] = {
#include "cuda/entrypoints.def"
};
#undef ENTRY

enum { PLAIN = 0, PER_THREAD = 1 };
#define ENTRY(symbol, kind, group, name, version, stream) {#symbol, #name, version, stream},
const cu_entry lw_cuda_rows[] = {
#include "cuda/entrypoints.def"
};
#undef ENTRY

const size_t lw_cuda_entry_count = LW_COUNT(lw_cuda_entries);
