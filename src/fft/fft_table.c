/* What the core gives cuFFT's door. */
#include "fft/fft.h"

#define PREFIX lw_cufft_
#define ENTRYPOINTS "fft/entrypoints.def"
#define TABLE lw_cufft_entries
#define COUNT lw_cufft_entry_count
#define UNSUPPORTED(function) fft_unsupported(function)
#include "face/library_table.inc"
