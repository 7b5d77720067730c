/* decode_multimem.c: multimem.ld_reduce, multimem.st, multimem.red: accesses to one location on several devices.
 *
 * There is one device here, so the reduction of one value is that value: they are decoded as the plain load, store or
 * reduction of the same words, without what names the accuracy of sums. Types of 8 bits need sm_100a. */
#include "code/decode.h"

#include <stdio.h>
#include <string.h>

#include "code/plan.h"

/* Words that a plain access does not have: of ld_reduce the operation, and how sums are kept. */
static bool is_dropped(const decode_parts *p, uint32_t k, bool loads)
{
    if (decode_word_in("acc::f16 acc::f32", p->part[k], p->size[k])) return true;
    return loads && decode_word_in("add min max and or xor", p->part[k], p->size[k]);
}

/* Loads move bits: a type of as many. */
static const char *plain_type(const decode_parts *p, uint32_t k, bool loads)
{
    ptx_type type = decode_part_type(p, k);
    if (!loads || (type != PTX_F16 && type != PTX_BF16 && type != PTX_F16X2 && type != PTX_BF16X2)) return NULL;
    return ptx_type_bytes(type) == 2 ? "b16" : "b32";
}

/* The mnemonic of the plain access. */
static const char *plain_mnemonic(decoder *d, const decode_parts *p, const char *opcode)
{
    bool loads = !strcmp(opcode, "ld");
    char text[256];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", opcode);
    for (uint32_t k = 2; k < p->count && n < sizeof text; k++) {
        const char *type = plain_type(p, k, loads);
        if (is_dropped(p, k, loads)) continue;
        if (type) n += (size_t)snprintf(text + n, sizeof text - n, ".%s", type);
        else n += (size_t)snprintf(text + n, sizeof text - n, ".%.*s", (int)p->size[k], p->part[k]);
    }
    char *kept = lw_arena_alloc(d->arena, strlen(text) + 1);
    return strcpy(kept, text);
}

static void decode_as(decoder *d, const char *opcode, decode_fn decode)
{
    decode_parts p = decode_split(d->in->mnemonic);
    const ptx_insn *stated = d->in;
    if (decode_refused_word(d, &p)) return;
    ptx_insn plain = *stated;
    plain.mnemonic = plain_mnemonic(d, &p, opcode);
    d->in = &plain;
    decode(d);
    d->in = stated;
    if (!d->kernel->no_count_plan) plan_mark(d, d->site, PLAN_MULTIMEM);
}

void decode_multimem_ld_reduce(decoder *d) { decode_as(d, "ld", decode_ld); }
void decode_multimem_st(decoder *d) { decode_as(d, "st", decode_st); }
void decode_multimem_red(decoder *d) { decode_as(d, "red", decode_red); }
