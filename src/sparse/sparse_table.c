/* What the core gives cuSPARSE's door. */
#include "sparse/sparse.h"

#define PREFIX lw_cusparse_
#define ENTRYPOINTS "sparse/entrypoints.def"
#define TABLE lw_cusparse_entries
#define COUNT lw_cusparse_entry_count
#define UNSUPPORTED(function) sparse_unsupported(function)
#include "face/library_table.inc"
