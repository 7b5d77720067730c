/* Why a call of this thread is refused: kept until the call ends. */
#include "host/refuse.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local host_refusal the_refusal;

host_error host_refuse(host_error error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(the_refusal.words, sizeof the_refusal.words, format, args);
    va_end(args);
    the_refusal.error = error;
    the_refusal.kernel[0] = 0;
    return error;
}

void host_refuse_kernel(const char *name) { snprintf(the_refusal.kernel, sizeof the_refusal.kernel, "%s", name); }

const host_refusal *host_refusal_take(host_error error)
{
    bool fits = the_refusal.error == error;
    the_refusal.error = 0;
    return fits ? &the_refusal : NULL;
}
