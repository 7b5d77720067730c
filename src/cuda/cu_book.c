/* The driver's calls by name, for findings about those that fail. */
#include "cuda/driver.h"

static const face_entry rows[] = {
#define ENTRY(symbol, kind, group, name, version, stream) {#symbol, FACE_##kind},
#include "cuda/entrypoints.def"
#undef ENTRY
};

const face_book cu_book = {.rows = rows, .count = LW_COUNT(rows), .prefix = "lw_cuda_"};
