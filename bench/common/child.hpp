// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct ChildOptions {
  std::optional<int> cpu = {};                ///< the processor it is bound to
  std::vector<std::string> environment = {};  ///< "NAME=value", added to ours
  bool quiet = false;                         ///< standard error goes nowhere
  bool ends_with_input = false;               ///< it ends by itself, and cleans up, when its standard input does
};

/// A process of ours: its standard input and output are pipes held here. It is killed when this object goes, and by the
/// kernel when this process ends, however that happens, unless it ends with its input.
class Child {
 public:
  /// Starts argv[0] (a path, or a name to look up). Throws std::runtime_error.
  explicit Child(const std::vector<std::string>& argv, const ChildOptions& options = {});
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  pid_t process() const noexcept { return pid_; }
  /// The next line it writes, without the newline. Throws std::runtime_error if it ends or does not come in time,
  /// OutOfTime if the run's own time (limit_time) ends first.
  std::string read_line(std::chrono::seconds timeout);
  void write_line(const std::string& line);

  /// Closes its standard input, so that it ends by itself; after `timeout` sends SIGTERM, then SIGKILL.
  void end(std::chrono::seconds timeout);
  /// Sends SIGTERM to it (SIGKILL after `timeout`) and waits for its end.
  void terminate(std::chrono::seconds timeout);

 private:
  void close_pipes();
  bool ended_within(std::chrono::milliseconds timeout);

  std::string name_;
  pid_t pid_ = -1;  ///< -1: has been waited for
  int input_ = -1;
  int output_ = -1;
  std::string buffer_;  ///< read, not yet given out
};

/// The path of the running program.
std::string own_path();

/// Runs a program to its end and returns what it wrote to standard output; empty if it could not run or failed.
std::string output_of(const std::vector<std::string>& argv, std::chrono::seconds timeout);

/// True if PATH leads to a program of this name.
bool program_exists(const std::string& name);

}  // namespace bench
