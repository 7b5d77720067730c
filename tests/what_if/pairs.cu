/* pairs.cu: each kernel as it is and with the layout that --what-if recommends for it. check.py compares what was said of the
 * one with what is counted of the other. */
#include "kernels.h"
#include "global.h"
#include "later.h"

#include <cstdio>

static void *input, *output;

template <class T> static T *to() { return (T *)output; }
template <class T> static const T *from() { return (const T *)input; }

#define ONE(name, type, block) name<Plain><<<1, block>>>(to<type>(), from<type>());
#define PAIR(name, type, block, ...)                                                                                   \
    name<Plain><<<1, block>>>(to<type>(), from<type>());                                                               \
    name<__VA_ARGS__><<<1, block>>>(to<type>(), from<type>());

/* Of n elements; in global memory the array is an allocation of its own. */
#define WITH_ARRAY(name, type, n, grid, block, ...)                                                                    \
    {                                                                                                                  \
        type *array;                                                                                                   \
        cudaMalloc(&array, __VA_ARGS__::room(n) * sizeof(type));                                                       \
        cudaMemset(array, 1, __VA_ARGS__::room(n) * sizeof(type));                                                     \
        name<__VA_ARGS__><<<grid, block>>>(array, to<type>());                                                         \
        cudaFree(array);                                                                                               \
    }
#define GLOBAL_ONE(name, type, n, grid, block) WITH_ARRAY(name, type, n, grid, block, Plain)
#define GLOBAL_PAIR(name, type, n, grid, block, ...)                                                                   \
    GLOBAL_ONE(name, type, n, grid, block)                                                                             \
    WITH_ARRAY(name, type, n, grid, block, __VA_ARGS__)

/* Both arguments point into one allocation. */
template <class L> static void of_one_allocation()
{
    float *both;
    cudaMalloc(&both, 1024 * sizeof(float));
    g_no_two_arguments<L><<<1, 128>>>(both, both + 512);
    cudaDeviceSynchronize();
    g_only_begun_later<L><<<1, 128>>>(both + 1, to<float>());
    cudaFree(both);
}

int main()
{
    cudaMalloc(&input, 1 << 16);
    cudaMalloc(&output, 1 << 16);
    cudaMemset(input, 1, 1 << 16);
#include "pairs.inl"
#include "later.inl"
    if (cudaDeviceSynchronize()) return 1;
    puts("PASS");
    return 0;
}
