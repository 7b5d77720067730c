/* memory: the windows of addresses, a sorted table of allocations, live ones and those in quarantine, and a short list of
 * ranges that were freed before these, for messages.
 *
 * Placement is first fit from its window's start, so it depends on nothing but the order of calls; small allocations lie, in a
 * chunk, where a card places them (pools.c). Each allocation has
 * a span: what it owns (its bytes and slack) and a red zone. Storage is reserved without access and made readable and
 * writable span by span; a span that leaves the quarantine gives its pages back and reads as zero when it is used
 * again. Limits: committed pages of memory that the host shares stay accessible to it after a free;
 * MEM_FREED_KEPT ranges are remembered. */
#include "memory/window_priv.h"

#include "memory/invariants.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEM_BIG (UINT64_C(1) << 20)
#define MEM_POOLED (UINT64_C(1) << 20) /* up to here a card takes allocations from pools that they share */
#define MEM_RESERVED_BYTES (MEM_WINDOW_BYTES + MEM_SHARED_WINDOW_BYTES + MEM_LOCAL_WINDOW_BYTES)

/* What is reserved: the addresses of device memory with the generic windows behind them, its storage, and the memory
 * that is shared with the host. */
enum { RESERVED_ADDRESSES, RESERVED_STORAGE, RESERVED_SHARED, RESERVATIONS };
static const struct reservation {
    uint64_t address, bytes;
} reservations[RESERVATIONS] = {[RESERVED_ADDRESSES] = {MEM_WINDOW, MEM_RESERVED_BYTES},
                                [RESERVED_STORAGE] = {MEM_STORAGE, MEM_WINDOW_BYTES},
                                [RESERVED_SHARED] = {MEM_SHARED_WITH_HOST, MEM_WINDOW_BYTES}};

/* What a card's rounding gives an allocation in the window, as measured on an H200 (tests/hw/h200-bounds.csv). */
static uint64_t owned_bytes(uint64_t bytes, mem_kind kind)
{
    if (bytes <= MEM_POOLED) return lw_round_up(LW_MAX(bytes, 1), MEM_GRAIN);
    return lw_round_up(bytes, kind == MEM_DEVICE ? MEM_BIG_GRAIN : MEM_PAGE);
}
static uint64_t span_of(const mem_allocation *a)
{
    return a->owned + (a->kind == MEM_REGISTERED || a->mapped ? 0 : MEM_RED_ZONE);
}
static bool is_pooled(const mem_allocation *a) { return a->kind != MEM_REGISTERED && a->owned <= MEM_POOLED; }
/* What it takes of a card's pools; 0: it does not lie in them. */
static uint64_t pool_bytes(const mem_allocation *a)
{
    bool var = a->kind == MEM_GLOBAL_VAR,
         heap = a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED;
    if (a->bytes >= MEM_BIG_GRAIN || a->mapped || (!var && (!heap || a->name[0]))) return 0;
    return lw_round_up(LW_MAX(a->bytes, 1), var ? MEM_POOL_GRAIN : MEM_GRAIN);
}
static mem_block *block_of(mem_allocation *entry) { return (mem_block *)entry; }
static bool is_shared(mem_kind kind) { return kind == MEM_MANAGED || kind == MEM_PINNED; }
static bool is_limited(mem_kind kind) { return kind == MEM_DEVICE || kind == MEM_MANAGED; }
static uint64_t charge(const mem_allocation *a)
{
    return is_limited(a->kind) && !a->mapped ? lw_round_up(a->bytes, MEM_GRAIN) : 0;
}

/* ---- reservation ---- */

/* The line of the process map that lies in the way, for a message. */
static void find_obstacle(const struct reservation *r, char *line, int size)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long long from, to;
    while (maps && fgets(line, size, maps)) {
        if (sscanf(line, "%llx-%llx", &from, &to) != 2 || to <= r->address) continue;
        if (from >= r->address + r->bytes) break;
        line[strcspn(line, "\n")] = 0;
        fclose(maps);
        return;
    }
    if (maps) fclose(maps);
    snprintf(line, (size_t)size, "unknown mapping");
}

static lw_status cannot_reserve(const struct reservation *r, int why, lw_error *error)
{
    if (why == EEXIST) {
        char line[512];
        find_obstacle(r, line, sizeof line);
        return lw_fail(error, LW_NO_MEMORY, "the address range of device memory (0x%llx) is taken by: %s",
                       (unsigned long long)r->address, line);
    }
    uint64_t all = 0;
    for (int k = 0; k < RESERVATIONS; k++) all += reservations[k].bytes;
    struct rlimit limit;
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < 2 * all)
        return lw_fail(
            error, LW_NO_MEMORY,
            "cannot reserve %llu GiB of address space for device memory: the limit of the process is %llu GiB "
            "(set it with: ulimit -v unlimited)",
            (unsigned long long)(all >> 30), (unsigned long long)(limit.rlim_cur >> 30));
    return lw_fail(error, LW_NO_MEMORY, "cannot reserve %llu GiB of address space for device memory: %s",
                   (unsigned long long)(all >> 30), strerror(why));
}

static void release(int count)
{
    for (int k = 0; k < count; k++) munmap((void *)(uintptr_t)reservations[k].address, reservations[k].bytes);
}

static lw_status reserve(lw_error *error)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    for (int k = 0; k < RESERVATIONS; k++) {
        const struct reservation *r = &reservations[k];
        void *want = (void *)(uintptr_t)r->address, *got = mmap(want, r->bytes, PROT_NONE, flags, -1, 0);
        if (got == want) continue;
        int why = got == MAP_FAILED ? errno : EEXIST; /* kernels before 4.17 take the address as a wish */
        if (got != MAP_FAILED) munmap(got, r->bytes);
        release(k);
        return cannot_reserve(r, why, error);
    }
    return LW_OK;
}

lw_status mem_create(mem_window **out, uint64_t limit_bytes, lw_error *error)
{
    *out = NULL;
    LW_TRY(reserve(error));
    mem_window *window = lw_alloc(sizeof *window);
    window->device = (mem_region){.first = MEM_WINDOW + MEM_BIG_GRAIN, .end = MEM_OURS};
    window->ours = (mem_region){.first = MEM_OURS, .end = MEM_WINDOW + MEM_WINDOW_BYTES};
    window->shared =
        (mem_region){.first = MEM_SHARED_WITH_HOST + MEM_BIG_GRAIN, .end = MEM_SHARED_WITH_HOST + MEM_WINDOW_BYTES};
    pthread_rwlock_init(&window->lock, NULL);
    window->limit = limit_bytes;
    window->epoch = 1;
    *out = window;
    return LW_OK;
}

void mem_let_go(uint64_t address, uint64_t bytes)
{
    munmap((void *)(uintptr_t)address, bytes);
    munmap(mem_storage(address), bytes);
}

void mem_unreserve_all(mem_window *window)
{
    while (window->reserved.count) {
        const mem_range *last = &window->reserved.items[--window->reserved.count];
        mem_let_go(last->address, last->bytes);
    }
}

void mem_destroy(mem_window *window)
{
    if (!window) return;
    mem_unreserve_all(window);
    lw_vec_free(&window->reserved);
    if (window->file) close(window->file);
    release(RESERVATIONS);
    for (size_t i = 0; i < window->table.count; i++) free(block_of(window->table.items[i]));
    lw_vec_free(&window->table);
    pthread_rwlock_destroy(&window->lock);
    free(window);
}

/* ---- the table; the lock is held ---- */

/* The number of entries that start at or below address. */
size_t mem_count_up_to(const mem_window *window, uint64_t address)
{
    size_t low = 0, high = window->table.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (window->table.items[middle]->address <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

void mem_insert(mem_window *window, const mem_allocation *a)
{
    mem_block *block = lw_alloc(sizeof *block);
    block->allocation = *a;
    size_t at = mem_count_up_to(window, a->address);
    lw_vec_push(&window->table, NULL);
    memmove(window->table.items + at + 1, window->table.items + at,
            (window->table.count - 1 - at) * sizeof *window->table.items);
    window->table.items[at] = &block->allocation;
    window->used[a->device] += charge(a);
    window->pooled[a->kind] += is_pooled(a);
    if (is_shared(a->kind) || a->kind == MEM_REGISTERED) __atomic_add_fetch(&window->shared_live, 1, __ATOMIC_RELEASE);
    mem_check_neighbours(window->table.items, window->table.count, at);
    mem_check_charge(window->used[a->device], window->limit);
    __atomic_add_fetch(&window->epoch, 1, __ATOMIC_RELEASE);
}

/* What was freed is remembered for messages when its entry goes. */
void mem_remove_entry(mem_window *window, size_t at)
{
    mem_allocation *a = window->table.items[at];
    size_t slot = window->freed_next;
    window->freed[slot] = *a;
    window->freed_next = (slot + 1) % MEM_FREED_KEPT;
    window->freed_count = LW_MIN(window->freed_count + 1, (size_t)MEM_FREED_KEPT);
    memmove(window->table.items + at, window->table.items + at + 1, (window->table.count - 1 - at) * sizeof a);
    window->table.count--;
    free(block_of(a));
}

/* The entry is live no more. */
void mem_end_entry(mem_window *window, mem_allocation *a)
{
    window->used[a->device] -= charge(a);
    window->pooled[a->kind] -= is_pooled(a);
    mem_pool_give(&window->pools[a->kind], a->pool_place, pool_bytes(a));
    if (is_shared(a->kind) || a->kind == MEM_REGISTERED) __atomic_sub_fetch(&window->shared_live, 1, __ATOMIC_RELEASE);
    a->freed = true;
    if (a->number) a->freed_number = ++window->ended[a->kind][a->freed_async];
    __atomic_add_fetch(&window->epoch, 1, __ATOMIC_RELEASE);
}

/* A range that is given out again is no longer "freed memory". */
void mem_forget_freed(mem_window *window, uint64_t address, uint64_t bytes)
{
    for (size_t i = 0; i < window->freed_count; i++) {
        mem_allocation *f = &window->freed[i];
        if (f->serial && f->address < address + bytes && address < f->address + LW_MAX(f->bytes, 1)) f->serial = 0;
    }
}

/* ---- placement ---- */

static int hint_class(uint64_t bytes) { return 63 - __builtin_clzll(bytes); }

static mem_region *region_of(mem_window *window, mem_kind kind)
{
    return is_shared(kind) ? &window->shared : mem_is_internal(kind) ? &window->ours : &window->device;
}

static bool in_region(const mem_region *r, uint64_t address) { return address >= r->first && address < r->end; }

static uint64_t search_start(const mem_region *r, uint64_t bytes, uint64_t alignment)
{
    uint64_t start = r->first;
    for (int c = 0; c <= hint_class(bytes); c++) {
        const mem_hint *h = &r->hints[c];
        if (h->address > start && h->bytes <= bytes && h->alignment <= alignment) start = h->address;
    }
    return start;
}

static bool may_wait(const mem_allocation *a)
{
    return !a->name[0] && (a->kind == MEM_DEVICE || a->kind == MEM_MANAGED || a->kind == MEM_PINNED);
}

static uint64_t fit(uint64_t from, uint64_t alignment, uint64_t rest)
{
    return lw_round_up(from - rest, alignment) + rest;
}

/* The lowest address where a span fits; 0 if there is none. like_card: one that leaves rest, a multiple of MEM_GRAIN, when
 * it is divided by alignment. */
static uint64_t place(mem_window *window, mem_region *r, uint64_t bytes, uint64_t alignment, bool like_card,
                      uint64_t rest)
{
    uint64_t at = search_start(r, bytes, like_card ? MEM_GRAIN : alignment);
    size_t i = mem_count_up_to(window, at);
    if (i > 0) i--; /* the one that starts before may reach past at */
    uint64_t candidate = fit(at, alignment, rest);
    for (; i < window->table.count; i++) {
        const mem_allocation *a = window->table.items[i];
        if (a->address < r->first) continue;
        if (a->address >= r->end || candidate + bytes <= a->address) break;
        uint64_t end = a->address + span_of(a);
        if (end > candidate) candidate = fit(end, alignment, rest);
    }
    if (candidate > r->end || bytes > r->end - candidate) return 0;
    if (!like_card) r->hints[hint_class(bytes)] = (mem_hint){bytes, alignment, candidate};
    return candidate;
}

/* The same for a new allocation, those of the program as on a card. natural: no other alignment was asked for. */
static uint64_t place_new(mem_window *window, mem_allocation *a, uint64_t alignment, bool natural)
{
    mem_region *r = region_of(window, a->kind);
    uint64_t address = 0, span = span_of(a);
    if (pool_bytes(a) && natural && window->table.count < MEM_POOL_MOST) {
        a->pool_place = mem_pool_take(&window->pools[a->kind], pool_bytes(a));
        if (a->pool_place) address = place(window, r, span, MEM_BIG_GRAIN, true, (a->pool_place - 1) % MEM_BIG_GRAIN);
    }
    return address ? address : place(window, r, span, alignment, false, 0);
}

/* An entry that goes opens a gap that begins at or above the end of the entry before. */
static void lower_hints(mem_window *window, size_t index)
{
    mem_region *r = region_of(window, window->table.items[index]->kind);
    uint64_t from = r->first;
    if (index > 0) {
        const mem_allocation *before = window->table.items[index - 1];
        if (in_region(r, before->address)) from = before->address + span_of(before);
    }
    for (size_t c = 0; c < LW_COUNT(r->hints); c++)
        if (r->hints[c].address > from) r->hints[c].address = from;
}

/* ---- pages ---- */

static uint8_t *page_down(void *p) { return (uint8_t *)((uintptr_t)p & ~(uintptr_t)(MEM_PAGE - 1)); }

static uint8_t *page_up(void *p) { return page_down((uint8_t *)p + MEM_PAGE - 1); }

static bool commit(const mem_allocation *a)
{
    uint8_t *storage = mem_storage(a->address), *from = page_down(storage), *to = page_up(storage + span_of(a));
    if (mprotect(from, (size_t)(to - from), PROT_READ | PROT_WRITE)) return false;
    if (a->bytes >= 2 * MEM_BIG_GRAIN) { /* fewer TLB misses; refusal is harmless. The rest page stays a small one */
        uint64_t whole = a->bytes / MEM_BIG_GRAIN * MEM_BIG_GRAIN;
        madvise(storage, whole, MADV_HUGEPAGE);
    }
    return true;
}

/* Makes the span read as zero again: whole pages go back to the host, shared ones at the ends are cleared. */
static void give_pages_back(const mem_window *window, uint64_t address, uint64_t bytes)
{
    uint8_t *start = mem_storage(address), *end = start + bytes, *from = page_up(start), *to = page_down(end);
    if (from >= to) {
        memset(start, 0, bytes);
        return;
    }
    memset(start, 0, (size_t)(from - start));
    memset(to, 0, (size_t)(end - to));
    if (window->file ||
        madvise(from, (size_t)(to - from), MADV_DONTNEED)) /* pages of a file stay; locked ones refuse */
        memset(from, 0, (size_t)(to - from));
}

/* The storage of a span reads as zero again. */
static void clear_span(const mem_window *window, mem_block *block)
{
    const mem_allocation *a = &block->allocation;
    bool red = __atomic_load_n(&block->red_used, __ATOMIC_RELAXED);
    give_pages_back(window, a->address, a->owned + (red ? MEM_RED_ZONE : 0));
}

/* ---- quarantine ---- */

/* The entry that was freed first goes. */
static void evict_first(mem_window *window)
{
    mem_quarantine *q = &window->quarantine;
    mem_block *block = q->first;
    q->first = block->next;
    if (!q->first) q->last = NULL;
    q->blocks--;
    q->bytes -= span_of(&block->allocation);
    if (block->kept) {
        q->kept -= span_of(&block->allocation);
        clear_span(window, block);
    }
    size_t at = mem_count_up_to(window, block->allocation.address) - 1;
    lower_hints(window, at);
    mem_remove_entry(window, at);
}

static void evict_all(mem_window *window)
{
    while (window->quarantine.first) evict_first(window);
}

static void put_in_quarantine(mem_window *window, mem_block *block)
{
    mem_quarantine *q = &window->quarantine;
    uint64_t span = span_of(&block->allocation);
    block->kept = is_pooled(&block->allocation);
    if (!block->kept) clear_span(window, block);
    if (q->last) q->last->next = block;
    else q->first = block;
    q->last = block;
    q->blocks++;
    q->bytes += span;
    if (block->kept) q->kept += span;
    while (q->blocks > MEM_QUARANTINE_BLOCKS || q->kept > MEM_QUARANTINE_KEPT ||
           (q->bytes > MEM_QUARANTINE_BYTES && q->blocks > 1))
        evict_first(window);
}

/* ---- the public functions ---- */

lw_status mem_alloc(mem_window *window, uint64_t bytes, uint64_t alignment, mem_kind kind, uint32_t flags,
                    const char *name, uint64_t *out_address)
{
    return mem_alloc_on(window, 0, bytes, alignment, kind, flags, name, out_address);
}

lw_status mem_alloc_on(mem_window *window, uint32_t device, uint64_t bytes, uint64_t alignment, mem_kind kind,
                       uint32_t flags, const char *name, uint64_t *out_address)
{
    LW_ASSERT(device < MEM_DEVICES_MOST);
    *out_address = 0;
    if (kind == MEM_REGISTERED || (alignment && !lw_is_power_of_2(alignment))) return LW_INVALID_ARGUMENT;
    if (bytes > MEM_WINDOW_BYTES || alignment > MEM_WINDOW_BYTES) return LW_NO_MEMORY;
    uint64_t natural = bytes >= MEM_BIG ? MEM_BIG_GRAIN : MEM_GRAIN;
    alignment = LW_MAX(alignment, natural);
    mem_allocation a = {.bytes = bytes, .owned = owned_bytes(bytes, kind), .kind = kind, .flags = flags};
    a.device = (uint8_t)device;
    snprintf(a.name, sizeof a.name, "%s", name ? name : "");
    lw_status status = LW_NO_MEMORY;
    pthread_rwlock_wrlock(&window->lock);
    if (window->used[device] + charge(&a) <= window->limit || !is_limited(kind)) {
        uint64_t span = span_of(&a);
        a.address = place_new(window, &a, alignment, alignment == natural);
        if (!a.address && window->quarantine.first) {
            evict_all(window);
            a.address = place(window, region_of(window, kind), span, alignment, false, 0);
        }
        if (a.address && commit(&a)) {
            a.serial = ++window->serial;
            if (!a.name[0]) a.number = ++window->made[kind][!!(flags & MEM_ASYNC)];
            mem_forget_freed(window, a.address, span);
            mem_insert(window, &a);
            *out_address = a.address;
            status = LW_OK;
        }
        if (status != LW_OK) mem_pool_give(&window->pools[kind], a.pool_place, pool_bytes(&a));
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

static lw_status remove_at(mem_window *window, uint64_t address, bool registered)
{
    lw_status status = LW_NOT_FOUND;
    pthread_rwlock_wrlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    if (a && a->address == address && !a->freed && !a->mapped && (a->kind == MEM_REGISTERED) == registered) {
        mem_end_entry(window, a);
        if (may_wait(a)) {
            put_in_quarantine(window, block_of(a));
        } else {
            if (!registered) {
                lower_hints(window, at - 1);
                clear_span(window, block_of(a));
            }
            mem_remove_entry(window, at - 1);
        }
        status = LW_OK;
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

lw_status mem_free(mem_window *window, uint64_t address) { return remove_at(window, address, false); }

/* The live allocation that starts at address; NULL: none does. The lock is held. */
static mem_allocation *live_at(mem_window *window, uint64_t address)
{
    size_t at = mem_count_up_to(window, address);
    mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    return a && a->address == address && !a->freed ? a : NULL;
}

void mem_note_made(mem_window *window, uint64_t address, uint32_t place)
{
    if (!place) return;
    pthread_rwlock_wrlock(&window->lock);
    mem_allocation *a = live_at(window, address);
    if (a) a->made_at = place;
    pthread_rwlock_unlock(&window->lock);
}

void mem_note_freed(mem_window *window, uint64_t address, uint32_t place, bool async)
{
    if (!place && !async) return;
    pthread_rwlock_wrlock(&window->lock);
    mem_allocation *a = live_at(window, address);
    if (a) {
        a->freed_at = place;
        a->freed_async = async;
    }
    pthread_rwlock_unlock(&window->lock);
}

void mem_set_access(mem_window *window, uint64_t address, uint32_t readers, uint32_t writers)
{
    pthread_rwlock_wrlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    if (a && a->address == address && !a->freed) {
        a->listed = true;
        a->readers = readers;
        a->writers = writers;
        __atomic_add_fetch(&window->epoch, 1, __ATOMIC_RELEASE);
    }
    pthread_rwlock_unlock(&window->lock);
}

void mem_set_namer(mem_window *window, mem_namer name, void *user)
{
    window->namer = name;
    window->namer_user = user;
}

void mem_name_place(const mem_window *window, uint32_t place, char *out, size_t size)
{
    if (size) *out = 0;
    if (window && window->namer && place) window->namer(window->namer_user, place, out, size);
}

lw_status mem_unregister(mem_window *window, uint64_t address) { return remove_at(window, address, true); }

lw_status mem_register(mem_window *window, uint64_t address, uint64_t bytes, uint32_t flags)
{
    if (!address || !bytes || address + bytes < address) return LW_INVALID_ARGUMENT;
    for (int k = 0; k < RESERVATIONS; k++) {
        const struct reservation *r = &reservations[k];
        if (address < r->address + r->bytes && address + bytes > r->address) return LW_INVALID_ARGUMENT;
    }
    lw_status status = LW_INVALID_ARGUMENT;
    pthread_rwlock_wrlock(&window->lock);
    size_t at = mem_count_up_to(window, address + bytes - 1);
    if (at == 0 || window->table.items[at - 1]->address + window->table.items[at - 1]->bytes <= address) {
        mem_allocation a = {.address = address, .bytes = bytes, .kind = MEM_REGISTERED, .flags = flags};
        a.owned = lw_round_up(address + bytes, MEM_PAGE) - address; /* a card maps whole pages */
        a.serial = ++window->serial;
        a.number = ++window->made[MEM_REGISTERED][0];
        mem_forget_freed(window, address, bytes);
        mem_insert(window, &a);
        status = LW_OK;
    }
    pthread_rwlock_unlock(&window->lock);
    return status;
}

bool mem_find(mem_window *window, uint64_t address, mem_allocation *out)
{
    pthread_rwlock_rdlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    const mem_allocation *a = at > 0 ? window->table.items[at - 1] : NULL;
    bool found = a && !a->freed && address - a->address < a->bytes;
    if (found) *out = *a;
    pthread_rwlock_unlock(&window->lock);
    return found;
}

/* The lock is held. */
static uint64_t mapped_from(const mem_window *window, uint64_t address)
{
    uint64_t end = address;
    for (size_t at = mem_count_up_to(window, address); at > 0 && at <= window->table.count; at++) {
        const mem_allocation *a = window->table.items[at - 1];
        if (!a->mapped || a->address > end || a->address + a->bytes <= end) break;
        end = a->address + a->bytes;
    }
    return end - address;
}

uint64_t mem_mapped_bytes(mem_window *window, uint64_t address)
{
    pthread_rwlock_rdlock(&window->lock);
    uint64_t bytes = mapped_from(window, address);
    pthread_rwlock_unlock(&window->lock);
    return bytes;
}

static mem_zone zone_of(const mem_window *window, const mem_allocation *a, uint64_t end)
{
    uint64_t length = end - a->address;
    if (a->freed) /* a card unmaps a pool when nothing lives there any more */
        return is_pooled(a) && window->pooled[a->kind] && length <= a->owned ? MEM_FREED : MEM_NOWHERE;
    if (length <= a->bytes || (a->mapped && length <= mapped_from(window, a->address))) return MEM_INSIDE;
    if (length <= a->owned) return MEM_SLACK;
    return length <= span_of(a) ? MEM_RED : MEM_NOWHERE;
}

/* ---- what a card maps beside an allocation, as recorded (tests/hw/h200-bounds.csv) ---- */
#define MEM_PRECEDED_MOST                                                                                              \
    (UINT64_C(16) << 20) /* below blocks of up to so many bytes there was memory, below larger ones not */

/* Behind a small one: what is left of the 2 MiB in which it lies (pools.c). */
static bool is_in_chunk(const mem_allocation *a, uint64_t end)
{
    return a->kind == MEM_DEVICE && !a->freed && pool_bytes(a) && end <= lw_round_up(a->address + 1, MEM_BIG_GRAIN);
}

/* Right below a large one: 2 MiB. */
static bool is_right_below(const mem_allocation *a, uint64_t address)
{
    return a->kind == MEM_DEVICE && !a->freed && !a->mapped && a->bytes > MEM_BIG_GRAIN &&
           a->bytes <= MEM_PRECEDED_MOST && a->address - address <= MEM_BIG_GRAIN;
}

/* The lock is held. at: how many allocations begin at or below the access. NULL: no allocation is beside it. */
static const mem_allocation *beside(const mem_window *window, size_t at, uint64_t address, uint64_t end)
{
    const mem_allocation *above = at < window->table.count ? window->table.items[at] : NULL;
    if (above && end > above->address) return NULL;
    for (size_t i = at; i > 0 && window->table.items[i - 1]->address / MEM_BIG_GRAIN == address / MEM_BIG_GRAIN; i--)
        if (is_in_chunk(window->table.items[i - 1], end)) return window->table.items[i - 1];
    return above && is_right_below(above, address) ? above : NULL;
}

mem_zone mem_locate(mem_window *window, uint64_t address, uint64_t bytes, mem_allocation *out)
{
    mem_zone zone = MEM_NOWHERE;
    uint64_t end;
    if (__builtin_add_overflow(address, bytes, &end)) return MEM_NOWHERE;
    pthread_rwlock_rdlock(&window->lock);
    size_t at = mem_count_up_to(window, address);
    if (at > 0) {
        zone = zone_of(window, window->table.items[at - 1], end);
        *out = *window->table.items[at - 1];
    }
    const mem_allocation *near = zone == MEM_NOWHERE ? beside(window, at, address, end) : NULL;
    if (near) {
        zone = MEM_BESIDE;
        *out = *near;
    }
    pthread_rwlock_unlock(&window->lock);
    return zone;
}

void mem_clear_red(mem_window *window, const mem_allocation *allocation, uint64_t address, uint64_t bytes)
{
    uint64_t red = allocation->address + allocation->owned, from = LW_MAX(red, address), to = address + bytes;
    pthread_rwlock_rdlock(&window->lock);
    size_t at = mem_count_up_to(window, allocation->address);
    if (at > 0 && window->table.items[at - 1]->serial == allocation->serial) {
        __atomic_store_n(&block_of(window->table.items[at - 1])->red_used, true, __ATOMIC_RELAXED);
        if (from < to) memset(mem_storage(from), 0, to - from);
    }
    pthread_rwlock_unlock(&window->lock);
}

static uint64_t distance(const mem_allocation *a, uint64_t address)
{
    if (address < a->address) return a->address - address;
    uint64_t inside = address - a->address;
    return inside < a->bytes ? 0 : inside - a->bytes + 1;
}

static bool nearest(const mem_window *window, uint64_t address, mem_allocation *out)
{
    const mem_allocation *best = NULL;
    uint64_t least = UINT64_MAX;
    size_t at = mem_count_up_to(window, address), first = at ? at - 1 : 0, last = at;
    while (first > 0 && mem_is_internal(window->table.items[first]->kind))
        first--; /* not the program's: no help to it */
    while (last < window->table.count && mem_is_internal(window->table.items[last]->kind)) last++;
    for (size_t i = first; i < LW_MIN(last + 1, window->table.count); i++) {
        if (mem_is_internal(window->table.items[i]->kind)) continue;
        uint64_t d = distance(window->table.items[i], address);
        if (d >= least) continue;
        best = window->table.items[i];
        least = d;
    }
    for (size_t i = 0; i < window->freed_count; i++) { /* among equals the latest; one of the table wins */
        const mem_allocation *f = &window->freed[i];
        uint64_t d = f->serial && !mem_is_internal(f->kind) ? distance(f, address) : UINT64_MAX;
        if (d > least || (d == least && !(best && best->freed && f->serial > best->serial))) continue;
        best = f;
        least = d;
    }
    if (best) *out = *best;
    return best != NULL;
}

bool mem_nearest(mem_window *window, uint64_t address, mem_allocation *out)
{
    pthread_rwlock_rdlock(&window->lock);
    bool found = nearest(window, address, out);
    pthread_rwlock_unlock(&window->lock);
    return found;
}

bool mem_nearest_in_signal(mem_window *window, uint64_t address, mem_allocation *out)
{
    enum { TRIES = 1000 };
    for (int k = 0; k < TRIES; k++) {
        if (!pthread_rwlock_tryrdlock(&window->lock)) {
            bool found = nearest(window, address, out);
            pthread_rwlock_unlock(&window->lock);
            return found;
        }
        sched_yield();
    }
    return false;
}

void mem_usage(mem_window *window, uint32_t device, uint64_t *out_used_bytes, uint64_t *out_limit_bytes)
{
    pthread_rwlock_rdlock(&window->lock);
    *out_used_bytes = window->used[device];
    *out_limit_bytes = window->limit;
    pthread_rwlock_unlock(&window->lock);
}

void mem_each(mem_window *window, void (*visit)(void *user, const mem_allocation *allocation), void *user)
{
    pthread_rwlock_rdlock(&window->lock);
    size_t count = 0;
    mem_allocation *copy = lw_alloc((window->table.count + 1) * sizeof *copy);
    for (size_t i = 0; i < window->table.count; i++)
        if (!window->table.items[i]->freed) copy[count++] = *window->table.items[i];
    pthread_rwlock_unlock(&window->lock);
    for (size_t i = 0; i < count; i++) visit(user, &copy[i]);
    free(copy);
}

uint64_t mem_shared_count(mem_window *window) { return __atomic_load_n(&window->shared_live, __ATOMIC_ACQUIRE); }

uint64_t mem_epoch(mem_window *window) { return __atomic_load_n(&window->epoch, __ATOMIC_ACQUIRE); }
