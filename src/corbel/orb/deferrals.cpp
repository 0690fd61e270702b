// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/deferrals.hpp"

#include <cstdint>
#include <utility>

namespace corbel::orb {

Deferral*& Deferrals::bucket(const connection::Connection* connection, std::uint32_t id) noexcept {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(connection) / 64 + id;
  return buckets_[(key * 0x9e3779b97f4a7c15U >> 32U) & (buckets_.size() - 1)];
}

/// With the mutex.
void Deferrals::put(Deferral& deferral) noexcept {
  Deferral*& first = bucket(deferral.connection_, deferral.id_);
  deferral.next_ = first;
  deferral.link_ = &first;
  if (first != nullptr) first->link_ = &deferral.next_;
  first = &deferral;
}

/// With the mutex.
void Deferrals::grow() {
  std::vector<Deferral*> before(buckets_.empty() ? kFirst : buckets_.size() * 2);
  std::swap(before, buckets_);
  for (Deferral* each : before) {
    while (each != nullptr) put(*std::exchange(each, each->next_));
  }
}

bool Deferrals::add(base::SharedPtr<Deferral> deferral) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  if (count_ >= buckets_.size()) grow();
  Deferral& listed = *deferral;
  put(listed);
  listed.self_ = std::move(deferral);
  ++count_;
  return true;
}

void Deferrals::remove(Deferral& deferral) noexcept {
  base::SharedPtr<Deferral> last;  // goes after the lock
  const std::lock_guard lock(mutex_);
  if (deferral.link_ == nullptr) return;
  *deferral.link_ = deferral.next_;
  if (deferral.next_ != nullptr) deferral.next_->link_ = deferral.link_;
  deferral.link_ = nullptr;
  last = std::move(deferral.self_);
  if (--count_ == 0 && ended_) gone_.notify_all();
}

void Deferrals::cancel(const connection::Connection& connection, const messaging::Origin& origin) noexcept {
  const std::lock_guard lock(mutex_);
  if (buckets_.empty()) return;
  for (Deferral* each = bucket(&connection, origin.id); each != nullptr; each = each->next_) {
    if (each->connection_ == &connection && each->id_ == origin.id) return each->cancel();
  }
}

std::size_t Deferrals::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

bool Deferrals::end_all(base::Deadline deadline) noexcept {
  std::unique_lock lock(mutex_);
  ended_ = true;
  // One after the other from the front of each list: those that are being answered elsewhere stay in it.
  for (Deferral*& first : buckets_) {
    for (Deferral* each = first; each != nullptr;) {
      const base::SharedPtr<Deferral> kept = each->self_;
      lock.unlock();
      kept->end();
      lock.lock();
      // Neither it nor its next one may be listed any more; what is new to look at is in front.
      each = kept->link_ == nullptr ? first : kept->next_;
    }
  }
  const auto none = [this] { return count_ == 0; };
  if (deadline.is_none()) {
    gone_.wait(lock, none);
    return true;
  }
  return gone_.wait_for(lock, deadline.remaining(), none);
}

}  // namespace corbel::orb
