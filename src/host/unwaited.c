/* unwaited.c: see unwaited_priv.h. */
#include "host/unwaited_priv.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/context.h"
#include "host/emit_priv.h"
#include "host/kernel_priv.h"
#include "host/results_priv.h"
#include "host/source_priv.h"

struct host_unwaited {
    _Atomic uint64_t issued; /* number of the last operation that was submitted */
    _Atomic uint64_t known;  /* of the last one that had been when the host waited last */
    _Atomic uint64_t asked;  /* of the last one that was not ready at the first question */
    _Atomic uint64_t kernel; /* of a kernel; with `name`, the first one behind `known`, if it is behind it */
    char name[256];
    atomic_flag told; /* of a time that was asked for too early */
};

host_unwaited *host_unwaited_make(void)
{
    host_unwaited *u = lw_alloc(sizeof *u);
    atomic_flag_clear(&u->told);
    return u;
}

void host_unwaited_forked(host_context *c)
{
    host_unwaited *u = c->unwaited;
    atomic_store(&u->issued, 0);
    atomic_store(&u->known, 0);
    atomic_store(&u->asked, 0);
    atomic_store(&u->kernel, 0);
}

static bool behind(host_context *c, uint64_t number) { return number > host_unwaited_known(c); }

void host_unwaited_put(host_context *c, uint64_t number, const host_op *op, bool by_program)
{
    host_unwaited *u = c->unwaited;
    bool kernel = by_program && op->kind == HOST_OP_KERNEL && !op->u.kernel.parent && !op->u.kernel.graph;
    atomic_store(&u->issued, number);
    if (!kernel || behind(c, atomic_load(&u->kernel))) return;
    snprintf(u->name, sizeof u->name, "%s", op->u.kernel.kernel->name);
    atomic_store(&u->kernel, number);
}

void host_unwaited_wait(host_context *c) { atomic_store(&c->unwaited->known, atomic_load(&c->unwaited->issued)); }

uint64_t host_unwaited_known(host_context *c) { return atomic_load(&c->unwaited->known); }

void host_unwaited_forget_wait(host_context *c, uint64_t known) { atomic_store(&c->unwaited->known, known); }

bool host_unwaited_asks(host_context *c, uint64_t number)
{
    host_unwaited *u = c->unwaited;
    if (!host_wants(c, EVENT_HOST_TOUCH) || !behind(c, number) || number <= atomic_load(&u->asked)) return false;
    atomic_store(&u->asked, number);
    return true;
}

static void warn(host_context *c, const char *message)
{
    result_log *log = host_log(c);
    result_finding f = {
        .check = "synccheck", .severity = result_severities[RESULT_WARNING].name, .message = message, .count = 1};
    if (log && check_wanted(&c->options.checks, CHECK_SYNCCHECK)) result_log_finding(log, &f);
}

void host_unwaited_time(host_context *c, uint64_t number)
{
    if (!behind(c, number) || atomic_flag_test_and_set(&c->unwaited->told)) return;
    warn(c,
         "the time between two events is asked for before the host has waited for the later one: a device answers "
         "cudaErrorNotReady; cudaEventSynchronize() of that event before cudaEventElapsedTime() gives the time. It is "
         "an error unless the program asks again");
}

void host_unwaited_report(host_context *c)
{
    const host_unwaited *u = c->unwaited;
    if (!behind(c, atomic_load(&u->kernel)) || !host_status(c)) return;
    char *name = host_demangle(u->name);
    char *message =
        lw_printf("the program ended without a wait for kernel %s and what it submitted after it, and some of "
                  "that failed: on a device nobody learns of it; cudaDeviceSynchronize() before the end gives "
                  "the error",
                  name);
    warn(c, message);
    free(message);
    free(name);
}
