// SPDX-License-Identifier: Apache-2.0
// As much of a collector of OpenTelemetry as a test needs: it takes what is posted, and keeps the spans.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace corbel::tracing {

using Json = nlohmann::json;

class Collector {
 public:
  Collector() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ::ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Collector() {
    over_ = true;
    thread_.join();
    ::close(listener_);
  }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// So many of the next requests are answered so, and nothing of them is kept.
  void answer(int status, int times) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    refusals_ = times;
  }
  /// Nothing is answered any more.
  void hang() { hangs_ = true; }

  /// "NAME KIND" and what was sent.
  std::multimap<std::string, Json> spans() const {
    const std::lock_guard lock(mutex_);
    return spans_;
  }
  std::string resource(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    for (const Json& one : resource_) {
      if (one.at("key") == key) return one.at("value").at("stringValue");
    }
    return "";
  }
  std::string last_head() const {
    const std::lock_guard lock(mutex_);
    return head_;
  }

 private:
  static bool ready(int handle) {
    pollfd one{handle, POLLIN, 0};
    return ::poll(&one, 1, 20) > 0;
  }

  void run() {
    while (!over_) {
      if (!ready(listener_)) continue;
      const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      std::string octets;
      while (!over_) {
        if (!ready(peer)) continue;
        char room[4096];
        const ssize_t count = ::recv(peer, room, sizeof room, 0);
        if (count <= 0) break;
        octets.append(room, static_cast<std::size_t>(count));
        if (!hangs_) take(peer, octets);
      }
      ::close(peer);
    }
  }

  void take(int peer, std::string& octets) {
    const std::size_t end = octets.find("\r\n\r\n");
    if (end == std::string::npos) return;
    const std::string head = octets.substr(0, end + 2);
    const std::size_t at = head.find("Content-Length: ");
    ASSERT_NE(at, std::string::npos) << head;
    const std::size_t size = std::stoul(head.substr(at + 16));
    if (head.find("Expect: 100-continue") != std::string::npos && octets.size() == end + 4)
      say(peer, "HTTP/1.1 100 Continue\r\n\r\n");
    if (octets.size() < end + 4 + size) return;
    const int status = keep(head, octets.substr(end + 4, size));
    octets.erase(0, end + 4 + size);
    say(peer, "HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: 2\r\n\r\n{}");
  }

  static void say(int peer, const std::string& text) { (void)::send(peer, text.data(), text.size(), MSG_NOSIGNAL); }

  int keep(const std::string& head, const std::string& body) {
    const std::lock_guard lock(mutex_);
    head_ = head;
    if (refusals_ > 0) {
      --refusals_;
      return status_;
    }
    const Json all = Json::parse(body);
    for (const Json& of : all.at("resourceSpans")) {
      resource_ = of.at("resource").at("attributes");
      for (const Json& scope : of.at("scopeSpans")) {
        for (const Json& span : scope.at("spans")) {
          spans_.emplace(span.at("name").get<std::string>() + " " + std::to_string(span.at("kind").get<int>()), span);
        }
      }
    }
    return 200;
  }

  const int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_ = false;
  std::atomic<bool> hangs_ = false;
  mutable std::mutex mutex_;
  std::multimap<std::string, Json> spans_;
  Json resource_;
  std::string head_;
  int status_ = 200;
  int refusals_ = 0;
  std::thread thread_;
};

}  // namespace corbel::tracing
