/* rtc_audit.h: the halves of the audit library that `lanewise run` puts in LD_AUDIT. Both run in the dynamic linker, in a namespace
 * of their own, and call nothing of the C library. */
#ifndef LW_RTC_AUDIT_H
#define LW_RTC_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

/* The file that stands in for the library that somebody loads by name or path, or name. The text stays until the next call. */
char *la_stand_in(const char *name);
/* Whether a library holds calls that la_file_call() replaces. */
bool la_has_file_calls(const char *path);
/* What takes the place of the C library's function of that name at address `real`: real, or a function that looks at the path. */
uintptr_t la_file_call(const char *name, uintptr_t real);

#endif
