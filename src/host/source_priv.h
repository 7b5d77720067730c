/* source: names and places as people read them (demangle.c, source_place.c). */
#ifndef LW_HOST_SOURCE_PRIV_H
#define LW_HOST_SOURCE_PRIV_H

#include "ptx/module.h"

/* malloc'ed text; never NULL */
char *host_demangle(const char *mangled);
char *host_demangle_text(const char *text); /* a copy with every mangled name in it demangled */

bool host_is_toolkit_file(const char *file);
const ptx_line *host_visible_frame(const ptx_line *leaf);
const char *host_frame_function(const ptx_line *frame, const ptx_function *function);

#endif
