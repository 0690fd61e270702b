// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace corbel::test {

/// A program with its standard output in a pipe.
class Process {
 public:
  explicit Process(const std::vector<std::string>& line) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::vector<char*> words;
    for (const auto& word : line) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const int error = ::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
    if (error != 0) throw std::runtime_error(line[0] + ": " + std::strerror(error));
  }
  ~Process() {
    if (running_) {
      kill_hard();
      wait();
    }
    ::close(output_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// The first line, or all; empty if the program ended without one.
  std::string read(bool all) {
    std::string text;
    char c = 0;
    while (::read(output_, &c, 1) == 1 && (all || c != '\n')) text += c;
    return text;
  }
  pid_t pid() const noexcept { return pid_; }
  void kill_hard() noexcept { ::kill(pid_, SIGKILL); }
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    running_ = false;
    return status;
  }

 private:
  pid_t pid_ = 0;
  int output_ = -1;
  bool running_ = true;
};

}  // namespace corbel::test
