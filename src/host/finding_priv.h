/* finding: what clients and kernels are found to do wrong, into the results or onto stderr (finding.c). */
#ifndef LW_HOST_FINDING_PRIV_H
#define LW_HOST_FINDING_PRIV_H

#include "code/code.h"
#include "event/event.h"
#include "exec/exec.h"
#include "host/types.h"

void host_report(void *context, const event_finding *finding);               /* what any client found */
void host_describe(void *context, uint64_t address, char *out, size_t size); /* event_session.describe */
void host_locate(void *context, const event_launch *launch, uint32_t insn, event_place *out); /* .locate */
void host_asked(void *context, uint32_t origin, event_place *out);                            /* .asked */
void host_finding(host_context *context, const event_launch *launch, const exec_fault *fault);
void host_finding_passed(host_context *context, const event_launch *launch, const exec_passed *passed);
/* Where an instruction stands in the source; nothing is written if it is none. */
void host_source_of(const code_kernel *code, uint32_t insn, const char **file, uint32_t *line);

#endif
