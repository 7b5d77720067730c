/* cuSPARSE against sums written out: formats, index widths, bases, types, transposes and orders; conversions there and
 * back; sparse vectors; errors. Prints what differs, and "ok sparse". */
#include <complex.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library_test.h"

static cusparseHandle_t handle;
enum { ROWS = 7, COLUMNS = 5, WIDE = 3 };
typedef double _Complex number;

/* ---- numbers of four types ---- */
static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
static void put(int type, void *a, int i, number x)
{
    if (type == 0) ((float *)a)[i] = (float)creal(x);
    if (type == 1) ((double *)a)[i] = creal(x);
    if (type == 2) ((float _Complex *)a)[i] = (float _Complex)x;
    if (type == 3) ((number *)a)[i] = x;
}
static number get(int type, const void *a, int i)
{
    if (type == 0) return ((const float *)a)[i];
    if (type == 1) return ((const double *)a)[i];
    if (type == 2) return (number)((const float _Complex *)a)[i];
    return ((const number *)a)[i];
}
static bool near(int type, number a, number b) { return cabs(a - b) <= (type & 1 ? 1e-13 : 1e-5) * (1 + cabs(b)); }

static number some(int type, int i)
{
    double re = (i * 37 % 17 - 8) / 4.0, im = (i * 29 % 13 - 6) / 3.0;
    return type >= 2 ? re + im * I : re;
}
/* The dense matrix behind all formats: about a third of it is not 0. */
static number matrix(int type, int r, int c)
{
    int i = r * COLUMNS + c;
    return i * 7 % 3 == 1 ? some(type, i + 1) : 0;
}

static void *managed(size_t bytes)
{
    void *out;
    cudaMallocManaged(&out, bytes, 1);
    return out;
}

/* Room for any call here; sizes are asked for all the same. */
static void *buffer;
static void ask(size_t bytes) { CHECK(bytes <= 1 << 20); }

/* ---- a sparse matrix in one of its forms ---- */
typedef struct form {
    int type, format, base;
    bool wide; /* indices of 64 bits */
} form;
typedef struct sparse {
    cusparseSpMatDescr_t descriptor;
    void *first, *second, *values;
    int count;
} sparse;

static void put_index(const form *f, void *a, int i, int x)
{
    if (f->wide) ((int64_t *)a)[i] = x + f->base;
    else ((int32_t *)a)[i] = x + f->base;
}

static void create(const form *f, sparse *s, int count)
{
    cusparseIndexType_t index = f->wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexBase_t base = (cusparseIndexBase_t)f->base;
    s->count = count;
    if (f->format == CUSPARSE_FORMAT_CSR)
        OK(cusparseCreateCsr(&s->descriptor, ROWS, COLUMNS, count, s->first, s->second, s->values, index, index, base,
                             types[f->type]));
    if (f->format == CUSPARSE_FORMAT_CSC)
        OK(cusparseCreateCsc(&s->descriptor, ROWS, COLUMNS, count, s->first, s->second, s->values, index, index, base,
                             types[f->type]));
    if (f->format == CUSPARSE_FORMAT_COO)
        OK(cusparseCreateCoo(&s->descriptor, ROWS, COLUMNS, count, s->first, s->second, s->values, index, base,
                             types[f->type]));
}

static sparse fresh(const form *f)
{
    sparse s = {NULL, managed(8 * 64), managed(8 * 64), managed(16 * 64), 0};
    bool by_columns = f->format == CUSPARSE_FORMAT_CSC, coo = f->format == CUSPARSE_FORMAT_COO;
    int lines = by_columns ? COLUMNS : ROWS, length = by_columns ? ROWS : COLUMNS, k = 0;
    for (int line = 0; line < lines; line++) {
        if (!coo) put_index(f, s.first, line, k);
        for (int at = 0; at < length; at++) {
            number x = by_columns ? matrix(f->type, at, line) : matrix(f->type, line, at);
            if (x == 0) continue;
            if (coo) put_index(f, s.first, k, line);
            put_index(f, s.second, k, at);
            put(f->type, s.values, k++, x);
        }
    }
    if (!coo) put_index(f, s.first, lines, k);
    create(f, &s, k);
    return s;
}

static void destroy(sparse *s)
{
    OK(cusparseDestroySpMat(s->descriptor));
    cudaFree(s->first);
    cudaFree(s->second);
    cudaFree(s->values);
}

static number operand(int type, int op, int r, int c)
{
    number x = op == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix(type, r, c) : matrix(type, c, r);
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(x) : x;
}

/* C (by rows or columns) = alpha op(A) B + beta C, also with a single column as a product with a vector. */
static void check_product(const form *f, int op, bool by_rows)
{
    int type = f->type, m = op ? COLUMNS : ROWS, k = op ? ROWS : COLUMNS;
    sparse s = fresh(f);
    void *b = managed(16 * 64), *c = managed(16 * 64), *y = managed(16 * 64);
    cusparseDnMatDescr_t db, dc;
    cusparseDnVecDescr_t dx, dy;
    cusparseOrder_t order = by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    size_t bytes = 1;
    number alpha = some(type, 5), beta = some(type, 9);
    char alpha_at[16], beta_at[16];
    put(type, alpha_at, 0, alpha);
    put(type, beta_at, 0, beta);
    for (int i = 0; i < 64; i++)
        put(type, b, i, some(type, i + 40)), put(type, c, i, some(type, i)), put(type, y, i, some(type, i));
    OK(cusparseCreateDnMat(&db, k, WIDE, k, b, types[type], CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&dc, m, WIDE, by_rows ? WIDE : m, c, types[type], order));
    OK(cusparseCreateDnVec(&dx, k, b, types[type]));
    OK(cusparseCreateDnVec(&dy, m, y, types[type]));
    OK(cusparseSpMM_bufferSize(handle, (cusparseOperation_t)op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha_at,
                               s.descriptor, db, beta_at, dc, types[type], CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    OK(cusparseSpMM(handle, (cusparseOperation_t)op, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha_at, s.descriptor, db,
                    beta_at, dc, types[type], CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    OK(cusparseSpMV(handle, (cusparseOperation_t)op, alpha_at, s.descriptor, dx, beta_at, dy, types[type],
                    CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    cudaDeviceSynchronize();
    for (int i = 0; i < m; i++)
        for (int j = 0; j < WIDE; j++) {
            int at = by_rows ? i * WIDE + j : i + j * m;
            number sum = 0;
            for (int inner = 0; inner < k; inner++) sum += operand(type, op, i, inner) * some(type, inner + j * k + 40);
            CHECK(near(type, get(type, c, at), alpha * sum + beta * some(type, at)));
            if (!j) CHECK(near(type, get(type, y, i), alpha * sum + beta * some(type, i)));
        }
    OK(cusparseDestroyDnMat(db));
    OK(cusparseDestroyDnMat(dc));
    OK(cusparseDestroyDnVec(dx));
    OK(cusparseDestroyDnVec(dy));
    destroy(&s);
    cudaFree(b);
    cudaFree(c);
    cudaFree(y);
}

/* Sparse to dense, and dense to sparse again: the same arrays. */
static void check_conversion(const form *f, bool by_rows)
{
    sparse s = fresh(f), back = {NULL, managed(8 * 64), managed(8 * 64), managed(16 * 64), 0};
    void *dense = managed(16 * 64);
    cusparseDnMatDescr_t d;
    int64_t rows, columns, count;
    OK(cusparseCreateDnMat(&d, ROWS, COLUMNS, by_rows ? COLUMNS : ROWS, dense, types[f->type],
                           by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    OK(cusparseSparseToDense(handle, s.descriptor, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer));
    cudaDeviceSynchronize();
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            CHECK(near(f->type, get(f->type, dense, by_rows ? r * COLUMNS + c : r + c * ROWS), matrix(f->type, r, c)));
    create(f, &back, 0);
    OK(cusparseDenseToSparse_analysis(handle, d, back.descriptor, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    OK(cusparseSpMatGetSize(back.descriptor, &rows, &columns, &count));
    CHECK(rows == ROWS && columns == COLUMNS && count == s.count);
    OK(cusparseDenseToSparse_convert(handle, d, back.descriptor, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
    cudaDeviceSynchronize();
    size_t index = f->wide ? 8 : 4;
    int firsts = f->format == CUSPARSE_FORMAT_COO ? s.count : (f->format == CUSPARSE_FORMAT_CSC ? COLUMNS : ROWS) + 1;
    CHECK(!memcmp(s.first, back.first, index * (size_t)firsts) &&
          !memcmp(s.second, back.second, index * (size_t)s.count));
    for (int k = 0; k < s.count; k++) CHECK(get(f->type, s.values, k) == get(f->type, back.values, k));
    OK(cusparseDestroyDnMat(d));
    destroy(&s);
    destroy(&back);
    cudaFree(dense);
}

/* The older calls: rows to offsets and back, and CSR to CSC. */
static void check_indices(int base)
{
    form csr = {1, CUSPARSE_FORMAT_CSR, base, false}, csc = {1, CUSPARSE_FORMAT_CSC, base, false},
         coo = {1, CUSPARSE_FORMAT_COO, base, false};
    sparse a = fresh(&csr), b = fresh(&csc), c = fresh(&coo);
    int *out = managed(4 * 64), *rows = managed(4 * 64);
    double *values = managed(8 * 64);
    OK(cusparseXcoo2csr(handle, c.first, c.count, ROWS, out, (cusparseIndexBase_t)base));
    cudaDeviceSynchronize();
    CHECK(!memcmp(out, a.first, (ROWS + 1) * 4));
    OK(cusparseXcsr2coo(handle, a.first, a.count, ROWS, out, (cusparseIndexBase_t)base));
    cudaDeviceSynchronize();
    CHECK(!memcmp(out, c.first, (size_t)c.count * 4));
    OK(cusparseCsr2cscEx2(handle, ROWS, COLUMNS, a.count, a.values, a.first, a.second, values, out, rows, CUDA_R_64F,
                          CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base, CUSPARSE_CSR2CSC_ALG1, buffer));
    cudaDeviceSynchronize();
    CHECK(!memcmp(out, b.first, (COLUMNS + 1) * 4) && !memcmp(rows, b.second, (size_t)b.count * 4));
    CHECK(!memcmp(values, b.values, (size_t)b.count * 8));
    sparse *all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) destroy(all[i]);
    cudaFree(out);
    cudaFree(rows);
    cudaFree(values);
}

/* op(triangle) y = alpha b of one right side: equal to what was solved for several. */
static void check_vector_solve(int type, cusparseOperation_t op, cusparseSpMatDescr_t m, const void *alpha, void *b,
                               const void *solved, int n)
{
    void *y = managed((size_t)n * 16);
    cusparseDnVecDescr_t db, dy;
    cusparseSpSVDescr_t solver;
    size_t bytes;
    OK(cusparseCreateDnVec(&db, n, b, types[type]));
    OK(cusparseCreateDnVec(&dy, n, y, types[type]));
    OK(cusparseSpSV_createDescr(&solver));
    OK(cusparseSpSV_bufferSize(handle, op, alpha, m, db, dy, types[type], CUSPARSE_SPSV_ALG_DEFAULT, solver, &bytes));
    ask(bytes);
    OK(cusparseSpSV_analysis(handle, op, alpha, m, db, dy, types[type], CUSPARSE_SPSV_ALG_DEFAULT, solver, buffer));
    OK(cusparseSpSV_solve(handle, op, alpha, m, db, dy, types[type], CUSPARSE_SPSV_ALG_DEFAULT, solver));
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++) CHECK(get(type, y, i) == get(type, solved, i));
    OK(cusparseSpSV_destroyDescr(solver));
    OK(cusparseDestroyDnVec(db));
    OK(cusparseDestroyDnVec(dy));
    cudaFree(y);
}

/* op(triangle) x = alpha b for several right sides; the residual is looked at. */
static void check_solve(int type, bool upper, int op, bool unit)
{
    enum { N = 4 };
    int *offsets = managed(4 * (N + 1)), *columns = managed(4 * N * N);
    void *values = managed(16 * N * N), *b = managed(16 * N * 2), *x = managed(16 * N * 2);
    char two[16];
    cusparseSpMatDescr_t m;
    cusparseDnMatDescr_t db, dx;
    cusparseSpSMDescr_t solver;
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    size_t bytes;
    put(type, two, 0, 2);
    for (int i = 0; i < N * N; i++) columns[i] = i % N, put(type, values, i, some(type, i + 3) + (i % (N + 1) ? 0 : 9));
    for (int i = 0; i <= N; i++) offsets[i] = i * N;
    for (int i = 0; i < 2 * N; i++) put(type, b, i, some(type, i));
    OK(cusparseCreateCsr(&m, N, N, N * N, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, types[type]));
    OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    OK(cusparseSpMatSetAttribute(m, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
    OK(cusparseCreateDnMat(&db, N, 2, N, b, types[type], CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&dx, N, 2, N, x, types[type], CUSPARSE_ORDER_COL));
    OK(cusparseSpSM_createDescr(&solver));
    OK(cusparseSpSM_bufferSize(handle, (cusparseOperation_t)op, CUSPARSE_OPERATION_NON_TRANSPOSE, two, m, db, dx,
                               types[type], CUSPARSE_SPSM_ALG_DEFAULT, solver, &bytes));
    ask(bytes);
    OK(cusparseSpSM_analysis(handle, (cusparseOperation_t)op, CUSPARSE_OPERATION_NON_TRANSPOSE, two, m, db, dx,
                             types[type], CUSPARSE_SPSM_ALG_DEFAULT, solver, buffer));
    OK(cusparseSpSM_solve(handle, (cusparseOperation_t)op, CUSPARSE_OPERATION_NON_TRANSPOSE, two, m, db, dx,
                          types[type], CUSPARSE_SPSM_ALG_DEFAULT, solver));
    cudaDeviceSynchronize();
    for (int j = 0; j < 2; j++)
        for (int r = 0; r < N; r++) {
            number sum = 0;
            for (int c = 0; c < N; c++) {
                int row = op ? c : r, column = op ? r : c;
                number value = get(type, values, row * N + column);
                if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) value = conj(value);
                if (row == column && unit) value = 1;
                if (row == column || (upper ? column > row : column < row)) sum += value * get(type, x, c + j * N);
            }
            CHECK(near(type, sum, 2 * get(type, b, r + j * N)));
        }
    check_vector_solve(type, (cusparseOperation_t)op, m, two, b, x, N);
    OK(cusparseSpSM_destroyDescr(solver));
    OK(cusparseDestroySpMat(m));
    OK(cusparseDestroyDnMat(db));
    OK(cusparseDestroyDnMat(dx));
    void *all[] = {offsets, columns, values, b, x};
    for (int i = 0; i < 5; i++) cudaFree(all[i]);
}

/* A full matrix: the product of its factors is the matrix. And one whose second pivot becomes zero. */
static void check_factors(void)
{
    enum { N = 3 };
    static const double matrices[2][N * N] = {{4, 1, 2, 1, 5, 3, 2, 1, 6}, {1, 2, 0, 2, 4, 1, 0, 1, 1}};
    int *offsets = managed(4 * (N + 1)), *columns = managed(4 * N * N), place;
    double *values = managed(8 * N * N);
    cusparseMatDescr_t descriptor;
    csrilu02Info_t info;
    OK(cusparseCreateMatDescr(&descriptor));
    OK(cusparseCreateCsrilu02Info(&info));
    for (int i = 0; i < N * N; i++) columns[i] = i % N;
    for (int i = 0; i <= N; i++) offsets[i] = i * N;
    for (int which = 0; which < 2; which++) {
        memcpy(values, matrices[which], 8 * N * N);
        OK(cusparseDcsrilu02_analysis(handle, N, N * N, descriptor, values, offsets, columns, info,
                                      CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
        OK(cusparseDcsrilu02(handle, N, N * N, descriptor, values, offsets, columns, info,
                             CUSPARSE_SOLVE_POLICY_NO_LEVEL, buffer));
        cusparseStatus_t status = cusparseXcsrilu02_zeroPivot(handle, info, &place);
        CHECK(which ? status == CUSPARSE_STATUS_ZERO_PIVOT && place == 1
                    : status == CUSPARSE_STATUS_SUCCESS && place == -1);
        for (int i = 0; !which && i < N * N; i++) {
            double sum = 0;
            for (int k = 0; k <= i / N && k <= i % N; k++)
                sum += (k == i / N ? 1 : values[i / N * N + k]) * values[k * N + i % N];
            CHECK(near(1, sum, matrices[0][i]));
        }
    }
    OK(cusparseDestroyCsrilu02Info(info));
    OK(cusparseDestroyMatDescr(descriptor));
    cudaFree(offsets);
    cudaFree(columns);
    cudaFree(values);
}

static void check_vectors(int type)
{
    enum { SIZE = 10, COUNT = 4 };
    static const int places[COUNT] = {1, 3, 4, 9};
    int *indices = managed(sizeof places);
    void *x = managed(16 * COUNT), *y = managed(16 * SIZE);
    char two[16], result[16];
    cusparseSpVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    number dot = 0;
    memcpy(indices, places, sizeof places);
    put(type, two, 0, 2);
    for (int i = 0; i < COUNT; i++)
        put(type, x, i, some(type, i + 3)), dot += some(type, i + 3) * some(type, places[i]);
    for (int i = 0; i < SIZE; i++) put(type, y, i, some(type, i));
    OK(cusparseCreateSpVec(&dx, SIZE, COUNT, indices, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, types[type]));
    OK(cusparseCreateDnVec(&dy, SIZE, y, types[type]));
    OK(cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, dx, dy, result, types[type], buffer));
    CHECK(near(type, get(type, result, 0), dot));
    OK(cusparseAxpby(handle, two, dx, two, dy));
    cudaDeviceSynchronize();
    CHECK(near(type, get(type, y, 3), 2 * some(type, 3) + 2 * some(type, 4)) &&
          near(type, get(type, y, 2), 2 * some(type, 2)));
    OK(cusparseScatter(handle, dx, dy));
    OK(cusparseGather(handle, dy, dx));
    cudaDeviceSynchronize();
    for (int i = 0; i < COUNT; i++)
        CHECK(get(type, y, places[i]) == get(type, x, i) && near(type, get(type, x, i), some(type, i + 3)));
    OK(cusparseDestroySpVec(dx));
    OK(cusparseDestroyDnVec(dy));
    cudaFree(indices);
    cudaFree(x);
    cudaFree(y);
}

/* ---- A times its transpose, in one go and in steps that are repeated; the transpose is A by columns, read by rows ---- */
typedef struct pair {
    sparse a, by_columns;
    cusparseSpMatDescr_t turned, product;
    void *offsets, *columns, *values;
} pair;

static pair pair_of(int type, int base)
{
    form rows = {type, CUSPARSE_FORMAT_CSR, base, false}, columns = {type, CUSPARSE_FORMAT_CSC, base, false};
    pair p = {fresh(&rows), fresh(&columns), NULL, NULL, managed(8 * 64), managed(8 * 64), managed(16 * 64)};
    OK(cusparseCreateCsr(&p.turned, COLUMNS, ROWS, p.by_columns.count, p.by_columns.first, p.by_columns.second,
                         p.by_columns.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base,
                         types[type]));
    OK(cusparseCreateCsr(&p.product, ROWS, ROWS, 0, p.offsets, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         (cusparseIndexBase_t)base, types[type]));
    return p;
}

static void drop_pair(pair *p)
{
    OK(cusparseDestroySpMat(p->turned));
    OK(cusparseDestroySpMat(p->product));
    destroy(&p->a);
    destroy(&p->by_columns);
    cudaFree(p->offsets);
    cudaFree(p->columns);
    cudaFree(p->values);
}

/* The product's elements are those where a sum has terms, by rows, columns ascending. */
static void check_pair(const pair *p, int type, int base, number alpha)
{
    const int *offsets = p->offsets, *columns = p->columns;
    int k = 0;
    for (int i = 0; i < ROWS; i++) {
        CHECK(offsets[i] == k + base);
        for (int j = 0; j < ROWS; j++) {
            number sum = 0;
            int terms = 0;
            for (int c = 0; c < COLUMNS; c++) {
                sum += matrix(type, i, c) * matrix(type, j, c);
                terms += matrix(type, i, c) != 0 && matrix(type, j, c) != 0;
            }
            if (!terms) continue;
            CHECK(columns[k] == j + base && near(type, get(type, p->values, k), alpha * sum));
            k++;
        }
    }
    CHECK(offsets[ROWS] == k + base);
}

static void check_square(int type, int base, bool in_steps)
{
    const cusparseOperation_t n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    pair p = pair_of(type, base);
    cusparseSpGEMMDescr_t d;
    char alpha[16], beta[16];
    size_t bytes = 0, other = 0, third = 0;
    int64_t rows, columns, count, products = 0;
    put(type, alpha, 0, some(type, 5));
    put(type, beta, 0, 0);
    OK(cusparseSpGEMM_createDescr(&d));
    cusparseSpMatDescr_t a = p.a.descriptor;
    if (in_steps) {
        OK(cusparseSpGEMMreuse_workEstimation(handle, n, n, a, p.turned, p.product, algorithm, d, &bytes, NULL));
        ask(bytes);
        OK(cusparseSpGEMMreuse_nnz(handle, n, n, a, p.turned, p.product, algorithm, d, &bytes, NULL, &other, NULL,
                                   &third, NULL));
        OK(cusparseSpGEMMreuse_nnz(handle, n, n, a, p.turned, p.product, algorithm, d, &bytes, buffer, &other, buffer,
                                   &third, buffer));
    } else {
        OK(cusparseSpGEMM_workEstimation(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm, d,
                                         &bytes, NULL));
        OK(cusparseSpGEMM_workEstimation(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm, d,
                                         &bytes, buffer));
        OK(cusparseSpGEMM_getNumProducts(d, &products));
        CHECK(products >= p.a.count);
        OK(cusparseSpGEMM_compute(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm, d, &bytes,
                                  NULL));
        OK(cusparseSpGEMM_compute(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm, d, &bytes,
                                  buffer));
    }
    OK(cusparseSpMatGetSize(p.product, &rows, &columns, &count));
    CHECK(rows == ROWS && columns == ROWS && count > 0 && count <= ROWS * ROWS);
    OK(cusparseCsrSetPointers(p.product, p.offsets, p.columns, p.values));
    if (in_steps) {
        OK(cusparseSpGEMMreuse_copy(handle, n, n, a, p.turned, p.product, algorithm, d, &bytes, NULL));
        OK(cusparseSpGEMMreuse_copy(handle, n, n, a, p.turned, p.product, algorithm, d, &bytes, buffer));
        for (int again = 0; again < 2; again++)
            OK(cusparseSpGEMMreuse_compute(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm,
                                           d));
    } else OK(cusparseSpGEMM_copy(handle, n, n, alpha, a, p.turned, beta, p.product, types[type], algorithm, d));
    cudaDeviceSynchronize();
    check_pair(&p, type, base, some(type, 5));
    CHECK(cusparseSpGEMM_copy(handle, CUSPARSE_OPERATION_TRANSPOSE, n, alpha, a, p.turned, beta, p.product, types[type],
                              algorithm, d) == CUSPARSE_STATUS_NOT_SUPPORTED);
    OK(cusparseSpGEMM_destroyDescr(d));
    drop_pair(&p);
}

/* A matrix that is said to have more elements than its offsets lead to, as in NVIDIA's sample of SpGEMM: the rest is not read. */
static void check_surplus(void)
{
    const cusparseOperation_t n = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpGEMMAlg_t algorithm = CUSPARSE_SPGEMM_DEFAULT;
    int *offsets = managed(4 * 4), *columns = managed(4 * 8), *to = managed(4 * 4), *to_columns = managed(4 * 8);
    double *values = managed(8 * 8), *to_values = managed(8 * 8), one = 1, zero = 0;
    cusparseSpMatDescr_t a, c;
    cusparseSpGEMMDescr_t d;
    size_t bytes;
    int64_t rows, width, count;
    for (int i = 0; i < 3; i++)
        offsets[i + 1] = i + 1, columns[i] = 2 - i, values[i] = i + 1; /* 1 2 3 on the other diagonal */
    columns[3] = 0, values[3] = 1000;
    OK(cusparseCreateCsr(&a, 3, 3, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    OK(cusparseCreateCsr(&c, 3, 3, 0, to, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                         CUDA_R_64F));
    OK(cusparseSpGEMM_createDescr(&d));
    OK(cusparseSpGEMM_workEstimation(handle, n, n, &one, a, a, &zero, c, CUDA_R_64F, algorithm, d, &bytes, NULL));
    ask(bytes);
    OK(cusparseSpGEMM_workEstimation(handle, n, n, &one, a, a, &zero, c, CUDA_R_64F, algorithm, d, &bytes, buffer));
    OK(cusparseSpGEMM_compute(handle, n, n, &one, a, a, &zero, c, CUDA_R_64F, algorithm, d, &bytes, buffer));
    OK(cusparseSpMatGetSize(c, &rows, &width, &count));
    CHECK(count == 3);
    OK(cusparseCsrSetPointers(c, to, to_columns, to_values));
    OK(cusparseSpGEMM_copy(handle, n, n, &one, a, a, &zero, c, CUDA_R_64F, algorithm, d));
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++) CHECK(to_columns[i] == i && to_values[i] == (i + 1) * (3 - i));
    OK(cusparseSpGEMM_destroyDescr(d));
    OK(cusparseDestroySpMat(a));
    OK(cusparseDestroySpMat(c));
    void *all[] = {offsets, columns, to, to_columns, values, to_values};
    for (int i = 0; i < 6; i++) cudaFree(all[i]);
}

/* alpha A + beta B, B being A by other values and without every second element. */
static void check_sum(int base)
{
    form f = {1, CUSPARSE_FORMAT_CSR, base, false};
    sparse a = fresh(&f);
    double alpha = 2, beta = 3, *b = managed(64 * 8), *values = managed(64 * 8);
    int *offsets_b = managed(4 * 64), *columns_b = managed(4 * 64), *offsets = managed(4 * 64),
        *columns = managed(4 * 64);
    int total = 0, k = 0;
    size_t bytes;
    for (int r = 0; r < ROWS; r++) {
        offsets_b[r] = k + base;
        for (int c = r % 2; c < COLUMNS; c += 2) columns_b[k] = c + base, b[k++] = r - c;
    }
    offsets_b[ROWS] = k + base;
    cusparseMatDescr_t d;
    OK(cusparseCreateMatDescr(&d));
    OK(cusparseSetMatIndexBase(d, (cusparseIndexBase_t)base));
    OK(cusparseDcsrgeam2_bufferSizeExt(handle, ROWS, COLUMNS, &alpha, d, a.count, a.values, a.first, a.second, &beta, d,
                                       k, b, offsets_b, columns_b, d, values, offsets, columns, &bytes));
    ask(bytes);
    OK(cusparseXcsrgeam2Nnz(handle, ROWS, COLUMNS, d, a.count, a.first, a.second, d, k, offsets_b, columns_b, d,
                            offsets, &total, buffer));
    OK(cusparseDcsrgeam2(handle, ROWS, COLUMNS, &alpha, d, a.count, a.values, a.first, a.second, &beta, d, k, b,
                         offsets_b, columns_b, d, values, offsets, columns, buffer));
    cudaDeviceSynchronize();
    int at = 0;
    for (int r = 0; r < ROWS; r++) {
        CHECK(offsets[r] == at + base);
        for (int c = 0; c < COLUMNS; c++) {
            bool in_b = (r + c) % 2 == 0, in_a = matrix(1, r, c) != 0;
            if (!in_a && !in_b) continue;
            CHECK(columns[at] == c + base && near(1, values[at], 2 * matrix(1, r, c) + (in_b ? 3 * (r - c) : 0)));
            at++;
        }
    }
    CHECK(at == total && offsets[ROWS] == total + base);
    OK(cusparseDestroyMatDescr(d));
    destroy(&a);
    void *all[] = {b, values, offsets_b, columns_b, offsets, columns};
    for (int i = 0; i < 6; i++) cudaFree(all[i]);
}

/* C = alpha (op(A) op(B)) where C has elements, + beta C, in a batch of two with one pattern. */
static void check_sampled(int type, int op_a, int op_b)
{
    form f = {type, CUSPARSE_FORMAT_CSR, 1, false};
    sparse s = fresh(&f);
    void *a = managed(16 * 128), *b = managed(16 * 128);
    char alpha[16], beta[16];
    cusparseDnMatDescr_t da, db;
    size_t bytes = 1;
    int rows_a = op_a ? WIDE : ROWS, rows_b = op_b ? COLUMNS : WIDE;
    for (int i = 0; i < 128; i++) put(type, a, i, some(type, i + 3)), put(type, b, i, some(type, i + 8));
    for (int k = 0; k < s.count; k++) put(type, s.values, s.count + k, some(type, k));
    put(type, alpha, 0, some(type, 5)), put(type, beta, 0, some(type, 9));
    OK(cusparseCreateDnMat(&da, rows_a, op_a ? ROWS : WIDE, rows_a, a, types[type], CUSPARSE_ORDER_COL));
    OK(cusparseCreateDnMat(&db, rows_b, op_b ? WIDE : COLUMNS, rows_b, b, types[type], CUSPARSE_ORDER_COL));
    OK(cusparseDnMatSetStridedBatch(da, 2, 40));
    OK(cusparseDnMatSetStridedBatch(db, 2, 50));
    OK(cusparseCsrSetStridedBatch(s.descriptor, 2, 0, s.count));
    memcpy((int *)s.second + s.count, s.second, 4 * (size_t)s.count);
    OK(cusparseSDDMM_bufferSize(handle, (cusparseOperation_t)op_a, (cusparseOperation_t)op_b, alpha, da, db, beta,
                                s.descriptor, types[type], CUSPARSE_SDDMM_ALG_DEFAULT, &bytes));
    ask(bytes);
    OK(cusparseSDDMM(handle, (cusparseOperation_t)op_a, (cusparseOperation_t)op_b, alpha, da, db, beta, s.descriptor,
                     types[type], CUSPARSE_SDDMM_ALG_DEFAULT, buffer));
    cudaDeviceSynchronize();
    for (int batch = 0; batch < 2; batch++)
        for (int r = 0, k = 0; r < ROWS; r++)
            for (int c = 0; c < COLUMNS; c++) {
                if (matrix(type, r, c) == 0) continue;
                number sum = 0, old = batch ? some(type, k) : matrix(type, r, c);
                for (int i = 0; i < WIDE; i++) {
                    number x = some(type, (op_a ? i + r * WIDE : r + i * ROWS) + 40 * batch + 3);
                    number y = some(type, (op_b ? c + i * COLUMNS : i + c * WIDE) + 50 * batch + 8);
                    sum += (op_a == 2 ? conj(x) : x) * (op_b == 2 ? conj(y) : y);
                }
                CHECK(near(type, get(type, s.values, batch * s.count + k), some(type, 5) * sum + some(type, 9) * old));
                k++;
            }
    OK(cusparseDestroyDnMat(da));
    OK(cusparseDestroyDnMat(db));
    destroy(&s);
    cudaFree(a);
    cudaFree(b);
}

/* Elements counted by rows and columns, and put in order with a permutation. */
static void check_order(int base)
{
    form f = {0, CUSPARSE_FORMAT_CSR, base, false}, g = {0, CUSPARSE_FORMAT_COO, base, false};
    sparse s = fresh(&f), coo = fresh(&g);
    float *dense = managed(4 * 64);
    int *counts = managed(4 * 64), *moved = managed(4 * 64), total = 0, *columns = s.second;
    cusparseMatDescr_t d;
    OK(cusparseCreateMatDescr(&d));
    OK(cusparseSetMatIndexBase(d, (cusparseIndexBase_t)base));
    for (int i = 0; i < ROWS * COLUMNS; i++) put(0, dense, i, matrix(0, i % ROWS, i / ROWS));
    for (int by_columns = 0; by_columns < 2; by_columns++) {
        OK(cusparseSnnz(handle, by_columns ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW, ROWS, COLUMNS, d,
                        dense, ROWS, counts, &total));
        cudaDeviceSynchronize();
        CHECK(total == s.count);
        for (int line = 0; line < (by_columns ? COLUMNS : ROWS); line++) {
            int want = 0;
            for (int at = 0; at < (by_columns ? ROWS : COLUMNS); at++)
                want += (by_columns ? matrix(0, at, line) : matrix(0, line, at)) != 0;
            CHECK(counts[line] == want);
        }
    }
    OK(cusparseCreateIdentityPermutation(handle, s.count, moved));
    cudaDeviceSynchronize();
    const int *first = s.first;
    for (int r = 0; r < ROWS; r++) /* each row turned round */
        for (int i = first[r] - base, j = first[r + 1] - base - 1; i < j; i++, j--) {
            int column = columns[i];
            columns[i] = columns[j], columns[j] = column;
        }
    OK(cusparseXcsrsort(handle, ROWS, COLUMNS, s.count, d, s.first, columns, moved, buffer));
    cudaDeviceSynchronize();
    for (int r = 0; r < ROWS; r++)
        for (int k = first[r] - base; k < first[r + 1] - base; k++) {
            CHECK(k == first[r] - base || columns[k] > columns[k - 1]);
            CHECK(moved[k] == first[r] - base + first[r + 1] - base - 1 - k);
        }
    OK(cusparseCreateIdentityPermutation(handle, coo.count, moved));
    OK(cusparseXcoosortByColumn(handle, ROWS, COLUMNS, coo.count, coo.first, coo.second, moved, buffer));
    cudaDeviceSynchronize();
    const int *rows = coo.first;
    columns = coo.second;
    for (int k = 1; k < coo.count; k++)
        CHECK(columns[k] > columns[k - 1] || (columns[k] == columns[k - 1] && rows[k] > rows[k - 1]));
    for (int k = 0; k < coo.count; k++)
        CHECK(get(0, coo.values, moved[k]) == matrix(0, rows[k] - base, columns[k] - base));
    OK(cusparseDestroyMatDescr(d));
    destroy(&s);
    destroy(&coo);
    cudaFree(dense);
    cudaFree(counts);
    cudaFree(moved);
}

int main(void)
{
    OK(cusparseCreate(&handle));
    buffer = managed(1 << 20);
    for (int bits = 0; bits < 48; bits++) {
        form f = {bits & 3, 1 + bits / 16, bits >> 2 & 1, bits >> 3 & 1};
        for (int op = 0; op < (f.type < 2 ? 2 : 3); op++) check_product(&f, op, bits & 1); /* real: not conjugated */
        check_conversion(&f, bits & 1);
    }
    check_indices(0);
    check_indices(1);
    for (int type = 0; type < 4; type++) check_vectors(type);
    for (int bits = 0; bits < 16; bits++)
        for (int op = 0; op < (bits & 2 ? 3 : 2); op++) check_solve(bits & 3, bits & 4, op, bits & 8);
    check_factors();
    for (int bits = 0; bits < 16; bits++) check_square(bits & 3, bits >> 2 & 1, bits & 8);
    for (int type = 0; type < 4; type++)
        for (int op = 0; op < (type & 2 ? 3 : 2); op++) check_sampled(type, op, (op + type) % (type & 2 ? 3 : 2));
    for (int base = 0; base < 2; base++) check_sum(base), check_order(base);
    check_surplus();
    CHECK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, NULL, NULL, NULL,
                       NULL, NULL, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseDestroy(handle));
    CHECK(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_NOT_SUPPORTED), "CUSPARSE_STATUS_NOT_SUPPORTED"));
    if (!failures) printf("ok sparse\n");
    return failures != 0;
}
