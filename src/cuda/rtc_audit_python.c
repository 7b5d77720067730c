/* The Python package cuda-bindings holds NVIDIA's runtime, which accepts only NVIDIA's driver, and hands its functions from one extension
 * module to the next in capsules (Cython's __pyx_capi__). Under `lanewise run` they hold those of lanewise's runtime: each
 * capsule that the module with the runtime puts into its dictionary is noted, and gets another pointer before the module that
 * calls them reads the first. Its own cudaRuntimeGetVersion has to say 13: structures of other versions differ. What
 * lanewise's runtime has no function for stays NVIDIA's. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

#include "cuda/rtc_audit.h"

#define MOST_CALLS 1024
#define LONGEST_NAME 64

typedef void *(*capsule_get)(void *capsule, const char *name);
typedef const char *(*capsule_name)(void *capsule);
typedef int (*capsule_set)(void *capsule, void *pointer);
typedef void *(*capsule_new)(void *pointer, const char *name, void *destructor);
typedef int (*dictionary_set)(void *dictionary, const char *name, void *value);
typedef void *(*open_library)(Lmid_t space, const char *path, int mode);
typedef int (*runtime_version)(int *out);

typedef struct noted_call {
    void *capsule;
    bool per_thread; /* stream 0 is the thread's own */
    char name[LONGEST_NAME];
} noted_call;

/* The interpreter's lock protects them: modules are initialised under it. */
static noted_call calls[MOST_CALLS];
static size_t count, changed;
static void *last_capsule;
static capsule_get real_get;
static capsule_new real_new;
static dictionary_set real_set[2]; /* for the module, and for the one of streams per thread */
static const struct link_map *python, *c_library;

static bool copy_name(char *out, const char *name)
{
    size_t i = 0;
    for (; name[i] && i + 1 < LONGEST_NAME; i++) {
        out[i] = name[i];
        __asm__ volatile("" ::: "memory"); /* or the compiler makes it a call of the C library */
    }
    out[i] = 0;
    return !name[i];
}

static void *our_new(void *pointer, const char *name, void *destructor)
{
    last_capsule = real_new(pointer, name, destructor);
    return last_capsule;
}

static int note(void *dictionary, const char *name, void *value, bool per_thread)
{
    noted_call *call = &calls[count];
    bool is_call = value && value == last_capsule && la_starts(name, "_cuda") && count < MOST_CALLS;
    if (is_call && copy_name(call->name, name)) {
        call->capsule = value;
        call->per_thread = per_thread;
        count++;
    }
    return real_set[per_thread](dictionary, name, value);
}

static int our_set(void *dictionary, const char *name, void *value) { return note(dictionary, name, value, false); }
static int our_set_per_thread(void *dictionary, const char *name, void *value)
{
    return note(dictionary, name, value, true);
}

/* Of NVIDIA's runtime; 0: it cannot be asked. */
static int major_version(void)
{
    capsule_name name_of = (capsule_name)la_find(python, "PyCapsule_GetName");
    for (size_t i = 0; name_of && i < count; i++) {
        int version = 0;
        if (!la_same(calls[i].name, "_cudaRuntimeGetVersion")) continue;
        runtime_version ask = (runtime_version)real_get(calls[i].capsule, name_of(calls[i].capsule));
        return ask && !ask(&version) ? version / 1000 : 0;
    }
    return 0;
}

static const struct link_map *our_runtime(void)
{
    static const struct link_map *runtime;
    static bool tried;
    open_library open = (open_library)la_find(c_library, "dlmopen");
    if (tried || !open) return runtime;
    tried = true;
    char *path = la_own_library("libcudart.so.13");
    if (path && major_version() == 13) runtime = open(LM_ID_BASE, path, 2 /* RTLD_NOW */);
    return runtime;
}

/* Functions with a stream have a second form for streams per thread, under one of two suffixes. */
static uintptr_t our_function(const struct link_map *runtime, const noted_call *call)
{
    static const char *const suffixes[] = {"_ptsz", "_ptds", ""};
    char name[LONGEST_NAME + 8];
    size_t length = 0;
    for (; call->name[length + 1]; length++) { /* without the underscore before it */
        name[length] = call->name[length + 1];
        __asm__ volatile("" ::: "memory");
    }
    for (size_t i = call->per_thread ? 0 : 2; i < 3; i++) {
        copy_name(name + length, suffixes[i]);
        uintptr_t function = la_find(runtime, name);
        if (function) return function;
    }
    return 0;
}

static void *our_get(void *capsule, const char *name)
{
    capsule_set set = (capsule_set)la_find(python, "PyCapsule_SetPointer");
    const struct link_map *runtime = changed < count ? our_runtime() : NULL;
    for (; runtime && set && changed < count; changed++) {
        uintptr_t function = our_function(runtime, &calls[changed]);
        if (function) set(calls[changed].capsule, (void *)function);
    }
    return real_get(capsule, name);
}

/* ---------------------------------------------------------------- what the linker binds */
bool la_is_python(const char *path)
{
    return !*path || la_starts(la_base_name(path), "libpython"); /* "": the program itself, which may hold it */
}

void la_note_c_library(const struct link_map *map)
{
    const char *base = la_base_name(map->l_name);
    if ((la_same(base, "libc.so.6") || la_same(base, "libdl.so.2")) && la_find(map, "dlmopen")) c_library = map;
}

/* Whose module asks: 0: of no interest; 1: the one with NVIDIA's runtime; 2: the same for streams per thread; 3: who
 * calls its functions. */
static int module_of(const char *path)
{
    static const char folder[] = "/cuda/bindings/";
    const char *rest = NULL;
    for (const char *p = path; *p && !rest; p++)
        if (la_starts(p, folder)) rest = p + sizeof folder - 1;
    if (!rest) return 0;
    if (la_starts(rest, "cyruntime.")) return 3;
    if (la_starts(rest, "_internal/runtime.") || la_starts(rest, "_bindings/cyruntime.")) return 1;
    if (la_starts(rest, "_internal/runtime_ptds.") || la_starts(rest, "_bindings/cyruntime_ptds.")) return 2;
    return 0;
}

uintptr_t la_python_call(const char *name, const struct link_map *referrer, const struct link_map *definer,
                         uintptr_t real)
{
    if (!la_starts(name, "PyCapsule_") && !la_starts(name, "PyDict_")) return real;
    int module = module_of(referrer->l_name);
    if (!module) return real;
    python = definer;
    if (module == 3 && la_same(name, "PyCapsule_GetPointer")) {
        real_get = (capsule_get)real;
        return (uintptr_t)our_get;
    }
    if (module == 3) return real;
    if (la_same(name, "PyCapsule_New")) {
        real_new = (capsule_new)real;
        return (uintptr_t)our_new;
    }
    if (la_same(name, "PyDict_SetItemString")) {
        real_set[module - 1] = (dictionary_set)real;
        return module == 1 ? (uintptr_t)our_set : (uintptr_t)our_set_per_thread;
    }
    return real;
}
