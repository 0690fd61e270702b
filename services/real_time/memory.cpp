// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace corbel::real_time {

std::string lock_memory(MemoryLock what) {
  if (what == MemoryLock::none) return {};
  int flags = MCL_CURRENT | MCL_FUTURE;
  if (what == MemoryLock::touched) flags |= MCL_ONFAULT;
  if (::mlockall(flags) == 0) return {};
  return "locking the memory (CAP_IPC_LOCK, ulimit -l): " + std::generic_category().message(errno);
}

}  // namespace corbel::real_time
