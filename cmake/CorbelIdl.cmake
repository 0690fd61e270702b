# SPDX-License-Identifier: Apache-2.0
# corbel_idl_generate(TARGET file.idl... [STUBS] [INCLUDES dir...] [DEFINES NAME[=VALUE]...] [OPTIONS option...])
#
# Compiles IDL to C++ and makes the result part of TARGET: sources, and the folder of the headers. Files given by a
# relative path keep its folders, so that `#include "sub/other.idl"` becomes `#include "sub/other.hpp"`. Runs again when an
# IDL file or one that it includes changes. A file that is not there is looked for among Corbel's
# own (CosNaming.idl). Works inside the project and after find_package(Corbel).
#
# STUBS: for clients. No skeletons are compiled but those of reply handlers.
#
# IDL files are also looked for in the folder of the caller, and in the include folders of TARGET and of the libraries that it links with. So a library of
# IDL and its C++ is used like any other: target_link_libraries(TARGET PRIVATE Telescope::idl), and `#include
# <telescope/dome.idl>`. In the project such a library is found with the folder it is made in; to install it:
#
# corbel_idl_install(TARGET [DESTINATION dir])
#
# installs the IDL files and the headers generated for TARGET, a library, beside each other in DESTINATION (default: the include
# folder), and tells targets that link with it. install(TARGETS ... EXPORT ...) and the package's files are written as
# for any library.

# corbel_idl_reflect(TARGET file.idl... [INCLUDES dir...])
#
# Compiles the text of IDL files, with what they include, into TARGET, a program or shared library, and links it with Corbel::reflection; the
# server then tells its interfaces by corbel::reflection::serve(orb), and `corbel call` needs no IDL files.
set(CORBEL_IDL_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "Where CorbelReflect.cmake is")

# The compiler that runs on this machine: the one that was given, or that of the build or the package.
function(corbel_idl_compiler result)
  set(${result} Corbel::corbel-idl PARENT_SCOPE)
  if(CORBEL_IDL_COMPILER)
    if(NOT TARGET corbel_idl_given)
      add_executable(corbel_idl_given IMPORTED GLOBAL)
      set_target_properties(corbel_idl_given PROPERTIES IMPORTED_LOCATION ${CORBEL_IDL_COMPILER})
    endif()
    set(${result} corbel_idl_given PARENT_SCOPE)
  elseif(TARGET corbel-idl)
    set(${result} corbel-idl PARENT_SCOPE)
  elseif(NOT TARGET Corbel::corbel-idl)
    message(FATAL_ERROR "This Corbel is for another machine and has no IDL compiler: give a corbel-idl of the same version that runs here, "
      "-DCORBEL_IDL_COMPILER=/path/to/corbel-idl (docs/cross-compiling.md)")
  endif()
endfunction()

function(corbel_idl_generate target)
  cmake_parse_arguments(IDL "STUBS" "" "INCLUDES;DEFINES;OPTIONS" ${ARGN})
  if(NOT TARGET ${target} OR NOT IDL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "corbel_idl_generate(${ARGV}): write corbel_idl_generate(target file.idl...), after add_executable or "
      "add_library of the target")
  endif()
  corbel_idl_compiler(compiler)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.idl)
  set(flags ${IDL_OPTIONS})
  if(IDL_STUBS)
    list(APPEND flags --stubs)
  endif()
  foreach(include IN LISTS IDL_INCLUDES)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND flags -I ${include})
  endforeach()
  foreach(define IN LISTS IDL_DEFINES)
    list(APPEND flags -D ${define})
  endforeach()

  get_target_property(type ${target} TYPE)
  # Empty for a target without folders.
  set(linked "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(linked "$<$<BOOL:${linked}>:-I;$<JOIN:${linked},;-I;>>")

  foreach(file IN LISTS IDL_UNPARSED_ARGUMENTS)
    cmake_path(GET file STEM LAST_ONLY stem)
    cmake_path(GET file PARENT_PATH inner)
    if(IS_ABSOLUTE ${file} OR inner MATCHES "^\\.\\.")
      set(inner "")
    endif()
    set(output ${folder})
    if(inner)
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
      COMMAND ${compiler} ${flags} -I ${CMAKE_CURRENT_SOURCE_DIR} "${linked}" -o ${output} --deps ${output}/${stem}.d ${file}
      DEPENDS ${file} ${compiler}
      DEPFILE ${output}/${stem}.d
      COMMENT "Compiling ${stem}.idl"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    # What corbel_idl_install() installs: an IDL file, a bar, its folder.
    set_property(TARGET ${target} APPEND PROPERTY CORBEL_IDL_FILES "${file}|${inner}")
    set(sources ${generated})
    if(NOT type STREQUAL "STATIC_LIBRARY")
      # What they include is most of the work, so they are compiled as one. A static library keeps them apart, for
      # programs that need only one of them.
      set(sources ${output}/${stem}.idl.cpp)
      file(CONFIGURE OUTPUT ${sources} @ONLY
        CONTENT "#include \"@stem@.cpp\"\n#include \"@stem@_server.cpp\"\n#include \"@stem@_any.cpp\"\n")
      set_source_files_properties(${generated} PROPERTIES HEADER_FILE_ONLY TRUE)
      list(APPEND sources ${generated})
    endif()
    target_sources(${target} PRIVATE ${sources})
    # UNITY_BUILD_MODE GROUP leaves out sources without a group; BATCH may join any of them.
    set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${stem}.idl)
  endforeach()

  if(type STREQUAL "EXECUTABLE")
    target_include_directories(${target} PRIVATE ${folder})
  else()
    # Those of the IDL files too, for the IDL of targets that link with it.
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${folder}>
      INTERFACE $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>)
  endif()
endfunction()

function(corbel_idl_install target)
  cmake_parse_arguments(INSTALL "" "DESTINATION" "" ${ARGN})
  get_target_property(files ${target} CORBEL_IDL_FILES)
  if(NOT files OR INSTALL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "corbel_idl_install(${ARGV}): write corbel_idl_install(target [DESTINATION dir]), after "
      "corbel_idl_generate(target file.idl...)")
  endif()
  if(NOT INSTALL_DESTINATION)
    include(GNUInstallDirs)
    set(INSTALL_DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  foreach(pair IN LISTS files)
    string(REGEX REPLACE "\\|[^|]*$" "" file "${pair}")
    string(REGEX REPLACE "^.*\\|" "" inner "${pair}")
    cmake_path(GET file STEM LAST_ONLY stem)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.idl/${inner})
    install(FILES ${file} ${output}/${stem}.hpp ${output}/${stem}_server.hpp ${output}/${stem}_any.hpp
      DESTINATION ${INSTALL_DESTINATION}/${inner})
  endforeach()
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${INSTALL_DESTINATION}>)
endfunction()

function(corbel_idl_reflect target)
  cmake_parse_arguments(IDL "" "" "INCLUDES" ${ARGN})
  corbel_idl_compiler(compiler)
  set(flags -I ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(include IN LISTS IDL_INCLUDES)
    cmake_path(ABSOLUTE_PATH include BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    list(APPEND flags -I ${include})
  endforeach()
  foreach(file IN LISTS IDL_UNPARSED_ARGUMENTS)
    cmake_path(GET file STEM LAST_ONLY stem)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.idl/${stem}_text.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DCOMPILER=$<TARGET_FILE:${compiler}> -DFILE=${file} -DOUTPUT=${output} "-DFLAGS=${flags}"
        -P ${CORBEL_IDL_CMAKE_DIR}/CorbelReflect.cmake
      DEPENDS ${file} ${compiler} ${CORBEL_IDL_CMAKE_DIR}/CorbelReflect.cmake
      DEPFILE ${output}.d
      COMMENT "Embedding ${stem}.idl"
      VERBATIM)
    target_sources(${target} PRIVATE ${output})
    set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  target_link_libraries(${target} PRIVATE Corbel::reflection)
endfunction()
