// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/dii_requests.hpp"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

namespace corbel::corba {
namespace {

using State = PollableCall::State;

/// How long a thread stays with one request while it waits for any.
constexpr std::chrono::milliseconds kStay{4};
/// How many requests a thread that polls sees to at a time.
constexpr int kSome = 8;

constinit const Operation kNone{"", false, {}};

}  // namespace

/// Completed and made pending again by the requests, with their lock.
class DiiRequests::Any final : public PollableCall {
 public:
  Any() : PollableCall(kNone) { emplace_carrier<Carrier>(*this); }
  ~Any() override {
    DiiRequests& requests = instance();
    const std::lock_guard lock(requests.mutex_);
    requests.any_.erase(this);
  }
  using PollableCall::renew;

  void encode_arguments(cdr::Encoder& /*encoder*/) override {}
  void decode_results(cdr::Decoder& /*decoder*/) override {}
  void* const* local_arguments() noexcept override { return nullptr; }

 private:
  /// Sees to the requests.
  class Carrier final : public AsyncCarrier {
   public:
    explicit Carrier(const Any& any) noexcept : any_(any) {}

    bool poll() override {
      for (int left = kSome; left != 0 && !is_over(); --left) {
        const auto request = instance().next_pending();
        if (request == nullptr) break;
        (void)request->poll();
      }
      return is_over();
    }
    bool wait(base::Deadline deadline) override {
      while (!poll() && !deadline.expired()) {
        const auto soon = earlier(deadline, base::Deadline::after(kStay));
        if (const auto request = instance().next_pending(); request != nullptr) {
          (void)request->wait(soon);
        } else {
          std::this_thread::sleep_for(soon.remaining());
        }
      }
      return is_over();
    }
    /// Whether the first of them is: they are usually of one ORB.
    bool attended() const noexcept override { return attended_; }
    void may_take_long() noexcept override {}
    void report_thrown() noexcept override {}

   private:
    static bool is_attended() noexcept {
      const auto request = instance().next_pending();
      return request == nullptr || request->attended();
    }
    bool is_over() const noexcept { return any_.state() != State::pending; }

    const Any& any_;
    const bool attended_ = is_attended();
  };
};

DiiRequests& DiiRequests::instance() {
  // Never destroyed: an ORB that was not destroyed may have threads that run until the process ends.
  static DiiRequests& requests = *new DiiRequests;
  return requests;
}

base::IntrusivePtr<PollableCall> DiiRequests::any() {
  base::IntrusivePtr<Any> any(new Any);
  DiiRequests& requests = instance();
  const std::lock_guard lock(requests.mutex_);
  requests.any_.insert(&*any);
  if (!requests.ready_.empty()) any->complete(nullptr);
  return any;
}

void DiiRequests::add(PollableCall& request) {
  const std::lock_guard lock(mutex_);
  pending_.insert(&request);
  if (request.state() != State::pending) note_ready(request);  // it was over before
}

void DiiRequests::over(PollableCall& request) noexcept {
  const std::lock_guard lock(mutex_);
  note_ready(request);
}

/// With the lock.
void DiiRequests::note_ready(PollableCall& request) noexcept {
  auto node = pending_.extract(&request);
  if (node.empty()) return;  // not added yet, or nobody wants it
  const bool first = ready_.empty();
  ready_.insert(std::move(node));
  if (!first) return;
  for (Any* any : any_) any->complete(nullptr);
}

void DiiRequests::remove(PollableCall& request) noexcept {
  const std::lock_guard lock(mutex_);
  pending_.erase(&request);
  if (ready_.erase(&request) == 0 || !ready_.empty()) return;
  for (Any* any : any_) any->renew();
}

/// One after the other, in a circle; null if there are none.
base::IntrusivePtr<PollableCall> DiiRequests::next_pending() noexcept {
  const std::lock_guard lock(mutex_);
  auto found = pending_.upper_bound(last_seen_);
  if (found == pending_.end()) found = pending_.begin();
  if (found == pending_.end()) return nullptr;
  last_seen_ = *found;
  return base::IntrusivePtr<PollableCall>(last_seen_);
}

}  // namespace corbel::corba
