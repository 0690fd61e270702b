// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace bench {

/// Says on standard error what a long run is doing: one line that changes when that is a terminal, else plain lines,
/// at most one for each twentieth of the way.
class Progress {
 public:
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The next step begins.
  void step(const std::string& what);
  /// Takes the line away; nothing is said any more.
  void finish();

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  std::size_t said_ = 0;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace bench
