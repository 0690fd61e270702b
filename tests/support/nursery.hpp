// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace corbel::test {

/// Bears the children of tests that have threads. A child of such a process may find a lock taken for ever, the
/// allocator's of a sanitizer for one; this one's parent is a process of its own, forked before the first test, that
/// never has a thread. Add it with testing::AddGlobalTestEnvironment() before main().
class Nursery : public testing::Environment {
 public:
  /// Tells the test one text, at most once.
  class Teller {
   public:
    explicit Teller(int socket) : socket_(socket) {}
    void operator()(const std::string& text) const {
      const std::string told = std::to_string(::getpid()) + ' ' + text;
      (void)!::send(socket_, told.data(), told.size(), MSG_NOSIGNAL);
    }

   private:
    int socket_;
  };
  /// What a child does with what the test asked of it; it is killed meanwhile, or returns.
  using Childhood = void (*)(std::string_view asked, const Teller& tell);

  struct Child {
    pid_t pid = -1;    ///< -1: it told nothing within a minute
    std::string told;  ///< what it told
  };

  explicit Nursery(Childhood childhood) : childhood_(childhood) {}

  void SetUp() override {
    std::array<int, 2> sockets{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()), 0);
    const pid_t nurse = ::fork();
    ASSERT_GE(nurse, 0);
    ::close(sockets[nurse == 0 ? 0 : 1]);
    if (nurse == 0) bear(sockets[1]);
    socket_ = sockets[0];
    const timeval patience{60, 0};
    ASSERT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
  }
  void TearDown() override { ::close(socket_); }

  /// A new child, once it has told.
  Child ask(const std::string& what) {
    Child child;
    const std::string told = exchange('c' + what);
    const auto [rest, error] = std::from_chars(told.data(), told.data() + told.size(), child.pid);
    if (error == std::errc() && *rest == ' ') child.told = rest + 1;
    return child;
  }

  /// Waits until a child has ended: its status, as waitpid(2) has it; -1 if there is no such child.
  int reap(pid_t child) {
    int status = -1;
    const std::string told = exchange('r' + std::to_string(child));
    std::from_chars(told.data(), told.data() + told.size(), status);
    return status;
  }

 private:
  std::string exchange(const std::string& asked) {
    std::string told;
    if (::send(socket_, asked.data(), asked.size(), MSG_NOSIGNAL) >= 0) told = received(socket_);
    return told;
  }

  static std::string received(int socket) {
    std::string text(1 << 16, '\0');
    const auto size = ::recv(socket, text.data(), text.size(), 0);
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

  [[noreturn]] void bear(int socket) const {
    for (std::string asked; !(asked = received(socket)).empty();) {
      const auto what = std::string_view(asked).substr(1);
      if (asked.front() == 'r') {
        pid_t child = -1;
        int status = -1;
        std::from_chars(what.data(), what.data() + what.size(), child);
        if (child < 0 || ::waitpid(child, &status, 0) != child) status = -1;
        const std::string told = std::to_string(status);
        (void)!::send(socket, told.data(), told.size(), MSG_NOSIGNAL);
      } else if (::fork() == 0) {
        ::alarm(60);
        childhood_(what, Teller(socket));
        ::_exit(1);
      }
    }
    ::_exit(0);
  }

  Childhood childhood_;
  int socket_ = -1;
};

}  // namespace corbel::test
