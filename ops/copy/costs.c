/* The estimates of costs.h, which says what they mean and where they come from. */
#include "copy/costs.h"

/* clang-format off */
const lw_box_weights lw_box_weight = {
    .in_even = 35, .in_odd = 49, .out = 2.04, .out_even = 12, .out_odd = 104, .waste = 0.16, .fill = 0.034,
};
const lw_box_weights lw_runs_weight = {
    .in_even = 9, .in_odd = 10, .out = 1.38, .out_even = 4.3, .out_odd = 52, .waste = 0.99, .fill = 0.043,
    .pass = 0.075, .windows = 0.22, .words = 0.2,
};
/* clang-format on */

const double lw_box_time[5][3][3] = {
    {{1.00, 0.46, 0.61}, {0.82, 0.44, 0.45}, {0.75, 0.43, 0.41}},
    {{0.52, 0.36, 0.45}, {0.52, 0.34, 0.40}, {0.57, 0.46, 0.38}},
    {{0.39, 0, 0.39}, {0, 0, 0}, {0.37, 0, 0.37}},
    {{0.36, 0, 0.38}, {0, 0, 0}, {0.35, 0, 0.36}},
    {{0.36, 0, 0}, {0, 0, 0}, {0, 0, 0}},
};

const double lw_runs_time[3] = {0.67, 0.59, 0.57};

const double lw_boxes_from[5] = {1.5, 1.5, 1.3, 1.1, 1.15};

/* fixed, in_odd, in, out_odd, out, waste, slots, warps, part, pass, run */
const lw_gather_weights lw_gather_weight[2][5] = {
    {
        /* listed, units of 1, 2, 4, 8, 16 bytes */
        {0.75f, 0.26f, 0.77f, 0.73f, 0.42f, 0.35f, 0.39f, 0.43f, 0.22f, 0.04f, 0.38f},
        {0.95f, 0.29f, 0.72f, 0.82f, 0.43f, 0.42f, 0.31f, 0.07f, 0.31f, 0.01f, 0.31f},
        {1.00f, 0.32f, 0.62f, 0.61f, 0.39f, 0.44f, 0.13f, 0.00f, 0.33f, 0.00f, 0.38f},
        {1.09f, 0.34f, 0.37f, 0.72f, 0.48f, 0.42f, 0.00f, 0.00f, 0.18f, 0.00f, 0.10f},
        {1.08f, 0.06f, 0.60f, 0.35f, 0.35f, 0.31f, 0.00f, 0.00f, 0.30f, 0.03f, 0.04f},
    },
    {
        /* linear, units of 1, 2, 4 bytes */
        {1.12f, 0.14f, 0.62f, 0.68f, 0.36f, 0.34f, 0.55f, 0.17f, 0.00f, 0.15f, 0.00f},
        {1.10f, 0.30f, 0.69f, 0.92f, 0.35f, 0.45f, 0.38f, 0.09f, 0.00f, 0.06f, 0.00f},
        {1.12f, 0.33f, 0.62f, 0.64f, 0.47f, 0.43f, 0.25f, 0.00f, 0.00f, 0.03f, 0.00f},
    },
};

const float lw_gather_fastest[5] = {1.15f, 1.13f, 1.11f, 1.09f, 1.07f};

/* fixed, in_odd, in, out_odd, out, waste, in_lanes, out_lanes, fill, big */
const lw_direct_weights lw_direct_weight[4] = {
    /* units of 1, 2, 4, 8 bytes */
    {1.05f, 0.30f, 0.26f, 0.50f, 0.28f, 0.58f, 0.06f, 0.32f, 0.00f, 0.04f},
    {1.08f, 0.50f, 0.21f, 0.63f, 0.09f, 0.20f, 0.00f, 0.10f, 0.19f, 0.04f},
    {1.05f, 0.30f, 0.60f, 0.65f, 0.17f, 0.25f, 0.20f, 0.20f, 0.13f, 0.12f},
    {1.13f, 0.30f, 0.52f, 0.50f, 0.06f, 0.15f, 0.05f, 0.05f, 0.20f, 0.09f},
};
