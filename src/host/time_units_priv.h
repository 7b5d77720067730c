/* time_units: instructions that no memory counter has, and that units of a multiprocessor are busy with all the same (time_units.c). */
#ifndef LW_HOST_TIME_UNITS_PRIV_H
#define LW_HOST_TIME_UNITS_PRIV_H

#include "code/code.h"
#include "time/time.h"

/* Adds to demand what a launch executed of them; executed: host_work_of_sites(). */
void host_time_units(const device_profile *device, time_demand *demand, const code_kernel *code, const uint8_t *folds,
                     const double *executed);

#endif
