// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <string>

namespace bench {

/// A run used up the time that it was given; the text says how far it came.
class OutOfTime : public std::exception {
 public:
  explicit OutOfTime(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// From now on no step of this process begins when more than `budget` has passed. A step that is still waiting for a
/// child `grace` later is given up (OutOfTime), so that what was measured until then is kept; one that hangs otherwise
/// ends the process by SIGALRM.
void limit_time(std::chrono::seconds budget, std::chrono::seconds grace = std::chrono::seconds(15));

/// How long this process may take if all goes well: what may be done again is, as long as the run is ahead of that.
void set_pace(std::chrono::seconds whole);

/// How long a step may still wait: what is left of budget and grace; more than a year without a limit.
std::chrono::milliseconds patience_left();

/// Throws OutOfTime because `what` did not end within budget and grace.
[[noreturn]] void give_up(const std::string& what);

/// Runs `measure`, then `keep`, which is run even where the time was over, or something failed, before all was
/// measured.
template <class Measure, class Keep>
void measure_and_keep(Measure measure, Keep keep) {
  try {
    measure();
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

/// Says on standard error what a long run is doing: one line that changes when that is a terminal, else plain lines,
/// at most one for each twentieth of the way.
class Progress {
 public:
  explicit Progress(std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The next step begins. Throws OutOfTime if there is no time left for it.
  void step(const std::string& what);
  /// True if so many steps as are done may have taken longer at the pace of set_pace(); false without one.
  bool ahead() const;
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
