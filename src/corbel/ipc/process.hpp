// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"

namespace corbel::ipc {

/// True on the thread that the process began with: the one that runs main().
CORBEL_API bool on_first_thread() noexcept;

}  // namespace corbel::ipc
