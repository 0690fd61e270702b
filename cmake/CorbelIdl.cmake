# SPDX-License-Identifier: Apache-2.0
# corbel_idl_generate(TARGET file.idl... [INCLUDES dir...] [DEFINES NAME[=VALUE]...] [OPTIONS option...])
#
# Compiles IDL to C++ and makes the result part of TARGET: sources, and the folder of the headers. Files given by a
# relative path keep its folders, so that `#include "sub/other.idl"` becomes `#include "sub/other.hpp"`. Runs again when an
# IDL file or one that it includes changes. A file that is not there is looked for among Corbel's
# own (IOP.idl). Works inside the project and after find_package(Corbel).

function(corbel_idl_generate target)
  cmake_parse_arguments(IDL "" "" "INCLUDES;DEFINES;OPTIONS" ${ARGN})
  if(NOT TARGET ${target} OR NOT IDL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "corbel_idl_generate(${ARGV}): write corbel_idl_generate(target file.idl...), after add_executable or "
      "add_library of the target")
  endif()
  set(compiler Corbel::corbel-idl)
  if(TARGET corbel-idl)
    set(compiler corbel-idl)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.idl)
  set(flags ${IDL_OPTIONS})
  foreach(include IN LISTS IDL_INCLUDES)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND flags -I ${include})
  endforeach()
  foreach(define IN LISTS IDL_DEFINES)
    list(APPEND flags -D ${define})
  endforeach()

  foreach(file IN LISTS IDL_UNPARSED_ARGUMENTS)
    cmake_path(GET file STEM LAST_ONLY stem)
    cmake_path(GET file PARENT_PATH inner)
    set(output ${folder})
    if(inner AND NOT IS_ABSOLUTE ${file} AND NOT inner MATCHES "^\\.\\.")
      set(output ${folder}/${inner})
    endif()
    set(shipped ${CORBEL_IDL_DIR}/${file})
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(EXISTS ${shipped} AND NOT EXISTS ${file})
      set(file ${shipped})
    endif()
    set(generated ${output}/${stem}.hpp ${output}/${stem}.cpp ${output}/${stem}_server.hpp ${output}/${stem}_server.cpp
      ${output}/${stem}_any.hpp ${output}/${stem}_any.cpp)
    add_custom_command(
      OUTPUT ${generated}
      COMMAND ${compiler} ${flags} -o ${output} --deps ${output}/${stem}.d ${file}
      DEPENDS ${file} ${compiler}
      DEPFILE ${output}/${stem}.d
      COMMENT "Compiling ${stem}.idl"
      VERBATIM)
    target_sources(${target} PRIVATE ${generated})
    # UNITY_BUILD_MODE GROUP leaves out sources without a group; BATCH may join any of them.
    set_source_files_properties(${generated} PROPERTIES UNITY_GROUP ${stem}.idl)
  endforeach()

  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_include_directories(${target} PRIVATE ${folder})
  else()
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>)
  endif()
endfunction()
