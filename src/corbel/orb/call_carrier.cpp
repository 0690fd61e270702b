// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/call_carrier.hpp"

#include <utility>

namespace corbel::orb {

bool CallCarrier::wait(base::Deadline until) {
  for (;;) {
    unsigned seen = 0;
    {
      const std::lock_guard lock(mutex_);
      if (done_) return true;
      if (until.expired()) return false;
      seen = changes_;
    }
    if (help(until) || completions_.take(*this)) {
      finish();
      continue;
    }
    std::unique_lock lock(mutex_);
    const auto changed = [&] { return done_ || changes_ != seen; };
    if (until.is_none()) {
      changed_.wait(lock, changed);
    } else {
      changed_.wait_for(lock, until.remaining(), changed);
    }
  }
}

void CallCarrier::change(bool done) noexcept {
  const std::lock_guard lock(mutex_);
  ++changes_;
  done_ = done_ || done;
  changed_.notify_all();
}

void CallCarrier::complete(std::exception_ptr failure) noexcept {
  call_.complete(std::move(failure));
  change(true);
  (void)base::IntrusivePtr<corba::AsyncCall>::adopt(&call_);
}

void CallCarrier::withdraw() noexcept {
  (void)base::IntrusivePtr<corba::AsyncCall>::adopt(&call_);
}

}  // namespace corbel::orb
