/* putback: what a profiler puts back between its passes over a launch, so that each finds what the first has found. */
#ifndef LW_TIME_PUTBACK_H
#define LW_TIME_PUTBACK_H

#include "time/gather.h"

/* How many lines that are; record: of the launch. */
uint64_t cache_lines_put_back(cache_launch *launch, const cache_record *record);

/* Behind cache_session_begin(): these lines, so many, go through L2. */
void cache_put_back(cache_launch *launch, uint64_t lines);

#endif
