/* init_block.c */
#include "check/init_block.h"

#include <stdlib.h>
#include <string.h>

enum { SHARED_MOST = 1 << 20, LOCAL_MOST = 1 << 24 };

static void block_free(init_block *b)
{
    for (uint32_t w = 0; w < b->warps; w++) {
        free(b->warp[w].bits);
        free(b->warp[w].marks);
    }
    free(b->warp);
    free(b->shared);
    free(b->shared_marks);
    free(b);
}

static void list_free(init_block *b)
{
    for (init_block *next; b; b = next) {
        next = b->next;
        block_free(b);
    }
}

void init_blocks_free(init_blocks *all)
{
    for (uint32_t n = 0; n < INIT_BUCKETS; n++) list_free(all->bucket[n]);
    list_free(all->idle);
}

static uint32_t rank_of(const event_launch *l, uint32_t block)
{
    uint32_t x = block % l->grid[0], y = block / l->grid[0] % l->grid[1], z = block / l->grid[0] / l->grid[1];
    uint32_t cx = LW_MAX(l->cluster[0], 1u), cy = LW_MAX(l->cluster[1], 1u), cz = LW_MAX(l->cluster[2], 1u);
    return x % cx + cx * (y % cy + cy * (z % cz));
}

/* A block that begins: all that there is room for is undefined. */
static init_block *block_new(init_blocks *all)
{
    init_block *b = all->idle;
    const uint32_t *dim = all->launch->block;
    if (!b) {
        b = lw_alloc(sizeof *b);
        b->warps = (uint32_t)(((uint64_t)dim[0] * dim[1] * dim[2] + 31) / 32);
        b->warp = lw_alloc(b->warps * sizeof *b->warp);
        return b;
    }
    all->idle = b->next;
    if (b->shared_bytes) {
        memset(b->shared, 0xff, b->shared_bytes);
        memset(b->shared_marks, 0, b->shared_bytes);
    }
    for (uint32_t w = 0; w < b->warps; w++) {
        init_local *l = &b->warp[w];
        if (!l->bytes) continue;
        memset(l->bits, 0xff, (size_t)32 * l->bytes);
        memset(l->marks, 0, (size_t)32 * l->bytes);
    }
    return b;
}

init_block *init_block_of(init_blocks *all, uint32_t block, uint32_t cluster)
{
    init_block *b = all->current;
    if (__builtin_expect(b && b->linear == block, 1)) return b;
    init_block **head = &all->bucket[block % INIT_BUCKETS];
    for (b = *head; b && b->linear != block; b = b->next) {}
    if (!b) {
        b = block_new(all);
        b->linear = block;
        b->cluster = cluster;
        b->rank = rank_of(all->launch, block);
        b->next = *head;
        *head = b;
    }
    all->current = b;
    return b;
}

init_block *init_block_rank(init_blocks *all, uint32_t cluster, uint32_t rank)
{
    for (uint32_t n = 0; n < INIT_BUCKETS; n++)
        for (init_block *b = all->bucket[n]; b; b = b->next)
            if (b->cluster == cluster && b->rank == rank) return b;
    return NULL;
}

void init_block_exit(init_blocks *all, uint32_t block)
{
    init_block **link = &all->bucket[block % INIT_BUCKETS];
    while (*link && (*link)->linear != block) link = &(*link)->next;
    init_block *b = *link;
    if (!b) return;
    *link = b->next;
    b->next = all->idle;
    all->idle = b;
    all->current = NULL;
}

/* ---------------------------------------------------------------- room */
static uint8_t *grown(uint8_t *bits, uint64_t old, uint64_t bytes, uint8_t fill)
{
    bits = lw_realloc(bits, bytes);
    memset(bits + old, fill, bytes - old);
    return bits;
}

static uint32_t room_for(uint64_t end, uint32_t least)
{
    return (uint32_t)lw_round_up(LW_MAX(end + end / 2, least), 64);
}

uint8_t *init_shared_at(init_block *b, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    if (end < address || end > SHARED_MOST) return NULL;
    if (end > b->shared_bytes) {
        uint32_t room = room_for(end, 1024);
        b->shared = grown(b->shared, b->shared_bytes, room, 0xff);
        b->shared_marks = grown(b->shared_marks, b->shared_bytes, room, 0);
        b->shared_bytes = room;
    }
    return b->shared + address;
}

init_local *init_local_at(init_block *b, uint32_t warp, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    init_local *l = &b->warp[warp];
    if (end < address || end > LOCAL_MOST) return NULL;
    if (end > l->bytes) {
        uint32_t room = room_for(end, 256);
        l->bits = grown(l->bits, (uint64_t)32 * l->bytes, (uint64_t)32 * room, 0xff);
        l->marks = grown(l->marks, (uint64_t)32 * l->bytes, (uint64_t)32 * room, 0);
        l->bytes = room;
    }
    return l;
}

void init_local_set(init_block *b, uint32_t warp, uint32_t mask, uint64_t address, uint64_t bytes, bool undefined)
{
    if (undefined && address < b->warp[warp].bytes) bytes = LW_MIN(bytes, b->warp[warp].bytes - address);
    else if (undefined) return; /* it is already */
    init_local *l = init_local_at(b, warp, address, bytes);
    if (!l) return;
    for (uint64_t k = address; k < address + bytes; k++)
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t at = 32 * k + (uint32_t)__builtin_ctz(m);
            l->bits[at] = undefined ? 0xff : 0;
            l->marks[at] = 0;
        }
}
