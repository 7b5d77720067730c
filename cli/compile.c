/* compile: source files -> a program linked with lanewise's runtime, by nvcc or by clang with the project's own
 * headers.
 *
 * The cache has a directory per set of sources and flags, named by their hash: the program and a file `key` with the
 * hash of every file it was made of (includes.c), of the compiler and of our runtime. A program whose key differs is
 * made anew, so that an entry never grows. Two commands at once are safe: a program is made under a name of its own and
 * renamed. */
#include "cli.h"

#include "lanewise/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NVCC_OLDEST 75
#define CLANG_OLDEST 50
#define CLANG_NEWEST 90 /* newer devices run its PTX too */

typedef struct compiler {
    char *path;
    bool is_clang;
} compiler;

static const char *const source_ends[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".C", ".o", ".a", ".so"};

bool compile_is_source(const char *word)
{
    for (size_t i = 0; i < sizeof source_ends / sizeof source_ends[0]; i++)
        if (word[0] != '-' && ends_with(word, source_ends[i])) return true;
    return false;
}

/* nvcc's options that may have their value in the next word, without dashes, and the long ones that have none. */
/* clang-format off */
static const char *const flags_with_value[] = {
    "D", "I", "L", "U", "l", "x", "arch", "ccbin", "code", "cudadevrt", "cudart", "default-stream", "diag-suppress",
    "diag-warn", "diag-error", "fmad", "ftz", "gencode", "generate-code", "gpu-architecture", "gpu-code", "idirafter",
    "imacros", "include", "include-path", "isystem", "library", "library-path", "linker-options", "maxrregcount",
    "nvlink-options", "optimize", "optimization-info", "prec-div", "prec-sqrt", "ptxas-options", "compiler-bindir",
    "compiler-options", "define-macro", "undefine-macro", "std", "system-include", "use-local-env", "Werror",
    "Xcompiler", "Xlinker", "Xnvlink", "Xptxas", "cudafe-options", "Xcudafe",
};
static const char *const long_flags[] = {
    "debug", "device-debug", "disable-warnings", "dlink-time-opt", "expt-extended-lambda", "expt-relaxed-constexpr",
    "extended-lambda", "extra-device-vectorization", "forward-unknown-to-host-compiler",
    "forward-unknown-to-host-linker", "generate-line-info", "keep", "no-exceptions", "profile",
    "relocatable-device-code", "resource-usage", "restrict", "save-temps", "source-in-ptx", "use_fast_math",
    "verbose",
};
/* clang-format on */

static bool is_one_of(const char *const *names, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], name, length)) return true;
    return false;
}

int compile_flag_words(const char *word)
{
    bool is_long = !strncmp(word, "--", 2);
    const char *name = word + 1 + is_long;
    size_t n = strcspn(name, "=");
    bool has_value = is_one_of(flags_with_value, sizeof flags_with_value / sizeof flags_with_value[0], name, n);
    if (has_value) return name[n] ? 1 : 2;
    return !is_long || is_one_of(long_flags, sizeof long_flags / sizeof long_flags[0], name, n) ? 1 : 0;
}

static int no_compiler(void)
{
    say("no compiler for CUDA found. Install one of\n"
        "  clang 19 (or 16 and later):  apt install clang-19\n"
        "  NVIDIA's CUDA toolkit:       https://developer.nvidia.com/cuda-downloads (nvcc on PATH, or CUDA_HOME set)");
    return EXIT_REFUSED;
}

static int choose(const char *wanted, compiler *out)
{
    bool any = !wanted;
    *out = (compiler){0};
    if (!any && strcmp(wanted, "nvcc") && strcmp(wanted, "clang")) {
        say("--cc takes nvcc or clang, not '%s'", wanted);
        return EXIT_USAGE;
    }
    if (any || !strcmp(wanted, "nvcc")) out->path = place_nvcc();
    if (!out->path && (any || !strcmp(wanted, "clang"))) {
        out->path = place_clang_cc();
        out->is_clang = true;
    }
    return out->path ? 0 : no_compiler();
}

/* ---- target ---- */

static bool names_target(const words *flags)
{
    for (size_t i = 0; i < flags->count; i++)
        if (strstr(flags->items[i], "-arch") || strstr(flags->items[i], "-gencode") ||
            strstr(flags->items[i], "-gpu-architecture") || strstr(flags->items[i], "-generate-code"))
            return true;
    return false;
}

/* Adds -arch for the device: its own, else the newest older one the compiler knows; for devices that the compiler does
 * not know any more, the oldest that it does (their rules are still the ones that count). */
static void add_target(const compiler *c, const compile_request *r, words *argv)
{
    int want = r->device->major * 10 + r->device->minor, best = 0, oldest = 0;
    if (names_target(&r->flags)) return;
    if (c->is_clang) {
        int arch = want < CLANG_OLDEST ? CLANG_OLDEST : want < CLANG_NEWEST ? want : CLANG_NEWEST;
        words_add(argv, text_of("-arch=sm_%d", arch));
        return;
    }
    char *list = child_output((char *[]){c->path, "--list-gpu-arch", NULL});
    for (char *at = list; at && (at = strstr(at, "compute_")); at += 8) {
        int arch = atoi(at + 8);
        if (arch <= want && arch > best) best = arch;
        if (arch && (!oldest || arch < oldest)) oldest = arch;
    }
    if (!best) best = oldest ? oldest : want;
    words_add(argv, text_of(best == want ? "-arch=sm_%d" : "-arch=compute_%d", best));
}

/* Several .cu files may call each other's device code, unless the user says how they are compiled. */
static bool may_need_linking(const compile_request *r)
{
    size_t cuda = 0;
    for (size_t i = 0; i < r->sources.count; i++) cuda += ends_with(r->sources.items[i], ".cu");
    for (size_t i = 0; i < r->flags.count; i++)
        if (strstr(r->flags.items[i], "-rdc") || strstr(r->flags.items[i], "-relocatable-device-code")) return false;
    return cuda > 1;
}

/* Source lines of kernels and of the host's calls. The script that drives clang writes both always. */
static void add_line_flags(const compiler *c, words *argv)
{
    words_add(argv, "-lineinfo");
    if (!c->is_clang) words_add(argv, "-Xcompiler=" HOST_LINES);
}

static int make_command(const compiler *c, const compile_request *r, const char *libraries, const char *output,
                        bool relocatable, words *argv)
{
    words_add(argv, c->path);
    add_target(c, r, argv);
    add_line_flags(c, argv);
    if (relocatable) words_add(argv, "-rdc=true");
    words_add(argv, text_of(c->is_clang ? "--cudart-dir=%s" : "-L%s", libraries));
    words_add(argv, "-o");
    words_add(argv, output);
    words_add_all(argv, &r->sources);
    words_add_all(argv, &r->flags);
    return 0;
}

/* ---- cache ---- */

/* What a file is without reading it: compilers and our own archive are large. */
static void hash_identity(hash128 *h, const char *path)
{
    struct stat st = {0};
    hash_text(h, path);
    if (stat(path, &st)) return;
    hash_add(h, &st.st_size, sizeof st.st_size);
    hash_add(h, &st.st_mtim, sizeof st.st_mtim);
}

static void include_directories(const words *flags, words *out)
{
    for (size_t i = 0; i < flags->count; i++) {
        const char *flag = flags->items[i];
        if (strncmp(flag, "-I", 2)) continue;
        if (flag[2]) words_add(out, flag + 2);
        else if (i + 1 < flags->count) words_add(out, flags->items[i + 1]);
    }
}

static char *hash_words(hash128 h)
{
    return text_of("%016llx%016llx", (unsigned long long)h.a, (unsigned long long)h.b);
}

/* The entry's name: sources, flags and target, but not what the files contain. */
static char *entry_name(const compiler *c, const compile_request *r)
{
    hash128 h = {0};
    hash_text(&h, c->path);
    hash_add(&h, &r->device->major, sizeof r->device->major);
    hash_add(&h, &r->device->minor, sizeof r->device->minor);
    for (size_t i = 0; i < r->flags.count; i++) hash_text(&h, r->flags.items[i]);
    hash_text(&h, "");
    for (size_t i = 0; i < r->sources.count; i++) {
        char *real = real_path(r->sources.items[i]);
        hash_text(&h, real ? real : r->sources.items[i]);
    }
    hash_text(&h, current_directory()); /* relative -I and macros with __FILE__ depend on it */
    return hash_words(h);
}

static char *content_key(const compiler *c, const compile_request *r, const char *libraries)
{
    hash128 h = {0};
    words directories = {0}, files = {0}, own_flags = {0};
    hash_text(&h, LANEWISE_VERSION);
    add_line_flags(c, &own_flags);
    for (size_t i = 0; i < own_flags.count; i++) hash_text(&h, own_flags.items[i]);
    hash_identity(&h, c->path);
    if (c->is_clang) hash_identity(&h, place_clang()); /* c->path is the script that drives it */
    hash_identity(&h, text_of("%s/libcudart_static.a", libraries));
    include_directories(&r->flags, &directories);
    includes_of(&r->sources, &directories, &files);
    for (size_t i = 0; i < files.count; i++) {
        size_t size = 0;
        char *data = file_read(files.items[i], &size);
        hash_text(&h, files.items[i]);
        hash_add(&h, &size, sizeof size);
        if (data) hash_add(&h, data, size);
        free(data);
    }
    return hash_words(h);
}

static bool is_current(const char *program, const char *key_file, const char *key)
{
    char *stored = access(program, X_OK) ? NULL : file_read(key_file, NULL);
    bool same = stored && !strcmp(stored, key);
    free(stored);
    if (same) utimensat(AT_FDCWD, program, NULL, 0); /* else a touched source would look newer than its program */
    return same;
}

/* "dir/reduce.cu" -> "reduce". */
static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return text_of("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
}

/* Runs a compiler, its messages kept: they may be about what is then done in another way. */
static int run_keeping_messages(const words *argv, const words *environment, char **out_messages)
{
    FILE *kept = tmpfile();
    int own = kept ? dup(STDERR_FILENO) : -1;
    if (own < 0 || dup2(fileno(kept), STDERR_FILENO) < 0) {
        if (own >= 0) close(own);
        if (kept) fclose(kept);
        return child_run(argv->items, environment, true, NULL);
    }
    int status = child_run(argv->items, environment, true, NULL);
    dup2(own, STDERR_FILENO);
    close(own);
    long size = fseek(kept, 0, SEEK_END) ? 0 : ftell(kept);
    rewind(kept);
    char *text = keep((size_t)size + 1);
    text[fread(text, 1, (size_t)size, kept)] = 0;
    fclose(kept);
    *out_messages = text;
    return status;
}

static int compile_once(const compiler *c, const compile_request *r, const char *libraries, const char *output,
                        bool relocatable, char **out_messages)
{
    words argv = {0}, environment = {0};
    int status = make_command(c, r, libraries, output, relocatable, &argv);
    if (status) return status;
    if (!c->is_clang && names_target(&r->flags)) { /* it may name machine code only: shims/nvcc adds PTX then */
        words_add(&environment, text_of("LANEWISE_BUILD=%s", libraries));
        words_add(&environment, text_of("LANEWISE_NVCC=%s", c->path));
        int arch = r->device->major * 10 + r->device->minor; /* for -arch=native */
        words_add(&environment, text_of("LANEWISE_ARCH=%d", arch > NVCC_OLDEST ? arch : NVCC_OLDEST));
        argv.items[0] = text_of("%s/shims/nvcc", libraries);
    }
    return out_messages ? run_keeping_messages(&argv, &environment, out_messages)
                        : child_run(argv.items, &environment, true, NULL);
}

/* Files that share device code are linked; files that define the same names (which are each file's own to a compiler
 * that links no device code) are not. */
static int compile_into(const compiler *c, const compile_request *r, const char *libraries, const char *program)
{
    char *temporary = text_of("%s.%ld", program, (long)getpid()), *messages = NULL;
    bool linked = may_need_linking(r);
    if (isatty(STDERR_FILENO)) say("compiling %s with %s", r->sources.items[0], c->is_clang ? "clang" : "nvcc");
    int status = compile_once(c, r, libraries, temporary, linked, linked ? &messages : NULL);
    if (status && messages && (strstr(messages, "ultiple definition") || strstr(messages, "defined twice")))
        status = compile_once(c, r, libraries, temporary, false, NULL);
    else if (messages) fputs(messages, stderr);
    if (!status && rename(temporary, program)) {
        say("%s did not write a program: %s", c->path, strerror(errno));
        status = EXIT_REFUSED;
    }
    if (status) unlink(temporary);
    return status;
}

static int check_sources(const compile_request *r)
{
    for (size_t i = 0; i < r->sources.count; i++) {
        if (!access(r->sources.items[i], R_OK)) continue;
        say("cannot read %s: %s", r->sources.items[i], strerror(errno));
        return EXIT_USAGE;
    }
    return 0;
}

int compile_program(const compile_request *r, char **out_program)
{
    compiler c;
    const char *libraries = place_libraries();
    int status = libraries ? check_sources(r) : EXIT_REFUSED;
    if (!status) status = choose(r->compiler, &c);
    char *cache = status ? NULL : place_cache();
    if (!cache) return status ? status : EXIT_REFUSED;
    char *entry = text_of("%s/%s", cache, entry_name(&c, r)), *key_file = text_of("%s/key", entry);
    char *key = content_key(&c, r, libraries);
    *out_program = text_of("%s/%s", entry, stem(r->sources.items[0]));
    if (is_current(*out_program, key_file, key)) return 0;
    if (!make_directories(entry)) {
        say("cannot write %s: %s", entry, strerror(errno));
        return EXIT_REFUSED;
    }
    unlink(key_file);
    status = compile_into(&c, r, libraries, *out_program);
    if ((status == 126 || status == 127) && !r->compiler && !c.is_clang && place_clang_cc()) {
        /* left over from a toolkit that is gone */
        say("%s does not run; compiling with clang", c.path);
        compile_request again = *r;
        again.compiler = "clang";
        return compile_program(&again, out_program);
    }
    if (status) {
        words directories = {0};
        include_directories(&r->flags, &directories);
        includes_tell_missing(&r->sources, &directories);
        say("%s did not compile (%s exited with status %d); nothing was run", r->sources.items[0],
            c.is_clang ? "clang" : "nvcc", status);
    }
    if (!status) file_write(key_file, key, strlen(key)); /* failing to only costs a compilation next time */
    return status;
}
