/* An audit library of the dynamic linker (man 7 rtld-audit). `lanewise run` puts it in LD_AUDIT, so that programs which
 * compile at run time get PTX where they ask for machine code, which lanewise cannot execute.
 *
 *   nvrtcGetCUBIN(Size)   gives the PTX that NVRTC keeps beside the machine code. Drivers take either, by its contents.
 *   nvrtcCompileProgram   gets -lineinfo, so that reports name source lines, unless it makes code for debugging
 *   nvJitLink             links machine code only. Clients that look for it while they run (dlsym of its version) are
 *                         told that it is missing, and take the driver's cuLink... instead.
 *
 * What clients find of NVIDIA's libraries and device files: rtc_audit_files.c.
 *
 * It works on the libraries as they lie in a toolkit, a package or a Python environment, however they were found.
 * Limits: it lives in a namespace of the linker of its own and so calls nothing of the C library. Code for link-time
 * optimisation stays as it is. A C library without audit (musl) ignores it. */
#define _GNU_SOURCE
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/rtc_audit.h"

#define NVRTC_INTERNAL_ERROR 11
#define MOST_OPTIONS 1000
#define PUBLIC __attribute__((visibility("default")))

typedef int (*rtc_size)(void *program, size_t *size);
typedef int (*rtc_text)(void *program, char *text);
typedef int (*rtc_compile)(void *program, int count, const char *const *options);

static struct link_map *nvrtc; /* with several in one process the last: no known client mixes their programs */

static bool same(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return *a == *b;
}

/* Whether the file name of path starts with prefix. */
static bool is_library(const char *path, const char *prefix)
{
    const char *name = path;
    for (const char *p = path; *p; p++)
        if (*p == '/') name = p + 1;
    while (*prefix && *name == *prefix) name++, prefix++;
    return !*prefix;
}

/* One pointer of the dynamic section; glibc has made it an address. */
static const void *dynamic(uint64_t tag)
{
    for (const Elf64_Dyn *d = nvrtc->l_ld; d->d_tag != DT_NULL; d++)
        if ((uint64_t)d->d_tag == tag) return (const void *)d->d_un.d_ptr;
    return NULL;
}

/* A function of the library through its table DT_GNU_HASH {buckets, first symbol, words of the filter, shift; filter,
 * buckets, chains}. dlsym cannot be asked: it knows no library that was loaded with the program. */
static uintptr_t find(const char *name)
{
    const uint32_t *table = dynamic(DT_GNU_HASH);
    const Elf64_Sym *symbols = dynamic(DT_SYMTAB);
    const char *texts = dynamic(DT_STRTAB);
    uint32_t hash = 5381;
    if (!table || !symbols || !texts || !table[0]) return 0;
    for (const char *p = name; *p; p++) hash = hash * 33 + (unsigned char)*p;
    const uint32_t *buckets = table + 4 + 2 * table[2], *chains = buckets + table[0];
    for (uint32_t i = buckets[hash % table[0]]; i >= table[1]; i++) {
        uint32_t here = chains[i - table[1]];
        if ((here | 1) == (hash | 1) && same(texts + symbols[i].st_name, name))
            return nvrtc->l_addr + symbols[i].st_value;
        if (here & 1) break; /* the chain's last */
    }
    return 0;
}

static int size_by(const char *function, void *program, size_t *size)
{
    rtc_size get = (rtc_size)find(function);
    return get ? get(program, size) : NVRTC_INTERNAL_ERROR;
}

static int text_by(const char *function, void *program, char *text)
{
    rtc_text get = (rtc_text)find(function);
    return get ? get(program, text) : NVRTC_INTERNAL_ERROR;
}

/* An empty PTX is its NUL: NVRTC made code for link-time optimisation. */
static bool has_ptx(void *program, size_t *size) { return !size_by("nvrtcGetPTXSize", program, size) && *size > 1; }

static int our_cubin_size(void *program, size_t *size)
{
    size_t of_ptx = 0;
    int status = size_by("nvrtcGetCUBINSize", program, size);
    if (!status && *size && has_ptx(program, &of_ptx)) *size = of_ptx;
    return status;
}

static int our_cubin(void *program, char *text)
{
    size_t size = 0;
    bool machine_code = !size_by("nvrtcGetCUBINSize", program, &size) && size;
    return text_by(machine_code && has_ptx(program, &size) ? "nvrtcGetPTX" : "nvrtcGetCUBIN", program, text);
}

/* Whether the option asks for line numbers or for code that takes none. */
static bool settles_lines(const char *option)
{
    static const char *const names[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug",
                                        "-dlto",     "--dlink-time-opt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (same(option, names[i])) return true;
    return false;
}

static int our_compile(void *program, int count, const char *const *options)
{
    rtc_compile compile = (rtc_compile)find("nvrtcCompileProgram");
    bool settled = count < 0 || count > MOST_OPTIONS || (count && !options);
    if (!compile) return NVRTC_INTERNAL_ERROR;
    for (int i = 0; !settled && i < count; i++) settled = !options[i] || settles_lines(options[i]);
    if (settled) return compile(program, count, options);
    const char *with_lines[MOST_OPTIONS + 1];
    for (int i = 0; i < count; i++) {
        with_lines[i] = options[i];
        __asm__ volatile("" ::: "memory"); /* or the compiler makes it a call of memcpy */
    }
    with_lines[count] = "-lineinfo";
    return compile(program, count + 1, with_lines);
}

PUBLIC unsigned int la_version(unsigned int version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

PUBLIC unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)space;
    *cookie = (uintptr_t)map;
    bool ours = map->l_name && (is_library(map->l_name, "libnvrtc.so") || is_library(map->l_name, "libnvJitLink.so") ||
                                la_has_file_calls(map->l_name));
    return ours ? LA_FLG_BINDFROM | LA_FLG_BINDTO : LA_FLG_BINDFROM;
}

/* By the name that was asked for, before any search. Without a path nothing needs to change: LD_LIBRARY_PATH, or an RPATH, whose
 * every try comes here with its path. */
PUBLIC char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag)
{
    (void)cookie, (void)flag;
    return la_stand_in(name);
}

PUBLIC uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *referrer, uintptr_t *definer,
                              unsigned int *flags, const char *name)
{
    (void)index, (void)referrer;
    uintptr_t ours = same(name, "nvrtcGetCUBINSize")     ? (uintptr_t)our_cubin_size
                     : same(name, "nvrtcGetCUBIN")       ? (uintptr_t)our_cubin
                     : same(name, "nvrtcCompileProgram") ? (uintptr_t)our_compile
                                                         : 0;
    if (ours) {
        nvrtc = (struct link_map *)*definer;
        return ours;
    }
    if ((*flags & LA_SYMB_DLSYM) && same(name, "nvJitLinkVersion")) return 0;
    return la_has_file_calls(((struct link_map *)*definer)->l_name) ? la_file_call(name, symbol->st_value)
                                                                    : symbol->st_value;
}
