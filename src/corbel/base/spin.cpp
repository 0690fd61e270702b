// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/spin.hpp"

#include <unistd.h>

namespace corbel::base {

Spin::Spin(Duration time, unsigned processors) noexcept : time_(time) {
  if (time_ == Duration::zero()) return;
  // Not those that this thread may use: pinned to one, it may well wait for a peer that is pinned to another.
  static const auto kOnline = static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN));
  if ((processors == 0 ? kOnline : processors) <= 1) time_ = Duration::zero();
}

}  // namespace corbel::base
