# SPDX-License-Identifier: Apache-2.0
# An overlay port that builds the checkout it lies in: vcpkg install corbel --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

# What is left out is not taken from the system, either.
vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS INVERTED_FEATURES
  named CMAKE_DISABLE_FIND_PACKAGE_SQLite3
  postgresql CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL
  tls CMAKE_DISABLE_FIND_PACKAGE_OpenSSL
  tracing CMAKE_DISABLE_FIND_PACKAGE_CURL
  ziop CMAKE_DISABLE_FIND_PACKAGE_ZLIB)
set(CROSS_OPTIONS "")
if(VCPKG_CROSSCOMPILING)
  list(APPEND CROSS_OPTIONS "-DCORBEL_IDL_COMPILER=${CURRENT_HOST_INSTALLED_DIR}/tools/corbel/corbel-idl")
endif()

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${FEATURE_OPTIONS} ${CROSS_OPTIONS}
  -DCORBEL_TESTS=OFF -DCORBEL_EXAMPLES=OFF -DCORBEL_BENCH=OFF MAYBE_UNUSED_VARIABLES CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Corbel CONFIG_PATH lib/cmake/Corbel)
vcpkg_fixup_pkgconfig()

set(TOOLS corbel corbel-bridge)
if(NOT VCPKG_CROSSCOMPILING)
  list(APPEND TOOLS corbel-idl)
endif()
if("named" IN_LIST FEATURES)
  list(APPEND TOOLS corbel-named)
endif()
vcpkg_copy_tools(TOOL_NAMES ${TOOLS} AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
  "${CURRENT_PACKAGES_DIR}/lib/systemd" "${CURRENT_PACKAGES_DIR}/debug/lib/systemd")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
