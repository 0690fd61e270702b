// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/files.hpp"
#include "support/free_port.hpp"

namespace corbel::test {

/// Files for TLS with clients: what members show, and who issues what clients must show.
struct EtcdTls {
  std::string certificate{};  ///< and its key; empty: no TLS
  std::string authorities{};
};

/// A cluster of etcd of one's own: in a temporary folder, at the loopback address. Ends with this, or with the thread
/// that started it.
class EtcdServer {
 public:
  static bool is_installed() { return std::filesystem::exists(kProgram); }

  explicit EtcdServer(std::size_t members = 1, EtcdTls tls = {}) : tls_(std::move(tls)), members_(members) {
    if (!is_installed()) throw std::runtime_error("etcd is not installed");
    for (Member& each : members_) {
      each.port = free_port();
      each.peer_port = free_port();
    }
    for (std::size_t i = 0; i < members; ++i) {
      cluster_ += (i == 0 ? "" : ",") + name(i) + "=" + url_of(members_[i].peer_port);
    }
    for (std::size_t i = 0; i < members; ++i) spawn(i);
    for (std::size_t i = 0; i < members; ++i) await(i);
  }
  ~EtcdServer() {
    for (std::size_t i = 0; i < members_.size(); ++i) stop(i, SIGKILL);
  }
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  std::size_t size() const noexcept { return members_.size(); }
  std::uint16_t port(std::size_t i = 0) const { return members_[i].port; }
  /// Until it takes connections.
  void start(std::size_t i = 0) {
    spawn(i);
    await(i);
  }
  /// SIGKILL ends it as a crash does.
  void stop(std::size_t i = 0, int with = SIGKILL) {
    if (members_[i].process <= 0) return;
    ::kill(members_[i].process, with);
    while (::waitpid(members_[i].process, nullptr, 0) < 0 && errno == EINTR) {
    }
    members_[i].process = 0;
  }
  void send(int number, std::size_t i = 0) const { ::kill(members_[i].process, number); }

  /// As corbel-named takes it.
  std::string url(const std::string& prefix) const {
    std::string text = is_encrypted() ? "etcds://" : "etcd://";
    for (std::size_t i = 0; i < members_.size(); ++i) {
      text += (i == 0 ? "127.0.0.1:" : ",127.0.0.1:") + std::to_string(members_[i].port);
    }
    return text + "/" + prefix;
  }

 private:
  static constexpr const char* kProgram = "/usr/bin/etcd";

  struct Member {
    std::uint16_t port = 0;
    std::uint16_t peer_port = 0;
    pid_t process = 0;
  };

  bool is_encrypted() const { return !tls_.certificate.empty(); }
  static std::string name(std::size_t i) { return "m" + std::to_string(i); }
  static std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

  static sockaddr_in address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  void await(std::size_t i) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    for (bool there = false; !there;) {
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in where = address(members_[i].port);
      there = ::connect(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0;
      ::close(socket);
      if (there) return;
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("etcd does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // nothing else tells
    }
  }
  void spawn(std::size_t i) {
    const std::string client =
        (is_encrypted() ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(members_[i].port);
    const std::string peer = url_of(members_[i].peer_port);
    std::vector<std::string> line = {"setpriv",
                                     "--pdeathsig=KILL",
                                     kProgram,
                                     "--name",
                                     name(i),
                                     "--data-dir",
                                     folder_ / name(i),
                                     "--listen-client-urls",
                                     client,
                                     "--advertise-client-urls",
                                     client,
                                     "--listen-peer-urls",
                                     peer,
                                     "--initial-advertise-peer-urls",
                                     peer,
                                     "--initial-cluster",
                                     cluster_,
                                     "--log-level",
                                     "error",
                                     "--bcrypt-cost",
                                     "4"};
    if (is_encrypted()) {
      line.insert(line.end(), {"--cert-file", tls_.certificate, "--key-file", tls_.certificate, "--client-cert-auth",
                               "--trusted-ca-file", tls_.authorities});
    }
    std::vector<char*> words;
    for (auto& word : line) words.push_back(word.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string log = folder_ / "log";
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, file, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const int error = ::posix_spawnp(&members_[i].process, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::runtime_error("setpriv cannot be run");
  }

  const Folder folder_;
  const EtcdTls tls_;
  std::vector<Member> members_;
  std::string cluster_;
};

}  // namespace corbel::test
