// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/dii_requests.hpp"

#include <chrono>
#include <mutex>
#include <utility>

#include "corbel/base/deadline.hpp"

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
  explicit Any(base::SharedPtr<DiiRequests> requests) : PollableCall(kNone), requests_(std::move(requests)) {
    emplace_carrier<Carrier>(*this);
  }
  ~Any() override {
    const std::lock_guard lock(requests_->mutex_);
    requests_->any_.erase(this);
  }
  using PollableCall::renew;
  using PollableCall::wake;

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
        const auto request = requests().next_pending();
        if (request == nullptr) break;
        (void)request->poll();
      }
      return is_over();
    }
    bool wait(base::Deadline deadline) override {
      for (;;) {
        const std::uint64_t seen = requests().changed_.changes();
        if (poll()) return true;
        if (deadline.expired()) return false;
        if (const auto request = requests().next_pending(); request != nullptr) {
          (void)request->wait(earlier(deadline, base::Deadline::after(kStay)));
        } else {
          (void)requests().changed_.wait(seen, deadline);
        }
      }
    }
    bool attended() const noexcept override { return requests().attended(); }
    void may_take_long() noexcept override {}
    void report_thrown() noexcept override {}

   private:
    DiiRequests& requests() const noexcept { return *any_.requests_; }
    bool is_over() const noexcept { return any_.state() != State::pending; }

    const Any& any_;
  };

  const base::SharedPtr<DiiRequests> requests_;
};

base::IntrusivePtr<PollableCall> DiiRequests::any() {
  base::IntrusivePtr<Any> any(new Any(shared_from(this)));
  const std::lock_guard lock(mutex_);
  any_.insert(&*any);
  if (ended_ || !ready_.empty()) any->complete(nullptr);
  return any;
}

void DiiRequests::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (Any* any : any_) any->complete(nullptr);
  changed_.notify();
}

bool DiiRequests::is_over() noexcept {
  const std::lock_guard lock(mutex_);
  return ended_ && ready_.empty();
}

void DiiRequests::add(PollableCall& request) {
  const std::lock_guard lock(mutex_);
  pending_.insert(&request);
  if (request.state() != State::pending) return note_ready(request);  // it was over before
  changed_.notify();
  for (Any* any : any_) any->wake();  // there is something to see to
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
  if (!first || ended_) return;
  for (Any* any : any_) any->complete(nullptr);
  changed_.notify();
}

void DiiRequests::remove(PollableCall& request) noexcept {
  const std::lock_guard lock(mutex_);
  pending_.erase(&request);
  if (ready_.erase(&request) == 0 || !ready_.empty() || ended_) return;
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

/// Whether threads of the ORB see to the requests, or there are none to see to.
bool DiiRequests::attended() noexcept {
  const std::lock_guard lock(mutex_);
  return pending_.empty() || (*pending_.begin())->attended();
}

}  // namespace corbel::corba
