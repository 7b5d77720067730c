/* apart: a thread that asks the dynamic loader for a symbol before it begins. While a caller of dlopen() runs
 * constructors it holds the loader's lock: then the thread gets no answer, the caller stops waiting, and neither works
 * for the other. */
#include "host/apart_priv.h"

#include "base/base.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define PATIENCE_NS 20000000L /* for the loader's answer, which takes microseconds */

enum { OPEN, TAKEN, GIVEN_UP };
typedef struct apart {
    void (*work)(void *user);
    void *user;
    atomic_int state;
    sem_t answered, done;
} apart;

static bool decide(apart *a, int state)
{
    int open = OPEN;
    return atomic_compare_exchange_strong(&a->state, &open, state);
}

static void discard(apart *a)
{
    sem_destroy(&a->answered);
    sem_destroy(&a->done);
    free(a);
}

static void *run(void *user)
{
    apart *a = user;
    (void)dlsym(RTLD_DEFAULT, "lanewise_asks_the_loader");
    if (!decide(a, TAKEN)) {
        discard(a);
        return NULL;
    }
    sem_post(&a->answered);
    a->work(a->user);
    sem_post(&a->done);
    return NULL;
}

static void wait_for(sem_t *what)
{
    while (sem_wait(what) && errno == EINTR) continue;
}

bool host_apart_call(void (*work)(void *user), void *user)
{
    pthread_t thread;
    struct timespec until;
    apart *a = lw_alloc(sizeof *a);
    *a = (apart){.work = work, .user = user};
    sem_init(&a->answered, 0, 0);
    sem_init(&a->done, 0, 0);
    if (pthread_create(&thread, NULL, run, a)) {
        discard(a);
        return false;
    }
    pthread_detach(thread);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int failed;
    do failed = sem_timedwait(&a->answered, &until);
    while (failed && errno == EINTR);
    if (failed && decide(a, GIVEN_UP)) return false; /* the thread discards it */
    wait_for(&a->done);
    discard(a);
    return true;
}
