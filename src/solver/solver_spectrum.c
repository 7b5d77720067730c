/* Eigenvalues and singular values. */
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

#define ONE ((size_t)1) /* length of a character, as Fortran passes it */
typedef host_library lib;

/* Room for xxEVD, whose sizes are known (LAPACK's manual): of the type, of reals, of ints. */
typedef struct rooms {
    int count, reals, ints;
    void *work, *real, *whole;
} rooms;

static rooms new_rooms(const solver_call *c)
{
    int64_t n = LW_MAX(c->n, 1);
    bool is_complex = blas_is_complex(c->type);
    rooms r = {(int)(is_complex ? 2 * n + n * n + 64 * n : 1 + 6 * n + 2 * n * n + 64 * n),
               (int)(1 + 5 * n + 2 * n * n),
               (int)(3 + 5 * n),
               NULL,
               NULL,
               NULL};
    r.work = lw_alloc((size_t)r.count * blas_type_bytes[c->type]);
    r.real = lw_alloc((size_t)r.reals * sizeof(double));
    r.whole = lw_alloc((size_t)r.ints * sizeof(int));
    return r;
}

static void free_rooms(rooms *r)
{
    free(r->work);
    free(r->real);
    free(r->whole);
}

void solver_all_values(const solver_call *c, blas_function evd, void *a, void *b, void *values, int *info)
{
    int n = (int)c->n, ld = (int)c->a.ld, ldb = (int)c->b.ld;
    rooms r = new_rooms(c);
    bool is_complex = blas_is_complex(c->type);
    if (b && is_complex)
        evd(&c->problem, &c->job, &c->uplo, &n, a, &ld, b, &ldb, values, r.work, &r.count, r.real, &r.reals, r.whole,
            &r.ints, info, ONE, ONE);
    else if (b)
        evd(&c->problem, &c->job, &c->uplo, &n, a, &ld, b, &ldb, values, r.work, &r.count, r.whole, &r.ints, info, ONE,
            ONE);
    else if (is_complex)
        evd(&c->job, &c->uplo, &n, a, &ld, values, r.work, &r.count, r.real, &r.reals, r.whole, &r.ints, info, ONE,
            ONE);
    else evd(&c->job, &c->uplo, &n, a, &ld, values, r.work, &r.count, r.whole, &r.ints, info, ONE, ONE);
    free_rooms(&r);
}

/* Batches lie one matrix after the other. */
void solver_syevd(lib *l, const solver_call *c)
{
    int64_t n = c->n;
    size_t real = blas_type_bytes[blas_real(c->type)];
    blas_function syevd = solver_routine(l, c, "syevd", "heevd");
    for (int64_t i = 0; syevd && i < c->batch; i++) {
        bool ok = true;
        void *a = solver_matrix(l, c, &c->a, i, n, n, HOST_LIBRARY_UPDATES, &ok);
        uint64_t to = c->values + (uint64_t)(i * n) * real;
        void *values = solver_use(l, to, n, real, HOST_LIBRARY_WRITES, &ok);
        int *info = solver_use(l, c->info + (uint64_t)i * 4, 1, 4, HOST_LIBRARY_WRITES, &ok);
        if (!ok) return;
        solver_all_values(c, syevd, a, NULL, values, info);
    }
}

void solver_sygvd(lib *l, const solver_call *c)
{
    int64_t n = c->n;
    bool ok = true;
    blas_function sygvd = solver_routine(l, c, "sygvd", "hegvd");
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    void *b = solver_matrix(l, c, &c->b, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    void *values = solver_use(l, c->values, n, blas_type_bytes[blas_real(c->type)], HOST_LIBRARY_WRITES, &ok);
    int *info = solver_use(l, c->info, 1, 4, HOST_LIBRARY_WRITES, &ok);
    if (sygvd && ok) solver_all_values(c, sygvd, a, b, values, info);
}

/* ---------------------------------------------------------------- singular values */
/* Rows of V' (k of them, n long) to columns of V. */
static void turn(const solver_call *c, const char *from, int64_t k, int64_t n, char *to, int64_t ld)
{
    size_t size = blas_type_bytes[c->type];
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < n; j++) {
            char *at = to + (size_t)(j + i * ld) * size;
            memcpy(at, from + (size_t)(i + j * k) * size, size);
            if (c->type == BLAS_C) ((float *)at)[1] = -((float *)at)[1];
            if (c->type == BLAS_Z) ((double *)at)[1] = -((double *)at)[1];
        }
}

/* The columns of u and rows of v that a job makes: 'A' all, 'S' as many as there are values, else none. */
static int64_t vectors(char job, int64_t all, int64_t values) { return job == 'A' ? all : job == 'S' ? values : 0; }

static void decompose(lib *l, const solver_call *c, blas_function gesvd, void *a, void *values, void *u, int ldu,
                      void *v, int ldv, int *info)
{
    int m = (int)c->m, n = (int)c->n, ld = (int)c->a.ld, room = -1;
    double asked[2] = {0};
    void *real = lw_alloc((size_t)LW_MAX(5 * LW_MIN(m, n), 1) * sizeof(double));
    void *work = asked;
    for (int step = 0; step < 2; step++) {
        if (step) work = solver_room(c, asked, &room);
        if (blas_is_complex(c->type))
            gesvd(&c->job, &c->job_right, &m, &n, a, &ld, values, u, &ldu, v, &ldv, work, &room, real, info, ONE, ONE);
        else gesvd(&c->job, &c->job_right, &m, &n, a, &ld, values, u, &ldu, v, &ldv, work, &room, info, ONE, ONE);
    }
    free(work);
    free(real);
    (void)l;
}

void solver_gesvd(lib *l, const solver_call *c)
{
    int64_t least = LW_MIN(c->m, c->n), in_u = vectors(c->job, c->m, least), in_v = vectors(c->job_right, c->n, least);
    bool ok = true;
    double nowhere[2];
    size_t size = blas_type_bytes[c->type];
    blas_function gesvd = solver_routine(l, c, "gesvd", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, c->m, c->n, HOST_LIBRARY_UPDATES, &ok);
    void *values = solver_use(l, c->values, least, blas_type_bytes[blas_real(c->type)], HOST_LIBRARY_WRITES, &ok);
    int *info = solver_use(l, c->info, 1, 4, HOST_LIBRARY_WRITES, &ok);
    void *u = in_u ? solver_matrix(l, c, &c->u, 0, c->m, in_u, HOST_LIBRARY_WRITES, &ok) : nowhere;
    void *v = nowhere;
    if (in_v && c->turned) v = solver_matrix(l, c, &c->v, 0, c->n, in_v, HOST_LIBRARY_WRITES, &ok);
    else if (in_v) v = solver_matrix(l, c, &c->v, 0, in_v, c->n, HOST_LIBRARY_WRITES, &ok);
    if (!gesvd || !ok) return;
    char *rows = in_v && c->turned ? lw_alloc((size_t)LW_MAX(in_v * c->n, 1) * size) : NULL;
    decompose(l, c, gesvd, a, values, u, (int)LW_MAX(c->u.ld, 1), rows ? rows : v,
              (int)(rows ? in_v : LW_MAX(c->v.ld, 1)), info);
    if (rows) turn(c, rows, in_v, c->n, v, c->v.ld);
    free(rows);
}
