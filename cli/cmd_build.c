/* cmd_build: lanewise build COMMAND. Runs a build in an environment in which what it links takes lanewise's CUDA
 * runtime:
 *
 *   NVCC_APPEND_FLAGS  -lineinfo and -g1 for source lines; -L, so that the default static link finds our libcudart_static.a
 *   PATH               shims/nvcc adds PTX to compilations that would carry machine code only, and machine code for
 *                      the device, which tells the kernels' registers
 *   LD_PRELOAD         shims/exec.so starts shims/nvcc also where a build names nvcc by its path
 *   COMPILER_PATH      shims/ld puts our runtime in the place of one that is named by its full path
 *   CUDA_HOME ...      where the toolkit is, for what would look for it beside nvcc
 *   --action_env       the same for Bazel, which clears the environment
 *   LANEWISE_LIB       so that what the build itself starts runs: CMake asks a program of its own for the devices
 *                      (CUDA_ARCHITECTURES native), builds start generators and tests
 *
 * No file of the build is changed. Our libcuda.so.1 must not be seen here: nvcc -arch=native would ask it and then emit
 * machine code without PTX; so our directory is taken off LD_LIBRARY_PATH if it is on it. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct build_options {
    bool help;
} build_options;

static const opt_row build_rows[] = {{'h', "help", NULL, OPT_FLAG, offsetof(build_options, help), "show this help"},
                                     {0}};

/* LD_LIBRARY_PATH without our directory. */
static char *library_path_without(const char *libraries)
{
    const char *old = getenv("LD_LIBRARY_PATH");
    char *rest = text_of("LD_LIBRARY_PATH=");
    bool first = true;
    for (const char *p = old ? old : ""; *p;) {
        size_t n = strcspn(p, ":");
        if (n && (strlen(libraries) != n || strncmp(p, libraries, n))) {
            rest = text_of("%s%s%.*s", rest, first ? "" : ":", (int)n, p);
            first = false;
        }
        p += n + (p[n] == ':');
    }
    return rest;
}

/* Clients look for the toolkit beside the nvcc on PATH, which is our shim: name the toolkit itself. */
static void name_toolkit(const char *nvcc, words *environment)
{
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
    const char *given = NULL;
    for (size_t i = 0; !given && i < sizeof names / sizeof names[0]; i++) {
        given = getenv(names[i]);
        if (given && !*given) given = NULL;
    }
    char *root = given ? text_of("%s", given) : real_path(nvcc); /* ROOT/bin/nvcc */
    for (int up = 0; !given && root && up < 2; up++) {
        char *slash = strrchr(root, '/');
        if (slash) *slash = 0;
    }
    if (!given && (!root || !strcmp(root, "/usr") || !file_exists(text_of("%s/include/cuda.h", root)))) return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *own = getenv(names[i]);
        if (!own || !*own) words_add(environment, text_of("%s=%s", names[i], root));
    }
}

/* What starts programs by their path meets the shim of nvcc, too. */
static void preload_exec(const char *shims, words *environment)
{
    const char *old = getenv("LD_PRELOAD");
    words_add(environment, text_of("LD_PRELOAD=%s/exec.so%s%s", shims, old && *old ? ":" : "", old ? old : ""));
    words_add(environment, text_of("LANEWISE_SHIM_NVCC=%s/nvcc", shims));
}

void build_environment(const char *libraries, words *environment)
{
    const char *old = getenv("NVCC_APPEND_FLAGS");
    char *shims = text_of("%s/shims", libraries), *nvcc = place_nvcc();
    words_add(environment, text_of("LANEWISE_BUILD=%s", libraries));
    words_add(environment, text_of("NVCC_APPEND_FLAGS=%s%s-lineinfo -Xcompiler=" HOST_LINES " -L%s", old ? old : "",
                                   old && *old ? " " : "", libraries));
    words_add(environment, path_with("PATH", shims));
    words_add(environment, path_with("COMPILER_PATH", shims));
    if (!nvcc) return;
    words_add(environment, text_of("LANEWISE_NVCC=%s", nvcc));
    name_toolkit(nvcc, environment);
}

/* A build command that is nvcc by its path: this process is not preloaded, so the shim is named here. */
static void start_shim(char **word, const char *libraries, words *environment)
{
    const char *slash = strrchr(*word, '/');
    if (!slash || strcmp(slash, "/nvcc") || !file_exists(*word)) return;
    words_add(environment, text_of("LANEWISE_NVCC=%s", *word));
    *word = text_of("%s/shims/nvcc", libraries);
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list)) list++;
    return *list;
}

/* Bazel starts what it builds with in an environment of its own: ours is named behind `build` (or `test` ...). */
static void name_for_bazel(char **argv, const words *environment, words *out)
{
    static const char *const programs[] = {"bazel", "bazelisk", NULL};
    static const char *const verbs[] = {"build", "test", "run", "coverage", NULL};
    const char *slash = strrchr(argv[0], '/');
    bool bazel = is_one_of(slash ? slash + 1 : argv[0], programs);
    for (; *argv; argv++) {
        words_add(out, *argv);
        if (!bazel || !is_one_of(*argv, verbs)) continue;
        for (size_t i = 0; i < environment->count; i++)
            words_add(out, text_of("--action_env=%s", environment->items[i]));
        bazel = false; /* named */
    }
}

static int run_build(const command *self, int argc, char **argv)
{
    build_options options = {0};
    words environment = {0}, build = {0};
    int i = 1;
    while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--")) {
        opt_result taken = opt_take(self, &options, argv, &i);
        if (taken != OPT_TAKEN) return taken == OPT_WRONG ? EXIT_USAGE : opt_unknown(self, argv[i]);
    }
    if (options.help) {
        opt_help(self, stdout);
        return 0;
    }
    i += i < argc && !strcmp(argv[i], "--");
    if (i == argc) {
        say("no build command given: lanewise build make (--help has examples)");
        return EXIT_USAGE;
    }
    const char *libraries = place_libraries();
    if (!libraries) return EXIT_REFUSED;
    build_environment(libraries, &environment);
    words_add(&environment, text_of("LANEWISE_LIB=%s/liblanewise.so.0", libraries));
    if (getenv("LD_LIBRARY_PATH")) words_add(&environment, library_path_without(libraries));
    preload_exec(text_of("%s/shims", libraries), &environment);
    start_shim(&argv[i], libraries, &environment);
    name_for_bazel(argv + i, &environment, &build);
    struct timespec start;
    clock_gettime(CLOCK_REALTIME_COARSE, &start); /* the clock of files */
    int status = child_run(build.items, &environment, false, NULL);
    warn_of_built(&start, libraries);
    if (status) say("the build exited with status %d", status);
    else say("build finished; to run a program: lanewise run PROGRAM [arguments]");
    return status;
}

const command command_build = {
    .name = "build",
    .usage = "lanewise build COMMAND [arguments]",
    .about =
        "Runs a build command so that the CUDA programs it builds attach to lanewise: they contain source lines and "
        "PTX,\n"
        "and are linked with lanewise's CUDA runtime. Only the environment is changed, not the files of the build.\n"
        "Existing build outputs are not rebuilt: start from a clean tree. With CMake, also run the configuration "
        "under\n"
        "`lanewise build`.",
    .options = build_rows,
    .examples = "lanewise build make\n"
                "lanewise build cmake -B build && lanewise build cmake --build build\n"
                "lanewise build nvcc -O3 -o app app.cu",
    .run = run_build};
