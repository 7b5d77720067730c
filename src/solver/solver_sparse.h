/* solver_sparse.h: sparse linear systems on the host: L U of A(P, Q), column by column, in double precision complex numbers. All that
 * cuSOLVER has for sparse matrices (L U, Q R, Cholesky) is solved with it (solver_sparse.c). */
#ifndef LW_SOLVER_SPARSE_H
#define LW_SOLVER_SPARSE_H

#include "blas/blas.h"

typedef double sparse_value[2];

/* A square matrix by rows; indices begin at base. */
typedef struct solver_rows {
    int n, base;
    const int *offsets, *columns;
    const void *values; /* of `type`; NULL: the pattern alone is asked for */
    blas_type type;
    double shift; /* the matrix is A - shift I */
} solver_rows;

typedef enum solver_pivots {
    SOLVER_PIVOTS_GREATEST, /* the greatest of a column, the diagonal where it is as great as any times `threshold` */
    SOLVER_PIVOTS_DIAGONAL, /* positive ones on the diagonal: Cholesky's */
    SOLVER_PIVOTS_GIVEN     /* rows in the order of `rows` */
} solver_pivots;

typedef struct solver_column {
    int count, room;
    int *rows;
    sparse_value *values;
} solver_column;

/* P A Q = L U; L has ones on its diagonal, which are not stored. rows[k]: row of A that is the k-th of L U; order[k]: its column. */
typedef struct solver_factors {
    int n, zero; /* zero: number of the first pivot that is not greater than the tolerance, or -1 */
    int *rows, *order;
    solver_column *lower, *upper; /* by columns: of L rows of A, of U numbers below k and at the end k itself */
} solver_factors;

typedef struct solver_descriptor { /* cusparseMatDescr_t: a few numbers */
    int Type, FillMode, DiagType, IndexBase;
} solver_descriptor;

/* What the steps of a solution keep: a copy of the matrix (Q R), its factors. */
typedef struct solver_steps {
    int *offsets, *columns;
    void *values;
    solver_rows rows;
    solver_factors factors;
} solver_steps;

bool solver_rows_valid(const solver_rows *m); /* all indices are inside */
/* order: of the columns, NULL: as they lie. rows: with SOLVER_PIVOTS_GIVEN. To be freed by solver_forget_factors(). */
void solver_factor(const solver_rows *m, solver_pivots how, double threshold, double tolerance, const int *order,
                   const int *rows, solver_factors *out);
void solver_forget_factors(solver_factors *f);
/* x = solution for b, arrays of `type`. */
void solver_substitute(const solver_factors *f, blas_type type, const void *b, void *x);
/* Reverse Cuthill and McKee's order of a pattern, taken as symmetric; n numbers to out. */
void solver_order(const solver_rows *m, int *out);
/* rows[column]: rows so that no diagonal element is missing; gives how many were found. */
int solver_match(const solver_rows *m, int *rows);

#endif
