# SPDX-License-Identifier: Apache-2.0
# corbel_transport_conformance(TARGET), corbel_session_conformance(TARGET): make a test program of TARGET, whose sources
# describe transports or message protocols to a conformance suite ("conformance/transport_conformance.hpp",
# "conformance/session_conformance.hpp"): add the suite and GoogleTest with its main(). Both may be asked for one program.
# Work inside the project and after find_package(Corbel); need find_package(GTest) before.

# corbel_conformance(TARGET SUITE SOURCE...): what the two share.
function(corbel_conformance target suite)
  target_include_directories(${target} PRIVATE ${CORBEL_SUITES_DIR})
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main)
  if(TARGET corbel_${suite}_suite)
    target_link_libraries(${target} PRIVATE corbel_${suite}_suite)
  else()
    list(TRANSFORM ARGN PREPEND ${CORBEL_SUITES_DIR}/)
    target_sources(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(corbel_transport_conformance target)
  corbel_conformance(${target} transport conformance/transport_conformance.cpp
    conformance/transport_data_conformance.cpp conformance/transport_endpoint_conformance.cpp)
endfunction()

function(corbel_session_conformance target)
  corbel_conformance(${target} session conformance/session_conformance.cpp conformance/session_order_conformance.cpp
    support/allocations.cpp)
endfunction()
