/* results.h: inside api/: what an lw_results is. */
#ifndef LW_API_RESULTS_H
#define LW_API_RESULTS_H

#include "result/result.h"

struct lw_results {
    result_set set;
    bool attached;
};

#endif
