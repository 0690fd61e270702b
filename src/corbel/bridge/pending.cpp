// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/pending.hpp"

#include <new>
#include <vector>

namespace corbel::bridge {

void Pending::add(Owed& owed) {
  const std::lock_guard lock(mutex_);
  owed_.add(owed);
}

void Pending::remove(Owed& owed) noexcept {
  const std::lock_guard lock(mutex_);
  owed_.remove(owed);
}

std::size_t Pending::count() const {
  const std::lock_guard lock(mutex_);
  return owed_.size();
}

void Pending::cancel(const connection::Connection& client, const messaging::Origin& origin) noexcept {
  OwedPtr found;
  {
    const std::lock_guard lock(mutex_);
    found = OwedPtr(owed_.find(client, origin));
  }
  if (found) found->cancel();
}

/// Without memory for all of them nobody is told: their answers go nowhere then.
void Pending::cancel_all(const connection::Connection& client) noexcept try {
  std::vector<OwedPtr> found;
  {
    const std::lock_guard lock(mutex_);
    for (Owed* each : owed_.lists()) {
      for (; each != nullptr; each = each->next()) {
        if (each->connection() == &client) found.emplace_back(each);
      }
    }
  }
  for (const OwedPtr& each : found) each->cancel();
} catch (const std::bad_alloc&) {
}

}  // namespace corbel::bridge
