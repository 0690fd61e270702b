// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/event.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {

base::Result<Event> Event::open() noexcept {
  Handle handle(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!handle) return last_failure(base::Stage::configure);
  return Event(std::move(handle));
}

// A full counter (EAGAIN) is as set as can be, an empty one as clear.
void Event::set() const noexcept {
  const eventfd_t one = 1;
  while (::write(handle_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Event::clear() const noexcept {
  eventfd_t count = 0;
  while (::read(handle_.get(), &count, sizeof count) < 0 && errno == EINTR) {
  }
}

}  // namespace corbel::ipc
