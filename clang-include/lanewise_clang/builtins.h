/*
 * Built-in variables, barriers, fences, clocks and control of the device.
 * The variables are objects whose members read special registers through a property.
 */
#ifndef LWC_BUILTINS_H
#define LWC_BUILTINS_H

#include "../vector_types.h"

#define LWC_SREG_PROP(field, builtin)                                                                                  \
    __declspec(property(get = get_##field)) unsigned int field;                                                        \
    static LWC_TFN unsigned int get_##field(void) { return builtin(); }

#define LWC_SREG_TYPE(tag, extra)                                                                                      \
    struct tag {                                                                                                       \
        LWC_SREG_PROP(x, __nvvm_read_ptx_sreg_##extra##_x)                                                             \
        LWC_SREG_PROP(y, __nvvm_read_ptx_sreg_##extra##_y)                                                             \
        LWC_SREG_PROP(z, __nvvm_read_ptx_sreg_##extra##_z)                                                             \
        LWC_TFN operator uint3() const { return uint3{x, y, z}; }                                                      \
        LWC_TFN operator dim3() const { return dim3(x, y, z); }                                                        \
                                                                                                                       \
      private:                                                                                                         \
        __attribute__((device)) tag(const tag &);                                                                      \
        __attribute__((device)) void operator=(const tag &) const;                                                     \
        __attribute__((device)) tag *operator&() const;                                                                \
    };

LWC_SREG_TYPE(lwc_thread_idx, tid)
LWC_SREG_TYPE(lwc_block_dim, ntid)
LWC_SREG_TYPE(lwc_block_idx, ctaid)
LWC_SREG_TYPE(lwc_grid_dim, nctaid)

extern const __attribute__((device, weak)) lwc_thread_idx threadIdx;
extern const __attribute__((device, weak)) lwc_block_dim blockDim;
extern const __attribute__((device, weak)) lwc_block_idx blockIdx;
extern const __attribute__((device, weak)) lwc_grid_dim gridDim;

/* The width of a warp is 32 on every device. */
static constexpr __attribute__((device)) const int warpSize = 32;

#undef LWC_SREG_PROP
#undef LWC_SREG_TYPE

#define LWC_SREG_U32(name, reg)                                                                                        \
    LWC_FN unsigned int name(void)                                                                                     \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm("mov.u32 %0, %%" reg ";" : "=r"(r));                                                                       \
        return r;                                                                                                      \
    }
#define LWC_SREG_U32V(name, reg)                                                                                       \
    LWC_FN unsigned int name(void)                                                                                     \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm volatile("mov.u32 %0, %%" reg ";" : "=r"(r)::"memory");                                                    \
        return r;                                                                                                      \
    }
#define LWC_SREG_U64V(name, reg)                                                                                       \
    LWC_FN unsigned long long name(void)                                                                               \
    {                                                                                                                  \
        unsigned long long r;                                                                                          \
        asm volatile("mov.u64 %0, %%" reg ";" : "=l"(r)::"memory");                                                    \
        return r;                                                                                                      \
    }

LWC_SREG_U32(lwc_laneid, "laneid")
LWC_SREG_U32V(lwc_warpid, "warpid")
LWC_SREG_U32V(lwc_smid, "smid")
LWC_SREG_U32(lwc_lanemask_lt, "lanemask_lt")
LWC_SREG_U32(lwc_lanemask_gt, "lanemask_gt")
LWC_SREG_U32(lwc_cluster_ctarank, "cluster_ctarank")
LWC_SREG_U32(lwc_cluster_nctarank, "cluster_nctarank")
LWC_SREG_U32(lwc_cluster_ctaid_x, "cluster_ctaid.x")
LWC_SREG_U32(lwc_cluster_ctaid_y, "cluster_ctaid.y")
LWC_SREG_U32(lwc_cluster_ctaid_z, "cluster_ctaid.z")
LWC_SREG_U32(lwc_cluster_nctaid_x, "cluster_nctaid.x")
LWC_SREG_U32(lwc_cluster_nctaid_y, "cluster_nctaid.y")
LWC_SREG_U32(lwc_cluster_nctaid_z, "cluster_nctaid.z")
LWC_SREG_U32(lwc_clusterid_x, "clusterid.x")
LWC_SREG_U32(lwc_clusterid_y, "clusterid.y")
LWC_SREG_U32(lwc_clusterid_z, "clusterid.z")
LWC_SREG_U32(lwc_nclusterid_x, "nclusterid.x")
LWC_SREG_U32(lwc_nclusterid_y, "nclusterid.y")
LWC_SREG_U32(lwc_nclusterid_z, "nclusterid.z")
LWC_SREG_U32(lwc_envreg1, "envreg1")
LWC_SREG_U32(lwc_envreg2, "envreg2")
LWC_SREG_U32V(lwc_clock32, "clock")
LWC_SREG_U64V(lwc_clock64, "clock64")
LWC_SREG_U64V(lwc_globaltimer, "globaltimer")

#undef LWC_SREG_U32
#undef LWC_SREG_U32V
#undef LWC_SREG_U64V

/* ---- Clocks ---- */
LWC_FN long long int clock64(void) { return (long long)lwc_clock64(); }
__attribute__((device, always_inline, nodebug)) static __inline__ long clock(void) { return (long)(int)lwc_clock32(); }
LWC_FN unsigned long long __globaltimer(void) { return lwc_globaltimer(); }
LWC_FN void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

/* ---- Barriers of the block; __syncthreads itself is a builtin of clang ---- */
LWC_FN int __syncthreads_count(int p)
{
    int r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; barrier.red.popc.u32 %0, 0, p; }"
                 : "=r"(r)
                 : "r"(p)
                 : "memory");
    return r;
}

LWC_FN int __syncthreads_and(int p)
{
    int r;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.red.and.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(r)
                 : "r"(p)
                 : "memory");
    return r;
}

LWC_FN int __syncthreads_or(int p)
{
    int r;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; barrier.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(r)
                 : "r"(p)
                 : "memory");
    return r;
}

LWC_FN void __barrier_sync(unsigned id) { asm volatile("barrier.sync %0;" ::"r"(id) : "memory"); }
LWC_FN void __barrier_sync_count(unsigned id, unsigned n)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
LWC_FN void __syncwarp(unsigned mask = 0xffffffffu) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }

/* ---- Fences ---- */
LWC_FN void __threadfence_block(void) { asm volatile("membar.cta;" ::: "memory"); }
LWC_FN void __threadfence(void) { asm volatile("membar.gl;" ::: "memory"); }
LWC_FN void __threadfence_system(void) { asm volatile("membar.sys;" ::: "memory"); }

/* ---- Control ---- */
LWC_FN void __trap(void) { asm volatile("trap;"); }
LWC_FN void __brkpt(void) { asm volatile("brkpt;"); }
LWC_FN void __prof_trigger(int n) { (void)n; }
LWC_FN void __exit(void) { asm volatile("exit;"); }

/* ---- Address spaces ---- */
#define LWC_IS_SPACE(name, space)                                                                                      \
    LWC_FN unsigned int name(const void *p)                                                                            \
    {                                                                                                                  \
        unsigned int r;                                                                                                \
        asm("{ .reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "l"(p));                   \
        return r;                                                                                                      \
    }
LWC_IS_SPACE(__isGlobal, "global")
LWC_IS_SPACE(__isShared, "shared")
LWC_IS_SPACE(__isLocal, "local")
LWC_IS_SPACE(__isConstant, "const")
LWC_IS_SPACE(__isClusterShared, "shared::cluster")
#undef LWC_IS_SPACE

#define LWC_CVTA(name, back, space)                                                                                    \
    LWC_FN size_t name(const void *p)                                                                                  \
    {                                                                                                                  \
        size_t r;                                                                                                      \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                                       \
        return r;                                                                                                      \
    }                                                                                                                  \
    LWC_FN void *back(size_t p)                                                                                        \
    {                                                                                                                  \
        void *r;                                                                                                       \
        asm("cvta." space ".u64 %0, %1;" : "=l"(r) : "l"(p));                                                          \
        return r;                                                                                                      \
    }
LWC_CVTA(__cvta_generic_to_global, __cvta_global_to_generic, "global")
LWC_CVTA(__cvta_generic_to_shared, __cvta_shared_to_generic, "shared")
LWC_CVTA(__cvta_generic_to_local, __cvta_local_to_generic, "local")
LWC_CVTA(__cvta_generic_to_constant, __cvta_constant_to_generic, "const")
#undef LWC_CVTA

/* ---- Dependent launches (sm_90; nothing to do below) ---- */
LWC_FN void cudaTriggerProgrammaticLaunchCompletion(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
LWC_FN void cudaGridDependencySynchronize(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* ---- Clusters (sm_90) ---- */
LWC_FN dim3 __clusterDim(void) { return dim3(lwc_cluster_nctaid_x(), lwc_cluster_nctaid_y(), lwc_cluster_nctaid_z()); }
LWC_FN unsigned __clusterSizeInBlocks(void) { return lwc_cluster_nctarank(); }
LWC_FN dim3 __clusterRelativeBlockIdx(void)
{
    return dim3(lwc_cluster_ctaid_x(), lwc_cluster_ctaid_y(), lwc_cluster_ctaid_z());
}
LWC_FN unsigned __clusterRelativeBlockRank(void) { return lwc_cluster_ctarank(); }
LWC_FN dim3 __clusterGridDimInClusters(void)
{
    return dim3(lwc_nclusterid_x(), lwc_nclusterid_y(), lwc_nclusterid_z());
}
LWC_FN dim3 __clusterIdx(void) { return dim3(lwc_clusterid_x(), lwc_clusterid_y(), lwc_clusterid_z()); }
LWC_FN unsigned __clusterDimIsSpecified(void)
{
    unsigned r;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r));
    return r;
}
LWC_FN void __cluster_barrier_arrive(void) { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
LWC_FN void __cluster_barrier_arrive_relaxed(void)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
LWC_FN void __cluster_barrier_wait(void) { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
LWC_FN void *__cluster_map_shared_rank(const void *p, unsigned rank)
{
    void *r;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank));
    return r;
}
LWC_FN unsigned __cluster_query_shared_rank(const void *p)
{
    unsigned r;
    asm volatile("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
    return r;
}

#endif
