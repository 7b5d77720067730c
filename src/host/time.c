/* The time of a launch: gathers what it asks of the device from what was executed and counted, for the model in time/. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/caches_priv.h"
#include "host/kernel_priv.h"
#include "host/sites_priv.h"
#include "host/time_lines_priv.h"
#include "time/time.h"

static void add_work(time_work *to, const time_work *one, double times)
{
    to->issue += one->issue * times;
    to->fp32 += one->fp32 * times;
    to->integer += one->integer * times;
    to->fp64 += one->fp64 * times;
    to->sfu += one->sfu * times;
    to->lsu += one->lsu * times;
    to->tensor += one->tensor * times;
}

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

/* How many loads of the block one behind the other a register's value comes from. */
typedef struct chain {
    uint32_t block; /* + 1; of another block: none */
    uint32_t loads;
} chain;

/* The basic block that is being looked at. */
typedef struct block_waits {
    const ptx_function *function;
    chain *chains; /* per register of the function */
    uint32_t block;
    const ptx_insn *first;
    uint32_t loads; /* the longest chain so far */
    uint32_t floor; /* loads from here on cannot go before so many: they stand behind a store or a barrier */
    uint32_t count; /* of loads */
    double waits;   /* that were added */
    bool shared;
} block_waits;

static bool waits_for_global(const char *mnemonic)
{
    bool load = begins(mnemonic, "ld.") && !begins(mnemonic, "ld.param") && !begins(mnemonic, "ld.shared");
    return (load && !begins(mnemonic, "ld.const")) || begins(mnemonic, "atom.global") ||
           begins(mnemonic, "cp.async.wait");
}

static uint32_t chain_of(const block_waits *w, const ptx_operand *o)
{
    uint32_t loads = 0;
    if (o->reg >= 0 && w->chains[o->reg].block == w->block + 1) loads = w->chains[o->reg].loads;
    for (uint32_t k = 0; k < o->item_count; k++) loads = LW_MAX(loads, chain_of(w, &o->items[k]));
    return loads;
}

static void set_chain(block_waits *w, const ptx_operand *o, uint32_t loads)
{
    if (o->kind == PTX_OP_REG && o->reg >= 0) w->chains[o->reg] = (chain){w->block + 1, loads};
    for (uint32_t k = 0; k < o->item_count; k++) set_chain(w, &o->items[k], loads);
}

static void enter_block(block_waits *w, const code_site *site)
{
    if (w->function != site->function) {
        free(w->chains);
        w->chains = lw_alloc((site->function->register_count + 1) * sizeof *w->chains);
        w->function = site->function;
    }
    w->block = site->block;
    w->first = site->insn;
    w->loads = 0;
    w->floor = 0;
    w->count = 0;
    w->waits = 0;
    w->shared = false;
}

static bool goes_back_to(const ptx_function *function, const ptx_insn *bra, const ptx_insn *to)
{
    if (!begins(bra->mnemonic, "bra")) return false;
    for (uint32_t k = 0; k < bra->operand_count; k++) {
        const ptx_operand *o = &bra->operands[k];
        if (o->kind == PTX_OP_LABEL && &function->insns[o->imm] == to) return true;
    }
    return false;
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

/* The assembler unrolls loops of one basic block: what counts turns is executed once for several of them, and, without
 * stores, loads of several turns wait together; but at least once where all warps come by. */
static void unroll(time_demand *t, const block_waits *w, const ptx_insn *insn, double times)
{
    const uint32_t turns = 4;
    const double saved = (turns - 1.0) / turns;
    if (!goes_back_to(w->function, insn, w->first) || !counts_by_constant(w->first, insn)) return;
    t->work.issue -= 3 * times * saved; /* add, setp, bra */
    t->work.integer -= 1.5 * times * saved;
    t->work.fp32 -= 0.5 * times * saved;
    if (w->floor || w->loads != 1 || w->count >= turns) return;
    double once = fmin(w->waits, (double)t->blocks * t->warps_per_block);
    t->global_waits -= w->waits - fmax(w->waits / turns, once);
}

/* Whether loads that come behind it in the text stay behind it. */
static bool keeps_order(const char *mnemonic)
{
    bool stores = begins(mnemonic, "st.") && !begins(mnemonic, "st.shared") && !begins(mnemonic, "st.param");
    return stores || begins(mnemonic, "bar") || begins(mnemonic, "atom") || begins(mnemonic, "membar");
}

/* A warp waits once for all loads of a basic block that do not depend on each other. */
static void add_waits(time_demand *t, block_waits *w, const ptx_insn *insn, double times)
{
    uint32_t loads = 0;
    bool global = waits_for_global(insn->mnemonic);
    for (uint32_t k = 0; k < insn->operand_count; k++) loads = LW_MAX(loads, chain_of(w, &insn->operands[k]));
    if (global && !strstr(insn->mnemonic, ".nc")) loads = LW_MAX(loads, w->floor);
    loads += global;
    w->count += global;
    if (insn->operand_count) set_chain(w, &insn->operands[0], loads);
    if (global) t->global_loads += times;
    if (global && loads > w->loads) {
        t->global_waits += times;
        w->waits += times;
        w->loads = loads;
    }
    if (keeps_order(insn->mnemonic)) w->floor = w->loads;
    unroll(t, w, insn, times);
    bool shared = begins(insn->mnemonic, "ld.shared") || begins(insn->mnemonic, "atom.shared");
    if (shared && !w->shared) t->shared_waits += times;
    w->shared |= shared;
}

static void add_instructions(time_demand *t, const code_kernel *code, const exec_result *result)
{
    block_waits waits = {.block = UINT32_MAX};
    for (uint32_t k = 0; k < code->site_count; k++) {
        const code_site *site = &code->sites[k];
        const char *mnemonic = site->insn->mnemonic;
        double times = result->site_inst ? (double)result->site_inst[k] : 0;
        if (site->block != waits.block || site->function != waits.function) enter_block(&waits, site);
        if (times <= 0) continue;
        time_work work = time_work_of(mnemonic);
        add_work(&t->work, &work, times);
        add_waits(t, &waits, site->insn, times);
        if (begins(mnemonic, "bar") && !begins(mnemonic, "bar.warp")) t->barrier_waits += times;
    }
    free(waits.chains);
}

static double value(const counter_set *set, counter_id id)
{
    return set->present >> id & 1 ? (double)set->value[id] : 0;
}

static void add_rows(time_demand *t, const result_launch *launch)
{
    const double lines_together = 0.8; /* lines whose banks differ leave L1 together */
    for (size_t k = 0; k < launch->row_count; k++) {
        const counter_set *c = &launch->rows[k].counters;
        bool shared = !strcmp(launch->rows[k].space, "shared");
        if (shared) t->shared_wavefronts += value(c, COUNTER_WAVEFRONTS);
        else t->l1_wavefronts += fmax(value(c, COUNTER_REQUESTS), lines_together * value(c, COUNTER_TAGS));
    }
    const counter_set *c = &launch->counters;
    t->l2_read_sectors = value(c, COUNTER_L2_READ_SECTORS);
    t->l2_write_sectors = value(c, COUNTER_L2_WRITE_SECTORS);
    t->l2_atomic_sectors = value(c, COUNTER_L2_ATOMIC_SECTORS);
    t->dram_read_bytes = value(c, COUNTER_DRAM_READ_BYTES);
    t->dram_write_bytes = value(c, COUNTER_DRAM_WRITE_BYTES);
}

/* Sums of the sample. */
static cache_site all_sites(const cache_site *sites, uint32_t count)
{
    cache_site all = {0};
    for (uint32_t k = 0; k < count; k++) {
        const cache_site *s = &sites[k];
        all.l2_reads += s->l2_reads;
        all.l2_writes += s->l2_writes;
        all.l2_read_requests += s->l2_read_requests;
        all.l2_write_requests += s->l2_write_requests;
        all.dram_requests += s->dram_requests;
        all.dram_read_bytes += s->dram_read_bytes;
        all.dram_write_bytes += s->dram_write_bytes;
        all.many_lines += s->many_lines;
        all.many_pages += s->many_pages;
        if (!s->l2_read_requests) continue; /* what follows is of loads */
        all.loads += s->loads;
        all.missed_loads += s->missed_loads;
        all.missed_lines += s->missed_lines;
    }
    return all;
}

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static void add_caches(time_demand *t, const host_context *c, const code_kernel *code)
{
    const cache_site *sites = host_caches_of_launch(c);
    cache_site all = all_sites(sites, code->site_count);
    double scattered = 0;
    for (uint32_t k = 0; k < code->site_count; k++)
        scattered += sites[k].dram_pieces * share(sites[k].many_pages, sites[k].many_lines);
    cache_hot hot = host_hot_of_launch(c);
    double lines = share(all.missed_lines, all.missed_loads); /* of a load that misses */
    double far = share(all.dram_requests, all.l2_read_requests);
    t->l2_read_requests = share(all.l2_read_requests, all.l2_reads) * t->l2_read_sectors;
    t->l2_write_requests = share(all.l2_write_requests, all.l2_writes) * t->l2_write_sectors;
    t->dram_scattered = share(scattered, all.dram_read_bytes + all.dram_write_bytes);
    t->dram_scattered *= t->dram_read_bytes + t->dram_write_bytes;
    double together = fmax(share(t->global_loads, t->global_waits), 1); /* loads that one wait is for */
    double missed = share(all.missed_loads, all.loads);
    t->missed_l1 = 1 - pow(1 - fmin(missed, 1), together);
    t->missed_l2 = t->missed_l1 * (1 - pow(1 - fmin(far, 1), fmax(lines * missed * together, 1)));
    t->hot_atomics = hot.share;
    t->hot_words = hot.words;
}

typedef struct line_reader {
    const host_kernel *kernel;
    const exec_result *result;
} line_reader;

static time_line_work work_of_line(void *user, const result_row *row)
{
    const line_reader *r = user;
    const code_kernel *code = r->kernel->code;
    time_line_work sum = {0};
    for (uint32_t k = 0; k < code->site_count; k++) {
        if (!r->result->site_inst || !r->result->site_inst[k]) continue;
        const host_site_place *place = host_site_of(r->kernel->sites, code, k);
        if (place->line != row->line || place->ptx != row->ptx || (!row->ptx && place->file != row->file)) continue;
        double times = (double)r->result->site_inst[k];
        time_work work = time_work_of(code->sites[k].insn->mnemonic);
        add_work(&sum.work, &work, times);
        if (waits_for_global(code->sites[k].insn->mnemonic)) sum.loads += times;
    }
    return sum;
}

result_time host_time_of_launch(const host_context *c, const host_launch_facts *facts, const result_launch *launch,
                                result_row *rows)
{
    const host_launch_config *g = &facts->op->u.kernel.config;
    const host_kernel *k = facts->op->u.kernel.kernel;
    uint64_t threads = (uint64_t)g->block[0] * g->block[1] * g->block[2];
    time_demand t = {.blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2],
                     .warps_per_block = (uint32_t)((threads + 31) / 32),
                     .blocks_per_sm = LW_MAX(launch->occupancy.blocks_per_sm, 1u)};
    add_instructions(&t, k->code, facts->result);
    add_rows(&t, launch);
    add_caches(&t, c, k->code);
    time_prediction p = time_predict(c->device, &t);
    result_time out = {.count = 1, .seconds = p.seconds, .low = p.low, .high = p.high};
    memcpy(out.resource, p.resource, sizeof out.resource);
    line_reader reader = {k, facts->result};
    host_time_lines(c->device, &t, rows, launch->row_count, work_of_line, &reader);
    return out;
}
