// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/pending.hpp"

#include <utility>

namespace corbel::bridge {

Owed*& Pending::bucket(const connection::Connection* client, std::uint32_t id) noexcept {
  const std::uint64_t key = reinterpret_cast<std::uintptr_t>(client) / 64 + id;
  return buckets_[(key * 0x9e3779b97f4a7c15U >> 32U) & (buckets_.size() - 1)];
}

/// With the mutex.
void Pending::put(Owed& owed) noexcept {
  Owed*& first = bucket(owed.client_, owed.id_);
  owed.next_ = first;
  owed.link_ = &first;
  if (first != nullptr) first->link_ = &owed.next_;
  first = &owed;
}

/// With the mutex.
void Pending::grow() {
  std::vector<Owed*> before(buckets_.size() * 2);
  std::swap(before, buckets_);
  for (Owed* each : before) {
    while (each != nullptr) put(*std::exchange(each, each->next_));
  }
}

void Pending::add(Owed& owed) {
  const std::lock_guard lock(mutex_);
  if (count_ >= buckets_.size()) grow();
  put(owed);
  ++count_;
}

void Pending::remove(Owed& owed) noexcept {
  const std::lock_guard lock(mutex_);
  if (owed.link_ == nullptr) return;
  *owed.link_ = owed.next_;
  if (owed.next_ != nullptr) owed.next_->link_ = owed.link_;
  owed.link_ = nullptr;
  --count_;
}

std::size_t Pending::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void Pending::cancel(const connection::Connection& client, const messaging::Origin& origin) noexcept {
  OwedPtr found;
  {
    const std::lock_guard lock(mutex_);
    for (Owed* each = bucket(&client, origin.id); each != nullptr && !found; each = each->next_) {
      if (each->client_ == &client && each->id_ == origin.id) found = OwedPtr(each);
    }
  }
  if (found) found->cancel();
}

/// Without memory for all of them nobody is told: their answers go nowhere then.
void Pending::cancel_all(const connection::Connection& client) noexcept try {
  std::vector<OwedPtr> found;
  {
    const std::lock_guard lock(mutex_);
    for (Owed* each : buckets_) {
      for (; each != nullptr; each = each->next_) {
        if (each->client_ == &client) found.emplace_back(each);
      }
    }
  }
  for (const OwedPtr& each : found) each->cancel();
} catch (const std::bad_alloc&) {
}

}  // namespace corbel::bridge
