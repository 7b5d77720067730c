/* Where in the program memory was allocated and freed: stacks of calls, numbered; which source line they mean is looked up
 * when a message needs it. */
#include "host/origin_priv.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACKS_MOST = 4096 }; /* taken when nobody checks memory: some 10 microseconds each */

typedef struct origin {
    void *frames[HOST_CALL_FRAMES];
    int count;
    bool looked_up;
    host_call_place *place; /* NULL: there is none, or it was not looked up */
} origin;

struct host_origins {
    pthread_mutex_t lock; /* its own: findings ask while others hold the context's */
    LW_VEC(origin *) all;
    lw_map numbers;             /* frames -> index + 1 */
    atomic_uint_fast64_t taken; /* stacks */
};

host_origins *host_origins_make(void)
{
    host_origins *o = lw_alloc(sizeof *o);
    pthread_mutex_init(&o->lock, NULL);
    return o;
}

void host_origins_forked(host_context *c) { pthread_mutex_init(&c->origins->lock, NULL); }

static bool wanted(host_context *c)
{
    const check_options *checks = &c->options.checks;
    if (check_wanted(checks, CHECK_MEMCHECK) || check_wanted(checks, CHECK_LEAKCHECK)) return true;
    return atomic_load_explicit(&c->origins->taken, memory_order_relaxed) < STACKS_MOST;
}

/* The number of a stack; a new one if it was never seen. The lock is held. */
static uint32_t number_of(host_origins *o, void *const *frames, int count)
{
    size_t bytes = (size_t)count * sizeof *frames;
    uintptr_t known = (uintptr_t)lw_map_get(&o->numbers, (const char *)frames, bytes);
    if (known) return (uint32_t)known;
    origin *made = lw_alloc(sizeof *made);
    memcpy(made->frames, frames, bytes);
    made->count = count;
    lw_vec_push(&o->all, made);
    lw_map_put(&o->numbers, (const char *)made->frames, bytes, (void *)(uintptr_t)o->all.count);
    return (uint32_t)o->all.count;
}

uint32_t host_origin_here(host_context *c)
{
    host_origins *o = c->origins;
    void *frames[HOST_CALL_FRAMES];
    if (!wanted(c)) return 0;
    atomic_fetch_add_explicit(&o->taken, 1, memory_order_relaxed);
    int count = backtrace(frames, HOST_CALL_FRAMES);
    if (count <= 0) return 0;
    pthread_mutex_lock(&o->lock);
    uint32_t number = number_of(o, frames, count);
    pthread_mutex_unlock(&o->lock);
    return number;
}

static void look_up(origin *o)
{
    host_call_place *place = lw_alloc(sizeof *place);
    o->looked_up = true;
    if (host_call_place_of(o->frames, o->count, place)) o->place = place;
    else free(place);
}

const host_call_place *host_origin_place(host_context *c, uint32_t number)
{
    host_origins *o = c->origins;
    const host_call_place *place = NULL;
    pthread_mutex_lock(&o->lock);
    if (number && number <= o->all.count) {
        origin *found = o->all.items[number - 1];
        if (!found->looked_up) look_up(found);
        place = found->place;
    }
    pthread_mutex_unlock(&o->lock);
    return place;
}

void host_origin_name(void *context, uint32_t number, char *out, size_t size)
{
    const host_call_place *place = host_origin_place(context, number);
    if (size) *out = 0;
    if (!place || !place->line.line) return;
    const char *slash = strrchr(place->line.file, '/');
    snprintf(out, size, "%s:%u", slash ? slash + 1 : place->line.file, place->line.line);
}
