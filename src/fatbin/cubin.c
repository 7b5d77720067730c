/* What the assembler's output says of a kernel: a cubin is an ELF-64 file for machine 190 (measured with CUDA 13.0).
 *
 * - Section .nv.info holds attributes {u8 format, u8 attribute, u16 value or size, size bytes if format is 4}. Of a
 *   function's symbol index and a number are: 0x2f registers, 0x11 frame bytes, 0x12 least stack bytes with calls.
 *   Both stack numbers equal what "ptxas -v" calls stack frame and cumulative stack size.
 * - Older files say the registers also in bits 24-31 of sh_info of section .text.<kernel>: used when 0x2f is missing.
 * - The size of section .nv.shared.<kernel> is the static shared memory; from sm_90 on with the 1024 bytes the system
 *   keeps for itself per block (sm_80 to sm_89 keep them too, but do not count them there).
 * - From sm_70 on an instruction has 16 bytes: the low 12 bits are its operation (some have two: with a register or not),
 *   the next 4 what guards it, and of loads and stores bits 73-75 say how wide they are.
 * Limits: dynamic shared memory and indirect calls are not to be seen here. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/format.h"

enum { INFO_FORMAT_BYTES = 4, INFO_FRAME_SIZE = 0x11, INFO_MIN_STACK_SIZE = 0x12, INFO_REGISTERS = 0x2f };
#define RESERVED_SHARED 1024u

bool fatbin_cubin_has_code(lw_span cubin)
{
    struct fatbin_elf elf;
    static const char text[] = ".text.";
    if (fatbin_elf_open(cubin, &elf, NULL) != LW_OK) return true; /* who knows */
    for (uint32_t i = 0; i < elf.section_count; i++)
        if (!strncmp(fatbin_elf_section_at(&elf, i).name, text, sizeof text - 1)) return true;
    return false;
}

/* The kernel's symbol: its index in the table, or 0. */
static uint64_t find_function(const struct fatbin_elf *elf, const char *name, struct fatbin_elf_symbol *out)
{
    struct fatbin_elf_section symbols;
    for (uint32_t i = 0; fatbin_elf_find(elf, ".symtab", &i, &symbols);) {
        uint64_t count = fatbin_elf_symbol_count(&symbols);
        for (uint64_t n = 1; n < count; n++) {
            *out = fatbin_elf_symbol_at(elf, &symbols, n);
            if (out->type == STT_FUNC && out->section && !strcmp(out->name, name)) return n;
        }
    }
    return 0;
}

/* Attributes of one symbol from .nv.info; true if the registers are among them. */
static bool read_info(lw_span info, uint64_t symbol, struct fatbin_kernel_info *out)
{
    bool found = false;
    for (size_t at = 0; at + 4 <= info.size;) {
        const uint8_t *p = info.data + at;
        uint32_t size = p[0] == INFO_FORMAT_BYTES ? lw_read_u16(p + 2) : 0;
        at += 4;
        if (size > info.size - at) break;
        at += size;
        if (size != 8 || lw_read_u32(p + 4) != symbol) continue;
        uint32_t value = lw_read_u32(p + 8);
        if (p[1] == INFO_REGISTERS) {
            out->registers = value;
            found = true;
        } else if (p[1] == INFO_FRAME_SIZE || p[1] == INFO_MIN_STACK_SIZE) {
            out->stack_bytes = LW_MAX(out->stack_bytes, value);
        }
    }
    return found;
}

static uint32_t shared_bytes(const struct fatbin_elf *elf, const char *name)
{
    struct fatbin_elf_section s;
    uint32_t i = 0;
    char *section = lw_printf(".nv.shared.%s", name);
    uint64_t size = fatbin_elf_find(elf, section, &i, &s) ? s.size : 0;
    free(section);
    if (size > UINT32_MAX) return 0;
    return (uint32_t)(fatbin_elf_sm(elf) >= 90 && size >= RESERVED_SHARED ? size - RESERVED_SHARED : size);
}

/* Which loads or stores an instruction is among; NULL: it is neither, or wider than any. */
static uint32_t *access_of(struct fatbin_kernel_info *info, const uint8_t *insn)
{
    enum { OPERATION = 0xfff, NEVER = 0xf, WIDTH_BYTE = 9, WIDTH_SHIFT = 1 };
    static const struct {
        uint16_t operation;
        uint8_t space, direction;
    } operations[] = {
        {0x980, FATBIN_GENERIC, FATBIN_LOADS},  {0x981, FATBIN_GLOBAL, FATBIN_LOADS},
        {0x984, FATBIN_SHARED, FATBIN_LOADS},   {0x983, FATBIN_LOCAL, FATBIN_LOADS},
        {0x385, FATBIN_GENERIC, FATBIN_STORES}, {0x985, FATBIN_GENERIC, FATBIN_STORES},
        {0x386, FATBIN_GLOBAL, FATBIN_STORES},  {0x986, FATBIN_GLOBAL, FATBIN_STORES},
        {0x388, FATBIN_SHARED, FATBIN_STORES},  {0x988, FATBIN_SHARED, FATBIN_STORES},
        {0x387, FATBIN_LOCAL, FATBIN_STORES},   {0x987, FATBIN_LOCAL, FATBIN_STORES},
    };
    static const uint8_t widths[] = {0, 0, 1, 1, 2, 3, 4}; /* unsigned and signed bytes and halves, then words */
    uint16_t word = lw_read_u16(insn);
    uint32_t width = insn[WIDTH_BYTE] >> WIDTH_SHIFT & 7;
    if (word >> 12 == NEVER || width >= LW_COUNT(widths)) return NULL;
    for (size_t k = 0; k < LW_COUNT(operations); k++)
        if ((word & OPERATION) == operations[k].operation)
            return &info->accesses[operations[k].space][operations[k].direction][widths[width]];
    return NULL;
}

static void count_accesses(const struct fatbin_elf *elf, const char *name, struct fatbin_kernel_info *out)
{
    enum { INSN_BYTES = 16 };
    struct fatbin_elf_section s;
    uint32_t i = 0;
    char *section = lw_printf(".text.%s", name);
    bool found = fatbin_elf_find(elf, section, &i, &s);
    free(section);
    memset(out->accesses, 0, sizeof out->accesses);
    for (uint64_t at = 0; found && at + INSN_BYTES <= s.data.size; at += INSN_BYTES) {
        uint32_t *access = access_of(out, s.data.data + at);
        if (access) ++*access;
    }
}

lw_status fatbin_cubin_kernel(lw_span cubin, const char *name, struct fatbin_kernel_info *out, lw_error *error)
{
    struct fatbin_elf elf;
    struct fatbin_elf_section s;
    struct fatbin_elf_symbol function;
    uint32_t i = 0;
    LW_TRY(fatbin_elf_open(cubin, &elf, error));
    if (elf.machine != EM_CUDA) return lw_fail(error, LW_UNSUPPORTED, "not a cubin (ELF machine %u)", elf.machine);
    uint64_t symbol = find_function(&elf, name, &function);
    if (!symbol) return lw_fail(error, LW_NOT_FOUND, "the machine code has no kernel '%s'", name);
    out->registers = out->stack_bytes = 0;
    bool found = fatbin_elf_find(&elf, ".nv.info", &i, &s) && read_info(s.data, symbol, out);
    if (!found && function.section < elf.section_count)
        out->registers = fatbin_elf_section_at(&elf, function.section).info >> 24;
    if (!out->registers)
        return lw_fail(error, LW_NOT_FOUND, "the machine code of '%s' does not state its registers", name);
    out->shared_bytes = shared_bytes(&elf, name);
    count_accesses(&elf, name, out);
    return LW_OK;
}

/* Unpacks the cubin and reads the kernel from it; LW_NOT_FOUND, without words in *error, if it is not there. */
static lw_status try_entry(const struct fatbin_entry *e, const char *name, struct fatbin_kernel_info *out,
                           lw_error *error)
{
    lw_arena arena = {0};
    lw_span cubin;
    struct fatbin_kernel_info info = {.sm = e->sm, .arch_suffix = e->arch_suffix};
    lw_status status = fatbin_unpack(e, &arena, &cubin, error);
    if (status == LW_OK) {
        lw_error unused = {0}; /* not found here is no failure yet */
        status = fatbin_cubin_kernel(cubin, name, &info, &unused);
        if (status != LW_OK && status != LW_NOT_FOUND)
            lw_fail(error, status, "fatbin: entry at offset %llu: %s", (unsigned long long)e->offset, unused.message);
    }
    if (status == LW_OK) *out = info;
    lw_arena_free(&arena);
    return status;
}

/* The newest entry that fits and has the kernel; NULL in *best: none. */
static lw_status find_kernel(const fatbin_entries *entries, uint32_t sm, bool arch_features, const char *name,
                             const struct fatbin_entry **best, struct fatbin_kernel_info *out, lw_error *error)
{
    lw_status status = LW_OK;
    *best = NULL;
    for (size_t i = 0; status == LW_OK && i < entries->count; i++) {
        const struct fatbin_entry *e = &entries->items[i];
        if (!fatbin_cubin_fits(e, sm, arch_features) || (*best && !fatbin_better(e, *best))) continue;
        status = try_entry(e, name, out, error);
        if (status == LW_OK) *best = e;
        if (status == LW_NOT_FOUND) status = LW_OK;
    }
    if (status == LW_OK && !*best) status = lw_fail(error, LW_NOT_FOUND, "no machine code of '%s' for sm_%u", name, sm);
    return status;
}

lw_status fatbin_kernel(lw_span bytes, uint32_t sm, bool arch_features, const char *name,
                        struct fatbin_kernel_info *out, lw_error *error)
{
    fatbin_entries entries = {0};
    const struct fatbin_entry *best;
    *out = (struct fatbin_kernel_info){0};
    lw_status status = fatbin_walk(bytes, &entries, error);
    if (status == LW_OK) status = find_kernel(&entries, sm, arch_features, name, &best, out, error);
    lw_vec_free(&entries);
    return status;
}

lw_status fatbin_frames(lw_span bytes, uint32_t sm, bool arch_features, const char *kernel, struct fatbin_frame *frames,
                        size_t count, lw_error *error)
{
    fatbin_entries entries = {0};
    const struct fatbin_entry *best;
    struct fatbin_kernel_info info;
    lw_arena arena = {0};
    lw_span cubin;
    lw_status status = fatbin_walk(bytes, &entries, error);
    if (status == LW_OK) status = find_kernel(&entries, sm, arch_features, kernel, &best, &info, error);
    if (status == LW_OK) status = fatbin_unpack(best, &arena, &cubin, error);
    if (status == LW_OK) status = fatbin_cubin_frames(cubin, kernel, frames, count, error);
    lw_arena_free(&arena);
    lw_vec_free(&entries);
    return status;
}
