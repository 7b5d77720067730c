/* How calls of the libraries beside CUDA end, and how they are put on a stream. */
#include <stdio.h>
#include <string.h>

#include "face/face.h"
#include "face/library.h"

static void cut_suffix(char *name, const char *suffix)
{
    char *at = strstr(name, suffix);
    if (at && !at[strlen(suffix)]) *at = 0;
}

/* "lw_cublas_cublasSgemm_v2_64" -> "cublasSgemm": as a program writes it. */
static void plain_name(const face_library *library, const char *function, char *out, size_t room)
{
    size_t prefix = strlen(library->prefix);
    snprintf(out, room, "%s", strncmp(function, library->prefix, prefix) ? function : function + prefix);
    cut_suffix(out, "_64");
    cut_suffix(out, "_v2");
}

int face_library_end(const face_library *library, int status, const char *function)
{
    if (!status) return status;
    char name[64];
    plain_name(library, function, name, sizeof name);
    host_failure failure = {
        .call = name,
        .error = status == library->not_supported ? HOST_NOT_SUPPORTED : HOST_INVALID_VALUE,
        .error_name = library->status_name(status),
        .thread = host_thread_get(host_get())->id,
    };
    host_failure_report(host_get(), &failure);
    return status;
}

int face_library_unsupported(const face_library *library, const char *function)
{
    char name[64];
    plain_name(library, function, name, sizeof name);
    face_unsupported("", name, library->status_name(library->not_supported));
    return library->not_supported;
}

int face_library_put(const face_library *library, const char *function, void *stream,
                     void (*run)(host_library *l, const void *args), const void *args, size_t bytes, bool wait)
{
    host_stream *on = face_stream(stream, false);
    if (!on) return face_library_end(library, library->execution_failed, function);
    host_library_call call = {.run = run, .args_bytes = (uint32_t)bytes};
    plain_name(library, function, call.name, sizeof call.name);
    host_error error = host_library_put(on, &call, args, wait);
    return error ? face_library_end(library, library->execution_failed, function) : 0;
}
