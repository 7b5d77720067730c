#include "time/places.h"

#include "time/session.h"
#include "time/trace.h"

/* How far a round of later blocks is turned against the first. Each takes the next place that becomes free, wherever that is: what one
 * multiprocessor gets has nothing in common (tests/hw/h200-shared-lines.csv). */
static uint32_t turned_by(const cache_launch *l, uint64_t round)
{
    return (uint32_t)(cache_mix(round) % l->session->sm_count);
}

/* Rounds of the first wave in which each multiprocessor gets a block. */
static uint64_t full_rounds(const cache_launch *l)
{
    return LW_MIN((uint64_t)l->shape.blocks_per_sm, l->shape.blocks / l->session->sm_count);
}

/* Blocks of the round behind them, if that is of the first wave. */
static uint32_t rest_of_first(const cache_launch *l)
{
    return full_rounds(l) < l->shape.blocks_per_sm ? (uint32_t)(l->shape.blocks % l->session->sm_count) : 0;
}

/* The multiprocessors of the smallest cluster, which are first and get the blocks of their rounds sooner than the others. */
static uint32_t few_sms(const cache_launch *l)
{
    uint64_t few = l->session->device.place_few_sms;
    return few < l->session->sm_count ? (uint32_t)few : 0;
}

/* Blocks of the others before those of a full round of the few. */
static uint64_t others_before(const cache_launch *l, uint64_t round)
{
    const device_profile *d = &l->session->device;
    return round ? d->place_few_second + (round - 1) * d->place_few_each : 0;
}

/* Full rounds of the few before this block of the others. */
static uint64_t few_rounds_before(const cache_launch *l, uint64_t other)
{
    const device_profile *d = &l->session->device;
    uint64_t each = LW_MAX(d->place_few_each, (uint64_t)1);
    uint64_t rounds = other < d->place_few_second ? 1 : 2 + (other - d->place_few_second) / each;
    return LW_MIN(rounds, full_rounds(l));
}

static cache_place place_in_full(const cache_launch *l, uint32_t block)
{
    const device_profile *d = &l->session->device;
    uint32_t few = few_sms(l), others = l->session->sm_count - few;
    uint64_t second = d->place_few_second + few, each = LW_MAX(d->place_few_each + few, (uint64_t)1);
    uint64_t round = block < second ? 0 : 1 + (block - second) / each; /* the last that the few have begun */
    uint64_t into = block < second ? block : (block - second) % each;
    if (into < few && round < full_rounds(l)) return (cache_place){(uint32_t)into, round};
    uint64_t other = block - LW_MIN(round + 1, full_rounds(l)) * few;
    return (cache_place){few + (uint32_t)(other % others), other / others};
}

static uint64_t block_in_full(const cache_launch *l, cache_place p)
{
    uint32_t few = few_sms(l), others = l->session->sm_count - few;
    if (p.sm < few) return others_before(l, p.round) + p.round * few + p.sm;
    uint64_t other = p.round * others + p.sm - few;
    return other + few_rounds_before(l, other) * few;
}

/* Where a block of the rest runs: the few get theirs first, the others are spread over all. */
static uint32_t sm_in_rest(const cache_launch *l, uint32_t number)
{
    uint32_t few = few_sms(l), rest = rest_of_first(l);
    if (!few || number < few) return number;
    return few + (number - few) * (l->session->sm_count - few) / (rest - few);
}

static uint64_t block_in_rest(const cache_launch *l, uint32_t sm)
{
    uint32_t few = few_sms(l), rest = rest_of_first(l), others = l->session->sm_count - few, number = sm;
    if (few && sm >= few && rest > few) number = few + ((sm - few) * (rest - few) + others - 1) / others;
    bool runs = number < rest && sm_in_rest(l, number) == sm;
    return runs ? full_rounds(l) * l->session->sm_count + number : l->shape.blocks;
}

uint32_t cache_usual_sm(const cache_launch *l)
{
    uint32_t sms = l->session->sm_count, rest = rest_of_first(l);
    if (l->shape.blocks > sms && rest && rest < sms / 2) return sms - 1;
    return l->shape.blocks > few_sms(l) ? few_sms(l) : 0;
}

cache_place cache_place_in(const cache_launch *l, uint32_t block)
{
    uint32_t sms = l->session->sm_count;
    uint64_t round = block / sms;
    if (round < full_rounds(l)) return place_in_full(l, block);
    if (round < l->shape.blocks_per_sm) return (cache_place){sm_in_rest(l, block % sms), round};
    return (cache_place){(block % sms + turned_by(l, round)) % sms, round};
}

uint64_t cache_block_at(const cache_launch *l, cache_place p)
{
    uint32_t sms = l->session->sm_count;
    if (p.round < full_rounds(l)) return block_in_full(l, p);
    if (p.round < l->shape.blocks_per_sm) return block_in_rest(l, p.sm);
    return p.round * sms + (p.sm + sms - turned_by(l, p.round)) % sms;
}
