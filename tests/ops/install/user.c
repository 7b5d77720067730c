/* A program of a user, in plain C without any CUDA header: opens device 0 and plans a transposition. */
#include <stdio.h>
#include <lanewise/ops.h>

int main(void)
{
    lw_ops *ops = NULL;
    lw_plan *plan = NULL;
    lw_ops_error err;
    char text[128];
    if (lw_ops_create(&ops, 0, &err) != LW_OPS_OK ||
        lw_transpose_plan(ops, 1, 300, 500, 4, 0, &plan, &err) != LW_OPS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    lw_plan_describe(plan, text, sizeof text);
    printf("lanewise-ops %s: %s\n", lw_ops_version(), text);
    lw_plan_destroy(plan);
    lw_ops_destroy(ops);
    return 0;
}
