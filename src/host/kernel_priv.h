/* kernel: kernels, and how many of their blocks are resident at once (kernel.c, residency.c). */
#ifndef LW_HOST_KERNEL_PRIV_H
#define LW_HOST_KERNEL_PRIV_H

#include "code/code.h"
#include "host/kernel.h"
#include "host/launch.h"
#include "result/result.h"

/* A kernel of a module. */
struct host_kernel {
    host_module *module;
    const char *name; /* owned by the entry function */
    const ptx_function *entry;
    code_kernel *code; /* NULL until needed */
    host_error build_error;
    bool built;
    int machine_registers; /* of the machine code beside the PTX; 0 unknown */
    uint32_t machine_local;
    int max_dynamic_shared, carveout, cache, nonportable_cluster, cluster_policy, required_cluster[3];
    int bank_config;          /* cudaSharedMemConfig; 0: the device's */
    char *demangled;          /* made when needed */
    uint32_t pages;           /* launches that have its PTX (ptx_lines.c) */
    struct host_sites *sites; /* made at the first counted launch; NULL until then */
    uint8_t *folds;           /* host_fold per site; made at the first predicted launch; NULL until then */
};

host_error host_kernel_need(host_kernel *kernel);
void host_kernel_free(host_kernel *kernel);
int host_kernel_max_dynamic(const host_kernel *kernel);
const char *host_kernel_demangled(host_kernel *kernel);

/* residency.c; the kernel is built */
uint32_t host_blocks_per_sm(const host_kernel *kernel, uint64_t threads, uint64_t dynamic_shared);
/* The same if a block had `more` bytes of shared memory, by the registers that a report shows; 0: it does not fit. */
uint32_t host_blocks_with_shared(const host_kernel *kernel, const host_launch_config *config, uint64_t more);
uint32_t host_resident_clusters(const host_kernel *kernel, const host_launch_config *config, uint64_t size);
/* bytes of L1 that the driver makes shared memory for such a launch */
uint64_t host_shared_carveout(const host_kernel *kernel, const host_launch_config *config);
result_occupancy host_occupancy_of_launch(const host_kernel *kernel, const host_launch_config *config);

#endif
