# The runtime's doors: libcudart.so.13 and libcudart_static.a. Both hold only trampolines made from entrypoints.def and
# the code that finds the core; both land beside the core, where the doors look for it first.
enable_language(ASM)
set(CUDART_DIR ${CMAKE_CURRENT_LIST_DIR})
set(CUDART_DOOR_SOURCES ${CUDART_DIR}/trampoline.S ${CUDART_DIR}/cudart_door.c ${CUDART_DIR}/../door/door.c)
set_source_files_properties(${CUDART_DIR}/trampoline.S PROPERTIES OBJECT_DEPENDS
    "${CUDART_DIR}/entrypoints.def;${CUDART_DIR}/../door/door.inc")
if(NOT LANEWISE_LIBRARY_DIR)
  set(LANEWISE_LIBRARY_DIR ${CMAKE_BINARY_DIR}/lib)
endif()

add_library(cudart_objects OBJECT ${CUDART_DOOR_SOURCES})
set_target_properties(cudart_objects PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
target_include_directories(cudart_objects PRIVATE ${CUDART_DIR}/..)
# Programs link this code: no instrumentation that would have to be in them too.
target_compile_options(cudart_objects PRIVATE -std=gnu11 -O2 -fno-sanitize=all)

set(CUDART_MAP ${CMAKE_BINARY_DIR}/cudart.map)
add_custom_command(OUTPUT ${CUDART_MAP}
  COMMAND ${CMAKE_C_COMPILER} -E -P -x c -I${CUDART_DIR} ${CUDART_DIR}/cudart_map.h -o ${CUDART_MAP}
  DEPENDS ${CUDART_DIR}/cudart_map.h ${CUDART_DIR}/entrypoints.def VERBATIM)
add_custom_target(cudart_map DEPENDS ${CUDART_MAP})

add_library(cudart_shared SHARED $<TARGET_OBJECTS:cudart_objects>)
add_dependencies(cudart_shared cudart_map)
set_target_properties(cudart_shared PROPERTIES OUTPUT_NAME cudart SOVERSION 13 VERSION 13 LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${LANEWISE_LIBRARY_DIR} LINK_DEPENDS ${CUDART_MAP})
target_link_options(cudart_shared PRIVATE -Wl,--version-script=${CUDART_MAP} -fno-sanitize=all)
target_link_libraries(cudart_shared PRIVATE ${CMAKE_DL_LIBS})

# One object with its hidden names made local, so that nothing of ours can clash with a program's names.
set(CUDART_STATIC ${LANEWISE_LIBRARY_DIR}/libcudart_static.a)
add_custom_command(OUTPUT ${CUDART_STATIC}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${LANEWISE_LIBRARY_DIR}
  COMMAND ${CMAKE_LINKER} -r -o ${CMAKE_BINARY_DIR}/cudart_static.o $<TARGET_OBJECTS:cudart_objects>
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${CMAKE_BINARY_DIR}/cudart_static.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${CUDART_STATIC}
  COMMAND ${CMAKE_AR} rcs ${CUDART_STATIC} ${CMAKE_BINARY_DIR}/cudart_static.o
  DEPENDS cudart_objects $<TARGET_OBJECTS:cudart_objects> COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(cudart_static ALL DEPENDS ${CUDART_STATIC})

# Never into the system's library folder: a private one, beside the core, so that no other program takes them for
# NVIDIA's.
install(TARGETS cudart_shared LIBRARY DESTINATION lib/lanewise)
install(FILES ${CUDART_STATIC} DESTINATION lib/lanewise)
