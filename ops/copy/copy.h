/*
 * The forms a copy can take. copy_plan.c brings every copy to a normal form, the query, and walks the rows of forms.def:
 * each form says whether it does the copy and what that costs; the best one is launched and described by the same row.
 * Not installed.
 */
#ifndef LW_OPS_COPY_H
#define LW_OPS_COPY_H

#include "common/plan.h"
#include "copy/box.h"
#include "copy/kernels.h"
#include "flip/flip.h"

/* Dimensions by output stride, all of which are positive; neighbours that both sides allow are merged. */
typedef struct lw_copy_shape {
    lw_dim dim[LW_OPS_MAX_RANK];
    int dims;
    int64_t elem; /* bytes */
} lw_copy_shape;

typedef struct lw_copy_form lw_copy_form;

/* One way to run a copy, for pointers that are multiples of `align`. */
typedef struct lw_copy_variant {
    const lw_copy_form *form;
    int align;         /* of the pointers that it was planned for, bytes */
    int needs;         /* alignment that its accesses ask for, at most `align` */
    uint32_t grid;     /* blocks */
    uint32_t shared;   /* dynamic shared bytes */
    int64_t in_adjust; /* what the kernel's input lies before the first element: reversed rows, boxes backwards */
    int reversed;      /* rows, flip: element bytes if the row is reversed, else 0 */
    int elem;          /* for the launcher to choose a kernel by: element bytes; boxes: unit bytes */
    int big;           /* tile: 0 to 2, from small to large; scalar: 1 if output lines are aligned */
    int threads;       /* direct: of a block */
    int vload, vstore; /* box: vector bytes; direct: vload of both sides */
    bool misaligned;   /* rows, tile: the form that takes any alignment */
    /* clang-format off */
    union {
#define COPY_FORM(name, parameters) lw_##parameters##_params name;
#define KERNELS(name)
#include "forms.def"
#undef COPY_FORM
#undef KERNELS
    } p;
    /* clang-format on */
} lw_copy_variant;

typedef struct gather_form {
    bool linear; /* runs of the output are of its fastest dimension */
    int group;   /* log2 of the lanes to a run of the output */
} gather_form;

/* What was chosen for a shape whatever the alignment: the boxes of runs.cu and gather.cu, for a plan of another one. */
typedef struct box_memo {
    int other;  /* that alignment, 0: none */
    bool again; /* it has the same unit, so that the choices will be asked for once more */
    bool runs_known, runs_found, gather_known;
    box_work runs, gather; /* the chosen ones */
    gather_form form;
} box_memo;

/* What is to be planned. */
typedef struct lw_copy_query {
    const lw_ops *ops;
    int align;           /* of both pointers, bytes */
    lw_copy_shape shape; /* a run of both sides too short for a row is one element */
    int64_t row;         /* bytes of a run of both sides that stays a row, 0: none */
    box_work box;        /* the same shape in units, for forms that move boxes */
    box_memo *memo;
} lw_copy_query;

/* What a form says of itself: bits. */
typedef enum lw_verdict {
    LW_NO = 0,   /* it does not do this copy, or takes longer than the best one by now */
    LW_BEST = 1, /* it is the best one by now, */
    LW_LAST = 2, /* and the best one by now need not be weighed against later forms */
    LW_DONE = LW_BEST | LW_LAST
} lw_verdict;

/* The best form by now. */
typedef struct lw_copy_best {
    double cost; /* time per byte, 1 is the best copy's; LW_ANY_COST: there is none. A form that is better sets it */
    int found;   /* how many forms have been the best one */
} lw_copy_best;

/* Where the kernel's input and output begin, and the source tensor's bytes lo..hi. */
typedef struct lw_copy_ends {
    const char *in, *lo, *hi;
    char *out;
} lw_copy_ends;

struct lw_copy_form {
    bool boxes; /* moves boxes: wants q->box */
    /*
     * Fills in v, if this form is the best one by now; v is lost otherwise. v holds anything before: all of it is set, at
     * least form, align, needs, grid and the parameters without their pointers. Called for pointers aligned to 16 bytes
     * and, if what is chosen needs more than the caller declared, once more for that alignment: a form that wants
     * vectors refuses (LW_NO) where q->align or a stride is odd, and a later form takes over. NULL: it is planned along
     * with another one
     */
    lw_verdict (*plan)(const lw_copy_query *q, lw_copy_best *best, lw_copy_variant *v);
    void (*finish)(lw_copy_variant *v); /* what is left to be done for the best form of all; NULL: nothing */
    int (*launch)(const lw_copy_variant *v, const lw_copy_ends *ends, lw_stream stream); /* cudaError_t */
    void (*describe)(const lw_copy_variant *v, char *text, size_t size);
};

/* clang-format off */
#define COPY_FORM(name, parameters) extern const lw_copy_form lw_##name##_form;
#define KERNELS(name)
#include "forms.def"
#undef COPY_FORM
#undef KERNELS
/* clang-format on */

/* Of every stride but those of the dimensions in `skip`: the bits that are set in any. */
static inline uint64_t lw_stride_bits(const lw_copy_shape *s, unsigned skip, bool in, bool out)
{
    uint64_t bits = 0;
    for (int i = 0; i < s->dims; i++) {
        if (skip >> i & 1) continue;
        if (in) bits |= (uint64_t)s->dim[i].in;
        if (out) bits |= (uint64_t)s->dim[i].out;
    }
    return bits;
}

/* Bytes of the elements if the fastest dimension is a row that is dense on both sides and reversed, else 0. */
static inline int lw_reversed_elem(const lw_copy_shape *s)
{
    bool reversed = s->dims > 0 && s->dim[0].out == s->elem && s->dim[0].in == -s->elem;
    if (!reversed || s->elem > LW_FLIP_MAX_ELEM || s->dim[0].n * s->elem < LW_FLIP_MIN_ROW) return 0;
    return (int)s->elem;
}

#endif
