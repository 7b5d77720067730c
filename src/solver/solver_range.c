/* Part of the eigenvalues or singular values, and those of matrices without symmetry. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

#define ONE ((size_t)1) /* length of a character, as Fortran passes it */
typedef host_library lib;

static size_t real_bytes(const solver_call *c) { return blas_type_bytes[blas_real(c->type)]; }
static double real_at(const solver_call *c, const void *values, int64_t i)
{
    return real_bytes(c) == 4 ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

/* ---------------------------------------------------------------- symmetric matrices */
/* The values that are asked for, as numbers from 0: first, and how many. They ascend. */
static int64_t choose(const solver_call *c, const void *values, int64_t *out_first)
{
    int64_t end = 0;
    *out_first = c->range == 'I' ? c->first - 1 : 0;
    if (c->range == 'A') return c->n;
    if (c->range == 'I') return c->last - c->first + 1;
    while (*out_first < c->n && real_at(c, values, *out_first) <= c->low) ++*out_first;
    for (end = *out_first; end < c->n && real_at(c, values, end) <= c->high; end++) continue;
    return end - *out_first;
}

void solver_syevdx(lib *l, const solver_call *c)
{
    bool ok = true;
    size_t size = blas_type_bytes[c->type];
    blas_function evd = solver_routine(l, c, c->b.address ? "sygvd" : "syevd", c->b.address ? "hegvd" : "heevd");
    char *a = solver_matrix(l, c, &c->a, 0, c->n, c->n, HOST_LIBRARY_UPDATES, &ok);
    void *b = c->b.address ? solver_matrix(l, c, &c->b, 0, c->n, c->n, HOST_LIBRARY_UPDATES, &ok) : NULL;
    int *info = solver_use(l, c->info, 1, 4, HOST_LIBRARY_WRITES, &ok);
    if (!evd || !ok) return;
    char *all = lw_alloc((size_t)LW_MAX(c->n, 1) * real_bytes(c));
    solver_all_values(c, evd, a, b, all, info);
    int64_t first, count = choose(c, all, &first);
    void *values = solver_use(l, c->values, count, real_bytes(c), HOST_LIBRARY_WRITES, &ok);
    if (ok) memcpy(values, all + (size_t)first * real_bytes(c), (size_t)count * real_bytes(c));
    for (int64_t j = 0; ok && first && c->job == 'V' && j < count; j++)
        memmove(a + (size_t)(j * c->a.ld) * size, a + (size_t)((first + j) * c->a.ld) * size, (size_t)c->n * size);
    if (c->found) *c->found = count;
    free(all);
}

/* ---------------------------------------------------------------- matrices without symmetry */
static void *vectors(lib *l, const solver_call *c, char job, const blas_operand *o, bool *ok)
{
    static double nowhere[2];
    return job == 'V' ? solver_matrix(l, c, o, 0, c->n, c->n, HOST_LIBRARY_WRITES, ok) : nowhere;
}

/* A real matrix's values as the call wants them: real parts before imaginary ones, or (wide) complex numbers. */
static void put_parts(const solver_call *c, const char *re, const char *im, char *to)
{
    size_t size = real_bytes(c), n = (size_t)c->n;
    for (size_t i = 0; i < n; i++) {
        memcpy(to + (c->wide ? 2 * i : i) * size, re + i * size, size);
        memcpy(to + (c->wide ? 2 * i + 1 : n + i) * size, im + i * size, size);
    }
}

void solver_geev(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld, ldl = (int)LW_MAX(c->u.ld, 1), ldr = (int)LW_MAX(c->v.ld, 1), room = -1;
    bool ok = true, is_complex = blas_is_complex(c->type);
    double asked[2] = {0};
    blas_function geev = solver_routine(l, c, "geev", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    char *values = solver_use(l, c->values, 2 * n, real_bytes(c), HOST_LIBRARY_WRITES, &ok);
    int *info = solver_use(l, c->info, 1, 4, HOST_LIBRARY_WRITES, &ok);
    void *left = vectors(l, c, c->job, &c->u, &ok), *right = vectors(l, c, c->job_right, &c->v, &ok);
    if (!geev || !ok) return;
    char *parts = lw_alloc((size_t)LW_MAX(n, 1) * 2 * sizeof(double)), *im = parts + (size_t)n * real_bytes(c);
    void *work = asked;
    for (int step = 0; step < 2; step++) {
        if (step) work = solver_room(c, asked, &room);
        if (is_complex)
            geev(&c->job, &c->job_right, &n, a, &ld, values, left, &ldl, right, &ldr, work, &room, parts, info, ONE,
                 ONE);
        else geev(&c->job, &c->job_right, &n, a, &ld, parts, im, left, &ldl, right, &ldr, work, &room, info, ONE, ONE);
    }
    if (!is_complex) put_parts(c, parts, im, values);
    free(work);
    free(parts);
}

/* ---------------------------------------------------------------- the greatest singular values */
typedef struct whole {
    char *values, *u, *v; /* all of them; u: m x least, v: least x n, its rows conjugated vectors */
    int info;
} whole;

static whole decompose(const solver_call *c, blas_function gesvd, const char *a)
{
    int m = (int)c->m, n = (int)c->n, least = LW_MIN(m, n), room = -1;
    size_t size = blas_type_bytes[c->type];
    double asked[2] = {0};
    whole w = {lw_alloc((size_t)LW_MAX(least, 1) * 8), lw_alloc((size_t)LW_MAX(m * least, 1) * size),
               lw_alloc((size_t)LW_MAX(n * least, 1) * size), 0};
    char *copy = lw_alloc((size_t)LW_MAX(m * n, 1) * size);
    void *real = lw_alloc((size_t)LW_MAX(5 * least, 1) * 8), *work = asked;
    for (int j = 0; j < n; j++)
        memcpy(copy + (size_t)(j * m) * size, a + (size_t)(j * c->a.ld) * size, (size_t)m * size);
    int ld = LW_MAX(m, 1), ldv = LW_MAX(least, 1);
    for (int step = 0; step < 2; step++) {
        if (step) work = solver_room(c, asked, &room);
        if (blas_is_complex(c->type))
            gesvd("S", "S", &m, &n, copy, &ld, w.values, w.u, &ld, w.v, &ldv, work, &room, real, &w.info, ONE, ONE);
        else gesvd("S", "S", &m, &n, copy, &ld, w.values, w.u, &ld, w.v, &ldv, work, &room, &w.info, ONE, ONE);
    }
    free(work);
    free(real);
    free(copy);
    return w;
}

/* The first k vectors to u and v; v's as columns. */
static void put_vectors(const solver_call *c, const whole *w, char *u, char *v)
{
    size_t size = blas_type_bytes[c->type];
    int64_t least = LW_MIN(c->m, c->n);
    for (int64_t j = 0; u && j < c->k; j++)
        memcpy(u + (size_t)(j * c->u.ld) * size, w->u + (size_t)(j * c->m) * size, (size_t)c->m * size);
    for (int64_t j = 0; v && j < c->k; j++)
        for (int64_t i = 0; i < c->n; i++) {
            char *to = v + (size_t)(i + j * c->v.ld) * size;
            memcpy(to, w->v + (size_t)(j + i * least) * size, size);
            if (c->type == BLAS_C) ((float *)to)[1] = -((float *)to)[1];
            if (c->type == BLAS_Z) ((double *)to)[1] = -((double *)to)[1];
        }
}

/* The norm of what the k greatest values leave of a matrix. */
static double rest_of(const solver_call *c, const char *values)
{
    double sum = 0;
    for (int64_t i = c->k; i < LW_MIN(c->m, c->n); i++) sum += real_at(c, values, i) * real_at(c, values, i);
    return sqrt(sum);
}

void solver_gesvdx(lib *l, const solver_call *c)
{
    blas_function gesvd = solver_routine(l, c, "gesvd", NULL);
    for (int64_t i = 0; gesvd && i < c->batch; i++) {
        bool ok = true;
        uint64_t at = c->values + (uint64_t)(i * c->value_stride) * real_bytes(c);
        const char *a = solver_matrix(l, c, &c->a, i, c->m, c->n, HOST_LIBRARY_READS, &ok);
        void *values = solver_use(l, at, c->k, real_bytes(c), HOST_LIBRARY_WRITES, &ok);
        int *info = solver_use(l, c->info + (uint64_t)i * 4, 1, 4, HOST_LIBRARY_WRITES, &ok);
        char *u = c->job == 'N' ? NULL : solver_matrix(l, c, &c->u, i, c->m, c->k, HOST_LIBRARY_WRITES, &ok);
        char *v = c->job_right == 'N' ? NULL : solver_matrix(l, c, &c->v, i, c->n, c->k, HOST_LIBRARY_WRITES, &ok);
        if (!ok) return;
        whole w = decompose(c, gesvd, a);
        *info = w.info;
        memcpy(values, w.values, (size_t)c->k * real_bytes(c));
        put_vectors(c, &w, u, v);
        if (c->more[0]) ((double *)(uintptr_t)c->more[0])[i] = rest_of(c, w.values); /* of the host */
        free(w.values);
        free(w.u);
        free(w.v);
    }
}
