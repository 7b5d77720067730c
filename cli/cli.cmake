# The command: the executable, the shims of `lanewise build`, the manual page, the golden tests.
file(GLOB CLI_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(lanewise ${CLI_SOURCES})
target_include_directories(lanewise PRIVATE include)
target_link_libraries(lanewise PRIVATE lanewise_core)
set_target_properties(lanewise PROPERTIES BUILD_RPATH "$ORIGIN/lib" INSTALL_RPATH "$ORIGIN/../lib/lanewise")

foreach(shim nvcc ld)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/shims/${shim} ${CMAKE_BINARY_DIR}/lib/shims/${shim} COPYONLY)
  install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/shims/${shim} DESTINATION lib/lanewise/shims)
endforeach()
install(TARGETS lanewise RUNTIME DESTINATION bin)
install(FILES ${CMAKE_SOURCE_DIR}/docs/man/lanewise.1 DESTINATION share/man/man1)

if(LANEWISE_TESTS)
  enable_testing()
  add_test(NAME golden COMMAND ${CMAKE_SOURCE_DIR}/tests/golden/run.sh ${CMAKE_BINARY_DIR})
endif()
