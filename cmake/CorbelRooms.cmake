# SPDX-License-Identifier: Apache-2.0
# corbel_room(NAME [USES rooms...] [HEADERS installed.hpp...] [COLD sources.cpp...] [LIBRARIES targets...] [TEST_LIBRARIES targets...]): one room of the house. Every .cpp beside the
# caller is compiled once into an object library (static and shared libraries are made from the same objects); every *_test.cpp
# joins the test program corbel_<room>_test, labelled with the room's name.
#
# COLD: the sources that no call passes that succeeds, once its reference is bound: start-up, options, opening, routes, policies,
# exceptions, texts. Release builds compile them for size, apart from the others, into corbel_<room>_cold; who links with the
# room has both. What instantiates a transport's class template, with its send() and receive(), is none of them.

add_library(corbel_flags INTERFACE)
target_include_directories(corbel_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(corbel_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${CORBEL_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # g++'s -Wconversion does not include it.
  target_compile_options(corbel_flags INTERFACE -Wno-sign-conversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in concatenations of std::string where there are none (GCC bug 105651).
  target_compile_options(corbel_flags INTERFACE -Wno-restrict)
endif()
if(CORBEL_SANITIZE)
  target_compile_options(corbel_flags INTERFACE -fsanitize=${CORBEL_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(corbel_flags INTERFACE -fsanitize=${CORBEL_SANITIZE})
  # Programs of 100 MB and more: a third of the time to link them.
  find_program(CORBEL_LLD ld.lld)
  if(CORBEL_LLD)
    target_link_options(corbel_flags INTERFACE -fuse-ld=lld)
  endif()
endif()
add_library(corbel_room_flags INTERFACE)
if(CORBEL_SANITIZE MATCHES undefined)
  # A check at every access to memory is half the time to compile: the rooms have them, what uses the rooms does not.
  set(checks_of_accesses alignment,null,object-size,vptr)
  target_compile_options(corbel_flags INTERFACE -fno-sanitize=${checks_of_accesses})
  target_compile_options(corbel_room_flags INTERFACE -fsanitize=${checks_of_accesses})
endif()
if(CORBEL_FUZZ)
  target_compile_options(corbel_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# corbel_unity(TARGET BATCH): with CORBEL_UNITY the sources of the target are compiled BATCH at a time (0: all at once),
# because most of the time of a source goes into its headers; and the path of a call can be inlined across files.
function(corbel_unity target batch)
  if(CORBEL_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

# The case that hangs is named and ended: every test program is linked with this.
if(CORBEL_TESTS)
  add_library(corbel_watchdog OBJECT ${PROJECT_SOURCE_DIR}/tests/support/watchdog.cpp)
  target_link_libraries(corbel_watchdog PRIVATE corbel_flags GTest::gtest)
  # A program that links with this counts what it allocates (tests/support/allocations.hpp).
  add_library(corbel_test_allocations OBJECT ${PROJECT_SOURCE_DIR}/tests/support/allocations.cpp)
  target_include_directories(corbel_test_allocations PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(corbel_test_allocations PRIVATE corbel_flags)
endif()

# corbel_test_headers(TARGET): a test program gets GoogleTest and what nearly every test includes precompiled. Only for programs
# compiled with -O0 that link with GTest::gtest.
if(CORBEL_TESTS AND CORBEL_UNITY)
  file(CONFIGURE OUTPUT test_headers.cpp CONTENT "")
  add_executable(corbel_test_headers ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  target_compile_options(corbel_test_headers PRIVATE -O0)
  target_link_libraries(corbel_test_headers PRIVATE corbel_flags GTest::gtest GTest::gtest_main)
  target_precompile_headers(corbel_test_headers PRIVATE <gtest/gtest.h> <algorithm> <atomic> <chrono> <condition_variable>
    <functional> <map> <memory> <mutex> <optional> <span> <string> <thread> <tuple> <variant> <vector>)
endif()
function(corbel_test_headers target)
  target_link_libraries(${target} PRIVATE corbel_watchdog)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)  # "support/..."
  if(CORBEL_UNITY)
    target_precompile_headers(${target} REUSE_FROM corbel_test_headers)
  endif()
endfunction()

# The objects of a room, or of its cold part.
function(corbel_room_objects target)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_compile_definitions(${target} PRIVATE CORBEL_BUILDING)
  corbel_unity(${target} 0)
  # What is compiled as one is one object file: only so can who links take less of it than all.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  # How much it may grow by inlining: of g++'s 40 %, a room needs 10 (ADR 6).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=inline-unit-growth=10>)
  target_link_libraries(${target} PRIVATE corbel_flags corbel_room_flags ${ROOM_LIBRARIES} PUBLIC Threads::Threads)
endfunction()

function(corbel_room name)
  cmake_parse_arguments(ROOM "" "" "USES;HEADERS;COLD;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  string(REPLACE "/" "_" target "corbel_${name}")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "_conformance_test\\.cpp$")  # of the port's suite (tests/conformance)
  if(ROOM_COLD)
    list(TRANSFORM ROOM_COLD PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    list(REMOVE_ITEM sources ${ROOM_COLD})
    corbel_room_objects(${target}_cold ${ROOM_COLD})
    target_compile_options(${target}_cold PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
  if(NOT sources)  # a header-only room, or a cold one
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    file(CONFIGURE OUTPUT ${sources} CONTENT "")
  endif()
  corbel_room_objects(${target} ${sources})
  if(ROOM_COLD)
    target_sources(${target} INTERFACE $<TARGET_OBJECTS:${target}_cold>)
  endif()
  # The headers that applications, generated code and authors of plug-ins include; the others stay at home.
  install(FILES ${ROOM_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/corbel/${name})
  list(TRANSFORM ROOM_HEADERS PREPEND corbel/${name}/)
  set_property(GLOBAL APPEND PROPERTY CORBEL_HEADERS ${ROOM_HEADERS})
  # Objects of the rooms below, transitively, so that a test program links with what its room may use and no more.
  set(closure ${target})
  foreach(used IN LISTS ROOM_USES)
    string(REPLACE "/" "_" used_target "corbel_${used}")
    get_property(below GLOBAL PROPERTY CORBEL_CLOSURE_${used_target})
    list(APPEND closure ${below})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY CORBEL_CLOSURE_${target} "${closure}")
  if(CORBEL_TESTS AND tests)
    add_executable(${target}_test ${tests})
    corbel_unity(${target}_test 8)
    target_compile_options(${target}_test PRIVATE -O0)  # compiled once, run once
    target_link_libraries(${target}_test PRIVATE ${closure} corbel_flags ${ROOM_LIBRARIES} ${ROOM_TEST_LIBRARIES}
      GTest::gtest GTest::gtest_main Threads::Threads)
    corbel_test_headers(${target}_test)
    add_test(NAME ${name} COMMAND ${target}_test)
    set_tests_properties(${name} PROPERTIES LABELS "${name};unit" TIMEOUT 300)
  endif()
endfunction()
