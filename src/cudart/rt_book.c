/* The runtime's calls by name, for findings about those that fail. */
#include "cudart/cudart.h"

static const face_entry rows[] = {
#define ENTRY(name, kind, group) {#name, FACE_##kind},
#include "cudart/entrypoints.def"
#undef ENTRY
};

const face_book rt_book = {
    .rows = rows, .count = LW_COUNT(rows), .prefix = "lw_cudart_", .keeps_last = true, .runtime_names = true};
