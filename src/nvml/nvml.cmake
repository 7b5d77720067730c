lanewise_library(nvidia-ml ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 1 1) # NVML_ERROR_UNINITIALIZED
