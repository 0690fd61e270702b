// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/files.hpp"

namespace corbel::test {

/// A PostgreSQL of one's own: in a temporary folder, at a UNIX-domain socket only, and by a user who is not root, as it
/// wants it. Ends with this, or with the thread that started it.
class PostgresServer {
 public:
  /// The folder of its programs; empty if it is not installed.
  static std::string programs() {
    namespace fs = std::filesystem;
    std::error_code none;
    std::string found;
    for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", none)) {
      const fs::path folder = version.path() / "bin";
      if (fs::exists(folder / "initdb") && fs::exists(folder / "postgres")) found = std::max(found, folder.string());
    }
    return found;
  }

  PostgresServer() : programs_(programs()) {
    if (programs_.empty()) throw std::runtime_error("PostgreSQL is not installed");
    if (::geteuid() == 0) {
      const passwd* user = ::getpwnam("postgres");
      if (user == nullptr) user = ::getpwnam("nobody");
      if (user == nullptr) throw std::runtime_error("no user for PostgreSQL");
      if (::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("no chown");
      prefix_.push_back("--reuid=" + std::to_string(user->pw_uid));
      prefix_.push_back("--regid=" + std::to_string(user->pw_gid));
      prefix_.emplace_back("--clear-groups");
    }
    if (wait(spawn({programs_ + "/initdb", "-D", data(), "-U", "corbel", "-A", "trust", "-N", "-E", "UTF8",
                    "--locale=C"})) != 0)
      throw std::runtime_error("initdb failed; see " + folder_ / "log");
    start();
  }
  ~PostgresServer() { stop(SIGQUIT); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Until it takes connections.
  void start() {
    process_ = spawn({programs_ + "/postgres", "-D", data(), "-k", folder_.path(), "-h", "", "-c", "fsync=off"});
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (!is_ready()) {
      if (std::chrono::steady_clock::now() > end || ::kill(process_, 0) != 0)
        throw std::runtime_error("PostgreSQL does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // its file is all that tells
    }
  }
  /// SIGQUIT ends it at once, as a crash does, and it recovers at the next start; SIGINT in order; SIGSTOP makes it
  /// silent, until SIGCONT.
  void stop(int with) {
    if (process_ <= 0) return;
    ::kill(process_, with);
    wait(process_);
    process_ = 0;
  }
  void send(int number) const { ::kill(process_, number); }
  pid_t process() const noexcept { return process_; }

  /// As libpq takes it.
  std::string url() const { return "postgresql:///postgres?user=corbel&host=" + folder_.path().string(); }

 private:
  std::string data() const { return folder_ / "data"; }

  bool is_ready() const {
    std::ifstream file(data() + "/postmaster.pid");
    std::string line;
    std::string last;
    std::string first;
    while (std::getline(file, line)) {
      if (first.empty()) first = line;
      last = line;
    }
    return first == std::to_string(process_) && last.starts_with("ready");
  }

  pid_t spawn(std::vector<std::string> line) const {
    std::vector<std::string> whole = {"setpriv", "--pdeathsig=QUIT"};
    whole.insert(whole.end(), prefix_.begin(), prefix_.end());
    whole.insert(whole.end(), line.begin(), line.end());
    std::vector<char*> words;
    for (auto& word : whole) words.push_back(word.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string log = folder_ / "log";
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, file, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    pid_t process = 0;
    const int error = ::posix_spawnp(&process, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("setpriv cannot be run");
    return process;
  }
  static int wait(pid_t process) {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  const std::string programs_;
  const Folder folder_;
  std::vector<std::string> prefix_;
  pid_t process_ = 0;
};

}  // namespace corbel::test
