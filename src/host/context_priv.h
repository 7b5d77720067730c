/* context: the one context of the process, for the files at the top of the room (context.c). */
#ifndef LW_HOST_CONTEXT_PRIV_H
#define LW_HOST_CONTEXT_PRIV_H

#include "host/context.h"

/* The process's context, made with these options if there is none; *out_made: it was. */
host_context *host_context_make(const host_options *options, bool *out_made);
host_context *host_context_current(void); /* NULL: none was made */
void host_context_set_device(host_context *context);
void host_context_begin_clients(host_context *context); /* the rows of clients.def, with the context's options */
void host_watch_interrupts(void);

#endif
