// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/service.hpp"

#include <mutex>

namespace corbel::transport::rudp {

Service::~Service() {
  if (!is_here()) return;
  {
    std::unique_lock lock(mutex_);
    (void)all_gone_.wait(lock, base::Deadline::after(kLastWords), [&] { return guests_.empty(); });
  }
  thread_->end();
  while (!guests_.empty()) (*guests_.begin())->leave();
}

void Service::came(Guest& guest) {
  const std::lock_guard lock(mutex_);
  guests_.insert(&guest);
}

void Service::went(Guest& guest) noexcept {
  const std::lock_guard lock(mutex_);
  guests_.erase(&guest);
  if (guests_.empty()) all_gone_.notify_all();
}

base::Result<std::shared_ptr<Service>> Service::get() {
  static auto* const kService = new OfProcess<Service>;  // until the end: transports may go in any order
  return kService->get();
}

}  // namespace corbel::transport::rudp
