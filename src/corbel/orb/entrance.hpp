// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/call.hpp"

namespace corbel::orb {

/// A way of an adapter to one of its objects, for calls of this process. Thread-safe.
class Entrance {
 public:
  /// Serves the call on the calling thread if the way is open, and still the one that had the ticket. False, with
  /// nothing done, if it is not: the adapter then has to look at the call (ObjectAdapter::dispatch_here).
  virtual bool serve(std::uint64_t ticket, corba::ServerCall& call) = 0;

 protected:
  ~Entrance() = default;
};

/// Those of one adapter. They stay where they are as long as this exists, which may be longer than the adapter does.
class Entrances {
 public:
  virtual ~Entrances() = default;
};

/// What one reference, or one thread, remembers of where calls got in: one of the entrances of one adapter.
/// Thread-safe.
class Place {
 public:
  /// `requests`: from outside, to any number of objects, not each of which is worth an entrance.
  enum class For : std::uint8_t { reference, requests };

  explicit Place(For whom = For::reference) noexcept : whom_(whom) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  /// As Entrance::serve(); false if nothing is remembered.
  [[gnu::always_inline]] bool serve(corba::ServerCall& call) const {
    Entrance* const entrance = entrance_.load(std::memory_order_acquire);
    return entrance != nullptr && entrance->serve(ticket_.load(std::memory_order_relaxed), call);
  }
  /// True if something is remembered.
  bool leads() const noexcept { return entrance_.load(std::memory_order_relaxed) != nullptr; }
  For whom() const noexcept { return whom_; }
  /// Remembers it, unless it is of another adapter than the first one. With the lock of the adapter that has `all`,
  /// which gives no two of its entrances the same ticket: a thread that reads one of the two below anew and the other
  /// not finds nothing open.
  void lead_to(const base::SharedPtr<Entrances>& all, Entrance& entrance, std::uint64_t ticket) noexcept {
    const Entrances* first = nullptr;
    if (first_.compare_exchange_strong(first, all.get(), std::memory_order_relaxed)) {
      keep_ = all;
    } else if (first != all.get()) {
      return;
    }
    ticket_.store(ticket, std::memory_order_relaxed);
    entrance_.store(&entrance, std::memory_order_release);
  }

 private:
  std::atomic<Entrance*> entrance_{nullptr};
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<const Entrances*> first_{nullptr};
  const For whom_;
  base::SharedPtr<Entrances> keep_;  // written by the thread that has written first_
};

}  // namespace corbel::orb
