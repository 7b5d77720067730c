/* A small reader of ELF-64, little endian: header, section headers, string tables, symbols. Format: System V ABI,
 * chapter 4; the structures are <elf.h>'s. The file may lie at any address and is not trusted: structures are copied
 * out, a section that leaves the file reads as empty. Limits: no 32-bit or big-endian files, no program headers but to
 * find an image's size. */
#include "fatbin/elf.h"
#include "fatbin/fatbin.h"

#include <elf.h>
#include <string.h>

_Static_assert(FATBIN_ELF_EM_CUDA == EM_CUDA, "machine number of cubins");

bool fatbin_elf_magic(lw_span bytes) { return bytes.size >= SELFMAG && !memcmp(bytes.data, ELFMAG, SELFMAG); }

static bool read_section_header(const struct fatbin_elf *elf, uint32_t index, Elf64_Shdr *out)
{
    lw_span at;
    if (!lw_span_slice(elf->file, elf->section_offset + (uint64_t)index * sizeof *out, sizeof *out, &at)) return false;
    memcpy(out, at.data, sizeof *out);
    return true;
}

/* Section numbers that do not fit the file header stand in section header 0. */
static lw_status open_sections(struct fatbin_elf *elf, const Elf64_Ehdr *h, lw_error *error)
{
    Elf64_Shdr first;
    elf->section_offset = h->e_shoff;
    if (h->e_shoff > elf->file.size || !read_section_header(elf, 0, &first))
        return lw_fail(error, LW_CORRUPT, "ELF file: section headers at offset %llu of %zu bytes",
                       (unsigned long long)h->e_shoff, elf->file.size);
    uint64_t count = h->e_shnum ? h->e_shnum : first.sh_size;
    uint32_t names = h->e_shstrndx == SHN_XINDEX ? first.sh_link : h->e_shstrndx;
    if (h->e_shentsize != sizeof(Elf64_Shdr) || count > (elf->file.size - h->e_shoff) / sizeof(Elf64_Shdr))
        return lw_fail(error, LW_CORRUPT, "ELF file: %llu section headers of %u bytes at offset %llu of %zu bytes",
                       (unsigned long long)count, h->e_shentsize, (unsigned long long)h->e_shoff, elf->file.size);
    elf->section_count = (uint32_t)count;
    if (names < count) elf->section_names = fatbin_elf_section_at(elf, names).data;
    return LW_OK;
}

lw_status fatbin_elf_open(lw_span file, struct fatbin_elf *out, lw_error *error)
{
    Elf64_Ehdr h;
    *out = (struct fatbin_elf){.file = file};
    if (!fatbin_elf_magic(file)) return lw_fail(error, LW_UNSUPPORTED, "not an ELF file");
    if (file.size < sizeof h) return lw_fail(error, LW_CORRUPT, "ELF file: cut off after %zu bytes", file.size);
    memcpy(&h, file.data, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
        return lw_fail(error, LW_UNSUPPORTED, "ELF file: not 64-bit little-endian");
    out->abi_version = h.e_ident[EI_ABIVERSION];
    out->type = h.e_type;
    out->machine = h.e_machine;
    out->flags = h.e_flags;
    return h.e_shoff ? open_sections(out, &h, error) : LW_OK;
}

struct fatbin_elf_section fatbin_elf_section_at(const struct fatbin_elf *elf, uint32_t index)
{
    Elf64_Shdr h;
    struct fatbin_elf_section s = {.name = ""};
    if (!read_section_header(elf, index, &h)) return s;
    s.name = fatbin_elf_text(elf->section_names, h.sh_name);
    s.type = h.sh_type;
    s.link = h.sh_link;
    s.info = h.sh_info;
    s.flags = h.sh_flags;
    s.size = h.sh_size;
    s.offset = h.sh_offset;
    s.inside = h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL;
    if (!s.inside) s.inside = lw_span_slice(elf->file, h.sh_offset, h.sh_size, &s.data);
    return s;
}

bool fatbin_elf_find(const struct fatbin_elf *elf, const char *name, uint32_t *index, struct fatbin_elf_section *out)
{
    while (*index < elf->section_count) {
        *out = fatbin_elf_section_at(elf, (*index)++);
        if (!strcmp(out->name, name)) return true;
    }
    return false;
}

const char *fatbin_elf_text(lw_span table, uint64_t offset)
{
    /* a well-formed table ends in NUL, so every text in it ends */
    if (offset >= table.size || table.data[table.size - 1]) return "";
    return (const char *)table.data + offset;
}

uint64_t fatbin_elf_symbol_count(const struct fatbin_elf_section *table)
{
    return table->type == SHT_SYMTAB || table->type == SHT_DYNSYM ? table->data.size / sizeof(Elf64_Sym) : 0;
}

struct fatbin_elf_symbol fatbin_elf_symbol_at(const struct fatbin_elf *elf, const struct fatbin_elf_section *table,
                                              uint64_t index)
{
    Elf64_Sym s;
    memcpy(&s, table->data.data + index * sizeof s, sizeof s);
    lw_span names = {0};
    if (table->link < elf->section_count) names = fatbin_elf_section_at(elf, table->link).data;
    return (struct fatbin_elf_symbol){fatbin_elf_text(names, s.st_name), ELF64_ST_TYPE(s.st_info), s.st_shndx,
                                      s.st_value, s.st_size};
}

uint64_t fatbin_elf_size_in_memory(const void *image)
{
    Elf64_Ehdr h;
    memcpy(&h, image, sizeof h);
    uint64_t end = sizeof h;
    if (h.e_phoff) end = LW_MAX(end, h.e_phoff + (uint64_t)h.e_phnum * sizeof(Elf64_Phdr));
    if (!h.e_shoff) return end;
    struct fatbin_elf elf = {.file = {image, SIZE_MAX / 2}};
    Elf64_Shdr s;
    elf.section_offset = h.e_shoff;
    if (!read_section_header(&elf, 0, &s)) return end;
    uint64_t count = h.e_shnum ? h.e_shnum : s.sh_size;
    end = LW_MAX(end, h.e_shoff + count * sizeof s);
    for (uint32_t i = 0; i < count && read_section_header(&elf, i, &s); i++)
        if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL) end = LW_MAX(end, s.sh_offset + s.sh_size);
    return end;
}

uint32_t fatbin_elf_sm(const struct fatbin_elf *elf)
{
    if (elf->machine != FATBIN_ELF_EM_CUDA) return 0;
    return (elf->abi_version >= 8 ? elf->flags >> 8 : elf->flags) & 0xff;
}

uint32_t fatbin_cubin_sm(lw_span cubin)
{
    struct fatbin_elf elf;
    return fatbin_elf_open(cubin, &elf, NULL) == LW_OK ? fatbin_elf_sm(&elf) : 0;
}
