/* lanewise.h: everything. Read session.h to run kernels, run.h to read and print what a run left behind, pattern.h to
 * count single accesses, occupancy.h to calculate how many blocks fit, devices.h for the numbers of a device and their
 * sources; ops.h (the GPU kernel library) stands alone and is not included here. */
#ifndef LANEWISE_LANEWISE_H
#define LANEWISE_LANEWISE_H

#include "lanewise/devices.h"
#include "lanewise/occupancy.h"
#include "lanewise/pattern.h"
#include "lanewise/run.h"
#include "lanewise/session.h"
#include "lanewise/version.h"

#endif
