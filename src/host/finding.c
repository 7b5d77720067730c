/* Faults as findings: what a person reads when a kernel was stopped. Under `lanewise run` they go to the result log;
 * a program started by itself gets them on stderr. A failed assert is always printed, as the device runtime does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_priv.h"

static const char *check_of(exec_fault_kind kind)
{
    return kind == EXEC_HANG || kind == EXEC_DIVERGENT_BARRIER ? "synccheck" : "memcheck";
}

static bool has_address(exec_fault_kind kind)
{
    switch (kind) {
    case EXEC_ILLEGAL_ADDRESS:
    case EXEC_MISALIGNED:
    case EXEC_INVALID_SPACE:
    case EXEC_SHARED_RANGE:
    case EXEC_CLUSTER_EXITED:
    case EXEC_INVALID_PC: return true;
    default: return false;
    }
}

static void print_finding(const result_finding *f)
{
    fprintf(stderr, "lanewise: %s: %s\n", f->check, f->message);
    if (f->file) fprintf(stderr, "    at %s:%u in %s\n", f->file, f->line, f->kernel);
    if (f->has_place)
        fprintf(stderr, "    block (%u,%u,%u), thread (%u,%u,%u)\n", f->block[0], f->block[1], f->block[2],
                f->thread[0], f->thread[1], f->thread[2]);
}

void host_finding(host_context *c, const host_op *op, const exec_fault *fault)
{
    host_kernel *k = op->u.kernel.kernel;
    const code_kernel *code = k->code;
    char *message = host_demangle_text(fault->message);
    result_finding f = {
        .check = check_of(fault->kind),
        .severity = fault->kind == EXEC_DIVERGENT_BARRIER ? "warning" : "error",
        .message = message,
        .kernel = host_kernel_demangled(k),
        .has_place = fault->kind != EXEC_HANG,
        .address = fault->address,
        .has_address = has_address(fault->kind),
        .bytes = fault->bytes,
        .count = 1,
    };
    if (fault->site < code->site_count) {
        const code_site *site = &code->sites[fault->site];
        const ptx_line *shown = host_visible_frame(site->insn->source);
        f.file = shown ? shown->file : site->module->name;
        f.line = shown ? shown->line : site->insn->line;
    }
    memcpy(f.block, fault->block, sizeof f.block);
    memcpy(f.thread, fault->thread, sizeof f.thread);
    if (fault->kind == EXEC_ASSERT) fprintf(stderr, "%s\n", fault->message);
    if (host_log(c)) result_log_finding(c->results.log, &f);
    else if (fault->kind != EXEC_ASSERT) print_finding(&f);
    free(message);
}
