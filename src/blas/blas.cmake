# cuBLAS's doors: libcublas.so.13 and .12, which differ in their soname and the version of their symbols. They lie beside
# the core, where `lanewise run` puts them on the search path of programs.
set(BLAS_DOOR_DIR ${CMAKE_CURRENT_LIST_DIR})
set_source_files_properties(${BLAS_DOOR_DIR}/trampoline.S PROPERTIES OBJECT_DEPENDS
    "${BLAS_DOOR_DIR}/entrypoints.def;${DOOR_DIR}/door.inc")
foreach(version 12 13)
  set(map ${CMAKE_BINARY_DIR}/cublas${version}.map)
  add_custom_command(OUTPUT ${map}
    COMMAND ${CMAKE_C_COMPILER} -E -P -x c -DVERSION_NAME=libcublas.so.${version} ${BLAS_DOOR_DIR}/blas_map.h -o ${map}
    DEPENDS ${BLAS_DOOR_DIR}/blas_map.h ${BLAS_DOOR_DIR}/entrypoints.def VERBATIM)
  add_custom_target(cublas_map${version} DEPENDS ${map})
  add_library(cublas${version} SHARED ${BLAS_DOOR_DIR}/trampoline.S ${BLAS_DOOR_DIR}/blas_door.c ${DOOR_DIR}/door.c)
  add_dependencies(cublas${version} cublas_map${version})
  set_target_properties(cublas${version} PROPERTIES OUTPUT_NAME cublas SOVERSION ${version} VERSION ${version}
    LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${LANEWISE_LIBRARY_DIR} LINK_DEPENDS ${map})
  target_include_directories(cublas${version} PRIVATE ${BLAS_DOOR_DIR}/..)
  target_compile_options(cublas${version} PRIVATE -std=gnu11 -O2 -fno-sanitize=all) # programs that are not instrumented load it
  target_link_options(cublas${version} PRIVATE -Wl,--version-script=${map} -fno-sanitize=all)
  target_link_libraries(cublas${version} PRIVATE ${CMAKE_DL_LIBS})
  install(TARGETS cublas${version} LIBRARY DESTINATION lib/lanewise)
endforeach()
add_dependencies(cublas13 cublas12) # the later one owns libcublas.so
