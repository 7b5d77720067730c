/* solver.h: cuSOLVER's dense part over the LAPACK of the host, which OpenBLAS holds. Entry points are named
 * lw_cusolver_<exported name>; a call is put on the stream of its handle (host/library.h). The host's routines take work space of
 * their own: that which programs give is not touched. */
#ifndef LW_SOLVER_H
#define LW_SOLVER_H

#include "blas/blas.h"
#include "face/library.h"

enum { /* cusolverStatus_t */
       SOLVER_OK = 0,
       SOLVER_NOT_INITIALIZED = 1,
       SOLVER_INVALID_VALUE = 3,
       SOLVER_EXECUTION_FAILED = 6,
       SOLVER_INTERNAL_ERROR = 7,
       SOLVER_NOT_SUPPORTED = 9
};

typedef struct solver_handle {
    uint32_t magic;
    int deterministic; /* cusolverDeterministicMode_t */
    void *stream;      /* cudaStream_t */
} solver_handle;

/* What a call does; `work` says which fields it uses. Matrices lie by columns. */
typedef struct solver_call solver_call;
struct solver_call {
    void (*work)(host_library *l, const solver_call *c);
    blas_type type;
    char trans, uplo, side, job, job_right; /* as LAPACK takes them */
    int problem;                            /* 1 to 3: A x = s B x, A B x = s x, B A x = s x */
    bool wide;                              /* pivots have 64 bits */
    bool turned;                            /* right singular vectors as columns, not conjugated rows */
    int64_t m, n, k, batch;
    blas_operand a, b, u, v;
    uint64_t factors, values, pivots, info; /* factors of reflections; real values; info: an int of each of the batch */
};

/* ---------------------------------------------------------------- solver_core.c */
#define SOLVER(name) int lw_cusolver_##name
#define solver_end(status) solver_end_call(status, __func__)
int solver_end_call(int status, const char *function); /* gives the status; others than 0 become findings */
int solver_unsupported(const char *function);          /* how an entry point ends that is not there */
bool solver_valid(const solver_handle *h);
int solver_put(solver_handle *h, solver_call *c, void (*work)(host_library *l, const solver_call *c),
               const char *function);
/* The call's routine of LAPACK without its type's letter, or (complex) by another name; NULL: the call has failed. */
blas_function solver_routine(host_library *l, const solver_call *c, const char *real, const char *complex);
/* `count` elements of `bytes` at an address; NULL with *ok false: a kernel would fault there. */
void *solver_use(host_library *l, uint64_t address, int64_t count, size_t bytes, host_library_access access, bool *ok);
void *solver_matrix(host_library *l, const solver_call *c, const blas_operand *o, int64_t i, int64_t rows,
                    int64_t columns, host_library_access access, bool *ok);
/* Room as a routine asked for it: the first element of `asked`. To be freed. */
void *solver_room(const solver_call *c, const void *asked, int *out_count);

/* ---------------------------------------------------------------- solver_factor.c, solver_spectrum.c */
void solver_potrf(host_library *l, const solver_call *c); /* a = L L' or U' U, of a batch too */
void solver_potrs(host_library *l, const solver_call *c); /* b = solution for b by those factors */
void solver_potri(host_library *l, const solver_call *c); /* a = inverse by those factors */
void solver_getrf(host_library *l, const solver_call *c); /* a = P L U; without pivots where they have no address */
void solver_getrs(host_library *l, const solver_call *c);
void solver_geqrf(host_library *l, const solver_call *c); /* a = Q R; factors */
void solver_orgqr(host_library *l, const solver_call *c); /* a = the columns of Q */
void solver_ormqr(host_library *l, const solver_call *c); /* b = op(Q) b or b op(Q) */
void solver_sytrf(host_library *l, const solver_call *c); /* a = L D L'; pivots */
void solver_syevd(host_library *l, const solver_call *c); /* values, and (job 'V') vectors in a */
void solver_sygvd(host_library *l, const solver_call *c); /* the same of two matrices */
void solver_gesvd(host_library *l, const solver_call *c); /* values, u, v */

#endif
