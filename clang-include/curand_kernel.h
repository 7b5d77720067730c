/*
 * The device side of cuRAND: NVIDIA's own headers, of which only these work here, made to pass.
 * One of them declares blockDim and threadIdx again for the host's pass, as what they are to nvcc. It is included first,
 * with those two types named as in this folder; its guard keeps it from coming again. Without the headers of cuRAND on
 * the machine there is no device side.
 */
#ifndef LWC_CURAND_KERNEL_H
#define LWC_CURAND_KERNEL_H

#if !defined(__has_include_next) || !__has_include_next(<curand_kernel.h>)
#error "cuRAND's headers were not found: install NVIDIA's cuRAND development package, or give its folder with -I"
#else
#include <cuda_runtime.h>
#include <memory.h>
#include <nv/target>

#pragma push_macro("dim3")
#pragma push_macro("uint3")
#define dim3 lwc_block_dim
#define uint3 lwc_thread_idx
#include <curand_mtgp32_kernel.h>
#pragma pop_macro("uint3")
#pragma pop_macro("dim3")

#include_next <curand_kernel.h>
#endif
#endif
