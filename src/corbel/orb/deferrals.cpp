// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/deferrals.hpp"

#include <utility>

namespace corbel::orb {

Pause::Pause(Deferrals& all, const connection::Connection& connection, const messaging::Origin& origin)
    : Entry(&connection, origin), all_(all) {
  const std::lock_guard lock(all_.mutex_);
  all_.pauses_.add(*this);
}

Pause::~Pause() {
  const std::lock_guard lock(all_.mutex_);
  (void)all_.pauses_.remove(*this);
}

bool Deferrals::add(base::SharedPtr<Deferral> deferral) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  Deferral& listed = *deferral;
  waiting_.add(listed);
  listed.self_ = std::move(deferral);
  return true;
}

void Deferrals::remove(Deferral& deferral) noexcept {
  base::SharedPtr<Deferral> last;  // goes after the lock
  const std::lock_guard lock(mutex_);
  if (!waiting_.remove(deferral)) return;
  last = std::move(deferral.self_);
  if (waiting_.size() == 0 && ended_) gone_.notify_all();
}

void Deferrals::cancel(const connection::Connection& connection, const messaging::Origin& origin) noexcept {
  const std::lock_guard lock(mutex_);
  if (Deferral* const found = waiting_.find(connection, origin)) found->cancel();
  if (Pause* const found = pauses_.find(connection, origin)) found->cancelled_.store(true, std::memory_order_relaxed);
}

std::size_t Deferrals::count() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

bool Deferrals::end_all(base::Deadline deadline) noexcept {
  std::unique_lock lock(mutex_);
  ended_ = true;
  // One after the other from the front of each list: those that are being answered elsewhere stay in it.
  for (Deferral*& first : waiting_.lists()) {
    for (Deferral* each = first; each != nullptr;) {
      const base::SharedPtr<Deferral> kept = each->self_;
      lock.unlock();
      kept->end();
      lock.lock();
      // Neither it nor its next one may be listed any more; what is new to look at is in front.
      each = kept->is_listed() ? kept->next() : first;
    }
  }
  const auto none = [this] { return waiting_.size() == 0; };
  if (deadline.is_none()) {
    gone_.wait(lock, none);
    return true;
  }
  return gone_.wait_for(lock, deadline.remaining(), none);
}

}  // namespace corbel::orb
