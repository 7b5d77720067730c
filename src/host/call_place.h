/* Where in the program a call came from (call_place.c). */
#ifndef LW_HOST_CALL_PLACE_H
#define LW_HOST_CALL_PLACE_H

#include "fatbin/fatbin.h"

typedef struct host_call_place {
    char site[1024]; /* "main (app+0x1139)", or "app+0x1139" without a symbol; the address as addr2line takes it */
    struct fatbin_line line; /* its line is 0 if it is not known */
} host_call_place;

/* The innermost frame of the program on the calling thread's stack; where none has a source line, the innermost without
 * one. kernel: what is launched, demangled, or NULL: the functions that compilers put between a launch and the runtime
 * are left out. from: the return address of the <<<>>> of that launch, or NULL: where compilers put those functions into
 * their caller, the stack alone would give their lines. false: there is none. */
bool host_call_place_find(const char *kernel, const void *from, host_call_place *out);

/* The same in two steps, for calls that are looked at later if at all: their frames now, their place then. */
enum { HOST_CALL_FRAMES = 24 };
bool host_call_place_of(void *const *frames, int count, host_call_place *out);

#endif
