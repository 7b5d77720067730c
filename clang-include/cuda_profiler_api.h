/* cudaProfilerStart and cudaProfilerStop stand with the rest of the runtime API. */
#include "cuda_runtime_api.h"
