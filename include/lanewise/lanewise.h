/* lanewise.h: includes all headers of liblanewise.
 *
 *   session.h     runs kernels
 *   run.h         reads and prints the results of a run
 *   pattern.h     counts single memory accesses
 *   occupancy.h   calculates how many blocks fit on a multiprocessor
 *   devices.h     the numbers of a device and their sources
 *   version.h     the version of lanewise
 *
 * ops.h belongs to liblanewise-ops, the library of GPU kernels. It stands alone and is not included here. */
#ifndef LANEWISE_LANEWISE_H
#define LANEWISE_LANEWISE_H

#include "lanewise/devices.h"
#include "lanewise/occupancy.h"
#include "lanewise/pattern.h"
#include "lanewise/run.h"
#include "lanewise/session.h"
#include "lanewise/version.h"

#endif
