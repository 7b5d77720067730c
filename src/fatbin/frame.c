/* What a function of machine code does to its thread's stack by itself: registers that belong to its caller it stores when
 * it begins, and loads back before it returns (machine code of ptxas 13.0 from sm_70 on, CUDA's ABI: functions that are
 * called by address, or that call themselves, and what these call).
 *
 * - A kernel's functions lie behind it in section .text.<kernel>, with symbols "$<kernel>$<function>", and what the
 *   assembler adds (slow paths of divisions) as "$__internal_<n>_$<function>"; the linker of -rdc=true gives each function
 *   a section of its own, with its plain name.
 * - An instruction has 16 bytes: operation (bits 0-11), guard (12-15), registers (16-23: written; 24-31: address; 32-39:
 *   stored), an offset (40-63) or a number (32-63), its width (73-75). R1 is the stack pointer.
 * - The saved registers lie above all else in the frame: arrays, and values that found no register. Each is stored by itself. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/format.h"

enum {
    INSN_BYTES = 16,
    ALWAYS = 7, /* guard: PT */
    STACK_POINTER = 1,
    WIDTH_4 = 4,
    MOST_SAVES = 256,
    OP_STL = 0x387,
    OP_LDL = 0x983,
    OP_VIADD = 0x836,
    OP_IADD3 = 0x810,
    OP_YIELD = 0x946,
    OP_RET = 0x950,
};

typedef struct machine_insn {
    uint32_t op, guard, written, address, stored, width;
    int32_t offset, number;
} machine_insn;

/* A register and its place in the frame. */
typedef struct saved_register {
    uint32_t number;
    int32_t offset;
    uint32_t restored; /* returns that load it back */
} saved_register;

typedef struct frame_reader {
    lw_span code;
    saved_register saves[MOST_SAVES];
    uint32_t count, returns;
} frame_reader;

static machine_insn insn_at(lw_span code, uint64_t at)
{
    uint64_t low = lw_read_u64(code.data + at), high = lw_read_u64(code.data + at + 8);
    return (machine_insn){
        .op = low & 0xfff,
        .guard = low >> 12 & 15,
        .written = low >> 16 & 255,
        .address = low >> 24 & 255,
        .stored = low >> 32 & 255,
        .offset = (int32_t)(low >> 32) >> 8,
        .number = (int32_t)(low >> 32),
        .width = high >> 9 & 7,
    };
}

/* Branches, calls, returns, exits, and where lanes meet: what ends a stretch of code that is executed as a whole. */
static bool ends_stretch(const machine_insn *i)
{
    uint32_t op = i->op & 0xff, form = i->op >> 8;
    bool branches = (op >= 0x41 && op <= 0x44) || (op >= 0x47 && op <= 0x4d) || op == 0x50 || op == 0x5b;
    return (form == 9 || form == 3) && branches;
}

/* Does it move a register to or from the frame, whatever the lanes hold? */
static bool moves_register(const machine_insn *i, uint32_t op)
{
    return i->op == op && i->guard == ALWAYS && i->address == STACK_POINTER && i->width == WIDTH_4;
}

/* Stores of registers before the first branch: those that returns load back are saves. */
static void find_stores(frame_reader *r, struct fatbin_frame *out)
{
    for (uint64_t at = 0; at + INSN_BYTES <= r->code.size; at += INSN_BYTES) {
        machine_insn i = insn_at(r->code, at);
        if (ends_stretch(&i)) return;
        bool moves = (i.op == OP_VIADD || i.op == OP_IADD3) && i.written == STACK_POINTER && i.address == STACK_POINTER;
        if (moves && i.number < 0 && !out->bytes) out->bytes = (uint32_t)-i.number;
        if (moves_register(&i, OP_STL) && r->count < MOST_SAVES)
            r->saves[r->count++] = (saved_register){i.stored, i.offset, 0};
    }
}

/* The loads before a return. */
static void find_restores(frame_reader *r, uint64_t end)
{
    r->returns++;
    while (end >= INSN_BYTES) {
        machine_insn i = insn_at(r->code, end -= INSN_BYTES);
        if (ends_stretch(&i)) return;
        if (!moves_register(&i, OP_LDL)) continue;
        for (uint32_t k = 0; k < r->count; k++) {
            saved_register *s = &r->saves[k];
            s->restored += s->number == i.written && s->offset == i.offset;
        }
    }
}

/* Drops stores that no return undoes. */
static void keep_saves(frame_reader *r, struct fatbin_frame *out)
{
    uint32_t kept = 0, lowest = out->bytes;
    for (uint32_t k = 0; k < r->count; k++) {
        saved_register *s = &r->saves[k];
        if (!r->returns || s->restored != r->returns) continue;
        r->saves[kept++] = *s;
        lowest = LW_MIN(lowest, (uint32_t)s->offset);
    }
    r->count = out->saves = kept;
    out->arrays = lowest;
}

/* What else uses the stack: nothing may where the saves lie. Behind a YIELD (before atomics) lanes that called apart go on together:
 * tests/programs2/sample_groups_barriers.cu, fill. */
static void count_others(const frame_reader *r, struct fatbin_frame *out)
{
    uint32_t above = 0, saves = r->count * (1 + r->returns);
    bool yields = false;
    for (uint64_t at = 0; at + INSN_BYTES <= r->code.size; at += INSN_BYTES) {
        machine_insn i = insn_at(r->code, at);
        bool loads = i.op == OP_LDL, stores = i.op == OP_STL;
        yields |= i.op == OP_YIELD;
        if (!loads && !stores) continue;
        bool is_above = i.address == STACK_POINTER && i.offset >= (int32_t)out->arrays;
        above += is_above;
        out->loads += loads && !is_above;
    }
    out->plain = above == saves && r->returns <= 1 && !yields;
}

static void read_frame(lw_span code, struct fatbin_frame *out)
{
    frame_reader *r = lw_alloc(sizeof *r);
    r->code = code;
    find_stores(r, out);
    for (uint64_t at = 0; at + INSN_BYTES <= code.size; at += INSN_BYTES)
        if (insn_at(code, at).op == OP_RET) find_restores(r, at);
    keep_saves(r, out);
    count_others(r, out);
    out->found = true;
    free(r);
}

/* The plain name of a function of the kernel; NULL: it belongs to another one. */
static const char *plain_name(const char *symbol, const char *kernel)
{
    static const char internal[] = "$__internal_";
    size_t length = strlen(kernel);
    if (symbol[0] != '$') return symbol;
    if (!strncmp(symbol + 1, kernel, length) && symbol[length + 1] == '$') return symbol + length + 2;
    if (strncmp(symbol, internal, sizeof internal - 1) != 0) return NULL;
    const char *name = strchr(symbol + 1, '$');
    return name ? name + 1 : NULL;
}

/* A kernel's own code ends where its first function begins: its symbol covers them, too. */
static uint64_t end_of(const struct fatbin_elf *elf, const struct fatbin_elf_section *table,
                       const struct fatbin_elf_symbol *f)
{
    uint64_t end = f->value + f->size, count = fatbin_elf_symbol_count(table);
    for (uint64_t n = 1; n < count; n++) {
        struct fatbin_elf_symbol s = fatbin_elf_symbol_at(elf, table, n);
        if (s.type == STT_FUNC && s.section == f->section && s.value > f->value) end = LW_MIN(end, s.value);
    }
    return end;
}

/* Those that the assembler adds have the same name in each kernel: the one in the kernel's section counts. */
static bool is_of_kernel(const struct fatbin_elf *elf, const struct fatbin_elf_symbol *s, const char *kernel)
{
    static const char text[] = ".text.";
    if (s->name[0] != '$') return true;
    const char *section = fatbin_elf_section_at(elf, s->section).name;
    return !strncmp(section, text, sizeof text - 1) && !strcmp(section + sizeof text - 1, kernel);
}

static void read_symbol(const struct fatbin_elf *elf, const struct fatbin_elf_section *table,
                        const struct fatbin_elf_symbol *s, struct fatbin_frame *out)
{
    lw_span code = fatbin_elf_section_at(elf, s->section).data;
    uint64_t end = end_of(elf, table, s);
    if (out->found || s->value > end || end > code.size) return;
    read_frame((lw_span){code.data + s->value, end - s->value}, out);
}

lw_status fatbin_cubin_frames(lw_span cubin, const char *kernel, struct fatbin_frame *frames, size_t count,
                              lw_error *error)
{
    struct fatbin_elf elf;
    struct fatbin_elf_section table;
    LW_TRY(fatbin_elf_open(cubin, &elf, error));
    if (elf.machine != FATBIN_ELF_EM_CUDA)
        return lw_fail(error, LW_UNSUPPORTED, "not a cubin (ELF machine %u)", elf.machine);
    for (uint32_t i = 0; fatbin_elf_find(&elf, ".symtab", &i, &table);) {
        uint64_t symbols = fatbin_elf_symbol_count(&table);
        for (uint64_t n = 1; n < symbols; n++) {
            struct fatbin_elf_symbol s = fatbin_elf_symbol_at(&elf, &table, n);
            if (s.type != STT_FUNC || !s.section || s.section >= elf.section_count) continue;
            const char *name = plain_name(s.name, kernel);
            for (size_t k = 0; name && k < count; k++)
                if (!strcmp(frames[k].function, name) && is_of_kernel(&elf, &s, kernel))
                    read_symbol(&elf, &table, &s, &frames[k]);
        }
    }
    return LW_OK;
}
