# SPDX-License-Identifier: Apache-2.0
# The libraries users link (Corbel::corbel, Corbel::corbel_static, made from the same objects) and what `cmake --install`
# puts where. Included after the rooms and the compiler exist.

include(CMakePackageConfigHelpers)

# The rooms at the top of the runtime; with all they use they are the library. A new transport or protocol comes in
# through what builtins uses.
set(CORBEL_RUNTIME_ROOMS base mapping dynamic poa bridge builtins)

set(runtime "")
foreach(room IN LISTS CORBEL_RUNTIME_ROOMS)
  get_property(below GLOBAL PROPERTY CORBEL_CLOSURE_corbel_${room})
  list(APPEND runtime ${below})
endforeach()
list(REMOVE_DUPLICATES runtime)
# The cold parts last: of what several objects have, as inline functions, the linker takes the first.
foreach(target IN LISTS runtime)
  if(TARGET ${target}_cold)
    list(APPEND runtime ${target}_cold)
  endif()
endforeach()
# What speaks TLS is a library of its own, which the shared one loads when it is needed (ADR 33).
set(tls_runtime corbel_transport_tls_openssl corbel_transport_tls_openssl_cold)
set(tls_library ${PROJECT_SOURCE_DIR}/src/corbel/transport/tls_openssl/library)
set(shared_runtime ${runtime})
list(REMOVE_ITEM shared_runtime ${tls_runtime})

foreach(kind SHARED STATIC)
  set(target corbel)
  set(objects ${shared_runtime})
  if(kind STREQUAL STATIC)
    set(target corbel_static)
    set(objects ${runtime})
  endif()
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} ${kind} ${objects})
  add_library(Corbel::${target} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME corbel LINKER_LANGUAGE CXX)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:corbel_flags> PUBLIC Threads::Threads)
endforeach()
# Before 1.0 every minor version may change the binary interface.
set(binary_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(corbel PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${binary_version})
if(TARGET corbel_transport_tls)
  target_link_libraries(corbel_static PRIVATE OpenSSL::SSL OpenSSL::Crypto)
  target_sources(corbel PRIVATE ${tls_library}/loading.cpp)
  set_source_files_properties(${tls_library}/loading.cpp PROPERTIES
    COMPILE_DEFINITIONS "CORBEL_BUILDING;CORBEL_TLS_LIBRARY=\"libcorbel-tls.so.${binary_version}\"")
  list(TRANSFORM tls_runtime REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(corbel_tls SHARED ${tls_library}/entry.cpp ${tls_runtime})
  set_target_properties(corbel_tls PROPERTIES OUTPUT_NAME corbel-tls VERSION ${PROJECT_VERSION} SOVERSION ${binary_version})
  target_compile_definitions(corbel_tls PRIVATE CORBEL_BUILDING)
  target_link_libraries(corbel_tls PRIVATE $<TARGET_LINKER_FILE:corbel> corbel_flags corbel_room_flags OpenSSL::SSL OpenSSL::Crypto
    Threads::Threads)
  add_dependencies(corbel_tls corbel)
  # Who links with the one gets the other built, too.
  add_library(corbel_tls_beside INTERFACE)
  add_dependencies(corbel_tls_beside corbel_tls)
  target_link_libraries(corbel INTERFACE $<BUILD_INTERFACE:corbel_tls_beside>)
  target_link_libraries(corbel PRIVATE $<BUILD_INTERFACE:corbel_room_flags>)
  install(TARGETS corbel_tls LIBRARY COMPONENT runtime NAMELINK_SKIP)
endif()
# Calls within the library go straight to their target instead of through its linkage table.
target_link_options(corbel PRIVATE -Wl,-Bsymbolic-functions)
# Its 8,000 relative relocations (vtables, tables of names) as bits instead of 24 octets each, if the C library can read them:
# a linker may be ahead of it, and what it makes would not load. -z that a linker does not know is a warning.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs -Wl,--fatal-warnings)
check_cxx_source_compiles("#include <features.h>
#if !__GLIBC_PREREQ(2, 36)
#error DT_RELR
#endif
int main() {}" CORBEL_PACKS_RELOCATIONS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
set(shared_libraries corbel)
if(TARGET corbel_tls)
  list(APPEND shared_libraries corbel_tls)
endif()
foreach(library IN LISTS shared_libraries)
  if(NOT CORBEL_SANITIZE)
    target_link_options(${library} PRIVATE -Wl,--no-undefined -Wl,--gc-sections)
  endif()
  if(CORBEL_PACKS_RELOCATIONS)
    target_link_options(${library} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Corbel)
set(installed_targets corbel corbel_static)
if(TARGET corbel-idl)
  list(APPEND installed_targets corbel-idl)
endif()
install(TARGETS ${installed_targets} EXPORT CorbelTargets LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
install(EXPORT CorbelTargets NAMESPACE Corbel:: DESTINATION ${package_folder})
install(FILES ${PROJECT_SOURCE_DIR}/src/corbel/corbel.hpp ${PROJECT_SOURCE_DIR}/src/corbel/standard.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/corbel)
# With the tools: `corbel call` reads it, too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/idl DESTINATION ${CMAKE_INSTALL_DATADIR}/corbel COMPONENT tools FILES_MATCHING PATTERN "*.idl")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN Doxyfile EXCLUDE PATTERN rooms.json EXCLUDE PATTERN adr EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The conformance suites of the ports, for authors of plug-ins.
set(CORBEL_SUITES_DESTINATION ${CMAKE_INSTALL_DATADIR}/corbel/suites)
set(suites transport_conformance.hpp transport_helpers.hpp local_carrier.hpp transport_conformance.cpp
  transport_data_conformance.cpp transport_endpoint_conformance.cpp session_conformance.hpp
  session_conformance.cpp session_order_conformance.cpp)
list(TRANSFORM suites PREPEND ${PROJECT_SOURCE_DIR}/tests/conformance/)
install(FILES ${suites} DESTINATION ${CORBEL_SUITES_DESTINATION}/conformance)
set(suites allocations.hpp allocations.cpp files.hpp)
list(TRANSFORM suites PREPEND ${PROJECT_SOURCE_DIR}/tests/support/)
install(FILES ${suites} DESTINATION ${CORBEL_SUITES_DESTINATION}/support)

# What a program links with when it links statically.
set(CORBEL_WITH_OPENSSL OFF)
set(CORBEL_WITH_TRACING ${CURL_FOUND})
set(CORBEL_WITH_ZIOP ${ZLIB_FOUND})
set(corbel_private_libraries "-pthread")
if(TARGET corbel_transport_tls)
  set(CORBEL_WITH_OPENSSL ON)
  string(APPEND corbel_private_libraries " -lssl -lcrypto")
endif()
set(CORBEL_IDL_DESTINATION ${CMAKE_INSTALL_DATADIR}/corbel/idl)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/CorbelConfig.cmake.in ${PROJECT_BINARY_DIR}/CorbelConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CORBEL_IDL_DESTINATION CORBEL_SUITES_DESTINATION)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CorbelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CorbelConfig.cmake ${PROJECT_BINARY_DIR}/CorbelConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/CorbelIdl.cmake ${CMAKE_CURRENT_LIST_DIR}/CorbelReflect.cmake
  ${CMAKE_CURRENT_LIST_DIR}/CorbelConformance.cmake DESTINATION ${package_folder} OPTIONAL)

# The .pc file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/corbel.pc.in ${PROJECT_BINARY_DIR}/corbel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/corbel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
