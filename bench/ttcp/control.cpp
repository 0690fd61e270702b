// SPDX-License-Identifier: Apache-2.0
#include "ttcp/control.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::strerror(error));
}

using Name = int (*)(int, sockaddr*, socklen_t*);

sockaddr_in name_of(int handle, Name which) {
  sockaddr_in name{};
  socklen_t length = sizeof name;
  if (which(handle, reinterpret_cast<sockaddr*>(&name), &length) != 0) fail("the control connection", errno);
  return name;
}

}  // namespace

Control::~Control() {
  if (handle_ >= 0) close(handle_);
}

Control::Control(Control&& other) noexcept
    : handle_(std::exchange(other.handle_, -1)), buffer_(std::move(other.buffer_)) {}

void Control::say(const std::string& line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(handle_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) fail("the other side has gone", errno);
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

std::string Control::hear(std::chrono::seconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (const std::size_t newline = buffer_.find('\n'); newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    if (buffer_.size() > kLongestLine)
      throw std::runtime_error("the other side is no corbel-ttcp: its line has no end");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ready{handle_, POLLIN, 0};
    const int found = left.count() > 0 ? poll(&ready, 1, static_cast<int>(left.count())) : 0;
    if (found < 0 && errno == EINTR) continue;
    if (found <= 0) throw std::runtime_error("the other side says nothing");
    char octets[4096];
    const ssize_t count = recv(handle_, octets, sizeof octets, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("the other side has gone", errno);
    if (count == 0) throw std::runtime_error("the other side has closed the connection");
    buffer_.append(octets, static_cast<std::size_t>(count));
  }
}

std::string Control::own_address() const {
  char text[INET_ADDRSTRLEN];
  const sockaddr_in name = name_of(handle_, getsockname);
  return inet_ntop(AF_INET, &name.sin_addr, text, sizeof text);
}

bool Control::is_local() const {
  return name_of(handle_, getsockname).sin_addr.s_addr == name_of(handle_, getpeername).sin_addr.s_addr;
}

Listener::Listener(const std::string& address, int port) : handle_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<in_port_t>(port));
  const bool numeric = inet_pton(AF_INET, address.c_str(), &name.sin_addr) == 1;
  const int on = 1;
  setsockopt(handle_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (numeric && bind(handle_, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 && listen(handle_, 8) == 0) {
    return;
  }
  const int error = errno;
  close(handle_);
  if (!numeric) throw std::runtime_error("'" + address + "' is no numeric Internet address, as 127.0.0.1 is");
  if (error == EADDRINUSE) {
    throw std::runtime_error("port " + std::to_string(port) + " is in use; choose another one with -p, on both sides");
  }
  fail("cannot listen on " + address + ":" + std::to_string(port), error);
}

Listener::~Listener() {
  close(handle_);
}

int Listener::port() const {
  return ntohs(name_of(handle_, getsockname).sin_port);
}

Control Listener::accept() {
  for (;;) {
    const int handle = accept4(handle_, nullptr, nullptr, SOCK_CLOEXEC);
    if (handle >= 0) return Control(handle);
    if (errno != EINTR && errno != ECONNABORTED) fail("accept", errno);
  }
}

Control connect_to(const std::string& host, int port) {
  const std::string where = host + ":" + std::to_string(port);
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); status != 0) {
    throw std::runtime_error("host '" + host + "': " + gai_strerror(status));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(list, freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(handle, one->ai_addr, one->ai_addrlen) == 0) return Control(handle);
    error = errno;
    close(handle);
  }
  if (error == ECONNREFUSED) {
    throw std::runtime_error("nobody receives at " + where + "; start `corbel-ttcp -r -p " + std::to_string(port) +
                             "` there first");
  }
  fail("cannot reach " + where, error);
}

}  // namespace bench
