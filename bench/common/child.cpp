// SPDX-License-Identifier: Apache-2.0
#include "common/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "common/cpus.hpp"
#include "common/progress.hpp"

namespace bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe", errno);
  }
  int ends[2];
};

/// In the new process: becomes the program. Never returns.
[[noreturn]] void become(const std::vector<char*>& argv, const ChildOptions& options, pid_t parent, int in, int out) {
  if (!options.ends_with_input) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(126);
  }
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  if (options.quiet) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  }
  if (options.cpu) pin_to_cpu(*options.cpu);
  for (const std::string& variable : options.environment) putenv(const_cast<char*>(variable.c_str()));
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& argv, const ChildOptions& options) : name_(argv.at(0)) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that ended is noticed by what write returns
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const Pipe in;
  const Pipe out;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(pointers, options, parent, in.ends[0], out.ends[1]);
  const int error = errno;
  close(in.ends[0]);
  close(out.ends[1]);
  input_ = in.ends[1];
  output_ = out.ends[0];
  if (pid_ < 0) {
    close_pipes();
    fail("cannot start " + name_, error);
  }
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      buffer_(std::move(other.buffer_)) {}

Child::~Child() {
  if (pid_ > 0) terminate(std::chrono::seconds(2));
  close_pipes();
}

void Child::close_pipes() {
  if (input_ >= 0) close(input_);
  if (output_ >= 0) close(output_);
  input_ = output_ = -1;
}

std::string Child::read_line(std::chrono::seconds timeout) {
  const bool hurried = patience_left() < timeout;
  const auto deadline = steady_clock::now() + std::min<milliseconds>(timeout, patience_left());
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    pollfd ready{output_, POLLIN, 0};
    const int count = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
    if (count == 0 && hurried) give_up(name_);
    if (count == 0)
      throw std::runtime_error(name_ + " did not answer within " + std::to_string(timeout.count()) + " s");
    if (count < 0 && errno == EINTR) continue;
    char piece[4096];
    const ssize_t got = read(output_, piece, sizeof piece);
    if (got <= 0) throw std::runtime_error(name_ + " ended unexpectedly");
    buffer_.append(piece, static_cast<std::size_t>(got));
  }
}

void Child::write_line(const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t done = 0; done < whole.size();) {
    const ssize_t put = write(input_, whole.data() + done, whole.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw std::runtime_error(name_ + " ended unexpectedly");
    done += static_cast<std::size_t>(put);
  }
}

bool Child::ended_within(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  for (milliseconds pause(1);; pause = std::min(pause * 2, milliseconds(50))) {
    const pid_t ended = waitpid(pid_, nullptr, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno != EINTR)) {
      pid_ = -1;
      return true;
    }
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
  }
}

void Child::end(std::chrono::seconds timeout) {
  if (input_ >= 0) close(std::exchange(input_, -1));
  if (pid_ > 0 && !ended_within(timeout)) terminate(timeout);
}

void Child::terminate(std::chrono::seconds timeout) {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  if (ended_within(timeout)) return;
  kill(pid_, SIGKILL);
  ended_within(std::chrono::seconds(10));
}

std::string own_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string output_of(const std::vector<std::string>& argv, std::chrono::seconds timeout) {
  std::string text;
  try {
    Child child(argv, {.quiet = true});
    for (;;) text += child.read_line(timeout) + "\n";
  } catch (const std::runtime_error&) {
    return text;  // the end of the output, or of our patience
  }
}

bool program_exists(const std::string& name) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    if (access((folders.substr(begin, end - begin) + "/" + name).c_str(), X_OK) == 0) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace bench
