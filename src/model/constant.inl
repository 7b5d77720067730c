/* model, internal: constant memory read with an address in a register. Counted: requests = distinct 4-byte words over
 * the active lanes (tests/hw/h200-open.csv, experiment constant); for 8 and 16 bits distinct addresses, two bytes of
 * one word being two (tests/hw/kernels/copy_fill.cu, narrow8 and narrow16). Exact on every pattern recorded on cc 9.0.
 * Accesses at addresses known to the assembler are no memory instruction and never come here. */

static void constant_load(model_site *s, const event_memory *e)
{
    uint32_t lanes = lw_popcount(e->mask), words = words_of(e->bytes);
    s->value[COUNTER_INST_EXECUTED]++;
    s->value[COUNTER_LANES] += lanes;
    if (e->shape == EVENT_UNIFORM) {
        s->value[COUNTER_REQUESTS] += words;
        return;
    }
    uint64_t packed[LANES];
    const uint64_t *address = active_addresses(e, packed);
    uint32_t shift = e->bytes < 4 ? e->bytes >> 1 : local_unit_log2(e->bytes);
    lane_keys keys;
    for (uint32_t i = 0; i < LANES; i++) keys.key[i] = (uint32_t)address[i] >> shift & 0x3fffffff;
    s->value[COUNTER_REQUESTS] += count_keys(&keys, false).sectors * words;
}
