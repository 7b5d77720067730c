/* What the programs that test a library share: checks that go on, and are counted. Each program prints what differs and, without
 * failures, "ok NAME". */
#ifndef LIBRARY_TEST_H
#define LIBRARY_TEST_H

#include <math.h>
#include <stdio.h>

static int failures;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) failures++, printf("line %d: %s\n", __LINE__, #condition);                                   \
    } while (0)
#define OK(call) CHECK((call) == 0) /* in every library the status of success */
#define NEAR_BY(x, y, bound) CHECK(fabs((double)(x) - (double)(y)) < (bound) * (1 + fabs((double)(y))))

#endif
