/* Direction numbers of all 20000 dimensions, and the constants that scramble them: tables of NVIDIA's cuRAND, whose functions that
 * give them run on the host. Where the toolkit's library is installed, they are asked. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rand/rand.h"

enum { /* curandDirectionVectorSet_t */
       VECTORS_32 = 101,
       SCRAMBLED_VECTORS_32 = 102,
       VECTORS_64 = 103,
       SCRAMBLED_VECTORS_64 = 104
};

static rand_tables tables;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* By its number: a path that ends in the library's name is lanewise's own, for the loader. */
static void *open_apart(const char *path)
{
    char name[40];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    close(file);
    return library;
}

static bool ask(void *library)
{
    typedef int (*vectors_function)(void *out, int set);
    typedef int (*constants_function)(void *out);
    vectors_function vectors_32 = (vectors_function)dlsym(library, "curandGetDirectionVectors32");
    vectors_function vectors_64 = (vectors_function)dlsym(library, "curandGetDirectionVectors64");
    constants_function constants_32 = (constants_function)dlsym(library, "curandGetScrambleConstants32");
    constants_function constants_64 = (constants_function)dlsym(library, "curandGetScrambleConstants64");
    return vectors_32 && vectors_64 && constants_32 && constants_64 && !vectors_32(&tables.vectors_32, VECTORS_32) &&
           !vectors_32(&tables.scrambled_32, SCRAMBLED_VECTORS_32) && !vectors_64(&tables.vectors_64, VECTORS_64) &&
           !vectors_64(&tables.scrambled_64, SCRAMBLED_VECTORS_64) && !constants_32(&tables.constants_32) &&
           !constants_64(&tables.constants_64);
}

static bool try_file(const char *path)
{
    void *library = open_apart(path);
    bool found = library && ask(library);
    if (library && !found) dlclose(library);
    return found;
}

static void find(void)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    static const char *const files[] = {"/usr/local/cuda/lib64/libcurand.so.10",
                                        "/usr/lib/x86_64-linux-gnu/libcurand.so.10", "/opt/cuda/lib64/libcurand.so.10"};
    for (size_t i = 0; i < LW_COUNT(homes) && !tables.found; i++) {
        const char *home = getenv(homes[i]);
        if (!home || !*home) continue;
        char *path = lw_printf("%s/lib64/libcurand.so.10", home);
        tables.found = try_file(path);
        free(path);
    }
    for (size_t i = 0; i < LW_COUNT(files) && !tables.found; i++) tables.found = try_file(files[i]);
    if (!tables.found)
        fprintf(stderr, "lanewise: cuRAND's direction vectors and scrambled sequences need the tables of the toolkit's "
                        "libcurand.so.10, which is in none of CUDA_HOME, /usr/local/cuda and the system's folders\n");
}

const rand_tables *rand_tables_find(void)
{
    pthread_once(&once, find);
    return tables.found ? &tables : NULL;
}
