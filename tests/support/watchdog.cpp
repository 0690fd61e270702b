// SPDX-License-Identifier: Apache-2.0
// Ends a test program when one case takes too long, and says which: linked to every program by corbel_test_headers()
// (cmake/CorbelRooms.cmake). CORBEL_TEST_SECONDS: how long; 0: for ever.
#include <gtest/gtest.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr long kSeconds = 100;  // less than any suite's own time limit

char message[512] = "\n[  HANGS   ] ";
std::size_t message_size = 0;

extern "C" void end_hanging_case(int) {
  (void)!write(STDERR_FILENO, message, message_size);
  std::abort();
}

/// A timer of the process, not a thread: tests count threads, and a forked child has neither.
class Watchdog final : public testing::EmptyTestEventListener {
 public:
  Watchdog() {
    if (const char* seconds = std::getenv("CORBEL_TEST_SECONDS")) seconds_ = std::strtol(seconds, nullptr, 10);
    begin_ = std::strlen(message);
    struct sigaction action {};
    action.sa_handler = &end_hanging_case;
    sigaction(SIGRTMAX, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMAX;
    armed_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
  }
  ~Watchdog() override {
    if (armed_) timer_delete(timer_);
  }

  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + '.' + test.name() + '\n';
    message_size = begin_ + std::min(name.size(), sizeof message - begin_);
    std::memcpy(message + begin_, name.data(), message_size - begin_);
    set(seconds_);
  }
  void OnTestEnd(const testing::TestInfo&) override { set(0); }

 private:
  void set(long seconds) {
    if (!armed_) return;
    itimerspec time{};
    time.it_value.tv_sec = seconds;
    timer_settime(timer_, 0, &time, nullptr);
  }

  long seconds_ = kSeconds;
  std::size_t begin_ = 0;
  timer_t timer_{};
  bool armed_ = false;
};

// Before main(), which belongs to GoogleTest; the listeners delete it.
[[maybe_unused]] const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Watchdog);
  return true;
}();

}  // namespace
