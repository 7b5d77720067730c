/* Two static runtimes in one process, this program's and that of the shared object named in its argument: each has last errors
 * of its own, as with NVIDIA's. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>

static int failures;
static void is(int got, int want, const char *what)
{
    if (got == want) return;
    failures++;
    printf("%s: %d, not %d\n", what, got, want);
}

int main(int argc, char **argv)
{
    void *part = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*part_fails)(void) = part ? (int (*)(void))dlsym(part, "part_fails") : NULL;
    int (*part_last_error)(void) = part ? (int (*)(void))dlsym(part, "part_last_error") : NULL;
    if (!part_fails || !part_last_error) return 2;
    is(cudaSetDevice(98), cudaErrorInvalidDevice, "no such device");
    is(part_last_error(), 0, "the part's, after this program's error");
    is(cudaPeekAtLastError(), cudaErrorInvalidDevice, "this program's, after it");
    is(part_fails(), cudaErrorInvalidDevice, "no such device, in the part");
    is(cudaGetLastError(), cudaErrorInvalidDevice, "this program's, read");
    is(cudaGetLastError(), 0, "this program's, read again");
    is(part_last_error(), cudaErrorInvalidDevice, "the part's, read");
    is(part_last_error(), 0, "the part's, read again");
    if (!failures) puts("ok runtimes");
    return failures != 0;
}
