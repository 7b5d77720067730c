/* cuda_abi.h: the part of CUDA 13.0's binary interface that the driver has alone (see face/face_abi.h): layouts of the
 * structures that programs pass and the values of enumerators. */
#ifndef LW_CUDA_ABI_H
#define LW_CUDA_ABI_H

#include "face/face_abi.h"

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

typedef struct cu_launch_config {
    uint32_t grid[3], block[3], shared;
    void *stream;
    face_attribute *attributes;
    uint32_t attribute_count;
} cu_launch_config;
_Static_assert(sizeof(cu_launch_config) == 56 && offsetof(cu_launch_config, stream) == 32, "CUlaunchConfig");

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
