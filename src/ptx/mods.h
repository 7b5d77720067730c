/* mods.h: modifier flags of an instruction (code_insn.mods in code/) and the M_* sets that rows of insns.def allow.
 */
#ifndef LW_PTX_MODS_H
#define LW_PTX_MODS_H

enum {
    PTX_RND_RN = 0, /* to nearest even */
    PTX_RND_RZ = 1,
    PTX_RND_RM = 2, /* towards minus infinity */
    PTX_RND_RP = 3,
    PTX_RND_MASK = 3,
    PTX_FTZ = 4,
    PTX_SAT = 8,
    PTX_RELU = 16,
    PTX_SATFINITE = 32,
    PTX_NAN = 64,
    PTX_XORSIGN = 128, /* .xorsign.abs */
    PTX_RINT = 256,    /* .rni .rzi .rmi .rpi: round to an integral value in the direction of PTX_RND_MASK */
    PTX_RNA = 512,     /* to nearest, ties away from zero (cvt to tf32) */
    PTX_OOB = 1024,
    /* what rows allow */
    M_RN = 1 << 16,  /* .rn */
    M_RZ = 1 << 20,  /* .rz */
    M_RMP = 1 << 21, /* .rm .rp */
    M_RND = M_RN | M_RZ | M_RMP,
    M_FTZ = PTX_FTZ,
    M_SAT = PTX_SAT,
    M_RELU = PTX_RELU,
    M_SATFINITE = PTX_SATFINITE,
    M_NAN = PTX_NAN,
    M_XORSIGN = PTX_XORSIGN,
    M_RINT = 1 << 17, /* .rni .rzi .rmi .rpi */
    M_RNA = PTX_RNA,
    M_OOB = PTX_OOB,
    M_IMM = 1 << 18,  /* one more operand, an integer immediate */
    M_SHORT = 1 << 19 /* 16-bit flag sets end here: nothing above is stored in code_insn.mods */
};

#endif
