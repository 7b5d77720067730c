/* Why a call is refused (refuse.c). Who finds the mistake says it here and returns the error; if that is what the call
 * ends with, the finding about it (failure.c) quotes the words. */
#ifndef LW_HOST_REFUSE_H
#define LW_HOST_REFUSE_H

#include "host/types.h"

typedef struct host_refusal {
    host_error error; /* 0: none */
    char kernel[256]; /* demangled; empty: no kernel is concerned */
    char words[1024]; /* which limit was broken, and what mends it: whole sentences */
} host_refusal;

/* Keeps the words for the calling thread; a later one takes their place. Returns error. */
host_error host_refuse(host_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void host_refuse_kernel(const char *name); /* which kernel the words just said are about */
/* The refusal that ended in this error, or NULL. It is gone with the next call of this. */
const host_refusal *host_refusal_take(host_error error);

#endif
