/* Calls of the libraries that programs link beside CUDA, such as cuBLAS (library.c): functions of the host that take the
 * place of kernels on a stream. They may be captured into graphs. */
#ifndef LW_HOST_LIBRARY_H
#define LW_HOST_LIBRARY_H

#include "host/types.h"

typedef struct host_library host_library; /* a call while it runs */

typedef struct host_library_call {
    char name[48]; /* "cublasSgemm" */
    /* Carries it out, on the thread that drains the queue. args: as given to host_library_put(). */
    void (*run)(host_library *library, const void *args);
    uint32_t args_bytes;
} host_library_call;

/* Puts a call on a stream; args are copied. wait: until it is done. */
host_error host_library_put(host_stream *stream, const host_library_call *call, const void *args, bool wait);

/* ---- for call.run: what it reads and writes, said before it does ---- */
/* Memory that a kernel could access: `rows` rows of `bytes` at address, pitch bytes from row to row. */
typedef struct host_library_memory {
    uint64_t address, bytes, rows, pitch;
} host_library_memory;
typedef enum host_library_access { HOST_LIBRARY_READS, HOST_LIBRARY_WRITES, HOST_LIBRARY_UPDATES } host_library_access;
/* Where its bytes are stored, NULL if a kernel would fault there: that is then a finding and the sticky error, and the
 * call should end. Memory of no bytes is stored nowhere, and not NULL. */
void *host_library_use(host_library *library, host_library_memory memory, host_library_access access);
/* The same where the memory may be the host's, which no kernel could access: it is its own storage, and nobody is told. */
void *host_library_use_anywhere(host_library *library, host_library_memory memory, host_library_access access);
/* Said by calls at their end that write the same whenever they are called with the same arguments and what they said they read
 * holds the same: the next such call may find that it has nothing to do. */
void host_library_repeats(host_library *library);
/* The call could not be carried out: a finding in these words, and the sticky error of a failed launch. */
void host_library_fail(host_library *library, const char *words);

#endif
