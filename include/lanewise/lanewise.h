/* lanewise.h: everything. Read session.h to run kernels, run.h to read and print what a run left behind, pattern.h to
 * count single accesses, occupancy.h to calculate how many blocks fit; ops.h (the GPU kernel library) stands alone and is
 * not included here. */
#ifndef LANEWISE_LANEWISE_H
#define LANEWISE_LANEWISE_H

#include "lanewise/occupancy.h"
#include "lanewise/pattern.h"
#include "lanewise/run.h"
#include "lanewise/session.h"
#include "lanewise/version.h"

#endif
