/* What all of host/ speaks of: errors and the objects behind handles. */
#ifndef LW_HOST_TYPES_H
#define LW_HOST_TYPES_H

#include "base/base.h"

typedef int host_error;
enum {
#define HOST_ERROR(id, number, runtime_name, driver_name, text) HOST_##id = number,
#include "host/errors.def"
#undef HOST_ERROR
};

typedef struct host_error_desc {
    int number;
    const char *runtime_name, *driver_name, *text; /* driver_name NULL: not an error of the driver API */
} host_error_desc;
/* The row of an error number, or NULL. */
const host_error_desc *host_error_find(int number);

typedef struct host_context host_context;
typedef struct host_module host_module;
typedef struct host_kernel host_kernel;
typedef struct host_stream host_stream;
typedef struct host_event host_event;
typedef struct host_graph host_graph;
typedef struct host_node host_node;
typedef struct host_graph_exec host_graph_exec;
typedef struct host_pool host_pool;
typedef struct host_array host_array;
typedef struct host_mipmap host_mipmap;

/* How long L2 is to keep the lines of a range of addresses (cudaAccessPolicyWindow, CUaccessPolicyWindow, as they lie in memory). */
typedef struct host_access_window {
    uint64_t address, bytes;
    float hit_ratio; /* 0 to 1: of the accesses, as many as are of the kind `hit`; the others are of the kind `miss` */
    int hit, miss;   /* HOST_ACCESS_... */
} host_access_window;
enum { HOST_ACCESS_NORMAL = 0, HOST_ACCESS_STREAMING = 1, HOST_ACCESS_PERSISTING = 2 };

struct device_profile;

#endif
