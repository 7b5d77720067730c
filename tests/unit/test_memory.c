/* memory: placement, reuse, look-ups, registration, limits, threads. */
#include "memory/memory.h"
#include "unit.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static mem_window *create(uint64_t limit)
{
    mem_window *space;
    lw_error error = {0};
    if (mem_create(&space, limit, &error) != LW_OK) {
        printf("%s\n", error.message);
        exit(2);
    }
    return space;
}

static uint64_t take(mem_window *space, uint64_t bytes)
{
    uint64_t address = 0;
    CHECK_EQ_INT(mem_alloc(space, bytes, 0, MEM_DEVICE, 0, NULL, &address), LW_OK);
    return address;
}

static bool is_zero(uint64_t address, size_t bytes)
{
    const unsigned char *p = mem_storage(address);
    for (size_t i = 0; i < bytes; i++)
        if (p[i]) return false;
    return true;
}

UNIT_CASE(addresses_repeat_and_are_aligned)
{
    uint64_t first[40];
    static const uint64_t sizes[] = {0, 1, 511, 512, 4096, 100000, 1 << 20, 3 << 20, 5 << 20, 7};
    for (int round = 0; round < 2; round++) {
        mem_window *space = create(UINT64_C(1) << 30);
        for (int i = 0; i < 40; i++) {
            uint64_t bytes = sizes[i % 10], a = take(space, bytes);
            CHECK(mem_in_window(a));
            CHECK_EQ_INT(a % (bytes >= 2 << 20 ? 2 << 20 : 512), 0);
            if (round == 0) first[i] = a;
            CHECK_EQ_INT(a, first[i]);
            memset(mem_storage(a), 0xff, bytes);
        }
        for (int i = 0; i < 40; i++) /* first fit: no two spans overlap, red zones between */
            for (int j = 0; j < 40; j++)
                if (first[i] < first[j]) CHECK(first[i] + sizes[i % 10] + MEM_RED_ZONE <= first[j]);
        mem_destroy(space);
    }
}

/* ---- the place in 2 MiB, as recorded on a card (tests/hw/h200-placement.csv) ---- */

typedef struct placed {
    char kind[16], sequence[32], id[8];
    unsigned long long bytes, at;
} placed;

static mem_kind kind_of(const placed *p)
{
    if (!strcmp(p->kind, "module")) return MEM_GLOBAL_VAR;
    return !strcmp(p->kind, "malloc") ? MEM_DEVICE : !strcmp(p->kind, "managed") ? MEM_MANAGED : MEM_PINNED;
}

/* id: +N allocates, -N frees, a word is a variable. */
static void replay(mem_window *space, const placed *p, uint64_t live[64])
{
    uint64_t a = 0;
    int number = atoi(p->id + 1) & 63;
    if (p->id[0] == '-') {
        CHECK_EQ_INT(mem_free(space, live[number]), LW_OK);
        return;
    }
    mem_kind kind = kind_of(p);
    CHECK_EQ_INT(mem_alloc(space, p->bytes, 0, kind, 0, kind == MEM_GLOBAL_VAR ? p->id : NULL, &a), LW_OK);
    if (a % (2 << 20) != p->at)
        UNIT_FAIL("%s %s %s: at %llu, on the card at %llu", p->kind, p->sequence, p->id,
                  (unsigned long long)(a % (2 << 20)), p->at);
    live[number] = a;
}

UNIT_CASE(allocations_lie_as_on_a_card)
{
    FILE *f = fopen(unit_path("hw/h200-placement.csv"), "r");
    REQUIRE(f != NULL);
    char line[256], last[64] = "";
    uint64_t live[64];
    mem_window *space = NULL;
    int rows = 0;
    while (fgets(line, sizeof line, f)) {
        placed p = {.bytes = 0};
        int n = sscanf(line, "%15[a-z],%31[a-z_],%7[^,],%llu,%llu", p.kind, p.sequence, p.id, &p.bytes, &p.at);
        if (n != 5 && !(n == 3 && p.id[0] == '-')) continue; /* a comment, the names of the columns */
        char now[64];
        snprintf(now, sizeof now, "%s %s", p.kind, p.sequence);
        if (strcmp(now, last)) { /* each sequence begins with nothing */
            mem_destroy(space);
            space = create(UINT64_C(1) << 30);
            snprintf(last, sizeof last, "%s", now);
        }
        replay(space, &p, live);
        rows++;
    }
    fclose(f);
    mem_destroy(space);
    CHECK_EQ_INT(rows, 273);
}

/* Gives up everything that was freed: more blocks of nearly 1 MiB than are kept. */
static void leave_quarantine(mem_window *space)
{
    for (uint64_t k = 0; k <= MEM_QUARANTINE_KEPT >> 19; k++)
        CHECK_EQ_INT(mem_free(space, take(space, (1 << 20) - 512)), LW_OK);
}

UNIT_CASE(freed_memory_is_reused_and_reads_zero)
{
    mem_window *space = create(UINT64_C(1) << 30);
    uint64_t a = take(space, 1000), b = take(space, 20000), c = take(space, 100);
    memset(mem_storage(a), 1, 1000);
    memset(mem_storage(b), 2, 20000);
    memset(mem_storage(c), 3, 100);
    CHECK_EQ_INT(mem_free(space, b), LW_OK);
    CHECK_EQ_INT(mem_free(space, b), LW_NOT_FOUND);
    CHECK_EQ_INT(mem_free(space, a + 1), LW_NOT_FOUND);
    uint64_t other = take(space, 15000);
    CHECK(other != b); /* in quarantine, as it was */
    CHECK(!is_zero(b, 20000));
    CHECK_EQ_INT(mem_free(space, other), LW_OK);
    leave_quarantine(space);
    uint64_t d = take(space, 15000);
    CHECK_EQ_INT(d, b);
    CHECK(is_zero(d, 15000));
    CHECK(!is_zero(a, 1000) && !is_zero(c, 100));
    mem_free(space, a);
    leave_quarantine(space);
    CHECK_EQ_INT(take(space, 5000) > c, true); /* does not fit where a was */
    CHECK_EQ_INT(take(space, 10), a);
    CHECK(is_zero(a, 1000));
    mem_destroy(space);
}

/* Each bound of the quarantine by itself lets the block that was freed first go. */
UNIT_CASE(the_quarantine_is_bounded)
{
    static const struct {
        uint64_t bytes, blocks; /* as many as still leave it where it is */
    } rows[] = {{1, MEM_QUARANTINE_BLOCKS - 1},
                {(1 << 20) - 4096, (MEM_QUARANTINE_KEPT >> 20) - 1},
                {250 << 20, MEM_QUARANTINE_BYTES / (250 << 20) - 1}};
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        mem_window *space = create(UINT64_C(1) << 30);
        uint64_t first = take(space, rows[k].bytes);
        CHECK_EQ_INT(mem_free(space, first), LW_OK);
        for (uint64_t n = 0; n < rows[k].blocks; n++) {
            uint64_t next = take(space, rows[k].bytes);
            CHECK(next != first);
            mem_free(space, next);
        }
        mem_free(space, take(space, rows[k].bytes));
        CHECK_EQ_INT(take(space, rows[k].bytes), first);
        mem_destroy(space);
    }
}

UNIT_CASE(a_full_window_empties_the_quarantine)
{
    mem_window *space = create(MEM_WINDOW_BYTES);
    uint64_t most = UINT64_C(200) << 30, a = take(space, most);
    CHECK_EQ_INT(mem_free(space, a), LW_OK);
    CHECK_EQ_INT(take(space, most), a);
    mem_destroy(space);
}

static void check_zone(mem_window *space, uint64_t address, uint64_t bytes, mem_zone zone)
{
    mem_allocation m;
    CHECK_EQ_INT(mem_locate(space, address, bytes, &m), zone);
}

UNIT_CASE(zones_of_an_allocation)
{
    static const struct {
        uint64_t bytes, owned;
        mem_kind kind;
    } rows[] = {{1, 512, MEM_DEVICE},
                {512, 512, MEM_DEVICE},
                {1 << 20, 1 << 20, MEM_MANAGED},
                {(1 << 20) + 1, 2 << 20, MEM_DEVICE},
                {(5 << 20) + 1, 6 << 20, MEM_DEVICE},
                {(5 << 20) + 1, (5 << 20) + 4096, MEM_PINNED}};
    mem_window *space = create(UINT64_C(1) << 30);
    for (size_t k = 0; k < LW_COUNT(rows); k++) {
        uint64_t a = 0, bytes = rows[k].bytes, owned = rows[k].owned;
        CHECK_EQ_INT(mem_alloc(space, bytes, 0, rows[k].kind, 0, NULL, &a), LW_OK);
        check_zone(space, a, bytes, MEM_INSIDE);
        check_zone(space, a, bytes + 1, owned == bytes ? MEM_RED : MEM_SLACK);
        check_zone(space, a, owned, owned == bytes ? MEM_INSIDE : MEM_SLACK);
        check_zone(space, a + owned - 1, 2, MEM_RED);
        check_zone(space, a + owned, MEM_RED_ZONE, MEM_RED);
        check_zone(space, a + owned, MEM_RED_ZONE + 1,
                   rows[k].kind == MEM_DEVICE && bytes <= 512 ? MEM_BESIDE : MEM_NOWHERE);
        check_zone(space, a, UINT64_MAX - 8, MEM_NOWHERE);
    }
    mem_destroy(space);
}

UNIT_CASE(what_a_card_maps_beside_allocations)
{
    mem_window *space = create(UINT64_C(1) << 30);
    uint64_t small = take(space, 4824), end = lw_round_up(small + 1, 2 << 20);
    uint64_t larger = take(space, (16 << 20) + 1), large = take(space, 3999996);
    mem_allocation m;
    CHECK_EQ_INT(mem_locate(space, end - 4, 4, &m), MEM_BESIDE);
    CHECK_EQ_INT(m.address, small);
    check_zone(space, end - 2, 4, MEM_NOWHERE);
    CHECK_EQ_INT(mem_locate(space, large - 4, 4, &m), MEM_BESIDE);
    CHECK_EQ_INT(m.address, large);
    check_zone(space, large - 4, 8, MEM_NOWHERE);
    mem_free(space, small);
    check_zone(space, end - 4, 4, MEM_NOWHERE);
    check_zone(space, larger - 4, 4, MEM_NOWHERE);
    mem_destroy(space);
}

/* What is not the program's lies apart, and a variable in the chunk hides no allocation below it. */
UNIT_CASE(behind_an_allocation_lies_nothing_of_ours)
{
    mem_window *space = create(UINT64_C(1) << 30);
    uint64_t small = take(space, 40000), end = lw_round_up(small + 1, 2 << 20), other = 0, variable = 0;
    CHECK_EQ_INT(mem_alloc(space, 512, 0, MEM_INTERNAL, 0, "kernel parameters", &other), LW_OK);
    CHECK_EQ_INT(mem_alloc(space, 65536, 0, MEM_GLOBAL_VAR, 0, "table", &variable), LW_OK);
    CHECK_EQ_INT(mem_alloc(space, 512, 0, MEM_GLOBAL_VAR, 0, "counter", &variable), LW_OK);
    CHECK(other > end);
    REQUIRE(variable > small && variable < end);
    mem_allocation m;
    CHECK_EQ_INT(mem_locate(space, end - 4, 4, &m), MEM_BESIDE);
    CHECK_EQ_INT(m.address, small);
    mem_destroy(space);
}

static void check_words(mem_window *space, uint64_t address, const char *words)
{
    mem_allocation m;
    char text[256];
    REQUIRE(mem_nearest(space, address, &m));
    mem_describe(space, &m, address, text, sizeof text);
    CHECK_STR(text, words);
}

UNIT_CASE(allocations_in_words)
{
    mem_window *space = create(UINT64_C(1) << 30);
    uint64_t v, managed, a = take(space, 1000), b = take(space, 1);
    mem_alloc(space, 64, 0, MEM_GLOBAL_VAR, 0, "counter", &v);
    mem_alloc(space, 3000, 0, MEM_MANAGED, 0, NULL, &managed);
    check_words(space, a + 1000, "just past the end of a block of 1000 bytes (the 1st cudaMalloc)");
    check_words(space, a + 1004, "4 bytes past the end of a block of 1000 bytes (the 1st cudaMalloc)");
    check_words(space, b + 2, "1 byte past the end of a block of 1 byte (the 2nd cudaMalloc)");
    check_words(space, v - 8, "8 bytes before __device__ variable counter of 64 bytes");
    check_words(space, managed + 3000,
                "just past the end of a managed block of 3000 bytes (the 1st cudaMallocManaged)");
    mem_free(space, b);
    mem_free(space, a);
    check_words(space, a + 8,
                "inside freed memory: 1000 bytes at 0x550000200000, allocated by the 1st cudaMalloc, freed by the 2nd "
                "cudaFree");
    for (int k = 3; k < 11; k++) take(space, 100);
    check_words(space, take(space, 100) + 100, "just past the end of a block of 100 bytes (the 11th cudaMalloc)");
    mem_destroy(space);
}

static void name_places(void *user, uint32_t place, char *out, size_t size)
{
    snprintf(out, size, "%s:%u", (const char *)user, place);
}

/* What the caller says of places stands in messages; a signal handler's leave it out. */
UNIT_CASE(places_in_words)
{
    mem_window *space = create(UINT64_C(1) << 30);
    uint64_t a = take(space, 100);
    uint64_t b = take(space, 200);
    char text[256];
    mem_allocation m;
    mem_set_namer(space, name_places, "a.cu");
    mem_note_made(space, a, 7);
    check_words(space, a + 104,
                "4 bytes past the end of a block of 100 bytes allocated at a.cu:7 (the 1st cudaMalloc)");
    check_words(space, b + 200, "just past the end of a block of 200 bytes (the 2nd cudaMalloc)");
    REQUIRE(mem_nearest(space, a, &m));
    mem_describe(NULL, &m, a + 104, text, sizeof text);
    CHECK_STR(text, "4 bytes past the end of a block of 100 bytes (the 1st cudaMalloc)");
    mem_note_freed(space, a, 9, false);
    mem_free(space, a);
    check_words(space, a,
                "inside freed memory: 100 bytes at 0x550000200000, allocated at a.cu:7 (the 1st cudaMalloc), freed at "
                "a.cu:9 (the 1st cudaFree)");
    uint64_t c;
    REQUIRE(!mem_alloc(space, 8, 0, MEM_DEVICE, MEM_ASYNC, NULL, &c));
    mem_note_freed(space, c, 0, true);
    mem_free(space, c);
    check_words(
        space, c,
        "inside freed memory: 8 bytes at 0x550000600000, allocated by the 1st cudaMallocAsync, freed by the 1st "
        "cudaFreeAsync");
    mem_destroy(space);
}

static uint64_t span_of(uint64_t bytes)
{
    return lw_round_up(LW_MAX(bytes, 1), bytes > 1 << 20 ? 4096 : 512) + MEM_RED_ZONE;
}

/* The hints must not change what plain first fit would have answered. */
UNIT_CASE(placement_is_first_fit)
{
    enum { N = 300 };
    static uint64_t address[N], bytes[N];
    static bool live[N];
    mem_window *space = create(UINT64_C(1) << 34);
    uint64_t state = 7;
    for (int step = 0; step < 4000; step++) { /* constants: other blocks would be quarantined or lie as on a card */
        state = state * 6364136223846793005u + 1442695040888963407u;
        int i = (int)(state >> 33) % N;
        if (live[i]) {
            CHECK_EQ_INT(mem_free(space, address[i]), LW_OK);
            live[i] = false;
            continue;
        }
        bytes[i] = (state >> 20) % (1u << (state >> 59)) % (3u << 20);
        uint64_t align = bytes[i] >= 1 << 20 ? 2 << 20 : 512, want = MEM_WINDOW + (2 << 20);
        for (bool moved = true; moved;) { /* the least aligned address free of overlaps */
            moved = false;
            for (int j = 0; j < N; j++) {
                if (!live[j]) continue;
                uint64_t end = address[j] + span_of(bytes[j]);
                uint64_t span = span_of(bytes[i]);
                if (want < end && address[j] < want + span) want = lw_round_up(end, align), moved = true;
            }
        }
        CHECK_EQ_INT(mem_alloc(space, bytes[i], 0, MEM_CONST_VAR, 0, "v", &address[i]), LW_OK);
        live[i] = true;
        REQUIRE(address[i] == want);
    }
    mem_destroy(space);
}

UNIT_CASE(find_and_nearest)
{
    mem_window *space = create(UINT64_C(1) << 30);
    mem_allocation m;
    CHECK(!mem_nearest(space, MEM_WINDOW, &m));
    uint64_t a = 0, behind, z, b = take(space, 1000);
    mem_alloc(space, 64, 0, MEM_GLOBAL_VAR, 5, "counter", &a);
    z = take(space, 0);
    mem_alloc(space, 64, 0, MEM_CONST_VAR, 0, "behind", &behind); /* so that nothing large comes where b was */
    CHECK(z != a && z != b);
    CHECK(!mem_find(space, z, &m));
    CHECK(mem_find(space, a + 63, &m));
    CHECK_STR(m.name, "counter");
    CHECK_EQ_INT(m.flags, 5);
    CHECK_EQ_INT(m.serial, 2);
    CHECK(!mem_find(space, a + 64, &m));
    CHECK(mem_nearest(space, b + 1003, &m) && m.address == b && !m.freed);
    CHECK(mem_nearest(space, 0, &m) && m.address == b);
    uint64_t epoch = mem_epoch(space);
    mem_free(space, b);
    CHECK(mem_epoch(space) != epoch);
    CHECK(!mem_find(space, b, &m));
    CHECK(mem_nearest(space, b + 500, &m) && m.address == b && m.freed && m.serial == 1);
    leave_quarantine(space);
    CHECK(mem_nearest(space, b + 500, &m) && m.address == b && m.freed); /* remembered */
    CHECK_EQ_INT(take(space, 8), b); /* the range is in use again: no longer freed memory */
    CHECK(mem_nearest(space, b + 500, &m) && !m.freed);
    mem_destroy(space);
}

UNIT_CASE(registered_memory)
{
    mem_window *space = create(UINT64_C(1) << 30);
    static char host[1000];
    uint64_t h = (uint64_t)(uintptr_t)host, d = take(space, 100);
    mem_allocation m;
    CHECK_EQ_INT(mem_register(space, h, 1000, 3), LW_OK);
    CHECK_EQ_INT(mem_register(space, h + 999, 10, 0), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(mem_register(space, h - 5, 6, 0), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(mem_register(space, d, 10, 0), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(mem_register(space, h + 1000, 0, 0), LW_INVALID_ARGUMENT);
    CHECK(mem_find(space, h + 10, &m) && m.kind == MEM_REGISTERED && m.flags == 3);
    CHECK_EQ_INT(mem_free(space, h), LW_NOT_FOUND);
    CHECK_EQ_INT(mem_unregister(space, d), LW_NOT_FOUND);
    CHECK(take(space, 100) > d);
    CHECK_EQ_INT(mem_unregister(space, h), LW_OK);
    CHECK(!mem_find(space, h, &m));
    mem_destroy(space);
}

UNIT_CASE(limit_counts_device_memory_only)
{
    mem_window *space = create(1 << 20);
    uint64_t a, used, limit;
    CHECK_EQ_INT(mem_alloc(space, (1 << 20) + 1, 0, MEM_DEVICE, 0, NULL, &a), LW_NO_MEMORY);
    CHECK_EQ_INT(a, 0);
    CHECK_EQ_INT(mem_alloc(space, 4 << 20, 0, MEM_PINNED, 0, NULL, &a), LW_OK);
    CHECK_EQ_INT(mem_alloc(space, 1 << 19, 0, MEM_MANAGED, 0, NULL, &a), LW_OK);
    CHECK_EQ_INT(mem_alloc(space, (1 << 19) + 1, 0, MEM_DEVICE, 0, NULL, &a), LW_NO_MEMORY);
    mem_usage(space, 0, &used, &limit);
    CHECK_EQ_INT(used, 1 << 19);
    CHECK_EQ_INT(limit, 1 << 20);
    CHECK_EQ_INT(mem_alloc(space, UINT64_MAX - 100, 0, MEM_PINNED, 0, NULL, &a), LW_NO_MEMORY);
    CHECK_EQ_INT(mem_alloc(space, 8, 3, MEM_PINNED, 0, NULL, &a), LW_INVALID_ARGUMENT);
    CHECK_EQ_INT(mem_alloc(space, 8, 1 << 16, MEM_PINNED, 0, NULL, &a), LW_OK);
    CHECK_EQ_INT(a % (1 << 16), 0);
    mem_destroy(space);
}

static void free_it(void *user, const mem_allocation *m) { CHECK_EQ_INT(mem_free(user, m->address), LW_OK); }

UNIT_CASE(many_allocations_are_quick)
{
    mem_window *space = create(UINT64_C(1) << 34);
    double start = lw_now();
    uint64_t last = 0;
    for (int i = 0; i < 30000; i++) {
        uint64_t a = take(space, (uint64_t)i % 3000);
        CHECK(a != last);
        last = a;
    }
    mem_each(space, free_it, space);
    uint64_t used, limit;
    mem_usage(space, 0, &used, &limit);
    CHECK_EQ_INT(used, 0);
    CHECK(lw_now() - start < 20);
    mem_destroy(space);
}

UNIT_CASE(a_taken_window_is_named)
{
    void *want = (void *)(uintptr_t)(MEM_WINDOW + 4096);
    void *p = mmap(want, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    REQUIRE(p == want);
    mem_window *space;
    lw_error error = {0};
    CHECK_EQ_INT(mem_create(&space, 1, &error), LW_NO_MEMORY);
    CHECK(space == NULL);
    CHECK_HAS(error.message, "550000001000-550000002000");
    munmap(p, 4096);
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* sanitizers cannot run under such a limit */
UNIT_CASE(an_address_space_limit_is_named)
{
    struct rlimit old, now;
    getrlimit(RLIMIT_AS, &old);
    now = old;
    now.rlim_cur = UINT64_C(300) << 30; /* less than is reserved */
    REQUIRE(setrlimit(RLIMIT_AS, &now) == 0);
    mem_window *space;
    lw_error error = {0};
    lw_status status = mem_create(&space, 1, &error);
    setrlimit(RLIMIT_AS, &old);
    CHECK_EQ_INT(status, LW_NO_MEMORY);
    CHECK_HAS(error.message, "ulimit -v");
}
#endif

static void *churn(void *user)
{
    mem_window *space = user;
    uint64_t mine[64] = {0}, state = (uint64_t)(uintptr_t)&mine;
    for (int i = 0; i < 3000; i++) {
        state = state * 6364136223846793005u + 1;
        unsigned k = (unsigned)(state >> 40) % 64;
        mem_allocation m;
        if (mine[k]) {
            if (!mem_find(space, mine[k], &m) || *(uint64_t *)mem_storage(mine[k]) != mine[k]) return "lost";
            if (mem_free(space, mine[k]) != LW_OK) return "not freed";
            mine[k] = 0;
        } else {
            if (mem_alloc(space, 8 + state % 9000, 0, MEM_DEVICE, 0, NULL, &mine[k]) != LW_OK) return "no memory";
            if (*(uint64_t *)mem_storage(mine[k])) return "not zero";
            *(uint64_t *)mem_storage(mine[k]) = mine[k];
        }
    }
    return NULL;
}

UNIT_CASE(threads)
{
    mem_window *space = create(UINT64_C(1) << 30);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, churn, space);
    for (int i = 0; i < 4; i++) {
        void *said;
        pthread_join(t[i], &said);
        CHECK_STR(said, NULL);
    }
    mem_destroy(space);
}

UNIT_CASE(the_generic_windows_do_not_overlap)
{
    CHECK(MEM_WINDOW + MEM_WINDOW_BYTES <= MEM_SHARED_WINDOW);
    CHECK(MEM_LOCAL_WINDOW + MEM_LOCAL_WINDOW_BYTES <= UINT64_C(0x555555554000));
    CHECK(mem_in_shared_window(MEM_SHARED_WINDOW) && !mem_in_shared_window(MEM_LOCAL_WINDOW));
    CHECK(mem_in_local_window(MEM_LOCAL_WINDOW) && !mem_in_window(MEM_SHARED_WINDOW));
}

UNIT_CASE(messages_do_not_name_internal_memory)
{
    mem_window *space = create(UINT64_C(1) << 30);
    mem_allocation m;
    uint64_t mine = take(space, 8), internal = 0;
    CHECK_EQ_INT(mem_alloc(space, 64, 0, MEM_INTERNAL, 0, "kernel parameters", &internal), LW_OK);
    CHECK(internal > mine);
    CHECK(mem_nearest(space, internal + 100000, &m) && m.address == mine);
    mem_free(space, internal);
    CHECK(mem_nearest(space, internal + 8, &m) && m.address == mine);
    mem_destroy(space);
}

static int written = 1;            /* .data */
static char blank[1 << 16];        /* .bss */
static const char fixed[64] = "x"; /* read-only */

UNIT_CASE(memory_of_the_host_is_named)
{
    char local = 0;
    char text[256];
    char *large = malloc((size_t)64 << 20);
    const struct {
        const void *at;
        const char *says;
    } cases[] = {
        {NULL, "a null pointer"},
        {&local, "a local variable of the host"},
        {&written, "global variable"},
        {&blank[sizeof blank - 1], "global variable"},
        {fixed, "constant"},
        {large + 1000, "pageable memory"},
        {malloc(16), "pageable"},
        {(void *)0x123456789000, "no memory is there"},
        {(void *)(uintptr_t)(MEM_WINDOW + MEM_WINDOW_BYTES / 2), "device memory that is not allocated"},
        {(void *)(uintptr_t)(MEM_SHARED_WINDOW + 8), "an address of shared memory"},
        {(void *)(uintptr_t)(MEM_LOCAL_WINDOW + 8), "an address of a thread's local memory"},
    };
    for (size_t i = 0; i < LW_COUNT(cases); i++) {
        mem_describe_host((uint64_t)(uintptr_t)cases[i].at, text, sizeof text);
        if (!strstr(text, cases[i].says)) UNIT_FAIL("%s instead of %s", text, cases[i].says);
    }
    free((void *)cases[6].at);
    free(large);
}

UNIT_MAIN()
