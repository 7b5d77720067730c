/*
 * The C library's part of device code: printf, assert, malloc and free, memory and string functions, new and delete.
 * printf is lowered by clang to vprintf with a packed buffer; vprintf, malloc, free and __assertfail are the calls
 * that PTX leaves to the driver.
 */
#ifndef LWC_LIBC_H
#define LWC_LIBC_H

#include "../host_defines.h"
#include <assert.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *args);
__attribute__((device)) int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__attribute__((device)) void *malloc(size_t n) __attribute__((malloc));
__attribute__((device)) void free(void *p) __attribute__((nothrow));
__attribute__((device, noreturn)) void __assertfail(const char *text, const char *file, unsigned line,
                                                    const char *function, size_t char_size);
}

/* What the host's assert macro calls. */
__attribute__((device, noreturn)) static __inline__ void __assert_fail(const char *text, const char *file,
                                                                       unsigned line, const char *function) noexcept
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
        if (x[i] != y[i])
            return x[i] - y[i];
    return 0;
}
LWC_FN size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
LWC_FN int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

#if defined(__CUDA_ARCH__)
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

#endif
