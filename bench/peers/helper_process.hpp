// SPDX-License-Identifier: Apache-2.0
// A folder and a daemon that a mechanism needs beside its server; both go when the server is terminated.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

/// One per process; never destroyed in order, since servers are ended by SIGTERM.
class HelperProcess {
 public:
  /// Makes an empty folder of this user's.
  HelperProcess() {
    const char* const base = std::getenv("TMPDIR");
    folder_ = std::string(base != nullptr ? base : "/tmp") + "/corbel-bench-XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) throw std::runtime_error(std::string("mkdtemp: ") + std::strerror(errno));
  }
  const std::string& folder() const noexcept { return folder_; }

  /// Runs a daemon until this process is terminated, and returns the first line that it writes.
  std::string start(std::vector<std::string> argv) {
    int output[2];
    if (pipe(output) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = getpid();
    daemon_ = fork();
    if (daemon_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent) _exit(126);
      dup2(output[1], STDOUT_FILENO);
      std::vector<char*> pointers;
      for (std::string& word : argv) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      execvp(pointers[0], pointers.data());
      _exit(127);
    }
    close(output[1]);
    running() = this;
    std::signal(SIGTERM, [](int) { running()->end(); });
    std::string line;
    for (char c = 0; read(output[0], &c, 1) == 1 && c != '\n';) line += c;
    if (line.empty()) throw std::runtime_error(argv[0] + " does not start");
    return line;
  }

 private:
  static HelperProcess*& running() {
    static HelperProcess* one = nullptr;
    return one;
  }
  /// In a signal handler: system calls only.
  [[noreturn]] void end() const {
    kill(daemon_, SIGTERM);
    while (waitpid(daemon_, nullptr, 0) < 0 && errno == EINTR) {
    }
    execlp("rm", "rm", "-rf", folder_.c_str(), nullptr);
    _exit(1);
  }

  std::string folder_;
  pid_t daemon_ = -1;
};

}  // namespace peer
