/* Kernels: their facts, attributes and occupancy (kernel.c, occupancy.c). */
#ifndef LW_HOST_KERNEL_H
#define LW_HOST_KERNEL_H

#include "host/cuda_numbers.h"
#include "host/types.h"

typedef struct host_kernel_info {
    const char *name; /* mangled */
    host_module *module;
    uint32_t param_count;
    uint64_t static_shared_bytes, constant_bytes, local_bytes;
    int max_threads_per_block, registers, ptx_version /* 90 */, binary_version /* 90 */;
    bool registers_estimated;
    int required_cluster[3];
    bool cluster_must_be_set;
} host_kernel_info;
/* Decodes the kernel if needed. HOST_NOT_SUPPORTED when it contains what is not supported (named on stderr once). */
host_error host_kernel_query(host_kernel *kernel, host_kernel_info *out);
host_error host_kernel_param(host_kernel *kernel, size_t index, size_t *out_offset, size_t *out_bytes);
/* attribute: a host_kernel_number; those from HOST_KERNEL_MAX_DYNAMIC_SHARED on can be set. */
host_error host_kernel_attribute_set(host_kernel *kernel, int attribute, int value);
host_error host_kernel_attribute_get(host_kernel *kernel, int attribute, int *out_value);
/* config: a host_cache_preference, a host_bank_width. */
host_error host_kernel_cache_set(host_kernel *kernel, int config);
host_error host_kernel_bank_set(host_kernel *kernel, int config);

/* Occupancy with the kernel's resources. cluster NULL: none. */
host_error host_occupancy_blocks(host_kernel *kernel, int block_threads, uint64_t dynamic_shared,
                                 int *out_blocks_per_sm);
host_error host_occupancy_available_shared(host_kernel *kernel, int blocks, int block_threads, uint64_t *out_bytes);

#endif
