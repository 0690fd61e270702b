# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(Corbel)
include("${CMAKE_CURRENT_LIST_DIR}/TelescopeTargets.cmake")
