// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/connection/budget.hpp"
#include "corbel/messaging/session.hpp"

namespace corbel::connection {

/// Whose incoming messages take some of an InputMemory, and may have to go for others: a server, for all connections
/// that it serves, or a connection that was opened here. Any thread asks it, one at a time, which holds no lock.
class InputUser {
 public:
  static constexpr std::int64_t kNone = INT64_MAX;
  static constexpr std::int64_t kLeaving = INT64_MIN;

  /// Sees to it that it is there until let_go(); false if it is just going. May take no lock.
  virtual bool hold() noexcept { return true; }
  virtual void let_go() noexcept {}
  /// Gives back what it keeps for messages to come; false if there was nothing that no thread uses.
  virtual bool spare() noexcept { return false; }
  /// Since when that of its messages is incomplete which is the next to go (coarse monotonic nanoseconds); kNone: there
  /// is none that may go; kLeaving: it has been cut, and the thread that reads it will give the memory back.
  virtual std::int64_t oldest() = 0;
  /// Cuts that one, if there still is one.
  virtual void cut_oldest() = 0;

 protected:
  ~InputUser() = default;
};

/// The memory of all incoming messages of an ORB, requests and replies. When it runs short, what is kept for messages
/// to come is given back, and if that does not help, the incomplete message that is oldest has to go. Thread-safe; what
/// takes memory is far from the path of small messages, which are in a framer's first buffer.
class InputMemory {
 public:
  explicit InputMemory(std::size_t limit) noexcept : limit_(limit), budget_(limit), for_good_(limit / kShareForGood) {}
  InputMemory(const InputMemory&) = delete;
  InputMemory& operator=(const InputMemory&) = delete;

  void join(InputUser& user);
  /// It is not asked any more. `awaited`: nor is it just being asked; not for those that can be held.
  void leave(InputUser& user, bool awaited) noexcept;

  /// `own`: what the caller has taken already; whoever is alone may exceed the limit. `asker`: one of the users, who
  /// waits a moment for those that are leaving, and does not go itself; null: false at once, and it asks again.
  bool take(std::size_t octets, std::size_t own, InputUser* asker);
  /// If there is plenty: nobody has to go for it.
  bool take_of_plenty(std::size_t octets) noexcept {
    const std::size_t now = used();
    return octets <= limit_ / 2 && now <= limit_ / 2 - octets && budget_.take(octets, kNeverAlone);
  }
  /// For what stays as long as a connection: a share beside the limit, of which nothing counts as used.
  bool take_for_good(std::size_t octets) noexcept { return for_good_.take(octets, kNeverAlone); }
  void give_for_good(std::size_t octets) noexcept { for_good_.give(octets); }
  /// True if nobody need give back what it may yet use.
  bool plenty() const noexcept { return used() <= limit_ / 2; }
  /// Takes it whatever the limit is.
  void force(std::size_t octets) noexcept { budget_.force(octets); }
  void give(std::size_t octets) noexcept { budget_.give(octets); }
  std::size_t used() const noexcept { return budget_.used(); }

 private:
  static constexpr std::size_t kNeverAlone = SIZE_MAX;
  static constexpr std::size_t kShareForGood = 8;
  enum class Room : std::uint8_t { made, later, none };
  class Held;

  Room make_room(InputUser* asker, bool patient, std::size_t octets, std::size_t own);

  const std::size_t limit_;
  Budget budget_;
  Budget for_good_;
  base::ForkMutex mutex_;  // guards what follows
  std::vector<InputUser*> users_;
  bool making_ = false;  // a thread makes room
  // Of the parent's threads and connections none is left, and locks of them may never be free.
  base::ForkHook fork_hook_{[](void* self) noexcept {
                              static_cast<InputMemory*>(self)->users_.clear();
                              static_cast<InputMemory*>(self)->making_ = false;
                            },
                            this};
};

/// What one connection has taken of that, for octets received and for messages in pieces. Thread-safe.
class InputAccount final : public messaging::Memory {
 public:
  /// `memory`: who pays, and outlives this; nullptr: nothing is counted.
  explicit InputAccount(InputMemory* memory) noexcept : memory_(memory) {}
  /// Whose this is, if whoever reads for it may wait a moment for memory. Before others know the connection.
  void set_user(InputUser* user) noexcept { user_ = user; }

  bool take(std::size_t octets) override;
  bool take_for_good(std::size_t octets) noexcept override {
    return memory_ == nullptr || memory_->take_for_good(octets);
  }
  void give_for_good(std::size_t octets) noexcept override {
    if (memory_ != nullptr) memory_->give_for_good(octets);
  }
  /// For a copy that another thread is given of a message. give_copy() gives it back.
  bool take_copy(std::size_t octets);
  /// For what would only be faster: nobody has to go for it, and short_of_memory() does not count it.
  bool take_of_plenty(std::size_t octets) noexcept;
  bool plenty() const noexcept { return memory_ == nullptr || memory_->plenty(); }
  /// Takes it whatever the limit is.
  void force(std::size_t octets) noexcept {
    if (memory_ == nullptr) return;
    memory_->force(octets);
    paid_.fetch_add(octets, std::memory_order_relaxed);
  }
  void give(std::size_t octets) noexcept override {
    if (memory_ == nullptr || octets == 0) return;
    paid_.fetch_sub(octets, std::memory_order_relaxed);
    memory_->give(octets);
  }
  void give_copy(std::size_t octets) noexcept {
    copies_.fetch_sub(octets, std::memory_order_relaxed);
    give(octets);
  }
  std::size_t paid() const noexcept { return paid_.load(std::memory_order_relaxed); }
  /// When its user last took some (coarse monotonic nanoseconds).
  std::int64_t taken_at() const noexcept { return taken_at_.load(std::memory_order_relaxed); }
  /// True if what was last asked for was not there.
  bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }
  /// Of all, by all.
  std::size_t used() const noexcept { return memory_ == nullptr ? 0 : memory_->used(); }

 private:
  bool take_beside(std::size_t octets, std::size_t own);

  InputMemory* const memory_;
  InputUser* user_ = nullptr;
  std::atomic<std::size_t> paid_{0};
  std::atomic<std::size_t> copies_{0};  // of that
  std::atomic<std::int64_t> taken_at_{0};
  std::atomic<bool> refused_{false};
};

}  // namespace corbel::connection
