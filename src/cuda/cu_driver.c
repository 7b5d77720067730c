/* The calls that answer for the whole driver: initialisation, the texts of errors, functions by name and version
 * (cuGetProcAddress), and what a library is told that asks for NVIDIA's private tables. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <string.h>

#include "cuda/driver.h"
#include "fatbin/fatbin.h"

CU(cuInit)(unsigned flags)
{
    if (flags) return cu_end(HOST_INVALID_VALUE);
    host_error error = host_status(host_get());
    if (error == HOST_NO_DEVICE || error == HOST_INITIALIZATION_ERROR) return cu_end(HOST_NO_DEVICE);
    cu_state_get()->initialised = true;
    return cu_end(0);
}

CU(cuGetErrorName)(int error, const char **out)
{
    const host_error_desc *row = host_error_find(error);
    if (!out) return cu_end(HOST_INVALID_VALUE);
    *out = row ? row->driver_name : NULL;
    if (error) host_failures_read_error(host_get(), error);
    return cu_end(*out ? 0 : HOST_INVALID_VALUE);
}

CU(cuGetErrorString)(int error, const char **out)
{
    const host_error_desc *row = host_error_find(error);
    if (!out) return cu_end(HOST_INVALID_VALUE);
    *out = row && row->driver_name ? row->text : NULL;
    if (error) host_failures_read_error(host_get(), error);
    return cu_end(*out ? 0 : HOST_INVALID_VALUE);
}

CU(cuProfilerInitialize)(const char *config, const char *output, int mode)
{
    (void)config, (void)output, (void)mode;
    return cu_end(cu_unsupported("cuProfilerInitialize"));
}

/* ---- functions by name ---- */
void *lw_cuda_find_function(const char *name, int version, uint64_t flags)
{
    enum { PER_THREAD = 2 };
    /* cuda.h gives this name another function since 12.0 without a suffix that would say so. */
    if (!strcmp(name, "cuGraphInstantiate") && version >= 12000) name = "cuGraphInstantiateWithFlags";
    const cu_entry *best[2] = {NULL, NULL};
    for (size_t i = 0; i < lw_cuda_entry_count; i++) {
        const cu_entry *row = &lw_cuda_rows[i];
        const cu_entry **place = &best[row->per_thread];
        if (row->version > version || strcmp(row->name, name)) continue;
        if (!*place || row->version > (*place)->version) *place = row;
    }
    const cu_entry *row = (flags & PER_THREAD) && best[1] ? best[1] : best[0];
    return row ? (void *)lw_cuda_entries[row - lw_cuda_rows] : NULL;
}

/* CUdriverProcAddressQueryResult */
enum { FOUND = 0, SYMBOL_NOT_FOUND = 1, VERSION_NOT_SUFFICIENT = 2 };

static int why_missing(const char *name, uint64_t flags)
{
    return lw_cuda_find_function(name, FACE_VERSION, flags) ? VERSION_NOT_SUFFICIENT : SYMBOL_NOT_FOUND;
}

CU(cuGetProcAddress_v2)(const char *name, void **out, int version, uint64_t flags, int *result)
{
    if (!name || !out || flags & ~3ull) return cu_end(HOST_INVALID_VALUE);
    *out = lw_cuda_find_function(name, version, flags);
    if (result) *result = *out ? FOUND : why_missing(name, flags);
    return cu_end(*out ? 0 : HOST_SYMBOL_NOT_FOUND);
}

CU(cuGetProcAddress_v2_ptsz)(const char *name, void **out, int version, uint64_t flags, int *result)
{
    return lw_cuda_cuGetProcAddress_v2(name, out, version, flags & 1 ? flags : flags | 2, result);
}

CU(cuGetProcAddress)(const char *name, void **out, int version, uint64_t flags)
{
    return lw_cuda_cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* ---- NVIDIA's private tables ---- */
static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* The tables behind cuGetExportTable are private to NVIDIA's libraries: that somebody asks says who is there. The
 * compiler libraries go on without them; the runtime cannot. */
static void note_caller(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    if (starts(base, "libnvrtc") || starts(base, "libnvJitLink") || starts(base, "libnvvm")) return;
    if (starts(base, "libcudart.so"))
        host_note(host_get(),
                  "this process loads NVIDIA's CUDA runtime, %s, which accepts only NVIDIA's driver. Put lanewise's "
                  "first: its directory before that one in LD_LIBRARY_PATH, and no RPATH to the other",
                  file);
    else if (fatbin_is_closed_library(base))
        host_note(
            host_get(),
            "%s is one of NVIDIA's closed libraries: machine code that accepts only NVIDIA's driver. It does not "
            "run under lanewise: its calls return errors, and what the program computes after them is not its own "
            "result",
            file);
    else if (strstr(file, "-packages/cupy")) // cupy/, cupy_backends/
        host_note(host_get(),
                  "%s contains NVIDIA's CUDA runtime, which accepts only NVIDIA's driver. The packages cupy-cuda12x "
                  "and cupy-cuda13x have no sources; the package cupy has: pip uninstall the former, then lanewise "
                  "build pip install --no-binary cupy cupy",
                  file);
    else if (strstr(file, "-packages/warp/"))
        host_note(host_get(),
                  "%s contains NVIDIA's CUDA runtime, which accepts only NVIDIA's driver. The package warp-lang has no "
                  "sources; build Warp from those of github.com/NVIDIA/warp: lanewise build python build_lib.py "
                  "--use-dynamic-cuda --no-use-libmathdx",
                  file);
    else if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/"))
        host_note(host_get(),
                  "%s contains NVIDIA's CUDA runtime (or is another of its libraries), which accepts only NVIDIA's "
                  "driver. If this Python package has sources, build it from them: lanewise build pip install "
                  "--no-binary PACKAGE PACKAGE. Packages that call the driver (cuda.bindings.driver, numba, PyCUDA) "
                  "work as they are",
                  file);
    else
        host_note(host_get(),
                  "%s contains NVIDIA's CUDA runtime (or is another of its libraries), which accepts only NVIDIA's "
                  "driver. Relink the program, shared: NVCC_APPEND_FLAGS='-cudart shared', or build it with: "
                  "lanewise build COMMAND",
                  file);
}

/* The door only jumps: the caller is the program's or the library's own code. */
CU(cuGetExportTable)(const void **out, const void *id)
{
    Dl_info caller;
    if (!out || !id) return cu_end(HOST_INVALID_VALUE);
    *out = NULL;
    bool known = dladdr(__builtin_return_address(0), &caller) && caller.dli_fname;
    note_caller(known ? caller.dli_fname : "this process");
    return cu_end(HOST_SYMBOL_NOT_FOUND);
}
