/* moves.c: micro-operations that move bits between registers: selection, packing, bit fields, lop3 with a predicate. */
#include "exec/operand.h"
#include "ptx/semantics.h"

#include <string.h>

/* ---------------------------------------------------------------- selection */
#ifdef __clang__
#define INDEPENDENT_LANES /* clang does not know the pragma */
#else
#define INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif
/* Tested with AND, since hosts shift all lanes of a vector by one count only. */
static const uint32_t lane_bit[32] = {1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                      1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
                                      1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
                                      1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
#define SELECT(name, T)                                                                                                \
    void name(exec_ctx *x, const code_insn *i, uint32_t mask)                                                          \
    {                                                                                                                  \
        T *d = LANES(T, i->d);                                                                                         \
        const T *a = LANES(T, i->a), *b = LANES(T, i->b);                                                              \
        uint32_t p = PREDICATE(i->c);                                                                                  \
        INDEPENDENT_LANES for (uint32_t l = 0; l < 32; l++)                                                            \
        {                                                                                                              \
            T first = a[l], second = b[l], kept = d[l];                                                                \
            T v = p & lane_bit[l] ? first : second;                                                                    \
            d[l] = mask & lane_bit[l] ? v : kept;                                                                      \
        }                                                                                                              \
    }
SELECT(run_selp16, uint16_t)
SELECT(run_selp32, uint32_t)
SELECT(run_selp64, uint64_t)

void run_select_pred(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t p = PREDICATE(i->c);
    uint8_t *d = x->file[i->d & 3] + (i->d & ~3u);
    LANES_OF(mask)
    {
        uint64_t v = p >> l & 1 ? i->value.bits : 0;
        memcpy(d + (size_t)l * i->value.bytes, &v, i->value.bytes);
    }
}

void run_mov128(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint8_t *d = LANES(uint8_t, i->d);
    const uint8_t *a = LANES(uint8_t, i->a);
    LANES_OF(mask) memmove(d + 16 * l, a + 16 * l, 16);
}

void run_pack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    uint8_t *d = LANES(uint8_t, i->d);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        const uint8_t *s = x->file[list->ref[k] & 3] + (list->ref[k] & ~3u);
        LANES_OF(mask)
        memcpy(d + (size_t)l * i->pack.whole_bytes + k * i->pack.bytes, s + (size_t)l * i->pack.bytes, i->pack.bytes);
    }
}

void run_unpack(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->pack.list;
    const uint8_t *s = LANES(uint8_t, i->a);
    for (uint32_t k = 0; k < i->pack.count; k++) {
        if (list->ref[k] == CODE_NO_REF) continue;
        uint8_t *d = x->file[list->ref[k] & 3] + (list->ref[k] & ~3u);
        LANES_OF(mask)
        memcpy(d + (size_t)l * i->pack.bytes, s + (size_t)l * i->pack.whole_bytes + k * i->pack.bytes, i->pack.bytes);
    }
}

void run_bfi32(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t *d = LANES(uint32_t, i->d);
    const uint32_t *a = LANES(uint32_t, i->a), *b = LANES(uint32_t, i->b), *c = LANES(uint32_t, i->c),
                   *e = LANES(uint32_t, i->e);
    LANES_OF(mask) d[l] = bfi_b32(a[l], b[l], c[l], e[l]);
}

void run_bfi64(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint64_t *d = LANES(uint64_t, i->d);
    const uint64_t *a = LANES(uint64_t, i->a), *b = LANES(uint64_t, i->b);
    const uint32_t *c = LANES(uint32_t, i->c), *e = LANES(uint32_t, i->e);
    LANES_OF(mask) d[l] = bfi_b64(a[l], b[l], c[l], e[l]);
}

void run_lop3_pred(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    const code_list *list = i->lop3.list;
    uint32_t *d = LANES(uint32_t, i->d), word = 0, q = PREDICATE(list->ref[1]);
    const uint32_t *a = LANES(uint32_t, i->a), *b = LANES(uint32_t, i->b), *c = LANES(uint32_t, i->c);
    LANES_OF(mask)
    {
        uint32_t v = lop3(a[l], b[l], c[l], i->lop3.table);
        d[l] = v;
        word |= (uint32_t)(v != 0) << l;
    }
    word = i->lop3.is_and ? word & q : word | q;
    PREDICATE(list->ref[0]) = (PREDICATE(list->ref[0]) & ~mask) | (word & mask);
}
