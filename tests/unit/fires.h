/* fires.h: assertions that are broken on purpose are caught and named, in place of base's, which end the process. For one
 * test program each; include it first, since it turns the assertions on in every build. */
#ifndef LW_TESTS_FIRES_H
#define LW_TESTS_FIRES_H

#ifndef LW_DEBUG
#define LW_DEBUG
#endif
#include "unit.h"

#include "base/base.h"

#include <setjmp.h>

static jmp_buf fired;
static const char *fired_what; /* the condition of the assertion that fired last */

void lw_assert_failed(const char *what, const char *file, int line)
{
    (void)file;
    (void)line;
    fired_what = what;
    longjmp(fired, 1);
}

/* The statements fire the assertion of the text `expected`; "nothing": none. */
#define FIRES(expected, ...)                                                                                           \
    do {                                                                                                               \
        fired_what = "nothing";                                                                                        \
        if (!setjmp(fired)) { __VA_ARGS__; }                                                                           \
        CHECK_STR(fired_what, expected);                                                                               \
    } while (0)

#endif
