# SPDX-License-Identifier: Apache-2.0
# This machine's nlohmann_json, whose headers are those of every machine: in a folder of their own, because beside them lie headers that
# are not.
set(headers ${CMAKE_BINARY_DIR}/headers)
if(NOT TARGET nlohmann_json::nlohmann_json AND EXISTS /usr/include/nlohmann)
  file(MAKE_DIRECTORY ${headers})
  file(CREATE_LINK /usr/include/nlohmann ${headers}/nlohmann SYMBOLIC)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${headers})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(nlohmann_json DEFAULT_MSG headers)
