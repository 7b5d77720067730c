/* ptx/semantics_half.h: lane functions of f16, bf16, fp8 and tf32 rows. Included by semantics.h. */
