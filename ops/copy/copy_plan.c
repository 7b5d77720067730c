/*
 * Strided copies, permutations and flips. All of them are one thing: for every index, one element goes from an input
 * address to an output address, both linear in the index. The planner brings that to a normal form (output strides
 * positive and ascending, extents of 1 dropped, dimensions merged where both sides allow) and walks the forms of
 * forms.def for the best kernel. A plan holds the kernel for well-aligned pointers and, where they differ, the one for the
 * declared alignment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "copy/copy.h"

/* clang-format off */
static const lw_copy_form *const forms[] = {
#define COPY_FORM(name, parameters) &lw_##name##_form,
#define KERNELS(name)
#include "forms.def"
#undef COPY_FORM
#undef KERNELS
};
/* clang-format on */
#define FORMS (sizeof forms / sizeof *forms)

typedef struct copy_plan {
    lw_plan base;
    lw_span span;
    int variants;
    lw_copy_variant v[2]; /* best alignment first */
} copy_plan;

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
static void describe(const lw_plan *plan, char *text, size_t size);

static const lw_plan_type copy_type = {.bytes = sizeof(copy_plan), .run = run, .describe = describe};

/* ---- checking ---- */

static lw_ops_status check_tensor(const lw_tensor *t, const char *name, int *elem, lw_ops_error *err)
{
    if (!t) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "%s is NULL", name);
    int size = lw_type_bytes(t->type);
    if (t->type < 0 || t->type >= LW_TYPE_COUNT) return lw_ops_fail(err, LW_OPS_BAD_TYPE, "%s: unknown type", name);
    if (size && t->elem_bytes && t->elem_bytes != size) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "%s: %d bytes do not match its type", name, t->elem_bytes);
    }
    if (!size) size = t->elem_bytes;
    if (size < 1 || size > LW_OPS_MAX_ELEM) {
        return lw_ops_fail(err, LW_OPS_BAD_TYPE, "%s: elements of %d bytes; 1 to 64 are possible", name, size);
    }
    if (t->rank < 0 || t->rank > LW_OPS_MAX_RANK) {
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "%s: rank %d; 0 to 8 are possible", name, t->rank);
    }
    if (t->align < 0 || (t->align & (t->align - 1))) {
        return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "%s: alignment %d is not a power of two", name, t->align);
    }
    for (int i = 0; i < t->rank; i++) {
        if (t->extent[i] < 0) return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "%s: extent %d is negative", name, i);
    }
    *elem = size;
    return LW_OPS_OK;
}

static int declared_align(const lw_tensor *t, int elem)
{
    int a = t->align ? t->align : lw_low_bit((uint64_t)elem, 16);
    return a < 16 ? a : 16;
}

/* ---- choosing ---- */

/* A short run of both sides moves as one element, unless there is nothing else. */
static lw_copy_query query_of(const lw_ops *ops, const lw_copy_shape *shape, int align, box_memo *memo)
{
    lw_copy_query q = {.ops = ops, .align = align, .shape = *shape, .memo = memo};
    lw_copy_shape *s = &q.shape;
    bool run = s->dims && s->dim[0].out == s->elem && s->dim[0].in == s->elem;
    int64_t bytes = run ? s->dim[0].n * s->elem : s->elem;
    if (!s->dims || (run && (bytes >= ROWS_MIN_BYTES || s->dims == 1))) {
        q.row = bytes;
    } else if (run) {
        s->elem = bytes;
        s->dims--;
        memmove(s->dim, s->dim + 1, (size_t)s->dims * sizeof s->dim[0]);
    }
    return q;
}

static void make_box(lw_copy_query *q)
{
    const lw_copy_shape *s = &q->shape;
    lw_box_make(&q->box, s->dim, s->dims, s->elem, q->align, q->ops->sms);
    q->memo->again = q->memo->other && lw_low_bit((uint64_t)(q->box.low | q->memo->other), 16) == q->box.unit;
}

static bool choose(const lw_ops *ops, const lw_copy_shape *s, int align, box_memo *memo, lw_copy_variant *v)
{
    lw_copy_query q = query_of(ops, s, align, memo);
    lw_copy_best best = {.cost = LW_ANY_COST};
    lw_copy_variant other, *next = v, *chosen = NULL; /* forms write where the best one by now does not stand */
    bool boxes = false;
    for (size_t i = 0; i < FORMS; i++) {
        if (!forms[i]->plan) continue;
        if (forms[i]->boxes && !boxes) make_box(&q);
        boxes = boxes || forms[i]->boxes;
        lw_verdict verdict = forms[i]->plan(&q, &best, next);
        if (verdict & LW_BEST) {
            chosen = next;
            next = chosen == v ? &other : v;
            best.found++;
        }
        if (verdict & LW_LAST) break;
    }
    if (!chosen) return false;
    if (chosen->form->finish) chosen->form->finish(chosen);
    if (chosen != v) *v = *chosen;
    return true;
}

/* ---- creation ---- */

/* The variants for pointers aligned to 16 bytes and for what the declared alignment leaves after all offsets. */
static bool choose_variants(const lw_ops *ops, const lw_copy_shape *s, int align, copy_plan *c)
{
    box_memo memo = {.other = align < 16 ? align : 0};
    if (!choose(ops, s, 16, &memo, &c->v[0])) return false;
    int low = lw_low_bit((uint64_t)(align | c->span.in_off | c->span.out_off | c->v[0].in_adjust), 16);
    c->variants = 1;
    if (c->v[0].needs <= low) { /* no access asks for more: one form will do */
        c->v[0].align = c->v[0].needs;
        return true;
    }
    c->variants = 2;
    return choose(ops, s, low, &memo, &c->v[1]);
}

static lw_ops_status plan_copy(const lw_ops *ops, lw_copy_shape *s, int64_t shift, int align, lw_plan **out,
                               lw_ops_error *err)
{
    lw_plan *plan = lw_plan_new(ops, &copy_type);
    if (!plan) return lw_ops_fail(err, LW_OPS_NO_MEMORY, "out of memory for the plan");
    copy_plan *c = (copy_plan *)plan;
    c->span.in_off = shift;
    plan->align = align;
    double written = (double)s->elem;
    for (int i = 0; i < s->dims; i++) written *= (double)s->dim[i].n;
    plan->read_bytes = lw_read_bytes(s->dim, s->dims, (int)s->elem);
    plan->useful_bytes = written + plan->read_bytes;
    if (plan->useful_bytes == 0) {
        *out = plan;
        return LW_OPS_OK;
    }
    if (!lw_dims_normalise(s->dim, &s->dims, s->elem, s->elem, &c->span)) {
        lw_plan_destroy(plan);
        return lw_ops_fail(err, LW_OPS_BAD_STRIDE, "elements of the output overlap, or could overlap");
    }
    if (!choose_variants(ops, s, align, c)) {
        lw_plan_destroy(plan);
        return lw_ops_fail(err, LW_OPS_UNSUPPORTED, "this shape needs more than 2^31 blocks");
    }
    plan->launches = 1;
    *out = plan;
    return LW_OPS_OK;
}

static lw_ops_status strided_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                                  uint32_t flip, lw_plan **plan, lw_ops_error *err)
{
    lw_copy_shape s;
    int se = 0, de = 0;
    int64_t shift = 0;
    if (plan) *plan = NULL;
    if (!ops || !plan) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "the handle or the plan pointer is NULL");
    lw_ops_status st = check_tensor(dst, "output", &de, err);
    if (st == LW_OPS_OK) st = check_tensor(src, "input", &se, err);
    if (st != LW_OPS_OK) return st;
    if (se != de) return lw_ops_fail(err, LW_OPS_BAD_TYPE, "the element sizes differ: %d and %d bytes", se, de);
    if (src->rank != dst->rank)
        return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "the ranks differ: %d and %d", src->rank, dst->rank);
    if (flip >> src->rank) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "axes contains a dimension beyond the rank");
    unsigned seen = 0;
    memset(&s, 0, sizeof s);
    s.elem = se;
    s.dims = src->rank;
    for (int i = 0; i < s.dims; i++) {
        int from = perm ? perm[i] : i;
        if (from < 0 || from >= s.dims || (seen >> from & 1)) {
            return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "perm is not a permutation of 0..%d", s.dims - 1);
        }
        seen |= 1u << from;
        if (dst->extent[i] != src->extent[from]) {
            return lw_ops_fail(err, LW_OPS_BAD_SHAPE, "output extent %d does not match input extent %d", i, from);
        }
        s.dim[i] = (lw_dim){dst->extent[i], src->stride[from], dst->stride[i]};
        if ((flip >> i & 1) && s.dim[i].n > 0) {
            shift += (s.dim[i].n - 1) * s.dim[i].in;
            s.dim[i].in = -s.dim[i].in;
        }
    }
    int sa = declared_align(src, se), da = declared_align(dst, de);
    return plan_copy(ops, &s, shift, sa < da ? sa : da, plan, err);
}

lw_ops_status lw_copy_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_plan **plan,
                           lw_ops_error *err)
{
    return strided_plan(ops, dst, src, NULL, 0, plan, err);
}

lw_ops_status lw_permute_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                              lw_plan **plan, lw_ops_error *err)
{
    if (!perm) return lw_ops_fail(err, LW_OPS_BAD_ARGUMENT, "perm is NULL");
    return strided_plan(ops, dst, src, perm, 0, plan, err);
}

lw_ops_status lw_flip_plan(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes, lw_plan **plan,
                           lw_ops_error *err)
{
    return strided_plan(ops, dst, src, NULL, axes, plan, err);
}

lw_ops_status lw_transpose_plan(const lw_ops *ops, int64_t batch, int64_t rows, int64_t cols, int elem_bytes, int align,
                                lw_plan **plan, lw_ops_error *err)
{
    const int64_t in[3] = {batch, rows, cols}, out[3] = {batch, cols, rows};
    const int perm[3] = {0, 2, 1};
    lw_tensor src = lw_tensor_dense(NULL, LW_BYTES, elem_bytes, 3, in);
    lw_tensor dst = lw_tensor_dense(NULL, LW_BYTES, elem_bytes, 3, out);
    src.align = dst.align = align;
    return strided_plan(ops, &dst, &src, perm, 0, plan, err);
}

/* ---- running ---- */

static bool aligned(const lw_copy_variant *v, const char *out, const char *in)
{
    return ((uintptr_t)out | (uintptr_t)(in + v->in_adjust)) % (uintptr_t)v->align == 0;
}

static lw_ops_status run(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream)
{
    const copy_plan *c = (const copy_plan *)plan;
    (void)workspace;
    if (!plan->launches) return LW_OPS_OK;
    if (!dst || !src) return LW_OPS_BAD_ARGUMENT;
    uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if ((d | s) % (uintptr_t)plan->align) return LW_OPS_MISALIGNED;
    if (d + (uintptr_t)c->span.out_lo < s + (uintptr_t)c->span.in_hi &&
        s + (uintptr_t)c->span.in_lo < d + (uintptr_t)c->span.out_hi) {
        return LW_OPS_OVERLAP;
    }
    lw_ops_status st = lw_check_device(plan->ops);
    if (st != LW_OPS_OK) return st;
    char *out = (char *)dst + c->span.out_off;
    const char *in = (const char *)src + c->span.in_off;
    const lw_copy_variant *v = aligned(&c->v[0], out, in) ? &c->v[0] : &c->v[c->variants - 1];
    if (!aligned(v, out, in)) return LW_OPS_MISALIGNED;
    lw_copy_ends ends = {in + v->in_adjust, (const char *)src + c->span.in_lo, (const char *)src + c->span.in_hi, out};
    return lw_launch_status(v->form->launch(v, &ends, stream));
}

static void describe(const lw_plan *plan, char *text, size_t size)
{
    const lw_copy_variant *v = ((const copy_plan *)plan)->v;
    if (!plan->launches) snprintf(text, size, "nothing to do");
    else v->form->describe(v, text, size);
}

/* ---- one-shot forms ---- */

/* `made` is where the plan was put: an argument's value would be taken before the plan is there. */
static lw_ops_status run_once(lw_ops_status st, lw_plan *const *made, const lw_tensor *dst, const lw_tensor *src,
                              lw_stream stream, lw_ops_error *err)
{
    lw_plan *plan = *made;
    if (st == LW_OPS_OK) {
        st = lw_plan_run(plan, dst->data, src->data, NULL, stream);
        if (st != LW_OPS_OK) lw_ops_fail(err, st, "%s", lw_ops_status_text(st));
    }
    lw_plan_destroy(plan);
    return st;
}

lw_ops_status lw_copy(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, lw_stream stream,
                      lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_copy_plan(ops, dst, src, &plan, err), &plan, dst, src, stream, err);
}

lw_ops_status lw_permute(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, const int *perm,
                         lw_stream stream, lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_permute_plan(ops, dst, src, perm, &plan, err), &plan, dst, src, stream, err);
}

lw_ops_status lw_flip(const lw_ops *ops, const lw_tensor *dst, const lw_tensor *src, uint32_t axes, lw_stream stream,
                      lw_ops_error *err)
{
    lw_plan *plan = NULL;
    return run_once(lw_flip_plan(ops, dst, src, axes, &plan, err), &plan, dst, src, stream, err);
}
