// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <corbel/base/deadline.hpp>

#include "priorities.hpp"

namespace corbel::real_time {

/// How many requests of a thread pool run, and how many wait (Real-time CORBA 1.2, 5.14), where that is more than the
/// threads of the ORB's lanes say by themselves: with borrowing, and with limits for what is buffered. A lane has as
/// many *places* as the pool gives it threads. Its threads are more: those without a place are the ones that a request
/// waits on. So a lane that borrows takes another's place, and no request changes threads. Thread-safe.
class Admission : public std::enable_shared_from_this<Admission> {
 public:
  struct Lane {
    Priority priority = 0;
    std::uint32_t places = 1;
  };
  /// Of what waits in all lanes together.
  struct Buffers {
    std::uint32_t requests = 0;
    std::uint64_t octets = 0;
  };

  /// One that a request has; given back by the destructor.
  class Place {
   public:
    explicit Place(std::shared_ptr<Admission> admission) noexcept : admission_(std::move(admission)) {}
    ~Place() {
      if (lane_) admission_->leave(*lane_);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    friend class Admission;
    const std::shared_ptr<Admission> admission_;
    std::optional<std::size_t> lane_;  // whose it is
  };
  using PlacePtr = std::unique_ptr<Place>;

  /// How long a request waits, if it has to.
  class Patience {
   public:
    /// It begins to: until when. Its own thread. May throw.
    virtual base::Deadline begin() = 0;
    /// After begin(): nobody waits for it any more. Any thread, with a lock.
    virtual bool is_over() const noexcept = 0;

   protected:
    ~Patience() = default;
  };

  /// `lanes`: sorted by priority, at least one. `borrows`: a lane without a free place takes one of a lower lane.
  /// Without `buffers` any number may wait.
  Admission(const std::vector<Lane>& lanes, bool borrows, std::optional<Buffers> buffers);

  /// For a request of this priority: of its lane, as lane_for() has it. Waits until there is one, behind those that are
  /// more urgent or as urgent and came before; what lanes of higher priority may borrow they get first. Null, at once,
  /// if no more may wait, and later if its patience ends; null has as much as it takes.
  PlacePtr enter(Priority priority, std::uint64_t octets, Patience* patience = nullptr);
  std::size_t waiting() const;

 private:
  /// On its thread's stack.
  struct Waiter {
    const std::size_t lane;
    const Priority priority;
    const std::uint64_t octets;
    const Patience* const patience;
    std::condition_variable ready{};
    bool listed = false;
    std::optional<std::size_t> given{};  // whose place, if any, when it is listed no more
    Waiter* before = nullptr;
    Waiter* behind = nullptr;
  };
  /// Those who wait: the most urgent first, and of equals who came first.
  struct State {
    std::uint32_t free = 0;
    Waiter* first = nullptr;
    Waiter* last = nullptr;
  };

  std::optional<std::size_t> take(std::size_t lane);
  std::optional<std::size_t> wait(std::unique_lock<std::mutex>& lock, Waiter& waiter, base::Deadline until);
  void list(Waiter& waiter) noexcept;
  void unlist(Waiter& waiter) noexcept;
  bool end_if_over(Waiter& waiter) noexcept;
  bool is_full(std::uint64_t octets) const noexcept;
  void leave(std::size_t lane);

  const bool borrows_;
  const std::optional<Buffers> buffers_;
  std::vector<Priority> priorities_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<State> lanes_;
  std::uint32_t waiting_ = 0;
  std::uint64_t waiting_octets_ = 0;
};

}  // namespace corbel::real_time
