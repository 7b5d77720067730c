/* host: the device runtime below both faces (cudart/, cuda/): one process context, modules, memory, streams,
 * events, graphs, launches, and the collection of results.
 *
 * Rules. Every function that can fail returns a host_error: 0 or a CUDA error number (the runtime's cudaError_t and the
 * driver's CUresult share their numbers, errors.def). Nothing here keeps a "last error": that belongs to the faces.
 * Device pointers are host addresses (uint64_t). Handles are pointers to objects of this room; they are checked against
 * a table of live handles before use, so a stale or foreign handle gives an error and not a crash.
 *
 * Order of execution. All streams feed one FIFO that one engine thread drains: the order of issue is a valid order of
 * any stream program, and kernel launches stay asynchronous to the caller. Faults are sticky and appear at the next
 * call that asks. Every function may be called from any host thread. */
#ifndef LW_HOST_H
#define LW_HOST_H

/* By subject. */
#include "host/array.h"
#include "host/capture.h"
#include "host/context.h"
#include "host/condition.h"
#include "host/copy.h"
#include "host/device.h"
#include "host/devices.h"
#include "host/failure.h"
#include "host/graph.h"
#include "host/ipc.h"
#include "host/kernel.h"
#include "host/launch.h"
#include "host/managed.h"
#include "host/memory.h"
#include "host/module.h"
#include "host/op.h"
#include "host/pool.h"
#include "host/settings.h"
#include "host/stream.h"
#include "host/surface.h"
#include "host/texture.h"
#include "host/thread.h"
#include "host/types.h"
#include "host/user_object.h"

#endif
