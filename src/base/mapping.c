/* What lies at an address of this process, read from /proc/self/maps (proc(5)): lines "from-to rwxp offset dev inode name",
 * by ascending address. */
#include "base/mapping.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct line_reader {
    int fd;
    size_t at, filled;
    char bytes[4096];
} line_reader;

static bool next_byte(line_reader *r, char *out)
{
    if (r->at == r->filled) {
        ssize_t got = read(r->fd, r->bytes, sizeof r->bytes);
        if (got <= 0) return false;
        r->filled = (size_t)got;
        r->at = 0;
    }
    *out = r->bytes[r->at++];
    return true;
}

/* A line without its end, cut to the room; false: there is none. */
static bool next_line(line_reader *r, char *line, size_t room)
{
    size_t n = 0;
    char c = 0;
    while (next_byte(r, &c) && c != '\n')
        if (n + 1 < room) line[n++] = c;
    line[n] = 0;
    return n || c == '\n';
}

/* The first address behind what is loaded of the ELF file that is mapped from base: its .bss may be anonymous memory,
 * which the kernel shows as one mapping with what others mapped behind it. */
static uint64_t loaded_end(uint64_t base)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(uintptr_t)base;
    uint64_t end = 0;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > 4096 - sizeof *header) return 0;
    const Elf64_Phdr *part = (const Elf64_Phdr *)(uintptr_t)(base + header->e_phoff);
    uint64_t first = header->e_type == ET_EXEC ? 0 : base;
    for (uint32_t i = 0; i < header->e_phnum && (uint64_t)(uintptr_t)(part + i + 1) <= base + 4096; i++)
        if (part[i].p_type == PT_LOAD) end = LW_MAX(end, first + part[i].p_vaddr + part[i].p_memsz);
    return end;
}

/* One line: whether that mapping holds the address. *end: the first address behind the one before, of out->file. */
static bool read_mapping(const char *line, lw_mapping *out, uint64_t *end, uint64_t address)
{
    char *rest;
    uint64_t from = strtoull(line, &rest, 16);
    uint64_t to = *rest == '-' ? strtoull(rest + 1, &rest, 16) : 0;
    size_t permissions = strspn(rest, " ");
    const char *name = strpbrk(rest, "/[");
    bool readable = permissions && rest[permissions] == 'r';
    out->writable = readable && rest[permissions + 1] == 'w';
    snprintf(out->name, sizeof out->name, "%s", name ? name : "");
    bool is_file = out->name[0] == '/';
    bool is_bss = !out->name[0] && out->file[0] && from == *end && address < loaded_end(out->base);
    if (is_file && readable && strcmp(out->name, out->file)) {
        snprintf(out->file, sizeof out->file, "%s", out->name);
        out->base = from;
    } else if (!is_file && !is_bss) {
        out->file[0] = 0;
    }
    *end = is_file ? to : 0;
    return address >= from && address < to;
}

bool lw_mapping_at(uint64_t address, lw_mapping *out)
{
    char line[1200];
    uint64_t end = 0;
    bool found = false;
    line_reader r = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    *out = (lw_mapping){.base = 0};
    if (r.fd < 0) return false;
    while (!found && next_line(&r, line, sizeof line)) found = read_mapping(line, out, &end, address);
    close(r.fd);
    return found;
}
