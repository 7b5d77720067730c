lanewise_library(cufft ${CMAKE_CURRENT_LIST_DIR}/entrypoints.def 7 11 12) # CUFFT_SETUP_FAILED
