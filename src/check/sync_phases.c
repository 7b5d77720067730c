/* Which phases of mbarriers somebody waited for. An object exists from its initialisation on; of a cluster that has ended
 * nothing more comes, so that its objects make room when there are many. */
#include "check/sync_phases.h"

#include <stdlib.h>

enum { OBJECTS_MOST = 1024 }; /* of clusters that a worker runs at once, far more than there are */

static sync_object *find(sync_phases *p, const event_sync *e)
{
    for (size_t k = 0; k < p->objects.count; k++) {
        size_t n = (p->last + k) % p->objects.count;
        sync_object *o = &p->objects.items[n];
        if (o->cluster != e->cluster || o->address != e->address) continue;
        p->last = n;
        return o;
    }
    return NULL;
}

static void init(sync_phases *p, const event_sync *e)
{
    sync_object *o = find(p, e);
    sync_object made = {.cluster = e->cluster, .address = e->address};
    if (o) {
        *o = made;
        return;
    }
    if (p->objects.count >= OBJECTS_MOST) p->objects.count = 0;
    lw_vec_push(&p->objects, made);
}

void sync_phases_use(sync_phases *p, const event_sync *e)
{
    if (e->op == EVENT_MBARRIER_INIT) {
        init(p, e);
        return;
    }
    if (e->op != EVENT_MBARRIER_TEST_WAIT && e->op != EVENT_MBARRIER_TRY_WAIT) return;
    sync_object *o = find(p, e);
    if (o && o->completed && o->parity == e->phase) o->observed = true;
}

bool sync_phases_end(sync_phases *p, const event_sync *e)
{
    sync_object *o = find(p, e);
    if (!o) return false;
    bool missed = o->completed && !o->observed;
    o->completed = true;
    o->observed = false;
    o->parity = e->phase;
    return missed;
}

void sync_phases_free(sync_phases *p) { lw_vec_free(&p->objects); }
