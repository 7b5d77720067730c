/* putback: what a profiler puts back between its passes over a launch, so that each finds what the first has found. */
#ifndef LW_TIME_PUTBACK_H
#define LW_TIME_PUTBACK_H

#include "time/trace.h"

/* How many lines that are. */
uint64_t cache_lines_put_back(cache_launch *launch);

/* Behind cache_session_begin(): they go through L2. */
void cache_put_back(cache_launch *launch);

#endif
