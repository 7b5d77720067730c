/* occupancy: include/lanewise/occupancy.h over the rooms device and model. Checks that an input is possible on the
 * device and says why not; the calculation is model/occupancy.c. */
#include "lanewise/occupancy.h"

#include "device/profile.h"
#include "model/occupancy.h"

#include <stdio.h>
#include <string.h>

#define MOST_BARRIERS 16 /* of a block: bar.sync takes 0 to 15 */

_Static_assert(1u << LW_LIMIT_WARPS == OCCUPANCY_BY_WARPS && 1u << LW_LIMIT_REGISTERS == OCCUPANCY_BY_REGISTERS &&
                   1u << LW_LIMIT_SHARED == OCCUPANCY_BY_SHARED && 1u << LW_LIMIT_BLOCKS == OCCUPANCY_BY_BLOCKS &&
                   1u << LW_LIMIT_BARRIERS == OCCUPANCY_BY_BARRIERS && LW_UNLIMITED == OCCUPANCY_UNLIMITED,
               "the public names of limits are the model's");

static int fail(lw_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(lw_message *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (message) vsnprintf(message->text, sizeof message->text, format, args);
    va_end(args);
    return LW_INVALID_ARGUMENT;
}

const char *lw_limit_name(lw_limit limit)
{
    static const char *const names[LW_LIMITS] = {"warps", "registers", "shared memory", "blocks", "barriers"};
    return (unsigned)limit < LW_LIMITS ? names[limit] : "?";
}

/* ---- what is possible ---- */

static int check_cluster(const device_profile *d, uint32_t cluster, lw_message *message)
{
    if (cluster <= 1) return 0;
    if (!d->max_cluster)
        return fail(message, "a cluster of %u blocks: %s (cc %u.%u) has no clusters; they exist from cc 9.0 on",
                    cluster, d->name, d->cc_major, d->cc_minor);
    if (cluster > d->max_cluster)
        return fail(message, "a cluster of %u blocks: %s allows at most %llu", cluster, d->name,
                    (unsigned long long)d->max_cluster);
    return 0;
}

static int check_carveout(int carveout, lw_message *message)
{
    if (carveout >= LW_CARVEOUT_PREFER_EQUAL && carveout <= 100) return 0;
    return fail(message, "a carve-out of %d: it must be 0 to 100 percent, or a preference", carveout);
}

/* All but the block size. */
static int check(const device_profile *d, const lw_occupancy_query *q, lw_message *message)
{
    uint64_t shared = LW_MAX(d->shared_per_block, d->shared_per_block_optin);
    if (q->registers > model_register_limit(d))
        return fail(message, "%u registers: a thread of %s has at most %u", q->registers, d->name,
                    model_register_limit(d));
    if (q->shared > shared)
        return fail(message, "%u bytes of shared memory: a block of %s has at most %llu", q->shared, d->name,
                    (unsigned long long)shared);
    if (q->barriers > MOST_BARRIERS)
        return fail(message, "%u barriers: a block has at most %d", q->barriers, MOST_BARRIERS);
    if (check_carveout(q->carveout, message)) return LW_INVALID_ARGUMENT;
    return check_cluster(d, q->cluster, message);
}

static int check_threads(const device_profile *d, const lw_occupancy_query *q, lw_message *message)
{
    uint64_t most = LW_MAX(d->shared_per_block, d->shared_per_block_optin);
    uint64_t shared = q->shared + (uint64_t)q->threads * q->shared_per_thread;
    if (!q->threads) return fail(message, "0 threads: a block has at least 1");
    if (q->threads > d->threads_per_block)
        return fail(message, "%u threads: a block of %s has at most %llu", q->threads, d->name,
                    (unsigned long long)d->threads_per_block);
    if (shared > most)
        return fail(
            message, "%llu bytes of shared memory (%u and %u for each of %u threads): a block of %s has at most %llu",
            (unsigned long long)shared, q->shared, q->shared_per_thread, q->threads, d->name, (unsigned long long)most);
    return 0;
}

/* ---- the calculation ---- */

static occupancy_query query_of(const device_profile *d, const lw_occupancy_query *q)
{
    occupancy_query out = {.threads = q->threads,
                           .registers = q->registers,
                           .dynamic_shared = q->shared, /* opted in, so that all there is can be had */
                           .max_dynamic_shared = (uint32_t)LW_MAX(d->shared_per_block, d->shared_per_block_optin),
                           .opted_in = true,
                           .carveout = q->carveout >= 0 ? q->carveout : -1,
                           .barriers = q->barriers,
                           .shared_per_thread = q->shared_per_thread};
    if (q->carveout == LW_CARVEOUT_PREFER_SHARED) out.cache = OCCUPANCY_CACHE_SHARED;
    if (q->carveout == LW_CARVEOUT_PREFER_L1) out.cache = OCCUPANCY_CACHE_L1;
    if (q->carveout == LW_CARVEOUT_PREFER_EQUAL) out.cache = OCCUPANCY_CACHE_EQUAL;
    return out;
}

static lw_occupancy answer_of(const device_profile *d, const occupancy_query *q, const occupancy *o, uint32_t cluster)
{
    uint64_t shared = q->dynamic_shared + (uint64_t)q->threads * q->shared_per_thread;
    lw_occupancy out = {.threads = q->threads,
                        .blocks_per_sm = o->blocks_per_sm,
                        .warps_per_sm = o->warps_per_sm,
                        .max_warps_per_sm = (uint32_t)d->warps_per_sm,
                        .registers_per_sm = (uint32_t)d->registers_per_sm,
                        .limits = {o->by_warps, o->by_registers, o->by_shared, o->by_blocks, o->by_barriers},
                        .limited_by = o->limited_by,
                        .registers_per_block = o->registers_per_block,
                        .shared_per_block = o->shared_per_block,
                        .shared_reserved = d->shared_reserved,
                        .shared_per_sm = o->shared_per_sm,
                        .needs_opt_in = shared > d->shared_per_block,
                        .cluster = LW_MAX(cluster, 1u)};
    if (out.cluster == 1) return out;
    bool exact;
    out.active_clusters = model_active_clusters(d, o, cluster, &exact);
    out.clusters_estimated = !exact;
    out.needs_nonportable = cluster > d->max_cluster_portable;
    return out;
}

static int finish(const lw_error *error, lw_message *message)
{
    if (error->status) return fail(message, "%s", *error->message ? error->message : lw_status_text(error->status));
    return 0;
}

int lw_occupancy_of(const lw_occupancy_query *query, lw_occupancy *out, lw_message *message)
{
    lw_error error = {0};
    device_profile d;
    if (device_find(query->device, &d, &error)) return finish(&error, message);
    if (check(&d, query, message) || check_threads(&d, query, message)) return LW_INVALID_ARGUMENT;
    occupancy_query q = query_of(&d, query);
    occupancy o;
    if (model_occupancy(&d, &q, &o, &error)) return finish(&error, message);
    *out = answer_of(&d, &q, &o, query->cluster);
    return 0;
}

int lw_occupancy_sizes(const lw_occupancy_query *query, lw_occupancy out[LW_OCCUPANCY_SIZES], size_t *count,
                       size_t *best, lw_message *message)
{
    lw_error error = {0};
    device_profile d;
    occupancy o;
    uint32_t suggested;
    if (device_find(query->device, &d, &error)) return finish(&error, message);
    if (check(&d, query, message)) return LW_INVALID_ARGUMENT;
    occupancy_query q = query_of(&d, query);
    if (model_occupancy_best(&d, &q, &suggested, &o, &error)) return finish(&error, message);
    *count = 0;
    *best = LW_OCCUPANCY_SIZES;
    for (q.threads = (uint32_t)d.warp_size; q.threads <= d.threads_per_block && *count < LW_OCCUPANCY_SIZES;
         q.threads += (uint32_t)d.warp_size) {
        if (model_occupancy(&d, &q, &o, &error)) return finish(&error, message);
        if (q.threads == suggested) *best = *count;
        out[(*count)++] = answer_of(&d, &q, &o, query->cluster);
    }
    return 0;
}
