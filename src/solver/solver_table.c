/* What the core gives cuSOLVER's door. */
#include "solver/solver.h"

#define PREFIX lw_cusolver_
#define ENTRYPOINTS "solver/entrypoints.def"
#define TABLE lw_cusolver_entries
#define COUNT lw_cusolver_entry_count
#define UNSUPPORTED(function) solver_unsupported(function)
#include "face/library_table.inc"
