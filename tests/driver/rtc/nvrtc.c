/* A library with NVRTC's file name and the functions a client takes its result from: machine code and PTX, both mere
 * words. Under `lanewise run` the client must get the PTX; without, the machine code. */
#include <stddef.h>
#include <string.h>

static const char machine_code[] = "machine code of a program", ptx[] = ".version 9.0";

#define PUBLIC __attribute__((visibility("default")))

/* Answers how many options it got, and adds 100 if the last is -lineinfo. */
PUBLIC int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    (void)program;
    return count + (count && !strcmp(options[count - 1], "-lineinfo") ? 100 : 0);
}

PUBLIC int nvrtcGetCUBINSize(void *program, size_t *size)
{
    *size = program ? sizeof machine_code : 0; /* NULL: compiled for a virtual architecture */
    return 0;
}

PUBLIC int nvrtcGetCUBIN(void *program, char *text)
{
    if (program) memcpy(text, machine_code, sizeof machine_code);
    return program ? 0 : 4;
}

PUBLIC int nvrtcGetPTXSize(void *program, size_t *size)
{
    (void)program;
    *size = sizeof ptx;
    return 0;
}

PUBLIC int nvrtcGetPTX(void *program, char *text)
{
    (void)program;
    memcpy(text, ptx, sizeof ptx);
    return 0;
}
