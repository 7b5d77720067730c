/* cuBLASLt's matrices: of any order and type, their complex numbers in one piece or in two planes, to and from dense columns of the
 * type that is computed in. */
#include <stdlib.h>
#include <string.h>

#include "blas/blas_convert.h"
#include "blas/blas_lt.h"

/* Columns as they lie in memory: those of a matrix by rows are its rows. */
static int64_t lines(const blas_lt_layout *l) { return (int64_t)(l->order == LT_ORDER_ROWS ? l->rows : l->columns); }
static int64_t line_length(const blas_lt_layout *l)
{
    return (int64_t)(l->order == LT_ORDER_ROWS ? l->columns : l->rows);
}

/* The type of what lies side by side: of complex numbers in planes, their parts; -1: none that is known. */
static int lying_type(const blas_lt_layout *l)
{
    if (!l->plane) return (int)l->type;
    switch (l->type) {
    case BLAS_C_32F: return BLAS_R_32F;
    case BLAS_C_64F: return BLAS_R_64F;
    case BLAS_C_16F: return BLAS_R_16F;
    case BLAS_C_16BF: return BLAS_R_16BF;
    default: return -1;
    }
}

bool blas_lt_is_complex(const blas_lt_layout *l) { return l->plane || l->type == BLAS_C_32F || l->type == BLAS_C_64F; }

bool blas_lt_known(const blas_lt_layout *l)
{
    return blas_element_bytes(lying_type(l)) && l->order <= LT_ORDER_ROWS && l->ld >= line_length(l) &&
           l->rows <= INT32_MAX && l->columns <= INT32_MAX && l->pointers <= 1;
}

blas_lt_lying blas_lt_use(host_library *lib, const blas_lt_layout *l, uint64_t address, int64_t i,
                          host_library_access access)
{
    blas_lt_lying out = {NULL, NULL};
    blas_operand o = {.address = address, .ld = l->ld, .stride = l->batch > 1 ? l->stride : 0, .pointers = l->pointers};
    size_t element = blas_element_bytes(lying_type(l));
    if (o.pointers) o.stride = 0;
    out.first = blas_use_matrix(lib, &o, i, element, line_length(l), lines(l), access);
    if (!l->plane || !out.first) return out;
    o.address += (uint64_t)l->plane;
    out.imaginary = blas_use_matrix(lib, &o, i, element, line_length(l), lines(l), access);
    if (!out.imaginary) out.first = NULL;
    return out;
}

/* Between the lines as they lie and numbers of the type that is computed in, one after the other: of two planes one at a time. */
static void move_lines(blas_type work, const blas_lt_layout *l, blas_lt_lying lying, char *dense, bool reads)
{
    int64_t length = line_length(l), count = length * lines(l);
    size_t planes = l->plane ? 2 : 1;
    blas_type part_type = l->plane ? blas_real(work) : work;
    size_t size = blas_type_bytes[part_type];
    char *part = l->plane ? lw_alloc((size_t)LW_MAX(count, 1) * size) : dense;
    for (size_t plane = 0; plane < planes; plane++) {
        void *there = plane ? lying.imaginary : lying.first;
        int type = l->plane ? lying_type(l) : (int)l->type;
        if (reads) blas_to_work(part_type, part, type, there, l->ld, length, lines(l));
        for (size_t at = 0; l->plane && at < (size_t)count; at++) {
            char *whole = dense + (2 * at + plane) * size;
            memcpy(reads ? whole : part + at * size, reads ? part + at * size : whole, size);
        }
        if (!reads) blas_from_work(part_type, part, type, there, l->ld, length, lines(l));
    }
    if (l->plane) free(part);
}

/* rows x columns of elements, turned, in squares that stay in the cache. */
static void turn(size_t size, const char *from, char *to, int64_t rows, int64_t columns)
{
    enum { SQUARE = 32 };
    for (int64_t i0 = 0; i0 < rows; i0 += SQUARE)
        for (int64_t j0 = 0; j0 < columns; j0 += SQUARE)
            for (int64_t j = j0; j < LW_MIN(j0 + SQUARE, columns); j++)
                for (int64_t i = i0; i < LW_MIN(i0 + SQUARE, rows); i++)
                    memcpy(to + (size_t)(i + j * rows) * size, from + (size_t)(j + i * columns) * size, size);
}

static void conjugate(blas_type work, void *dense, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (work == BLAS_C) ((float *)dense)[2 * i + 1] *= -1;
        if (work == BLAS_Z) ((double *)dense)[2 * i + 1] *= -1;
    }
}

void *blas_lt_gather(blas_type work, const blas_lt_layout *l, blas_lt_lying from, int op, int64_t rows, int64_t columns)
{
    size_t bytes = (size_t)LW_MAX(rows * columns, 1) * blas_type_bytes[work];
    char *out = lw_alloc(bytes);
    move_lines(work, l, from, out, true);
    if ((op != BLAS_OP_N) != (l->order == LT_ORDER_ROWS)) {
        char *lying = out;
        out = lw_alloc(bytes);
        turn(blas_type_bytes[work], lying, out, rows, columns);
        free(lying);
    }
    if (op == BLAS_OP_C) conjugate(work, out, rows * columns);
    return out;
}

void blas_lt_scatter(blas_type work, const blas_lt_layout *l, const void *dense, blas_lt_lying to)
{
    if (l->order == LT_ORDER_COLUMNS) {
        move_lines(work, l, to, (char *)dense, false);
        return;
    }
    char *turned = lw_alloc((size_t)LW_MAX(l->rows * l->columns, 1u) * blas_type_bytes[work]);
    turn(blas_type_bytes[work], dense, turned, (int64_t)l->columns, (int64_t)l->rows);
    move_lines(work, l, to, turned, false);
    free(turned);
}
