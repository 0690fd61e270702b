// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/leaving.hpp"

#include <thread>

namespace corbel::connection {

base::Status Leaving::await_end(messaging::Token request, Token& writer) const noexcept {
  const auto deadline = base::Deadline::after(kMost);
  while (is(request)) {
    if (writer.try_lock()) {
      writer.unlock();
      break;
    }
    if (deadline.expired()) return base::error(base::Stage::receive, base::Code::unknown_reply);
    std::this_thread::yield();
  }
  return {};
}

}  // namespace corbel::connection
