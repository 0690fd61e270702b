// SPDX-License-Identifier: Apache-2.0
#include "common/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Limit {
  std::chrono::seconds budget;
  Clock::time_point end;
  Clock::time_point last;  ///< with the grace
};

/// After the patience has ended: time to end children and to write what there is.
constexpr std::chrono::seconds kToCleanUp(30);
std::optional<Limit> limit;

struct Pace {
  Clock::time_point begin;
  std::chrono::duration<double> whole;
};
std::optional<Pace> pace;

}  // namespace

void limit_time(std::chrono::seconds budget, std::chrono::seconds grace) {
  const auto now = Clock::now();
  limit = {budget, now + budget, now + budget + grace};
  alarm(static_cast<unsigned>((budget + grace + kToCleanUp).count()));
}

void set_pace(std::chrono::seconds whole) {
  pace = {Clock::now(), whole};
}

std::chrono::milliseconds patience_left() {
  if (!limit) return std::chrono::hours(24 * 366);
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(limit->last - Clock::now()),
                  std::chrono::milliseconds(0));
}

void give_up(const std::string& what) {
  throw OutOfTime("given up after " + std::to_string(limit ? limit->budget.count() : 0) + " s, waiting for " + what);
}

Progress::Progress(std::size_t steps)
    : steps_(std::max<std::size_t>(steps, 1)), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  finish();
}

void Progress::step(const std::string& what) {
  if (limit && Clock::now() >= limit->end) {
    finish();
    throw OutOfTime("stopped after " + std::to_string(limit->budget.count()) + " s with " + std::to_string(done_) +
                    " of " + std::to_string(steps_) + " steps done, before: " + what);
  }
  const std::size_t percent = std::min<std::size_t>(100, 100 * done_ / steps_);
  ++done_;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%3zu%%  %.100s", percent, what.c_str());
    shown_ = true;
  } else if (said_ == 0 || percent >= said_ + 5) {
    std::fprintf(stderr, "%3zu%%  %s\n", percent, what.c_str());
    said_ = std::max<std::size_t>(percent, 1);
  }
  std::fflush(stderr);
}

bool Progress::ahead() const {
  return pace && (Clock::now() - pace->begin) / pace->whole < static_cast<double>(done_) / static_cast<double>(steps_);
}

void Progress::finish() {
  if (shown_) std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace bench
