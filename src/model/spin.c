/* model: atomics of shared memory that the machine has no instruction for: adds of f32, f64 and 64-bit integers.
 *
 * They are loops: each lane loads its word (LDS), adds, and swaps if the word still is what it loaded
 * (ATOMS.CAST.SPIN); lanes whose swap failed go round again. A swap serves half a warp at a time for 8 bytes, the whole
 * warp for 4; of the lanes that name one bank the lowest is served, and succeeds unless the other half changed its word
 * in the same round. Two wavefronts a swap and half.
 * tests/hw/h100-spin-loops.csv: 192 recorded accesses of one warp, all equal in the five counters of the table.
 *
 * Limits: each add is taken to change its word (one of zero would not). Where another warp changes a word between a
 * load and its swap there are more rounds: not counted, such a site says so. */
#include "model/spin.h"

#include <stdlib.h>
#include <string.h>

#define LANES 32u
#define WORDS 65536u /* entries of the table of words: more than a block has */

/* Who added to a word last: block + 1 and warp. Blocks that run at the same time share the table. */
struct model_spin {
    uint64_t last[WORDS];
};

bool model_is_loop(const event_memory *e)
{
    bool atomic = e->op == EVENT_ATOMIC || e->op == EVENT_REDUCTION;
    if (!atomic || e->atomic == EVENT_ATOMIC_CAS || e->atomic == EVENT_ATOMIC_EXCH) return false;
    return e->bytes == 8 || (e->bytes == 4 && e->atomic == EVENT_ATOMIC_FADD);
}

bool model_spins(const event_memory *e) { return e->space == EVENT_SHARED && model_is_loop(e); }

/* The words of the lanes, for all shapes of an event. */
static void take_words(const event_memory *e, uint64_t *address)
{
    uint64_t first = e->address[__builtin_ctz(e->mask)];
    for (uint32_t i = 0; i < LANES; i++) address[i] = e->shape == EVENT_UNIFORM ? first : e->address[i];
}

static bool other_warp_was_there(model_spin *spin, const event_memory *e, const uint64_t *address)
{
    bool other = false;
    uint64_t block = (uint64_t)(e->block + 1) << 8;
    for (uint32_t left = e->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *last = &spin->last[(address[lane] / 4 + e->block * UINT64_C(40503)) % WORDS];
        if ((*last & ~UINT64_C(0xff)) == block && *last != (block | e->warp)) other = true;
        *last = block | e->warp;
    }
    return other;
}

/* One half's swap: served[bank] gets the address + 1 that was written. Returns the lanes that succeeded. */
static uint32_t swap_half(const event_memory *e, const uint64_t *address, uint32_t lanes, uint64_t *served)
{
    uint32_t banks = 128 / e->bytes, done = 0;
    uint64_t busy = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint32_t bank = (uint32_t)(address[lane] / e->bytes % banks);
        if (busy >> bank & 1) continue;
        busy |= UINT64_C(1) << bank;
        if (served[bank] == address[lane] + 1) continue;
        served[bank] = address[lane] + 1;
        done |= 1u << lane;
    }
    return done;
}

/* One round of swaps by the lanes that are left. Returns those that succeeded. */
static uint32_t swap_round(model_site *s, const event_memory *e, const uint64_t *address, uint32_t left)
{
    uint64_t served[LANES] = {0};
    uint32_t halves = e->bytes == 8 ? 2 : 1, lanes = lw_popcount(left), done = 0, wavefronts = 0;
    for (uint32_t h = 0; h < halves; h++) {
        uint32_t half = halves == 1 ? left : left & (h ? 0xffff0000u : 0xffffu);
        if (!half) continue;
        done |= swap_half(e, address, half, served);
        wavefronts += 2;
    }
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    s->value[COUNTER_WAVEFRONTS] += wavefronts;
    s->value[COUNTER_WAVEFRONTS_IDEAL] += LW_MIN(wavefronts, 2 * ((lanes * e->bytes + 127) / 128));
    return done;
}

void model_spin_count(model_site *s, const event_memory *e)
{
    uint64_t address[LANES];
    model_site *loads = s + s->loads;
    event_memory load = *e;
    take_words(e, address);
    if (other_warp_was_there(s->spin, e, address))
        s->why = loads->why =
            "warps add to one word of shared memory in loops of compare-and-swaps: how often depends on when";
    load.op = EVENT_LOAD;
    load.shape = EVENT_GENERAL;
    load.address = address;
    for (; load.mask; load.mask &= ~swap_round(s, e, address, load.mask)) loads->count(loads, &load);
}

model_spin *model_spin_create(void) { return lw_alloc(sizeof(model_spin)); }
