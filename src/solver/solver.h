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
       SOLVER_NOT_SUPPORTED = 9,
       SOLVER_ZERO_PIVOT = 10
};

typedef struct solver_handle {
    uint32_t magic;
    int deterministic;        /* cusolverDeterministicMode_t */
    int math_mode, emulation; /* kept and told: all is computed in its own type */
    void *stream;             /* cudaStream_t */
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
    uint64_t more[2];                       /* further arrays: what the routine says */
    /* Eigenvalues that are asked for: 'A' all, 'I' numbers first to last from 1, 'V' those above low and up to high. */
    char range;
    double low, high;
    int64_t first, last, value_stride;
    int64_t *found; /* of the host: how many they are */
};

/* ---------------------------------------------------------------- solver_core.c */
#define SOLVER(name) int lw_cusolver_##name
#define solver_end(status) solver_end_call(status, __func__)
int solver_end_call(int status, const char *function); /* gives the status; others than 0 become findings */
int solver_unsupported(const char *function);          /* how an entry point ends that is not there */
int solver_mg_unsupported(const char *function);       /* the same of cusolverMg (solver_mg.c) */
const char *solver_status_name(int status);
bool solver_valid(const solver_handle *h);
/* A call of another form; waits. */
int solver_put_other(solver_handle *h, void (*other)(host_library *l, const void *args), const void *args, size_t bytes,
                     const char *function);
int solver_put_waiting(solver_handle *h, solver_call *c, void (*work)(host_library *l, const solver_call *c),
                       const char *function); /* until it is done: a result is the host's */
int solver_put(solver_handle *h, solver_call *c, void (*work)(host_library *l, const solver_call *c),
               const char *function);
/* How a bufferSize call ends: *out is 1, unless one of the sizes is negative. */
int solver_sizes(solver_handle *h, const int64_t *sizes, int count, int *out, const char *function);
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
/* All values of a (b: of two matrices, else NULL), vectors in a. */
void solver_all_values(const solver_call *c, blas_function evd, void *a, void *b, void *values, int *info);

/* ---------------------------------------------------------------- solver_range.c, solver_rest.c */
void solver_syevdx(host_library *l,
                   const solver_call *c); /* syevd or (b) sygvd in a range: values and vectors to the front */
void solver_geev(host_library *l, const solver_call *c); /* wide: values are complex, else parts one after the other */
void solver_gesvdx(host_library *l,
                   const solver_call *c); /* the k greatest values, of each of a batch; more[0]: what is left */
void solver_gesv(host_library *l, const solver_call *c); /* u = solution of a u = b */
void solver_gels(host_library *l, const solver_call *c); /* u = least squares solution */
void solver_trtri(host_library *l, const solver_call *c);
void solver_gebrd(host_library *l, const solver_call *c); /* values, more[0]: both diagonals; factors, more[1] */
void solver_sytrd(host_library *l, const solver_call *c); /* values, more[0]: both diagonals; factors */
void solver_orgbr(host_library *l, const solver_call *c); /* job 'Q' or 'P' */
void solver_orgtr(host_library *l, const solver_call *c);
void solver_ormtr(host_library *l, const solver_call *c); /* b = op(Q) b or b op(Q) */
void solver_lauum(host_library *l, const solver_call *c);
void solver_laswp(host_library *l, const solver_call *c); /* rows first to last change by pivots, k apart */
void solver_sytri(host_library *l, const solver_call *c);
void solver_sytrs(host_library *l, const solver_call *c);

#endif
