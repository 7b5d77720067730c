/* What the core gives NVML's door. */
#include "nvml/nvml.h"

#define PREFIX lw_nvml_
#define ENTRYPOINTS "nvml/entrypoints.def"
#define TABLE lw_nvidia_ml_entries
#define COUNT lw_nvidia_ml_entry_count
#define UNSUPPORTED(function) NVML_NOT_SUPPORTED
#include "face/library_table.inc"
