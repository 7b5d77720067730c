/* nvml.h: NVML, by which clients count devices and ask for their names and memory before they use CUDA (XLA, PyTorch, nvidia-ml-py).
 * What a profile does not hold (temperatures, clocks, processes ...) returns NVML_ERROR_NOT_SUPPORTED, as it does on cards that do
 * not measure it: no finding, and nothing is printed. Entry points are named lw_nvml_<exported name>. */
#ifndef LW_NVML_H
#define LW_NVML_H

#include "face/face.h"

enum { /* nvmlReturn_t */
       NVML_OK = 0,
       NVML_UNINITIALIZED = 1,
       NVML_INVALID_ARGUMENT = 2,
       NVML_NOT_SUPPORTED = 3,
       NVML_NOT_FOUND = 6,
       NVML_INSUFFICIENT_SIZE = 7,
       NVML_ARGUMENT_VERSION_MISMATCH = 25,
};

#endif
