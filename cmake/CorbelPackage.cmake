# SPDX-License-Identifier: Apache-2.0
# Debian packages of what is installed (`./dev package`), one for each install component. Which component something belongs
# to is said by the folder that installs it (CMAKE_INSTALL_DEFAULT_COMPONENT_NAME); the laboratory is in no package.

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL runtime dev tools named)
set(CPACK_PACKAGE_VENDOR Corbel)
set(CORBEL_PACKAGE_CONTACT "Corbel <corbel@localhost>" CACHE STRING "Maintainer of the Debian packages: Name <address>")
set(CPACK_PACKAGE_CONTACT "${CORBEL_PACKAGE_CONTACT}")
# Anything but this default would become the first line of each package's description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# What programs link with says dpkg-shlibdeps; the library of this build is told to it, as no package has it yet.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

set(library libcorbel${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${library})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "CORBA object request broker in C++20: the shared library
What programs that were built with Corbel need.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME corbel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION net)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library} ${same}")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "command for CORBA systems: calls, references, diagnosis, names
Calls any operation of any ORB's objects with JSON, takes references apart,
finds out why they do not work, shows, records and disturbs conversations.")

set(CPACK_DEBIAN_NAMED_PACKAGE_NAME corbel-named)
set(CPACK_DEBIAN_NAMED_PACKAGE_SECTION net)
set(CPACK_DEBIAN_NAMED_PACKAGE_DEPENDS "${library} ${same}")
set(CPACK_DEBIAN_NAMED_DESCRIPTION "CORBA naming service that loses nothing when it is killed
A drop-in for omniNames, with a unit for systemd. It is not started by itself:
systemctl enable --now corbel-named.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libcorbel-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# OpenSSL for those who link statically.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library} ${same}, corbel ${same}, libstdc++-dev")
if(TARGET corbel_transport_tls)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libssl-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libcurl4-openssl-dev, zlib1g-dev")  # for those who link with Corbel::tracing, Corbel::ziop
set(CPACK_DEBIAN_DEV_DESCRIPTION "CORBA object request broker in C++20: headers and IDL compiler
Headers, static library, the IDL compiler corbel-idl, files for CMake and
pkg-config, conformance suites for plug-ins, guides and examples.")

include(CPack)
