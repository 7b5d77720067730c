/* carry.c: extended precision: add, subtract and multiply-add with carry.
 *
 * Operand e is CC.CF. After a subtraction it is the carry of a + ~b + 1, so 1 means no borrow: nvcc's 128-bit division
 * reads it with addc after a chain of subc. */
#include "exec/operand.h"
#include "ptx/semantics.h"

typedef unsigned __int128 wide;

static uint32_t with_bit(uint32_t word, uint32_t lane, bool set)
{
    return set ? word | 1u << lane : word & ~(1u << lane);
}

void run_add_cc(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t carry = PREDICATE(i->e), out = carry, bytes = i->carry.bytes;
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, bytes, l);
        uint64_t b = exec_lane_uint(x, i->b, bytes, l);
        uint32_t in = i->carry.reads ? carry >> l & 1 : 0;
        if (i->carry.subtract) {
            uint32_t borrow = i->carry.reads ? !in : 0;
            exec_set_lane_uint(x, i->d, bytes, l, a - b - borrow);
            out = with_bit(out, l, a >= (wide)b + borrow);
        } else {
            wide sum = (wide)a + b + in;
            exec_set_lane_uint(x, i->d, bytes, l, (uint64_t)sum);
            out = with_bit(out, l, sum >> (8 * bytes) & 1);
        }
    }
    if (i->carry.writes) PREDICATE(i->e) = out;
}

/* One half of a product of two numbers of 8 or 4 bytes. */
static uint64_t product_of(const code_insn *i, uint64_t a, uint64_t b)
{
    bool is_long = i->carry.bytes == 8;
    if (!i->carry.high) return is_long ? a * b : (uint32_t)a * (uint32_t)b;
    if (is_long) return i->carry.is_signed ? (uint64_t)mul_hi_s64((int64_t)a, (int64_t)b) : mul_hi_u64(a, b);
    if (i->carry.is_signed) return (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32);
    return a * b >> 32;
}

void run_mad_cc(exec_ctx *x, const code_insn *i, uint32_t mask)
{
    uint32_t carry = PREDICATE(i->e), out = carry, bytes = i->carry.bytes;
    LANES_OF(mask)
    {
        uint64_t a = exec_lane_uint(x, i->a, bytes, l);
        uint64_t b = exec_lane_uint(x, i->b, bytes, l);
        uint64_t c = exec_lane_uint(x, i->c, bytes, l);
        uint32_t in = i->carry.reads ? carry >> l & 1 : 0;
        wide sum = (wide)product_of(i, a, b) + c + in;
        exec_set_lane_uint(x, i->d, bytes, l, (uint64_t)sum);
        out = with_bit(out, l, sum >> (8 * bytes) & 1);
    }
    if (i->carry.writes) PREDICATE(i->e) = out;
}
