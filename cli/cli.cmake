# The command: the executable, the shims of `lanewise build`, the manual page, the golden tests.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(lanewise ${CLI_SOURCES})
target_include_directories(lanewise PRIVATE include)
target_link_libraries(lanewise PRIVATE lanewise_core m)
set_target_properties(lanewise PROPERTIES BUILD_RPATH "$ORIGIN/lib" INSTALL_RPATH "$ORIGIN/../lib/lanewise")

foreach(shim nvcc ld)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/shims/${shim} ${CMAKE_BINARY_DIR}/lib/shims/${shim} COPYONLY)
  install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/shims/${shim} DESTINATION lib/lanewise/shims)
endforeach()
# clang's way: in the build tree by links, so that it lies with the libraries there too.
set(CLANG_CC ${CMAKE_SOURCE_DIR}/tools/lanewise-clang-cc)
set(CLANG_INCLUDE ${CMAKE_SOURCE_DIR}/clang-include)
file(CREATE_LINK ${CLANG_CC} ${CMAKE_BINARY_DIR}/lib/lanewise-clang-cc SYMBOLIC)
file(CREATE_LINK ${CLANG_INCLUDE} ${CMAKE_BINARY_DIR}/lib/clang-include SYMBOLIC)
install(PROGRAMS ${CLANG_CC} DESTINATION lib/lanewise)
install(DIRECTORY ${CLANG_INCLUDE} DESTINATION lib/lanewise)
install(TARGETS lanewise RUNTIME DESTINATION bin)
install(FILES ${CMAKE_SOURCE_DIR}/docs/man/lanewise.1 DESTINATION share/man/man1)

if(LANEWISE_TESTS)
  enable_testing()
  add_test(NAME golden COMMAND ${CMAKE_SOURCE_DIR}/tests/golden/run.sh ${CMAKE_BINARY_DIR})
  if(LANEWISE_SANITIZE) # a program with our runtime cannot load a core that has sanitizers
    set_tests_properties(golden PROPERTIES ENVIRONMENT LANEWISE_SANITIZED=1)
  endif()
endif()
