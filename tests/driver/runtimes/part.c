/* A shared object with a static runtime of its own; see main.c. */
#include <cuda_runtime_api.h>

#define SEEN __attribute__((visibility("default")))
SEEN int part_fails(void);
SEEN int part_last_error(void);

int part_fails(void) { return cudaSetDevice(99); }
int part_last_error(void) { return cudaGetLastError(); }
