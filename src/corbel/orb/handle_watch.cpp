// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/handle_watch.hpp"

#include <mutex>
#include <utility>

#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/guest_call.hpp"

namespace corbel::orb {

/// What the reactor calls. It may outlive the watch for as long as a thread is in it, and holds no ORB: a thread of
/// that would be the one to end it.
class WatchedHandle final : public reactor::EventHandler {
 public:
  WatchedHandle(Core& core, reactor::Events interest, HandleWatch::CallBack call_back)
      : log_(core.log()),
        reactor_(core.completions().reactor()),
        call_back_(std::move(call_back)),
        interest_(interest) {}

  base::Status add(int handle) noexcept {
    return reactor_.add(base::IntrusivePtr<WatchedHandle>(this), handle, interest_, reactor::Trigger::one_shot);
  }

  void on_event(reactor::Events events) noexcept override {
    if (!call_.begin()) return;  // the thread that is in it arms it again
    run_guest([&] { call_back_(events); }, log_);
    if (!call_.done()) return;
    const std::lock_guard lock(mutex_);
    (void)reactor_.modify(*this, interest_, reactor::Trigger::one_shot);
  }

  void change(reactor::Events interest) noexcept {
    const std::lock_guard lock(mutex_);
    interest_ = interest;
    (void)reactor_.modify(*this, interest, reactor::Trigger::one_shot);
  }

  void end() noexcept {
    reactor_.remove(*this);
    if (call_.end()) call_back_ = nullptr;
  }

 private:
  const base::Log& log_;
  reactor::Reactor& reactor_;
  HandleWatch::CallBack call_back_;
  GuestCall call_;
  std::mutex mutex_;  // guards what follows, and makes the last change the one that the reactor knows
  reactor::Events interest_;
};

HandleWatch::HandleWatch() noexcept = default;

HandleWatch::HandleWatch(CORBA::ORB& orb, int handle, reactor::Events interest, CallBack call_back) {
  Core& core = orb._core();
  core.start_threads();
  if (!call_back) {
    raise(base::error(base::Stage::configure, base::Code::bad_argument), "nothing to call when a handle is ready");
  }
  base::IntrusivePtr<WatchedHandle> watched(new WatchedHandle(core, interest, std::move(call_back)));
  if (const auto added = watched->add(handle); !added) raise(added.error(), "watching a handle");
  orb_ = face_of(core).orb();
  watched_ = std::move(watched);
}

HandleWatch::~HandleWatch() {
  end();
}

HandleWatch::HandleWatch(HandleWatch&& other) noexcept = default;

HandleWatch& HandleWatch::operator=(HandleWatch&& other) noexcept {
  if (this != &other) {
    end();
    orb_ = std::move(other.orb_);
    watched_ = std::move(other.watched_);
  }
  return *this;
}

void HandleWatch::change(reactor::Events interest) noexcept {
  if (watched_ != nullptr) watched_->change(interest);
}

void HandleWatch::end() noexcept {
  if (watched_ == nullptr) return;
  // In a child of the process a thread that does not exist may be in it.
  orb_->_core().left_behind() ? (void)watched_.detach() : watched_->end();
  watched_ = nullptr;
  orb_ = nullptr;
}

}  // namespace corbel::orb
