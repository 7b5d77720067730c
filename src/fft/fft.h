/* fft.h: cuFFT over FFTW, which a machine may have as libfftw3.so.3 (double) and libfftw3f.so.3 (single precision). Entry points
 * are named lw_cufft_<exported name>; a transform is put on the stream of its plan (host/library.h). */
#ifndef LW_FFT_H
#define LW_FFT_H

#include "face/library.h"

enum { /* cufftResult */
       FFT_OK = 0,
       FFT_INVALID_PLAN = 1,
       FFT_ALLOC_FAILED = 2,
       FFT_INVALID_TYPE = 3,
       FFT_INVALID_VALUE = 4,
       FFT_EXEC_FAILED = 6,
       FFT_SETUP_FAILED = 7,
       FFT_INVALID_SIZE = 8,
       FFT_INVALID_DEVICE = 11,
       FFT_NOT_IMPLEMENTED = 14,
       FFT_NOT_SUPPORTED = 16
};
enum { /* cufftType; those in double precision have bit 6 */
       FFT_C2C = 0x29,
       FFT_R2C = 0x2a,
       FFT_C2R = 0x2c,
       FFT_DOUBLE = 0x40
};
enum { FFT_FORWARD = -1, FFT_INVERSE = 1 };

#define FFT_MAX_RANK 3
#define FFT_MAX_DEVICES 16
/* One side of a plan. Element (x0, x1, x2) of batch b lies at b * distance + ((x0 * embed[1] + x1) * embed[2] + x2) * stride
 * elements. */
typedef struct fft_layout {
    int64_t embed[FFT_MAX_RANK], stride, distance;
} fft_layout;

typedef struct fft_plan {
    int rank;                /* 0: made, but without sizes yet */
    int64_t n[FFT_MAX_RANK]; /* of the transform, slowest first */
    int64_t batch;
    int type;
    bool basic; /* without embeddings: a transform in place pads its real side */
    fft_layout in, out;
    void *stream;
    int devices, device[FFT_MAX_DEVICES]; /* that cufftXtSetGPUs() named; 0: the current one */
} fft_plan;

/* A transform as it is put on a stream. */
typedef struct fft_call {
    fft_plan plan;
    int direction;
    uint64_t in, out;
} fft_call;

int fft_unsupported(const char *function); /* how an entry point ends that is not there (fft_core.c) */

/* ---------------------------------------------------------------- fft_run.c */
bool fft_host_available(bool is_double);
void fft_run(host_library *l, const void *call);

#endif
