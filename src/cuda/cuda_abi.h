/* cuda_abi.h: the binary interface of the CUDA 13.0 driver as far as this library implements it: layouts of the
 * structures that programs pass and the values of enumerators, written down afresh from the public documentation and
 * checked against sizes and offsets of a 13.0 toolkit. No NVIDIA header is needed to build. Device pointers are 64 bits
 * wide. */
#ifndef LW_CUDA_ABI_H
#define LW_CUDA_ABI_H

#include "host/host.h"

#include <stddef.h>
#include <stdint.h>

#define CU_VERSION 13000

enum { CU_MEMORY_HOST = 1, CU_MEMORY_DEVICE = 2, CU_MEMORY_ARRAY = 3, CU_MEMORY_UNIFIED = 4 };

struct host_array;
typedef struct cu_copy_side_2d {
    size_t x, y;
    int type;
    void *host;
    uint64_t device;
    struct host_array *array;
    size_t pitch;
} cu_copy_side_2d;
typedef struct cu_memcpy2d {
    cu_copy_side_2d src, dst;
    size_t width, height;
} cu_memcpy2d;
_Static_assert(sizeof(cu_memcpy2d) == 128 && offsetof(cu_memcpy2d, width) == 112, "CUDA_MEMCPY2D");

typedef struct cu_copy_side_3d {
    size_t x, y, z, lod;
    int type;
    void *host;
    uint64_t device;
    struct host_array *array;
    void *context; /* the peer form's; else reserved */
    size_t pitch, height;
} cu_copy_side_3d;
typedef struct cu_memcpy3d {
    cu_copy_side_3d src, dst;
    size_t width, height, depth;
} cu_memcpy3d;
_Static_assert(sizeof(cu_memcpy3d) == 200 && offsetof(cu_memcpy3d, width) == 176, "CUDA_MEMCPY3D");

typedef struct cu_array_desc {
    size_t width, height;
    int format;
    uint32_t channels;
} cu_array_desc;
typedef struct cu_array3d_desc {
    size_t width, height, depth;
    int format;
    uint32_t channels, flags;
} cu_array3d_desc;
_Static_assert(sizeof(cu_array_desc) == 24 && sizeof(cu_array3d_desc) == 40, "CUDA_ARRAY_DESCRIPTOR");

typedef struct cu_resource_desc {
    int type; /* 0 array, 1 mipmapped array, 2 linear, 3 pitch 2-D */
    union {
        void *array;
        struct {
            uint64_t pointer;
            int format;
            uint32_t channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t pointer;
            int format;
            uint32_t channels;
            size_t width, height, pitch;
        } pitch;
        int room[32];
    } u;
    uint32_t flags;
} cu_resource_desc;
_Static_assert(sizeof(cu_resource_desc) == 144 && offsetof(cu_resource_desc, u.pitch.pitch) == 40,
               "CUDA_RESOURCE_DESC");

typedef struct cu_texture_desc {
    int address_mode[3], filter_mode;
    uint32_t flags, max_anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max, border[4];
    int reserved[12];
} cu_texture_desc;
_Static_assert(sizeof(cu_texture_desc) == 104 && offsetof(cu_texture_desc, border) == 40, "CUDA_TEXTURE_DESC");

/* CUlaunchAttributeID */
enum {
    CU_ATTRIBUTE_ACCESS_POLICY = 1,
    CU_ATTRIBUTE_COOPERATIVE = 2,
    CU_ATTRIBUTE_SYNC_POLICY = 3,
    CU_ATTRIBUTE_CLUSTER = 4,
    CU_ATTRIBUTE_PROGRAMMATIC = 6,
    CU_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
    CU_ATTRIBUTE_PRIORITY = 8,
    CU_ATTRIBUTE_DOMAIN_MAP = 9,
    CU_ATTRIBUTE_DOMAIN = 10,
    CU_ATTRIBUTE_COMPLETION_EVENT = 12,
    CU_ATTRIBUTE_UPDATABLE_NODE = 13,
    CU_ATTRIBUTE_LAST = 16
};
typedef union cu_attribute_value {
    char room[64];
    int number;
    uint32_t cluster[3];
    struct {
        void *event;
        int flags, at_block_start;
    } event;
} cu_attribute_value;
typedef struct cu_attribute {
    int id, pad;
    cu_attribute_value value;
} cu_attribute;
_Static_assert(sizeof(cu_attribute) == 72, "CUlaunchAttribute");

typedef struct cu_launch_config {
    uint32_t grid[3], block[3], shared;
    void *stream;
    cu_attribute *attributes;
    uint32_t attribute_count;
} cu_launch_config;
_Static_assert(sizeof(cu_launch_config) == 56 && offsetof(cu_launch_config, stream) == 32, "CUlaunchConfig");

/* The keys of extra[], pairs of key and value up to a NULL key. */
#define CU_EXTRA_POINTER ((void *)1)
#define CU_EXTRA_SIZE ((void *)2)

typedef host_location cu_location; /* CUmemLocation */
typedef struct cu_pool_props {
    int alloc_type, handle_types;
    cu_location location;
    void *security;
    size_t max_size;
    uint16_t usage;
    uint8_t reserved[54];
} cu_pool_props;
_Static_assert(sizeof(cu_pool_props) == 88, "CUmemPoolProps");
typedef struct cu_access_desc {
    cu_location location;
    int flags;
} cu_access_desc;

/* ---- graphs ---- */
typedef struct cu_kernel_params { /* version 1 ends after extra */
    void *function;
    uint32_t grid[3], block[3], shared;
    void **params, **extra;
    void *kernel, *context;
} cu_kernel_params;
_Static_assert(sizeof(cu_kernel_params) == 72 && offsetof(cu_kernel_params, kernel) == 56, "CUDA_KERNEL_NODE_PARAMS");
typedef struct cu_memset_params {
    uint64_t dst;
    size_t pitch;
    uint32_t value, element_size;
    size_t width, height;
} cu_memset_params;
_Static_assert(sizeof(cu_memset_params) == 40, "CUDA_MEMSET_NODE_PARAMS");
typedef struct cu_host_params {
    void (*function)(void *user);
    void *user;
} cu_host_params;
typedef struct cu_alloc_params {
    cu_pool_props props;
    const cu_access_desc *access;
    size_t access_count, bytes;
    uint64_t pointer;
} cu_alloc_params;
_Static_assert(sizeof(cu_alloc_params) == 120 && offsetof(cu_alloc_params, pointer) == 112,
               "CUDA_MEM_ALLOC_NODE_PARAMS");
typedef struct cu_node_params {
    int type, reserved0[3];
    union {
        long long room[29];
        cu_kernel_params kernel;
        struct {
            int flags, reserved;
            void *context;
            cu_memcpy3d copy;
        } memcpy;
        cu_memset_params memset;
        cu_host_params host;
        struct {
            void *graph;
            int ownership;
        } graph;
        struct {
            void *event;
        } event;
        cu_alloc_params alloc;
        struct {
            uint64_t pointer;
        } free;
    } u;
    long long reserved2;
} cu_node_params;
_Static_assert(sizeof(cu_node_params) == 256 && offsetof(cu_node_params, u.memcpy.copy) == 32, "CUgraphNodeParams");
typedef struct cu_edge_data {
    uint8_t from_port, to_port, type, reserved[5];
} cu_edge_data;
typedef struct cu_instantiate_params {
    uint64_t flags;
    void *upload_stream, *error_node;
    int result;
} cu_instantiate_params;
_Static_assert(sizeof(cu_instantiate_params) == 32, "CUDA_GRAPH_INSTANTIATE_PARAMS");
typedef struct cu_update_info {
    int result;
    void *error_node, *error_from_node;
} cu_update_info;

/* ---- stream memory operations: a union of records of 48 bytes ---- */
typedef union cu_memory_op {
    int kind; /* 1 wait 32, 2 write 32, 3 flush, 4 wait 64, 5 write 64, 6 barrier */
    struct {
        int kind;
        uint64_t address;
        uint64_t value; /* the 32-bit forms use its low half */
        uint32_t flags;
        uint64_t alias;
    } value;
    uint64_t room[6];
} cu_memory_op;
_Static_assert(sizeof(cu_memory_op) == 48 && offsetof(cu_memory_op, value.flags) == 24, "CUstreamBatchMemOpParams");

typedef struct cu_device_prop {
    int max_threads_per_block, max_threads_dim[3], max_grid[3], shared_per_block, total_const, simd_width, mem_pitch,
        regs_per_block, clock_rate, texture_align;
} cu_device_prop;

/* CUjit_option */
enum {
    CU_JIT_MAX_REGISTERS = 0,
    CU_JIT_WALL_TIME = 2,
    CU_JIT_INFO_LOG = 3,
    CU_JIT_INFO_LOG_SIZE = 4,
    CU_JIT_ERROR_LOG = 5,
    CU_JIT_ERROR_LOG_SIZE = 6,
    CU_JIT_TARGET = 9,
    CU_JIT_LOG_VERBOSE = 12
};
/* CUjitInputType */
enum { CU_INPUT_CUBIN, CU_INPUT_PTX, CU_INPUT_FATBINARY, CU_INPUT_OBJECT, CU_INPUT_LIBRARY, CU_INPUT_NVVM };

#endif
