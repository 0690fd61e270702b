// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/process.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace corbel::ipc {

bool on_first_thread() noexcept {
  return ::syscall(SYS_gettid) == ::getpid();
}

}  // namespace corbel::ipc
