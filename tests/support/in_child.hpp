// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>

namespace corbel::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kTriesInChild = 4;  // their allocators may be locked for ever in the child of a process with threads
constexpr unsigned kSecondsInChild = 20;
#else
constexpr int kTriesInChild = 1;
constexpr unsigned kSecondsInChild = 60;
#endif

/// Runs `act` in a child, which is a copy of this process without its other threads; true if it returned true there.
template <class Act>
bool in_child(const Act& act) {
  for (int tries = kTriesInChild;; --tries) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(kSecondsInChild);
      bool good = false;
      try {
        good = act();
      } catch (const std::exception& exception) {
        std::cerr << "in the child: " << exception.what() << '\n';
      }
      ::_exit(good ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    if (!hung || tries == 1) return status == 0;
  }
}

}  // namespace corbel::test
