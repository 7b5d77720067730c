/* race_order.c: streams, events, graphs and host threads. All host threads count as one: what one has waited for counts as
 * known to all. */
#include "check/race_order.h"

#include <stdlib.h>

#define LEGACY_STREAM 1 /* event_host.stream of the default stream */

/* ---------------------------------------------------------------- sets of operations */
static uint64_t seen_from(race_before b, uint64_t at)
{
    uint64_t by = at - b.at;
    return by < RACE_WINDOW ? b.set << by : 0;
}

static race_before both(race_before a, race_before b)
{
    uint64_t at = LW_MAX(a.at, b.at);
    return (race_before){at, seen_from(a, at) | seen_from(b, at)};
}

/* Everything up to and with operation n. */
static race_before all_to(uint64_t n) { return (race_before){n + 1, UINT64_MAX}; }

static race_before *slot_of(race_order *o, uint64_t number) { return &o->ops[number % LW_COUNT(o->ops)]; }

/* The operation and what happened before it. */
static race_before with_op(race_order *o, uint64_t number)
{
    if (!number || number > o->last) return (race_before){0};
    if (o->last - number >= LW_COUNT(o->ops)) return (race_before){number + 1, 1};
    race_before b = *slot_of(o, number);
    return both(b, (race_before){number + 1, 1});
}

bool race_order_before(const race_order *o, uint64_t first, uint64_t second)
{
    if (first >= second || second - first > RACE_WINDOW || o->last - second >= LW_COUNT(o->ops)) return true;
    race_before b = o->ops[second % LW_COUNT(o->ops)];
    return seen_from(b, second) >> (second - 1 - first) & 1;
}

bool race_order_host_knows(const race_order *o, uint64_t number)
{
    uint64_t at = o->last + 1;
    if (at - number > RACE_WINDOW) return true;
    return seen_from(o->host, at) >> (at - 1 - number) & 1;
}

/* ---------------------------------------------------------------- streams and events */
static race_stream *stream_of(race_order *o, uint64_t id)
{
    for (size_t k = 0; k < o->all.count; k++)
        if (o->all.items[k].id == id) return &o->all.items[k];
    lw_vec_push(&o->all, ((race_stream){.id = id}));
    return &o->all.items[o->all.count - 1];
}

static race_event *event_of(race_order *o, uint64_t id)
{
    for (size_t k = 0; k < o->events.count; k++)
        if (o->events.items[k].id == id) return &o->events.items[k];
    lw_vec_push(&o->events, ((race_event){.id = id}));
    return &o->events.items[o->events.count - 1];
}

static race_before start_of(race_order *o, race_stream *s, const event_host *e)
{
    race_before b = both(o->host, s->last);
    if (e->graph) {
        if (s->graph != e->graph) s->base = b;
        b = both(o->host, s->base);
        for (uint32_t k = 0; k < e->after_count; k++) b = both(b, with_op(o, e->after[k]));
        return b;
    }
    if (e->stream == LEGACY_STREAM) {
        for (size_t k = 0; k < o->all.count; k++)
            if (o->all.items[k].blocking) b = both(b, o->all.items[k].last);
    } else if (e->blocking || e->is_default) {
        b = both(b, o->legacy);
    }
    return b;
}

static void submitted(race_order *o, const event_host *e)
{
    race_stream *s = stream_of(o, e->stream);
    s->blocking = e->blocking || e->is_default;
    o->streams |= !e->is_default || e->graph;
    race_before b = start_of(o, s, e);
    o->last = LW_MAX(o->last, e->number);
    *slot_of(o, e->number) = both(b, (race_before){e->number, 0});
    race_before with = with_op(o, e->number);
    s->last = e->graph && s->graph == e->graph ? both(s->last, with) : with;
    s->graph = e->graph;
    if (e->stream == LEGACY_STREAM) o->legacy = s->last;
}

/* Who waits for the default stream waits for all streams that are ordered with it. */
static void waited(race_order *o, const event_host *e)
{
    o->host = both(o->host, e->all ? all_to(o->last) : with_op(o, e->number));
    if (e->all || e->stream != LEGACY_STREAM) return;
    for (size_t k = 0; k < o->all.count; k++)
        if (o->all.items[k].blocking) o->host = both(o->host, o->all.items[k].last);
}

void race_order_on_host(race_order *o, const event_host *e)
{
    switch (e->kind) {
    case EVENT_SUBMIT: submitted(o, e); break;
    case EVENT_RECORD:
        event_of(o, e->other)->behind = both(stream_of(o, e->stream)->last, with_op(o, e->number));
        break;
    case EVENT_STREAM_WAIT: {
        race_stream *s = stream_of(o, e->stream);
        s->last = both(s->last, both(event_of(o, e->other)->behind, with_op(o, e->number)));
        break;
    }
    case EVENT_GRAPH_WAIT:
        if (e->number && e->number <= o->last && o->last - e->number < LW_COUNT(o->ops)) {
            race_before b = both(*slot_of(o, e->number), with_op(o, e->behind));
            *slot_of(o, e->number) = (race_before){e->number, e->number >= b.at ? seen_from(b, e->number) : b.set};
        }
        break;
    case EVENT_HOST_WAIT: waited(o, e); break;
    default: break;
    }
}

void race_order_free(race_order *o)
{
    lw_vec_free(&o->all);
    lw_vec_free(&o->events);
}
