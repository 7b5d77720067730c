/* race_worker.c: resident blocks and clusters. */
#include "check/race_worker.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the device heap */
void race_heap_note(race_heap *h, const event_host *e)
{
    pthread_mutex_lock(&h->lock);
    if (e->kind == EVENT_HEAP_FREE) h->freed = true;
    else if (h->freed) lw_vec_push(&h->again, ((race_range){e->address, e->bytes}));
    pthread_mutex_unlock(&h->lock);
}

bool race_heap_again(race_heap *h, uint64_t address)
{
    bool found = false;
    pthread_mutex_lock(&h->lock);
    for (size_t k = 0; k < h->again.count && !found; k++) {
        const race_range *r = &h->again.items[k];
        found = address >= r->address && address - r->address < r->bytes;
    }
    pthread_mutex_unlock(&h->lock);
    return found;
}

/* ---------------------------------------------------------------- workers */
race_worker *race_worker_new(race_launch *launch)
{
    race_worker *k = lw_alloc(sizeof *k);
    k->launch = launch;
    k->global.pool = launch->pool;
    k->global.compact = true;
    k->global.more_most = SHADOW_MORE;
    return k;
}

static void block_free(race_block *b)
{
    race_block_end(b);
    for (uint32_t w = 0; w < b->warps; w++) free(b->warp[w].lanes);
    free(b->warp);
    shadow_free(b->memory);
    free(b->memory);
    free(b);
}

void race_worker_forget_values(race_worker *k)
{
    if (k->values) race_values_give(k->launch->values, k->values);
    k->values = NULL;
}

void race_worker_free(race_worker *k)
{
    for (size_t n = 0; n < k->all.count; n++) block_free(k->all.items[n]);
    lw_vec_free(&k->all);
    for (race_cluster *c = k->clusters, *next; c; c = next) {
        next = c->next;
        race_know_drop(c->arriving);
        race_know_drop(c->released);
        free(c);
    }
    race_worker_forget_values(k);
    race_flags_clear(&k->flags);
    shadow_free(&k->global);
    race_found_free(&k->found);
    lw_vec_free(&k->asyncs);
    free(k);
}

static race_block *block_new(race_worker *k)
{
    const event_launch *l = k->launch->launch;
    race_block *b = k->idle;
    if (b) {
        k->idle = b->next;
        return b;
    }
    b = lw_alloc(sizeof *b);
    b->warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
    b->warp = lw_alloc(b->warps * sizeof *b->warp);
    b->memory = lw_alloc(sizeof *b->memory);
    lw_vec_push(&k->all, b);
    return b;
}

static uint32_t rank_of(const event_launch *l, uint32_t block)
{
    uint32_t x = block % l->grid[0], y = block / l->grid[0] % l->grid[1], z = block / l->grid[0] / l->grid[1];
    const uint32_t *c = l->cluster;
    uint32_t cx = LW_MAX(c[0], 1u), cy = LW_MAX(c[1], 1u), cz = LW_MAX(c[2], 1u);
    return x % cx + cx * (y % cy + cy * (z % cz));
}

race_block *race_worker_block(race_worker *k, uint32_t block, uint32_t cluster)
{
    race_block *b = k->current;
    if (__builtin_expect(b && b->linear == block, 1)) return b;
    race_block **head = &k->bucket[block % RACE_BUCKETS];
    for (b = *head; b && b->linear != block; b = b->next) {}
    if (!b) {
        b = block_new(k);
        race_block_begin(b, k->launch->launch, block, cluster);
        b->rank = rank_of(k->launch->launch, block);
        b->next = *head;
        *head = b;
    }
    k->current = b;
    return b;
}

race_block *race_worker_rank(race_worker *k, uint32_t cluster, uint32_t rank)
{
    for (uint32_t n = 0; n < RACE_BUCKETS; n++)
        for (race_block *b = k->bucket[n]; b; b = b->next)
            if (b->cluster == cluster && b->rank == rank) return b;
    return NULL;
}

void race_worker_block_exit(race_worker *k, race_block *b)
{
    race_block **link = &k->bucket[b->linear % RACE_BUCKETS];
    while (*link != b) link = &(*link)->next;
    *link = b->next;
    size_t kept = 0;
    for (size_t n = 0; n < k->asyncs.count; n++)
        if (k->asyncs.items[n].block != b->linear) k->asyncs.items[kept++] = k->asyncs.items[n];
    k->asyncs.count = kept;
    race_block_end(b);
    b->next = k->idle;
    k->idle = b;
    if (k->current == b) k->current = NULL;
}

race_cluster *race_worker_cluster(race_worker *k, uint32_t index)
{
    for (race_cluster *c = k->clusters; c; c = c->next)
        if (c->index == index) return c;
    race_cluster *c = lw_alloc(sizeof *c);
    c->index = index;
    c->next = k->clusters;
    k->clusters = c;
    return c;
}

/* ---------------------------------------------------------------- lines */
void race_grow_shared(race_block *b, uint32_t line)
{
    uint32_t count = LW_MAX(b->shared_lines * 2, (uint32_t)lw_round_up(line + 1, 64));
    shadow_line *lines = shadow_alloc(b->memory, count * sizeof *lines);
    uint8_t *values = shadow_alloc(b->memory, (size_t)count * SHADOW_LINE);
    if (b->shared_lines) memcpy(lines, b->shared, b->shared_lines * sizeof *lines);
    if (b->shared_lines) memcpy(values, b->values, (size_t)b->shared_lines * SHADOW_LINE);
    b->shared = lines;
    b->values = values;
    b->shared_lines = count;
}

shadow_line *race_line(race_worker *k, race_block *b, event_space space, uint64_t address)
{
    switch (space) {
    case EVENT_GLOBAL: return shadow_line_at(&k->global, address);
    case EVENT_SHARED: return race_shared_line(b, address);
    case EVENT_DSHARED: {
        race_block *owner = race_worker_rank(k, b->cluster, (uint32_t)(address >> 24));
        return owner ? race_shared_line(owner, address & 0xffffff) : NULL;
    }
    default: return NULL;
    }
}
