/* What the core gives cusolverMg's door. */
#include "solver/solver.h"

#define PREFIX lw_cusolverMg_
#define ENTRYPOINTS "solver/mg_entrypoints.def"
#define TABLE lw_cusolverMg_entries
#define COUNT lw_cusolverMg_entry_count
#define UNSUPPORTED(function) solver_mg_unsupported(function)
#include "face/library_table.inc"
