/* Small programs for the checks of `lanewise run --check`: one case a function, many cases a file.
 *
 * A line that a finding must name, as its place or as its other side, says so in a comment of its own:
 *     // found CASE: CHECK SEVERITY       (several cases: separated by commas before the colon)
 * A case that must stay silent says `// silent` on the line of its CASE. run.py reads these comments. */
#ifndef CASES_H
#define CASES_H

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct test_case {
    const char *name;
    void (*run)();
    test_case *next;
    static test_case *&first()
    {
        static test_case *list = nullptr;
        return list;
    }
    test_case(const char *n, void (*r)()) : name(n), run(r), next(first()) { first() = this; }
};

#define CASE(name)                                                                                                     \
    static void case_##name();                                                                                         \
    static test_case entry_##name(#name, case_##name);                                                                 \
    static void case_##name()

/* Device memory of zeros: what is not the subject of a case is initialised. */
template <typename T> static T *zeros(size_t count)
{
    void *p = nullptr;
    cudaMalloc(&p, count * sizeof(T));
    cudaMemset(p, 0, count * sizeof(T));
    return static_cast<T *>(p);
}

/* Waits, and prints the sum of the first count elements: a difference on a GPU shows. */
template <typename T> static void finish(T *p, int count)
{
    T host[1024];
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaMemcpy(host, p, count * sizeof(T), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < count && error == cudaSuccess; i++) sum += double(host[i]) * (i + 1);
    printf("%s %.0f\n", cudaGetErrorString(error), sum);
    cudaFree(p);
}

int main(int argc, char **argv)
{
    bool list = argc > 1 && !strcmp(argv[1], "--list");
    for (test_case *c = test_case::first(); c; c = c->next) {
        if (list) puts(c->name);
        else if (argc > 1 && !strcmp(argv[1], c->name)) {
            c->run();
            return 0;
        }
    }
    return list ? 0 : 2;
}

#endif
