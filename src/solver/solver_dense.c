/* The entry points for dense matrices of one type each. Work space that programs give is not used: they are asked for one
 * element. */
#include "solver/solver_entry.h"

/* ---------------------------------------------------------------- Cholesky */
#define POTRF(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##potrf_bufferSize)                                                                            \
    (solver_handle * h, int fill, int n, UNUSED void *a, int lda, int *out) ROOM(out, n, lda - n, fill) SOLVER(        \
        cusolverDn##X##potrf)(solver_handle * h, int fill, int n, void *a, int lda, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_potrf, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .info = AT(info));         \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##potrfBatched)                                                                                \
    (solver_handle * h, int fill, int n, void *a, int lda, int *info, int count)                                       \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && count >= 0);                                              \
        PUT(T_, solver_potrf, count, .uplo = blas_uplo(fill), .n = n,                                                  \
            .a = {.address = AT(a), .ld = lda, .pointers = true}, .info = AT(info));                                   \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##potrs)                                                                                       \
    (solver_handle * h, int fill, int n, int columns, const void *a, int lda, void *b, int ldb, int *info)             \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && columns >= 0 && blas_ld(lda, n) && blas_ld(ldb, n));                         \
        PUT(T_, solver_potrs, 1, .uplo = blas_uplo(fill), .n = n, .m = columns, .a = blas_matrix(a, lda),              \
            .b = blas_matrix(b, ldb), .info = AT(info));                                                               \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##potrsBatched)                                                                                \
    (solver_handle * h, int fill, int n, int columns, void *a, int lda, void *b, int ldb, int *info, int count)        \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && columns == 1 && blas_ld(lda, n) && blas_ld(ldb, n) && count >= 0);           \
        PUT(T_, solver_potrs, count, .uplo = blas_uplo(fill), .n = n, .m = columns,                                    \
            .a = {.address = AT(a), .ld = lda, .pointers = true},                                                      \
            .b = {.address = AT(b), .ld = ldb, .pointers = true}, .info = AT(info));                                   \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##potri_bufferSize)                                                                            \
    (solver_handle * h, int fill, int n, UNUSED void *a, int lda, int *out) ROOM(out, n, lda - n, fill) SOLVER(        \
        cusolverDn##X##potri)(solver_handle * h, int fill, int n, void *a, int lda, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_potri, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .info = AT(info));         \
    }
EACH(POTRF)

/* ---------------------------------------------------------------- L U */
#define GETRF(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##getrf_bufferSize)                                                                            \
    (solver_handle * h, int m, int n, UNUSED void *a, int lda, int *out) ROOM(out, m, n, lda - m) SOLVER(              \
        cusolverDn##X##getrf)(solver_handle * h, int m, int n, void *a, int lda, void *work, int *pivots, int *info)   \
    {                                                                                                                  \
        (void)work;                                                                                                    \
        VALID;                                                                                                         \
        HAVE(m >= 0 && n >= 0 && blas_ld(lda, m));                                                                     \
        PUT(T_, solver_getrf, 1, .m = m, .n = n, .a = blas_matrix(a, lda), .pivots = AT(pivots), .info = AT(info));    \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##getrs)                                                                                       \
    (solver_handle * h, int op, int n, int columns, const void *a, int lda, const int *pivots, void *b, int ldb,       \
     int *info)                                                                                                        \
    {                                                                                                                  \
        VALID;                                                                                                         \
        HAVE(blas_trans(op) && n >= 0 && columns >= 0 && blas_ld(lda, n) && blas_ld(ldb, n));                          \
        PUT(T_, solver_getrs, 1, .trans = blas_trans(op), .n = n, .m = columns, .a = blas_matrix(a, lda),              \
            .b = blas_matrix(b, ldb), .pivots = AT(pivots), .info = AT(info));                                         \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##sytrf_bufferSize)                                                                            \
    (solver_handle * h, int n, UNUSED void *a, int lda, int *out) ROOM(out, n, lda - n) SOLVER(cusolverDn##X##sytrf)(  \
        solver_handle * h, int fill, int n, void *a, int lda, int *pivots, void *work, int size, int *info)            \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && pivots);                                                  \
        PUT(T_, solver_sytrf, 1, .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda), .pivots = AT(pivots),      \
            .info = AT(info));                                                                                         \
    }
EACH(GETRF)

/* ---------------------------------------------------------------- Q R */
#define GEQRF(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##geqrf_bufferSize)                                                                            \
    (solver_handle * h, int m, int n, UNUSED void *a, int lda, int *out) ROOM(out, m, n, lda - m)                      \
        SOLVER(cusolverDn##X##geqrf)(solver_handle * h, int m, int n, void *a, int lda, void *tau, void *work,         \
                                     int size, int *info)                                                              \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(m >= 0 && n >= 0 && blas_ld(lda, m));                                                                     \
        PUT(T_, solver_geqrf, 1, .m = m, .n = n, .a = blas_matrix(a, lda), .factors = AT(tau), .info = AT(info));      \
    }
EACH(GEQRF)

#define ORGQR(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int m, int n, int k, UNUSED const void *a, int lda, UNUSED const void *tau, int *out)          \
        ROOM(out, n - k, m - n, lda - m, k)                                                                            \
            SOLVER(cusolverDn##Xname)(solver_handle * h, int m, int n, int k, void *a, int lda, const void *tau,       \
                                      void *work, int size, int *info)                                                 \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(k >= 0 && n >= k && m >= n && blas_ld(lda, m));                                                           \
        PUT(T_, solver_orgqr, 1, .m = m, .n = n, .k = k, .a = blas_matrix(a, lda), .factors = AT(tau),                 \
            .info = AT(info));                                                                                         \
    }
REAL(ORGQR, orgqr)
IMAGINARY(ORGQR, ungqr)

/* Real matrices know no conjugation, complex ones only that. */
static char ormqr_trans(blas_type type, int op)
{
    return op == BLAS_OP_N ? 'N' : !blas_is_complex(type) ? 'T' : op == BLAS_OP_C ? 'C' : 0;
}

#define ORMQR(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int side, int op, int m, int n, int k, UNUSED const void *a, int lda, UNUSED const void *tau,  \
     UNUSED const void *c, int ldc, int *out) ROOM(out, m, n, k, ldc - m, side, op, lda)                               \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int side, int op, int m, int n, int k, const void *a, int lda,    \
                                  const void *tau, void *c, int ldc, void *work, int size, int *info)                  \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_side(side) && ormqr_trans(T_, op) && m >= 0 && n >= 0 && blas_ld(ldc, m));                           \
        HAVE(k >= 0 && k <= (side == BLAS_LEFT ? m : n) && blas_ld(lda, side == BLAS_LEFT ? m : n));                   \
        PUT(T_, solver_ormqr, 1, .side = blas_side(side), .trans = ormqr_trans(T_, op), .m = m, .n = n, .k = k,        \
            .a = blas_matrix(a, lda), .b = blas_matrix(c, ldc), .factors = AT(tau), .info = AT(info));                 \
    }
REAL(ORMQR, ormqr)
IMAGINARY(ORMQR, unmqr)

/* ---------------------------------------------------------------- eigenvalues */

#define SYEVD(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int job, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *w, int *out)       \
        ROOM(out, n, lda - n, job, fill) SOLVER(cusolverDn##Xname)(                                                    \
            solver_handle * h, int job, int fill, int n, void *a, int lda, void *w, void *work, int size, int *info)   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_syevd, 1, .job = JOB(job), .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda),           \
            .values = AT(w), .info = AT(info));                                                                        \
    }
REAL(SYEVD, syevd)
IMAGINARY(SYEVD, heevd)

#define SYGVD(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int problem, int job, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *b,    \
     int ldb, UNUSED const void *w, int *out) ROOM(out, n, lda - n, ldb - n, problem, job, fill)                       \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int problem, int job, int fill, int n, void *a, int lda, void *b, \
                                  int ldb, void *w, void *work, int size, int *info)                                   \
    {                                                                                                                  \
        (void)work, (void)size;                                                                                        \
        VALID;                                                                                                         \
        HAVE(problem >= 1 && problem <= 3 && blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && blas_ld(ldb, n));         \
        PUT(T_, solver_sygvd, 1, .problem = problem, .job = JOB(job), .uplo = blas_uplo(fill), .n = n,                 \
            .a = blas_matrix(a, lda), .b = blas_matrix(b, ldb), .values = AT(w), .info = AT(info));                    \
    }
REAL(SYGVD, sygvd)
IMAGINARY(SYGVD, hegvd)

/* Jacobi's method on a card; here the same routines as above. */
#define SYEVJ(Xname, T_)                                                                                               \
    SOLVER(cusolverDn##Xname##_bufferSize)                                                                             \
    (solver_handle * h, int job, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *w, int *out,       \
     UNUSED void *params) ROOM(out, n, lda - n, job, fill)                                                             \
        SOLVER(cusolverDn##Xname)(solver_handle * h, int job, int fill, int n, void *a, int lda, void *w, void *work,  \
                                  int size, int *info, void *params)                                                   \
    {                                                                                                                  \
        (void)work, (void)size, (void)params;                                                                          \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n));                                                            \
        PUT(T_, solver_syevd, 1, .job = JOB(job), .uplo = blas_uplo(fill), .n = n, .a = blas_matrix(a, lda),           \
            .values = AT(w), .info = AT(info));                                                                        \
    }                                                                                                                  \
    SOLVER(cusolverDn##Xname##Batched_bufferSize)                                                                      \
    (solver_handle * h, int job, int fill, int n, UNUSED const void *a, int lda, UNUSED const void *w, int *out,       \
     UNUSED void *params, int count) ROOM(out, n, lda - n, job, fill, count)                                           \
        SOLVER(cusolverDn##Xname##Batched)(solver_handle * h, int job, int fill, int n, void *a, int lda, void *w,     \
                                           void *work, int size, int *info, void *params, int count)                   \
    {                                                                                                                  \
        (void)work, (void)size, (void)params;                                                                          \
        VALID;                                                                                                         \
        HAVE(blas_uplo(fill) && n >= 0 && blas_ld(lda, n) && count >= 0);                                              \
        PUT(T_, solver_syevd, count, .job = JOB(job), .uplo = blas_uplo(fill), .n = n,                                 \
            .a = {.address = AT(a), .ld = lda, .stride = (int64_t)lda * n}, .values = AT(w), .info = AT(info));        \
    }
REAL(SYEVJ, syevj)
IMAGINARY(SYEVJ, heevj)

/* ---------------------------------------------------------------- singular values */
static bool is_job(char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

#define GESVD(X, T_)                                                                                                   \
    SOLVER(cusolverDn##X##gesvd_bufferSize)(solver_handle * h, int m, int n, int *out) ROOM(out, m - n, n)             \
        SOLVER(cusolverDn##X##gesvd)(solver_handle * h, signed char job_u, signed char job_v, int m, int n, void *a,   \
                                     int lda, void *s, void *u, int ldu, void *vt, int ldvt, void *work, int size,     \
                                     void *real, int *info)                                                            \
    {                                                                                                                  \
        (void)work, (void)size, (void)real;                                                                            \
        VALID;                                                                                                         \
        HAVE(is_job(job_u) && is_job(job_v) && n >= 0 && m >= n && blas_ld(lda, m)); /* as on a card: m >= n */        \
        PUT(T_, solver_gesvd, 1, .job = job_u, .job_right = job_v, .m = m, .n = n, .a = blas_matrix(a, lda),           \
            .values = AT(s), .u = blas_matrix(u, ldu), .v = blas_matrix(vt, ldvt), .info = AT(info));                  \
    }                                                                                                                  \
    SOLVER(cusolverDn##X##gesvdj_bufferSize)                                                                           \
    (solver_handle * h, int job, int econ, int m, int n, UNUSED const void *a, int lda, UNUSED const void *s,          \
     UNUSED const void *u, int ldu, UNUSED const void *v, int ldv, int *out, UNUSED void *params)                      \
        ROOM(out, m, n, job, econ, lda - m, ldu, ldv)                                                                  \
            SOLVER(cusolverDn##X##gesvdj)(solver_handle * h, int job, int econ, int m, int n, void *a, int lda,        \
                                          void *s, void *u, int ldu, void *v, int ldv, void *work, int size,           \
                                          int *info, void *params)                                                     \
    {                                                                                                                  \
        (void)work, (void)size, (void)params;                                                                          \
        VALID;                                                                                                         \
        HAVE(m >= 0 && n >= 0 && blas_ld(lda, m));                                                                     \
        char which = !job ? 'N' : econ ? 'S' : 'A';                                                                    \
        PUT(T_, solver_gesvd, 1, .job = which, .job_right = which, .turned = true, .m = m, .n = n,                     \
            .a = blas_matrix(a, lda), .values = AT(s), .u = blas_matrix(u, ldu), .v = blas_matrix(v, ldv),             \
            .info = AT(info));                                                                                         \
    }
EACH(GESVD)

/* Matrices one after the other, each with all its vectors. */
#define GESVDJ_BATCHED(X, T_)                                                                                          \
    SOLVER(cusolverDn##X##gesvdjBatched_bufferSize)                                                                    \
    (solver_handle * h, int job, int m, int n, UNUSED const void *a, int lda, UNUSED const void *s,                    \
     UNUSED const void *u, int ldu, UNUSED const void *v, int ldv, int *out, UNUSED void *params, int count)           \
        ROOM(out, m, n, job, lda - m, ldu, ldv, count)                                                                 \
            SOLVER(cusolverDn##X##gesvdjBatched)(solver_handle * h, int job, int m, int n, void *a, int lda, void *s,  \
                                                 void *u, int ldu, void *v, int ldv, void *work, int size, int *info,  \
                                                 void *params, int count)                                              \
    {                                                                                                                  \
        (void)work, (void)size, (void)params;                                                                          \
        VALID;                                                                                                         \
        HAVE(m >= 0 && n >= 0 && m <= 32 && n <= 32 && blas_ld(lda, m) && count >= 0); /* as on a card */              \
        size_t element = blas_type_bytes[T_], real = blas_type_bytes[blas_real(T_)];                                   \
        int status = SOLVER_OK;                                                                                        \
        for (size_t i = 0; i < (size_t)count && !status; i++) {                                                        \
            solver_call c = {.type = T_,                                                                               \
                             .batch = 1,                                                                               \
                             .job = job ? 'A' : 'N',                                                                   \
                             .job_right = job ? 'A' : 'N',                                                             \
                             .turned = true,                                                                           \
                             .m = m,                                                                                   \
                             .n = n,                                                                                   \
                             .values = AT(s) + i * (size_t)LW_MIN(m, n) * real,                                        \
                             .a = blas_matrix((char *)a + i * (size_t)(lda * n) * element, lda),                       \
                             .u = blas_matrix((char *)u + i * (size_t)(ldu * m) * element, ldu),                       \
                             .v = blas_matrix((char *)v + i * (size_t)(ldv * n) * element, ldv),                       \
                             .info = AT(info + i)};                                                                    \
            status = solver_put(h, &c, solver_gesvd, __func__);                                                        \
        }                                                                                                              \
        return status;                                                                                                 \
    }
EACH(GESVDJ_BATCHED)
