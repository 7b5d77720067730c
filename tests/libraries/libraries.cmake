# The libraries that lanewise has its own of: programs in C, compiled with the project's own headers.
foreach(name blas blas_old blas_rest lt rand fft sparse sparse_more solver solver_more nvml)
  add_executable(library_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
  target_include_directories(library_${name} SYSTEM PRIVATE ${CMAKE_SOURCE_DIR}/clang-include)
  target_link_libraries(library_${name} PRIVATE cublas13 cublasLt13 curand10 cufft12 cusparse12 cusolver12 cudnn9 nvidia-ml1 cudart_shared m)
  target_link_options(library_${name} PRIVATE -Wl,--as-needed)
  add_dependencies(library_${name} lanewise_core)
  set_target_properties(library_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME library_${name} COMMAND lanewise run --no-report $<TARGET_FILE:library_${name}>)
  set_tests_properties(library_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endforeach()
add_test(NAME library_faults COMMAND lanewise run $<TARGET_FILE:library_blas> fault)
set_tests_properties(library_faults PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 60
  PASS_REGULAR_EXPRESSION "illegal memory access.*cublasSgemm reads 12000 bytes")
