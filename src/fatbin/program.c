/* What kind of program a file is, told before it runs, so that one that cannot be served is named with its remedy.
 *
 * The CUDA runtime inside a program is found by, in this order: a NEEDED entry libcudart.so.N (shared); the text
 * "lw_cudart_marker", which our static runtime holds as a constant; a defined function of the runtime's interface in
 * the symbol table; and, in a stripped file, the text "libcuda.so.1" (what a runtime loads) together with section
 * .nvFatBinSegment (what compiled kernels register) or the name of an error that only a runtime spells out, but no
 * NEEDED libcuda.so.1. Limits: what a program loads with dlopen, and what its shared objects need, is not seen. */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin/elf.h"
#include "fatbin/format.h"

static const char marker[] = {'l', 'w', '_', 'c', 'u', 'd', 'a', 'r', 't', '_', 'm', 'a', 'r', 'k', 'e', 'r'};

static bool contains(lw_span file, const void *text, size_t size) { return memmem(file.data, file.size, text, size); }

/* Name of entry n of the dynamic section if it is NEEDED, NULL otherwise. */
static const char *needed(lw_span dynamic, size_t n, lw_span names)
{
    Elf64_Dyn d;
    memcpy(&d, dynamic.data + n * sizeof d, sizeof d);
    return d.d_tag == DT_NEEDED ? fatbin_elf_text(names, d.d_un.d_val) : NULL;
}

bool fatbin_is_closed_library(const char *base)
{
    static const char *const names[] = {"libcublas", "libcufft",   "libcurand", "libcusparse", "libcusolver",
                                        "libnpp",    "libnvjpeg",  "libcudnn",  "libnccl",     "libcutensor",
                                        "libnvblas", "libnvinfer", "libcudss",  "libcufile",   "libnvshmem"};
    for (size_t i = 0; i < LW_COUNT(names); i++)
        if (!strncmp(base, names[i], strlen(names[i]))) return true;
    return false;
}

/* Libraries that lanewise has its own of, which `lanewise run` puts on the search path; OWN_LIBRARIES: their sonames with
 * spaces between (CMakeLists.txt). */
static bool has_stand_in(const char *name)
{
    static const char own[] = " " OWN_LIBRARIES " ";
    char word[80];
    int length = snprintf(word, sizeof word, " %s ", name);
    return length > 0 && (size_t)length < sizeof word && strstr(own, word);
}

static void read_dynamic(const struct fatbin_elf *elf, struct fatbin_program *out)
{
    struct fatbin_elf_section s;
    for (uint32_t i = 0; i < elf->section_count; i++) {
        s = fatbin_elf_section_at(elf, i);
        if (s.type != SHT_DYNAMIC || s.link >= elf->section_count) continue;
        lw_span names = fatbin_elf_section_at(elf, s.link).data;
        for (size_t n = 0; n < s.data.size / sizeof(Elf64_Dyn); n++) {
            const char *name = needed(s.data, n, names);
            if (!name) continue;
            if (!strncmp(name, "libcudart.so", 12)) snprintf(out->needed_cudart, sizeof out->needed_cudart, "%s", name);
            if (!strcmp(name, "libcuda.so.1")) out->needs_libcuda = true;
            if (!out->closed_library[0] && fatbin_is_closed_library(name) && !has_stand_in(name))
                snprintf(out->closed_library, sizeof out->closed_library, "%s", name);
        }
    }
}

/* Functions some of which every program with a static runtime holds: registration, and what any use of it pulls in. */
static bool is_runtime_function(const struct fatbin_elf_symbol *s)
{
    static const char *const names[] = {
        "__cudaRegisterFatBinary", "cudaGetLastError",     "cudaMalloc",           "cudaFree",
        "cudaGetDeviceCount",      "cudaDriverGetVersion", "cudaDeviceSynchronize"};
    if (s->type != STT_FUNC || !s->section) return false;
    for (size_t i = 0; i < LW_COUNT(names); i++)
        if (!strcmp(s->name, names[i])) return true;
    return false;
}

static bool defines_runtime(const struct fatbin_elf *elf, bool *stripped)
{
    struct fatbin_elf_section s;
    *stripped = true;
    for (uint32_t i = 0; i < elf->section_count; i++) {
        s = fatbin_elf_section_at(elf, i);
        if (s.type != SHT_SYMTAB) continue;
        *stripped = false;
        uint64_t count = fatbin_elf_symbol_count(&s);
        for (uint64_t n = 0; n < count; n++) {
            struct fatbin_elf_symbol symbol = fatbin_elf_symbol_at(elf, &s, n);
            if (is_runtime_function(&symbol)) return true;
        }
    }
    return false;
}

static bool looks_like_runtime(const struct fatbin_elf *elf, const struct fatbin_program *program)
{
    static const char driver[] = "libcuda.so.1", error_name[] = "cudaErrorInsufficientDriver";
    struct fatbin_elf_section s;
    uint32_t i = 0;
    if (program->needs_libcuda || !contains(elf->file, driver, sizeof driver - 1)) return false;
    return fatbin_elf_find(elf, ".nvFatBinSegment", &i, &s) || contains(elf->file, error_name, sizeof error_name - 1);
}

static enum fatbin_runtime runtime_of(const struct fatbin_elf *elf, struct fatbin_program *program)
{
    bool defined = defines_runtime(elf, &program->stripped);
    if (program->needed_cudart[0]) return FATBIN_RUNTIME_SHARED;
    if (contains(elf->file, marker, sizeof marker)) return FATBIN_RUNTIME_LANEWISE;
    if (defined || (program->stripped && looks_like_runtime(elf, program))) return FATBIN_RUNTIME_NVIDIA_STATIC;
    return FATBIN_RUNTIME_NONE;
}

/* nvcc links an image without functions into a program that has no kernels of its own, as one of the driver API. */
static bool is_machine_code(const struct fatbin_entry *e)
{
    lw_arena arena = {0};
    lw_span cubin;
    bool code = e->kind == FATBIN_ELF;
    if (code && fatbin_unpack(e, &arena, &cubin, NULL) == LW_OK) code = fatbin_cubin_has_code(cubin);
    lw_arena_free(&arena);
    return code;
}

static void count_images(const fatbin_entries *entries, uint32_t sm, bool arch_features, struct fatbin_program *out)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct fatbin_entry *e = &entries->items[i];
        out->ptx_count += e->kind == FATBIN_PTX;
        out->ptx_fits |= fatbin_ptx_fits(e, sm, arch_features);
    }
    for (size_t i = 0; i < entries->count && !out->ptx_fits; i++)
        out->machine_code_count += is_machine_code(&entries->items[i]);
}

static void read_images(lw_span file, uint32_t sm, bool arch_features, struct fatbin_program *out)
{
    fatbin_entries entries = {0};
    lw_error error = {0};
    lw_text text = {0};
    lw_status status = fatbin_walk(file, &entries, &error);
    count_images(&entries, sm, arch_features, out);
    if (entries.count) fatbin_describe(entries.items, entries.count, &text);
    if (status != LW_OK) lw_text_add(&text, "%s%s", text.size ? "; " : "", error.message);
    snprintf(out->images, sizeof out->images, "%s", text.data ? text.data : "");
    lw_text_free(&text);
    lw_vec_free(&entries);
}

void fatbin_program_of(lw_span file, uint32_t sm, bool arch_features, struct fatbin_program *out)
{
    struct fatbin_elf elf;
    *out = (struct fatbin_program){.kind = FATBIN_PROGRAM_OTHER};
    if (file.size >= 2 && file.data[0] == '#' && file.data[1] == '!') {
        out->kind = FATBIN_PROGRAM_SCRIPT;
        return;
    }
    if (fatbin_elf_open(file, &elf, NULL) != LW_OK || (elf.type != ET_EXEC && elf.type != ET_DYN) ||
        elf.machine == EM_CUDA)
        return;
    out->kind = FATBIN_PROGRAM_ELF;
    out->elf_machine = elf.machine;
    read_dynamic(&elf, out);
    out->runtime = runtime_of(&elf, out);
    read_images(file, sm, arch_features, out);
}

/* Only an ELF file is read as a whole. */
static lw_status read_start(const char *path, uint8_t start[4], size_t *size, lw_error *error)
{
    FILE *f = fopen(path, "rb");
    if (!f) return lw_fail(error, LW_NOT_FOUND, "%s: cannot be opened", path);
    *size = fread(start, 1, 4, f);
    bool failed = ferror(f);
    fclose(f);
    return failed ? lw_fail(error, LW_IO, "%s: cannot be read", path) : LW_OK;
}

lw_status fatbin_program_read(const char *path, uint32_t sm, bool arch_features, struct fatbin_program *out,
                              lw_error *error)
{
    uint8_t start[4];
    size_t size;
    *out = (struct fatbin_program){.kind = FATBIN_PROGRAM_OTHER};
    LW_TRY(read_start(path, start, &size, error));
    if (!fatbin_elf_magic((lw_span){start, size})) {
        fatbin_program_of((lw_span){start, size}, sm, arch_features, out);
        return LW_OK;
    }
    char *data;
    LW_TRY(lw_file_read(path, &data, &size, error));
    fatbin_program_of((lw_span){(uint8_t *)data, size}, sm, arch_features, out);
    free(data);
    return LW_OK;
}
