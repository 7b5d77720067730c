/* The function of a program or library that an address lies in, by its symbol table. */
#include <elf.h>
#include <stdio.h>

#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

static bool find(const struct fatbin_elf *elf, const struct fatbin_elf_section *table, uint64_t address,
                 struct fatbin_function *out)
{
    uint64_t count = fatbin_elf_symbol_count(table);
    for (uint64_t n = 0; n < count; n++) {
        struct fatbin_elf_symbol s = fatbin_elf_symbol_at(elf, table, n);
        if (s.type != STT_FUNC || !s.section || address < s.value || address - s.value >= s.size) continue;
        snprintf(out->name, sizeof out->name, "%s", s.name);
        out->from = s.value;
        return true;
    }
    return false;
}

bool fatbin_function_at(lw_span file, uint64_t address, struct fatbin_function *out)
{
    struct fatbin_elf elf;
    if (fatbin_elf_open(file, &elf, NULL)) return false;
    for (uint32_t i = 0; i < elf.section_count; i++) {
        struct fatbin_elf_section s = fatbin_elf_section_at(&elf, i);
        if ((s.type == SHT_SYMTAB || s.type == SHT_DYNSYM) && find(&elf, &s, address, out)) return true;
    }
    return false;
}
