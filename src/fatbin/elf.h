/* Internal to fatbin: a bounds-checked reader of 64-bit little-endian ELF files, as far as this room needs it. */
#ifndef LW_FATBIN_ELF_H
#define LW_FATBIN_ELF_H

#include "base/base.h"

#define FATBIN_ELF_EM_CUDA 190

struct fatbin_elf {
    lw_span file;
    uint8_t abi_version; /* e_ident[8] */
    uint16_t type, machine;
    uint32_t flags;
    uint64_t section_offset;
    uint32_t section_count; /* the section headers lie inside the file */
    lw_span section_names;
};

struct fatbin_elf_section {
    const char *name; /* NUL-terminated inside the file; "" if it has none */
    uint32_t type, link, info;
    uint64_t flags; /* SHF_* */
    uint64_t size;
    lw_span data; /* empty for SHT_NOBITS, and if it does not lie inside the file */
    uint64_t offset;
    bool inside; /* data lies inside the file (or needs no place) */
};

struct fatbin_elf_symbol {
    const char *name;
    uint8_t type;
    uint16_t section; /* 0: undefined */
    uint64_t value, size;
};

/* Whether bytes start like an ELF file of any class. */
bool fatbin_elf_magic(lw_span bytes);
/* LW_UNSUPPORTED: no 64-bit little-endian ELF. LW_CORRUPT: headers outside the file. */
lw_status fatbin_elf_open(lw_span file, struct fatbin_elf *out, lw_error *error);
/* Section index < section_count. */
struct fatbin_elf_section fatbin_elf_section_at(const struct fatbin_elf *elf, uint32_t index);
/* The first section from *index on with this name; *index moves behind it. */
bool fatbin_elf_find(const struct fatbin_elf *elf, const char *name, uint32_t *index, struct fatbin_elf_section *out);
/* The NUL-terminated text at offset of a string table; "" if it leaves it. */
const char *fatbin_elf_text(lw_span table, uint64_t offset);
/* Symbols of a section of type SHT_SYMTAB or SHT_DYNSYM: how many, and one of them (index < count). */
uint64_t fatbin_elf_symbol_count(const struct fatbin_elf_section *table);
struct fatbin_elf_symbol fatbin_elf_symbol_at(const struct fatbin_elf *elf, const struct fatbin_elf_section *table,
                                              uint64_t index);
/* Bytes of the ELF file at image, whose size is not known: the end of what its headers name. */
uint64_t fatbin_elf_size_in_memory(const void *image);

/* The SM number of machine code, 0 if it is none: bits 8-15 of e_flags with ELF ABI version 8, bits 0-7 before (measured
 * with CUDA 13.0). */
uint32_t fatbin_elf_sm(const struct fatbin_elf *elf);

#endif
