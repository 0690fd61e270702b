# SPDX-License-Identifier: Apache-2.0
# corbel_fuzz(NAME USES rooms... [LIBRARIES targets...]): one entry that takes foreign octets, in tests/fuzz/NAME_fuzz.cpp,
# which defines LLVMFuzzerTestOneInput. With CORBEL_FUZZ it becomes the libFuzzer program fuzz_NAME; otherwise the test
# fuzz.NAME replays the corpus in tests/fuzz/corpus/NAME, and every truncation and some mutations of each input.
function(corbel_fuzz name)
  cmake_parse_arguments(FUZZ "" "" "USES;LIBRARIES" ${ARGN})
  set(closure "")
  foreach(used IN LISTS FUZZ_USES)
    string(REPLACE "/" "_" room "corbel_${used}")
    get_property(below GLOBAL PROPERTY CORBEL_CLOSURE_${room})
    list(APPEND closure ${below})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  add_executable(fuzz_${name} ${name}_fuzz.cpp)
  target_include_directories(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_options(fuzz_${name} PRIVATE -O1)  # run ten thousand times, unlike other tests
  target_link_libraries(fuzz_${name} PRIVATE ${closure} corbel_flags ${FUZZ_LIBRARIES} Threads::Threads)
  if(CORBEL_FUZZ)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  else()
    target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.cpp)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS "fuzz;unit" TIMEOUT 600 COST 10)
  endif()
endfunction()
