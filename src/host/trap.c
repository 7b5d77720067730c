/* The host touches device memory: its addresses are not accessible, so the process faults, as it does on a machine with
 * a GPU. A handler before the program's own writes what that was as a finding, then does what would have happened
 * without it: the program's handler, or the end of the process by the signal.
 *
 * A program may install a handler of its own at any time. host_trap_install() is called with every operation, and takes
 * its place before what it finds; a handler that the program installs after its last call of CUDA is not preceded.
 *
 * Everything here that runs in the handler is async-signal-safe, as glibc has it: snprintf of integers and texts, the
 * lock of the table tried for a while, and the result log without its tables. */
#define _GNU_SOURCE
#include "host/trap_priv.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mapping.h"
#include "host/code_place.h"
#include "host/guard_priv.h"
#include "host/results_priv.h"
#include "host/state_priv.h"

#define FINDINGS_MOST 16 /* a handler of the program may go on after a fault */
#define STACK_BYTES ((size_t)64 << 10)

typedef struct trap {
    int number;
    _Atomic(const struct sigaction *) below; /* what is to happen after ours; never freed: a handler may read it */
} trap;

static trap traps[] = {{SIGSEGV, NULL}, {SIGBUS, NULL}};
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int findings;
static _Atomic(host_context *) trapped; /* whose memory it is */

/* The thread whose signal is with the program's handler now. If that raises the signal again, or calls what it found
 * before it, which is ours, the default action follows. */
static atomic_int passed_thread;

/* ---- what is written ---- */

/* site: "app+0x1139", the file and the address in it as addr2line takes it; "" if no file holds the address. */
static void place_of(uint64_t address, char *site, size_t room, host_code_place *place)
{
    lw_mapping map;
    *site = 0;
    place->line.line = 0;
    if (!lw_mapping_at(address, &map) || !map.file[0]) return;
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(uintptr_t)map.base; /* loaders map a file's start first */
    if (header->e_type != ET_EXEC) address -= map.base;
    snprintf(site, room, "%s+0x%llx", strrchr(map.file, '/') + 1, (unsigned long long)address);
    host_code_place_read(map.file, address, place);
}

static bool is_write(const ucontext_t *context)
{
    enum { WRITE_BIT = 2 }; /* of the page fault's error code */
    return context->uc_mcontext.gregs[REG_ERR] & WRITE_BIT;
}

static void write_finding(host_context *c, uint64_t address, const ucontext_t *context)
{
    char what[320];
    char message[768];
    char site[320];
    mem_allocation a;
    if (mem_nearest_in_signal(c->memory, address, &a)) mem_describe(NULL, &a, address, what, sizeof what);
    else snprintf(what, sizeof what, "device memory");
    bool writes = is_write(context);
    snprintf(message, sizeof message,
             "the host %s device memory at 0x%llx: %s. The host cannot access it: copy with cudaMemcpy, or allocate "
             "with cudaMallocManaged what both use.",
             writes ? "writes" : "reads", (unsigned long long)address, what);
    host_code_place place;
    place_of((uint64_t)context->uc_mcontext.gregs[REG_RIP], site, sizeof site, &place);
    result_log *log = host_log_in_signal(c);
    if (!log) {
        char line[1200];
        int length = snprintf(line, sizeof line, "lanewise: memcheck: %s\n%s%s%s", message, *site ? "    at " : "",
                              site, *site ? "\n" : "");
        if (write(STDERR_FILENO, line, (size_t)length) < 0) return;
        return;
    }
    result_finding f = {.check = "memcheck",
                        .severity = "error",
                        .message = message,
                        .site = *site ? site : NULL,
                        .file = place.line.line ? place.line.file : NULL,
                        .line = place.line.line,
                        .address = address,
                        .has_address = true,
                        .count = 1};
    result_log_finding_in_signal(log, &f);
}

/* ---- the handler ---- */

static bool has_handler(const struct sigaction *a)
{
    return a && ((a->sa_flags & SA_SIGINFO) || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN));
}

static void call_below(const struct sigaction *below, int number, siginfo_t *info, void *context)
{
    atomic_store(&passed_thread, (int)syscall(SYS_gettid));
    if (below->sa_flags & SA_NODEFER) {
        sigset_t own;
        sigemptyset(&own);
        sigaddset(&own, number);
        pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    }
    if (below->sa_flags & SA_SIGINFO) below->sa_sigaction(number, info, context);
    else below->sa_handler(number);
    atomic_store(&passed_thread, 0);
}

/* delivered: by the kernel, not called by the program's handler */
static void pass_on(int number, siginfo_t *info, void *context, bool delivered)
{
    const trap *t = number == traps[0].number ? &traps[0] : &traps[1];
    const struct sigaction *below = atomic_load(&t->below);
    bool sent = info->si_code <= 0; /* by a call, not by a fault */
    bool nested = !delivered || (sent && atomic_load(&passed_thread) == (int)syscall(SYS_gettid));
    if (!nested && has_handler(below)) {
        call_below(below, number, info, context);
        return;
    }
    if (!nested && sent && below && below->sa_handler == SIG_IGN) return;
    struct sigaction default_action = {.sa_handler = SIG_DFL};
    sigaction(number, &default_action, NULL); /* the instruction faults again when this returns */
    if (sent) raise(number);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    enum { FRAME_BYTES = 16 }; /* the kernel's frame: a return address, behind it the context; below it ours */
    bool delivered = (char *)__builtin_frame_address(0) + FRAME_BYTES == (char *)context;
    int error = errno;
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    host_context *c = atomic_load(&trapped);
    bool writes = is_write(context);
    uint64_t pc = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (delivered && info->si_code > 0 && c && host_guard_fault(c, address, writes, pc, context)) {
        errno = error;
        return;
    }
    bool ours = delivered && info->si_code > 0 && c && c->memory && mem_in_device_window(address);
    if (ours && atomic_fetch_add(&findings, 1) < FINDINGS_MOST) write_finding(c, address, context);
    pass_on(number, info, context, delivered);
    errno = error;
}

/* ---- installing ---- */

/* A stack for the handler of this thread, if it has none: a fault may be an overflow of its own. */
static void give_stack(void)
{
    stack_t now, own = {.ss_size = STACK_BYTES};
    if (sigaltstack(NULL, &now) || !(now.ss_flags & SS_DISABLE)) return;
    own.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own.ss_sp != MAP_FAILED) sigaltstack(&own, NULL);
}

void host_trap_install(host_context *c)
{
    atomic_store(&trapped, c);
    if (pthread_mutex_trylock(&install_lock)) return;
    for (size_t k = 0; k < LW_COUNT(traps); k++) {
        struct sigaction now;
        if (sigaction(traps[k].number, NULL, &now) || now.sa_sigaction == on_signal) continue;
        if (!atomic_load(&traps[k].below)) give_stack();
        struct sigaction *kept = lw_alloc(sizeof *kept), action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
        *kept = now;
        atomic_store(&traps[k].below, kept);
        action.sa_sigaction = on_signal;
        sigaction(traps[k].number, &action, NULL);
    }
    pthread_mutex_unlock(&install_lock);
}
