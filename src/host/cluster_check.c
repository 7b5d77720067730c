/* The cluster size of a launch: what the kernel was compiled for, what was asked for, what the device has. */
#include <string.h>

#include "device/profile.h"
#include "host/kernel_priv.h"
#include "host/launch_priv.h"
#include "host/module_priv.h"
#include "host/refuse.h"
#include "host/state_priv.h"

typedef unsigned long long ull; /* what printf takes */

static uint64_t volume(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

/* Settles the cluster size. any_size: sizes above the device's are left to the caller (occupancy answers 0 for them). */
host_error host_cluster_check(const host_kernel *k, host_launch_config *g, bool any_size)
{
    const host_error bad = HOST_INVALID_CLUSTER_SIZE;
    const device_profile *d = k->module->context->device;
    const ptx_function *f = k->entry;
    uint32_t own[3] = {f->reqnctapercluster[0], LW_MAX(f->reqnctapercluster[1], 1u),
                       LW_MAX(f->reqnctapercluster[2], 1u)};
    if (!own[0] && k->required_cluster[0])
        for (int i = 0; i < 3; i++) own[i] = (uint32_t)LW_MAX(k->required_cluster[i], 1);
    bool given = g->cluster_given;
    if (!given && !own[0]) {
        for (int i = 0; i < 3; i++) g->cluster[i] = 1;
        return f->explicitcluster ? host_refuse(bad, "The kernel must be launched with a cluster size.") : 0;
    }
    if (!given) memcpy(g->cluster, own, sizeof own);
    if (given && own[0] && memcmp(g->cluster, own, sizeof own))
        return host_refuse(bad, "The kernel was compiled for clusters of %u x %u x %u blocks.", own[0], own[1], own[2]);
    uint64_t size = volume(g->cluster);
    if (!size) return host_refuse(bad, "The cluster is empty: each of its dimensions must be at least 1.");
    if (size > 1 && !d->max_cluster) return host_refuse(HOST_NOT_SUPPORTED, "%s has no clusters.", d->name);
    for (int i = 0; i < 3; i++)
        if (g->grid[i] % g->cluster[i])
            return host_refuse(bad, "The grid's %c, %u blocks, is no multiple of the cluster's, %u.", 'x' + i,
                               g->grid[i], g->cluster[i]);
    uint64_t most = LW_MAX(k->nonportable_cluster ? d->max_cluster : d->max_cluster_portable, UINT64_C(1));
    if (size > most && !(any_size && k->nonportable_cluster))
        return host_refuse(bad, "The cluster has %llu blocks; the most are %llu%s.", (ull)size, (ull)most,
                           k->nonportable_cluster ? ""
                                                  : ", more only after cudaFuncSetAttribute(kernel, "
                                                    "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)");
    return 0;
}
