#include "time/stores.h"

#include "time/session.h"

#include <math.h>

#define MERGE_WINDOW 1u /* memory instructions between stores to a sector that leave L1 as one */

/* ---------------------------------------------------------------- what finds its line */
/* How much is left of the first wave's step in those that this one stands for: of the k-th wave one k-th. */
static double in_step(const cache_store *s)
{
    double begin = s->wave * s->stands, middle = 0.5;
    return log((begin + s->stands + middle) / (begin + middle)) / s->stands;
}

static double resident_warps(const cache_launch *l)
{
    uint64_t sms = l->session->sm_count, blocks = (l->shape.blocks + sms - 1) / sms;
    return (double)LW_MIN(blocks, (uint64_t)l->shape.blocks_per_sm) * l->shape.warps_per_block;
}

/* How likely it is that the next store of a multiprocessor is to the same lines. Blocks that have waited for what they load go on in any
 * order, in the first waves a few warps of each together; those that begin with stores are more in order. What warps fetch from shared
 * memory behind a barrier they store one right behind the other. Measured of transposes of 512 to 4096
 * (tests/hw/time/h200-transposes.csv): with loads half of the stores of 2 blocks at once, a fifth of 4, an eighth of 8 in 62 waves, and 77, 65 and
 * 40 % in the first; behind a barrier a third of 4 warps, a fifth of 8, 6 % of 16 and 1 % of 32 are not the next, in whatever wave. */
static double chance_of_next(const cache_store *s)
{
    const device_profile *d = &s->launch->session->device;
    const double tenth = 0.1, percent = 0.01;
    double mates = *s->mates / (double)LW_MAX(d->l1_store_race_warps, (uint64_t)1);
    if (s->entry->abreast) return 1 - exp(-(double)d->l1_store_race_abreast_percent * percent * pow(mates, 2.0 / 3));
    double tries = 1 + (double)d->l1_store_race_step_tenths * tenth * in_step(s);
    if (!s->entry->time) tries += (double)d->l1_store_race_begin_tenths * tenth;
    double share = *s->mates / resident_warps(s->launch), often = 1 - pow(1 - fmin(share, 1), tries);
    if (share >= 1 || !s->entry->time) return often;
    /* of what lies unevenly one line of another is enough to be found again */
    return fmin(often, (double)d->l1_store_race_most_percent * percent * (1 + s->gone.next) / 2);
}

/* How often a store of less lines comes too soon: before the line that the first has brought is there. The more stores have come to the line
 * by then and the more lines each has, the more; blocks of later waves are less in step. Measured of transposes and of stores of bytes
 * (tests/hw/h100-l1.csv): of bytes, and of words that all warps of a block store to, a twentieth of blocks of two warps and a fifth of those of
 * eight and more. Of 16 lines behind a barrier an eighth in all waves. */
static double chance_of_few(const cache_store *s, uint32_t others)
{
    const cache_entry *e = s->entry;
    const device_profile *d = &s->launch->session->device;
    const double step = e->abreast && cache_is_spread(e) ? 0 : in_step(s), first = (double)d->l1_store_race_first;
    double limit = (double)LW_MAX(d->l1_store_race_warps, (uint64_t)1), before = others / limit;
    double seldom = (double)d->l1_store_race_percent / 100 * fmin(s->launch->shape.warps_per_block / limit, 1);
    double lines = cache_is_spread(e) ? 0.25 : 0; /* they are soon done */
    double more = (double)d->l1_store_race_more_percent / 100 * lines * before * before * before;
    return 1 - exp(-seldom * (1 + step) - more * (1 + first * step));
}

/* Stores of several warps to sectors that none of them has found there: some find no line yet, though the first has brought it. Of many lines
 * only those that are gone when the next warp comes, or the next but one, as they lie in L1 (banks.h): of multiples of 2 KiB all of 32 with
 * the next and all of 16 with the next but one, of transposes of 480 to 4064 that are no multiple of 512 a tenth to a half. */
static bool comes_too_soon(const cache_store *s, uint32_t others)
{
    const cache_entry *e = s->entry;
    const double which = cache_uniform(cache_line_of(e) * 11 + s->now + e->words);
    const double chance = cache_uniform(cache_line_of(e) * 7 + s->now + e->words);
    if (cache_is_spread(e) && which < s->gone.next) return chance < chance_of_next(s);
    if (cache_is_spread(e) && which >= s->gone.next + s->gone.next_but_one) return false;
    return chance < chance_of_few(s, others);
}

/* How many others have come at the same time, if none of the sectors was stored to before them, else 0. That they were loaded does not
 * matter: of an array that is changed in place, whose warps share lines, a quarter of the second stores to a line come too soon. */
static uint32_t note_store(cache_stores *s, const cache_line *line, const cache_store *store)
{
    uint32_t sectors = store->sectors, time = store->time, k = time % CACHE_STORE_TIMES;
    if (s->line != line->tag) *s = (cache_stores){.line = line->tag};
    if (s->at[k] != time + 1) {
        s->at[k] = time + 1;
        s->count[k] = 0;
        s->before[k] = (uint8_t)cache_sectors_with(line->words);
    }
    uint32_t others = sectors & ~(uint32_t)s->before[k] ? s->count[k] : 0;
    s->count[k] = (uint8_t)LW_MIN(s->count[k] + 1u, (unsigned)UINT8_MAX);
    uint32_t mates = LW_MIN((uint32_t)s->count[k], store->launch->shape.warps_per_block); /* of its block */
    *store->mates = (uint8_t)LW_MAX((uint32_t)*store->mates, mates);
    return others;
}

bool cache_store_races(cache_stores *s, const cache_line *line, const cache_store *store)
{
    uint32_t others = note_store(s, line, store);
    return others && comes_too_soon(store, others);
}

/* Loops that are unrolled and may not go over their loads before their stores (y[i] = x[i] + y[i], where x may point into y) load from a line
 * right behind a store to it, and store there again when what they have loaded is there, some 40 cycles later: the line is on its way then,
 * and is not found. The load behind that fetches it, the next store finds it, and so on: every other one. Not where a load in between has been to
 * L2, nor from one turn of a loop to the next (tests/hw/h200-inplace.csv). */
bool cache_store_again(cache_rewrite *r, const cache_entry *e, uint32_t time)
{
    const uint32_t insns = 16, loads = 3; /* between two stores of an unrolled loop: PTX, and of these loads */
    uint32_t since = time + 1 - r->stored;
    bool unrolled = r->stored && e->insn > r->insn && (uint32_t)e->insn - r->insn <= insns;
    bool waited = since > 1 && since <= 1 + loads && r->filled <= r->stored && !e->row;
    bool gone = unrolled && waited && r->loaded;
    r->loaded = false;
    r->stored = gone ? 0 : time + 1;
    r->insn = (uint32_t)e->insn;
    return gone;
}

/* ---------------------------------------------------------------- what leaves together */
/* Whether what another warp has just stored by the same instruction is still in L1: stores of several lines take some time there.
 * Measured of transposes with 16 x 16 threads, of which 4 warps write to each sector: in the first wave of blocks a third leaves with
 * others, in many waves a twelfth; with 32 lines a store nothing. Of such warps that have waited for the same lines, which the first of
 * them asked for, half to three quarters (tests/hw/time: tpr_matrix-add, raj_dtw). Of stores to few lines whose sectors begin or end
 * within a warp 20 to 45 %, of all warps to the same word a third. Of warps that leave a barrier together, with 16 lines four fifths, in
 * all waves; of up to 8 lines of blocks of two warps all, and if they have loaded nothing (tests/hw/time/h200-transposes.csv). */
static bool joins_others(const cache_store *s)
{
    const cache_entry *e = s->entry;
    const device_profile *d = &s->launch->session->device;
    double spread = (double)(s->wave ? d->l1_store_join_later_percent : d->l1_store_join_percent);
    spread = fmax(spread, (double)d->l1_store_join_together_percent * cache_watch_together(s->watch));
    if (e->abreast) spread = (double)d->l1_store_join_abreast_percent;
    bool two = s->launch->shape.warps_per_block == 2;
    if (two && !cache_is_spread(e) && (e->unloaded || e->abreast)) return true;
    double percent = cache_is_spread(e) ? spread : (double)d->l1_store_join_few_percent;
    return !cache_is_wide(e) && cache_uniform(cache_line_of(e) * 3 + s->now + e->words) < percent / 100;
}

/* Lines of an access of this instruction. */
static double lines_of(const cache_entry *e, const cache_launch *l)
{
    const cache_site *site = &l->sites[e->insn]; /* its last access is not in `lines` yet */
    if (site->loads > 1) return LW_MAX(site->lines / (site->loads - 1), 1.0);
    return 32.0 / __builtin_popcount(e->words);
}

/* How many others of a multiprocessor are where this warp is: the fewer the more all do beside storing. */
static double share_abreast(const cache_store *s)
{
    const cache_launch *l = s->launch;
    if (!l->instructions || l->stored_lines <= 0) return 1;
    double half = (double)LW_MAX(l->session->device.l1_store_apart_insns, (uint64_t)1);
    double work = (double)l->instructions / l->stored_lines / half;
    return 1 / (1 + work * work);
}

/* Warps that store at the same time as this one, itself included. Where all are in step it is one of each scheduler, or the more of a large
 * block, whose warps begin together or leave a barrier, if they have loaded nothing since then. Those of a block that has just left a
 * barrier are in step whatever they did before. */
static double warps_abreast(const cache_store *s)
{
    const cache_launch *l = s->launch;
    const bool together = s->entry->released || s->entry->unloaded;
    double block = l->shape.warps_per_block, warps = resident_warps(l);
    double most = (double)l->session->device.time_schedulers * (together ? pow(block, 0.2) : 1);
    double own = s->entry->released ? fmin(block, most) : 1;
    return own + share_abreast(s) * (fmin(warps, most) - own);
}

/* How often stores of other warps of the block come between two of a warp, though all have few lines: of the members of small structures and of the
 * bytes of pixels a sixth leaves alone with 8 warps in step, half with 32 (tests/hw/h200-rows.csv, h100-pixels.csv). */
static double pushed_out(const cache_store *s)
{
    double half = (double)LW_MAX(s->launch->session->device.l1_store_open_warps, (uint64_t)1);
    double others = fmin(s->launch->shape.warps_per_block, resident_warps(s->launch)) - 1;
    return (s->entry->released ? 1 : share_abreast(s)) * others / (others + half);
}

/* How often L1 keeps what a warp has stored until its next store: it gathers words of so many lines, and more lines than that push each
 * other out. Behind a barrier the stores come one after the other. */
static double stays_open(const cache_store *s)
{
    double limit = (double)LW_MAX(s->launch->session->device.l1_store_open_lines, (uint64_t)1);
    double lines = lines_of(s->entry, s->launch) * warps_abreast(s);
    return (1 - pushed_out(s)) / (1 + pow(lines / limit, s->entry->released ? 6 : 15));
}

/* How often bytes are still converted when those before them have left: seldom those of a word, and never those of a warp alone. Measured behind
 * a loop (tests/hw/h100-pixels.csv), with 2 and 8 instructions between: of pixels of three bytes a third to half, of four 3 to 10 % of as many
 * blocks as fit; with none and with 32, which are brought before the stores, hardly any. */
static double converts(const cache_store *s, uint32_t stored)
{
    const double seldom = 0.4;
    if (!s->entry->narrow || resident_warps(s->launch) <= 1) return 0;
    double often = (double)s->launch->session->device.l1_store_convert_percent / 100;
    return s->entry->words == stored ? seldom * often : often;
}

/* Whether what the warp has stored by an instruction before is still in L1. Measured of structures of 2 to 24 words that are written member
 * by member (tests/hw/h200-rows.csv): all of a warp alone is, up to 24 lines a store, and hardly anything once the stores under way have
 * more lines than some 29; they have if four warps with 8 lines each store at the same time, which they do less the longer they compute before
 * that. Instructions between matter little, as the assembler brings the stores together where it can. */
static bool is_soon(const cache_store *s, uint32_t before, uint32_t stored)
{
    const cache_entry *e = s->entry;
    const device_profile *d = &s->launch->session->device;
    const double half = (double)LW_MAX(d->l1_store_row_insns, (uint64_t)1);
    double far = e->row ? 1 : (double)((uint32_t)e->insn - before) / half; /* backwards: very far */
    double stays = stays_open(s) * (1 - converts(s, stored)) / (1 + far * far * far);
    return cache_uniform(cache_line_of(e) * 13 + s->now + e->words) < stays;
}

/* Whether another warp, which goes first within a turn, has stored there at a later time: what it has stored in this turn may be still
 * there at the time of this store. */
static bool is_behind(const cache_age *age, uint32_t which, uint32_t time)
{
    uint32_t last = age->stored_time[which] + age->ahead[which];
    return last - time - 1 < CACHE_TURN - 1;
}

static void note_turn(cache_age *age, uint32_t which, const cache_store *s)
{
    uint32_t last = age->stored_time[which] + age->ahead[which];
    bool behind = is_behind(age, which, s->time), goes_on = s->time - last < CACHE_TURN;
    age->turned[which] = (uint8_t)(s->sectors | (behind || goes_on ? age->turned[which] : 0));
    age->ahead[which] = (uint8_t)(behind ? last - s->time : 0);
}

/* Whether what blocks store to the same lines by the same instruction is still in L1. Nothing pushes it out where they store to no more lines than
 * wait to leave: of blocks that all store to one line or four 7 to 14 % of the stores leave, of those that all go through the rows of an
 * image every one (tests/hw/time/h100-twentieth.csv, smk_12-AtomicFunctions-main, ezre_branch, comi_src-main-2). */
static bool joins_blocks(cache_age *age, uint32_t which, const cache_store *s)
{
    const device_profile *d = &s->launch->session->device;
    const double percent = (double)d->l1_store_join_blocks_percent;
    bool soon = s->time - age->stored_time[which] < CACHE_TURN && s->entry->insn == age->stored_insn[which];
    age->shared[which] = soon && (age->shared[which] || s->block != age->storer[which]);
    age->storer[which] = s->block;
    return age->shared[which] && s->lines <= d->l1_store_rows &&
           cache_uniform(cache_line_of(s->entry) * 17 + s->now + s->block) < percent / 100;
}

/* What the instruction before has written of them is still in L1, and leaves together with these (structures written member by member),
 * but not if it has written the same words (tests/hw/h100-l1.csv), other bytes of which do, as measured of pixels in global memory (of 8
 * lines hardly: digests); not in local memory, where each word is of one lane. The same instruction again: another warp's. */
uint32_t cache_store_leaves(cache_age *age, uint32_t which, const cache_store *s)
{
    const cache_entry *e = s->entry;
    uint32_t since = s->time - age->stored_time[which];
    bool same = e->insn == age->stored_insn[which], at_once = same && !since;
    bool bytes = e->narrow && e->line < CACHE_LOCAL_LINE;
    bool again = e->words & age->stored[which] && !bytes;
    bool follows = since <= (e->row ? 1 + CACHE_ROW_LOADS : MERGE_WINDOW) && !same && !again &&
                   !cache_is_wide(e) && /* scattered stores take so long that the ones before have left */
                   is_soon(s, age->stored_insn[which], age->stored[which]);
    bool others = (at_once || is_behind(age, which, s->time)) && joins_others(s);
    bool blocks = joins_blocks(age, which, s);
    uint32_t fresh = s->sectors;
    if (follows) fresh &= ~cache_sectors_with(age->stored[which]);
    else if (others || blocks) fresh &= ~(uint32_t)age->turned[which];
    note_turn(age, which, s);
    if (!follows && !at_once) age->stored[which] = 0;
    age->stored[which] |= e->words;
    age->stored_time[which] = s->time;
    age->stored_insn[which] = (uint32_t)e->insn;
    return fresh;
}
