// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/standard_handles.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace corbel::ipc {

void hold_standard_handles() noexcept {
  for (;;) {
    const bool open = ::fcntl(0, F_GETFD) != -1 && ::fcntl(1, F_GETFD) != -1 && ::fcntl(2, F_GETFD) != -1;
    if (open) return;
    // The lowest that is free. Programs that this process starts keep it, too.
    const int handle = ::open("/dev/null", O_RDWR);  // NOLINT(android-cloexec-open)
    if (handle <= STDERR_FILENO && handle >= 0) continue;
    if (handle >= 0) ::close(handle);  // another thread was quicker
    if (handle < 0) return;
  }
}

}  // namespace corbel::ipc
