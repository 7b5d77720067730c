lanewise_library(curand ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 101 10) # CURAND_STATUS_NOT_INITIALIZED
