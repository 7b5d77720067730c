/* Handles, versions and the texts of errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnn/dnn.h"
#include "face/face.h"

#define MAGIC 0x6c77646eu
#define VERSION 91900      /* 9.19.0, whose functions entrypoints.def lists */
#define NEWEST_DEVICE 1210 /* compute capability 12.1, the last that it knows */
#define DNN(type, name) type lw_cudnn_##name
#define dnn_end(status) face_library_end(&library, status, __func__)

typedef struct dnn_handle {
    uint32_t magic;
    void *stream;
} dnn_handle;

static const char *status_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } names[] = {
        {DNN_OK, "CUDNN_STATUS_SUCCESS"},
        {DNN_NOT_INITIALIZED, "CUDNN_STATUS_NOT_INITIALIZED"},
        {DNN_BAD_PARAM, "CUDNN_STATUS_BAD_PARAM"},
        {DNN_NOT_SUPPORTED, "CUDNN_STATUS_NOT_SUPPORTED"},
        {DNN_EXECUTION_FAILED, "CUDNN_STATUS_EXECUTION_FAILED"},
    };
    for (size_t i = 0; i < LW_COUNT(names); i++)
        if (names[i].status == status) return names[i].name;
    return "CUDNN_UNKNOWN_STATUS";
}

static const face_library library = {"lw_cudnn_", status_name, DNN_NOT_SUPPORTED, DNN_EXECUTION_FAILED};

int dnn_unsupported(const char *function)
{
    return face_library_end(&library, face_library_unsupported(&library, function), function);
}

static bool valid(const dnn_handle *h) { return h && h->magic == MAGIC; }

DNN(int, cudnnCreate)(dnn_handle **out)
{
    if (!out) return dnn_end(DNN_BAD_PARAM);
    *out = lw_alloc(sizeof **out);
    **out = (dnn_handle){.magic = MAGIC};
    return DNN_OK;
}

DNN(int, cudnnDestroy)(dnn_handle *h)
{
    if (!valid(h)) return dnn_end(DNN_BAD_PARAM);
    host_synchronize(host_get());
    h->magic = 0;
    free(h);
    return DNN_OK;
}

DNN(int, cudnnSetStream)(dnn_handle *h, void *stream)
{
    if (!valid(h)) return dnn_end(DNN_BAD_PARAM);
    h->stream = stream;
    return DNN_OK;
}

DNN(int, cudnnGetStream)(dnn_handle *h, void **out)
{
    if (!valid(h) || !out) return dnn_end(DNN_BAD_PARAM);
    *out = h->stream;
    return DNN_OK;
}

DNN(size_t, cudnnGetVersion)(void) { return VERSION; }
DNN(size_t, cudnnGetMaxDeviceVersion)(void) { return NEWEST_DEVICE; }
DNN(size_t, cudnnGetCudartVersion)(void) { return FACE_VERSION; }
DNN(const char *, cudnnGetErrorString)(int status) { return status_name(status); }

/* Whether the parts of the library fit each other. */
DNN(int, cudnnAdvVersionCheck)(void) { return DNN_OK; }
DNN(int, cudnnCnnVersionCheck)(void) { return DNN_OK; }
DNN(int, cudnnGraphVersionCheck)(void) { return DNN_OK; }
DNN(int, cudnnOpsVersionCheck)(void) { return DNN_OK; }

DNN(void, cudnnGetLastErrorString)(char *out, size_t room)
{
    if (out && room) snprintf(out, room, "lanewise: operations of cuDNN are not supported");
}

DNN(int, cudnnGetProperty)(int which, int *out)
{
    static const int version[] = {VERSION / 10000, VERSION / 100 % 100, VERSION % 100};
    if (!out || which < 0 || which >= (int)LW_COUNT(version)) return dnn_end(DNN_BAD_PARAM);
    *out = version[which];
    return DNN_OK;
}
