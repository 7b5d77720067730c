/* face_abi.h: the part of CUDA 13.0's binary interface that the runtime and the driver have in common: structures of the
 * same layout under two names, which are given here. What differs is in cudart/cudart_abi.h and cuda/cuda_abi.h. Written
 * down afresh from the public documentation and checked against sizes and offsets of a 13.0 toolkit; no NVIDIA header is
 * needed to build.
 *
 * A device pointer is a uint64_t throughout, also where the runtime has void *: both are passed in the same way. */
#ifndef LW_FACE_ABI_H
#define LW_FACE_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "host/host.h"

#define FACE_VERSION 13000 /* of CUDA: 1000 * major + 10 * minor */

/* ---- surfaces ---- */
typedef struct face_array_resource { /* cudaResourceDesc, CUDA_RESOURCE_DESC: arrays lie in the same place */
    int type;                        /* host_resource */
    host_array *array;
    int room[30];
    uint32_t flags;
} face_array_resource;
_Static_assert(sizeof(face_array_resource) == 144 && offsetof(face_array_resource, array) == 8,
               "cudaResourceDesc, CUDA_RESOURCE_DESC");

/* ---- views of arrays ---- */
typedef struct face_resource_view { /* cudaResourceViewDesc, CUDA_RESOURCE_VIEW_DESC: as far as anything stands there */
    int format;
    size_t width, height, depth;
    uint32_t first_level, last_level, first_layer, last_layer;
} face_resource_view;
_Static_assert(sizeof(face_resource_view) == 48, "cudaResourceViewDesc, CUDA_RESOURCE_VIEW_DESC");

/* ---- launches ---- */
/* cudaLaunchAttributeID, CUlaunchAttributeID */
enum {
    FACE_ATTRIBUTE_ACCESS_POLICY = 1,
    FACE_ATTRIBUTE_COOPERATIVE = 2,
    FACE_ATTRIBUTE_SYNC_POLICY = 3,
    FACE_ATTRIBUTE_CLUSTER = 4,
    FACE_ATTRIBUTE_PROGRAMMATIC = 6,
    FACE_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    FACE_ATTRIBUTE_PRIORITY = 8,
    FACE_ATTRIBUTE_DOMAIN_MAP = 9,
    FACE_ATTRIBUTE_DOMAIN = 10,
    FACE_ATTRIBUTE_COMPLETION_EVENT = 12,
    FACE_ATTRIBUTE_UPDATABLE_NODE = 13,
    FACE_ATTRIBUTE_LAST = 16
};

_Static_assert(sizeof(host_access_window) == 32, "cudaAccessPolicyWindow, CUaccessPolicyWindow");

typedef union face_attribute_value { /* cudaLaunchAttributeValue, CUlaunchAttributeValue */
    char room[64];
    int number;
    host_access_window window;
    uint32_t cluster[3];
    struct {
        void *event;
        int flags, at_block_start;
    } event;
} face_attribute_value;

typedef struct face_attribute { /* cudaLaunchAttribute, CUlaunchAttribute */
    int id, pad;
    face_attribute_value value;
} face_attribute;
_Static_assert(sizeof(face_attribute) == 72, "cudaLaunchAttribute, CUlaunchAttribute");

/* ---- pools ---- */
#define FACE_HANDLE_FD 1         /* cudaMemHandleTypePosixFileDescriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR */
typedef struct face_pool_props { /* cudaMemPoolProps, CUmemPoolProps */
    int alloc_type, handle_types;
    host_location location;
    void *security;
    size_t max_size;
    uint16_t usage;
    uint8_t reserved[54];
} face_pool_props;
_Static_assert(sizeof(face_pool_props) == 88, "cudaMemPoolProps, CUmemPoolProps");

typedef struct face_access_desc { /* cudaMemAccessDesc, CUmemAccessDesc */
    host_location location;
    int flags;
} face_access_desc;
_Static_assert(sizeof(face_access_desc) == 12, "cudaMemAccessDesc, CUmemAccessDesc");

/* ---- graphs ---- */
/* cudaKernelNodeParams and CUDA_KERNEL_NODE_PARAMS_v1 end before `kernel`; CUDA_KERNEL_NODE_PARAMS_v2 is all of it. */
typedef struct face_kernel_params {
    const void *function;
    uint32_t grid[3], block[3], shared;
    void **params, **extra;
    const void *kernel;
    void *context;
} face_kernel_params;
_Static_assert(sizeof(face_kernel_params) == 72 && offsetof(face_kernel_params, params) == 40 &&
                   offsetof(face_kernel_params, kernel) == 56,
               "cudaKernelNodeParams, CUDA_KERNEL_NODE_PARAMS");
#define FACE_KERNEL_PARAMS_V1 offsetof(face_kernel_params, kernel)
#define FACE_KERNEL_PARAMS_V2 sizeof(face_kernel_params)

typedef struct face_memset_params { /* cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS */
    uint64_t dst;
    size_t pitch;
    uint32_t value, element_size;
    size_t width, height;
} face_memset_params;
_Static_assert(sizeof(face_memset_params) == 40, "cudaMemsetParams, CUDA_MEMSET_NODE_PARAMS");

typedef struct face_host_params { /* cudaHostNodeParams, CUDA_HOST_NODE_PARAMS */
    void (*function)(void *user);
    void *user;
} face_host_params;

typedef struct face_alloc_params { /* cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS */
    face_pool_props props;
    const face_access_desc *access;
    size_t access_count, bytes;
    uint64_t pointer;
} face_alloc_params;
_Static_assert(sizeof(face_alloc_params) == 120 && offsetof(face_alloc_params, pointer) == 112,
               "cudaMemAllocNodeParams, CUDA_MEM_ALLOC_NODE_PARAMS");

typedef struct face_node_params { /* cudaGraphNodeParams, CUgraphNodeParams */
    int type, reserved0[3];
    union {
        long long room[29];
        face_kernel_params kernel;
        struct {
            int flags, reserved;
            void *context;      /* the driver's; reserved in the runtime */
            long long copy[25]; /* cudaMemcpy3DParms or CUDA_MEMCPY3D, the larger */
        } memcpy;
        face_memset_params memset;
        face_host_params host;
        struct {
            host_graph *graph;
            int ownership;
        } graph;
        struct {
            host_event *event;
        } event;
        face_alloc_params alloc;
        struct {
            uint64_t pointer;
        } free;
        struct { /* cudaConditionalNodeParams, CUDA_CONDITIONAL_NODE_PARAMS */
            uint64_t handle;
            int type;
            uint32_t count;
            host_graph **bodies;
        } conditional;
    } u;
    long long reserved2;
} face_node_params;
_Static_assert(sizeof(face_node_params) == 256 && offsetof(face_node_params, u.memcpy.copy) == 32,
               "cudaGraphNodeParams, CUgraphNodeParams");

typedef struct face_edge_data { /* cudaGraphEdgeData, CUgraphEdgeData */
    uint8_t from_port, to_port, type, reserved[5];
} face_edge_data;
_Static_assert(sizeof(face_edge_data) == 8, "cudaGraphEdgeData, CUgraphEdgeData");

typedef struct face_instantiate_params { /* cudaGraphInstantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS */
    uint64_t flags;
    void *upload_stream, *error_node;
    int result; /* 0 success, 1 error */
} face_instantiate_params;
_Static_assert(sizeof(face_instantiate_params) == 32 && offsetof(face_instantiate_params, result) == 24,
               "cudaGraphInstantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS");

typedef struct face_update_info { /* cudaGraphExecUpdateResultInfo, CUgraphExecUpdateResultInfo */
    int result;
    void *error_node, *error_from_node;
} face_update_info;
_Static_assert(sizeof(face_update_info) == 24, "cudaGraphExecUpdateResultInfo, CUgraphExecUpdateResultInfo");

#endif
