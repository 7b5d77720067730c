/* assert.c: the end of a process whose invariants are broken. A file of its own: a test that defines lw_assert_failed()
 * itself, to see an invariant fire, links without it. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

void lw_assert_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "lanewise: broken invariant: %s (%s:%d)\n", what, file, line);
    abort();
}
