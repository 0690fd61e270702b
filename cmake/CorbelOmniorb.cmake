# SPDX-License-Identifier: Apache-2.0
# Looks for the whole of omniORB: library, headers, a compiler that runs, and its IDL files. A peer that is half installed
# counts as absent, so that it cannot break a build that does not ask for it. Sets CORBEL_OMNIORB to what is missing, or
# to "" if all is there; then OMNIIDL is the compiler, OMNIORB_IDL its include folder, PkgConfig::OMNIORB the library.
include_guard(GLOBAL)
set(CORBEL_OMNIORB "")
# Looked for each time: a peer may have come or gone since.
unset(OMNIIDL CACHE)
unset(OMNIORB_IDL CACHE)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(OMNIORB QUIET IMPORTED_TARGET GLOBAL omniORB4)
endif()
find_program(OMNIIDL omniidl)
find_path(OMNIORB_IDL orb.idl PATHS /usr/share/idl/omniORB PATH_SUFFIXES share/idl/omniORB)
if(NOT OMNIORB_FOUND)
  list(APPEND CORBEL_OMNIORB libomniorb4-dev)
endif()
if(OMNIIDL)
  execute_process(COMMAND ${OMNIIDL} -V RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT OMNIIDL OR status)
  list(APPEND CORBEL_OMNIORB omniidl)
endif()
if(NOT OMNIORB_IDL)
  list(APPEND CORBEL_OMNIORB omniorb-idl)
endif()
list(JOIN CORBEL_OMNIORB " " CORBEL_OMNIORB)
