# SPDX-License-Identifier: Apache-2.0
# Which versions of omniORB are tested with: `interop_omniorbs` names them. For each ORB the target interop_orb_ORB is what
# its programs are linked with, OMNIIDL_ORB is its
# compiler, OMNIZIOP_ORB its library for compressed GIOP and OMNIORB_PROGRAMS_ORB where omniNames and nameclt are.
set(interop_omniorbs omniorb)
add_library(interop_orb_omniorb INTERFACE)
target_link_libraries(interop_orb_omniorb INTERFACE PkgConfig::OMNIORB omniDynamic4 Threads::Threads)
set(OMNIIDL_omniorb ${OMNIIDL})
set(OMNIORB_PROGRAMS_omniorb /usr/bin)
set(OMNIZIOP_omniorb omniZIOP4)

if(CORBEL_OMNIORB_NEWER)
  set(peers ${PROJECT_SOURCE_DIR}/build/peers)  # where scripts/peers.sh has put it
  file(GLOB prefix ${peers}/venv/lib/python3*/site-packages/cmeel.prefix)
  set(OMNIIDL_omniorb43 ${peers}/venv/bin/omniidl)
  set(OMNIORB_PROGRAMS_omniorb43 ${prefix}/bin)  # those in venv/bin start them as processes of their own
  if(NOT EXISTS ${prefix}/lib/libomniORB4.so OR NOT EXISTS ${OMNIIDL_omniorb43})
    message(FATAL_ERROR "CORBEL_OMNIORB_NEWER needs what scripts/peers.sh fetches into ${peers}")
  endif()
  list(APPEND interop_omniorbs omniorb43)
  add_library(interop_orb_omniorb43 INTERFACE)
  target_include_directories(interop_orb_omniorb43 SYSTEM INTERFACE ${prefix}/include)
  set(OMNIZIOP_omniorb43 ${prefix}/lib/libomniZIOP4.so)
  target_link_libraries(interop_orb_omniorb43 INTERFACE ${prefix}/lib/libomniDynamic4.so ${prefix}/lib/libomniORB4.so
    ${prefix}/lib/libomnithread.so Threads::Threads)
endif()

# omniorb_stubs(TARGET ORB IDL OPTIONS...): what the compiler of ORB makes of IDL, as an object library. With the option
# -Wba it holds TypeCodes, too.
function(omniorb_stubs target orb idl)
  cmake_path(GET idl STEM name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${orb})
  file(MAKE_DIRECTORY ${generated})
  set(made ${generated}/${name}.hh ${generated}/${name}_stub.cc)
  if("-Wba" IN_LIST ARGN)
    list(APPEND made ${generated}/${name}_dyn.cc)
  endif()
  add_custom_command(OUTPUT ${made}
    COMMAND ${OMNIIDL_${orb}} -I${OMNIORB_IDL} -bcxx -Wbh=.hh -Wbs=_stub.cc -Wbd=_dyn.cc -Wbuse-quotes ${ARGN} -C${generated} ${idl}
    DEPENDS ${idl}
    VERBATIM)
  # omniORB's generated code and headers are not held to our warnings.
  add_library(${target} OBJECT ${made})
  target_compile_options(${target} PRIVATE -w -O0)
  target_include_directories(${target} SYSTEM PUBLIC ${generated})
  target_link_libraries(${target} PUBLIC interop_orb_${orb})
endfunction()
