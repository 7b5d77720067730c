/* Systems with few diagonals: cusparse<t>gtsv2 (three) and its batches, gpsvInterleavedBatch (five). They are solved by elimination with
 * row exchanges; diagonals stay as they are. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "sparse/sparse.h"

typedef double _Complex number;
enum { BELOW = 2, WIDTH = 7, DIAGONALS = 5 }; /* a row holds columns r - 2 to r + 4: exchanges fill two more */

/* Element k of system i lies `step` k + `next` i elements on. */
typedef struct spread {
    int64_t step, next;
} spread;

/* What a call knows: fields of sparse_call that mean nothing else here. */
static int64_t order_of(const sparse_call *c) { return c->count; }
static int64_t systems_of(const sparse_call *c) { return c->rows; }
static spread diagonals_of(const sparse_call *c) { return (spread){c->a.first_stride, c->a.stride}; }
static spread sides_of(const sparse_call *c) { return (spread){c->b.ld, c->b.stride}; }

static int64_t extent(const sparse_call *c, spread s)
{
    return (order_of(c) - 1) * s.step + (systems_of(c) - 1) * s.next + 1;
}

static double size_of(number x) { return cabs(x); }

/* Exchanges row r with the one below that has the greatest element in column r. */
static void exchange(number (*rows)[WIDTH], int64_t n, int64_t r, number *side)
{
    int64_t best = r;
    for (int64_t p = r + 1; p < n && p <= r + BELOW; p++)
        if (size_of(rows[p][r - p + BELOW]) > size_of(rows[best][r - best + BELOW])) best = p;
    if (best == r) return;
    number one[WIDTH] = {0}, other[WIDTH] = {0};
    for (int64_t c = r; c <= r + WIDTH - 1 - BELOW; c++) {
        int64_t in_best = c - best + BELOW;
        if (in_best < WIDTH) one[c - r + BELOW] = rows[best][in_best], other[in_best] = rows[r][c - r + BELOW];
    }
    memcpy(rows[r], one, sizeof one);
    memcpy(rows[best], other, sizeof other);
    number moved = side[r];
    side[r] = side[best];
    side[best] = moved;
}

static void solve(number (*rows)[WIDTH], int64_t n, number *side)
{
    for (int64_t r = 0; r < n; r++) {
        exchange(rows, n, r, side);
        for (int64_t p = r + 1; p < n && p <= r + BELOW; p++) {
            number factor = rows[p][r - p + BELOW] / rows[r][BELOW];
            if (factor == 0) continue;
            for (int64_t c = r; c <= r + WIDTH - 1 - BELOW; c++)
                if (c - p + BELOW < WIDTH) rows[p][c - p + BELOW] -= factor * rows[r][c - r + BELOW];
            side[p] -= factor * side[r];
        }
    }
    for (int64_t r = n - 1; r >= 0; r--) {
        for (int64_t c = r + 1; c < n && c <= r + WIDTH - 1 - BELOW; c++) side[r] -= rows[r][c - r + BELOW] * side[c];
        side[r] /= rows[r][BELOW];
    }
}

static number at(double (*values)[2], int64_t i) { return values ? values[i][0] + values[i][1] * I : 0; }

static void solve_all(const sparse_call *c, double (*const diagonals[DIAGONALS])[2], double (*sides)[2])
{
    int64_t n = order_of(c);
    number(*rows)[WIDTH] = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *rows),
    *side = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *side);
    spread in_d = diagonals_of(c), in_s = sides_of(c);
    for (int64_t i = 0; i < systems_of(c); i++) {
        memset(rows, 0, (size_t)n * sizeof *rows);
        for (int64_t r = 0; r < n; r++) {
            for (int64_t d = 0; d < DIAGONALS; d++) { /* what lies outside of the matrix counts as 0 */
                int64_t column = r + d - BELOW;
                if (column >= 0 && column < n) rows[r][d] = at(diagonals[d], r * in_d.step + i * in_d.next);
            }
            side[r] = at(sides, r * in_s.step + i * in_s.next);
        }
        solve(rows, n, side);
        for (int64_t r = 0; r < n; r++) {
            double *to = sides[r * in_s.step + i * in_s.next];
            to[0] = creal(side[r]), to[1] = cimag(side[r]);
        }
    }
    free(rows);
    free(side);
}

static void run_bands(host_library *l, sparse_call *c)
{
    const uint64_t from[DIAGONALS] = {c->a.first, c->from, c->to, c->result, c->a.second};
    double(*diagonals[DIAGONALS])[2] = {NULL}, (*sides)[2] = NULL;
    int type = c->alpha.type;
    int64_t count = extent(c, sides_of(c));
    bool ok = true;
    if (!order_of(c) || !systems_of(c)) return;
    for (int d = 0; d < DIAGONALS && ok; d++) {
        if (!from[d]) continue;
        diagonals[d] = sparse_values(l, from[d], extent(c, diagonals_of(c)), type);
        ok = diagonals[d] != NULL;
    }
    if (ok) sides = sparse_values(l, c->x.values, count, type);
    void *to = sides ? sparse_use(l, c->x.values, count, blas_element_bytes(type), HOST_LIBRARY_WRITES) : NULL;
    if (to) {
        solve_all(c, diagonals, sides);
        blas_from_work(BLAS_Z, sides, type, to, count, count, 1);
    }
    for (int d = 0; d < DIAGONALS; d++) free(diagonals[d]);
    free(sides);
}

typedef struct bands {
    const void *far_below, *below, *diagonal, *above, *far_above;
    void *sides;
    int64_t order, systems;
    spread diagonals, of_sides;
} bands;

static int put_bands(sparse_handle *h, const bands *b, int type, bool only_ask, const char *function)
{
    if (!sparse_valid(h)) return sparse_end_call(SPARSE_NOT_INITIALIZED, function);
    bool ok = b->order >= 0 && b->systems >= 0 && b->of_sides.step > 0 && b->of_sides.next >= 0;
    if (!ok) return sparse_end_call(SPARSE_INVALID_VALUE, function);
    if (only_ask) return SPARSE_OK;
    sparse_call c = {.alpha.type = type, .count = b->order, .rows = b->systems};
    c.a.first = sparse_number(b->far_below), c.from = sparse_number(b->below), c.to = sparse_number(b->diagonal);
    c.result = sparse_number(b->above), c.a.second = sparse_number(b->far_above);
    c.x.values = sparse_number(b->sides);
    c.a.first_stride = b->diagonals.step, c.a.stride = b->diagonals.next;
    c.b.ld = b->of_sides.step, c.b.stride = b->of_sides.next;
    return sparse_put(h, &c, run_bands, false, function);
}

/* ---------------------------------------------------------------- entry points; no call needs a buffer */
#define ASK(symbol, arguments, given, type)                                                                            \
    SPARSE(symbol) arguments                                                                                           \
    {                                                                                                                  \
        if (!bytes) return sparse_end(SPARSE_INVALID_VALUE);                                                           \
        *bytes = 128; /* not used; programs expect some */                                                             \
        bands b = given;                                                                                               \
        return put_bands(h, &b, type, true, __func__);                                                                 \
    }
#define DO(symbol, arguments, given, type)                                                                             \
    SPARSE(symbol) arguments                                                                                           \
    {                                                                                                                  \
        (void)buffer;                                                                                                  \
        bands b = given;                                                                                               \
        return put_bands(h, &b, type, false, __func__);                                                                \
    }
#define V const void *
#define TOGETHER                                                                                                       \
    {                                                                                                                  \
        NULL, dl, d, du, NULL, (void *)(uintptr_t)x, m, n, {1, 0}, { 1, ld }                                           \
    }
#define STRIDED                                                                                                        \
    {                                                                                                                  \
        NULL, dl, d, du, NULL, (void *)(uintptr_t)x, m, count, {1, stride}, { 1, stride }                              \
    }
#define INTERLEAVED {NULL, dl, d, du, NULL, (void *)(uintptr_t)x, m, count, {count, 1}, {count, 1}}
#define FIVE {ds, dl, d, du, dw, (void *)(uintptr_t)x, m, count, {count, 1}, {count, 1}}
#define BANDS(X, type)                                                                                                 \
    ASK(cusparse##X##gtsv2_bufferSizeExt,                                                                              \
        (sparse_handle * h, int m, int n, V dl, V d, V du, V x, int ld, size_t *bytes), TOGETHER, type)                \
    DO(cusparse##X##gtsv2, (sparse_handle * h, int m, int n, V dl, V d, V du, void *x, int ld, void *buffer),          \
       TOGETHER, type)                                                                                                 \
    ASK(cusparse##X##gtsv2_nopivot_bufferSizeExt,                                                                      \
        (sparse_handle * h, int m, int n, V dl, V d, V du, V x, int ld, size_t *bytes), TOGETHER, type)                \
    DO(cusparse##X##gtsv2_nopivot, (sparse_handle * h, int m, int n, V dl, V d, V du, void *x, int ld, void *buffer),  \
       TOGETHER, type)                                                                                                 \
    ASK(cusparse##X##gtsv2StridedBatch_bufferSizeExt,                                                                  \
        (sparse_handle * h, int m, V dl, V d, V du, V x, int count, int stride, size_t *bytes), STRIDED, type)         \
    DO(cusparse##X##gtsv2StridedBatch,                                                                                 \
       (sparse_handle * h, int m, V dl, V d, V du, void *x, int count, int stride, void *buffer), STRIDED, type)       \
    ASK(cusparse##X##gtsvInterleavedBatch_bufferSizeExt,                                                               \
        (sparse_handle * h, int algorithm __attribute__((unused)), int m, V dl, V d, V du, V x, int count,             \
         size_t *bytes),                                                                                               \
        INTERLEAVED, type)                                                                                             \
    DO(cusparse##X##gtsvInterleavedBatch,                                                                              \
       (sparse_handle * h, int algorithm __attribute__((unused)), int m, void *dl, void *d, void *du, void *x,         \
        int count, void *buffer),                                                                                      \
       INTERLEAVED, type)                                                                                              \
    ASK(cusparse##X##gpsvInterleavedBatch_bufferSizeExt,                                                               \
        (sparse_handle * h, int algorithm __attribute__((unused)), int m, V ds, V dl, V d, V du, V dw, V x, int count, \
         size_t *bytes),                                                                                               \
        FIVE, type)                                                                                                    \
    DO(cusparse##X##gpsvInterleavedBatch,                                                                              \
       (sparse_handle * h, int algorithm __attribute__((unused)), int m, void *ds, void *dl, void *d, void *du,        \
        void *dw, void *x, int count, void *buffer),                                                                   \
       FIVE, type)
BANDS(S, BLAS_R_32F)
BANDS(D, BLAS_R_64F)
BANDS(C, BLAS_C_32F)
BANDS(Z, BLAS_C_64F)
