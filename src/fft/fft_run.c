/* Transforms while they run: which memory they touch, and FFTW. FFTW_ESTIMATE plans alike in every run. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fft/fft.h"

/* ---------------------------------------------------------------- FFTW (its manual, section "Guru interface") */
typedef struct fftw_dim {
    ptrdiff_t n, in_stride, out_stride;
} fftw_dim;
#define FFTW_ESTIMATE (1u << 6)
#define FFTW_UNALIGNED (1u << 1)

typedef struct fftw {
    void *(*complex_plan)(int rank, const fftw_dim *dims, int batches, const fftw_dim *batch_dims, void *in, void *out,
                          int sign, unsigned flags);
    void *(*plan_to_complex)(int rank, const fftw_dim *dims, int batches, const fftw_dim *batch_dims, void *in,
                             void *out, unsigned flags);
    void *(*plan_to_real)(int rank, const fftw_dim *dims, int batches, const fftw_dim *batch_dims, void *in, void *out,
                          unsigned flags);
    void (*execute)(void *plan);
    void (*destroy)(void *plan);
} fftw;

static fftw libraries[2]; /* of single and double precision; empty: not installed */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER; /* FFTW's is not thread-safe */

static void *function_of(void *library, const char *prefix, const char *name)
{
    char symbol[40];
    snprintf(symbol, sizeof symbol, "%s_%s", prefix, name);
    return dlsym(library, symbol);
}

static void find_library(fftw *out, const char *file, const char *prefix)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    out->complex_plan = function_of(library, prefix, "plan_guru64_dft");
    out->plan_to_complex = function_of(library, prefix, "plan_guru64_dft_r2c");
    out->plan_to_real = function_of(library, prefix, "plan_guru64_dft_c2r");
    out->execute = function_of(library, prefix, "execute");
    out->destroy = function_of(library, prefix, "destroy_plan");
}

static void find_libraries(void)
{
    find_library(&libraries[0], "libfftw3f.so.3", "fftwf");
    find_library(&libraries[1], "libfftw3.so.3", "fftw");
    if (!libraries[0].execute || !libraries[1].execute)
        fprintf(stderr,
                "lanewise: cuFFT needs FFTW of this machine, and %s: install libfftw3-single3 and "
                "libfftw3-double3 (Debian, Ubuntu) or fftw (Fedora, Arch)\n",
                libraries[0].execute || libraries[1].execute ? "one of its two libraries is missing" : "there is none");
}

bool fft_host_available(bool is_double)
{
    pthread_once(&once, find_libraries);
    const fftw *f = &libraries[is_double];
    return f->complex_plan && f->plan_to_complex && f->plan_to_real && f->execute && f->destroy;
}

/* ---------------------------------------------------------------- memory */
typedef struct side {
    const fft_layout *layout;
    uint64_t address;
    size_t element;
    int64_t n[FFT_MAX_RANK]; /* elements of this side: those of a half-complex one are fewer */
    host_library_access access;
} side;

/* One line of the fastest dimension, or several that lie `pitch` bytes apart. */
static bool use_lines(host_library *l, const side *s, uint64_t at, int64_t length, int64_t lines, uint64_t pitch)
{
    if (s->layout->stride == 1)
        return host_library_use(l, (host_library_memory){at, (uint64_t)length * s->element, (uint64_t)lines, pitch},
                                s->access);
    uint64_t step = (uint64_t)s->layout->stride * s->element;
    for (int64_t i = 0; i < lines; i++) {
        host_library_memory m = {at + (uint64_t)i * pitch, s->element, (uint64_t)length, step};
        if (!host_library_use(l, m, s->access)) return false;
    }
    return true;
}

/* Where a side is stored; NULL if a kernel would fault there. */
static void *use_side(host_library *l, const side *s, const fft_plan *p)
{
    uint64_t line = (uint64_t)(s->layout->embed[p->rank - 1] * s->layout->stride) * s->element;
    uint64_t distance = (uint64_t)s->layout->distance * s->element;
    int64_t length = s->n[p->rank - 1];
    bool ok = true;
    if (p->rank == 1) ok = use_lines(l, s, s->address, length, p->batch, distance);
    for (int64_t b = 0; p->rank > 1 && ok && b < p->batch; b++) {
        int64_t planes = p->rank == 3 ? s->n[0] : 1;
        uint64_t plane = p->rank == 3 ? (uint64_t)s->layout->embed[1] * line : 0;
        for (int64_t i = 0; ok && i < planes; i++)
            ok = use_lines(l, s, s->address + (uint64_t)b * distance + (uint64_t)i * plane, length, s->n[p->rank - 2],
                           line);
    }
    host_library_memory first = {s->address, s->element, 1, s->element};
    return ok ? host_library_use(l, first, s->access) : NULL;
}

/* ---------------------------------------------------------------- a transform */
static bool to_real(const fft_plan *p) { return (p->type & ~FFT_DOUBLE) == FFT_C2R; }
static bool to_complex(const fft_plan *p) { return (p->type & ~FFT_DOUBLE) == FFT_R2C; }

static void describe(const fft_plan *p, fftw_dim *dims, fftw_dim *batch)
{
    ptrdiff_t in = p->in.stride, out = p->out.stride;
    for (int i = p->rank - 1; i >= 0; i--) {
        dims[i] = (fftw_dim){p->n[i], in, out};
        in *= p->in.embed[i];
        out *= p->out.embed[i];
    }
    *batch = (fftw_dim){p->batch, p->in.distance, p->out.distance};
}

static void transform(const fft_call *c, void *in, void *out)
{
    const fft_plan *p = &c->plan;
    const fftw *f = &libraries[!!(p->type & FFT_DOUBLE)];
    fftw_dim dims[FFT_MAX_RANK], batch;
    unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED;
    describe(p, dims, &batch);
    pthread_mutex_lock(&planner);
    void *plan = to_real(p)      ? f->plan_to_real(p->rank, dims, 1, &batch, in, out, flags)
                 : to_complex(p) ? f->plan_to_complex(p->rank, dims, 1, &batch, in, out, flags)
                                 : f->complex_plan(p->rank, dims, 1, &batch, in, out, c->direction, flags);
    pthread_mutex_unlock(&planner);
    if (!plan) return;
    f->execute(plan);
    pthread_mutex_lock(&planner);
    f->destroy(plan);
    pthread_mutex_unlock(&planner);
}

/* Bytes from the first to the last element of a side. */
static size_t span_of(const side *s, const fft_plan *p)
{
    int64_t last = (p->batch - 1) * s->layout->distance;
    int64_t step = s->layout->stride;
    for (int i = p->rank - 1; i >= 0; i--) {
        last += (s->n[i] - 1) * step;
        step *= s->layout->embed[i];
    }
    return (size_t)(last + 1) * s->element;
}

void fft_run(host_library *l, const void *call)
{
    const fft_call *c = call;
    const fft_plan *p = &c->plan;
    size_t real = p->type & FFT_DOUBLE ? 8 : 4;
    side in = {&p->in, c->in, to_complex(p) ? real : 2 * real, {0}, HOST_LIBRARY_READS};
    side out = {&p->out, c->out, to_real(p) ? real : 2 * real, {0}, HOST_LIBRARY_WRITES};
    memcpy(in.n, p->n, sizeof in.n);
    memcpy(out.n, p->n, sizeof out.n);
    int64_t half = p->n[p->rank - 1] / 2 + 1;
    if (to_real(p)) in.n[p->rank - 1] = half;
    if (to_complex(p)) out.n[p->rank - 1] = half;
    void *from = use_side(l, &in, p), *to = use_side(l, &out, p);
    if (!from || !to) return;
    if (!to_real(p) || c->in == c->out) {
        transform(c, from, to);
        return;
    }
    size_t bytes = span_of(&in, p); /* FFTW overwrites what it makes real */
    void *copy = lw_alloc(bytes);
    memcpy(copy, from, bytes);
    transform(c, copy, to);
    free(copy);
}
