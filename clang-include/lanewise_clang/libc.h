/*
 * The C library's part of device code: printf, assert, malloc and free, memory and string functions, new and delete.
 * printf is lowered by clang to vprintf with a packed buffer.
 */
#ifndef LWC_LIBC_H
#define LWC_LIBC_H

#include "driver_calls.h"
#include <assert.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the host's assert macro calls. Without a line of its own: the failure stands where assert() does. */
__attribute__((device, noreturn, always_inline, nodebug)) static __inline__ void
__assert_fail(const char *text, const char *file, unsigned line, const char *function) noexcept
{
    __assertfail(text, file, line, function, sizeof(char));
}

extern "C" {
__attribute__((device, always_inline, nodebug)) inline void *memcpy(void *d, const void *s, size_t n) noexcept
{
    return __builtin_memcpy(d, s, n);
}
__attribute__((device, always_inline, nodebug)) inline void *memset(void *d, int c, size_t n) noexcept
{
    return __builtin_memset(d, c, n);
}
__attribute__((device, always_inline, nodebug)) inline void *memmove(void *d, const void *s, size_t n) noexcept
{
    return __builtin_memmove(d, s, n);
}
}

LWC_FN int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}
LWC_FN size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n]) n++;
    return n;
}
LWC_FN int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b) a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

/* Clang's own <new> wrapper, where it stands in front of the C++ library's, has these. */
#if defined(__CUDA_ARCH__) && !defined(__CLANG_CUDA_WRAPPERS_NEW)
__attribute__((device)) inline void *operator new(size_t n) { return ::malloc(n); }
__attribute__((device)) inline void *operator new[](size_t n) { return ::malloc(n); }
__attribute__((device)) inline void operator delete(void *p) noexcept { ::free(p); }
__attribute__((device)) inline void operator delete[](void *p) noexcept { ::free(p); }
__attribute__((device)) inline void operator delete(void *p, size_t) noexcept { ::free(p); }
__attribute__((device)) inline void operator delete[](void *p, size_t) noexcept { ::free(p); }
__attribute__((device, always_inline, nodebug)) inline void *operator new(size_t, void *p) noexcept { return p; }
__attribute__((device, always_inline, nodebug)) inline void *operator new[](size_t, void *p) noexcept { return p; }
__attribute__((device, always_inline, nodebug)) inline void operator delete(void *, void *) noexcept {}
__attribute__((device, always_inline, nodebug)) inline void operator delete[](void *, void *) noexcept {}
#endif

/* The entry of an abstract function in a device class's table of virtual functions. */
#if defined(__CUDA_ARCH__)
extern "C" __attribute__((device, weak)) void __cxa_pure_virtual(void) { __builtin_trap(); }
#endif

#endif
