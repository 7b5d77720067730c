/* managed.c: hints about managed memory. There is one memory, so they change nothing; they are kept because programs
 * ask for them again. A hint covers a range of one allocation; a later one of its kind takes the place of what it
 * overlaps. Hints name their allocation by its serial number: those of freed memory are never found again. */
#include <stdlib.h>
#include <string.h>

#include "host/cuda_numbers.h"
#include "host/devices.h"
#include "host/managed_priv.h"
#include "host/memory.h"
#include "host/state_priv.h"

enum hint_kind { READ_MOSTLY, PREFERRED, BY_HOST, PREFETCHED, BY_DEVICE /* and from here on, one per device */ };
typedef struct host_hint {
    uint64_t serial, from, to;
    enum hint_kind kind;
    host_location location;
} host_hint;

struct host_hints {
    LW_VEC(host_hint) all;
};

host_hints *host_hints_make(void) { return lw_alloc(sizeof(host_hints)); }

void host_hints_free(host_context *c) { lw_vec_free(&c->hints->all); }

static host_error find_range(host_context *c, uint64_t pointer, uint64_t bytes, mem_allocation *out)
{
    host_error error = host_status(c);
    if (error) return error;
    if (!bytes || !host_pointer_find(c, pointer, out) || out->kind != MEM_MANAGED) return HOST_INVALID_VALUE;
    return bytes <= out->address + out->bytes - pointer ? 0 : HOST_INVALID_VALUE;
}

host_error host_managed_check(host_context *c, uint64_t pointer, uint64_t bytes)
{
    mem_allocation a;
    return find_range(c, pointer, bytes, &a);
}

host_error host_location_check(host_context *c, host_location location)
{
    if (location.type == HOST_LOCATION_DEVICE) return host_device_exists(c, location.id) ? 0 : HOST_INVALID_DEVICE;
    return location.type >= HOST_LOCATION_NONE && location.type <= HOST_LOCATION_HOST_NUMA_CURRENT ? 0
                                                                                                   : HOST_INVALID_VALUE;
}

/* Cuts the range out of all hints of the kind. */
static void clear_hints(host_context *c, uint64_t serial, uint64_t from, uint64_t to, enum hint_kind kind)
{
    size_t kept = 0, count = c->hints->all.count;
    for (size_t i = 0; i < count; i++) {
        host_hint h = c->hints->all.items[i];
        bool meets = h.serial == serial && h.kind == kind && h.from < to && from < h.to;
        if (!meets) {
            c->hints->all.items[kept++] = h;
            continue;
        }
        host_hint before = h, after = h;
        before.to = from, after.from = to;
        if (before.from < before.to) c->hints->all.items[kept++] = before;
        if (after.from < after.to && kept <= i) c->hints->all.items[kept++] = after;
        else if (after.from < after.to) lw_vec_push(&c->hints->all, after);
    }
    size_t pushed = c->hints->all.count - count;
    memmove(c->hints->all.items + kept, c->hints->all.items + count, pushed * sizeof *c->hints->all.items);
    c->hints->all.count = kept + pushed;
}

static host_error put_hint(host_context *c, uint64_t pointer, uint64_t bytes, enum hint_kind kind,
                           host_location location, bool set)
{
    mem_allocation a;
    host_error error = find_range(c, pointer, bytes, &a);
    if (error) return error;
    host_lock(c);
    clear_hints(c, a.serial, pointer, pointer + bytes, kind);
    if (set) lw_vec_push(&c->hints->all, ((host_hint){a.serial, pointer, pointer + bytes, kind, location}));
    host_unlock(c);
    return 0;
}

host_error host_managed_advise(host_context *c, uint64_t pointer, uint64_t bytes, int advice, host_location location)
{
    if (advice < HOST_ADVICE_SET_READ_MOSTLY || advice > HOST_ADVICE_UNSET_ACCESSED_BY) return HOST_INVALID_VALUE;
    host_error error = host_managed_check(c, pointer, bytes);
    if (!error && advice >= HOST_ADVICE_SET_PREFERRED && advice != HOST_ADVICE_UNSET_PREFERRED)
        error = host_location_check(c, location) ? HOST_INVALID_VALUE : 0; /* as an H100 answers, of devices too */
    if (error) return error;
    enum hint_kind kind = location.type == HOST_LOCATION_DEVICE ? BY_DEVICE + (enum hint_kind)location.id : BY_HOST;
    if (advice < HOST_ADVICE_SET_PREFERRED) kind = READ_MOSTLY;
    else if (advice < HOST_ADVICE_SET_ACCESSED_BY) kind = PREFERRED;
    return put_hint(c, pointer, bytes, kind, location, advice % 2 == 1); /* odd advice sets, even unsets */
}

host_error host_managed_prefetch(host_context *c, uint64_t pointer, uint64_t bytes, host_location location)
{
    host_error error = host_managed_check(c, pointer, bytes);
    if (!error) error = host_location_check(c, location);
    return error ? error : put_hint(c, pointer, bytes, PREFETCHED, location, true);
}

/* The hint of the kind that holds for the whole range, everywhere the same. */
static bool same_hint(host_context *c, uint64_t serial, uint64_t from, uint64_t to, enum hint_kind kind,
                      host_location *out)
{
    uint64_t covered = 0;
    bool first = true, same = true;
    for (size_t i = 0; i < c->hints->all.count; i++) {
        const host_hint *h = &c->hints->all.items[i];
        if (h->serial != serial || h->kind != kind || h->from >= to || from >= h->to) continue;
        covered += LW_MIN(h->to, to) - LW_MAX(h->from, from);
        if (first) *out = h->location;
        same &= h->location.type == out->type && h->location.id == out->id;
        first = false;
    }
    return same && covered == to - from;
}

/* The ordinal by which the attributes that are older than locations name one. */
static int device_of(host_location at)
{
    if (at.type == HOST_LOCATION_DEVICE) return at.id;
    return at.type >= HOST_LOCATION_HOST ? HOST_DEVICE_CPU : HOST_DEVICE_INVALID;
}

host_error host_managed_attribute(host_context *c, void *data, size_t size, int attribute, uint64_t pointer,
                                  uint64_t bytes)
{
    mem_allocation a;
    host_error error = find_range(c, pointer, bytes, &a);
    if (error) return error;
    if (!data || size < sizeof(int) || size % sizeof(int) || attribute < HOST_RANGE_READ_MOSTLY ||
        attribute > HOST_RANGE_PREFETCH_ID)
        return HOST_INVALID_VALUE;
    uint64_t to = pointer + bytes;
    host_location at = {0, 0};
    int *out = data;
    bool prefetch = attribute == HOST_RANGE_PREFETCH_DEVICE || attribute >= HOST_RANGE_PREFETCH_TYPE;
    host_lock(c);
    if (attribute == HOST_RANGE_READ_MOSTLY) {
        *out = same_hint(c, a.serial, pointer, to, READ_MOSTLY, &at);
    } else if (attribute == HOST_RANGE_ACCESSED_BY) {
        size_t n = 0;
        for (int d = 0; host_device_exists(c, d) && n < size / sizeof *out; d++)
            if (same_hint(c, a.serial, pointer, to, BY_DEVICE + (enum hint_kind)d, &at)) out[n++] = d;
        if (n < size / sizeof *out && same_hint(c, a.serial, pointer, to, BY_HOST, &at)) out[n++] = HOST_DEVICE_CPU;
        while (n < size / sizeof *out) out[n++] = HOST_DEVICE_INVALID;
    } else {
        if (!same_hint(c, a.serial, pointer, to, prefetch ? PREFETCHED : PREFERRED, &at)) at = (host_location){0, 0};
        int device = device_of(at);
        if (attribute == HOST_RANGE_PREFERRED_DEVICE || attribute == HOST_RANGE_PREFETCH_DEVICE) *out = device;
        else if (attribute == HOST_RANGE_PREFERRED_TYPE || attribute == HOST_RANGE_PREFETCH_TYPE) *out = at.type;
        else *out = at.id;
    }
    host_unlock(c);
    return 0;
}
