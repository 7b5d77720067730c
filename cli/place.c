/* place: where things are. Libraries: beside the executable in the build tree (lib/), or ../lib/lanewise where it is
 * installed; LANEWISE_LIBDIR overrides both. Compilers: PATH, then where NVIDIA's toolkit is usually put. */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CORE "liblanewise.so.0"

/* The directory of this executable. */
static char *own_directory(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return text_of(".");
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    return text_of("%s", *path ? path : "/");
}

static char *if_libraries(char *directory)
{
    return file_exists(text_of("%s/%s", directory, CORE)) ? real_path(directory) : NULL;
}

const char *place_libraries(void)
{
    const char *given = getenv("LANEWISE_LIBDIR");
    char *own = own_directory(), *found = NULL;
    if (given && *given) {
        found = if_libraries(text_of("%s", given));
        if (!found) say("LANEWISE_LIBDIR=%s holds no %s", given, CORE);
        return found;
    }
    found = if_libraries(text_of("%s/lib", own));
    if (!found) found = if_libraries(text_of("%s/../lib/lanewise", own));
    if (!found)
        say("cannot find %s in %s/lib or %s/../lib/lanewise; set LANEWISE_LIBDIR to its directory", CORE, own, own);
    return found;
}

char *place_nvcc(void)
{
    static const char *const homes[] = {"CUDA_HOME", "CUDA_PATH"};
    char *found = find_command("nvcc");
    for (size_t i = 0; !found && i < sizeof homes / sizeof homes[0]; i++) {
        const char *home = getenv(homes[i]);
        if (home && *home) found = find_command(text_of("%s/bin/nvcc", home));
    }
    return found ? found : find_command("/usr/local/cuda/bin/nvcc");
}

char *place_clang(void)
{
    const char *given = getenv("LANEWISE_CLANG");
    if (given && *given) return find_command(given);
    for (int version = 22; version >= 16; version--) {
        char *found = find_command(text_of("clang-%d", version));
        if (found) return found;
    }
    return find_command("clang");
}

/* It lies with the libraries, or beside the executable. */
char *place_clang_cc(void)
{
    const char *libraries = place_libraries();
    char *places[] = {libraries ? text_of("%s/lanewise-clang-cc", libraries) : NULL,
                      text_of("%s/lanewise-clang-cc", own_directory())};
    for (size_t i = 0; place_clang() && i < sizeof places / sizeof places[0]; i++)
        if (places[i] && !access(places[i], X_OK)) return places[i];
    return NULL;
}

char *place_cache(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *directory = NULL;
    if (cache && *cache == '/') directory = text_of("%s/lanewise", cache);
    else if (home && *home == '/') directory = text_of("%s/.cache/lanewise", home);
    if (directory && make_directories(directory)) return directory;
    /* No home (containers, build users): a directory of ours that nobody else may have made. */
    struct stat st;
    char *fallback = text_of("/tmp/lanewise-%u", (unsigned)getuid());
    if (make_directories(fallback) && !lstat(fallback, &st) && S_ISDIR(st.st_mode) && st.st_uid == getuid() &&
        !(st.st_mode & 022))
        return fallback;
    say("no place for compiled programs: %s cannot be written; set XDG_CACHE_HOME", directory ? directory : fallback);
    return NULL;
}
