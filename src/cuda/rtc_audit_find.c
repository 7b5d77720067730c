/* What stands in for the C library in the audit library: texts, and functions by their names. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

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

/* Through the table DT_GNU_HASH {buckets, first symbol, words of the filter, shift; filter, buckets, chains}. dlsym cannot be
 * asked: it knows no library that was loaded with the program. */
static const Elf64_Sym *find_symbol(const struct link_map *map, const char *name)
{
    const uint32_t *table = dynamic(map, DT_GNU_HASH);
    const Elf64_Sym *symbols = dynamic(map, DT_SYMTAB);
    const char *texts = dynamic(map, DT_STRTAB);
    uint32_t hash = 5381;
    if (!table || !symbols || !texts || !table[0]) return NULL;
    for (const char *p = name; *p; p++) hash = hash * 33 + (unsigned char)*p;
    const uint32_t *buckets = table + 4 + 2 * table[2], *chains = buckets + table[0];
    for (uint32_t i = buckets[hash % table[0]]; i >= table[1]; i++) {
        uint32_t here = chains[i - table[1]];
        if ((here | 1) == (hash | 1) && la_same(texts + symbols[i].st_name, name) && symbols[i].st_shndx != SHN_UNDEF)
            return &symbols[i];
        if (here & 1) break; /* the chain's last */
    }
    return NULL;
}

uintptr_t la_find(const struct link_map *map, const char *name)
{
    const Elf64_Sym *symbol = find_symbol(map, name);
    return symbol ? map->l_addr + symbol->st_value : 0;
}

static bool protect(uintptr_t page, size_t bytes, int access)
{
    long result = SYS_mprotect;
    __asm__ volatile("syscall" : "+a"(result) : "D"(page), "S"(bytes), "d"(access) : "rcx", "r11", "memory");
    return !result;
}

uintptr_t la_replace(const struct link_map *map, const char *name, uintptr_t ours)
{
    const uintptr_t page = 4096;
    Elf64_Sym *symbol = (Elf64_Sym *)find_symbol(map, name);
    if (!symbol) return 0;
    uintptr_t real = map->l_addr + symbol->st_value;
    uintptr_t from = (uintptr_t)symbol / page * page;
    uintptr_t to = ((uintptr_t)(symbol + 1) + page - 1) / page * page;
    if (real != ours && protect(from, to - from, PROT_READ | PROT_WRITE)) {
        symbol->st_value = ours - map->l_addr;
        protect(from, to - from, PROT_READ);
    }
    return real;
}
