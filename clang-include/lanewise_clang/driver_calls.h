/*
 * The functions that PTX leaves to the driver: vprintf, malloc, free and __assertfail; and printf, which clang makes
 * into vprintf. Declared before any header of the C++ library, whose <new> already names malloc and free.
 */
#ifndef LWC_DRIVER_CALLS_H
#define LWC_DRIVER_CALLS_H

#include "../host_defines.h"
#include <stddef.h>

extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *args);
__attribute__((device)) int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__attribute__((device)) void *malloc(size_t n) __attribute__((malloc));
__attribute__((device)) void free(void *p) __attribute__((nothrow));
__attribute__((device, noreturn)) void __assertfail(const char *text, const char *file, unsigned line,
                                                    const char *function, size_t char_size);
}

#endif
