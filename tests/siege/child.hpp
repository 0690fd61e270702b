// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <exception>

namespace corbel::siege {

constexpr int kServed = 0, kNotServed = 3;

/// What a child does: it begins and ends to refuse, says how many allocations there were meanwhile, and true if all is
/// well afterwards.
using Life = bool (*)(std::size_t refused, std::size_t count, std::size_t& allocations);

/// The life of a child; how many allocations it took goes into `told`.
[[noreturn]] inline void live(Life life, std::size_t refused, std::size_t count, int told) {
  ::alarm(60);
  const char begins = 1;
  (void)!::write(told, &begins, sizeof begins);
  int status = kNotServed;
  try {
    std::size_t allocations = 0;
    if (life(refused, count, allocations)) status = kServed;
    (void)!::write(told, &allocations, sizeof allocations);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "not served: %s\n", exception.what());
  }
  std::_Exit(status);
}

struct Ended {
  int status = 0;
  std::size_t allocations = 0;
};

/// A child that never gets out of fork(2) is replaced: ThreadSanitizer's may not, while other threads are about.
inline Ended live_without(Life life, std::size_t refused, std::size_t count, int tries = 5) {
  int pipes[2];
  EXPECT_EQ(::pipe(pipes), 0);
  const pid_t child = ::fork();
  if (child == 0) live(life, refused, count, pipes[1]);
  ::close(pipes[1]);
  Ended ended;
  char begins = 0;
  pollfd entry{pipes[0], POLLIN, 0};
  const bool lives = ::poll(&entry, 1, 10'000) == 1 && ::read(pipes[0], &begins, sizeof begins) == 1;
  if (!lives) ::kill(child, SIGKILL);
  if (lives) (void)!::read(pipes[0], &ended.allocations, sizeof ended.allocations);
  ::close(pipes[0]);
  EXPECT_EQ(::waitpid(child, &ended.status, 0), child);
  return lives || tries == 0 ? ended : live_without(life, refused, count, tries - 1);
}

}  // namespace corbel::siege
