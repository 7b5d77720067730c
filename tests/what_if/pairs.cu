/* pairs.cu: each kernel as it is and with the layout that --what-if recommends for it. check.py compares what was said of the
 * one with what is counted of the other. */
#include "kernels.h"

#include <cstdio>

static void *input, *output;

template <class T> static T *to() { return (T *)output; }
template <class T> static const T *from() { return (const T *)input; }

#define ONE(name, type, block) name<Plain><<<1, block>>>(to<type>(), from<type>());
#define PAIR(name, type, block, ...)                                                                                   \
    name<Plain><<<1, block>>>(to<type>(), from<type>());                                                               \
    name<__VA_ARGS__><<<1, block>>>(to<type>(), from<type>());

int main()
{
    cudaMalloc(&input, 1 << 16);
    cudaMalloc(&output, 1 << 16);
    cudaMemset(input, 1, 1 << 16);
#include "pairs.inl"
    if (cudaDeviceSynchronize()) return 1;
    puts("PASS");
    return 0;
}
