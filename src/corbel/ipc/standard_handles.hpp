// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"

namespace corbel::ipc {

/// Descriptors 0, 1 and 2 that are closed lead to /dev/null from now on. Otherwise the next socket that is opened would
/// be one of them, and what the process or its log writes to the standard error output would reach its peer. Some may
/// stay closed if the system gives no descriptors.
CORBEL_API void hold_standard_handles() noexcept;

}  // namespace corbel::ipc
