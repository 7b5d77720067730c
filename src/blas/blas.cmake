lanewise_library(cublas ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 1 12 13) # CUBLAS_STATUS_NOT_INITIALIZED
lanewise_library(cublasLt ${CMAKE_CURRENT_LIST_DIR}/lt_entrypoints.def 1 12 13)
