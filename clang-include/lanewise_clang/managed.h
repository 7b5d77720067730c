/*
 * Managed variables of the host side. Clang makes of a __managed__ variable a device variable and, on the host, an
 * ordinary variable in the section lanewise_managed; at start-up each program or library tells the runtime where that
 * section lies, and that places the device variables there: host and device share one copy.
 */
#ifndef LWC_MANAGED_H
#define LWC_MANAGED_H

#if defined(__CUDA__) && !defined(__CUDA_ARCH__)
#include <stdio.h>
#include <stdlib.h>

extern "C" {
__attribute__((weak)) void __cudaLanewiseManaged(void *start, void *stop);
extern __attribute__((weak, visibility("hidden"))) char __start_lanewise_managed[];
extern __attribute__((weak, visibility("hidden"))) char __stop_lanewise_managed[];
}

/* Weak and inline: one constructor in a linked program, however many files include this. It runs before those that
 * register variables (101 is the first priority that is free for programs). */
inline __attribute__((constructor(101), used, weak, visibility("hidden"))) void lwc_tell_managed(void)
{
    if (__start_lanewise_managed == __stop_lanewise_managed) return;
    if (!__cudaLanewiseManaged) {
        fputs("lanewise: this CUDA runtime does not know clang's __managed__ variables: use cudaMallocManaged\n",
              stderr);
        abort();
    }
    __cudaLanewiseManaged(__start_lanewise_managed, __stop_lanewise_managed);
}
#endif

#endif
