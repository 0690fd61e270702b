# SPDX-License-Identifier: Apache-2.0
# For aarch64: Debian's cross compiler g++-aarch64-linux-gnu; programs are run by qemu-user-static.
set(CORBEL_CROSS aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
