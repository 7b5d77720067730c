/* What the core gives cuDNN's door. */
#include "dnn/dnn.h"

#define PREFIX lw_cudnn_
#define ENTRYPOINTS "dnn/entrypoints.def"
#define TABLE lw_cudnn_entries
#define COUNT lw_cudnn_entry_count
#define UNSUPPORTED(function) dnn_unsupported(function)
#include "face/library_table.inc"
