/* fft_entry.h: what the files of entry points share (fft_core.c). */
#ifndef LW_FFT_ENTRY_H
#define LW_FFT_ENTRY_H

#include "fft/fft.h"

#define FFT(name) int lw_cufft_##name
#define fft_end(status) fft_end_call(status, __func__)
int fft_end_call(int status, const char *function); /* gives the status; others than 0 become findings */
fft_plan *fft_find_plan(int handle);                /* NULL: there is none */
/* Puts a transform on the plan's stream; a status. type: what the entry point is for. */
int fft_execute(int handle, int type, const void *in, void *out, int direction, const char *function);

#endif
