// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace demo {

/// A certificate for 127.0.0.1 that is good for a day and believed by the processes that this one starts, and its key,
/// in a file of their own. The environment leads ORBs to it, here and in children.
class Certificate {
 public:
  /// Throws std::runtime_error if it cannot be made or written.
  Certificate();
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

 private:
  std::string file_;
};

}  // namespace demo
