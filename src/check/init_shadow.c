/* init_shadow.c */
#include "check/init_shadow.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 1 << 16, PAGES = 1 << 16, WORDS_MOST = 1 << 22 };

void init_shadow_new(init_shadow *s)
{
    *s = (init_shadow){.top = lw_alloc(TOP * sizeof *s->top), .unknown = lw_alloc(INIT_PAGE)};
    memset(s->unknown, 0xff, INIT_PAGE);
    pthread_mutex_init(&s->lock, NULL);
}

void init_shadow_free(init_shadow *s)
{
    for (uint32_t t = 0; t < TOP; t++) {
        for (uint32_t p = 0; s->top[t] && p < PAGES; p++)
            if (s->top[t][p] != s->unknown) free(s->top[t][p]);
        free(s->top[t]);
    }
    free(s->top);
    free(s->unknown);
    free(s->words);
    lw_vec_free(&s->ranges);
    pthread_mutex_destroy(&s->lock);
}

/* ---------------------------------------------------------------- pages */
static uint8_t **slot_of(init_shadow *s, uint64_t address)
{
    uint8_t ***table = &s->top[address >> 32 & 0xffff];
    uint8_t **pages = __atomic_load_n(table, __ATOMIC_ACQUIRE);
    if (!pages) {
        uint8_t **made = lw_alloc(PAGES * sizeof *made);
        if (__atomic_compare_exchange_n(table, &pages, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) pages = made;
        else free(made);
    }
    return &pages[address >> INIT_PAGE_LOG2 & 0xffff];
}

/* The page as one that may be written. */
static uint8_t *own_page(init_shadow *s, uint64_t address)
{
    uint8_t **slot = slot_of(s, address);
    uint8_t *page = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (page && page != s->unknown) return page;
    uint8_t *made = lw_alloc(INIT_PAGE);
    if (page) memset(made, 0xff, INIT_PAGE);
    if (__atomic_compare_exchange_n(slot, &page, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return made;
    free(made);
    return own_page(s, address);
}

/* Bytes from address to the end of its page, at most so many. */
static uint64_t on_page(uint64_t address, uint64_t bytes) { return LW_MIN(bytes, INIT_PAGE - address % INIT_PAGE); }

static bool any_bit(const uint8_t *p, uint64_t bytes)
{
    uint64_t any = 0, v;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        memcpy(&v, p, 8);
        any |= v;
    }
    for (; bytes; p++, bytes--) any |= *p;
    return any != 0;
}

bool init_shadow_any(const init_shadow *s, uint64_t address, uint64_t bytes)
{
    for (uint64_t n; bytes; address += n, bytes -= n) {
        const uint8_t *page = init_shadow_page(s, address);
        n = on_page(address, bytes);
        if (page && any_bit(page + address % INIT_PAGE, n)) return true;
    }
    return false;
}

void init_shadow_read(const init_shadow *s, uint64_t address, uint8_t *out, uint64_t bytes)
{
    for (uint64_t n; bytes; address += n, out += n, bytes -= n) {
        const uint8_t *page = init_shadow_page(s, address);
        n = on_page(address, bytes);
        if (page) memcpy(out, page + address % INIT_PAGE, n);
        else memset(out, 0, n);
    }
}

void init_shadow_write(init_shadow *s, uint64_t address, const uint8_t *bits, uint64_t bytes)
{
    for (uint64_t n; bytes; address += n, bits += n, bytes -= n) {
        n = on_page(address, bytes);
        if (init_shadow_page(s, address) || any_bit(bits, n))
            memcpy(own_page(s, address) + address % INIT_PAGE, bits, n);
    }
}

/* A whole page becomes one that takes no room. */
static void set_page(init_shadow *s, uint64_t address, bool undefined)
{
    uint8_t **slot = slot_of(s, address);
    uint8_t *page = *slot;
    bool own = page && page != s->unknown;
    if (own) memset(page, undefined ? 0xff : 0, INIT_PAGE); /* a kernel that runs may hold it */
    else *slot = undefined ? s->unknown : NULL;
}

void init_shadow_set(init_shadow *s, uint64_t address, uint64_t bytes, bool undefined)
{
    for (uint64_t n; bytes; address += n, bytes -= n) {
        const uint8_t *page = init_shadow_page(s, address);
        n = on_page(address, bytes);
        bool is_so = undefined ? page == s->unknown : !page;
        if (is_so) continue;
        if (n == INIT_PAGE) set_page(s, address, undefined);
        else memset(own_page(s, address) + address % INIT_PAGE, undefined ? 0xff : 0, n);
    }
}

/* Nobody uses the memory any more: its own pages, all defined by now, are given back. */
static void drop_pages(init_shadow *s, uint64_t address, uint64_t bytes)
{
    for (uint64_t n; bytes; address += n, bytes -= n) {
        n = on_page(address, bytes);
        if (n < INIT_PAGE || !init_shadow_page(s, address)) continue;
        uint8_t **slot = slot_of(s, address);
        free(*slot);
        *slot = NULL;
    }
}

/* ---------------------------------------------------------------- allocations */
/* The first range that ends behind the address. Under the lock. */
static size_t find_range(const init_shadow *s, uint64_t address)
{
    size_t low = 0, high = s->ranges.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const init_range *r = &s->ranges.items[middle];
        if (r->address + r->bytes <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool is_inside(const init_shadow *s, size_t k, uint64_t address)
{
    return k < s->ranges.count && s->ranges.items[k].address <= address;
}

void init_shadow_add(init_shadow *s, uint64_t address, uint64_t bytes, bool undefined)
{
    init_range made = {address, bytes};
    init_shadow_set(s, address, bytes, undefined);
    pthread_mutex_lock(&s->lock);
    size_t at = find_range(s, address);
    if (!is_inside(s, at, address)) {
        lw_vec_push(&s->ranges, made);
        memmove(&s->ranges.items[at + 1], &s->ranges.items[at], (s->ranges.count - 1 - at) * sizeof made);
        s->ranges.items[at] = made;
    }
    pthread_mutex_unlock(&s->lock);
}

void init_shadow_remove(init_shadow *s, uint64_t address)
{
    init_range gone = {0};
    pthread_mutex_lock(&s->lock);
    size_t at = find_range(s, address);
    if (is_inside(s, at, address)) {
        gone = s->ranges.items[at];
        s->ranges.count--;
        memmove(&s->ranges.items[at], &s->ranges.items[at + 1], (s->ranges.count - at) * sizeof gone);
    }
    pthread_mutex_unlock(&s->lock);
    init_shadow_set(s, gone.address, gone.bytes, false);
    drop_pages(s, gone.address, gone.bytes);
}

bool init_shadow_follows(init_shadow *s, uint64_t address)
{
    pthread_mutex_lock(&s->lock);
    bool inside = is_inside(s, find_range(s, address), address);
    pthread_mutex_unlock(&s->lock);
    return inside;
}

/* ---------------------------------------------------------------- computed words */
static init_word *word_at(init_word *words, uint32_t room, uint64_t word)
{
    uint64_t h = word * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (words[h & (room - 1)].word && words[h & (room - 1)].word != word) h++;
    return &words[h & (room - 1)];
}

static void grow(init_shadow *s)
{
    uint32_t room = s->word_room ? 2 * s->word_room : 1024;
    init_word *words = lw_alloc(room * sizeof *words);
    for (uint32_t k = 0; k < s->word_room; k++)
        if (s->words[k].word) *word_at(words, room, s->words[k].word) = s->words[k];
    free(s->words);
    s->words = words;
    s->word_room = room;
}

void init_shadow_note_word(init_shadow *s, uint64_t address, uint32_t record)
{
    pthread_mutex_lock(&s->lock);
    if (2 * s->word_count >= s->word_room && s->word_room < WORDS_MOST) grow(s);
    init_word *w = word_at(s->words, s->word_room, address / 4);
    if (w->word || 2 * s->word_count < s->word_room) {
        s->word_count += !w->word;
        *w = (init_word){address / 4, record};
    }
    pthread_mutex_unlock(&s->lock);
}

bool init_shadow_find_word(init_shadow *s, uint64_t address, uint32_t *out_record)
{
    pthread_mutex_lock(&s->lock);
    init_word *w = s->word_room ? word_at(s->words, s->word_room, address / 4) : NULL;
    bool found = w && w->word;
    if (found) *out_record = w->record;
    pthread_mutex_unlock(&s->lock);
    return found;
}
