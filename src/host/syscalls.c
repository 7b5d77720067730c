/* syscalls.c: see syscalls_priv.h. The system reads a byte of ours at each system call of the thread; if that says BLOCK it
 * sends SIGSYS instead of running the call. The handler lets calls pass from then on and makes the one again; behind it the trap of
 * a single step has the next one told, if that is wanted. */
#define _GNU_SOURCE
#include "host/syscalls_priv.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* linux/prctl.h, asm-generic/siginfo.h; not in all headers */
enum { USER_DISPATCH = 59, DISPATCH_ON = 1, PASS = 0, BLOCK = 1, CODE_USER_DISPATCH = 2 };
enum {
    SYSCALL_BYTES = 2,
    SIGRETURN_BYTES = 16,
    THREAD_TRIES = 40,
    THREAD_WAIT_NANOSECONDS = 250000,
    COMPANY_MOST = 3,
    TRAP_FLAG = 0x100
};

static volatile char selector; /* of the first thread alone */
static bool dispatching, refused, may_step;
static atomic_bool first_known; /* the first thread is, which `first` was set for once */
static pthread_t first;
static int company;          /* how often other threads were found; from COMPANY_MOST on that is not asked any more */
static char *end_of_handler; /* the call that ends a handler, which is let through; NULL: not known yet */
static bool (*after_step)(void *user);
static void *after_step_user;
static bool (*before_call)(void *user, const host_syscall *call);
static bool (*after_call)(void *user);
static void *call_user;

void host_syscalls_pass(void)
{
    if (first_known && !pthread_equal(pthread_self(), first)) return;
    selector = PASS;
    atomic_signal_fence(memory_order_seq_cst);
}

/* The directory of a process's threads has a link for each, and two more. A helper that was joined may be there for a while
 * still, on a machine with much to do. A program that has threads of its own is not asked for ever. */
static bool is_alone(unsigned helpers)
{
    struct stat s;
    if (company >= COMPANY_MOST) return false;
    for (int k = 0; k < THREAD_TRIES; k++) {
        if (stat("/proc/self/task", &s)) return false;
        if (s.st_nlink <= 2 + 1 + (nlink_t)helpers) return true;
        nanosleep(&(struct timespec){.tv_nsec = THREAD_WAIT_NANOSECONDS}, NULL);
    }
    company++;
    return false;
}

/* The instruction has run. back: where the handler returns to, which makes the call that ends it. */
static void stepped(ucontext_t *context, char *back)
{
    context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    bool again = after_step && after_step(after_step_user);
    after_step = NULL;
    if (!again) return;
    if (back != end_of_handler) dispatching = !prctl(USER_DISPATCH, DISPATCH_ON, back, SIGRETURN_BYTES, &selector);
    end_of_handler = back;
    selector = BLOCK; /* without the right place the end of the handler is the next call */
}

static void on_step(int number, siginfo_t *info, void *context)
{
    char **frame = __builtin_frame_address(0);
    int error = errno;
    if (info->si_code == TRAP_TRACE) {
        stepped(context, frame[1]);
    } else {
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = error;
}

bool host_syscalls_step(void *context, bool (*after)(void *user), void *user)
{
    if (!may_step || after_step || !first_known || !pthread_equal(pthread_self(), first)) return false;
    after_step_user = user;
    after_step = after;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
}

/* ---- calls ---- */
static host_syscall call_of(const ucontext_t *context)
{
    const greg_t *r = context->uc_mcontext.gregs;
    host_syscall call = {.number = (long)r[REG_RAX], .pc = (uint64_t)r[REG_RIP]};
    const int order[HOST_SYSCALL_ARGUMENTS] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    for (int k = 0; k < HOST_SYSCALL_ARGUMENTS; k++) call.arguments[k] = (uint64_t)r[order[k]];
    return call;
}

bool host_syscall_is_plain(const host_syscall *call)
{
    static const short plain[] = {
        SYS_read,          SYS_write,        SYS_pread64,     SYS_pwrite64,        SYS_open,       SYS_openat,
        SYS_close,         SYS_stat,         SYS_fstat,       SYS_lstat,           SYS_newfstatat, SYS_lseek,
        SYS_brk,           SYS_mmap,         SYS_munmap,      SYS_mremap,          SYS_madvise,    SYS_access,
        SYS_getpid,        SYS_gettid,       SYS_nanosleep,   SYS_getrandom,       SYS_fsync,      SYS_ftruncate,
        SYS_clock_gettime, SYS_gettimeofday, SYS_sched_yield, SYS_clock_nanosleep, SYS_futex,      SYS_getrusage,
        SYS_times,         SYS_uname,        SYS_fadvise64,   SYS_getdents64,      SYS_unlink};
    if (call->number == SYS_ioctl) return call->arguments[1] == TCGETS; /* is it a terminal? */
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (call->number == plain[k]) return true;
    return false;
}

bool host_syscall_writes(const host_syscall *call)
{
    static const short readers[] = {SYS_write,  SYS_pwrite64,  SYS_open,  SYS_openat,
                                    SYS_access, SYS_nanosleep, SYS_unlink};
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
        if (call->number == readers[k]) return false;
    return true;
}

static void on_call(int number, siginfo_t *info, void *context)
{
    if (info->si_code != CODE_USER_DISPATCH) { /* sent by somebody else: as if there were no handler */
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    host_syscalls_pass();
    int error = errno;
    host_syscall call = call_of(context);
    call.number = info->si_syscall;
    bool again = before_call(call_user, &call);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] -= SYSCALL_BYTES; /* the system has put back all else */
    if (again && !host_syscalls_step(context, after_call, call_user)) before_call(call_user, NULL);
    errno = error;
}

/* The handler is ours, or there was none. Nothing interrupts it, as a handler of the program would meet the selector as it
 * is; but if the end of a handler is stopped, that must be told. */
static bool take_signal(int number, void (*handler)(int, siginfo_t *, void *))
{
    sigset_t blocked;
    struct sigaction now, action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGSYS);
    if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) || sigismember(&blocked, number)) return false;
    if (sigaction(number, NULL, &now)) return false;
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) return true;
    return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL && !sigaction(number, &action, NULL);
}

/* A handler that blocks SIGSYS cannot be told of its calls: the system would end the process. */
static bool handlers_allow(void)
{
    for (int number = 1; number < SIGRTMAX; number++) {
        struct sigaction now;
        if (number == SIGSYS || number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &now)) continue;
        bool handled = now.sa_flags & SA_SIGINFO || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
        if (handled && sigismember(&now.sa_mask, SIGSYS)) return false;
    }
    return true;
}

bool host_syscalls_ready(unsigned helpers, bool *out_all)
{
    *out_all = false;
    if (refused || !handlers_allow() || gettid() != getpid() || !take_signal(SIGSYS, on_call)) return false;
    if (!first_known) first = pthread_self();
    first_known = true;
    may_step = take_signal(SIGTRAP, on_step);
    if (!dispatching) refused = prctl(USER_DISPATCH, DISPATCH_ON, 0, 0, &selector) != 0;
    dispatching = !refused;
    *out_all = dispatching && is_alone(helpers);
    return dispatching;
}

void host_syscalls_watch(bool (*before)(void *user, const host_syscall *call), bool (*after)(void *user), void *user)
{
    before_call = before;
    after_call = after;
    call_user = user;
    atomic_signal_fence(memory_order_seq_cst);
    selector = BLOCK;
}

/* The system does not take it over into a child. */
void host_syscalls_forked(void)
{
    selector = PASS;
    dispatching = false;
    first_known = false;
    end_of_handler = NULL;
    after_step = NULL;
}
