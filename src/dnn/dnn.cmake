lanewise_library(cudnn ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 1001 9) # CUDNN_STATUS_NOT_INITIALIZED
