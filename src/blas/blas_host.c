/* Finds the host's BLAS, when the first routine is asked for. LANEWISE_BLAS names another library. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "blas/blas.h"

static void *library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void one_thread(void *handle)
{
    void (*set_threads)(int) = (void (*)(int))dlsym(handle, "openblas_set_num_threads");
    if (set_threads) set_threads(1); /* sums in one order */
}

static void find_library(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libblas.so.3", "libblas.so"};
    const char *given = getenv("LANEWISE_BLAS");
    if (given && *given) library = dlopen(given, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !library && i < LW_COUNT(names); i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) one_thread(library);
    else
        fprintf(stderr,
                "lanewise: cuBLAS needs a BLAS of this machine, and there is none: install libopenblas0 (Debian, "
                "Ubuntu) or openblas (Fedora, Arch), or name a library in LANEWISE_BLAS\n");
}

bool blas_host_available(void)
{
    pthread_once(&once, find_library);
    return library != NULL;
}

blas_function blas_host_named(const char *name)
{
    return blas_host_available() ? (blas_function)dlsym(library, name) : NULL;
}

blas_function blas_host(blas_type type, const char *name)
{
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%c%s_", "sdcz"[type], name);
    return blas_host_named(symbol);
}
