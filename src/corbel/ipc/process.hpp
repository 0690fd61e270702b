// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"

namespace corbel::ipc {

/// True on the thread that the process began with: the one that runs main().
CORBEL_API bool on_first_thread() noexcept;

/// From now on the calling thread, and those that it starts, leave the processors to others, as far as the system knows
/// how: about a tenth of one that others want is left to it, and those that wake up do not wait for it for long. Cannot
/// be taken back.
CORBEL_API void give_way() noexcept;

}  // namespace corbel::ipc
