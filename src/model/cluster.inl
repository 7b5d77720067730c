/* model, internal: distributed shared memory of cc 9.0 and later: as global memory, with tag-stage wavefronts for
 * loads, stores and atomics alike. Measured on cc 9.0; see tests/hw/h200-open.csv, experiment cluster. An atomic takes
 * one wavefront of the atomics on shared memory besides, which is not counted here. */

/* The system keeps the first KiB of a block's window. The least base of four below 16 KiB that explain every recorded
 * pattern. */
#define WINDOW_KEPT 1024u

static uint32_t window_addresses(const event_memory *e, uint64_t at[LANES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < LANES; i++)
        if (e->mask >> i & 1)
            at[n++] = e->address[e->shape == EVENT_UNIFORM ? (uint32_t)__builtin_ctz(e->mask) : i] + WINDOW_KEPT;
    return n;
}

static void count_window_wavefronts(model_site *s, const event_memory *e)
{
    uint64_t at[LANES];
    uint32_t bank[4] = {0}, n = window_addresses(e, at), most = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool first = true;
        for (uint32_t j = 0; j < i; j++) first &= at[j] >> 7 != at[i] >> 7;
        bank[tag_bank(at[i] >> 7)] += first;
    }
    for (uint32_t b = 0; b < 4; b++) most = LW_MAX(most, bank[b]);
    s->value[COUNTER_T_WAVEFRONTS] += most;
}

static void window_load(model_site *s, const event_memory *e)
{
    line_load(s, e);
    count_window_wavefronts(s, e);
}

static void window_store(model_site *s, const event_memory *e)
{
    line_store(s, e);
    count_window_wavefronts(s, e);
}

static void window_atomic(model_site *s, const event_memory *e)
{
    uint64_t at[LANES];
    uint32_t lanes = window_addresses(e, at), distinct;
    line_count c = count_atomic(at, lanes, e->atomic == EVENT_ATOMIC_CAS ? 6 : 7, &distinct, NULL);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    s->value[COUNTER_T_WAVEFRONTS] += c.t_wavefronts;
    add_lines(s, c, distinct, (lanes * e->bytes + 31) >> 5);
}
