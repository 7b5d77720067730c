/* api: the counters of one access on one device, by model_pattern(): the code that counts kernels. */
#include "api/pattern_priv.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#define ROW_BYTES 256 /* no rule looks at more of a shared address than its place in 256 bytes, and which 256 */

int pattern_device(const char *spec, device_profile *out, lw_message *message)
{
    lw_error error = {0};
    return device_find(spec, out, &error) ? pattern_fail(message, "%s", error.message) : 0;
}

/* Shared memory is at most 228 KiB and the model counts on it. Larger offsets are folded: rows of 256 bytes are
 * numbered anew, which no rule can see. */
static void fold(const int64_t offset[LW_LANES], int64_t out[LW_LANES])
{
    int64_t row[LW_LANES];
    int rows = 0;
    for (int i = 0; i < LW_LANES; i++) {
        int r = 0;
        out[i] = offset[i];
        if (offset[i] < 0) continue;
        while (r < rows && row[r] != offset[i] / ROW_BYTES) r++;
        if (r == rows) row[rows++] = offset[i] / ROW_BYTES;
        out[i] = (int64_t)r * ROW_BYTES + offset[i] % ROW_BYTES;
    }
}

/* Without one of these nothing says what the access costs: atomics below cc 5.0 have no rule. */
static void set_cost(lw_access_counts *counts, bool constant)
{
    static const struct {
        const char *cost, *ideal;
    } pairs[] = {
        {"wavefronts", "wavefronts_ideal"}, {"sectors", "sectors_ideal"}, {"transactions", "transactions_ideal"}};
    for (size_t i = 0; i < LW_COUNT(pairs); i++) {
        if (!lw_access_counter(counts, pairs[i].cost, &counts->cost)) continue;
        counts->cost_name = pairs[i].cost;
        if (!lw_access_counter(counts, pairs[i].ideal, &counts->ideal)) counts->ideal = counts->cost;
        return;
    }
    counts->cost_name = "";
    if (!constant || !lw_access_counter(counts, "requests", &counts->cost)) return;
    counts->cost_name = "requests";
    counts->ideal = 1;
}

int pattern_count_on(const device_profile *device, const lw_access *access, const lw_access_options *options,
                     lw_access_counts *out, lw_message *message)
{
    return pattern_count_as(device, access->op->name, access, options, out, message);
}

int pattern_count_as(const device_profile *device, const char *op, const lw_access *access,
                     const lw_access_options *options, lw_access_counts *out, lw_message *message)
{
    lw_error error = {0};
    counter_set set;
    int64_t folded[LW_LANES];
    const char *why = NULL;
    model_options model = {.global_l1 = MODEL_L1_DEFAULT};
    if (options) {
        model.bank_bytes = options->bank_bytes;
        model.global_l1 = options->cached ? MODEL_L1_CACHED : options->uncached ? MODEL_L1_UNCACHED : MODEL_L1_DEFAULT;
    }
    memset(out, 0, sizeof *out);
    bool shared = !strcmp(access->op->space, "shared");
    if (shared) fold(access->offset, folded);
    if (model_pattern(device, &model, op, shared ? folded : access->offset, &set, &why, &error))
        return pattern_fail(message, "%s", error.message);
    for (uint32_t c = 0; c < COUNTER_COUNT && out->counter_count < LW_COUNT(out->counters); c++)
        if (set.present >> c & 1)
            out->counters[out->counter_count++] = (lw_counter){counter_descs[c].name, set.value[c]};
    if (why) snprintf(out->why, sizeof out->why, "%s", why);
    set_cost(out, !strcmp(access->op->space, "constant"));
    return 0;
}

int pattern_fits(const device_profile *device, const lw_access *access, lw_message *message)
{
    const char *space = access->op->space;
    uint64_t limit = LW_OFFSET_LIMIT;
    if (!strcmp(space, "shared")) limit = LW_MAX(device->shared_per_block, device->shared_per_block_optin);
    if (!strcmp(space, "constant")) limit = 64 << 10;
    if (!strcmp(space, "local")) limit = 512 << 10;  /* bytes of a thread */
    if (!strcmp(space, "dshared")) limit = 16 << 24; /* 16 blocks of a cluster, 16 MiB of addresses each */
    for (uint32_t i = 0; i < LW_LANES && limit; i++)
        if (access->offset[i] >= 0 && (uint64_t)access->offset[i] + access->op->bytes > limit)
            return pattern_fail(
                message, "lane %u would access byte %lld: there are %llu bytes of %s memory on cc %u.%u", i,
                (long long)access->offset[i], (unsigned long long)limit, space, device->cc_major, device->cc_minor);
    return 0;
}

int lw_access_count(const char *device, const lw_access *access, const lw_access_options *options,
                    lw_access_counts *out, lw_message *message)
{
    device_profile profile;
    if (pattern_device(device, &profile, message) || pattern_fits(&profile, access, message)) return 1;
    if (pattern_count_on(&profile, access, options, out, message)) return 1;
    return lw_device_find(device, &out->device, message);
}

bool lw_access_counter(const lw_access_counts *counts, const char *name, uint64_t *out)
{
    for (size_t i = 0; i < counts->counter_count; i++) {
        if (strcmp(counts->counters[i].name, name)) continue;
        *out = counts->counters[i].value;
        return true;
    }
    return false;
}
