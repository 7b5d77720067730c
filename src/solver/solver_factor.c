/* Factorisations and what is solved with them. */
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

#define ONE ((size_t)1) /* length of a character, as Fortran passes it */
typedef host_library lib;

static int *use_info(lib *l, const solver_call *c, int64_t i, bool *ok)
{
    return solver_use(l, c->info + (uint64_t)i * 4, 1, 4, HOST_LIBRARY_WRITES, ok);
}

void solver_potrf(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld;
    blas_function potrf = solver_routine(l, c, "potrf", NULL);
    for (int64_t i = 0; potrf && i < c->batch; i++) {
        bool ok = true;
        void *a = solver_matrix(l, c, &c->a, i, n, n, HOST_LIBRARY_UPDATES, &ok);
        int *info = use_info(l, c, i, &ok);
        if (!ok) return;
        potrf(&c->uplo, &n, a, &ld, info, ONE);
    }
}

void solver_potrs(lib *l, const solver_call *c)
{
    int n = (int)c->n, columns = (int)c->m, ld = (int)c->a.ld, ldb = (int)c->b.ld;
    blas_function potrs = solver_routine(l, c, "potrs", NULL);
    bool ok = true;
    int *info = use_info(l, c, 0, &ok); /* one for all of a batch */
    for (int64_t i = 0; potrs && ok && i < c->batch; i++) {
        const void *a = solver_matrix(l, c, &c->a, i, n, n, HOST_LIBRARY_READS, &ok);
        void *b = solver_matrix(l, c, &c->b, i, n, columns, HOST_LIBRARY_UPDATES, &ok);
        if (ok) potrs(&c->uplo, &n, &columns, a, &ld, b, &ldb, info, ONE);
    }
}

void solver_potri(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld;
    blas_function potri = solver_routine(l, c, "potri", NULL);
    bool ok = true;
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (potri && ok) potri(&c->uplo, &n, a, &ld, info, ONE);
}

/* ---------------------------------------------------------------- L U */
/* Pivots of the host's routines to and from the program's. */
static void *use_pivots(lib *l, const solver_call *c, int64_t count, host_library_access access, bool *ok)
{
    return c->pivots ? solver_use(l, c->pivots, count, c->wide ? 8 : 4, access, ok) : NULL;
}

void solver_getrf(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, ld = (int)c->a.ld;
    int64_t count = LW_MIN(c->m, c->n);
    bool ok = true;
    blas_function getrf = solver_routine(l, c, "getrf", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    void *to = use_pivots(l, c, count, HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (!getrf || !ok) return;
    if (!to) {
        blas_lu_plain(c->type, a, ld, m, n, info);
        return;
    }
    int *pivots = lw_alloc((size_t)LW_MAX(count, 1) * sizeof *pivots);
    getrf(&m, &n, a, &ld, pivots, info);
    for (int64_t i = 0; i < count; i++) {
        if (c->wide) ((int64_t *)to)[i] = pivots[i];
        else ((int *)to)[i] = pivots[i];
    }
    free(pivots);
}

void solver_getrs(lib *l, const solver_call *c)
{
    int n = (int)c->n, columns = (int)c->m, ld = (int)c->a.ld, ldb = (int)c->b.ld;
    bool ok = true;
    blas_function getrs = solver_routine(l, c, "getrs", NULL);
    const void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_READS, &ok);
    void *b = solver_matrix(l, c, &c->b, 0, n, columns, HOST_LIBRARY_UPDATES, &ok);
    const void *from = use_pivots(l, c, n, HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (!getrs || !ok) return;
    int *pivots = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *pivots);
    for (int i = 0; i < n; i++) {
        int64_t pivot = !from ? i + 1 : c->wide ? ((const int64_t *)from)[i] : ((const int *)from)[i];
        if (pivot < 1 || pivot > n) ok = false;
        pivots[i] = (int)pivot;
    }
    if (ok) getrs(&c->trans, &n, &columns, a, &ld, pivots, b, &ldb, info, ONE);
    else host_library_fail(l, "a pivot lies outside of the matrix");
    free(pivots);
}

/* ---------------------------------------------------------------- Q R */
void solver_geqrf(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function geqrf = solver_routine(l, c, "geqrf", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    void *tau = solver_use(l, c->factors, LW_MIN(m, n), blas_type_bytes[c->type], HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (!geqrf || !ok) return;
    geqrf(&m, &n, a, &ld, tau, asked, &room, info);
    void *work = solver_room(c, asked, &room);
    geqrf(&m, &n, a, &ld, tau, work, &room, info);
    free(work);
}

void solver_orgqr(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, k = (int)c->k, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function orgqr = solver_routine(l, c, "orgqr", "ungqr");
    void *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    const void *tau = solver_use(l, c->factors, k, blas_type_bytes[c->type], HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (!orgqr || !ok) return;
    orgqr(&m, &n, &k, a, &ld, tau, asked, &room, info);
    void *work = solver_room(c, asked, &room);
    orgqr(&m, &n, &k, a, &ld, tau, work, &room, info);
    free(work);
}

void solver_ormqr(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, k = (int)c->k, ld = (int)c->a.ld, ldb = (int)c->b.ld, room = -1;
    int rows = c->side == 'L' ? m : n;
    bool ok = true;
    double asked[2] = {0};
    blas_function ormqr = solver_routine(l, c, "ormqr", "unmqr");
    const void *a = solver_matrix(l, c, &c->a, 0, rows, k, HOST_LIBRARY_READS, &ok);
    const void *tau = solver_use(l, c->factors, k, blas_type_bytes[c->type], HOST_LIBRARY_READS, &ok);
    void *b = solver_matrix(l, c, &c->b, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    int *info = use_info(l, c, 0, &ok);
    if (!ormqr || !ok) return;
    ormqr(&c->side, &c->trans, &m, &n, &k, a, &ld, tau, b, &ldb, asked, &room, info, ONE, ONE);
    void *work = solver_room(c, asked, &room);
    ormqr(&c->side, &c->trans, &m, &n, &k, a, &ld, tau, b, &ldb, work, &room, info, ONE, ONE);
    free(work);
}

/* ---------------------------------------------------------------- symmetric, indefinite */
void solver_sytrf(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function sytrf = solver_routine(l, c, "sytrf", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    int *pivots = solver_use(l, c->pivots, n, 4, HOST_LIBRARY_WRITES, &ok), *info = use_info(l, c, 0, &ok);
    if (!sytrf || !ok) return;
    sytrf(&c->uplo, &n, a, &ld, pivots, asked, &room, info, ONE);
    void *work = solver_room(c, asked, &room);
    sytrf(&c->uplo, &n, a, &ld, pivots, work, &room, info, ONE);
    free(work);
}
