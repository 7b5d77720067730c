#include "host/mnemonic_priv.h"
#include "host/time_block_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static bool is_shared(const char *mnemonic) { return strstr(mnemonic, ".shared") != NULL; }

uint32_t host_together_most(const device_profile *d, uint32_t registers)
{
    return (uint32_t)LW_MAX(d->time_loads_least, registers * d->time_loads_percent / 100);
}

/* Fetches of textures and surfaces, which the caches do not model: taken to come from L2. */
static bool is_texture(const char *mnemonic)
{
    return begins(mnemonic, "tex.") || begins(mnemonic, "tld4.") || begins(mnemonic, "suld.");
}

bool host_waits_for_global(const code_site *site)
{
    const char *mnemonic = site->insn->mnemonic;
    bool load = begins(mnemonic, "ld.") && !begins(mnemonic, "ld.param") && !begins(mnemonic, "ld.const");
    load |= is_texture(mnemonic) || begins(mnemonic, "wmma.load") || begins(mnemonic, "ldu.");
    return ((load || (begins(mnemonic, "atom.") && !site->unread)) && !is_shared(mnemonic)) ||
           begins(mnemonic, "cp.async.wait");
}

/* Registers that it fills. */
static uint32_t words_of(const ptx_insn *load)
{
    uint32_t each = strstr(load->mnemonic, "64") ? 2 : 1;
    uint32_t values = load->operand_count ? LW_MAX(load->operands[0].item_count, 1u) : 1;
    return each * values;
}

static uint32_t chain_of(const block_waits *w, const ptx_operand *o)
{
    uint32_t loads = 0;
    if (o->reg >= 0 && w->chains[o->reg].block == w->block + 1) loads = w->chains[o->reg].loads;
    for (uint32_t k = 0; k < o->item_count; k++) loads = LW_MAX(loads, chain_of(w, &o->items[k]));
    return loads;
}

static void set_chain(block_waits *w, const ptx_operand *o, chain value)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) w->chains[o->reg] = value;
    for (uint32_t k = 0; k < o->item_count; k++) set_chain(w, &o->items[k], value);
}

/* When a register's value is there. */
static double ready_of(const block_waits *w, int32_t reg)
{
    return reg >= 0 && w->chains[reg].block == w->block + 1 ? w->chains[reg].ready : 0;
}

static double operand_ready(const block_waits *w, const ptx_operand *o)
{
    double ready = ready_of(w, o->reg);
    for (uint32_t k = 0; k < o->item_count; k++) ready = fmax(ready, operand_ready(w, &o->items[k]));
    return ready;
}

/* When it begins. A predicate guards later than it is an operand, and what stands behind a sequence that has a branch of its own
 * begins behind it: that is another basic block in machine code. */
static double begin_of(const device_profile *d, const block_waits *w, const ptx_insn *insn)
{
    double ready = ready_of(w, insn->guard);
    if (ready > 0) ready += (double)d->time_guard_cycles;
    ready = fmax(ready, w->serial);
    for (uint32_t k = 0; k < insn->operand_count; k++) ready = fmax(ready, operand_ready(w, &insn->operands[k]));
    return ready;
}

void host_leave_function(block_waits *w)
{
    free(w->chains);
    host_loops_free(&w->loops);
}

void host_enter_block(block_waits *w, const code_site *site)
{
    if (w->function != site->function) {
        host_leave_function(w);
        w->loops = host_loops_of(site->function);
        w->chains = lw_alloc((site->function->register_count + 1) * sizeof *w->chains);
        w->function = site->function;
        w->entered = 0;
        w->outside = 1;
    }
    w->block = site->block;
    w->now = site->block;
    w->first = site->insn;
    w->through = NULL;
    w->loads = 0;
    w->floor = 0;
    w->branched = 0;
    w->count = 0;
    w->together = 0;
    w->base = -1;
    w->shared = 0;
    w->ordered = false;
    w->stores.reg = -1;
    w->shared_stores.reg = -1;
    w->shared_held = 0;
    w->before_stores = 0;
    w->serial = 0;
    w->ready = 0;
    w->path = 0;
    w->runs = 0;
    w->issue = 0;
    w->accesses = 0;
    w->fetches = 0;
    w->branches = 0;
}

/* Goes with what is executed at most once by a warp, before a loop, and how often the loop's busiest block is up to here. Where one of eight
 * warps turns eight times, no more come than before the loop. */
static void note_turns(const time_demand *t, block_waits *w, const ptx_insn *insn, double times)
{
    double each = times / ((double)t->blocks * t->warps_per_block);
    if (each <= 1) {
        if (w->loops.begin[insn - w->function->insns] == HOST_NO_INSN) w->outside = each;
        w->entered = fmin(each, w->outside);
        w->turns = 0;
    }
    w->turns = fmax(w->turns, each);
}

/* Whether all warps come by as often, as far as the sum tells: once, or in each turn of a loop that all of them come to. */
static bool is_even(const time_demand *t, const block_waits *w, double times)
{
    const double most = 0.99;
    double each = times / ((double)t->blocks * t->warps_per_block);
    return w->entered > most && each > most * w->turns && fabs(each - round(each)) < 1 - most;
}

/* The wait that is being gathered is complete. */
static void end_wait(time_demand *t, block_waits *w)
{
    t->global_waits += w->times;
    if (w->even) t->even_waits += w->times;
    t->missed_l1 += w->times * (1 - w->in_l1);
    t->missed_l2 += w->times * (1 - w->in_l2);
    w->times = 0;
}

#define FETCHES_AT_ONCE                                                                                                \
    10 /* loads of shared memory that a warp has under way where it goes on behind them, in the mean */

void host_end_block(const device_profile *d, time_demand *t, block_waits *w)
{
    end_wait(t, w);
    double chain = w->path + w->branches * (double)d->time_branch_cycles;
    /* the chain has what shared memory takes, instructions in sum have not */
    double steps = w->issue * (double)d->time_step_tenths / 10 + w->shared * (double)d->time_shared_cycles;
    steps += w->accesses * ((double)d->time_access_step_tenths - (double)d->time_step_tenths) / 10;
    steps += w->fetches * (double)d->time_shared_cycles / FETCHES_AT_ONCE;
    t->path += fmax(chain, steps);
    t->chain += chain;
    if (is_even(t, w, w->runs)) t->even_path += fmax(chain, steps);
    w->runs = 0;
    w->issue = 0;
    w->accesses = 0;
    w->fetches = 0;
    w->branches = 0;
}

/* The register that a load's address is made of; -1: it has none, or another instruction's. */
static int32_t base_of(const ptx_insn *load)
{
    const ptx_operand *o = load->operand_count > 1 ? &load->operands[1] : NULL;
    return o && o->kind == PTX_OP_ADDRESS ? o->reg : -1;
}

/* The last load was of the same place: the assembler keeps what it returned. */
static bool loaded_before(const block_waits *w, const ptx_insn *load)
{
    return base_of(load) >= 0 && base_of(load) == w->base && load->operands[1].imm == w->offset;
}

/* Whether it waits for all asynchronous copies; not for those of an earlier stage, which are mostly there. */
static bool waits_for_copies(const ptx_insn *insn)
{
    if (begins(insn->mnemonic, "cp.async.wait_all")) return true;
    return begins(insn->mnemonic, "cp.async.wait_group") && insn->operand_count && !insn->operands[0].imm;
}

/* The chance that a load which misses L1 misses L2. */
static double beyond_l2(const cache_site *site)
{
    double far = fmin(share(site->dram_requests + site->dram_pending, site->l2_read_requests), 1);
    double lines = fmax(share(site->missed_lines, site->missed_loads), 1);
    return 1 - pow(1 - far, lines);
}

/* They go past L1, or through it as loads do. */
static void add_copy(block_waits *w, const cache_site *site, const ptx_insn *insn)
{
    bool copies = begins(insn->mnemonic, "cp.async.ca") || begins(insn->mnemonic, "cp.async.cg");
    if (waits_for_copies(insn)) w->copies_missed = w->copies_beyond = 0;
    if (!copies) return;
    double missed = fmin(share(site->missed_loads + site->pending_loads, site->loads), 1);
    if (!site->loads) missed = 1 - share(site->sampled_hits, site->sectors);
    w->copies_missed = fmax(w->copies_missed, missed);
    w->copies_beyond = fmax(w->copies_beyond, beyond_l2(site));
}

/* A load joins the wait. Where a sample knows nothing of it, it has gone to shared memory, and takes about as long as L1. What
 * another warp has asked for and has not come yet is waited for as well. Loads at one register's address and places behind it go over
 * the same lines: of what is not there the first of them misses, so that their chances add up. */
static void add_load(block_waits *w, const cache_site *site, const ptx_insn *insn)
{
    double missed = fmin(share(site->missed_loads + site->pending_loads, site->loads), 1);
    double first = fmin(share(site->missed_loads, site->loads), 1);
    if (!site->loads) missed = first = 1 - share(site->sampled_hits, site->sectors);
    if (!site->loads && !site->sectors) missed = first = is_texture(insn->mnemonic);
    double beyond = beyond_l2(site);
    if (waits_for_copies(insn)) missed = first = w->copies_missed, beyond = w->copies_beyond;
    if (base_of(insn) < 0 || base_of(insn) != w->base) w->base_missed = w->base_beyond = 0;
    w->base = base_of(insn);
    w->offset = w->base >= 0 ? insn->operands[1].imm : 0;
    w->base_missed = fmin(w->base_missed + first, 1);
    w->base_beyond = fmin(w->base_beyond + first * beyond, 1);
    w->in_l1 = fmin(w->in_l1, 1 - fmax(missed, w->base_missed));
    w->in_l2 = fmin(w->in_l2, 1 - fmax(missed * beyond, w->base_beyond));
}

/* A fence waits longer for stores that are under way, and for what the host may see (tests/hw/h200-orders.csv). */
static void add_fence(const device_profile *d, time_demand *t, block_waits *w, const char *mnemonic, double times)
{
    bool system = strstr(mnemonic, ".sys") != NULL;
    double wide = fmin(share((double)t->blocks, (double)d->sm_count), 1); /* the more store at once, the longer */
    double longer = system      ? (double)d->time_fence_system_cycles
                    : w->stored ? (double)d->time_fence_store_cycles * wide
                                : 0;
    t->fence_cycles += times * longer;
    w->stored = false;
    end_wait(t, w);
    w->times = times;
    w->even = false;
    w->in_l1 = 0;
    w->in_l2 = 1;
    end_wait(t, w);
}

/* Whether it decides a branch by a register. */
static bool decides(const ptx_insn *insn, const ptx_insn *bra, int32_t reg)
{
    bool sets = begins(insn->mnemonic, "setp") && insn->operand_count && insn->operands[0].kind == PTX_OP_REG;
    if (!sets || insn->operands[0].reg != bra->guard) return false;
    for (uint32_t k = 1; k < insn->operand_count; k++)
        if (insn->operands[k].kind == PTX_OP_REG && insn->operands[k].reg == reg) return true;
    return false;
}

/* Whether a loop of one block ends by a comparison with what it adds a constant to, and by nothing else: the assembler knows
 * the number of turns of such loops, and unrolls them. With a step in a register (the stride of a grid) it does not. */
static bool counts_by_constant(const ptx_insn *first, const ptx_insn *bra)
{
    for (const ptx_insn *add = first; add < bra; add++) {
        if (!begins(add->mnemonic, "add.") || add->operand_count < 3 || add->operands[2].kind != PTX_OP_INT) continue;
        for (const ptx_insn *setp = first; setp < bra; setp++)
            if (decides(setp, bra, add->operands[0].reg)) return true;
    }
    return false;
}

/* The assembler unrolls loops of one basic block that are not too long: what counts turns is executed once for several of
 * them, and, without stores, loads of several turns wait together; but at least once where all warps come by. */
static void unroll(const device_profile *d, time_demand *t, block_waits *w, const ptx_insn *insn, double times)
{
    double turns = (double)LW_MAX(d->time_unroll_turns, (uint64_t)1);
    double saved = (turns - 1) / turns;
    const ptx_insn *first = host_branch_target(w->function, insn);
    if (first != w->first || (w->through && insn < w->through) || first->nounroll ||
        w->issue > times * (double)d->time_unroll_most || !counts_by_constant(first, insn))
        return;
    t->work.issue -= 3 * times * saved; /* add, setp, bra */
    t->work.integer -= times * saved;
    t->work.either -= times * saved;
    w->branches -= times * saved;
    /* of the turns that it joins the assembler begins more loads at once: 16 of one register with 29 registers */
    double most = (double)LW_MAX(w->most, 2 * d->time_loads_least);
    if (w->ordered || w->serial > 0 || w->loads != 1 || w->count > most) return;
    double waits = ceil(turns * w->count / most); /* of so many turns */
    double once = fmin(w->times, (double)t->blocks * t->warps_per_block);
    double together = w->times / fmax(w->times * waits / turns, once);
    w->times /= together;
    w->in_l1 = pow(w->in_l1, together);
    w->in_l2 = pow(w->in_l2, together);
}

static bool stores(const char *mnemonic)
{
    return begins(mnemonic, "st.") && !begins(mnemonic, "st.shared") && !begins(mnemonic, "st.param");
}

/* Whether loads that come behind it in the text stay behind it. */
static bool keeps_order(const char *mnemonic)
{
    return stores(mnemonic) || begins(mnemonic, "bar") || begins(mnemonic, "atom") || begins(mnemonic, "membar") ||
           begins(mnemonic, "fence");
}

/* At least as many as it accesses. */
static int64_t bytes_of(const char *mnemonic)
{
    int64_t each = strstr(mnemonic, "64") ? 8 : 4;
    return strstr(mnemonic, ".v4") ? 4 * each : strstr(mnemonic, ".v2") ? 2 * each : each;
}

/* Joins a store's place to those at the same register's address; false: there are others. none: so far. */
static bool joins_range(place_range *range, const ptx_insn *store, bool none)
{
    const ptx_operand *o = store->operand_count ? &store->operands[0] : NULL;
    bool first = range->reg < 0;
    if (!o || o->kind != PTX_OP_ADDRESS || o->reg < 0 || (first ? !none : range->reg != o->reg)) return false;
    int64_t end = o->imm + bytes_of(store->mnemonic);
    range->from = first ? o->imm : LW_MIN(range->from, o->imm);
    range->to = first ? end : LW_MAX(range->to, end);
    range->reg = o->reg;
    return true;
}

/* Whether it is for the same register's address and other bytes: it can go before these stores. */
static bool is_apart(const place_range *range, const ptx_insn *load)
{
    if (range->reg < 0 || base_of(load) != range->reg) return false;
    int64_t at = load->operands[1].imm;
    return at + bytes_of(load->mnemonic) <= range->from || at >= range->to;
}

/* What comes behind it in the text stays behind it. */
static void keep_order(block_waits *w, const ptx_insn *insn)
{
    w->floor = w->loads;
    if (stores(insn->mnemonic) && joins_range(&w->stores, insn, !w->ordered)) return;
    w->before_stores = w->loads;
    w->ordered = true;
}

/* Loads that a load comes behind because of what stands between them. */
static uint32_t floor_of(const block_waits *w, const ptx_insn *load)
{
    if (strstr(load->mnemonic, ".nc")) return w->branched;
    bool apart = is_apart(&w->stores, load);
    return apart ? LW_MAX(w->before_stores, w->branched) : w->floor;
}

static bool loads_shared(const ptx_insn *insn)
{
    return (begins(insn->mnemonic, "ld.") || begins(insn->mnemonic, "ldmatrix")) && is_shared(insn->mnemonic);
}

/* A store to shared memory begins when what it stores is there. Loads of shared memory behind it in the text begin behind it, if they may be
 * for the same place, and all of them behind a barrier. begun: when the instruction does. */
static void hold_shared(block_waits *w, const ptx_insn *insn, double begun)
{
    bool barrier = is_block_barrier(insn->mnemonic);
    if (!barrier && !begins(insn->mnemonic, "st.shared") && !begins(insn->mnemonic, "st.volatile.shared")) return;
    if (!barrier) {
        if (!joins_range(&w->shared_stores, insn, w->shared_held <= 0)) w->shared_stores.reg = -1;
        w->shared_held = fmax(w->shared_held, fmax(begun, 1));
    } else if (w->shared_held > 0) w->shared_stores.reg = -1;
}

void host_add_waits(const device_profile *d, time_demand *t, block_waits *w, const code_site *code,
                    const cache_site *site, double times, const time_work *work)
{
    uint32_t loads = 0;
    const ptx_insn *insn = code->insn;
    note_turns(t, w, insn, times);
    bool global = host_waits_for_global(code);
    for (uint32_t k = 0; k < insn->operand_count; k++) loads = LW_MAX(loads, chain_of(w, &insn->operands[k]));
    if (global) loads = LW_MAX(loads, floor_of(w, insn));
    loads += global;
    uint32_t words = global && !loaded_before(w, insn) ? words_of(insn) : 0;
    w->count += words;
    double begun = begin_of(d, w, insn);
    if (loads_shared(insn)) w->fetches += work->lsu * times;
    if (loads_shared(insn) && !is_apart(&w->shared_stores, insn)) begun = fmax(begun, w->shared_held);
    hold_shared(w, insn, begun);
    double ready = begun + (code->unread ? 0 : work->latency);
    if (work->parts) w->branched = w->floor = w->loads;
    if (work->parts) w->serial = ready;
    w->path += fmax(ready - w->ready, 0) * times; /* what is joined may be executed less often */
    w->ready = fmax(w->ready, ready);
    if (insn->operand_count) set_chain(w, &insn->operands[0], (chain){w->block + 1, loads, ready});
    if (global) t->global_loads += times;
    w->together = loads > w->loads ? words : w->together + words;
    if (global && (loads > w->loads || w->together > w->most)) {
        end_wait(t, w);
        w->together = words;
        w->base = -1;
        w->times = times;
        w->even = is_even(t, w, times);
        w->in_l1 = 1;
        w->in_l2 = 1;
        w->loads = loads;
    }
    if (global) add_load(w, site, insn);
    add_copy(w, site, insn);
    if (host_is_fence(insn->mnemonic)) add_fence(d, t, w, insn->mnemonic, times);
    w->stored |= begins(insn->mnemonic, "st.") && !is_shared(insn->mnemonic);
    if (keeps_order(insn->mnemonic)) keep_order(w, insn);
    unroll(d, t, w, insn, times);
    bool shared = begins(insn->mnemonic, "ld.") || (begins(insn->mnemonic, "atom.") && !code->unread);
    if (shared && is_shared(insn->mnemonic)) w->shared = fmax(w->shared, times);
}
