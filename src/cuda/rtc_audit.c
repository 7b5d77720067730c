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

#define MOST_OPTIONS 1000
#define PUBLIC __attribute__((visibility("default")))

typedef int (*rtc_size)(void *program, size_t *size);
typedef int (*rtc_text)(void *program, char *text);
typedef int (*rtc_compile)(void *program, int count, const char *const *options);

/* NVRTC's own functions; with several NVRTCs in one process the last one's: no known client mixes their programs. */
static rtc_size ptx_size, cubin_size;
static rtc_text ptx_text, cubin_text;
static rtc_compile compile;

/* An empty PTX is its NUL: NVRTC made code for link-time optimisation. */
static bool has_ptx(void *program, size_t *size) { return !ptx_size(program, size) && *size > 1; }

static int our_cubin_size(void *program, size_t *size)
{
    size_t of_ptx = 0;
    int status = cubin_size(program, size);
    if (!status && *size && has_ptx(program, &of_ptx)) *size = of_ptx;
    return status;
}

static int our_cubin(void *program, char *text)
{
    size_t size = 0;
    bool machine_code = !cubin_size(program, &size) && size;
    return (machine_code && has_ptx(program, &size) ? ptx_text : cubin_text)(program, text);
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
    bool settled = count < 0 || count > MOST_OPTIONS || (count && !options);
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

/* Also who takes the address of a function gets ours, which no call of la_symbind64() would tell. */
static void take_nvrtc(const struct link_map *map)
{
    uintptr_t size = la_find(map, "nvrtcGetPTXSize"), text = la_find(map, "nvrtcGetPTX");
    if (!size || !text || !la_find(map, "nvrtcGetCUBIN") || !la_find(map, "nvrtcGetCUBINSize"))
        return; /* before 11.1 */
    ptx_size = (rtc_size)size;
    ptx_text = (rtc_text)text;
    cubin_size = (rtc_size)la_replace(map, "nvrtcGetCUBINSize", (uintptr_t)our_cubin_size);
    cubin_text = (rtc_text)la_replace(map, "nvrtcGetCUBIN", (uintptr_t)our_cubin);
    compile = (rtc_compile)la_replace(map, "nvrtcCompileProgram", (uintptr_t)our_compile);
}

PUBLIC unsigned int la_version(unsigned int version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

PUBLIC unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    *cookie = (uintptr_t)map;
    if (!map->l_name) return LA_FLG_BINDFROM;
    const char *base = la_base_name(map->l_name);
    if (space == LM_ID_BASE) la_note_c_library(map);
    if (la_starts(base, "libnvrtc.so")) take_nvrtc(map);
    bool ours = la_starts(base, "libnvJitLink.so") || la_has_file_calls(map->l_name) || la_is_python(map->l_name);
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
    if ((*flags & LA_SYMB_DLSYM) && la_same(name, "nvJitLinkVersion")) return 0;
    if (la_is_python(to->l_name)) return la_python_call(name, from, to, symbol->st_value);
    return la_has_file_calls(to->l_name) ? la_file_call(name, symbol->st_value) : symbol->st_value;
}
