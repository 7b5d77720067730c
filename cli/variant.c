#include "variant.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED_CHECKS 97 /* the exit status that lanewise run is asked for if there are findings */

extern const command command_run;

static char *folder;
static unsigned started;

bool variants_begin(void)
{
    const char *directory = getenv("TMPDIR");
    folder = text_of("%s/lanewise-XXXXXX", directory && *directory ? directory : "/tmp");
    if (mkdtemp(folder)) return true;
    say("cannot create %s: %s; set TMPDIR to a writable directory", folder, strerror(errno));
    return false;
}

void variants_end(void) { rmdir(folder); }

/* ---- starting ---- */
static void redirect(const char *path, int to)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0) dup2(fd, to);
}

/* In the new process. */
_Noreturn static void become_run(const variant *v, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(EXIT_REFUSED);
    redirect("/dev/null", STDOUT_FILENO);
    redirect(v->log, STDERR_FILENO);
    run_keep_results(v->results);
    words argv = {0};
    words_add(&argv, "run");
    words_add(&argv, "--time");
    words_add(&argv, "-o");
    words_add(&argv, "/dev/null");
    words_add(&argv, text_of("--error-exitcode=%d", FAILED_CHECKS));
    words_add_all(&argv, &v->arguments);
    exit(command_run.run(&command_run, (int)argv.count, argv.items));
}

bool variant_start(variant *v)
{
    unsigned number = started++;
    v->results = text_of("%s/%u.results", folder, number);
    v->log = text_of("%s/%u.log", folder, number);
    fflush(NULL);
    pid_t parent = getpid();
    v->process = fork();
    if (!v->process) become_run(v, parent);
    if (v->process > 0) return true;
    v->process = 0;
    say("cannot start a process: %s", strerror(errno));
    return false;
}

/* ---- reading ---- */
/* "void f<int>(float*, int)" -> "f<int>". */
static char *short_name(const char *name)
{
    if (!strncmp(name, "void ", 5)) name += 5;
    int depth = 0;
    for (const char *c = name; *c; c++) {
        depth += *c == '<';
        depth -= *c == '>' && depth > 0;
        if (*c == '(' && !depth && c > name) return text_of("%.*s", (int)(c - name), name);
    }
    return text_of("%s", name);
}

static variant_kernel *kernel_named(variant *v, char *name)
{
    for (size_t k = 0; k < v->kernel_count; k++)
        if (!strcmp(v->kernels[k].name, name)) return &v->kernels[k];
    v->kernels = realloc(v->kernels, (v->kernel_count + 1) * sizeof *v->kernels);
    if (!v->kernels) abort();
    v->kernels[v->kernel_count] = (variant_kernel){.name = name};
    return &v->kernels[v->kernel_count++];
}

static void add_launch(void *user, const lw_launch_time *t)
{
    variant_kernel *k = kernel_named(user, short_name(t->kernel));
    k->launches += t->launches;
    k->seconds += t->seconds;
    k->low += t->low;
    k->high += t->high;
    if (t->seconds < k->longest) return;
    k->longest = t->seconds;
    k->bottleneck = text_of("%s", t->bottleneck);
    k->occupancy = t->occupancy;
    const char *slash = t->file ? strrchr(t->file, '/') : NULL;
    k->place = t->file ? text_of("%s:%u", slash ? slash + 1 : t->file, t->line) : NULL;
}

/* The last line of what it wrote to stderr that is not empty. */
static char *last_words(const char *log)
{
    char *text = file_read(log, NULL);
    char *line = NULL;
    for (char *at = text ? strtok(text, "\n") : NULL; at; at = strtok(NULL, "\n"))
        if (at[strspn(at, " \t\r")]) line = at;
    line = line ? text_of("%.200s", line) : NULL;
    free(text);
    return line;
}

static char *why_failed(const variant *v, const lw_results *results)
{
    if (v->status == FAILED_CHECKS && results && lw_results_failures(results))
        return text_of("%zu finding%s (lanewise run shows them)", lw_results_failures(results),
                       lw_results_failures(results) == 1 ? "" : "s");
    char *said = last_words(v->log);
    return text_of("exit status %d%s%s", v->status, said ? ": " : "", said ? said : "");
}

static void read_results(variant *v)
{
    lw_results *results = NULL;
    lw_message message = {""};
    bool read = !lw_results_read(v->results, NULL, &results, &message);
    if (v->status) v->why = why_failed(v, results);
    else if (!read) v->why = text_of("%s", message.text);
    if (read) {
        lw_results_times(results, add_launch, v);
        v->device_seconds = lw_results_device_seconds(results);
        lw_results_free(results);
    }
    if (!v->why && !v->kernel_count) v->why = text_of("no kernel was predicted");
    unlink(v->results);
    unlink(v->log);
}

variant *variant_wait(variant *all, size_t count)
{
    int status;
    pid_t ended = wait(&status);
    for (size_t k = 0; k < count && ended > 0; k++) {
        variant *v = &all[k];
        if (v->process != ended) continue;
        v->process = 0;
        v->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        read_results(v);
        return v;
    }
    return NULL;
}

const variant_kernel *variant_kernel_of(const variant *v, const char *name)
{
    for (size_t k = 0; k < v->kernel_count; k++)
        if (!strcmp(v->kernels[k].name, name)) return &v->kernels[k];
    return NULL;
}

/* ---- the command line ---- */
int variant_parse(const command *self, void *options, char **argv, words *before, words *after)
{
    int i = 1;
    bool ours = true; /* no program has come yet: what begins with - may be an option */
    while (argv[i] && ours && strcmp(argv[i], "--")) {
        const char *word = argv[i];
        opt_result taken = word[0] == '-' ? opt_take(self, options, argv, &i) : OPT_OTHER;
        if (taken == OPT_WRONG) return EXIT_USAGE;
        if (taken == OPT_TAKEN) continue;
        int flag_words = word[0] == '-' ? compile_flag_words(word) : 1;
        if (!flag_words) return opt_unknown(self, word);
        ours = word[0] == '-' || compile_is_source(word);
        if (!ours) break;
        for (; flag_words-- && argv[i]; i++) words_add(before, argv[i]);
    }
    for (; argv[i]; i++) words_add(after, argv[i]);
    return 0;
}

const char *variant_time(double seconds)
{
    double value = seconds >= 1 ? seconds : seconds >= 1e-3 ? seconds * 1e3 : seconds * 1e6;
    const char *unit = seconds >= 1 ? "s" : seconds >= 1e-3 ? "ms" : "us";
    return text_of("%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

const char *variant_range(double low, double high)
{
    const char *from = variant_time(low), *to = variant_time(high);
    const char *from_unit = strchr(from, ' '), *to_unit = strchr(to, ' ');
    if (strcmp(from_unit, to_unit)) return text_of("%s-%s", from, to);
    return text_of("%.*s-%s", (int)(from_unit - from), from, to);
}
