/* What is kept per host thread. */
#include <stdlib.h>

#include "host/state_priv.h"
#include "host/thread.h"

static _Thread_local host_thread *the_thread;
static pthread_key_t the_key; /* its destructor frees a thread's state */
static pthread_once_t the_key_once = PTHREAD_ONCE_INIT;

static void thread_free(void *pointer)
{
    host_thread *t = pointer;
    for (uint32_t d = 0; d < HOST_DEVICES_MOST; d++)
        if (t->default_stream[d]) t->free_stream(t->default_stream[d]);
    free(t->runtime);
    free(t->driver);
    free(t->calls);
    free(t);
}

static void make_key(void)
{
    if (pthread_key_create(&the_key, thread_free)) lw_out_of_memory(1);
}

host_thread *host_thread_get(host_context *c)
{
    if (the_thread) return the_thread;
    host_thread *t = lw_alloc(sizeof *t);
    host_lock(c);
    t->id = ++c->last_thread;
    host_unlock(c);
    the_thread = t;
    pthread_once(&the_key_once, make_key);
    pthread_setspecific(the_key, t);
    return t;
}
