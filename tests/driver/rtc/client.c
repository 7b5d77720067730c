/* Asks a library with NVRTC's file name for machine code, as one linked with it and as one that loads it, and prints
 * what it got: "by pointer <text>, linked <text>, loaded <text>". */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int nvrtcCompileProgram(void *program, int count, const char *const *options);
int nvrtcGetCUBINSize(void *program, size_t *size);
int nvrtcGetCUBIN(void *program, char *text);

typedef int (*size_function)(void *program, size_t *size);
typedef int (*text_function)(void *program, char *text);
static text_function const pointed_to = nvrtcGetCUBIN; /* an address, bound when the program is loaded */

int main(int argc, char **argv)
{
    char linked[64] = "", loaded[64] = "", by_pointer[64] = "";
    size_t size = 0, none = 1;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library) return 1;
    if (nvrtcGetCUBINSize(argv, &size) || size > sizeof linked || nvrtcGetCUBIN(argv, linked)) return 2;
    if (nvrtcGetCUBINSize(NULL, &none) || none) return 3;
    const char *const plain[] = {"-O3"}, *const lines[] = {"-lineinfo", "-O3"}, *const debug[] = {"-O3", "-G"};
    if (nvrtcCompileProgram(argv, 1, plain) != 102 || nvrtcCompileProgram(argv, 0, NULL) != 101) return 5;
    if (nvrtcCompileProgram(argv, 2, lines) != 2 || nvrtcCompileProgram(argv, 2, debug) != 2) return 6;
    size_function get_size = (size_function)dlsym(library, "nvrtcGetCUBINSize");
    text_function get_text = (text_function)dlsym(library, "nvrtcGetCUBIN");
    if (!get_size || !get_text || get_size(argv, &size) || size > sizeof loaded || get_text(argv, loaded)) return 4;
    if (size > sizeof by_pointer || pointed_to(argv, by_pointer)) return 7;
    printf("by pointer %s, linked %s, loaded %s\n", by_pointer, linked, loaded);
    return 0;
}
