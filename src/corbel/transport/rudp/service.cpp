// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/service.hpp"

#include <chrono>
#include <mutex>
#include <new>

namespace corbel::transport::rudp {

/// A user has gone. The log is its, and there is none when the last one has.
void Service::leave(const base::Log& log) noexcept try {
  if (!is_here()) return;
  Guest::Undelivered lost;
  {
    std::unique_lock lock(mutex_);
    if (--users_ != 0) return;
    (void)all_gone_.wait(lock, base::Deadline::after(kLastWords), [&] { return guests_.empty() || users_ != 0; });
    if (users_ != 0) return;
    for (Guest* each : guests_) {
      const Guest::Undelivered of_it = each->undelivered();
      lost.connections += of_it.connections;
      lost.octets += of_it.octets;
    }
  }
  if (lost.octets == 0) return;
  CORBEL_LOG(log, transport, warning, "rudp: ended before all that was sent had been acknowledged",
             {"connections", lost.connections}, {"octets", lost.octets},
             {"waited_ms", std::chrono::duration_cast<std::chrono::milliseconds>(kLastWords).count()});
} catch (const std::bad_alloc&) {  // it cannot be told
}

Service::~Service() {
  if (!is_here()) return;
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

base::Result<std::shared_ptr<Service>> Service::get(const base::Log& log) {
  static auto* const kService = new OfProcess<Service>;  // until the end: transports may go in any order
  CORBEL_TRY(std::shared_ptr<Service> service, kService->get());
  {
    const std::lock_guard lock(service->mutex_);
    ++service->users_;
    service->all_gone_.notify_all();
  }
  Service* const user = service.get();
  return std::shared_ptr<Service>(user, [service = std::move(service), &log](Service*) { service->leave(log); });
}

}  // namespace corbel::transport::rudp
