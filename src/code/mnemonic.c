/* mnemonic.c: "ld.global.v4.f32" in parts. Part 0 is the opcode; "::" stays inside a part ("shared::cta"). */
#include "code/decode.h"

#include <string.h>

decode_parts decode_split(const char *m)
{
    decode_parts p = {0};
    while (*m && p.count < LW_COUNT(p.part)) {
        size_t n = strcspn(m, ".");
        /* "::" stays inside a part: "shared::cta", "L1::evict_last" */
        p.part[p.count] = m;
        p.size[p.count++] = (uint8_t)LW_MIN(n, (size_t)255);
        m += n;
        if (*m == '.') m++;
    }
    return p;
}

bool decode_part_is(const decode_parts *p, uint32_t k, const char *text)
{
    return k < p->count && strlen(text) == p->size[k] && !memcmp(p->part[k], text, p->size[k]);
}

bool decode_parts_have(const decode_parts *p, const char *text)
{
    for (uint32_t k = 1; k < p->count; k++)
        if (decode_part_is(p, k, text)) return true;
    return false;
}

ptx_type decode_part_type(const decode_parts *p, uint32_t k)
{
    return k < p->count ? ptx_type_find(p->part[k], p->size[k]) : PTX_NO_TYPE;
}

ptx_type decode_last_type(const decode_parts *p)
{
    for (uint32_t k = p->count; k-- > 1;) {
        ptx_type t = decode_part_type(p, k);
        if (t != PTX_NO_TYPE) return t;
    }
    return PTX_NO_TYPE;
}

bool decode_word_in(const char *list, const char *word, size_t size)
{
    for (const char *at = list; *at;) {
        size_t n = strcspn(at, " ");
        if (n == size && !memcmp(at, word, n)) return true;
        at += n;
        at += strspn(at, " ");
    }
    return false;
}
