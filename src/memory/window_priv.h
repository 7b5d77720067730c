/* window: the table of allocations as the files of the room share it (memory.c). */
#ifndef LW_MEMORY_WINDOW_PRIV_H
#define LW_MEMORY_WINDOW_PRIV_H

#include <pthread.h>

#include "memory/memory.h"

#define MEM_GRAIN 512u
#define MEM_BIG_GRAIN (UINT64_C(2) << 20) /* alignment from MEM_BIG bytes up */
#define MEM_POOL_GRAIN 256u               /* of variables; 512 of allocations */
#define MEM_POOL_GRANULES 65536u          /* 16 MiB of each kind are followed */
#define MEM_POOL_MOST 4096u /* so many are placed as on a card: each is a mapping of its own to the host's kernel */
#define MEM_PAGE 4096u
#define MEM_FREED_KEPT 1024
/* From here on lies what is not the program's: no access past the end of a block of its own gets there. All but 20 GiB are the
 * program's, for the memory of two large devices. */
#define MEM_OURS (MEM_WINDOW + MEM_WINDOW_BYTES / 16 * 15)

/* No gap below address can hold a span of bytes at this alignment: where the next such search may start. */
typedef struct mem_hint {
    uint64_t bytes, alignment, address;
} mem_hint;

/* An entry of the table. */
typedef struct mem_block {
    mem_allocation allocation; /* first: the table points to it */
    struct mem_block *next;    /* in quarantine: the one that was freed after it */
    bool kept;                 /* in quarantine: it holds what it held */
    bool red_used;             /* atomic: the red zone's storage may hold something */
} mem_block;

/* One of the windows that allocations come from. */
typedef struct mem_region {
    uint64_t first, end; /* the first span; what lies below it is never given out */
    mem_hint hints[64];  /* by log2 of the span */
} mem_region;

/* A bit for each granule of the chunks that a card takes small allocations from. */
typedef struct mem_pool {
    uint64_t taken[MEM_POOL_GRANULES / 64];
} mem_pool;

typedef struct mem_quarantine {
    mem_block *first, *last; /* in the order in which they were freed */
    uint64_t blocks, bytes;  /* bytes: of their spans */
    uint64_t kept;           /* bytes of those that are kept */
} mem_quarantine;

typedef struct mem_range {
    uint64_t address, bytes;
} mem_range;

struct mem_window {
    pthread_rwlock_t lock;
    LW_VEC(mem_allocation *) table; /* by address: live ones, and those in quarantine */
    LW_VEC(mem_range) reserved;     /* by address */
    int file;                       /* holds the pages that other processes may map; 0: nothing is shared */
    mem_quarantine quarantine;
    mem_allocation freed[MEM_FREED_KEPT];
    size_t freed_count, freed_next; /* a ring */
    mem_region device, ours, shared;
    mem_pool pools[MEM_KIND_COUNT];
    uint64_t limit, used[MEM_DEVICES_MOST], serial; /* limit: of each device */
    uint64_t made[MEM_KIND_COUNT][2],
        ended[MEM_KIND_COUNT][2];    /* without a name, of each kind, by stream or not, so far */
    uint64_t pooled[MEM_KIND_COUNT]; /* live ones that lie in a card's pools */
    uint64_t epoch;                  /* atomic */
    uint64_t shared_live;            /* atomic: of managed and pinned memory */
    mem_namer namer;                 /* of places; NULL: nobody knows any */
    void *namer_user;
};

/* With the lock held. */
size_t mem_count_up_to(const mem_window *window, uint64_t address); /* entries that start at or below address */
void mem_insert(mem_window *window, const mem_allocation *a);
void mem_remove_entry(mem_window *window, size_t at); /* what was freed is remembered for messages */
void mem_end_entry(mem_window *window, mem_allocation *a);
void mem_forget_freed(mem_window *window, uint64_t address, uint64_t bytes); /* the range is given out again */

/* bytes: a multiple of MEM_POOL_GRAIN. The offset in the chunks and 1; 0: there is no room. */
uint64_t mem_pool_take(mem_pool *p, uint64_t bytes);
void mem_pool_give(mem_pool *p, uint64_t place, uint64_t bytes); /* as taken, and what it returned */

void mem_let_go(uint64_t address, uint64_t bytes); /* of a reservation: its addresses and their storage */

#endif
