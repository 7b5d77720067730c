/* cusolverMg: matrices whose columns lie in turns on several devices, a tile of columns on each. All devices share one address
 * space here: a call gathers the matrix, computes it as a whole and puts it back. It is waited for, as on a card; what it tells
 * (info, eigenvalues) goes to memory of the host. */
#include <stdlib.h>
#include <string.h>

#include "face/face.h"
#include "solver/solver_entry.h"

#define ONE ((size_t)1) /* length of a character, as Fortran passes it */
#define MG(name) int lw_cusolverMg_##name
#define mg_end(status) mg_end_call(status, __func__)

enum { MOST_DEVICES = 16, MG_MAGIC = 0x6c776d67, GRID_MAGIC, MATRIX_MAGIC };

typedef struct mg_handle {
    uint32_t magic;
    int devices; /* 0: none were selected */
    int device[MOST_DEVICES];
} mg_handle;

typedef struct mg_grid {
    uint32_t magic;
    int devices;
} mg_grid;

typedef struct mg_matrix {
    uint32_t magic;
    int devices;
    int64_t rows, columns, tile; /* columns of a tile */
    blas_type type;
} mg_matrix;

/* A part of a distributed matrix: `rows` by `columns` from (row, column), counted from 0. */
typedef struct part {
    mg_matrix whole;
    uint64_t at[MOST_DEVICES];
    int64_t row, column, rows, columns;
    size_t element;
} part;

typedef struct mg_call {
    void (*work)(host_library *l, const struct mg_call *c);
    blas_type type;
    char uplo, trans, job;
    part a, b, pivots;
    void *values; /* of the host */
    int *info;
} mg_call;

static const face_library library = {"lw_cusolverMg_", solver_status_name, SOLVER_NOT_SUPPORTED,
                                     SOLVER_EXECUTION_FAILED};

static int mg_end_call(int status, const char *function) { return face_library_end(&library, status, function); }
int solver_mg_unsupported(const char *function)
{
    return mg_end_call(face_library_unsupported(&library, function), function);
}

/* ---------------------------------------------------------------- handles, grids, descriptors */
MG(cusolverMgCreate)(mg_handle **out)
{
    if (!out) return mg_end(SOLVER_INVALID_VALUE);
    if (!blas_host_available()) return mg_end(SOLVER_NOT_INITIALIZED);
    *out = lw_alloc(sizeof **out);
    **out = (mg_handle){.magic = MG_MAGIC};
    return SOLVER_OK;
}

MG(cusolverMgDestroy)(mg_handle *h)
{
    if (!h || h->magic != MG_MAGIC) return mg_end(SOLVER_NOT_INITIALIZED);
    h->magic = 0;
    free(h);
    return SOLVER_OK;
}

static bool devices_exist(int count, const int *devices)
{
    if (count < 1 || count > MOST_DEVICES || !devices) return false;
    for (int i = 0; i < count; i++)
        if (devices[i] < 0 || devices[i] >= (int)host_device_count(host_get())) return false;
    return true;
}

MG(cusolverMgDeviceSelect)(mg_handle *h, int count, const int *devices)
{
    if (!h || h->magic != MG_MAGIC) return mg_end(SOLVER_NOT_INITIALIZED);
    if (!devices_exist(count, devices)) return mg_end(SOLVER_INVALID_VALUE);
    h->devices = count;
    memcpy(h->device, devices, (size_t)count * sizeof *devices);
    return SOLVER_OK;
}

/* One row of devices, as on a card. */
MG(cusolverMgCreateDeviceGrid)(mg_grid **out, int rows, int columns, const int *devices, int mapping)
{
    if (!out || rows != 1 || mapping < 0 || mapping > 1 || !devices_exist(columns, devices))
        return mg_end(SOLVER_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    **out = (mg_grid){GRID_MAGIC, columns};
    return SOLVER_OK;
}

MG(cusolverMgDestroyGrid)(mg_grid *g)
{
    if (!g || g->magic != GRID_MAGIC) return mg_end(SOLVER_INVALID_VALUE);
    g->magic = 0;
    free(g);
    return SOLVER_OK;
}

static bool type_of(int data_type, blas_type *out)
{
    switch (data_type) { /* cudaDataType */
    case 0: *out = BLAS_S; return true;
    case 1: *out = BLAS_D; return true;
    case 4: *out = BLAS_C; return true;
    case 5: *out = BLAS_Z; return true;
    default: return false;
    }
}

/* Tiles hold whole columns. */
MG(cusolverMgCreateMatrixDesc)(mg_matrix **out, int64_t rows, int64_t columns, int64_t tile_rows, int64_t tile_columns,
                               int data_type, const mg_grid *grid)
{
    blas_type type;
    if (!out || !grid || grid->magic != GRID_MAGIC || rows < 0 || columns < 0 || tile_rows != rows ||
        tile_columns < 1 || !type_of(data_type, &type))
        return mg_end(SOLVER_INVALID_VALUE);
    *out = lw_alloc(sizeof **out);
    **out = (mg_matrix){MATRIX_MAGIC, grid->devices, rows, columns, tile_columns, type};
    return SOLVER_OK;
}

MG(cusolverMgDestroyMatrixDesc)(mg_matrix *m)
{
    if (!m || m->magic != MATRIX_MAGIC) return mg_end(SOLVER_INVALID_VALUE);
    m->magic = 0;
    free(m);
    return SOLVER_OK;
}

/* ---------------------------------------------------------------- parts of distributed matrices */
/* first_row, first_column: counted from 1. False: there is no such part. */
static bool new_part(part *out, const mg_matrix *m, void *const *arrays, int first_row, int first_column, int64_t rows,
                     int64_t columns)
{
    if (!m || m->magic != MATRIX_MAGIC || !arrays || first_row < 1 || first_column < 1 || rows < 0 || columns < 0 ||
        first_row - 1 + rows > m->rows || first_column - 1 + columns > m->columns)
        return false;
    *out = (part){.whole = *m,
                  .row = first_row - 1,
                  .column = first_column - 1,
                  .rows = rows,
                  .columns = columns,
                  .element = blas_type_bytes[m->type]};
    for (int i = 0; i < m->devices; i++) out->at[i] = AT(arrays[i]);
    return true;
}

/* Between the devices and `whole`, `rows` by `columns` without gaps. False: a kernel would fault there. */
static bool move(host_library *l, const part *p, char *whole, bool out)
{
    size_t length = (size_t)p->rows * p->element, pitch = (size_t)p->whole.rows * p->element;
    for (int64_t j = 0; j < p->columns;) {
        int64_t column = p->column + j, tile = column / p->whole.tile, in_tile = column % p->whole.tile;
        int64_t count = LW_MIN(p->whole.tile - in_tile, p->columns - j);
        int64_t local = tile / p->whole.devices * p->whole.tile + in_tile;
        uint64_t from =
            p->at[tile % p->whole.devices] + (uint64_t)(local * p->whole.rows + p->row) * (uint64_t)p->element;
        char *there = host_library_use(l, (host_library_memory){from, length, (uint64_t)count, pitch},
                                       out ? HOST_LIBRARY_WRITES : HOST_LIBRARY_READS);
        if (!there) return false;
        for (int64_t k = 0; k < count; k++) {
            char *device = there + (size_t)k * pitch, *host = whole + (size_t)(j + k) * length;
            memcpy(out ? device : host, out ? host : device, length);
        }
        j += count;
    }
    return true;
}

static void *gather(host_library *l, const part *p)
{
    void *out = lw_alloc((size_t)LW_MAX(p->rows * p->columns, 1) * p->element);
    if (move(l, p, out, false)) return out;
    free(out);
    return NULL;
}

/* ---------------------------------------------------------------- what calls do */
static blas_function routine(host_library *l, const mg_call *c, const char *real, const char *complex)
{
    const solver_call plain = {.type = c->type};
    return solver_routine(l, &plain, real, complex);
}

static void factor(host_library *l, const mg_call *c, const char *name)
{
    int n = (int)c->a.rows;
    blas_function f = routine(l, c, name, NULL);
    char *a = f ? gather(l, &c->a) : NULL;
    if (!a) return;
    int ld = LW_MAX(n, 1);
    f(&c->uplo, &n, a, &ld, c->info, ONE);
    move(l, &c->a, a, true);
    free(a);
}
static void potrf(host_library *l, const mg_call *c) { factor(l, c, "potrf"); }
static void potri(host_library *l, const mg_call *c) { factor(l, c, "potri"); }

static void potrs(host_library *l, const mg_call *c)
{
    int n = (int)c->a.rows, columns = (int)c->b.columns, ld = LW_MAX(n, 1);
    blas_function f = routine(l, c, "potrs", NULL);
    char *a = f ? gather(l, &c->a) : NULL, *b = a ? gather(l, &c->b) : NULL;
    if (b) {
        f(&c->uplo, &n, &columns, a, &ld, b, &ld, c->info, ONE);
        move(l, &c->b, b, true);
    }
    free(a);
    free(b);
}

static void getrf(host_library *l, const mg_call *c)
{
    int m = (int)c->a.rows, n = (int)c->a.columns, ld = LW_MAX(m, 1);
    blas_function f = routine(l, c, "getrf", NULL);
    char *a = f ? gather(l, &c->a) : NULL;
    if (!a) return;
    int *pivots = lw_alloc((size_t)LW_MAX(n, 1) * sizeof *pivots);
    memset(pivots, 0, (size_t)LW_MAX(n, 1) * sizeof *pivots);
    if (c->pivots.rows) f(&m, &n, a, &ld, pivots, c->info);
    else blas_lu_plain(c->type, a, ld, m, n, c->info);
    if (move(l, &c->a, a, true) && c->pivots.rows) move(l, &c->pivots, (char *)pivots, true);
    free(pivots);
    free(a);
}

static bool pivots_right(const int *pivots, int n)
{
    for (int i = 0; i < n; i++)
        if (pivots[i] < 1 || pivots[i] > n) return false;
    return true;
}

static void getrs(host_library *l, const mg_call *c)
{
    int n = (int)c->a.rows, columns = (int)c->b.columns, ld = LW_MAX(n, 1);
    blas_function f = routine(l, c, "getrs", NULL);
    char *a = f ? gather(l, &c->a) : NULL, *b = a ? gather(l, &c->b) : NULL;
    int *pivots = b ? lw_alloc((size_t)LW_MAX(n, 1) * sizeof *pivots) : NULL;
    for (int i = 0; pivots && i < n; i++) pivots[i] = i + 1;
    if (pivots && (!c->pivots.rows || move(l, &c->pivots, (char *)pivots, false))) {
        if (pivots_right(pivots, n)) {
            f(&c->trans, &n, &columns, a, &ld, pivots, b, &ld, c->info, ONE);
            move(l, &c->b, b, true);
        } else host_library_fail(l, "a pivot lies outside of the matrix");
    }
    free(pivots);
    free(a);
    free(b);
}

static void syevd(host_library *l, const mg_call *c)
{
    int64_t n = c->a.rows;
    blas_function f = routine(l, c, "syevd", "heevd");
    char *a = f ? gather(l, &c->a) : NULL;
    if (!a) return;
    const solver_call plain = {.type = c->type, .job = c->job, .uplo = c->uplo, .n = n, .a = {.ld = LW_MAX(n, 1)}};
    solver_all_values(&plain, f, a, NULL, c->values, c->info);
    move(l, &c->a, a, true);
    free(a);
}

static void run(host_library *l, const void *args)
{
    const mg_call *c = args;
    c->work(l, c);
}

static int put(mg_call *c, void (*work)(host_library *l, const mg_call *c), const char *function)
{
    c->work = work;
    *c->info = 0;
    return face_library_put(&library, function, NULL, run, c, sizeof *c, true);
}

/* ---------------------------------------------------------------- entry points */
#define MG_VALID                                                                                                       \
    do {                                                                                                               \
        if (!h || h->magic != MG_MAGIC || !h->devices) return mg_end(SOLVER_NOT_INITIALIZED);                          \
    } while (0)
#define MG_HAVE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) return mg_end(SOLVER_INVALID_VALUE);                                                         \
    } while (0)
/* Work space of one element is asked for, and not used. */
#define MG_ROOM                                                                                                        \
    MG_VALID;                                                                                                          \
    MG_HAVE(out);                                                                                                      \
    *out = 1;                                                                                                          \
    return SOLVER_OK
#define MG_TYPE(c, matrix) MG_HAVE(type_of(type, &(c).type) && (c).type == (matrix)->type && info)
#define WORK UNUSED void *const *work, UNUSED int64_t size, int *info

static bool pivots_part(part *out, const part *a, int *const *pivots, int64_t count)
{
    if (!pivots || !pivots[0]) return true; /* without exchanges of rows */
    mg_matrix line = a->whole;
    line.rows = 1;
    if (!new_part(out, &line, (void *const *)pivots, 1, (int)a->column + 1, 1, count)) return false;
    out->element = sizeof(int);
    return true;
}

#define TRIANGLE(Name, name)                                                                                           \
    MG(cusolverMg##Name##_bufferSize)                                                                                  \
    (mg_handle * h, UNUSED int fill, UNUSED int n, UNUSED void *const *a, UNUSED int ia, UNUSED int ja,                \
     UNUSED mg_matrix *of, UNUSED int type, int64_t *out)                                                              \
    {                                                                                                                  \
        MG_ROOM;                                                                                                       \
    }                                                                                                                  \
    MG(cusolverMg##Name)                                                                                               \
    (mg_handle * h, int fill, int n, void *const *a, int ia, int ja, mg_matrix *of, int type, WORK)                    \
    {                                                                                                                  \
        mg_call c = {.uplo = blas_uplo(fill), .info = info};                                                           \
        MG_VALID;                                                                                                      \
        MG_HAVE(c.uplo &&new_part(&c.a, of, a, ia, ja, n, n));                                                         \
        MG_TYPE(c, of);                                                                                                \
        return put(&c, name, __func__);                                                                                \
    }
TRIANGLE(Potrf, potrf)
TRIANGLE(Potri, potri)

MG(cusolverMgPotrs_bufferSize)
(mg_handle *h, UNUSED int fill, UNUSED int n, UNUSED int columns, UNUSED void *const *a, UNUSED int ia, UNUSED int ja,
 UNUSED mg_matrix *of, UNUSED void *const *b, UNUSED int ib, UNUSED int jb, UNUSED mg_matrix *of_b, UNUSED int type,
 int64_t *out)
{
    MG_ROOM;
}
MG(cusolverMgPotrs)
(mg_handle *h, int fill, int n, int columns, void *const *a, int ia, int ja, mg_matrix *of, void *const *b, int ib,
 int jb, mg_matrix *of_b, int type, WORK)
{
    mg_call c = {.uplo = blas_uplo(fill), .info = info};
    MG_VALID;
    MG_HAVE(c.uplo && new_part(&c.a, of, a, ia, ja, n, n) && new_part(&c.b, of_b, b, ib, jb, n, columns));
    MG_TYPE(c, of);
    MG_HAVE(of_b->type == c.type);
    return put(&c, potrs, __func__);
}

MG(cusolverMgGetrf_bufferSize)
(mg_handle *h, UNUSED int m, UNUSED int n, UNUSED void *const *a, UNUSED int ia, UNUSED int ja, UNUSED mg_matrix *of,
 UNUSED int *const *pivots, UNUSED int type, int64_t *out)
{
    MG_ROOM;
}
MG(cusolverMgGetrf)
(mg_handle *h, int m, int n, void *const *a, int ia, int ja, mg_matrix *of, int *const *pivots, int type, WORK)
{
    mg_call c = {.info = info};
    MG_VALID;
    MG_HAVE(new_part(&c.a, of, a, ia, ja, m, n) && pivots_part(&c.pivots, &c.a, pivots, LW_MIN(m, n)));
    MG_TYPE(c, of);
    return put(&c, getrf, __func__);
}

MG(cusolverMgGetrs_bufferSize)
(mg_handle *h, UNUSED int op, UNUSED int n, UNUSED int columns, UNUSED void *const *a, UNUSED int ia, UNUSED int ja,
 UNUSED mg_matrix *of, UNUSED int *const *pivots, UNUSED void *const *b, UNUSED int ib, UNUSED int jb,
 UNUSED mg_matrix *of_b, UNUSED int type, int64_t *out)
{
    MG_ROOM;
}
MG(cusolverMgGetrs)
(mg_handle *h, int op, int n, int columns, void *const *a, int ia, int ja, mg_matrix *of, int *const *pivots,
 void *const *b, int ib, int jb, mg_matrix *of_b, int type, WORK)
{
    mg_call c = {.trans = blas_trans(op), .info = info};
    MG_VALID;
    MG_HAVE(c.trans && new_part(&c.a, of, a, ia, ja, n, n) && new_part(&c.b, of_b, b, ib, jb, n, columns) &&
            pivots_part(&c.pivots, &c.a, pivots, n));
    MG_TYPE(c, of);
    MG_HAVE(of_b->type == c.type);
    return put(&c, getrs, __func__);
}

MG(cusolverMgSyevd_bufferSize)
(mg_handle *h, UNUSED int job, UNUSED int fill, UNUSED int n, UNUSED void *const *a, UNUSED int ia, UNUSED int ja,
 UNUSED mg_matrix *of, UNUSED void *values, UNUSED int value_type, UNUSED int type, int64_t *out)
{
    MG_ROOM;
}
MG(cusolverMgSyevd)
(mg_handle *h, int job, int fill, int n, void *const *a, int ia, int ja, mg_matrix *of, void *values, int value_type,
 int type, WORK)
{
    blas_type real;
    mg_call c = {.uplo = blas_uplo(fill), .job = JOB(job), .values = values, .info = info};
    MG_VALID;
    MG_HAVE(c.uplo && values && new_part(&c.a, of, a, ia, ja, n, n));
    MG_TYPE(c, of);
    MG_HAVE(type_of(value_type, &real) && real == blas_real(c.type));
    return put(&c, syevd, __func__);
}
