/* Launches (launch.c, occupancy.c). */
#ifndef LW_HOST_LAUNCH_H
#define LW_HOST_LAUNCH_H

#include "host/types.h"

typedef struct host_launch_config {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* if cluster_given; else the kernel's own, if any */
    bool cluster_given;
    uint64_t dynamic_shared;
    host_stream *stream; /* resolved by host_stream_resolve() */
    bool cooperative;
    bool programmatic;            /* programmatic stream serialisation: accepted, no effect on the order */
    host_event *completion_event; /* launch completion / programmatic event, or NULL */
    int priority;
    host_access_window window; /* if window_given; else the stream's */
    bool window_given;
} host_launch_config;

host_error host_occupancy_clusters(host_kernel *kernel, const host_launch_config *config, int *out_clusters);
host_error host_occupancy_cluster_size(host_kernel *kernel, const host_launch_config *config, int *out_size);

/* Checks the configuration against the device and puts the launch on the stream (or into its capture). params: one
 * pointer per parameter; packed: all of them in one buffer laid out as the PTX says (params NULL). */
host_error host_launch(host_kernel *kernel, const host_launch_config *config, void *const *params, const void *packed,
                       size_t packed_bytes);

#endif
