/* An audit library of the dynamic linker (man 7 rtld-audit). `lanewise run` puts it in LD_AUDIT, so that programs which
 * compile at run time get PTX where they ask for machine code, which lanewise cannot execute.
 *
 *   nvrtcGetCUBIN(Size)   gives the PTX that NVRTC keeps beside the machine code. Drivers take either, by its contents.
 *   nvrtcCompileProgram   gets -lineinfo, so that reports name source lines, unless it makes code for debugging
 *   nvJitLink             links machine code only. Clients that look for it while they run (dlsym of its version) are
 *                         told that it is missing, and take the driver's cuLink... instead.
 *
 * What clients find of NVIDIA's libraries and device files: rtc_audit_files.c. NVIDIA's runtime in cuda-bindings:
 * rtc_audit_python.c.
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

static int size_by(const char *function, void *program, size_t *size)
{
    rtc_size get = (rtc_size)la_find(nvrtc, function);
    return get ? get(program, size) : NVRTC_INTERNAL_ERROR;
}

static int text_by(const char *function, void *program, char *text)
{
    rtc_text get = (rtc_text)la_find(nvrtc, function);
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
        if (la_same(option, names[i])) return true;
    return false;
}

static int our_compile(void *program, int count, const char *const *options)
{
    rtc_compile compile = (rtc_compile)la_find(nvrtc, "nvrtcCompileProgram");
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
    *cookie = (uintptr_t)map;
    if (!map->l_name) return LA_FLG_BINDFROM;
    const char *base = la_base_name(map->l_name);
    if (space == LM_ID_BASE) la_note_c_library(map);
    bool ours = la_starts(base, "libnvrtc.so") || la_starts(base, "libnvJitLink.so") ||
                la_has_file_calls(map->l_name) || la_is_python(map->l_name);
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
    (void)index;
    const struct link_map *from = (struct link_map *)*referrer, *to = (struct link_map *)*definer;
    uintptr_t ours = la_same(name, "nvrtcGetCUBINSize")     ? (uintptr_t)our_cubin_size
                     : la_same(name, "nvrtcGetCUBIN")       ? (uintptr_t)our_cubin
                     : la_same(name, "nvrtcCompileProgram") ? (uintptr_t)our_compile
                                                            : 0;
    if (ours) {
        nvrtc = (struct link_map *)*definer;
        return ours;
    }
    if ((*flags & LA_SYMB_DLSYM) && la_same(name, "nvJitLinkVersion")) return 0;
    if (la_is_python(to->l_name)) return la_python_call(name, from, to, symbol->st_value);
    return la_has_file_calls(to->l_name) ? la_file_call(name, symbol->st_value) : symbol->st_value;
}
