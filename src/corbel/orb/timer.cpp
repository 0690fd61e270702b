// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/timer.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/guest_call.hpp"

namespace corbel::orb {

namespace {

/// As late as there are times.
reactor::TimePoint later(reactor::TimePoint at, base::Duration by) noexcept {
  return by < reactor::TimePoint::max() - at ? at + by : reactor::TimePoint::max();
}

}  // namespace

/// What the reactor's timer calls. It holds no ORB: a thread of that would be the one to end it.
class TimedCall final : public base::RefCounted {
 public:
  TimedCall(Core& core, base::Duration first, base::Duration every, Timer::CallBack call_back)
      : log_(core.log()),
        reactor_(core.completions().reactor()),
        every_(every),
        call_back_(std::move(call_back)),
        next_(later(reactor_.clock().now(), std::max(first, base::Duration::zero()))) {}

  /// Throws std::bad_alloc.
  void schedule() {
    const std::lock_guard lock(mutex_);
    if (!over_) id_ = reactor_.schedule(next_, [self = base::IntrusivePtr<TimedCall>(this)] { self->run(); });
  }

  void end() noexcept {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      (void)reactor_.cancel(id_);
    }
    if (call_.end()) call_back_ = nullptr;
  }

 private:
  void run() noexcept {
    if (!call_.begin()) return;
    run_guest(call_back_, log_);
    (void)call_.done();
    if (every_ <= base::Duration::zero()) return;
    next_ = later(next_, every_);
    if (const auto now = reactor_.clock().now(); next_ < now) next_ += (now - next_) / every_ * every_ + every_;
    try {
      schedule();
    } catch (const std::bad_alloc&) {
      CORBEL_LOG(log_, orb, error, "a timer of the application ends: no memory");
    }
  }

  const base::Log& log_;
  reactor::Reactor& reactor_;
  const base::Duration every_;
  Timer::CallBack call_back_;
  GuestCall call_;
  reactor::TimePoint next_;  // of the thread that schedules
  std::mutex mutex_;         // guards what follows
  reactor::TimerId id_;
  bool over_ = false;
};

namespace {

/// Fails unless the ORB can call that.
Core& need_caller(CORBA::ORB& orb, bool callable) {
  Core& core = orb._core();
  core.start_threads();
  if (callable) return core;
  raise(base::error(base::Stage::configure, base::Code::bad_argument), "nothing to call");
}

}  // namespace

Timer::Timer() noexcept = default;

Timer::Timer(CORBA::ORB& orb, base::Duration first, base::Duration every, CallBack call_back) {
  Core& core = need_caller(orb, static_cast<bool>(call_back));
  timed_ = base::IntrusivePtr<TimedCall>(new TimedCall(core, first, every, std::move(call_back)));
  orb_ = face_of(core).orb();
  timed_->schedule();
}

Timer::~Timer() {
  end();
}

Timer::Timer(Timer&& other) noexcept = default;

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    end();
    orb_ = std::move(other.orb_);
    timed_ = std::move(other.timed_);
  }
  return *this;
}

void Timer::end() noexcept {
  if (timed_ == nullptr) return;
  // In a child of the process a thread that does not exist may be in it.
  orb_->_core().left_behind() ? (void)timed_.detach() : timed_->end();
  timed_ = nullptr;
  orb_ = nullptr;
}

void post(CORBA::ORB& orb, std::function<void()> call_back) {
  Core& core = need_caller(orb, static_cast<bool>(call_back));
  core.completions().reactor().post(
      [call_back = std::move(call_back), log = &core.log()] { run_guest(call_back, *log); });
}

}  // namespace corbel::orb
