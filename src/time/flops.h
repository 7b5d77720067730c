/* flops: floating-point operations of instructions, as a profiler counts them in machine code: an addition or a
 * multiplication is one, a fused multiply-add two. Divisions, roots and reciprocals count as the sequences that an assembler
 * writes for them (work.def); comparisons, conversions and special functions count nothing. */
#ifndef LW_TIME_FLOPS_H
#define LW_TIME_FLOPS_H

typedef struct time_flops {
    double fp16, fp32, fp64; /* of a thread; fp16: bf16, too */
    double tensor;           /* of a warp: 2 for each multiply-add of its matrices, integers included */
} time_flops;

time_flops time_flops_of(const char *mnemonic); /* of PTX */

#endif
