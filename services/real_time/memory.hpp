// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "corbel_real_time.hpp"

namespace corbel::real_time {

/// Locks the process's memory. Why that was refused, in words; empty if it was not.
std::string lock_memory(MemoryLock what);

}  // namespace corbel::real_time
