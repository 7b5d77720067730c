/* What the core gives cuRAND's door. */
#include "rand/rand.h"

#define PREFIX lw_curand_
#define ENTRYPOINTS "rand/entrypoints.def"
#define TABLE lw_curand_entries
#define COUNT lw_curand_entry_count
#define UNSUPPORTED(function) rand_unsupported(function)
#include "face/library_table.inc"
