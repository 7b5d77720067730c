/* CUDA's numbers, by name: what both of its APIs number alike, with the names of cuda.h and driver_types.h. */
#ifndef LW_HOST_CUDA_NUMBERS_H
#define LW_HOST_CUDA_NUMBERS_H

enum host_limit { /* cudaLimit, CUlimit */
                  HOST_LIMIT_STACK_SIZE,
                  HOST_LIMIT_PRINTF_FIFO_SIZE,
                  HOST_LIMIT_MALLOC_HEAP_SIZE,
                  HOST_LIMIT_SYNC_DEPTH, /* not since cc 9.0 */
                  HOST_LIMIT_PENDING_LAUNCHES,
                  HOST_LIMIT_L2_FETCH_GRANULARITY,
                  HOST_LIMIT_PERSISTING_L2,
                  HOST_LIMIT_SHARED_MEMORY, /* read only */
                  HOST_LIMIT_COUNT
};

enum host_cache_preference { /* cudaFuncCache, CUfunc_cache */
                             HOST_CACHE_PREFER_NONE,
                             HOST_CACHE_PREFER_SHARED,
                             HOST_CACHE_PREFER_L1,
                             HOST_CACHE_PREFER_EQUAL,
                             HOST_CACHE_PREFERENCES
};

enum host_bank_width { /* cudaSharedMemConfig, CUsharedconfig */
                       HOST_BANKS_DEFAULT,
                       HOST_BANKS_FOUR_BYTES,
                       HOST_BANKS_EIGHT_BYTES,
                       HOST_BANK_WIDTHS
};

/* clang-format off */
enum host_device_number { /* cudaDeviceAttr, CUdevice_attribute: HOST_DEVICE_<name>, a row each of attributes.def */
#define FIELD_ATTRIBUTE(name, number, field) HOST_DEVICE_##name = number,
#define PRODUCT_ATTRIBUTE(name, number, a, b) HOST_DEVICE_##name = number,
#define FIXED_ATTRIBUTE(name, number, value) HOST_DEVICE_##name = number,
#define CLUSTER_ATTRIBUTE(name, number) HOST_DEVICE_##name = number,
#define INDEXED_ATTRIBUTE(name, number, value) HOST_DEVICE_##name = number,
#include "host/attributes.def"
#undef FIELD_ATTRIBUTE
#undef PRODUCT_ATTRIBUTE
#undef FIXED_ATTRIBUTE
#undef CLUSTER_ATTRIBUTE
#undef INDEXED_ATTRIBUTE
};
/* clang-format on */

enum host_kernel_number { /* CUfunction_attribute; cudaFuncAttribute from 8 on */
                          HOST_KERNEL_MAX_THREADS_PER_BLOCK,
                          HOST_KERNEL_STATIC_SHARED,
                          HOST_KERNEL_CONSTANT,
                          HOST_KERNEL_LOCAL,
                          HOST_KERNEL_REGISTERS,
                          HOST_KERNEL_PTX_VERSION,
                          HOST_KERNEL_BINARY_VERSION,
                          HOST_KERNEL_CACHE_MODE_CA,
                          HOST_KERNEL_MAX_DYNAMIC_SHARED,
                          HOST_KERNEL_SHARED_CARVEOUT,
                          HOST_KERNEL_CLUSTER_MUST_BE_SET,
                          HOST_KERNEL_CLUSTER_WIDTH,
                          HOST_KERNEL_CLUSTER_HEIGHT,
                          HOST_KERNEL_CLUSTER_DEPTH,
                          HOST_KERNEL_NONPORTABLE_CLUSTER,
                          HOST_KERNEL_CLUSTER_POLICY
};

enum host_pool_number { /* cudaMemPoolAttr, CUmemPool_attribute */
                        HOST_POOL_FOLLOW_EVENTS = 1,
                        HOST_POOL_OPPORTUNISTIC,
                        HOST_POOL_INTERNAL_DEPENDENCIES,
                        HOST_POOL_RELEASE_THRESHOLD,
                        HOST_POOL_RESERVED,
                        HOST_POOL_RESERVED_HIGH,
                        HOST_POOL_USED,
                        HOST_POOL_USED_HIGH
};

enum host_allocation_type { /* cudaMemAllocationType, CUmemAllocationType */
                            HOST_ALLOCATION_PINNED = 1,
                            HOST_ALLOCATION_MANAGED = 2
};

enum host_location_type { /* cudaMemLocationType, CUmemLocationType */
                          HOST_LOCATION_NONE,
                          HOST_LOCATION_DEVICE,
                          HOST_LOCATION_HOST,
                          HOST_LOCATION_HOST_NUMA,
                          HOST_LOCATION_HOST_NUMA_CURRENT
};

enum host_device_ordinal { /* what stands for a device's number: cudaCpuDeviceId, cudaInvalidDeviceId */
                           HOST_DEVICE_CPU = -1,
                           HOST_DEVICE_INVALID = -2
};

enum host_access { /* cudaMemAccessFlags, CUmemAccess_flags */
                   HOST_ACCESS_NONE = 0,
                   HOST_ACCESS_READ = 1,
                   HOST_ACCESS_READ_WRITE = 3
};

enum host_advice { /* cudaMemoryAdvise, CUmem_advise: odd ones set, even ones unset */
                   HOST_ADVICE_SET_READ_MOSTLY = 1,
                   HOST_ADVICE_UNSET_READ_MOSTLY,
                   HOST_ADVICE_SET_PREFERRED,
                   HOST_ADVICE_UNSET_PREFERRED,
                   HOST_ADVICE_SET_ACCESSED_BY,
                   HOST_ADVICE_UNSET_ACCESSED_BY
};

enum host_range_number { /* cudaMemRangeAttribute, CUmem_range_attribute */
                         HOST_RANGE_READ_MOSTLY = 1,
                         HOST_RANGE_PREFERRED_DEVICE,
                         HOST_RANGE_ACCESSED_BY,
                         HOST_RANGE_PREFETCH_DEVICE,
                         HOST_RANGE_PREFERRED_TYPE,
                         HOST_RANGE_PREFERRED_ID,
                         HOST_RANGE_PREFETCH_TYPE,
                         HOST_RANGE_PREFETCH_ID
};

enum host_capture_status { /* cudaStreamCaptureStatus, CUstreamCaptureStatus */
                           HOST_CAPTURE_NONE,
                           HOST_CAPTURE_ACTIVE,
                           HOST_CAPTURE_INVALIDATED
};

enum host_capture_mode { /* cudaStreamCaptureMode, CUstreamCaptureMode */
                         HOST_CAPTURE_GLOBAL,
                         HOST_CAPTURE_THREAD_LOCAL,
                         HOST_CAPTURE_RELAXED
};

enum host_stream_flag { /* cudaStreamNonBlocking, CU_STREAM_NON_BLOCKING */
                        HOST_STREAM_NON_BLOCKING = 1
};

enum host_event_flag { /* cudaEventBlockingSync ..., CU_EVENT_BLOCKING_SYNC ... */
                       HOST_EVENT_BLOCKING_SYNC = 1,
                       HOST_EVENT_NO_TIMING = 2,
                       HOST_EVENT_INTERPROCESS = 4
};

enum host_event_use { /* cudaEventRecordExternal, cudaEventWaitExternal: a node of the graph, not an edge of the capture */
                      HOST_EVENT_EXTERNAL = 1
};

enum host_wait_value { /* CUstreamWaitValue_flags, the lower two bits */
                       HOST_WAIT_GEQ,
                       HOST_WAIT_EQ,
                       HOST_WAIT_AND,
                       HOST_WAIT_NOR
};

enum host_array_flag { /* cudaArrayLayered ..., CUDA_ARRAY3D_LAYERED ... */
                       HOST_ARRAY_LAYERED = 1,
                       HOST_ARRAY_SURFACE = 2,
                       HOST_ARRAY_CUBEMAP = 4,
                       HOST_ARRAY_GATHER = 8,
                       HOST_ARRAY_FLAGS = 15
};

enum host_format_kind { /* cudaChannelFormatKind */
                        HOST_FORMAT_SIGNED,
                        HOST_FORMAT_UNSIGNED,
                        HOST_FORMAT_FLOAT
};

enum host_address_mode { /* cudaTextureAddressMode, CUaddress_mode */
                         HOST_ADDRESS_WRAP,
                         HOST_ADDRESS_CLAMP,
                         HOST_ADDRESS_MIRROR,
                         HOST_ADDRESS_BORDER
};

enum host_filter_mode { /* cudaTextureFilterMode, CUfilter_mode */
                        HOST_FILTER_POINT,
                        HOST_FILTER_LINEAR
};

enum host_read_mode { /* cudaTextureReadMode */
                      HOST_READ_ELEMENT,
                      HOST_READ_NORMALIZED
};

enum host_resource { /* cudaResourceType, CUresourcetype */
                     HOST_RESOURCE_ARRAY,
                     HOST_RESOURCE_MIPMAPPED,
                     HOST_RESOURCE_LINEAR,
                     HOST_RESOURCE_PITCH
};

#endif
