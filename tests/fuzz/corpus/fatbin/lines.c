/* Code whose line tables test_lines.c reads. */
#include "lines.h"

int twice(int x);

__attribute__((noinline)) int add_all(const int *from, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += square(from[i]);
        if (sum > 1000) sum = twice(sum);
    }
    return sum;
}

int twice(int x) { return 2 * x; }
