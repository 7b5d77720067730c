/* Where in the program a call came from (call_place.c). */
#ifndef LW_HOST_CALL_PLACE_H
#define LW_HOST_CALL_PLACE_H

#include <stddef.h>

/* The innermost frame of the program on the calling thread's stack: "main (app+0x1139)", or "app+0x1139" without a symbol;
 * the address is the file's, as addr2line takes it. kernel: what is launched, demangled, or NULL: the functions that
 * compilers put between a launch and the runtime are left out. NULL if there is none. out is what is returned. */
const char *host_call_place(const char *kernel, char *out, size_t room);

#endif
