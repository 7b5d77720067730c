/* order.c: what a mnemonic says about the order of memory, for the events of its instruction: the qualifiers that stand
 * in it (PTX ISA 9.0, section 8: memory consistency model), and where there are none the defaults of its row. */
#include "code/decode.h"

#include <string.h>

typedef struct order_word {
    const char *word;
    uint8_t value;
} order_word;

static const order_word order_words[] = {{"weak", EVENT_ORDER_WEAK},
                                         {"volatile", EVENT_ORDER_VOLATILE},
                                         {"relaxed", EVENT_ORDER_RELAXED},
                                         {"mmio", EVENT_ORDER_RELAXED},
                                         {"acquire", EVENT_ORDER_ACQUIRE},
                                         {"release", EVENT_ORDER_RELEASE},
                                         {"acq_rel", EVENT_ORDER_ACQ_REL},
                                         {"sc", EVENT_ORDER_SC},
                                         {NULL, 0}};

static const order_word scope_words[] = {{"cta", EVENT_SCOPE_CTA}, {"cluster", EVENT_SCOPE_CLUSTER},
                                         {"gpu", EVENT_SCOPE_GPU}, {"gl", EVENT_SCOPE_GPU},
                                         {"sys", EVENT_SCOPE_SYS}, {NULL, 0}};

static const order_word proxy_words[] = {{"alias", EVENT_PROXY_ALIAS},
                                         {"async", EVENT_PROXY_ASYNC},
                                         {"async::generic", EVENT_PROXY_ASYNC},
                                         {"tensormap::generic", EVENT_PROXY_TENSORMAP},
                                         {NULL, 0}};

/* What cache operators and L1's priorities mean for L1, and what for L2, which was measured (tests/hw/h200-hints.csv,
 * h200-hints-l1.csv): what L1 is not to keep L2 need not keep either. */
static const order_word l1_words[] = {{"cs", EVENT_EVICT_FIRST},
                                      {"lu", EVENT_NO_ALLOCATE},
                                      {"L1::evict_first", EVENT_EVICT_FIRST},
                                      {"L1::evict_last", EVENT_EVICT_LAST},
                                      {"L1::evict_unchanged", EVENT_EVICT_UNCHANGED},
                                      {"L1::no_allocate", EVENT_NO_ALLOCATE},
                                      {NULL, 0}};

static const order_word l2_words[] = {{"cs", EVENT_EVICT_FIRST},
                                      {"lu", EVENT_EVICT_FIRST},
                                      {"L1::evict_first", EVENT_EVICT_FIRST},
                                      {"L1::no_allocate", EVENT_EVICT_FIRST},
                                      {"L2::evict_first", EVENT_EVICT_FIRST},
                                      {"L2::evict_last", EVENT_EVICT_LAST},
                                      {NULL, 0}};

/* The value of the last word of the table that the mnemonic has; else *out stays. */
static void pick(const decode_parts *p, const order_word *words, uint8_t *out)
{
    for (; words->word; words++)
        if (decode_parts_have(p, words->word)) *out = words->value;
}

/* cp.async and cp.async.bulk, their groups, and copies that end on an mbarrier (PTX ISA 9.0: "Asynchronous copy"). */
static event_insn describe_copy(const decode_parts *p)
{
    bool bulk = decode_parts_have(p, "bulk");
    bool updates = decode_part_is(p, 1, "reduce"); /* each of them relaxed.gpu; the source is read weakly */
    return (event_insn){.order = updates ? EVENT_ORDER_RELAXED : EVENT_ORDER_WEAK,
                        .scope = updates ? EVENT_SCOPE_GPU : EVENT_SCOPE_NONE,
                        .bulk = bulk,
                        .reads = decode_parts_have(p, "read"),
                        .all = decode_parts_have(p, "wait_all"),
                        .proxy = bulk ? EVENT_PROXY_ASYNC : EVENT_PROXY_GENERIC};
}

event_insn code_event_insn(const code_row *row, const decode_parts *p)
{
    if (row->orders.memory == ROW_COPY) return describe_copy(p);
    event_insn out = {.order = row->orders.order, .scope = row->orders.scope, .loads = decode_part_is(p, 0, "ld")};
    pick(p, order_words, &out.order);
    pick(p, scope_words, &out.scope);
    pick(p, l1_words, &out.l1_eviction);
    pick(p, l2_words, &out.l2_eviction);
    if (row->orders.memory == ROW_FENCE) pick(p, proxy_words, &out.proxy);
    if (decode_part_is(p, 0, "wgmma")) out.proxy = EVENT_PROXY_ASYNC;
    if (out.order == EVENT_ORDER_VOLATILE) out.scope = EVENT_SCOPE_SYS;
    if (out.order == EVENT_ORDER_WEAK) out.scope = EVENT_SCOPE_NONE;
    return out;
}

static event_insn describe(const code_image *image, const char *mnemonic)
{
    decode_parts p = decode_split(mnemonic);
    const code_row *row = decode_find_row(&image->rows, &p).row;
    LW_ASSERT(row); /* the kernel was decoded */
    if (row->form != ROW_IRREGULAR) return (event_insn){0};
    return code_event_insn(row, &p);
}

/* The basic block before the return at the end of a kernel, in which nobody's return stands; UINT32_MAX: there is none. */
static uint32_t last_block(const code_site *sites, uint32_t count)
{
    uint32_t end = 0;
    while (end < count && sites[end].function == sites[0].function) end++;
    if (end < 2 || !sites[0].function->is_entry || !sites[end - 1].insn || strcmp(sites[end - 1].insn->mnemonic, "ret"))
        return UINT32_MAX;
    return sites[end - 2].block != sites[end - 1].block ? sites[end - 2].block : UINT32_MAX;
}

/* The branch over the last basic block is an exit in machine code; those over others before it become guards, and loads go before them. */
static void note_blocks(const code_site *sites, uint32_t count, event_insn *insns)
{
    uint32_t last = last_block(sites, count);
    bool loaded = false; /* the last block has, from shared memory */
    for (uint32_t k = 0; k < count; k++) {
        insns[k].part = sites[k].block;
        insns[k].polls = sites[k].waits;
        insns[k].awaits = loaded && sites[k].block == last;
        bool shared = insns[k].loads && sites[k].insn && strstr(sites[k].insn->mnemonic, ".shared");
        loaded |= shared && sites[k].block == last;
    }
}

event_insn *code_event_insns(lw_arena *arena, const code_image *image, const code_site *sites, uint32_t count)
{
    event_insn *insns = LW_NEW_ARRAY(arena, event_insn, count + 1);
    lw_map first = {0}; /* mnemonic -> its first instruction: large kernels repeat a few hundred of them */
    for (uint32_t k = 0; k < count; k++) {
        if (!sites[k].insn) continue;
        const char *mnemonic = sites[k].insn->mnemonic;
        const event_insn *known = lw_map_get(&first, mnemonic, strlen(mnemonic));
        insns[k] = known ? *known : describe(image, mnemonic);
        if (!known) lw_map_put(&first, mnemonic, strlen(mnemonic), &insns[k]);
    }
    lw_map_free(&first);
    for (uint32_t k = 0; k < count; k++)
        if (sites[k].insn && strstr(sites[k].insn->mnemonic, ".L2::cache_hint"))
            insns[k].l2_eviction = code_policy_eviction(sites[k].function, sites[k].insn);
    note_blocks(sites, count, insns);
    return insns;
}
