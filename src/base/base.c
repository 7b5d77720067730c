/* base: the functions of base.h. Small and boring on purpose. */
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanewise runs on little-endian hosts only");

const char *lw_status_text(lw_status status)
{
    static const char *const texts[] = {
#define LW_STATUS(id, text) text,
#include "base/status.def"
#undef LW_STATUS
    };
    return (unsigned)status < LW_STATUS_COUNT ? texts[status] : "unknown status";
}

lw_status lw_fail(lw_error *error, lw_status status, const char *format, ...)
{
    if (error && error->status == LW_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        error->status = status;
    }
    return status;
}

uint16_t lw_read_u16(const void *p)
{
    uint16_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

uint32_t lw_read_u32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

uint64_t lw_read_u64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

void lw_out_of_memory(size_t size)
{
    fprintf(stderr, "lanewise: the host is out of memory (allocating %zu bytes)\n", size);
    abort();
}

void *lw_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);
    if (!p) lw_out_of_memory(size);
    return p;
}

void *lw_realloc(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);
    if (!q) lw_out_of_memory(size);
    return q;
}

char *lw_strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(lw_alloc(n), s, n);
}

static char *format_text(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    char *s = lw_alloc((size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    return s;
}

char *lw_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = format_text(format, args);
    va_end(args);
    return s;
}

/* ---- arena ---- */
struct lw_arena_block {
    struct lw_arena_block *next;
    size_t used, capacity;
    _Alignas(16) uint8_t data[];
};

void *lw_arena_alloc_aligned(lw_arena *arena, size_t size, size_t alignment)
{
    if (alignment < 16) alignment = 16;
    struct lw_arena_block *b = arena->head;
    if (b) {
        uintptr_t at = ((uintptr_t)b->data + b->used + alignment - 1) & ~(uintptr_t)(alignment - 1);
        size_t offset = at - (uintptr_t)b->data;
        if (offset <= b->capacity && size <= b->capacity - offset) {
            b->used = offset + size;
            arena->used += size;
            return (void *)at;
        }
    }
    size_t capacity = LW_MAX(arena->total / 2, (size_t)4096);
    capacity = LW_MIN(capacity, (size_t)1 << 20);
    if (capacity < size + alignment) capacity = size + alignment;
    b = lw_alloc(sizeof *b + capacity);
    b->capacity = capacity;
    b->next = arena->head;
    arena->head = b;
    arena->total += capacity;
    return lw_arena_alloc_aligned(arena, size, alignment);
}

void *lw_arena_alloc(lw_arena *arena, size_t size) { return lw_arena_alloc_aligned(arena, size, 16); }

char *lw_arena_strndup(lw_arena *arena, const char *s, size_t n)
{
    char *copy = lw_arena_alloc(arena, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *lw_arena_strdup(lw_arena *arena, const char *s) { return lw_arena_strndup(arena, s, strlen(s)); }

char *lw_arena_printf(lw_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = format_text(format, args);
    va_end(args);
    char *copy = lw_arena_strdup(arena, s);
    free(s);
    return copy;
}

void lw_arena_free(lw_arena *arena)
{
    if (!arena) return;
    for (struct lw_arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *arena = (lw_arena){0};
}

/* ---- growable array and text ---- */
void *lw_vec_grow_(void *items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t n = *capacity ? *capacity * 2 : 8;
    if (n < needed) n = needed;
    *capacity = n;
    return lw_realloc(items, n * item_size);
}

void lw_text_append(lw_text *text, const char *data, size_t size)
{
    if (text->size + size + 1 > text->capacity)
        text->data = lw_vec_grow_(text->data, &text->capacity, text->size + size + 1, 1);
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

void lw_text_add(lw_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *s = format_text(format, args);
    va_end(args);
    lw_text_append(text, s, strlen(s));
    free(s);
}

void lw_text_free(lw_text *text)
{
    if (!text) return;
    free(text->data);
    *text = (lw_text){0};
}

/* ---- map: open addressing, linear probing, load at most 3/4 ---- */
struct lw_map_slot {
    const char *key;
    size_t key_size;
    uint64_t hash;
    void *value;
};

uint64_t lw_hash(const void *data, size_t size, uint64_t seed)
{
    /* FNV-1a with a final mix: keys are short names */
    const uint8_t *p = data;
    uint64_t h = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

static struct lw_map_slot *find_slot(const lw_map *map, const char *key, size_t key_size, uint64_t hash)
{
    for (size_t i = hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        struct lw_map_slot *s = &map->slots[i];
        if (!s->value || (s->hash == hash && s->key_size == key_size && !memcmp(s->key, key, key_size))) return s;
    }
}

void *lw_map_get(const lw_map *map, const char *key, size_t key_size)
{
    return map->capacity ? find_slot(map, key, key_size, lw_hash(key, key_size, 0))->value : NULL;
}

static void map_grow(lw_map *map)
{
    lw_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
    bigger.slots = lw_alloc(bigger.capacity * sizeof *bigger.slots);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].value)
            *find_slot(&bigger, map->slots[i].key, map->slots[i].key_size, map->slots[i].hash) = map->slots[i];
    free(map->slots);
    *map = bigger;
}

void *lw_map_put(lw_map *map, const char *key, size_t key_size, void *value)
{
    if ((map->count + 1) * 4 > map->capacity * 3) map_grow(map);
    uint64_t hash = lw_hash(key, key_size, 0);
    struct lw_map_slot *s = find_slot(map, key, key_size, hash);
    void *previous = s->value;
    if (!previous) map->count++;
    *s = (struct lw_map_slot){key, key_size, hash, value};
    return previous;
}

void lw_map_free(lw_map *map)
{
    if (!map) return;
    free(map->slots);
    *map = (lw_map){0};
}

/* ---- files, time ---- */
static lw_status read_stream(FILE *f, char **out_data, size_t *out_size)
{
    LW_VEC(char) v = {0};
    for (;;) {
        lw_vec_reserve(&v, v.count + 65536);
        size_t n = fread(v.items + v.count, 1, v.capacity - v.count - 1, f);
        v.count += n;
        if (!n) break;
    }
    v.items[v.count] = 0;
    *out_data = v.items;
    *out_size = v.count;
    return ferror(f) ? LW_IO : LW_OK;
}

lw_status lw_file_read(const char *path, char **out_data, size_t *out_size, lw_error *error)
{
    *out_data = NULL;
    *out_size = 0;
    FILE *f = fopen(path, "rb");
    if (!f) return lw_fail(error, errno == ENOENT ? LW_NOT_FOUND : LW_IO, "%s: %s", path, strerror(errno));
    lw_status status = read_stream(f, out_data, out_size);
    if (status != LW_OK) {
        lw_fail(error, status, "%s: %s", path, strerror(errno));
        free(*out_data);
        *out_data = NULL;
    }
    fclose(f);
    return status;
}

lw_status lw_file_write(const char *path, const void *data, size_t size, lw_error *error)
{
    FILE *f = fopen(path, "wb");
    if (!f) return lw_fail(error, LW_IO, "%s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, size, f) == size;
    ok = fclose(f) == 0 && ok;
    return ok ? LW_OK : lw_fail(error, LW_IO, "%s: %s", path, strerror(errno));
}

bool lw_file_exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

double lw_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
