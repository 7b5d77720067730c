/* The table of live handles: open addressing on the pointer, with a lock of its own. Programs may pass stale or foreign
 * pointers; looking them up here first means that none of them is ever dereferenced. */
#include <stdlib.h>

#include "host/handle_priv.h"
#include "host/invariants.h"
#include "host/state_priv.h"

#define HOST_TOMB ((const void *)1)

typedef struct handle_slot {
    const void *key; /* NULL free, HOST_TOMB removed */
    host_type type;
} handle_slot;

struct host_handles {
    pthread_mutex_t lock;
    handle_slot *slots;
    size_t capacity, used, live; /* places, those that are not free, those that hold an object */
};

host_handles *host_handles_make(void)
{
    host_handles *t = lw_alloc(sizeof *t);
    host_handles_forked(t);
    return t;
}

void host_handles_forked(host_handles *t) { pthread_mutex_init(&t->lock, NULL); }

static handle_slot *handle_find(const host_handles *t, const void *key)
{
    if (!t->capacity) return NULL;
    size_t mask = t->capacity - 1;
    for (size_t i = lw_hash(&key, sizeof key, 0) & mask;; i = (i + 1) & mask) {
        handle_slot *s = &t->slots[i];
        if (s->key == key) return s;
        if (!s->key) return NULL;
    }
}

static void handle_insert(host_handles *t, const void *key, host_type type)
{
    size_t mask = t->capacity - 1;
    size_t i = lw_hash(&key, sizeof key, 0) & mask;
    for (; t->slots[i].key; i = (i + 1) & mask) host_check_handles(t->slots[i].key, key);
    t->slots[i] = (handle_slot){key, type};
    t->used++;
    t->live++;
}

static void handle_grow(host_handles *t)
{
    host_handles old = *t;
    size_t capacity = old.live * 4 < 64 ? 64 : old.capacity;
    while (capacity < old.live * 4) capacity *= 2;
    t->slots = lw_alloc(capacity * sizeof *t->slots);
    t->capacity = capacity;
    t->used = t->live = 0;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key && old.slots[i].key != HOST_TOMB) handle_insert(t, old.slots[i].key, old.slots[i].type);
    free(old.slots);
}

void host_handle_add(host_context *c, const void *object, host_type type)
{
    host_handles *t = c->handles;
    pthread_mutex_lock(&t->lock);
    if ((t->used + 1) * 2 > t->capacity) handle_grow(t);
    handle_insert(t, object, type);
    pthread_mutex_unlock(&t->lock);
}

void host_handle_remove(host_context *c, const void *object)
{
    host_handles *t = c->handles;
    pthread_mutex_lock(&t->lock);
    handle_slot *s = handle_find(t, object);
    if (s) {
        s->key = HOST_TOMB;
        t->live--;
    }
    pthread_mutex_unlock(&t->lock);
}

bool host_handle_is(host_context *c, const void *object, host_type type)
{
    if (!object || object == HOST_TOMB) return false;
    host_handles *t = c->handles;
    pthread_mutex_lock(&t->lock);
    const handle_slot *s = handle_find(t, object);
    bool found = s && s->type == type;
    pthread_mutex_unlock(&t->lock);
    return found;
}
