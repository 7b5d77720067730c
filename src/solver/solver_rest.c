/* Solutions with matrices that stay as they are, tridiagonal and bidiagonal forms, and what LAPACK has beside them. */
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"

#define ONE ((size_t)1) /* length of a character, as Fortran passes it */
typedef host_library lib;

static int *use_info(lib *l, const solver_call *c, bool *ok)
{
    return solver_use(l, c->info, 1, 4, HOST_LIBRARY_WRITES, ok);
}

/* Arrays that a routine reads or writes: of the call's type, and real. */
static void *use_factors(lib *l, const solver_call *c, uint64_t address, int64_t count, host_library_access access,
                         bool *ok)
{
    return solver_use(l, address, LW_MAX(count, 0), blas_type_bytes[c->type], access, ok);
}
static void *use_reals(lib *l, const solver_call *c, uint64_t address, int64_t count, bool *ok)
{
    return solver_use(l, address, LW_MAX(count, 0), blas_type_bytes[blas_real(c->type)], HOST_LIBRARY_WRITES, ok);
}

/* rows x columns at from, ld apart, packed, to be freed; room: rows of each column of the copy. */
static char *packed(const solver_call *c, const char *from, int64_t ld, int64_t rows, int64_t columns, int64_t room)
{
    size_t size = blas_type_bytes[c->type];
    char *out = lw_alloc((size_t)LW_MAX(room * columns, 1) * size);
    for (int64_t j = 0; j < columns; j++)
        memcpy(out + (size_t)(j * room) * size, from + (size_t)(j * ld) * size, (size_t)rows * size);
    return out;
}

static void unpack(const solver_call *c, const char *from, int64_t room, int64_t rows, int64_t columns, char *to,
                   int64_t ld)
{
    size_t size = blas_type_bytes[c->type];
    for (int64_t j = 0; j < columns; j++)
        memcpy(to + (size_t)(j * ld) * size, from + (size_t)(j * room) * size, (size_t)rows * size);
}

/* ---------------------------------------------------------------- solutions */
void solver_gesv(lib *l, const solver_call *c)
{
    int n = (int)c->n, columns = (int)c->m;
    bool ok = true;
    blas_function gesv = solver_routine(l, c, "gesv", NULL);
    const char *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_READS, &ok);
    const char *b = solver_matrix(l, c, &c->b, 0, n, columns, HOST_LIBRARY_READS, &ok);
    char *x = solver_matrix(l, c, &c->u, 0, n, columns, HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, &ok);
    if (!gesv || !ok) return;
    int *pivots = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *pivots), ld = LW_MAX(n, 1);
    char *left = packed(c, a, c->a.ld, n, n, n), *right = packed(c, b, c->b.ld, n, columns, n);
    gesv(&n, &columns, left, &ld, pivots, right, &ld, info);
    if (!*info) unpack(c, right, n, n, columns, x, c->u.ld);
    free(left);
    free(right);
    free(pivots);
}

void solver_gels(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, columns = (int)c->k, room = -1, most = LW_MAX(LW_MAX(m, n), 1);
    bool ok = true;
    double asked[2] = {0};
    blas_function gels = solver_routine(l, c, "gels", NULL);
    const char *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_READS, &ok);
    const char *b = solver_matrix(l, c, &c->b, 0, m, columns, HOST_LIBRARY_READS, &ok);
    char *x = solver_matrix(l, c, &c->u, 0, n, columns, HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, &ok), ld = LW_MAX(m, 1);
    if (!gels || !ok) return;
    char *left = packed(c, a, c->a.ld, m, n, m), *right = packed(c, b, c->b.ld, m, columns, most);
    gels("N", &m, &n, &columns, left, &ld, right, &most, asked, &room, info, ONE);
    void *work = solver_room(c, asked, &room);
    gels("N", &m, &n, &columns, left, &ld, right, &most, work, &room, info, ONE);
    if (!*info) unpack(c, right, most, n, columns, x, c->u.ld);
    free(work);
    free(left);
    free(right);
}

void solver_trtri(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld;
    bool ok = true;
    blas_function trtri = solver_routine(l, c, "trtri", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    int *info = use_info(l, c, &ok);
    if (trtri && ok) trtri(&c->uplo, &c->job, &n, a, &ld, info, ONE, ONE);
}

void solver_lauum(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld;
    bool ok = true;
    blas_function lauum = solver_routine(l, c, "lauum", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    int *info = use_info(l, c, &ok);
    if (lauum && ok) lauum(&c->uplo, &n, a, &ld, info, ONE);
}

void solver_laswp(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld, first = (int)c->first, last = (int)c->last, step = (int)c->k;
    bool ok = true;
    blas_function laswp = solver_routine(l, c, "laswp", NULL);
    int64_t rows = last, count = first - 1 + (last - first) * llabs(c->k) + 1;
    const int *pivots = solver_use(l, c->pivots, count, 4, HOST_LIBRARY_READS, &ok);
    for (int64_t i = first - 1; ok && i < count; i += llabs(c->k)) rows = LW_MAX(rows, pivots[i]);
    void *a = ok ? solver_matrix(l, c, &c->a, 0, rows, n, HOST_LIBRARY_UPDATES, &ok) : NULL;
    if (laswp && ok) laswp(&n, a, &ld, &first, &last, pivots, &step);
}

/* ---------------------------------------------------------------- symmetric, indefinite */
void solver_sytri(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld;
    bool ok = true;
    blas_function sytri = solver_routine(l, c, "sytri", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    const int *pivots = solver_use(l, c->pivots, n, 4, HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, &ok);
    if (!sytri || !ok) return;
    void *work = lw_alloc((size_t)LW_MAX(2 * n, 1) * blas_type_bytes[c->type]);
    sytri(&c->uplo, &n, a, &ld, pivots, work, info, ONE);
    free(work);
}

void solver_sytrs(lib *l, const solver_call *c)
{
    int n = (int)c->n, columns = (int)c->m, ld = (int)c->a.ld, ldb = (int)c->b.ld;
    bool ok = true;
    blas_function sytrs = solver_routine(l, c, "sytrs", NULL);
    const void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_READS, &ok);
    void *b = solver_matrix(l, c, &c->b, 0, n, columns, HOST_LIBRARY_UPDATES, &ok);
    const int64_t *from = solver_use(l, c->pivots, n, 8, HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, &ok);
    if (!sytrs || !ok) return;
    int *pivots = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *pivots);
    for (int i = 0; i < n; i++) {
        ok = ok && from[i] && llabs(from[i]) <= n;
        pivots[i] = (int)from[i];
    }
    if (ok) sytrs(&c->uplo, &n, &columns, a, &ld, pivots, b, &ldb, info, ONE);
    else host_library_fail(l, "a pivot lies outside of the matrix");
    free(pivots);
}

/* ---------------------------------------------------------------- tridiagonal and bidiagonal forms */
void solver_sytrd(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function sytrd = solver_routine(l, c, "sytrd", "hetrd");
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    void *d = use_reals(l, c, c->values, n, &ok), *e = use_reals(l, c, c->more[0], n - 1, &ok);
    void *tau = use_factors(l, c, c->factors, n - 1, HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, &ok);
    if (!sytrd || !ok) return;
    sytrd(&c->uplo, &n, a, &ld, d, e, tau, asked, &room, info, ONE);
    void *work = solver_room(c, asked, &room);
    sytrd(&c->uplo, &n, a, &ld, d, e, tau, work, &room, info, ONE);
    free(work);
}

void solver_gebrd(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, least = LW_MIN(m, n), ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function gebrd = solver_routine(l, c, "gebrd", NULL);
    void *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    void *d = use_reals(l, c, c->values, least, &ok), *e = use_reals(l, c, c->more[0], least - 1, &ok);
    void *q = use_factors(l, c, c->factors, least, HOST_LIBRARY_WRITES, &ok);
    void *p = use_factors(l, c, c->more[1], least, HOST_LIBRARY_WRITES, &ok);
    int *info = use_info(l, c, &ok);
    if (!gebrd || !ok) return;
    gebrd(&m, &n, a, &ld, d, e, q, p, asked, &room, info);
    void *work = solver_room(c, asked, &room);
    gebrd(&m, &n, a, &ld, d, e, q, p, work, &room, info);
    free(work);
}

void solver_orgbr(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, k = (int)c->k, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function orgbr = solver_routine(l, c, "orgbr", "ungbr");
    void *a = solver_matrix(l, c, &c->a, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    const void *tau = use_factors(l, c, c->factors, LW_MIN(c->job == 'Q' ? m : n, k), HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, &ok);
    if (!orgbr || !ok) return;
    orgbr(&c->job, &m, &n, &k, a, &ld, tau, asked, &room, info, ONE);
    void *work = solver_room(c, asked, &room);
    orgbr(&c->job, &m, &n, &k, a, &ld, tau, work, &room, info, ONE);
    free(work);
}

void solver_orgtr(lib *l, const solver_call *c)
{
    int n = (int)c->n, ld = (int)c->a.ld, room = -1;
    bool ok = true;
    double asked[2] = {0};
    blas_function orgtr = solver_routine(l, c, "orgtr", "ungtr");
    void *a = solver_matrix(l, c, &c->a, 0, n, n, HOST_LIBRARY_UPDATES, &ok);
    const void *tau = use_factors(l, c, c->factors, n - 1, HOST_LIBRARY_READS, &ok);
    int *info = use_info(l, c, &ok);
    if (!orgtr || !ok) return;
    orgtr(&c->uplo, &n, a, &ld, tau, asked, &room, info, ONE);
    void *work = solver_room(c, asked, &room);
    orgtr(&c->uplo, &n, a, &ld, tau, work, &room, info, ONE);
    free(work);
}

void solver_ormtr(lib *l, const solver_call *c)
{
    int m = (int)c->m, n = (int)c->n, ld = (int)c->a.ld, ldb = (int)c->b.ld, room = -1;
    int order = c->side == 'L' ? m : n;
    bool ok = true;
    double asked[2] = {0};
    blas_function ormtr = solver_routine(l, c, "ormtr", "unmtr");
    const void *a = solver_matrix(l, c, &c->a, 0, order, order, HOST_LIBRARY_READS, &ok);
    const void *tau = use_factors(l, c, c->factors, order - 1, HOST_LIBRARY_READS, &ok);
    void *b = solver_matrix(l, c, &c->b, 0, m, n, HOST_LIBRARY_UPDATES, &ok);
    int *info = use_info(l, c, &ok);
    if (!ormtr || !ok) return;
    ormtr(&c->side, &c->uplo, &c->trans, &m, &n, a, &ld, tau, b, &ldb, asked, &room, info, ONE, ONE, ONE);
    void *work = solver_room(c, asked, &room);
    ormtr(&c->side, &c->uplo, &c->trans, &m, &n, a, &ld, tau, b, &ldb, work, &room, info, ONE, ONE, ONE);
    free(work);
}
