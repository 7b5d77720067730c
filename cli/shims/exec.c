/* exec.so: `lanewise build` puts it in LD_PRELOAD of the build. What starts a program called nvcc by its path starts
 * shims/nvcc instead, which calls that nvcc (LANEWISE_NVCC) with PTX added where there would be machine code only:
 * most Makefiles name nvcc by its path, so the shim on PATH alone would not be met.
 *
 * It covers the functions of the C library that start programs. What starts programs by system calls of its own (Go) or
 * is linked statically is not covered. It depends on the C library alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
#define SHIM_ENTERED "LANEWISE_IN_NVCC=" /* the shim sets it: what the real nvcc starts is left alone */
#define NVCC_NAME "LANEWISE_NVCC="
#define MOST_VARIABLES 4096 /* environments with more are passed on as they are */
#define MOST_ARGUMENTS 1024 /* of execl and its like */

typedef struct started {
    const char *path;
    char *const *environment;
    char nvcc[sizeof NVCC_NAME + PATH_MAX];
    char *variables[MOST_VARIABLES + 2];
} started;

static bool starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static bool is_nvcc(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && strcmp(slash + 1, "nvcc") == 0;
}

/* environment with s->nvcc, if that names one, in the place of NVCC_NAME; false if it has too many variables or the
 * shim's mark. */
static bool copy_environment(started *s, char *const *environment)
{
    size_t count = 0;
    for (size_t i = 0; environment && environment[i]; i++) {
        if (starts_with(environment[i], SHIM_ENTERED) || count >= MOST_VARIABLES) return false;
        if (!starts_with(environment[i], NVCC_NAME)) s->variables[count++] = environment[i];
    }
    if (s->nvcc[0]) s->variables[count++] = s->nvcc;
    s->variables[count] = NULL;
    return true;
}

/* What to start in the place of path. Where there is no such nvcc the shim looks for another one, or for clang. */
static void choose(started *s, const char *path, char *const *environment)
{
    const char *shim = getenv("LANEWISE_SHIM_NVCC");
    s->path = path;
    s->environment = environment;
    if (!shim || !path || !is_nvcc(path) || strcmp(path, shim) == 0) return;
    if (strlen(path) > PATH_MAX) return;
    s->nvcc[0] = 0;
    if (access(path, X_OK) == 0) {
        strcpy(s->nvcc, NVCC_NAME);
        strcat(s->nvcc, path);
    }
    if (!copy_environment(s, environment)) return;
    s->path = shim;
    s->environment = s->variables;
}

/* The C library's own, found once when this library is loaded: between vfork and exec dlsym must not be called. */
static struct {
    __typeof__(&execve) execve;
    __typeof__(&execvpe) execvpe;
    __typeof__(&posix_spawn) spawn;
    __typeof__(&posix_spawnp) spawnp;
} next;

__attribute__((constructor)) static void find_next(void)
{
    next.execve = (__typeof__(next.execve))dlsym(RTLD_NEXT, "execve");
    next.execvpe = (__typeof__(next.execvpe))dlsym(RTLD_NEXT, "execvpe");
    next.spawn = (__typeof__(next.spawn))dlsym(RTLD_NEXT, "posix_spawn");
    next.spawnp = (__typeof__(next.spawnp))dlsym(RTLD_NEXT, "posix_spawnp");
}

PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
    started s;
    choose(&s, path, envp);
    return next.execve(s.path, argv, s.environment);
}

PUBLIC int execv(const char *path, char *const argv[]) { return execve(path, argv, environ); }

/* A name with a slash is not looked up on PATH. */
PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
    started s;
    choose(&s, file, envp);
    return next.execvpe(s.path, argv, s.environment);
}

PUBLIC int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }

PUBLIC int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    started s;
    choose(&s, path, envp);
    return next.spawn(pid, s.path, actions, attributes, argv, s.environment);
}

PUBLIC int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    started s;
    choose(&s, file, envp);
    return next.spawnp(pid, s.path, actions, attributes, argv, s.environment);
}

/* The arguments of execl and its like, up to the NULL that ends them, as an array; 0, or -1 with E2BIG in errno. */
static int gather(char **argv, const char *first, va_list *list)
{
    size_t count = 0;
    for (const char *word = first; word; word = va_arg(*list, const char *)) {
        if (count == MOST_ARGUMENTS) {
            errno = E2BIG;
            return -1;
        }
        argv[count++] = (char *)word;
    }
    argv[count] = NULL;
    return 0;
}

PUBLIC int execl(const char *path, const char *first, ...)
{
    char *argv[MOST_ARGUMENTS + 1];
    va_list list;
    va_start(list, first);
    int failed = gather(argv, first, &list);
    va_end(list);
    return failed ? -1 : execv(path, argv);
}

PUBLIC int execlp(const char *file, const char *first, ...)
{
    char *argv[MOST_ARGUMENTS + 1];
    va_list list;
    va_start(list, first);
    int failed = gather(argv, first, &list);
    va_end(list);
    return failed ? -1 : execvp(file, argv);
}

PUBLIC int execle(const char *path, const char *first, ...)
{
    char *argv[MOST_ARGUMENTS + 1];
    char *const *environment = NULL;
    va_list list;
    va_start(list, first);
    int failed = gather(argv, first, &list);
    if (!failed) environment = va_arg(list, char *const *); /* it follows the NULL */
    va_end(list);
    return failed ? -1 : execve(path, argv, environment);
}
