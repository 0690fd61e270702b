# SPDX-License-Identifier: Apache-2.0
# corbel_transport_conformance(TARGET): makes a test program of TARGET, whose sources describe transports to the
# conformance suite ("conformance/transport_conformance.hpp"): adds the suite and GoogleTest with its main(). Works inside
# the project and after find_package(Corbel); needs find_package(GTest) before.
function(corbel_transport_conformance target)
  target_include_directories(${target} PRIVATE ${CORBEL_SUITES_DIR})
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gtest_main)
  if(TARGET corbel_transport_suite)
    target_link_libraries(${target} PRIVATE corbel_transport_suite)
  else()
    target_sources(${target} PRIVATE ${CORBEL_SUITES_DIR}/conformance/transport_conformance.cpp
      ${CORBEL_SUITES_DIR}/conformance/transport_data_conformance.cpp
      ${CORBEL_SUITES_DIR}/conformance/transport_endpoint_conformance.cpp)
  endif()
endfunction()
