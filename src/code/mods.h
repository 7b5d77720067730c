/* code/mods.h: modifier flags of a decoded instruction (code_insn.mods) and the M_* sets that rows of insns.def allow.
 */
#ifndef LW_CODE_MODS_H
#define LW_CODE_MODS_H

enum {
    CODE_RND_RN = 0, /* to nearest even */
    CODE_RND_RZ = 1,
    CODE_RND_RM = 2, /* towards minus infinity */
    CODE_RND_RP = 3,
    CODE_RND_MASK = 3,
    CODE_FTZ = 4,
    CODE_SAT = 8,
    CODE_RELU = 16,
    CODE_SATFINITE = 32,
    CODE_NAN = 64,
    CODE_XORSIGN = 128, /* .xorsign.abs */
    CODE_RINT = 256,    /* .rni .rzi .rmi .rpi: round to an integral value in the direction of CODE_RND_MASK */
    CODE_RNA = 512,     /* to nearest, ties away from zero (cvt to tf32) */
    CODE_OOB = 1024,
    /* what rows allow */
    M_RN = 1 << 16,  /* .rn */
    M_RZ = 1 << 20,  /* .rz */
    M_RMP = 1 << 21, /* .rm .rp */
    M_RND = M_RN | M_RZ | M_RMP,
    M_FTZ = CODE_FTZ,
    M_SAT = CODE_SAT,
    M_RELU = CODE_RELU,
    M_SATFINITE = CODE_SATFINITE,
    M_NAN = CODE_NAN,
    M_XORSIGN = CODE_XORSIGN,
    M_RINT = 1 << 17, /* .rni .rzi .rmi .rpi */
    M_RNA = CODE_RNA,
    M_OOB = CODE_OOB,
    M_IMM = 1 << 18,  /* one more operand, an integer immediate */
    M_SHORT = 1 << 19 /* 16-bit flag sets end here: nothing above is stored in code_insn.mods */
};

#endif
