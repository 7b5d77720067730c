/* cuSPARSE against sums written out: formats, index widths, bases, types, transposes and orders; conversions there and
 * back; sparse vectors; errors. Prints what differs, and "ok sparse". */
#include <complex.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static cusparseHandle_t handle;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) failures++, printf("line %d: %s\n", __LINE__, #condition);                                   \
    } while (0)
#define OK(call) CHECK((call) == CUSPARSE_STATUS_SUCCESS)
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

/* op(triangle) x = alpha b, and the same for several right sides; the residual is looked at. */
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
    CHECK(cusparseSpMM(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, NULL, NULL, NULL,
                       NULL, NULL, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseDestroy(handle));
    CHECK(!strcmp(cusparseGetErrorName(CUSPARSE_STATUS_NOT_SUPPORTED), "CUSPARSE_STATUS_NOT_SUPPORTED"));
    if (!failures) printf("ok sparse\n");
    return failures != 0;
}
