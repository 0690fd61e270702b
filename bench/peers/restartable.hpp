// SPDX-License-Identifier: Apache-2.0
// What servers that are stopped and started again at the same place have in common (suite restart).
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>

namespace peer {

/// True if WHERE names a port: then references hold after a restart, and the server ends in order with its input.
inline bool is_restartable(const char* where) {
  return std::strchr(where, ':') != nullptr;
}

/// Calls a function on a thread of its own when standard input ends; waits for that when it goes.
class EndOfInput {
 public:
  EndOfInput(bool wanted, std::function<void()> then) {
    if (wanted) {
      thread_ = std::thread([then = std::move(then)] {
        char octet = 0;
        for (;;) {
          const ssize_t count = read(STDIN_FILENO, &octet, 1);
          if (count == 0 || (count < 0 && errno != EINTR)) break;
        }
        then();
      });
    }
  }
  ~EndOfInput() {
    if (thread_.joinable()) thread_.join();
  }
  EndOfInput(const EndOfInput&) = delete;
  EndOfInput& operator=(const EndOfInput&) = delete;

 private:
  std::thread thread_;
};

}  // namespace peer
