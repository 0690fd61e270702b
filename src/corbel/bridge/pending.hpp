// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>

#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/base/mutex.hpp"
#include "corbel/connection/request_table.hpp"
#include "corbel/messaging/message.hpp"

namespace corbel::bridge {

/// A request that a bridge owes an answer, as Pending sees it.
class Owed : public base::RefCounted, public connection::RequestTable<Owed>::Entry {
 public:
  virtual ~Owed() = default;
  /// Its client wants no answer any more. On any thread, with no lock held; several times, perhaps.
  virtual void cancel() noexcept = 0;

 protected:
  Owed(const connection::Connection& client, const messaging::Origin& origin) noexcept : Entry(&client, origin) {}
};
using OwedPtr = base::IntrusivePtr<Owed>;

/// The requests that a bridge owes answers, by their clients' connections and ids: what a client cancels is found here.
/// Keeps none of them: who lists one takes it off before it goes. Thread-safe.
class Pending {
 public:
  Pending() = default;
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
  mutable base::Mutex mutex_;  // guards what follows
  connection::RequestTable<Owed> owed_;
};

}  // namespace corbel::bridge
