#include "time/chain.h"

#include <stdlib.h>

#define MOST_NOTES (UINT32_C(1) << 22) /* of a worker: 128 MiB; of what comes behind them no chain is known */
#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)
#define PASSES 4 /* chains that go to blocks of lower number take more */

/* What blocks hand on by a word. */
typedef struct word {
    uint64_t address; /* 0: no word */
    uint32_t storer;  /* block; SEVERAL */
    bool handed_on;   /* a note of a store has been found */
    cache_chain before;
} word;

typedef struct words {
    word *items;
    size_t mask;
} words;

bool cache_chain_may(const event_launch *launch)
{
    for (uint32_t k = 0; launch && k < launch->insn_count; k++)
        if (launch->insns[k].polls) return true;
    return false;
}

void cache_chain_note(cache_notes *notes, const event_memory *e, uint32_t loads)
{
    bool polls = event_insn_of(e)->polls,
         stores = e->op == EVENT_STORE || e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION;
    if (!polls && (!stores || (e->mask & (e->mask - 1)))) return;
    if (polls && e->op != EVENT_LOAD && e->op != EVENT_ATOMIC) return;
    cache_note n = {.address = e->address[__builtin_ctz(e->mask)],
                    .block = e->block,
                    .number = (uint32_t)notes->list.count,
                    .loads = loads,
                    .polls = polls};
    const cache_note *last = notes->list.count ? &notes->list.items[notes->list.count - 1] : NULL;
    if (last && last->address == n.address && last->block == n.block && last->polls == n.polls) return;
    if (notes->list.count < MOST_NOTES) lw_vec_push(&notes->list, n);
}

/* ---------------------------------------------------------------- what follows */
static word *word_at(words *w, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & w->mask;
    while (w->items[at].address && w->items[at].address != address) at = (at + 1) & w->mask;
    if (!w->items[at].address) w->items[at] = (word){.address = address, .storer = NOBODY};
    return &w->items[at];
}

static void find_storers(words *w, const cache_notes *notes)
{
    for (size_t k = 0; k < notes->list.count; k++) {
        const cache_note *n = &notes->list.items[k];
        word *at = word_at(w, n->address);
        if (!n->polls) at->storer = at->storer == NOBODY || at->storer == n->block ? n->block : SEVERAL;
    }
}

/* Goes through the notes of a block, which ends before `end`; whether what it hands on has changed. */
static bool follow_block(words *w, const cache_note *n, const cache_note *end, cache_chain *most)
{
    cache_chain now = {0, 0};
    uint32_t since = 0, block = n->block;
    bool changed = false;
    for (; n < end; n++) {
        word *at = word_at(w, n->address);
        if (n->polls && at->storer < SEVERAL && at->storer != block && at->before.links + 1 > now.links) {
            now = (cache_chain){at->before.links + 1, at->before.loads};
            since = n->loads;
        }
        if (!n->hands_on) continue;
        changed |= at->before.links < now.links;
        at->before = (cache_chain){now.links, now.loads + (now.links > 0 ? n->loads - since : 0)};
    }
    if (now.links > most->links) *most = now;
    return changed;
}

/* What a block stores first is what others may go on with: sums of its own are there before it waits for others'. */
static void find_first(words *w, cache_notes *notes)
{
    for (size_t k = 0; k < notes->list.count; k++) {
        cache_note *n = &notes->list.items[k];
        word *at = word_at(w, n->address);
        n->hands_on = !n->polls && at->storer == n->block && !at->handed_on;
        at->handed_on |= n->hands_on;
    }
}

static int by_block(const void *a, const void *b)
{
    const cache_note *x = a, *y = b;
    if (x->block != y->block) return x->block < y->block ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

cache_chain cache_chain_of(cache_notes *notes)
{
    cache_chain most = {0, 0};
    words w = {.mask = 1};
    if (!notes->list.count) return most;
    while (w.mask < 2 * notes->list.count) w.mask = 2 * w.mask + 1;
    w.items = lw_alloc((w.mask + 1) * sizeof *w.items);
    find_storers(&w, notes);
    qsort(notes->list.items, notes->list.count, sizeof *notes->list.items, by_block);
    find_first(&w, notes);
    const cache_note *first = notes->list.items, *end = first + notes->list.count;
    bool changed = true;
    for (int pass = 0; changed && pass < PASSES; pass++) {
        changed = false;
        for (const cache_note *n = first, *next; n < end; n = next) {
            for (next = n + 1; next < end && next->block == n->block; next++) {}
            changed |= follow_block(&w, n, next, &most);
        }
    }
    free(w.items);
    return most;
}
