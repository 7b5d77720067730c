/*
 * What the planners of copies weigh: limits and estimates, all measured on an H200 (132 multiprocessors). Times are per
 * byte, 1 is the best copy's.
 *
 * Sources: S1 seeded shapes 1 with 24 boxes and more each, ops/bench/results/2026-11-21-h200-boxes.csv; S7 seeded shapes
 * 7, ops/bench/results/2026-11-22-h200-permutes-seed7.csv; T the tile sizes, 2026-11-21-h200-tune-tile.txt there. What
 * has none of these was timed where it stands; EXPERIMENTS.md tells how.
 */
#ifndef LW_OPS_COSTS_H
#define LW_OPS_COSTS_H

/* ---- rows and tiles: bytes of the runs they are for, and shares of tiles ---- */

#define ROWS_MIN_BYTES 64  /* shorter contiguous runs go through boxes */
#define ROWS_ANY_BYTES 512 /* runs at odd addresses: shorter ones go through boxes, longer ones as flip.cu does it */
#define SCALAR_MIN_ELEM 2  /* at odd addresses, elements this wide go one by one, smaller ones by windows */
#define TILE_MIN_BYTES 96  /* shorter runs on either side fill tiles badly */
/*
 * Tiles for a multiprocessor. Middle ones from that many on, and large ones, which are better where DRAM is the limit
 * (T): in L2 16 MiB take 3.47 us instead of 3.81 by middle ones, of 2 B 3.67 instead of 3.80. Strips of large ones of
 * 8 B are as fast, and lines at odd addresses are written in fewer parts by large ones.
 */
#define MIDDLE_PER_SM 1.5
#define LARGE_PER_SM 12
/* Share of the tiles' places that exist: less, and boxes fit the shape better. */
#define TILE_MIN_USE 0.75
#define BULK_MIN_USE 0.6    /* of rows of bytes and pairs, with those before the first that tiles reach */
#define SCALAR_MIN_USE 0.85 /* of 4-byte elements that go one by one */
#define TILE_SMALL_MAX 2 /* wider elements, where the large tile does not fit: boxes are faster by a tenth at least */

/* ---- boxes ---- */

#define LW_RUNS_BYTES 16384 /* most bytes of a box moved as runs */
/*
 * Bytes of the output for a multiprocessor: below, all is in L2. Squares in registers win there, 512 KiB 1.8 us,
 * gathered 3.3, boxes 3.9, and blocks of no more threads than squares; above, more squares at once lose (4 x 4 of 2 B:
 * 0.88 to 0.70).
 */
#define LW_SMALL_SHARE (192 << 10)
/* Few boxes for a multiprocessor leave some of them idle at the end. */
#define FEW_BOXES 8
#define FEW_COST 0.04

/* What a box costs beside its kernel's time (S1). */
typedef struct lw_box_weights {
    double in_even, in_odd; /* bytes that a run of the input costs more; even: all runs begin with sectors */
    double out;             /* the output's share */
    double out_even, out_odd;
    double waste, fill;    /* places that stay empty at the ends, boxes below capacity */
    double pass;           /* runs: one more pass of two stores of a warp to the tile */
    double windows, words; /* runs: places of windows and words that stay empty */
} lw_box_weights;

extern const lw_box_weights lw_box_weight, lw_runs_weight;
/* Of a box of cost 1. Units of 1, 2, 4, 8, 16 bytes; loads and stores by units (0), by words of units below 4 (1), by 16
 * bytes (2). */
extern const double lw_box_time[5][3][3];
extern const double lw_runs_time[3]; /* units of 1, 2, 4 bytes */
/*
 * Units of 1, 2, 4, 8, 16 bytes: below that time of a gathered box, or of squares, boxes are not tried: of 1400 seeded
 * variants 12 would be estimated to take less, by a twentieth at most; and below RUNS_FROM no runs: 2.
 */
extern const double lw_boxes_from[5];
#define RUNS_FROM 1.7

/* ---- gathered boxes: a sum of shares, fitted to some 10,000 timings of seeded shapes (S1, S7 and more boxes) ---- */

#define BULK_BYTES 96  /* input runs from that many on come by bulk copies, shorter ones in chunks */
#define LEAST_ROW 64   /* bytes: shorter rows of a longer input run are not taken apart against the banks */
#define LEAST_LINE 128 /* bytes of a line of its own, */
#define LONG_LINE 256  /* and where it is a part of a longer run */
#define LEAST_BOX 4096 /* bytes: smaller ones are not tried, */
#define GOOD_BOX 16384 /* and ones below that cost more: 0.76 with 4.6 KB, 0.89 with 23 KB of the same runs */
#define SMALL_COST 0.05

/* A run costs more the fewer sectors it has, and where it does not begin with one. */
typedef struct lw_gather_weights {
    float fixed, in_odd, in, out_odd, out, waste;
    float slots, warps, part; /* idle lanes; few warps; words of a group that do not begin with a sector */
    float pass, run;          /* one more pass of a group's shared reads; a run, by the words of a lane in it */
} lw_gather_weights;

extern const lw_gather_weights lw_gather_weight[2][5]; /* listed, linear; units of 1, 2, 4, 8, 16 bytes */
/* Units of 1, 2, 4, 8, 16 bytes: nine shapes in ten took longer, however good the estimate of their best box. */
extern const float lw_gather_fastest[5];

/* ---- squares in registers: the same, fitted to seeded shapes ---- */

/* Vectors of 4 and 8 bytes are good where both sides are dense, as in batches of small matrices. */
typedef struct lw_direct_weights {
    float fixed, in_odd, in, out_odd, out, waste;
    float in_lanes, out_lanes; /* lanes side by side that do not fill sectors */
    float fill, big;           /* squares that do not fill all threads, boxes above 16 KiB */
} lw_direct_weights;

extern const lw_direct_weights lw_direct_weight[4]; /* units of 1, 2, 4, 8 bytes */

#endif
