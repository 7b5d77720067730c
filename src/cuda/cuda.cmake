# The driver's door: libcuda.so.1, trampolines made from entrypoints.def and the code that finds the core. It lands
# beside the core, where `lanewise run` puts it on the search path of programs.
enable_language(ASM)
set(CUDA_DOOR_DIR ${CMAKE_CURRENT_LIST_DIR})
set(DOOR_DIR ${CUDA_DOOR_DIR}/../door) # door.h, door.c: the code that all doors share
set_source_files_properties(${CUDA_DOOR_DIR}/trampoline.S PROPERTIES OBJECT_DEPENDS
    "${CUDA_DOOR_DIR}/entrypoints.def;${DOOR_DIR}/door.inc")
if(NOT LANEWISE_LIBRARY_DIR)
  set(LANEWISE_LIBRARY_DIR ${CMAKE_BINARY_DIR}/lib)
endif()

set(CUDA_DOOR_MAP ${CMAKE_BINARY_DIR}/cuda.map)
add_custom_command(OUTPUT ${CUDA_DOOR_MAP}
  COMMAND ${CMAKE_C_COMPILER} -E -P -x c -I${CUDA_DOOR_DIR} ${CUDA_DOOR_DIR}/cuda_map.h -o ${CUDA_DOOR_MAP}
  DEPENDS ${CUDA_DOOR_DIR}/cuda_map.h ${CUDA_DOOR_DIR}/entrypoints.def VERBATIM)
add_custom_target(cuda_map DEPENDS ${CUDA_DOOR_MAP})

add_library(cuda_shared SHARED ${CUDA_DOOR_DIR}/trampoline.S ${CUDA_DOOR_DIR}/cuda_door.c ${DOOR_DIR}/door.c)
add_dependencies(cuda_shared cuda_map)
set_target_properties(cuda_shared PROPERTIES OUTPUT_NAME cuda SOVERSION 1 VERSION 1 LINKER_LANGUAGE C
  C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${LANEWISE_LIBRARY_DIR} LINK_DEPENDS ${CUDA_DOOR_MAP})
target_include_directories(cuda_shared PRIVATE ${CUDA_DOOR_DIR}/..)
# Programs that are not instrumented load it.
target_compile_options(cuda_shared PRIVATE -std=gnu11 -O2 -fno-sanitize=all)
target_link_options(cuda_shared PRIVATE -Wl,--version-script=${CUDA_DOOR_MAP} -fno-sanitize=all)
target_link_libraries(cuda_shared PRIVATE ${CMAKE_DL_LIBS})
install(TARGETS cuda_shared LIBRARY DESTINATION lib/lanewise)

# What gives programs that compile at run time PTX, and lanewise's own libraries to those that name NVIDIA's by a path.
add_library(rtc_audit MODULE ${CUDA_DOOR_DIR}/rtc_audit.c ${CUDA_DOOR_DIR}/rtc_audit_files.c ${CUDA_DOOR_DIR}/rtc_audit_find.c
  ${CUDA_DOOR_DIR}/rtc_audit_python.c)
target_include_directories(rtc_audit PRIVATE ${CUDA_DOOR_DIR}/..)
set_target_properties(rtc_audit PROPERTIES OUTPUT_NAME lanewise-rtc C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${LANEWISE_LIBRARY_DIR})
target_compile_options(rtc_audit PRIVATE -std=gnu11 -O2 -fno-sanitize=all)
target_link_options(rtc_audit PRIVATE -fno-sanitize=all -Wl,-z,now)
install(TARGETS rtc_audit LIBRARY DESTINATION lib/lanewise)

# ---------------------------------------------------------------- tests: programs of the driver API
if(LANEWISE_TESTS)
  set(DRIVER_TESTS ${CMAKE_SOURCE_DIR}/tests/driver)
  if(EXISTS /usr/local/cuda/include/cuda.h)
    set(CUDA_H_DIR /usr/local/cuda/include)
  else()
    set(CUDA_H_DIR ${CMAKE_SOURCE_DIR}/clang-include)
  endif()
  file(GLOB DRIVER_PROGRAMS CONFIGURE_DEPENDS ${DRIVER_TESTS}/*.c)
  foreach(source ${DRIVER_PROGRAMS})
    get_filename_component(name ${source} NAME_WE)
    add_executable(driver_${name} ${source})
    target_include_directories(driver_${name} SYSTEM PRIVATE ${CUDA_H_DIR})
    target_link_libraries(driver_${name} PRIVATE cuda_shared ${CMAKE_DL_LIBS})
    add_dependencies(driver_${name} lanewise_core)
    set_target_properties(driver_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME driver_${name} COMMAND lanewise run --no-report $<TARGET_FILE:driver_${name}>)
    set_tests_properties(driver_${name} PROPERTIES PASS_REGULAR_EXPRESSION "ok ${name}\n" TIMEOUT 120)
  endforeach()
  # with a toolkit at hand, too: the same programs must compile with the project's own cuda.h
  add_test(NAME driver_headers COMMAND ${CMAKE_C_COMPILER} -std=gnu11 -fsyntax-only -Wall -Werror
    -I ${CMAKE_SOURCE_DIR}/clang-include ${DRIVER_PROGRAMS})
  if(NOT LANEWISE_SANITIZE)
    add_library(driver_nvrtc SHARED ${DRIVER_TESTS}/rtc/nvrtc.c)
    set_target_properties(driver_nvrtc PROPERTIES OUTPUT_NAME nvrtc LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_executable(driver_rtc_client ${DRIVER_TESTS}/rtc/client.c)
    target_link_libraries(driver_rtc_client PRIVATE driver_nvrtc ${CMAKE_DL_LIBS})
    set_target_properties(driver_rtc_client PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_test(NAME driver_rtc COMMAND lanewise run --no-report $<TARGET_FILE:driver_rtc_client>
      $<TARGET_FILE:driver_nvrtc>)
    set_tests_properties(driver_rtc PROPERTIES PASS_REGULAR_EXPRESSION "by pointer .version 9.0, linked .version 9.0, loaded .version 9.0\n")
  endif()
  if(NOT LANEWISE_SANITIZE)
    add_library(driver_runtime_part SHARED ${DRIVER_TESTS}/runtimes/part.c)
    add_executable(driver_runtimes ${DRIVER_TESTS}/runtimes/main.c)
    foreach(target driver_runtime_part driver_runtimes)
      target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_SOURCE_DIR}/clang-include)
      target_link_libraries(${target} PRIVATE ${CUDART_STATIC} ${CMAKE_DL_LIBS})
      target_compile_options(${target} PRIVATE -fno-optimize-sibling-calls) # calls of the runtime return to these objects
      add_dependencies(${target} cudart_static)
      set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    endforeach()
    add_test(NAME driver_runtimes COMMAND lanewise run --no-report $<TARGET_FILE:driver_runtimes>
      $<TARGET_FILE:driver_runtime_part>)
    set_tests_properties(driver_runtimes PROPERTIES PASS_REGULAR_EXPRESSION "ok runtimes\n" TIMEOUT 60)
  endif()
  if(NOT LANEWISE_SANITIZE)
    set(CAPSULES ${DRIVER_TESTS}/capsules)
    add_library(driver_capsules_python SHARED ${CAPSULES}/python.c)
    set_target_properties(driver_capsules_python PROPERTIES OUTPUT_NAME python-of-a-test
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_library(driver_capsules_module MODULE ${CAPSULES}/module.c)
    set_target_properties(driver_capsules_module PROPERTIES OUTPUT_NAME runtime
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/cuda/bindings/_internal)
    add_library(driver_capsules_caller MODULE ${CAPSULES}/caller.c)
    set_target_properties(driver_capsules_caller PROPERTIES OUTPUT_NAME cyruntime
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/cuda/bindings)
    foreach(target driver_capsules_module driver_capsules_caller)
      target_link_libraries(${target} PRIVATE driver_capsules_python)
      set_target_properties(${target} PROPERTIES PREFIX "")
    endforeach()
    set_target_properties(driver_capsules_python driver_capsules_module driver_capsules_caller PROPERTIES
      C_VISIBILITY_PRESET default)
    add_executable(driver_capsules ${CAPSULES}/main.c)
    target_link_libraries(driver_capsules PRIVATE ${CMAKE_DL_LIBS})
    set_target_properties(driver_capsules PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    add_dependencies(driver_capsules driver_capsules_module driver_capsules_caller)
    add_test(NAME driver_capsules COMMAND lanewise run --no-report --devices 3 $<TARGET_FILE:driver_capsules>
      ${CMAKE_BINARY_DIR}/tests 13010)
    set_tests_properties(driver_capsules PROPERTIES PASS_REGULAR_EXPRESSION "^0:3 0:7 100:-1 0:13000\n")
    add_test(NAME driver_capsules_12 COMMAND lanewise run --no-report $<TARGET_FILE:driver_capsules>
      ${CMAKE_BINARY_DIR}/tests 12080)
    set_tests_properties(driver_capsules_12 PROPERTIES PASS_REGULAR_EXPRESSION "^100:-1 0:7 100:-1 0:12080\n")
  endif()
  find_program(PYTHON3 python3)
  if(PYTHON3 AND NOT LANEWISE_SANITIZE) # an instrumented library cannot be loaded into a plain interpreter
    add_test(NAME driver_python COMMAND lanewise run --no-report ${PYTHON3} ${DRIVER_TESTS}/vector_add.py)
    set_tests_properties(driver_python PROPERTIES PASS_REGULAR_EXPRESSION "ok vector_add.py\n" TIMEOUT 120)
    add_test(NAME driver_found_files COMMAND lanewise run --no-report ${PYTHON3} ${DRIVER_TESTS}/found_files.py)
    set_tests_properties(driver_found_files PROPERTIES PASS_REGULAR_EXPRESSION "ok found_files.py\n" TIMEOUT 60)
  endif()
endif()
