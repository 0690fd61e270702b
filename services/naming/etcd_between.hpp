// SPDX-License-Identifier: Apache-2.0
// For tests: stands between a client and etcd, and is not to be trusted.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cctype>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace corbel::naming::test {

/// Passes requests of HTTP on, and answers back, unless told otherwise. Has a thread for each connection.
class EtcdBetween {
 public:
  enum class Fate { answer, lose_answer, lose_request, nonsense, endless, silence, full };
  using Judge = std::function<Fate(const std::string& request)>;

  explicit EtcdBetween(std::uint16_t to) : to_(to), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in where = address(0);
    socklen_t size = sizeof where;
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&where), size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&where), &size) != 0)
      throw std::runtime_error("no listener");
    port_ = ntohs(where.sin_port);
    acceptor_ = std::jthread([this](const std::stop_token& stop) { accept_all(stop); });
  }
  ~EtcdBetween() {
    acceptor_.request_stop();
    acceptor_.join();
    for (auto& each : threads_) each.request_stop();
    threads_.clear();
    ::close(listener_);
  }
  EtcdBetween(const EtcdBetween&) = delete;
  EtcdBetween& operator=(const EtcdBetween&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  /// What becomes of requests from now on; nullptr: all are answered. Called by one thread at a time.
  void drop(Judge judge) {
    const std::lock_guard lock(mutex_);
    judge_ = std::move(judge);
  }

 private:
  static sockaddr_in address(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static bool is_ready(int socket, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd wait = {socket, POLLIN, 0};
      if (::poll(&wait, 1, 20) > 0) return true;
    }
    return false;
  }
  void accept_all(const std::stop_token& stop) {
    while (is_ready(listener_, stop)) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      threads_.emplace_back([this, socket](const std::stop_token& end) {
        serve(socket, end);
        ::close(socket);
      });
    }
  }
  /// A message whose header says its length; nothing when the connection has ended.
  static std::string message(int socket, const std::stop_token& stop) {
    std::string text;
    for (std::size_t whole = std::string::npos; text.size() < whole;) {
      char part[4096];
      if (!is_ready(socket, stop)) return {};
      const ssize_t count = ::recv(socket, part, sizeof part, 0);
      if (count <= 0) return {};
      text.append(part, static_cast<std::size_t>(count));
      const std::size_t end = text.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::size_t at = text.find("Content-Length: ");
      whole = end + 4 + (at < end ? std::stoul(text.substr(at + 16)) : 0);
    }
    return text;
  }
  static void send_all(int socket, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
  }
  std::string ask(const std::string& request, const std::stop_token& stop) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in where = address(to_);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0) {
      send_all(socket, request);
      answer = message(socket, stop);
    }
    ::close(socket);
    return answer;
  }
  void serve(int socket, const std::stop_token& stop) {
    for (;;) {
      const std::string request = message(socket, stop);
      if (request.empty()) return;
      Fate fate = Fate::answer;
      {
        const std::lock_guard lock(mutex_);
        if (judge_) fate = judge_(request);
      }
      if (fate == Fate::answer || fate == Fate::lose_answer) {
        const std::string answer = ask(request, stop);
        if (fate == Fate::lose_answer || answer.empty()) return;
        send_all(socket, answer);
      } else if (fate == Fate::nonsense) {
        send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"succeeded\":\"maybe\"}\n");
      } else if (fate == Fate::full) {
        const std::string body = R"({"code":8,"message":"etcdserver: mvcc: database space exceeded"})";
        send_all(socket, "HTTP/1.1 429 Too Many Requests\r\nContent-Length: " + std::to_string(body.size()) +
                             "\r\n\r\n" + body);
      } else if (fate == Fate::endless) {
        send_all(socket, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string chunk = "10000\r\n" + std::string(0x10000, '[') + "\r\n";
        for (int i = 0; i < 2000 && !stop.stop_requested(); ++i) send_all(socket, chunk);
        return;
      } else if (fate == Fate::lose_request) {
        return;
      }
    }
  }

  const std::uint16_t to_;
  const int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;  // guards what follows
  Judge judge_;
  std::list<std::jthread> threads_;  ///< of the acceptor, and then of who ends this
  std::jthread acceptor_;
};

}  // namespace corbel::naming::test
