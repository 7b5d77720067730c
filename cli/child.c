/* child: starts a program and waits for it. It stays in the terminal's foreground group, so that Ctrl-C reaches it
 * without our help; the command itself ignores the terminal's signals meanwhile, so that it can still report. Signals
 * that some process sends to the command alone are passed on. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t child_pid; /* for the handler; 0: none */

static void pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    /* A signal of the terminal has no sender (SI_KERNEL) and reached the child too. */
    if (child_pid > 0 && info->si_code <= 0) kill((pid_t)child_pid, number);
    errno = saved;
}

static const int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
#define PASSED_ON (sizeof passed_on / sizeof passed_on[0])

static void catch_signals(struct sigaction old[PASSED_ON])
{
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < PASSED_ON; i++) {
        sigaction(passed_on[i], NULL, &old[i]);
        /* What our caller ignores (nohup) stays ignored, for the child too. */
        if (old[i].sa_handler != SIG_IGN) sigaction(passed_on[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction old[PASSED_ON])
{
    for (size_t i = 0; i < PASSED_ON; i++) sigaction(passed_on[i], &old[i], NULL);
}

/* In the child: becomes the program, or sends errno through the pipe. */
_Noreturn static void become(char *const *argv, const words *environment, pid_t parent, int report)
{
    for (size_t i = 0; environment && i < environment->count; i++) putenv(environment->items[i]);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would read what it counts */
    if (getppid() != parent) _exit(EXIT_NOT_EXECUTABLE);
    execvp(argv[0], argv);
    int error = errno;
    if (write(report, &error, sizeof error) < 0) _exit(EXIT_NOT_EXECUTABLE);
    _exit(EXIT_NOT_FOUND);
}

/* Sets *ended_by to the signal that ended it, or to 0. */
static int wait_for(pid_t pid, int *ended_by)
{
    int status = 0;
    *ended_by = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return EXIT_REFUSED;
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    *ended_by = WTERMSIG(status);
    return 128 + *ended_by;
}

void child_say_signal(const char *program, int number)
{
    if (!number || number == SIGPIPE) return;
    bool asked = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGKILL || number == SIGQUIT;
    say("%s %s signal %d (%s)", program, asked ? "was ended by" : "crashed:", number, strsignal(number));
}

int child_run(char *const *argv, const words *environment, bool stdout_to_stderr, int *ended_by)
{
    int report[2], error = 0, signal_number = 0;
    struct sigaction old[PASSED_ON];
    if (pipe2(report, O_CLOEXEC)) return EXIT_REFUSED;
    fflush(NULL);
    child_pid = 0;
    catch_signals(old);
    /* A signal that comes while it is not yet known to whom it goes waits. */
    sigset_t passed, mask;
    sigemptyset(&passed);
    for (size_t i = 0; i < PASSED_ON; i++) sigaddset(&passed, passed_on[i]);
    sigprocmask(SIG_BLOCK, &passed, &mask);
    pid_t parent = getpid(), pid = fork();
    if (!pid) {
        restore_signals(old);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        if (stdout_to_stderr) dup2(STDERR_FILENO, STDOUT_FILENO);
        become(argv, environment, parent, report[1]);
    }
    child_pid = pid;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[1]);
    if (pid > 0 && read(report[0], &error, sizeof error) != sizeof error) error = 0;
    if (pid < 0) error = errno;
    close(report[0]);
    int status = pid > 0 ? wait_for(pid, &signal_number) : EXIT_REFUSED;
    if (ended_by) *ended_by = signal_number;
    child_pid = 0;
    restore_signals(old);
    if (!error) return status;
    say("cannot start %s: %s", argv[0], error == ENOENT ? "not found" : strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

char *child_output(char *const *argv)
{
    int out[2];
    if (pipe2(out, O_CLOEXEC)) return NULL;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, STDIN_FILENO);
        dup2(null, STDERR_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execvp(argv[0], argv);
        _exit(EXIT_NOT_FOUND);
    }
    close(out[1]);
    const size_t most = 1 << 16;
    char *text = keep(most + 1);
    size_t size = 0;
    for (ssize_t n;
         pid > 0 && size < most && ((n = read(out[0], text + size, most - size)) > 0 || (n < 0 && errno == EINTR));)
        size += n > 0 ? (size_t)n : 0;
    close(out[0]);
    int ended_by;
    return pid > 0 && !wait_for(pid, &ended_by) ? text : NULL;
}

char *path_with(const char *variable, const char *directory)
{
    const char *old = getenv(variable);
    return old && *old ? text_of("%s=%s:%s", variable, directory, old) : text_of("%s=%s", variable, directory);
}
