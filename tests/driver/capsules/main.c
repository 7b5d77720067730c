/* cuda-bindings, without Python: a module with a runtime of its own hands its functions in capsules to the module that calls
 * them. Under `lanewise run` those of a runtime of version 13 are lanewise's, if it has a function of that name.
 *   driver_capsules FOLDER VERSION   (the modules lie in FOLDER/cuda/bindings) */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *load(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/cuda/bindings/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    if (!library) exit(2);
    return library;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    void (*start)(int) = (void (*)(int))dlsym(load(argv[1], "_internal/runtime.so"), "start_module");
    start(atoi(argv[2]));
    int (*call)(const char *, int *) =
        (int (*)(const char *, int *))dlsym(load(argv[1], "cyruntime.so"), "call_by_name");
    static const char *const names[] = {"_cudaGetDeviceCount", "_cudaOfALaterToolkit", "getDeviceCount",
                                        "_cudaRuntimeGetVersion"};
    for (int i = 0; i < 4; i++) {
        int out = 0;
        int status = call(names[i], &out);
        printf("%d:%d%s", status, out, i < 3 ? " " : "\n");
    }
    return 0;
}
