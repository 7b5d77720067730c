/* order.c: what a mnemonic says about the order of memory, for the events of its instruction: qualifiers, and the
 * defaults of the PTX ISA where there are none. */
#include "code/code_priv.h"

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

/* What an instruction means without qualifiers; the first row that fits. */
typedef struct order_default {
    const char *head; /* the mnemonic up to a dot */
    uint8_t order, scope;
} order_default;

static const order_default defaults[] = {
    {"atom", EVENT_ORDER_RELAXED, EVENT_SCOPE_GPU},
    {"red", EVENT_ORDER_RELAXED, EVENT_SCOPE_GPU},
    {"membar", EVENT_ORDER_SC, EVENT_SCOPE_NONE},
    {"fence", EVENT_ORDER_ACQ_REL, EVENT_SCOPE_NONE},
    {"mbarrier.test_wait", EVENT_ORDER_ACQUIRE, EVENT_SCOPE_CTA},
    {"mbarrier.try_wait", EVENT_ORDER_ACQUIRE, EVENT_SCOPE_CTA},
    {"mbarrier.arrive", EVENT_ORDER_RELEASE, EVENT_SCOPE_CTA},
    {"mbarrier.arrive_drop", EVENT_ORDER_RELEASE, EVENT_SCOPE_CTA},
    {"mbarrier", EVENT_ORDER_RELAXED, EVENT_SCOPE_CTA},
    {"barrier.cluster.arrive", EVENT_ORDER_RELEASE, EVENT_SCOPE_CLUSTER},
    {"barrier.cluster.wait", EVENT_ORDER_ACQUIRE, EVENT_SCOPE_CLUSTER},
};

/* Does the mnemonic begin with these parts? */
static bool begins_with(const char *mnemonic, const char *head)
{
    size_t n = strlen(head);
    return !strncmp(mnemonic, head, n) && (!mnemonic[n] || mnemonic[n] == '.');
}

static bool has_part(const char *mnemonic, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = strchr(mnemonic, '.'); p; p = strchr(p + 1, '.'))
        if (!strncmp(p + 1, part, n) && (!p[1 + n] || p[1 + n] == '.')) return true;
    return false;
}

static void pick(const char *mnemonic, const order_word *words, uint8_t *out)
{
    for (; words->word; words++)
        if (has_part(mnemonic, words->word)) *out = words->value;
}

/* cp.async and cp.async.bulk, their groups, and copies that end on an mbarrier. */
static void describe_copy(const char *mnemonic, event_insn *out)
{
    out->bulk = has_part(mnemonic, "bulk");
    out->reads = has_part(mnemonic, "read");
    out->all = has_part(mnemonic, "wait_all");
    if (out->bulk) out->proxy = EVENT_PROXY_ASYNC;
}

event_insn code_event_insn(const char *mnemonic)
{
    event_insn out = {0};
    if (begins_with(mnemonic, "cp")) {
        describe_copy(mnemonic, &out);
        return out;
    }
    const order_default *d = defaults;
    while (d < defaults + LW_COUNT(defaults) && !begins_with(mnemonic, d->head)) d++;
    if (d < defaults + LW_COUNT(defaults)) out = (event_insn){.order = d->order, .scope = d->scope};
    pick(mnemonic, order_words, &out.order);
    pick(mnemonic, scope_words, &out.scope);
    if (begins_with(mnemonic, "fence")) pick(mnemonic, proxy_words, &out.proxy);
    if (out.order == EVENT_ORDER_VOLATILE) out.scope = EVENT_SCOPE_SYS;
    if (out.order == EVENT_ORDER_WEAK) out.scope = EVENT_SCOPE_NONE;
    return out;
}

const event_insn *code_event_insns(lw_arena *arena, const code_site *sites, uint32_t count)
{
    event_insn *insns = LW_NEW_ARRAY(arena, event_insn, count + 1);
    lw_map first = {0}; /* mnemonic -> its first instruction: large kernels repeat a few hundred of them */
    for (uint32_t k = 0; k < count; k++) {
        if (!sites[k].insn) continue;
        const char *mnemonic = sites[k].insn->mnemonic;
        const event_insn *known = lw_map_get(&first, mnemonic, strlen(mnemonic));
        insns[k] = known ? *known : code_event_insn(mnemonic);
        if (!known) lw_map_put(&first, mnemonic, strlen(mnemonic), &insns[k]);
    }
    lw_map_free(&first);
    return insns;
}
