/* What stands in for the C library in the audit library: texts, and functions by their names. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

#include "cuda/rtc_audit.h"

bool la_same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

bool la_starts(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix) text++, prefix++;
    return !*prefix;
}

const char *la_base_name(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++)
        if (*p == '/') base = p + 1;
    return base;
}

/* One pointer of the dynamic section; glibc has made it an address. */
static const void *dynamic(const struct link_map *map, uint64_t tag)
{
    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if ((uint64_t)d->d_tag == tag) return (const void *)d->d_un.d_ptr;
    return NULL;
}

/* A function of the library through its table DT_GNU_HASH {buckets, first symbol, words of the filter, shift; filter,
 * buckets, chains}. dlsym cannot be asked: it knows no library that was loaded with the program. */
uintptr_t la_find(const struct link_map *map, const char *name)
{
    const uint32_t *table = dynamic(map, DT_GNU_HASH);
    const Elf64_Sym *symbols = dynamic(map, DT_SYMTAB);
    const char *texts = dynamic(map, DT_STRTAB);
    uint32_t hash = 5381;
    if (!table || !symbols || !texts || !table[0]) return 0;
    for (const char *p = name; *p; p++) hash = hash * 33 + (unsigned char)*p;
    const uint32_t *buckets = table + 4 + 2 * table[2], *chains = buckets + table[0];
    for (uint32_t i = buckets[hash % table[0]]; i >= table[1]; i++) {
        uint32_t here = chains[i - table[1]];
        if ((here | 1) == (hash | 1) && la_same(texts + symbols[i].st_name, name) && symbols[i].st_shndx != SHN_UNDEF)
            return map->l_addr + symbols[i].st_value;
        if (here & 1) break; /* the chain's last */
    }
    return 0;
}
