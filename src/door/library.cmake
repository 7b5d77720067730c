# lanewise_library(NAME ENTRYPOINTS NOT_INITIALIZED SONAME...): the doors of a library that programs link beside CUDA, one for each
# version in SONAME..., which differ in their soname and the version of their symbols; the last owns lib<NAME>.so. They lie beside
# the core, where `lanewise run` puts them on the search path of programs. NOT_INITIALIZED: what calls return without a core.
set(LIBRARY_DOOR_DIR ${CMAKE_CURRENT_LIST_DIR})
set(LIBRARY_SONAMES "" CACHE INTERNAL "sonames of all libraries with a door")

function(lanewise_library name entrypoints not_initialized)
  set_property(SOURCE ${LIBRARY_DOOR_DIR}/library.S APPEND PROPERTY OBJECT_DEPENDS ${entrypoints} ${LIBRARY_DOOR_DIR}/door.inc)
  string(MAKE_C_IDENTIFIER ${name} id) # nvidia-ml: symbols without a version, which the linker takes for any
  set(before "")
  set(sonames ${LIBRARY_SONAMES})
  foreach(version ${ARGN})
    set(target ${name}${version})
    set(map ${CMAKE_BINARY_DIR}/${target}.map)
    set(version_name lib${name}.so.${version})
    if(NOT id STREQUAL name)
      set(version_name "") # the linker's scripts know no names with a hyphen
    endif()
    set(definitions ENTRYPOINTS="${entrypoints}" NAME="${id}" TABLE=lw_${id}_table BIND=lw_${id}_bind
      MARKER=lw_${id}_marker NOT_INITIALIZED=${not_initialized})
    add_custom_command(OUTPUT ${map}
      COMMAND ${CMAKE_C_COMPILER} -E -P -x c -DVERSION_NAME=${version_name} -DMARKER=lw_${id}_marker
        "-DENTRYPOINTS=\"${entrypoints}\"" ${LIBRARY_DOOR_DIR}/library_map.h -o ${map}
      DEPENDS ${LIBRARY_DOOR_DIR}/library_map.h ${entrypoints} VERBATIM)
    add_custom_target(${target}_map DEPENDS ${map} ${before})
    add_library(${target} SHARED ${LIBRARY_DOOR_DIR}/library.S ${LIBRARY_DOOR_DIR}/library.c ${LIBRARY_DOOR_DIR}/door.c)
    add_dependencies(${target} ${target}_map ${before})
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SOVERSION ${version} VERSION ${version}
      LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${LANEWISE_LIBRARY_DIR} LINK_DEPENDS ${map})
    target_compile_definitions(${target} PRIVATE ${definitions})
    target_include_directories(${target} PRIVATE ${LIBRARY_DOOR_DIR}/..)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-std=gnu11> -O2 -fno-sanitize=all) # programs without sanitizers load it
    target_link_options(${target} PRIVATE -Wl,--version-script=${map} -fno-sanitize=all)
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
    install(TARGETS ${target} LIBRARY DESTINATION lib/lanewise)
    set(before ${target}) # later ones overwrite lib<NAME>.so
    list(APPEND sonames lib${name}.so.${version})
  endforeach()
  set(LIBRARY_SONAMES ${sonames} CACHE INTERNAL "")
endfunction()
