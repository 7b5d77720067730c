/* operand.h: operands lane by lane, for micro-operations that are too rare to be loops of their own over 32 lanes. */
#ifndef LW_EXEC_OPERAND_H
#define LW_EXEC_OPERAND_H

#include "exec/exec_priv.h"

/* For every lane l of mask. */
#define LANES_OF(mask) for (uint32_t m_ = (mask), l; m_ && (l = (uint32_t)__builtin_ctz(m_), 1); m_ &= m_ - 1)

/* The same from the highest lane down. */
#define LANES_DOWN(mask)                                                                                               \
    for (uint32_t m_ = (mask), l; m_ && (l = 31u - (uint32_t)__builtin_clz(m_), 1); m_ &= ~(1u << l))

/* Where a lane's part of an operand lies in its lane file; bytes: of a lane. */
static inline uint8_t *exec_lane_bytes(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    return x->file[ref & 3] + (ref & ~3u) + (size_t)lane * bytes;
}

/* An unsigned lane of 8 or 4 bytes. */
static inline uint64_t exec_lane_uint(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane)
{
    return bytes == 8 ? LANES(uint64_t, ref)[lane] : LANES(uint32_t, ref)[lane];
}

static inline void exec_set_lane_uint(const exec_ctx *x, code_ref ref, uint32_t bytes, uint32_t lane, uint64_t value)
{
    if (bytes == 8) LANES(uint64_t, ref)[lane] = value;
    else LANES(uint32_t, ref)[lane] = (uint32_t)value;
}

#endif
