/* model: what a call of printf accesses by itself. The driver links its vprintf into a kernel: it reads the format and the texts byte by
 * byte, counts the arguments on the stack, takes records of the ring buffer by atomics and fills them, with zeros where nothing is
 * left to write. All of it depends on what it is given alone, and all lanes of a call go together.
 *
 * Source: tests/hw/printf/calls.csv (H200, driver 580.159.04). Kernels of the recording are named at what they show. On an H100 with the
 * same driver each call does a little more (tests/hw/printf/h100/calls.csv). */
#include "model/print.h"
#include "model/rules.h"

#include <stdlib.h>

/* How many sectors and tags a request has. */
typedef enum print_lanes {
    ONE_FOR_ALL, /* all lanes read the same bytes */
    ONE_EACH,    /* a record of its own for each lane */
    ON_STACK     /* local memory: 4 bytes of each lane, 32 lanes side by side */
} print_lanes;

/* Requests of a call: what each column adds, times its number. */
typedef struct print_part {
    uint8_t space, op, lanes; /* event_space, event_op, print_lanes */
    int16_t empty;            /* of a call with an empty format, alone (length_0) */
    int16_t call;
    int16_t format_byte;                        /* length_1 to length_300 */
    int16_t any, argument;                      /* there are arguments; each of them (ints_1 to ints_27) */
    int16_t wide;                               /* of 8 bytes, besides (type_lld, type_f, type_p, mixed_*) */
    int16_t text;                               /* %s, besides (string_null) */
    int16_t text_byte, text_global, text_local; /* its bytes with its end; by where they lie (string_1, string_local) */
    int16_t record;                             /* each further record (length_250, ints_27) */
    int16_t second,
        second_alone; /* of a second form (device: printf_form), and those of them that one lane does for all */
} print_part;

static const print_part parts[] = {
    {EVENT_GLOBAL, EVENT_LOAD, ONE_FOR_ALL, 1, 5, 3, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0},
    {EVENT_GLOBAL, EVENT_STORE, ONE_EACH, 0, 222, 0, 0, -7, 0, 0, 0, 0, 0, 249, 3, 3},
    {EVENT_GLOBAL, EVENT_ATOMIC, ONE_FOR_ALL, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, /* and FIRST_WARP */
    {EVENT_LOCAL, EVENT_LOAD, ON_STACK, 35, 483, -2, 4, -5, 3, 6, -2, 0, 3, 496, 6, 2},
    {EVENT_LOCAL, EVENT_STORE, ON_STACK, 37, 60, 0, 6, 6, 2, 4, 0, 0, 0, 0, 6, 2},
};
_Static_assert(LW_COUNT(parts) == MODEL_PRINT_PARTS, "model.h says how many");

enum {
    RECORDED_CC = 90,
    LEADER_ALONE = 2, /* requests ON_STACK of one lane for all */
    FIRST_WARP = 1,   /* atomics more of a call of the only warp that prints; of several warps some calls have them */
    /* Bytes that a call writes: format and texts, each a multiple of 8, and 8 for each argument. Between ints_20 and length_250 the
     * second record begins; where exactly is taken from the stores that fill the first one. */
    FIRST_RECORD = 216,
    FURTHER_RECORD = 248,
    FIRST_KNOWN = 208,
    SECOND_KNOWN = 256,
    MOST_KNOWN = 304,    /* length_300 */
    MOST_ARGUMENTS = 32, /* ints_36 */
    ARGUMENTS_KNOWN = 27 /* with 30 and more a store comes to it */
};

/* Why a call's counts are not certain, the worst last. */
typedef enum print_doubt { NO_DOUBT, LONG, IN_SHARED, ELSEWHERE, DIFFERS, OTHER_CC } print_doubt;
static const char *const doubts[] = {
    [LONG] = "printf with so long a text, or so many arguments: what it accesses is not known to the last access",
    [IN_SHARED] = "printf of a text in shared memory: its loads are not counted",
    [ELSEWHERE] = "printf with a format in local or shared memory was not recorded on hardware",
    [DIFFERS] = "lanes print by several formats, or several texts, at once: counted as if all printed the first",
    [OTHER_CC] = "what printf itself accesses was recorded on compute capability 9.0 alone: not counted",
};
static const char meets[] = "how many atomics printf takes depends on when warps meet in it";

typedef struct print_site {
    uint32_t insn;
    print_doubt doubt;
    uint64_t first;       /* the lowest block and warp that called it */
    uint64_t first_calls; /* its calls */
    bool several;         /* others did, too */
    uint64_t requests[MODEL_PRINT_PARTS], sectors[MODEL_PRINT_PARTS], tags[MODEL_PRINT_PARTS];
} print_site;

struct model_prints {
    LW_VEC(print_site) sites;
};

static print_site *site_at(model_prints **prints, uint32_t insn)
{
    if (!*prints) *prints = lw_alloc(sizeof **prints);
    size_t count = (*prints)->sites.count;
    for (size_t k = count; k-- > 0;)
        if ((*prints)->sites.items[k].insn == insn) return &(*prints)->sites.items[k];
    lw_vec_push(&(*prints)->sites, ((print_site){.insn = insn, .first = UINT64_MAX}));
    return &(*prints)->sites.items[count];
}

static uint64_t arguments_of(const event_print *print) { return LW_MIN(print->arguments, (uint32_t)MOST_ARGUMENTS); }

static uint64_t bytes_of(const event_print *print)
{
    return lw_round_up((uint64_t)print->format_bytes + 1, 8) + print->text_room + 8 * arguments_of(print);
}

static print_doubt doubt_of(const event_print *print, uint32_t cc)
{
    uint64_t bytes = bytes_of(print);
    if (cc != RECORDED_CC) return OTHER_CC;
    if (print->differs) return DIFFERS;
    if (print->elsewhere) return ELSEWHERE;
    if (print->text_shared) return IN_SHARED;
    bool known = bytes <= FIRST_KNOWN || (bytes >= SECOND_KNOWN && bytes <= MOST_KNOWN);
    return known && print->arguments <= ARGUMENTS_KNOWN ? NO_DOUBT : LONG;
}

static uint64_t requests_of(const print_part *p, const event_print *print)
{
    if (!print->format_bytes) return (uint64_t)p->empty;
    uint64_t bytes = bytes_of(print), arguments = arguments_of(print);
    uint64_t more = bytes > FIRST_RECORD ? (bytes - FIRST_RECORD + FURTHER_RECORD - 1) / FURTHER_RECORD : 0;
    uint64_t global = print->text_bytes - print->text_local - print->text_shared;
    int64_t n = p->call + p->format_byte * (int64_t)print->format_bytes + p->any * (arguments > 0) +
                p->argument * (int64_t)arguments + p->wide * (int64_t)print->wide + p->text * (int64_t)print->strings +
                p->text_byte * (int64_t)print->text_bytes + p->text_global * (int64_t)global +
                p->text_local * (int64_t)print->text_local + p->record * (int64_t)more;
    return n > 0 ? (uint64_t)n : 0;
}

/* Groups of 8 lanes, whose words on the stack share a sector. */
static uint32_t groups_of(uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < 4; k++) n += (mask >> 8 * k & 0xff) != 0;
    return n;
}

/* `calls` of one warp. */
static void add_calls(print_site *s, uint64_t warp, uint64_t calls)
{
    s->several |= s->first != UINT64_MAX && s->first != warp;
    if (warp < s->first) s->first_calls = 0;
    if (warp <= s->first) s->first_calls += calls;
    s->first = LW_MIN(s->first, warp);
}

void model_prints_add(model_prints **prints, uint32_t cc, uint32_t form, const event_sync *event)
{
    const event_print *print = event->print;
    print_site *s = site_at(prints, event->insn);
    print_doubt doubt = doubt_of(print, cc);
    s->doubt = LW_MAX(s->doubt, doubt);
    if (print->format_bytes) add_calls(s, (uint64_t)event->block << 6 | event->warp, 1);
    for (uint32_t k = 0; k < MODEL_PRINT_PARTS; k++) {
        const print_part *p = &parts[k];
        uint64_t requests = requests_of(p, print), sectors = requests, tags = requests;
        if (p->lanes == ONE_EACH) sectors = tags = requests * (uint32_t)__builtin_popcount(event->mask);
        if (p->lanes == ON_STACK && !print->format_bytes) sectors = requests * groups_of(event->mask);
        else if (p->lanes == ON_STACK) sectors = (requests - LEADER_ALONE) * groups_of(event->mask) + LEADER_ALONE;
        if (form && print->format_bytes) {
            requests += (uint32_t)p->second;
            sectors += (uint32_t)(p->second - p->second_alone) * groups_of(event->mask) + (uint32_t)p->second_alone;
            tags += (uint32_t)p->second;
        }
        s->requests[k] += requests;
        s->sectors[k] += sectors;
        s->tags[k] += tags;
    }
}

void model_prints_merge(model_prints **into, const model_prints *from)
{
    for (size_t n = 0; from && n < from->sites.count; n++) {
        const print_site *f = &from->sites.items[n];
        print_site *s = site_at(into, f->insn);
        s->doubt = LW_MAX(s->doubt, f->doubt);
        if (f->first_calls) add_calls(s, f->first, f->first_calls);
        s->several |= f->several;
        for (uint32_t k = 0; k < MODEL_PRINT_PARTS; k++) {
            s->requests[k] += f->requests[k];
            s->sectors[k] += f->sectors[k];
            s->tags[k] += f->tags[k];
        }
    }
}

static int compare_sites(const void *a, const void *b)
{
    uint32_t x = ((const print_site *)a)->insn, y = ((const print_site *)b)->insn;
    return (x > y) - (x < y);
}

/* Do several warps of the launch print? */
static bool warps_meet(const model_prints *prints)
{
    uint64_t first = UINT64_MAX;
    for (size_t k = 0; k < prints->sites.count; k++) {
        const print_site *s = &prints->sites.items[k];
        if (!s->first_calls) continue;
        if (s->several || (first != UINT64_MAX && first != s->first)) return true;
        first = s->first;
    }
    return false;
}

void model_prints_each(model_prints *prints, void (*visit)(void *user, const model_call_result *print), void *user)
{
    if (!prints) return;
    qsort(prints->sites.items, prints->sites.count, sizeof *prints->sites.items, compare_sites);
    bool meet = warps_meet(prints);
    for (size_t n = 0; n < prints->sites.count; n++) {
        const print_site *s = &prints->sites.items[n];
        for (uint32_t k = 0; k < MODEL_PRINT_PARTS; k++) {
            if (!s->requests[k]) continue;
            bool atomic = parts[k].op == EVENT_ATOMIC;
            uint64_t more = atomic ? FIRST_WARP * s->first_calls : 0;
            model_call_result r = {.insn = s->insn, .space = parts[k].space, .op = parts[k].op};
            r.why = s->doubt ? doubts[s->doubt] : atomic && meet ? meets : NULL;
            if (s->doubt != OTHER_CC) r.counters.present = MODEL_BIT(REQUESTS) | MODEL_BIT(SECTORS) | MODEL_BIT(TAGS);
            r.counters.value[COUNTER_REQUESTS] = s->requests[k] + more;
            r.counters.value[COUNTER_SECTORS] = s->sectors[k] + more;
            r.counters.value[COUNTER_TAGS] = s->tags[k] + more;
            visit(user, &r);
        }
    }
}

void model_prints_free(model_prints *prints)
{
    if (!prints) return;
    lw_vec_free(&prints->sites);
    free(prints);
}
