# SPDX-License-Identifier: Apache-2.0
# corbel_man_page(target name): a man page of section 1 from what the program's --help says, installed. Nothing where
# Python is not, or where the program does not run here.
find_package(Python3 QUIET COMPONENTS Interpreter)
function(corbel_man_page target name)
  if(NOT Python3_FOUND OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/man_page.py $<TARGET_FILE:${target}> ${page}
    DEPENDS ${target} ${PROJECT_SOURCE_DIR}/scripts/man_page.py VERBATIM)
  add_custom_target(${target}-man ALL DEPENDS ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
