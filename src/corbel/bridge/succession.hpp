// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "corbel/base/mutex.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::bridge {

/// Over which connection the last oneway of a client's connection was sent on. What the client sends next goes the same
/// way and so cannot overtake it, until something that followed has been answered there: then the server has read the
/// oneway, too. Bounded: where many clients send oneways, one of them may lose its place, and then its next request may
/// take another way. Thread-safe; pointers are only compared.
class Succession {
 public:
  /// What one client's connection sends to one server.
  struct Place {
    std::uint64_t identity = 0;
    const connection::Connection* follows = nullptr;  ///< null: any connection will do
    std::uint64_t number = 0;                         ///< of the last oneway
  };

  /// False as long as nobody has sent a oneway: then no place follows anything, and need not be found.
  bool used() const noexcept { return used_.load(std::memory_order_acquire); }
  Place find(const connection::Connection& client, const routing::Route& route);
  /// Before a oneway leaves over `server`.
  void note_oneway(const Place& place, const connection::Connection& server);
  /// After a request that was sent on at this place has been answered.
  void note_answer(const Place& place);

 private:
  static constexpr std::size_t kSlots = 1024;

  Place& slot(std::uint64_t identity) noexcept { return slots_[identity % kSlots]; }

  std::atomic<bool> used_{false};  // by many bridges never: they need no lock
  base::Mutex mutex_;              // guards what follows
  std::array<Place, kSlots> slots_{};
  std::uint64_t oneways_ = 0;
};

}  // namespace corbel::bridge
