/* time_lines: the predicted time of a launch by source line (time_lines.c). */
#ifndef LW_HOST_TIME_LINES_PRIV_H
#define LW_HOST_TIME_LINES_PRIV_H

#include "device/profile.h"
#include "time/time.h"

/* Instructions of a source line. */
typedef struct time_line_work {
    time_work work;
    double loads; /* of global memory */
} time_line_work;

/* Sets seconds and seconds_saved of a row of each of the lines that move most. work_of: what the line of a row executes. */
void host_time_lines(const device_profile *device, const time_demand *demand, result_row *rows, size_t count,
                     time_line_work (*work_of)(void *user, const result_row *row), void *user);

#endif
