// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace corbel::base {

/// While it lives, pthread_cancel(3) does not unwind the calling thread, which has begun what it has to end: a
/// cancellation acts at the next cancellation point afterwards. Some dozen instructions.
class Uncancelled {
 public:
  Uncancelled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { ::pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Where a thread that has been cancelled ends: nothing is begun yet, and no handler for everything is around.
inline void end_if_cancelled() {
  ::pthread_testcancel();
}

}  // namespace corbel::base
