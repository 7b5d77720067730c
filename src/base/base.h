/* base: what every room may use: status and error text, spans, arenas, growable arrays, a string map, files, bits.
 * Knows nothing of GPUs. Nothing here prints or exits. */
#ifndef LW_BASE_H
#define LW_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum lw_status {
#define LW_STATUS(id, text) LW_##id,
#include "base/status.def"
#undef LW_STATUS
    LW_STATUS_COUNT
} lw_status;

/* The text of a status; never NULL. */
const char *lw_status_text(lw_status status);

/* What went wrong, in words a user can act on ("a.ptx:12:5: unknown instruction 'foo.b32'"). The first failure wins. */
typedef struct lw_error {
    lw_status status;
    char message[2048];
} lw_error;

/* Stores status and message in *error (NULL allowed; kept if it already holds a failure) and returns status. */
lw_status lw_fail(lw_error *error, lw_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define LW_TRY(expr)                                                                                                   \
    do {                                                                                                               \
        lw_status lw_try_status_ = (expr);                                                                             \
        if (lw_try_status_ != LW_OK) return lw_try_status_;                                                            \
    } while (0)

/* ---- spans: bytes somebody else owns ---- */
typedef struct lw_span {
    const uint8_t *data;
    size_t size;
} lw_span;

static inline lw_span lw_span_of(const void *data, size_t size) { return (lw_span){(const uint8_t *)data, size}; }

/* Sub-span [offset, offset+size); false (and *out empty) if it does not lie inside. */
static inline bool lw_span_slice(lw_span s, uint64_t offset, uint64_t size, lw_span *out)
{
    if (offset > s.size || size > s.size - offset) {
        *out = (lw_span){0};
        return false;
    }
    *out = (lw_span){s.data + offset, (size_t)size};
    return true;
}

/* Unaligned little-endian reads (hosts are little-endian; checked in base.c). */
uint16_t lw_read_u16(const void *p);
uint32_t lw_read_u32(const void *p);
uint64_t lw_read_u64(const void *p);

/* ---- arena: many allocations, one lifetime. Memory is zeroed and 16-byte aligned. ---- */
typedef struct lw_arena {
    struct lw_arena_block *head;
    size_t used, total;
} lw_arena; /* zero-initialise */

/* Never returns NULL for sizes below SIZE_MAX/2: out of memory ends the process through lw_out_of_memory(). */
void *lw_arena_alloc(lw_arena *arena, size_t size);
void *lw_arena_alloc_aligned(lw_arena *arena, size_t size, size_t alignment /* power of two */);
char *lw_arena_strndup(lw_arena *arena, const char *s, size_t n);
char *lw_arena_strdup(lw_arena *arena, const char *s);
char *lw_arena_printf(lw_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lw_arena_free(lw_arena *arena);
#define LW_NEW(arena, type) ((type *)lw_arena_alloc((arena), sizeof(type)))
#define LW_NEW_ARRAY(arena, type, n) ((type *)lw_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* malloc/calloc/realloc that never return NULL (a small allocation failing on a host is not recoverable here; large
 * guest-sized allocations must use plain malloc/mmap and report LW_NO_MEMORY). */
void *lw_alloc(size_t size); /* zeroed */
void *lw_realloc(void *p, size_t size);
char *lw_strdup(const char *s);
char *lw_printf(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'ed text; caller frees */

/* ---- growable arrays: LW_VEC(int) v = {0}; lw_vec_push(&v, 3); v.items[0]; lw_vec_free(&v); ---- */
#define LW_VEC(type)                                                                                                   \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }
void *lw_vec_grow_(void *items, size_t *capacity, size_t needed, size_t item_size);
#define lw_vec_reserve(v, n)                                                                                           \
    ((v)->capacity < (n) ? (void)((v)->items = lw_vec_grow_((v)->items, &(v)->capacity, (n), sizeof *(v)->items))      \
                         : (void)0)
#define lw_vec_push(v, item) (lw_vec_reserve((v), (v)->count + 1), (void)((v)->items[(v)->count++] = (item)))
#define lw_vec_free(v) (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

/* ---- growable text ---- */
typedef struct lw_text {
    char *data; /* NUL-terminated once anything was added; malloc'ed */
    size_t size, capacity;
} lw_text; /* zero-initialise */
void lw_text_add(lw_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lw_text_append(lw_text *text, const char *data, size_t size);
void lw_text_free(lw_text *text);

/* ---- string map: key bytes -> pointer. Keys are borrowed and must outlive the map. ---- */
typedef struct lw_map {
    struct lw_map_slot *slots;
    size_t count, capacity;
} lw_map;                                                              /* zero-initialise */
void *lw_map_get(const lw_map *map, const char *key, size_t key_size); /* NULL if absent */
/* Returns the previous value or NULL. value must not be NULL. */
void *lw_map_put(lw_map *map, const char *key, size_t key_size, void *value);
void lw_map_free(lw_map *map);
uint64_t lw_hash(const void *data, size_t size, uint64_t seed);

/* ---- files ---- */
/* Reads a whole file into malloc'ed memory with a NUL after the last byte (not counted). Caller frees *out_data. */
lw_status lw_file_read(const char *path, char **out_data, size_t *out_size, lw_error *error);
lw_status lw_file_write(const char *path, const void *data, size_t size, lw_error *error);
bool lw_file_exists(const char *path);

/* Wall-clock seconds of the monotonic clock. */
double lw_now(void);

/* ---- bits ---- */
/* Masks of lanes are full mostly, and without the processor's instruction counting costs a call. */
static inline uint32_t lw_popcount(uint32_t x)
{
#ifndef __POPCNT__
    if (x == UINT32_MAX) return 32;
#endif
    return (uint32_t)__builtin_popcount(x);
}
static inline uint64_t lw_round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }
static inline bool lw_is_power_of_2(uint64_t x) { return x && !(x & (x - 1)); }
#define LW_MIN(a, b) ((a) < (b) ? (a) : (b))
#define LW_MAX(a, b) ((a) > (b) ? (a) : (b))
#define LW_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LW_API __attribute__((visibility("default")))

/* Prints one line and aborts: only for a host out of memory and broken invariants of ours. */
_Noreturn void lw_out_of_memory(size_t size);
#ifdef LW_DEBUG
#define LW_ASSERT(x) ((x) ? (void)0 : lw_assert_failed(#x, __FILE__, __LINE__))
#else
#define LW_ASSERT(x) ((void)0)
#endif
_Noreturn void lw_assert_failed(const char *what, const char *file, int line);

#endif
