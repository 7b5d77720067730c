#include "time/places.h"

#include "time/session.h"
#include "time/trace.h"

/* How far a round is turned against the first one. Of the first wave every multiprocessor gets each so manieth block, nearly: of two blocks
 * half are 132 apart, the others 124 (tests/hw/h100-places.csv). Each of the later blocks takes the next place that becomes free, wherever
 * that is: what one multiprocessor gets has nothing in common (tests/hw/h200-shared-lines.csv). */
static uint32_t turned_by(const cache_launch *l, uint64_t round)
{
    return round < l->shape.blocks_per_sm ? 0 : (uint32_t)(cache_mix(round) % l->session->sm_count);
}

uint32_t cache_usual_sm(const cache_launch *l)
{
    uint32_t sms = l->session->sm_count;
    bool few_have_more =
        l->shape.blocks > sms && l->shape.blocks < 2 * (uint64_t)sms && l->shape.blocks % sms < sms / 2;
    return few_have_more && l->shape.blocks_per_sm > 1 ? sms - 1 : 0;
}

cache_place cache_place_in(const cache_launch *l, uint32_t block)
{
    uint32_t sms = l->session->sm_count;
    uint64_t round = block / sms;
    return (cache_place){(block % sms + turned_by(l, round)) % sms, round};
}

uint64_t cache_block_at(const cache_launch *l, cache_place p)
{
    uint32_t sms = l->session->sm_count;
    return p.round * sms + (p.sm + sms - turned_by(l, p.round)) % sms;
}
