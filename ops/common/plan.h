/*
 * What all plans have in common. An op's plan is a struct that begins with an lw_plan and goes on with the op's own data;
 * its type says how the functions of ops.h reach the op. Not installed.
 */
#ifndef LW_OPS_PLAN_H
#define LW_OPS_PLAN_H

#include "common/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lw_plan_type {
    size_t bytes;  /* of the op's struct */
    bool in_place; /* run with dst == src */
    /* lw_plan_run(); NULL: the op has functions of its own for that */
    lw_ops_status (*run)(const lw_plan *plan, void *dst, const void *src, void *workspace, lw_stream stream);
    void (*describe)(const lw_plan *plan, char *text, size_t size); /* of a text of at least one byte */
    void (*release)(lw_plan *plan);                                 /* what the op's data owns; may be NULL */
} lw_plan_type;

struct lw_plan {
    const lw_plan_type *type;
    const lw_ops *ops;
    int align;        /* of all pointers, bytes */
    size_t workspace; /* bytes */
    double useful_bytes;
    double read_bytes; /* copies: the input's part of them */
    int launches;      /* 0: nothing to do */
};

/* A plan of that type, all zeros but for the type, the handle and an alignment of 1; NULL: no memory. */
lw_plan *lw_plan_new(const lw_ops *ops, const lw_plan_type *type);

#ifdef __cplusplus
}
#endif
#endif
