/* rtc_audit.h: the parts of the audit library that `lanewise run` puts in LD_AUDIT. They run in the dynamic linker, in a namespace
 * of their own, and call nothing of the C library. */
#ifndef LW_RTC_AUDIT_H
#define LW_RTC_AUDIT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The file that stands in for the library that somebody loads by name or path, or name. The text stays until the next call. */
char *la_stand_in(const char *name);
/* Where lanewise's own library of that name lies; NULL: not below `lanewise run`. The text stays until the next call. */
char *la_own_library(const char *name);
/* Whether a library holds calls that la_file_call() replaces. */
bool la_has_file_calls(const char *path);
/* What takes the place of the C library's function of that name at address `real`: real, or a function that looks at the path. */
uintptr_t la_file_call(const char *name, uintptr_t real);

/* ---- cuda-bindings (rtc_audit_python.c) ---- */
bool la_is_python(const char *path); /* whether a library or the program may hold Python's functions */
void la_note_c_library(const struct link_map *map);
/* As la_file_call(), of Python's functions that cuda-bindings calls. */
uintptr_t la_python_call(const char *name, const struct link_map *referrer, const struct link_map *definer,
                         uintptr_t real);

/* ---- what stands in for the C library (rtc_audit_find.c) ---- */
bool la_same(const char *a, const char *b);
bool la_starts(const char *text, const char *prefix);
const char *la_base_name(const char *path);
/* A function of a library; 0: it has none of that name. */
uintptr_t la_find(const struct link_map *map, const char *name);
/* Changes the address of a function in the library's table of symbols, so that whoever takes it from there gets `ours`: calls, pointers to
 * it, dlsym. Gives the function's own address; 0: there is none of that name. Before anything is bound to the library. */
uintptr_t la_replace(const struct link_map *map, const char *name, uintptr_t ours);

#endif
