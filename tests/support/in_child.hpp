// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <iostream>

namespace corbel::test {

// The allocators of sanitizers, and ThreadSanitizer's own fork(), may be locked for ever in the child of a process with
// threads. Such a child is replaced by another.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kTriesInChild = 4;
constexpr unsigned kSecondsInChild = 20;
#else
constexpr int kTriesInChild = 1;
constexpr unsigned kSecondsInChild = 60;
#endif

/// Runs `act` in a child, which is a copy of this process without its other threads; true if it returned true there.
template <class Act>
bool in_child(const Act& act) {
  for (int tries = kTriesInChild;; --tries) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(kSecondsInChild);
      const char begins = 1;
      bool good = ::write(pipe[1], &begins, 1) == 1;
      try {
        good = act() && good;
      } catch (const std::exception& exception) {
        good = false;
        std::cerr << "in the child: " << exception.what() << '\n';
      }
      ::_exit(good ? 0 : 1);
    }
    ::close(pipe[1]);
    pollfd told{pipe[0], POLLIN, 0};
    bool hangs = ::poll(&told, 1, 20'000) != 1;  // inside of fork()
    ::close(pipe[0]);
    if (hangs) ::kill(child, SIGKILL);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    hangs = hangs || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
    if (!hangs || tries == 1) return status == 0;
  }
}

}  // namespace corbel::test
