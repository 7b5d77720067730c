/* cudart_abi.h: the part of CUDA 13.0's binary interface that the runtime has alone (see face/face_abi.h): layouts of the
 * structures that programs pass. */
#ifndef LW_CUDART_ABI_H
#define LW_CUDART_ABI_H

#include "face/face_abi.h"

typedef struct rt_dim3 {
    uint32_t size[3]; /* x, y, z */
} rt_dim3;

typedef struct rt_channel_desc {
    int x, y, z, w, f;
} rt_channel_desc;

typedef struct rt_extent {
    size_t width, height, depth;
} rt_extent;

typedef struct rt_pos {
    size_t x, y, z;
} rt_pos;

typedef struct rt_pitched_ptr {
    void *ptr;
    size_t pitch, xsize, ysize;
} rt_pitched_ptr;

struct host_array;
typedef struct rt_memcpy3d {
    struct host_array *src_array;
    rt_pos src_pos;
    rt_pitched_ptr src_ptr;
    struct host_array *dst_array;
    rt_pos dst_pos;
    rt_pitched_ptr dst_ptr;
    rt_extent extent;
    int kind;
} rt_memcpy3d;
_Static_assert(sizeof(rt_memcpy3d) == 160 && offsetof(rt_memcpy3d, kind) == 152, "cudaMemcpy3DParms");

typedef struct rt_memcpy3d_peer {
    struct host_array *src_array;
    rt_pos src_pos;
    rt_pitched_ptr src_ptr;
    int src_device;
    struct host_array *dst_array;
    rt_pos dst_pos;
    rt_pitched_ptr dst_ptr;
    int dst_device;
    rt_extent extent;
} rt_memcpy3d_peer;
_Static_assert(sizeof(rt_memcpy3d_peer) == 168 && offsetof(rt_memcpy3d_peer, extent) == 144, "cudaMemcpy3DPeerParms");

typedef struct rt_launch_config {
    rt_dim3 grid, block;
    size_t dynamic_shared;
    void *stream;
    face_attribute *attributes;
    uint32_t attribute_count;
} rt_launch_config;
_Static_assert(sizeof(rt_launch_config) == 56 && offsetof(rt_launch_config, attribute_count) == 48,
               "cudaLaunchConfig_t");

typedef struct rt_func_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout,
        cluster_must_be_set, required_cluster[3], cluster_policy, nonportable_cluster, reserved[16];
} rt_func_attributes;
_Static_assert(sizeof(rt_func_attributes) == 144 && offsetof(rt_func_attributes, nonportable_cluster) == 72, "func");

typedef struct rt_pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
} rt_pointer_attributes;
_Static_assert(sizeof(rt_pointer_attributes) == 88, "cudaPointerAttributes");

typedef struct rt_resource_desc {
    int type;
    union {
        void *array;
        struct {
            void *pointer;
            rt_channel_desc desc;
            size_t bytes;
        } linear;
        struct {
            void *pointer;
            rt_channel_desc desc;
            size_t width, height, pitch;
        } pitch;
        int room[32];
    } u;
    uint32_t flags;
} rt_resource_desc;
_Static_assert(sizeof(rt_resource_desc) == 144 && offsetof(rt_resource_desc, u.pitch.pitch) == 56, "cudaResourceDesc");

typedef struct rt_texture_desc {
    int address_mode[3], filter_mode, read_mode, srgb;
    float border[4];
    int normalized;
    uint32_t max_anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
    int no_trilinear, seamless;
} rt_texture_desc;
_Static_assert(sizeof(rt_texture_desc) == 72 && offsetof(rt_texture_desc, normalized) == 40, "cudaTextureDesc");

/* cudaDeviceProp. Most integers are device attributes under another name: rt_device.c lists which. */
typedef struct rt_device_prop {
    char name[256];
    uint8_t uuid[16];
    char luid[8];
    uint32_t luid_mask;
    size_t total_global_mem; /* 288 */
    size_t shared_per_block; /* 296 */
    int regs_per_block, warp_size;
    size_t mem_pitch; /* 312 */
    int max_threads_per_block, max_threads_dim[3], max_grid[3];
    size_t total_const; /* 352 */
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment; /* 368 */
    int sm_count, integrated, can_map_host;
    int texture1d, texture1d_mipmap, texture2d[2], texture2d_mipmap[2], texture2d_linear[3], texture2d_gather[2],
        texture3d[3], texture3d_alt[3], texture_cubemap, texture1d_layered[2], texture2d_layered[3],
        texture_cubemap_layered[2];
    int surface1d, surface2d[2], surface3d[3], surface1d_layered[2], surface2d_layered[3], surface_cubemap,
        surface_cubemap_layered[2];
    size_t surface_alignment; /* 552 */
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing, bus_width,
        l2_bytes, persisting_l2, threads_per_sm, priorities, global_l1, local_l1;
    size_t shared_per_sm; /* 624 */
    int regs_per_sm, managed, multi_gpu, multi_gpu_group, host_atomics, pageable, concurrent_managed, preemption,
        host_pointer_registered, cooperative;
    size_t shared_optin; /* 672 */
    int pageable_host_tables, direct_managed, blocks_per_sm, access_policy_window;
    size_t shared_reserved; /* 696 */
    int host_register, sparse_arrays, host_register_readonly, timeline_semaphores, memory_pools, rdma;
    uint32_t rdma_flush;
    int rdma_ordering;
    uint32_t pool_handle_types;
    int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps, host_numa;
    uint32_t gpu_pci_device, gpu_pci_subsystem;
    int multinode_ipc, reserved[56];
} rt_device_prop;
_Static_assert(sizeof(rt_device_prop) == 1008 && offsetof(rt_device_prop, total_global_mem) == 288 &&
                   offsetof(rt_device_prop, shared_per_sm) == 624 && offsetof(rt_device_prop, blocks_per_sm) == 688 &&
                   offsetof(rt_device_prop, gpu_pci_subsystem) == 776 &&
                   offsetof(rt_device_prop, surface_alignment) == 552,
               "cudaDeviceProp");

#endif
