/* init_host.c: initcheck of what the host does: allocations, copies, fills, and what undefined bits reach it. */
#include "check/check.h"
#include "check/init_session.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- who computed */
static event_place place_of(init_session *s, const event_launch *launch, uint32_t insn)
{
    event_place p = {.kernel = launch->kernel};
    if (s->services->locate && insn < launch->insn_count) s->services->locate(s->services->owner, launch, insn, &p);
    return p;
}

uint32_t init_host_record(init_session *s, const event_launch *launch, uint32_t insn, const event_origin *origin)
{
    pthread_mutex_lock(&s->lock);
    for (size_t k = s->records.count; k-- > 0;) {
        const init_record *r = &s->records.items[k];
        if (r->launch != launch->id) continue;
        if (r->insn != insn || r->origin_insn != origin->insn) continue;
        pthread_mutex_unlock(&s->lock);
        return (uint32_t)k;
    }
    lw_text memory = {0};
    init_say_origin(&memory, s->services, launch, origin);
    init_record made = {.launch = launch->id,
                        .insn = insn,
                        .origin_insn = origin->insn,
                        .stored = place_of(s, launch, insn),
                        .read = place_of(s, launch, origin->insn),
                        .memory = lw_strdup(memory.data)};
    lw_text_free(&memory);
    uint32_t number = (uint32_t)s->records.count;
    lw_vec_push(&s->records, made);
    pthread_mutex_unlock(&s->lock);
    return number;
}

static void report_computed(init_session *s, uint32_t number, uint64_t address, uint64_t words)
{
    init_record *r = &s->records.items[number];
    if (r->told) return;
    r->told = true;
    char *message = lw_printf("what was computed from an uninitialised value is copied to the host, %llu word%s; the "
                              "bytes were never written: %s",
                              (unsigned long long)words, words == 1 ? "" : "s", r->memory);
    event_related read = {.message = "read here", .insn = EVENT_NO_INSN, .place = &r->read};
    event_finding f = {.check = check_rows[CHECK_INITCHECK].name,
                       .severity = "error",
                       .message = message,
                       .insn = EVENT_NO_INSN,
                       .place = &r->stored,
                       .address = address,
                       .has_address = true,
                       .count = words,
                       .related = &read,
                       .related_count = r->read.file != NULL};
    s->services->finding(s->services->owner, &f);
    free(message);
}

/* ---------------------------------------------------------------- copies to the host */
/* Runs of bytes in a copy that have undefined bits. */
typedef struct run {
    uint64_t at, bytes;
} run;

typedef struct runs {
    LW_VEC(run) list;
    uint64_t total;         /* bytes of the copy */
    uint64_t first_address; /* of the first run */
} runs;

static void add_bytes(runs *r, uint64_t at, uint64_t bytes, uint64_t address)
{
    run *last = r->list.count ? &r->list.items[r->list.count - 1] : NULL;
    run made = {at, bytes};
    if (last && last->at + last->bytes == at) {
        last->bytes += bytes;
        return;
    }
    if (!last) r->first_address = address;
    lw_vec_push(&r->list, made);
}

/* Runs of one size at one distance are padding of elements, or members that nobody uses. */
static bool is_regular(const runs *r)
{
    size_t n = r->list.count;
    const run *k = r->list.items;
    if (n < 3) return false;
    uint64_t step = k[1].at - k[0].at;
    for (size_t j = 1; j < n; j++)
        if (k[j].at - k[j - 1].at != step || k[j - 1].bytes != k[0].bytes) return false;
    return k[n - 1].bytes <= k[0].bytes;
}

/* Bytes that nothing wrote are a finding if they cannot be padding: all of the copy, or 16 bytes and more. */
static const run *suspicious(const runs *r)
{
    const run *first = r->list.items;
    if (!r->list.count) return NULL;
    if (first->bytes == r->total) return first;
    if (r->total <= 64 || is_regular(r)) return NULL;
    for (size_t k = 0; k < r->list.count; k++)
        if (r->list.items[k].bytes >= 16) return &r->list.items[k];
    return NULL;
}

static void report_raw(init_session *s, const event_host *e, const runs *r)
{
    const run *worst = suspicious(r);
    uint64_t bytes = 0;
    char where[600] = "";
    if (!worst) return;
    for (size_t k = 0; k < r->list.count; k++) bytes += r->list.items[k].bytes;
    if (s->services->describe) s->services->describe(s->services->owner, r->first_address, where, sizeof where);
    char *message =
        lw_printf("%llu of %llu bytes that are copied to the host were never written: from byte %llu of the "
                  "copy on, %s. It is an error if the host uses them.",
                  (unsigned long long)bytes, (unsigned long long)r->total, (unsigned long long)worst->at, where);
    event_finding f = {.check = check_rows[CHECK_INITCHECK].name,
                       .severity = "warning",
                       .message = message,
                       .insn = EVENT_NO_INSN,
                       .address = e->source,
                       .has_address = true,
                       .count = 1};
    s->services->finding(s->services->owner, &f);
    free(message);
}

typedef struct counted {
    uint32_t record;
    uint64_t words, address;
} counted;

typedef LW_VEC(counted) counts;

static void count_word(counts *all, uint32_t record, uint64_t address)
{
    for (size_t k = 0; k < all->count; k++)
        if (all->items[k].record == record) {
            all->items[k].words++;
            return;
        }
    counted made = {record, 1, address};
    lw_vec_push(all, made);
}

/* A row: undefined bytes word by word, computed ones apart from those never written. */
static void look_at_row(init_session *s, uint64_t address, uint64_t bytes, uint64_t at, runs *raw, counts *computed)
{
    uint64_t end = address + bytes;
    for (uint64_t a = address, next; a < end; a = next) {
        const uint8_t *page = init_shadow_page(&s->shadow, a);
        next = LW_MIN(end, (a | (INIT_PAGE - 1)) + 1);
        if (!page) continue;
        if (page == s->shadow.unknown) {
            add_bytes(raw, at + (a - address), next - a, a);
            continue;
        }
        uint32_t record = 0;
        for (uint64_t b = a; b < next; b++) {
            if (!page[b % INIT_PAGE]) continue;
            if (!init_shadow_find_word(&s->shadow, b, &record)) add_bytes(raw, at + (b - address), 1, b);
            else count_word(computed, record, b);
        }
    }
}

static void check_copy(init_session *s, const event_host *e)
{
    runs raw = {.total = e->bytes * LW_MAX(e->rows, 1u)};
    counts computed = {0};
    bool any = false;
    for (uint64_t row = 0; row < LW_MAX(e->rows, 1u); row++) {
        uint64_t from = e->source + row * e->source_pitch;
        if (!init_shadow_any(&s->shadow, from, e->bytes)) continue;
        any = true;
        look_at_row(s, from, e->bytes, row * e->bytes, &raw, &computed);
    }
    if (any) {
        for (size_t k = 0; k < computed.count; k++)
            report_computed(s, computed.items[k].record, computed.items[k].address, (computed.items[k].words + 3) / 4);
        report_raw(s, e, &raw);
    }
    lw_vec_free(&raw.list);
    lw_vec_free(&computed);
}

/* ---------------------------------------------------------------- events */
static void copy_row(init_shadow *s, uint64_t to, uint64_t from, uint64_t bytes)
{
    uint8_t bits[4096];
    for (uint64_t n; bytes; to += n, from += n, bytes -= n) {
        n = LW_MIN(bytes, sizeof bits);
        init_shadow_read(s, from, bits, n);
        init_shadow_write(s, to, bits, n);
    }
}

static void on_copy(init_session *s, const event_host *e)
{
    init_shadow *h = &s->shadow;
    bool to_device = init_shadow_follows(h, e->address), from_device = init_shadow_follows(h, e->source);
    if (from_device && !to_device) check_copy(s, e);
    if (!to_device) return;
    for (uint64_t row = 0; row < LW_MAX(e->rows, 1u); row++) {
        uint64_t to = e->address + row * e->pitch, from = e->source + row * e->source_pitch;
        if (from_device) copy_row(h, to, from, e->bytes);
        else init_shadow_set(h, to, e->bytes, false);
    }
}

static void on_fill(init_session *s, const event_host *e)
{
    if (!init_shadow_follows(&s->shadow, e->address)) return;
    for (uint64_t row = 0; row < LW_MAX(e->rows, 1u); row++)
        init_shadow_set(&s->shadow, e->address + row * e->pitch, e->bytes, false);
}

void init_host_event(init_session *s, const event_host *e)
{
    switch (e->kind) {
    case EVENT_ALLOC:
        if (!e->shared) init_shadow_add(&s->shadow, e->address, e->bytes, !e->initialised);
        break;
    case EVENT_HEAP_ALLOC: init_shadow_add(&s->shadow, e->address, e->bytes, true); break;
    case EVENT_FREE:
    case EVENT_HEAP_FREE: init_shadow_remove(&s->shadow, e->address); break;
    case EVENT_HOST_COPY: on_copy(s, e); break;
    case EVENT_HOST_FILL: on_fill(s, e); break;
    case EVENT_HOST_ACCESS:
        if (e->writes) on_fill(s, e); /* what a library makes of undefined values counts as defined */
        break;
    case EVENT_VALUE_WRITE: init_shadow_set(&s->shadow, e->address, e->bytes, false); break;
    default: break;
    }
}
