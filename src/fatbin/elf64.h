/* Internal to fatbin: a bounds-checked reader of 64-bit little-endian ELF files, as far as this room needs it. */
#ifndef LW_FATBIN_ELF64_H
#define LW_FATBIN_ELF64_H

#include "base/base.h"

#define ELF64_EM_CUDA 190

struct elf64 {
    lw_span file;
    uint8_t abi_version; /* e_ident[8] */
    uint16_t type, machine;
    uint32_t flags;
    uint64_t section_offset;
    uint32_t section_count; /* the section headers lie inside the file */
    lw_span section_names;
};

struct elf64_section {
    const char *name; /* NUL-terminated inside the file; "" if it has none */
    uint32_t type, link, info;
    uint64_t size;
    lw_span data; /* empty for SHT_NOBITS, and if it does not lie inside the file */
    uint64_t offset;
    bool inside; /* data lies inside the file (or needs no place) */
};

struct elf64_symbol {
    const char *name;
    uint8_t type;
    uint16_t section; /* 0: undefined */
    uint64_t value, size;
};

/* Whether bytes start like an ELF file of any class. */
bool elf64_magic(lw_span bytes);
/* LW_UNSUPPORTED: no 64-bit little-endian ELF. LW_CORRUPT: headers outside the file. */
lw_status elf64_open(lw_span file, struct elf64 *out, lw_error *error);
/* Section index < section_count. */
struct elf64_section elf64_section_at(const struct elf64 *elf, uint32_t index);
/* The first section from *index on with this name; *index moves behind it. */
bool elf64_find(const struct elf64 *elf, const char *name, uint32_t *index, struct elf64_section *out);
/* The NUL-terminated text at offset of a string table; "" if it leaves it. */
const char *elf64_text(lw_span table, uint64_t offset);
/* Symbols of a section of type SHT_SYMTAB or SHT_DYNSYM: how many, and one of them (index < count). */
uint64_t elf64_symbol_count(const struct elf64_section *table);
struct elf64_symbol elf64_symbol_at(const struct elf64 *elf, const struct elf64_section *table, uint64_t index);
/* Bytes of the ELF file at image, whose size is not known: the end of what its headers name. */
uint64_t elf64_size_in_memory(const void *image);

#endif
