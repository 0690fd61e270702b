# SPDX-License-Identifier: Apache-2.0
# For s390x, a big-endian machine: Debian's cross compiler g++-s390x-linux-gnu; programs are run by qemu-user-static.
set(CORBEL_CROSS s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
