lanewise_library(cusparse ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 1 12) # CUSPARSE_STATUS_NOT_INITIALIZED
