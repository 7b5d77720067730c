/* init_block: which bits of the shared and local memory of resident blocks are undefined. Both begin undefined with each
 * block, and room is made for what is touched. */
#ifndef LW_CHECK_INIT_BLOCK_H
#define LW_CHECK_INIT_BLOCK_H

#include "event/event.h"

/* Of a byte with undefined bits. */
typedef enum init_mark {
    INIT_UNTOUCHED, /* never written */
    INIT_STORED,    /* undefined bits were stored there */
    INIT_COMPUTED   /* and they come from arithmetic */
} init_mark;

/* Local memory of a warp, as it lies in memory: byte o of lane l at o * 32 + l. What lies beyond is undefined. */
typedef struct init_local {
    uint8_t *bits;
    uint8_t *marks; /* init_mark */
    uint32_t bytes; /* of a thread */
} init_local;

typedef struct init_block {
    struct init_block *next; /* of its bucket, or of the idle ones */
    uint32_t linear, cluster, rank;
    uint8_t *shared, *shared_marks;
    uint32_t shared_bytes;
    init_local *warp;
    uint32_t warps;
} init_block;

enum { INIT_BUCKETS = 64 };
typedef struct init_blocks {
    const event_launch *launch;
    init_block *bucket[INIT_BUCKETS];
    init_block *current; /* looked up last */
    init_block *idle;    /* room of blocks that ended */
} init_blocks;

void init_blocks_free(init_blocks *all);
init_block *init_block_of(init_blocks *all, uint32_t block, uint32_t cluster);
init_block *init_block_rank(init_blocks *all, uint32_t cluster, uint32_t rank); /* NULL: it has exited */
void init_block_exit(init_blocks *all, uint32_t block);

/* Room for bytes up to end; NULL if that is more than there can be. */
uint8_t *init_shared_at(init_block *b, uint64_t address, uint64_t bytes);
init_local *init_local_at(init_block *b, uint32_t warp, uint64_t address, uint64_t bytes);
/* The bytes of the lanes of mask become undefined, or defined. */
void init_local_set(init_block *b, uint32_t warp, uint32_t mask, uint64_t address, uint64_t bytes, bool undefined);

#endif
