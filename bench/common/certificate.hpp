// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

/// A certificate for 127.0.0.1 that is good for a day, signed by its own key, and that key, in a file (PEM) that only
/// this user can read; removed when this object goes.
class Certificate {
 public:
  /// Throws std::runtime_error if it cannot be made or written.
  Certificate();
  ~Certificate();
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  const std::string& file() const noexcept { return file_; }

 private:
  std::string file_;
};

}  // namespace bench
