// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "corbel/base/bytes.hpp"
#include "corbel/orb/pending_reply.hpp"

namespace corbel::orb {

/// A request of this process that is answered later. Its caller waits on its own thread, after it has left the adapter.
class LocalDeferral final : public PendingReply, public base::SharedFromThis {
 public:
  /// Throws what refuses it. `expected`: its caller waits.
  static corba::DeferredReplyPtr make(Deferrals& all, std::string_view operation, bool expected,
                                      std::span<const std::string_view> raises, std::size_t octets);
  /// For make().
  LocalDeferral(Deferrals& all, std::string_view operation, bool expected, std::span<const std::string_view> raises);
  ~LocalDeferral() override;

  /// Waits for the answer: results as octets, or throws; TIMEOUT at the deadline. Once.
  base::Bytes await(base::Deadline deadline);
  /// The caller does not wait any more.
  void leave() noexcept;
  void returned() override;

 private:
  enum class State : std::uint8_t { pending, results, exception, left };

  bool is_awaited() const noexcept override;
  void answer(base::FunctionRef<void(cdr::Encoder&)> results) override;
  void answer(std::exception_ptr exception) noexcept override;
  void give_up(bool ended) noexcept override;
  void give(State state, base::Bytes results, std::exception_ptr exception) noexcept;

  const std::string operation_;
  const bool expected_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  State state_ = State::pending;
  base::Bytes results_;
  std::exception_ptr exception_;
};

/// Thrown through the adapter by a request of this process whose servant has returned without an answer.
struct AwaitHere {
  /// Says so when the caller does not get as far as to wait, or has waited.
  struct Waiter {
    explicit Waiter(base::SharedPtr<LocalDeferral> of) noexcept : deferral(std::move(of)) {}
    ~Waiter() { deferral->leave(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    const base::SharedPtr<LocalDeferral> deferral;
  };
  base::SharedPtr<Waiter> waiter;
};

}  // namespace corbel::orb
