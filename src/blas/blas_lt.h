/* blas_lt.h: cuBLASLt, matrix products with descriptors (blas_lt_desc.c, blas_lt_run.c). */
#ifndef LW_BLAS_LT_H
#define LW_BLAS_LT_H

#include "blas/blas.h"
#include "face/library.h"

#define LT(name) int lw_cublasLt_##name
#define lt_end(status) blas_lt_end(status, __func__)
extern const face_library blas_lt_library;
int blas_lt_end(int status, const char *function);

/* Descriptors are opaque to the program but for their sizes: 8 words of a layout and of a preference, 32 of a product, 8 of a
 * transform. */
enum { LT_ORDER_COLUMNS = 0, LT_ORDER_ROWS = 1 }; /* cublasLtOrder_t */
typedef struct blas_lt_layout {
    uint32_t type, order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t batch;
    uint32_t pointers; /* batch mode: addresses are of arrays of pointers */
    int64_t plane;     /* of complex numbers in two planes: bytes between them; 0: they lie together */
    uint64_t room;
} blas_lt_layout;

/* ---------------------------------------------------------------- blas_lt_matrix.c */
typedef struct blas_lt_lying { /* where a matrix lies; first: NULL if a kernel would fault there */
    void *first, *imaginary;   /* imaginary: the second plane, if there is one */
} blas_lt_lying;
bool blas_lt_is_complex(const blas_lt_layout *l);
bool blas_lt_known(const blas_lt_layout *l); /* false: not supported */
/* The i-th of a batch. */
blas_lt_lying blas_lt_use(host_library *lib, const blas_lt_layout *l, uint64_t address, int64_t i,
                          host_library_access access);
/* op(matrix), rows x columns, as dense columns of work's elements; to be freed. */
void *blas_lt_gather(blas_type work, const blas_lt_layout *l, blas_lt_lying from, int op, int64_t rows,
                     int64_t columns);
/* Dense columns into the matrix. */
void blas_lt_scatter(blas_type work, const blas_lt_layout *l, const void *dense, blas_lt_lying to);

enum { /* cublasLtMatmulMatrixScale_t: what a scale is of */
       LT_SCALES_ONE = 0,
       LT_SCALES_OUTER = 3,
       LT_SCALES_LINES = 4,
       LT_SCALES_SQUARES = 5
};
enum { /* cublasLtEpilogue_t: sums of these */
       LT_EPILOGUE_NONE = 1,
       LT_EPILOGUE_RELU = 2,
       LT_EPILOGUE_BIAS = 4,
       LT_EPILOGUE_SUMS = 16, /* D's rows, summed up, into the bias */
       LT_EPILOGUE_GELU = 32,
       LT_EPILOGUE_GELU_BACK = 64,
       LT_EPILOGUE_AUX = 128,
       LT_EPILOGUE_SUMS_A = 256, /* op(A)'s rows, summed up, into the bias */
       LT_EPILOGUE_SUMS_B = 512  /* op(B)'s columns */
};
typedef struct blas_lt_product {
    int32_t compute, scale, pointer_mode, op_a, op_b, op_c, epilogue, aux_type, bias_type, sm_count;
    int8_t fast_sum;
    uint64_t bias, aux, scales[4], largest; /* largest: where the greatest magnitude of D goes */
    int64_t bias_stride, aux_ld, aux_stride;
    uint64_t emulation; /* its descriptor: products are made in their own type */
    int32_t
        scale_modes[6]; /* cublasLtMatmulMatrixScale_t of A, B, C, D, the auxiliary matrix, D's output; 0: one float */
    uint64_t room[12];
} blas_lt_product;

/* How products are emulated by narrower numbers: kept and told. */
typedef struct blas_lt_emulation {
    int32_t strategy, special_values, control, bits, offset, zero;
    uint64_t used, room[4];
} blas_lt_emulation;

/* A way of making a product: an id, and settings that the program can choose, without effect here; by their numbers. */
enum { LT_ALGORITHM_SETTINGS = 9 };
typedef struct blas_lt_algorithm {
    uint32_t settings[LT_ALGORITHM_SETTINGS], room[16 - LT_ALGORITHM_SETTINGS];
} blas_lt_algorithm;

typedef struct blas_lt_transform {
    int32_t scale, pointer_mode, op_a, op_b;
    uint64_t room[6];
} blas_lt_transform;

#endif
