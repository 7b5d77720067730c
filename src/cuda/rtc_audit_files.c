/* What clients find of NVIDIA's files under `lanewise run`.
 *
 *   Libraries   Python packages bring NVIDIA's libraries along (nvidia-cublas, nvidia-cudnn ...) and load them by their paths, or find
 *               them by an RPATH, which comes before LD_LIBRARY_PATH. Where lanewise has its own library of that name, they get it:
 *               NVIDIA's accept only NVIDIA's driver.
 *   Devices     Some clients look for the files of a card before they ask the driver (JAX: /dev/nvidia0). They find that it is there.
 *
 *   ptxas       A process that has loaded the driver and starts an assembler (XLA, with the ptxas of a toolkit or of a package) loads what
 *               that makes: it starts the stand-in, which keeps the PTX.
 *
 * OWN_LIBRARIES: the sonames that lanewise has its own of, with spaces between (CMakeLists.txt). LANEWISE_LIB, which `lanewise run`
 * sets, says where they lie. */
#define _GNU_SOURCE
#include "cuda/rtc_audit.h"

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#define DEVICE_FILE "/dev/null" /* a file of its kind that is there on every machine */

static char own_folder[4096]; /* ends with '/'; empty: not below `lanewise run` */
static char own_ptxas[sizeof own_folder + 16];
static size_t folder_length;
static bool driver_loaded; /* this process asked for libcuda.so.1 */

static const char *after(const char *text, const char *prefix)
{
    while (*prefix && *text == *prefix) text++, prefix++;
    return *prefix ? NULL : text;
}

static size_t length_of(const char *text)
{
    const char *end = text;
    while (*end) {
        end++;
        __asm__ volatile("" ::: "memory"); /* or the compiler makes it a call of strlen */
    }
    return (size_t)(end - text);
}

/* Gives the end of what was written. */
static char *put_text(char *to, const char *text)
{
    while (*text) {
        *to++ = *text++;
        __asm__ volatile("" ::: "memory");
    }
    *to = 0;
    return to;
}

/* The linker gives initialisers what main() gets. */
__attribute__((constructor)) static void find_folder(int argc, char **argv, char **environment)
{
    const char *core = NULL;
    (void)argc, (void)argv;
    for (char **e = environment; e && *e && !core; e++) core = after(*e, "LANEWISE_LIB=");
    if (!core || length_of(core) >= sizeof own_folder) return;
    folder_length = (size_t)(la_base_name(core) - core);
    put_text(own_folder, core);
    own_folder[folder_length] = 0;
    put_text(put_text(own_ptxas, own_folder), "shims/ptxas");
}

/* Also without the version: libcublas.so. */
static bool has_own(const char *base)
{
    if (!after(base, "lib")) return false;
    for (const char *word = OWN_LIBRARIES " libcudart.so.13 libcuda.so.1"; *word;) {
        const char *rest = after(word, base);
        if (rest && (*rest == ' ' || !*rest || (rest[-1] == 'o' && rest[-2] == 's' && rest[-3] == '.'))) return true;
        while (*word && *word != ' ') word++;
        while (*word == ' ') word++;
    }
    return false;
}

char *la_stand_in(const char *name)
{
    static char path[sizeof own_folder + 64]; /* the linker's lock is held */
    const char *base = la_base_name(name);
    if (la_same(base, "libcuda.so.1")) driver_loaded = true;
    if (!folder_length || base == name || !has_own(base)) return (char *)name;
    put_text(put_text(path, own_folder), base);
    return path;
}

char *la_own_library(const char *name)
{
    static char path[sizeof own_folder + 64];
    if (!folder_length) return NULL;
    put_text(put_text(path, own_folder), name);
    return path;
}

/* ---------------------------------------------------------------- files of devices */
static int (*real_stat)(const char *, struct stat *);
static int (*real_xstat)(int, const char *, struct stat *);
static int (*real_access)(const char *, int);

static const char *device_file(const char *path)
{
    return path && (la_same(path, "/dev/nvidia0") || la_same(path, "/dev/nvidiactl")) ? DEVICE_FILE : path;
}

static int our_stat(const char *path, struct stat *out) { return real_stat(device_file(path), out); }
static int our_xstat(int version, const char *path, struct stat *out)
{
    return real_xstat(version, device_file(path), out);
}
static int our_access(const char *path, int mode) { return real_access(device_file(path), mode); }

/* ---------------------------------------------------------------- assemblers */
static int (*real_execv)(const char *, char *const[]);
static int (*real_execvp)(const char *, char *const[]);
static int (*real_execve)(const char *, char *const[], char *const[]);
typedef int (*spawn_call)(pid_t *, const char *, const void *, const void *, char *const[], char *const[]);
static spawn_call real_spawn, real_spawnp;

static const char *program(const char *path)
{
    return path && driver_loaded && la_same(la_base_name(path), "ptxas") ? own_ptxas : path;
}

static int our_execv(const char *path, char *const argv[]) { return real_execv(program(path), argv); }
static int our_execvp(const char *path, char *const argv[]) { return real_execvp(program(path), argv); }
static int our_execve(const char *path, char *const argv[], char *const environment[])
{
    return real_execve(program(path), argv, environment);
}
static int our_spawn(pid_t *pid, const char *path, const void *actions, const void *attributes, char *const argv[],
                     char *const environment[])
{
    return real_spawn(pid, program(path), actions, attributes, argv, environment);
}
static int our_spawnp(pid_t *pid, const char *path, const void *actions, const void *attributes, char *const argv[],
                      char *const environment[])
{
    return real_spawnp(pid, program(path), actions, attributes, argv, environment);
}

/* ---------------------------------------------------------------- the C library's functions */
bool la_has_file_calls(const char *path) { return folder_length && la_same(la_base_name(path), "libc.so.6"); }

uintptr_t la_file_call(const char *name, uintptr_t real)
{
    static const struct {
        const char *name;
        void *real; /* where the address goes */
        uintptr_t ours;
    } calls[] = {
        {"stat", &real_stat, (uintptr_t)our_stat},          {"stat64", &real_stat, (uintptr_t)our_stat},
        {"__xstat", &real_xstat, (uintptr_t)our_xstat},     {"__xstat64", &real_xstat, (uintptr_t)our_xstat},
        {"access", &real_access, (uintptr_t)our_access},    {"execv", &real_execv, (uintptr_t)our_execv},
        {"execvp", &real_execvp, (uintptr_t)our_execvp},    {"execve", &real_execve, (uintptr_t)our_execve},
        {"posix_spawn", &real_spawn, (uintptr_t)our_spawn}, {"posix_spawnp", &real_spawnp, (uintptr_t)our_spawnp},
    };
    if (!folder_length) return real;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (la_same(name, calls[i].name)) {
            *(uintptr_t *)calls[i].real = real;
            return calls[i].ours;
        }
    return real;
}
