// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::connection {
class Connection;
}

namespace corbel::bridge {

/// A request that a bridge owes an answer, as Pending sees it.
class Owed : public base::RefCounted {
 public:
  virtual ~Owed() = default;
  /// Its client wants no answer any more. On any thread, with no lock held; several times, perhaps.
  virtual void cancel() noexcept = 0;

 protected:
  Owed(const connection::Connection& client, const messaging::Origin& origin) noexcept
      : client_(&client), id_(origin.id) {}

 private:
  friend class Pending;
  const connection::Connection* const client_;  // only compared
  const std::uint32_t id_;
  // Guarded by the mutex of Pending:
  Owed* next_ = nullptr;
  Owed** link_ = nullptr;  // what leads here; null if it is not listed
};
using OwedPtr = base::IntrusivePtr<Owed>;

/// The requests that a bridge owes answers, by their clients' connections and ids: what a client cancels is found here.
/// Keeps none of them: who lists one takes it off before it goes. Memory stays at what the most at a time needed.
/// Thread-safe.
class Pending {
 public:
  Pending() : buckets_(kFirst) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Throws std::bad_alloc.
  void add(Owed& owed);
  void remove(Owed& owed) noexcept;
  std::size_t count() const;
  void cancel(const connection::Connection& client, const messaging::Origin& origin) noexcept;
  /// All of a client that has gone.
  void cancel_all(const connection::Connection& client) noexcept;

 private:
  static constexpr std::size_t kFirst = 64;

  Owed*& bucket(const connection::Connection* client, std::uint32_t id) noexcept;
  void put(Owed& owed) noexcept;
  void grow();

  mutable std::mutex mutex_;  // guards what follows
  std::vector<Owed*> buckets_;
  std::size_t count_ = 0;
};

}  // namespace corbel::bridge
