/* blas.h: cuBLAS over a BLAS of the host. Entry points are named lw_cublas_<exported name>; a call is put on the stream of
 * its handle (host/library.h) as a blas_call, and carried out by the routines of a Fortran BLAS: OpenBLAS, or whatever is
 * installed as libblas.so.3. Matrices are stored by columns on both sides.
 *
 * Results differ from a card's in their last bits, as the order of sums differs there from library to library. They are the
 * same in every run: the host's library uses one thread. */
#ifndef LW_BLAS_H
#define LW_BLAS_H

#include "host/host.h"

/* ---------------------------------------------------------------- what the library's headers fix */
enum { /* cublasStatus_t */
       BLAS_OK = 0,
       BLAS_NOT_INITIALIZED = 1,
       BLAS_ALLOC_FAILED = 3,
       BLAS_INVALID_VALUE = 7,
       BLAS_EXECUTION_FAILED = 13,
       BLAS_INTERNAL_ERROR = 14,
       BLAS_NOT_SUPPORTED = 15
};
enum { BLAS_OP_N = 0, BLAS_OP_T = 1, BLAS_OP_C = 2, BLAS_OP_CONJG = 3 }; /* cublasOperation_t */
enum { BLAS_LOWER = 0, BLAS_UPPER = 1, BLAS_FULL = 2 };                  /* cublasFillMode_t */
enum { BLAS_LEFT = 0, BLAS_RIGHT = 1 };                                  /* cublasSideMode_t */
enum { BLAS_POINTER_HOST = 0, BLAS_POINTER_DEVICE = 1 };                 /* cublasPointerMode_t */

typedef struct blas_handle {
    uint32_t magic;
    void *stream; /* cudaStream_t */
    int pointer_mode, atomics_mode, math_mode, sm_count_target;
    bool anywhere; /* operands may lie in memory of the host, too (cublasXt) */
    /* How products are emulated by narrower numbers: kept and told, since products are computed in their own type here, as by a
     * card that has no use for it. */
    int emulation_strategy, special_values, mantissa_control, mantissa_bits, mantissa_offset;
    void *mantissa_used;
} blas_handle;

/* ---------------------------------------------------------------- a call */
/* A scalar of a call: its value, taken when the call is made, or its place in device memory. */
typedef struct blas_scalar {
    uint64_t device; /* 0: value holds it */
    union {
        float s[2];
        double d[2];
    } value;
} blas_scalar;

/* Several matrices or vectors of one shape: the first at address and each `stride` elements on, or (pointers) where the
 * count pointers at address in device memory point. */
typedef struct blas_operand {
    uint64_t address;
    int64_t ld;     /* of a matrix: elements from column to column; of a vector: increment */
    int64_t stride; /* elements; 0 for a single one */
    bool pointers;
    bool anywhere; /* as the handle's; blas_put() says */
} blas_operand;

typedef enum blas_type { BLAS_S, BLAS_D, BLAS_C, BLAS_Z } blas_type;

typedef struct blas_args blas_args;
typedef void (*blas_routine)(host_library *l, const blas_args *args);
struct blas_args {
    blas_routine routine;
    blas_type type;
    char trans_a, trans_b, side, uplo, diag; /* as Fortran takes them; trans 'R': conjugate, not transposed */
    bool flag;                               /* what the routine says */
    int64_t m, n, k, kl, ku;
    blas_operand a, b, c;
    int64_t batch;
    blas_scalar alpha, beta;
    int types[4];    /* cudaDataType of a, b, c and of the computation (routines of mixed types) */
    uint64_t result; /* where a scalar result goes */
    bool result_on_host;
    uint64_t extra[2];
};

extern const size_t blas_type_bytes[];
static inline bool blas_is_complex(blas_type type) { return type >= BLAS_C; }
static inline blas_type blas_real(blas_type type) { return type == BLAS_D || type == BLAS_Z ? BLAS_D : BLAS_S; }

/* ---------------------------------------------------------------- blas_core.c */
#define CUBLAS(name) int lw_cublas_##name
/* How an entry point ends: a status other than 0 becomes a finding. */
#define blas_end(status) blas_end_call(status, __func__)
int blas_end_call(int status, const char *function);
int blas_unsupported(const char *function);
const char *blas_status_name(int status);
const char *blas_status_text(int status);
/* Major, minor or patch number of the version (libraryPropertyType 0 to 2); a status. */
int blas_version_part(int which, int *out);
/* Puts a call on the handle's stream and gives the status. name: of the entry point. */
int blas_put(blas_handle *handle, const blas_args *args, const char *name);
bool blas_handle_valid(const blas_handle *handle);
blas_handle *blas_new_handle(void); /* cublasDestroy() frees it */
blas_scalar blas_scalar_of(const blas_handle *handle, const void *pointer, blas_type type);
/* The letters of the enumerations; 0 for a number that is none. */
char blas_trans(int op);
char blas_uplo(int fill);
char blas_side(int side);
char blas_diag(int diag);

/* ---------------------------------------------------------------- blas_host.c: the host's library */
typedef void (*blas_function)();
/* The Fortran routine of a name without its type's letter ("gemm"); NULL if no library is installed or it lacks it. */
blas_function blas_host(blas_type type, const char *name);
blas_function blas_host_named(const char *name); /* "isamax_" */
bool blas_host_available(void);

/* ---------------------------------------------------------------- blas_run.c: while a call runs */
/* Where scalars and operands are; NULL: the call has failed. n: number in a batch. */
const void *blas_use_scalar(host_library *l, const blas_scalar *scalar, blas_type type);
void *blas_use_matrix(host_library *l, const blas_operand *operand, int64_t n, size_t element, int64_t rows,
                      int64_t columns, host_library_access access);
void *blas_use_vector(host_library *l, const blas_operand *operand, int64_t n, size_t element, int64_t count,
                      host_library_access access);
/* Stores a scalar result of `bytes`. */
void blas_store_result(host_library *l, const blas_args *args, const void *value, size_t bytes);
bool blas_is_zero(const void *scalar, blas_type type);
bool blas_is_one(const void *scalar, blas_type type);

/* ---------------------------------------------------------------- blas_batched.c */
/* Factors of an m x n matrix without pivots, in place; *info: the first pivot that is 0, from 1, or 0. */
void blas_lu_plain(blas_type type, void *matrix, int64_t ld, int64_t m, int64_t n, int *info);

#endif
