/*
 * Function and variable qualifiers of CUDA C++, for clang.
 * Part of lanewise's own CUDA headers: written from the public CUDA documentation, no NVIDIA file is needed.
 */
#ifndef LWC_HOST_DEFINES_H
#define LWC_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#define LANEWISE_CLANG_HEADERS 1

#if defined(__CUDA__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* A managed variable is a device variable whose device storage is the host's own variable: the runtime finds the
 * host's copies in this section. */
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("lanewise_managed")))
#endif

/* nvcc takes "__shared__ alignas(16) int s[4]"; clang's grammar has alignas before every other specifier only, but
 * takes GNU attributes anywhere. The operand is a type or a constant, which template arguments tell apart. */
#if defined(__cplusplus) && __cplusplus >= 201103L
namespace lanewise_clang
{
template <unsigned long N> constexpr unsigned long alignment() { return N ? N : 1; }
template <class T> constexpr unsigned long alignment() { return alignof(T); }
} // namespace lanewise_clang
#define alignas(...) __attribute__((aligned(lanewise_clang::alignment<__VA_ARGS__>())))
#endif

#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif

/* Clang before 21 has no attribute for a compile-time cluster size. The section's name carries it to the compile
 * driver, which turns it into the annotation that makes the back end write .reqnctapercluster. */
#if __has_attribute(cluster_dims)
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#elif defined(__CUDA_ARCH__)
#define LWC_TEXT1(...) #__VA_ARGS__
#define LWC_TEXT(...) LWC_TEXT1(__VA_ARGS__)
#define __cluster_dims__(...) __attribute__((section("lanewise.cluster." LWC_TEXT(__VA_ARGS__))))
#else
#define __cluster_dims__(...)
#endif
#define __block_size__(...)
#define __maxnreg__(n)
#define __nv_pure__ __attribute__((pure))

/* Small device functions: nodebug gives their code the line of the caller, so that reports name the user's line. */
#define LWC_FN static __inline__ __attribute__((device, always_inline, nodebug, unused))
#define LWC_HD static __inline__ __attribute__((host, device, always_inline, nodebug, unused))
#define LWC_TFN __inline__ __attribute__((device, always_inline, nodebug))
#define LWC_THD __inline__ __attribute__((host, device, always_inline, nodebug))
#else
#define __host__
#define __device__
#define __global__
#define LWC_HD static inline __attribute__((unused))
#define LWC_THD inline
#endif

/* __noinline__ is a keyword of clang's CUDA mode. */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __no_return__ __attribute__((noreturn))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define __device_builtin__
#define __cudart_builtin__
#define CUDART_CB

/* cuRAND's headers put these around calls of their own deprecated functions. */
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#endif
