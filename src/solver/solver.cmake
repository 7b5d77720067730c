lanewise_library(cusolver ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 1 11 12) # CUSOLVER_STATUS_NOT_INITIALIZED
lanewise_library(cusolverMg ${CMAKE_CURRENT_LIST_DIR}/mg_entrypoints.def 1 11 12)
