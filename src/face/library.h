/* library.h: what the libraries beside CUDA (cuBLAS, cuRAND ...) have in common: how their calls end and how they are put on
 * a stream. One that fails becomes a finding with the call's name, as calls of the runtime do. */
#ifndef LW_FACE_LIBRARY_H
#define LW_FACE_LIBRARY_H

#include "host/host.h"

typedef struct face_library {
    const char *prefix; /* of the functions behind the rows of its table: "lw_curand_" */
    const char *(*status_name)(int status);
    int not_supported, execution_failed;
} face_library;

/* How an entry point ends; function: its __func__. Gives the status. */
int face_library_end(const face_library *library, int status, const char *function);
/* A call that is not supported: said once on stderr by the call's plain name. Gives not_supported. */
int face_library_unsupported(const face_library *library, const char *function);
/* Puts run(args) on the stream of a handle, under the name of the entry point; args are copied. wait: until it is done. Gives a
 * status, 0 if it was put. */
int face_library_put(const face_library *library, const char *function, void *stream,
                     void (*run)(host_library *l, const void *args), const void *args, size_t bytes, bool wait);

#endif
