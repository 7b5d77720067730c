/* timeline: when operations begin and end, by streams, events, graphs and what they share. */
#include "time/timeline.h"
#include "unit.h"

#define KERNEL(seconds, share) {RESULT_SPAN_KERNEL, seconds, share, 0, "k"}
#define LONG 1e-3 /* beside which launches take nothing */
#define NEAR 30e-6

static device_profile h200;
static timeline *line;
static uint64_t last;

static void nothing(void *user, const result_span *span)
{
    if (user) result_span_add(user, span);
}

static void begin(void)
{
    CHECK_EQ_INT(device_find("h200", &h200, NULL), LW_OK);
    line = timeline_make(&h200, nothing, NULL);
    last = 0;
}

/* Submits to a stream (1: the legacy one) and carries out. */
static uint64_t put(uint64_t stream, timeline_work work)
{
    event_host e = {.kind = EVENT_SUBMIT, .number = ++last, .stream = stream, .blocking = true};
    timeline_host(line, &e);
    timeline_does(line, last, &work);
    return last;
}

static uint64_t kernel(uint64_t stream, double share) { return put(stream, (timeline_work)KERNEL(LONG, share)); }

static void wait_for(uint64_t stream, uint64_t number)
{
    event_host e = {.kind = EVENT_STREAM_WAIT, .number = number, .stream = stream};
    timeline_host(line, &e);
}

UNIT_CASE(a_stream_is_in_order)
{
    begin();
    kernel(9, 0.1);
    CHECK_NEAR(timeline_end(line, kernel(9, 0.1)), 2 * LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(kernels_that_fit_together_overlap)
{
    begin();
    kernel(9, 0.5);
    CHECK_NEAR(timeline_end(line, kernel(10, 0.5)), LONG, NEAR);
    CHECK_NEAR(timeline_end(line, kernel(11, 0.1)), 2 * LONG, NEAR);
    CHECK_NEAR(timeline_end(line, kernel(12, 1.0)), 3 * LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(directions_overlap_and_a_direction_does_not)
{
    begin();
    timeline_work in = timeline_copy(&h200, TIMELINE_DEVICE, TIMELINE_PINNED, 53400000);
    timeline_work out = timeline_copy(&h200, TIMELINE_PINNED, TIMELINE_DEVICE, 55100000);
    put(9, in);
    CHECK_NEAR(timeline_end(line, put(10, out)), LONG, NEAR);
    CHECK_NEAR(timeline_end(line, kernel(11, 1)), LONG, NEAR);
    CHECK_NEAR(timeline_end(line, put(12, in)), 2 * LONG, NEAR);
    timeline_free(line);
    h200.async_engines = 1;
    line = timeline_make(&h200, nothing, NULL);
    last = 0;
    put(9, in);
    CHECK_NEAR(timeline_end(line, put(10, out)), 2 * LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(memory_that_is_not_pinned_is_slower)
{
    begin();
    double pinned = timeline_copy(&h200, TIMELINE_DEVICE, TIMELINE_PINNED, 1 << 30).seconds;
    double pageable = timeline_copy(&h200, TIMELINE_DEVICE, TIMELINE_PAGEABLE, 1 << 30).seconds;
    double device = timeline_copy(&h200, TIMELINE_DEVICE, TIMELINE_DEVICE, 1 << 30).seconds;
    CHECK_NEAR(pinned, 0.0201, 0.001);
    CHECK_NEAR(pageable, 0.185, 0.005);
    CHECK_NEAR(device, 0.000511, 0.00001); /* measured */
    timeline_free(line);
}

UNIT_CASE(the_default_stream_waits_and_is_waited_for)
{
    begin();
    kernel(9, 0.1);
    CHECK_NEAR(timeline_end(line, kernel(1, 0.1)), 2 * LONG, NEAR);
    CHECK_NEAR(timeline_end(line, kernel(10, 0.1)), 3 * LONG, NEAR);
    event_host free_stream = {.kind = EVENT_SUBMIT, .number = ++last, .stream = 11};
    timeline_host(line, &free_stream);
    timeline_does(line, last, &(timeline_work)KERNEL(LONG, 0.1));
    CHECK_NEAR(timeline_end(line, last), LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(a_stream_waits_for_an_event)
{
    begin();
    uint64_t first = kernel(9, 0.1);
    wait_for(10, first);
    CHECK_NEAR(timeline_end(line, kernel(10, 0.1)), 2 * LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(an_event_around_a_kernel)
{
    begin();
    event_host record = {.kind = EVENT_RECORD, .number = 1, .stream = 1};
    event_host submit = {.kind = EVENT_SUBMIT, .number = 1, .stream = 1};
    timeline_host(line, &record);
    timeline_host(line, &submit);
    last = 1;
    double empty = 1.63e-6;
    put(1, (timeline_work)KERNEL(empty, 1));
    record.number = submit.number = 3;
    timeline_host(line, &record);
    timeline_host(line, &submit);
    CHECK_NEAR(timeline_end(line, 3) - timeline_end(line, 1), 4.96e-6, 0.05e-6); /* measured: launch_empty */
    timeline_free(line);
}

UNIT_CASE(launches_and_waits_take_the_host_time)
{
    begin();
    double empty = 1.63e-6;
    for (int k = 0; k < 1000; k++) put(1, (timeline_work)KERNEL(empty, 1));
    CHECK_NEAR(timeline_end(line, 1000), 1000 * 4.96e-6, 20e-6);
    double before = timeline_end(line, 1000);
    event_host all = {.kind = EVENT_HOST_WAIT, .number = 1000, .all = true};
    for (int k = 0; k < 100; k++) {
        timeline_host(line, &all);
        all.number = put(1, (timeline_work)KERNEL(empty, 1));
    }
    CHECK_NEAR((timeline_end(line, 1100) - before) / 100, 10.13e-6, 0.3e-6); /* measured: launch, and wait */
    timeline_free(line);
}

UNIT_CASE(nodes_of_a_graph_follow_their_edges)
{
    begin();
    double empty = (double)h200.time_launch_ns * 1e-9;
    for (uint64_t k = 1; k <= 1000; k++) { /* a chain */
        uint64_t after = k - 1;
        event_host e = {.kind = EVENT_SUBMIT, .number = k, .stream = 9, .graph = 1, .after = &after};
        e.after_count = k > 1;
        timeline_host(line, &e);
        timeline_does(line, k, &(timeline_work)KERNEL(empty, 1));
    }
    CHECK_NEAR(timeline_end(line, 1000) / 1000, 0.504e-6, 0.05e-6); /* measured */
    last = 1000;
    CHECK_NEAR(timeline_end(line, kernel(9, 1)), timeline_end(line, 1000) + LONG, 1e-9);
    timeline_free(line);
}

UNIT_CASE(side_branches_of_a_graph_overlap)
{
    begin();
    for (uint64_t k = 1; k <= 2; k++) {
        event_host e = {.kind = EVENT_SUBMIT, .number = k, .stream = 9, .graph = 1};
        timeline_host(line, &e);
        timeline_does(line, k, &(timeline_work)KERNEL(LONG, 0.1));
    }
    CHECK_NEAR(timeline_end(line, 2), LONG, NEAR);
    timeline_free(line);
}

UNIT_CASE(spans_sum_up_whoever_asks_when)
{
    result_span sum = {.begin = 1};
    begin();
    timeline_free(line);
    line = timeline_make(&h200, nothing, &sum);
    for (int k = 0; k < 300; k++) kernel(9 + (uint64_t)k % 100, 0.3);
    timeline_finish(line, 300);
    CHECK_EQ_INT(sum.count, 300);
    CHECK_NEAR(sum.seconds, 300 * LONG, 1e-9);
    CHECK(sum.end > 99.9 * LONG); /* three at once */
    CHECK(sum.end < 110 * LONG);
    timeline_free(line);
}

UNIT_MAIN()
