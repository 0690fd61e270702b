// SPDX-License-Identifier: Apache-2.0
// Connections without a thread stay registered while they are served: nothing that comes may be overlooked.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "raw_peer.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

/// Over a local socket, which the harness does not wrap. Everything that waits gives up after a long time.
class EdgesPeer {
 public:
  explicit EdgesPeer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    (void)::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~EdgesPeer() { ::close(socket_); }
  EdgesPeer(const EdgesPeer&) = delete;
  EdgesPeer& operator=(const EdgesPeer&) = delete;

  void send(const test::Octets& octets) const {
    EXPECT_EQ(::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL), static_cast<ssize_t>(octets.size()));
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  /// One that is as long.
  bool takes(const test::Octets& message) const {
    test::Octets got(message.size());
    const ssize_t count = ::recv(socket_, got.data(), got.size(), MSG_WAITALL);
    return count == static_cast<ssize_t>(got.size()) && got == message;
  }
  bool takes_end() const {
    char octet = 0;
    return ::recv(socket_, &octet, 1, 0) == 0;
  }

 private:
  const int socket_;
};

struct EdgesMode {
  const char* name;
  policy::Concurrency concurrency;
  unsigned threads;
  unsigned sticky;
};

class Edges : public testing::TestWithParam<EdgesMode> {
 protected:
  Edges() {
    harness_.serve = [this](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      if (request.operation == "slow") std::this_thread::sleep_for(15ms);
      ++served_;
      Harness::echo(c, request, body);
    };
    const std::string text = harness_.route.endpoint->text();
    path_ = text.substr(text.find("//") + 2);
    if (!harness_.server().has_threads()) runner_ = std::thread([this] { harness_.server().run(); });
  }
  ~Edges() override {
    harness_.server().stop(false);
    if (runner_.joinable()) runner_.join();
  }
  static Server::Settings of(const EdgesMode& mode) {
    Server::Settings settings;
    settings.serving.concurrency = mode.concurrency;
    settings.serving.threads = mode.threads;
    settings.serving.sticky_connections = mode.sticky;
    settings.serving.slow_upcall = 5s;  // replies come in order; what takes 10 ms is not short
    return settings;
  }
  static test::Octets echo(std::uint32_t id, std::size_t size, const char* operation = "echo", std::uint8_t flags = 3) {
    return test::raw_request(
        id, "key", operation, [&](test::Writer& writer) { writer.string(std::string(size, 'e')); }, flags);
  }
  static test::Octets reply(std::uint32_t id, std::size_t size) {
    return test::Writer().giop(1, 2).u32(id).u32(0).u32(0).align(8).string(std::string(size, 'e')).finish();
  }
  void asks(const EdgesPeer& peer, std::size_t size) {
    peer.send(echo(++id_, size));
    ASSERT_TRUE(peer.takes(reply(id_, size))) << size << " octets";
  }
  /// test::Octets of text in a request of so many.
  static std::size_t text_of(std::size_t whole) { return whole - echo(1, 0).size(); }

  std::atomic<int> served_{0};
  std::atomic<std::uint32_t> id_{0};
  Harness harness_{"unix://", of(GetParam())};
  std::string path_;
  std::thread runner_;
};

TEST_P(Edges, RequestsThatFillTheBufferExactlyAreFollowedByOthers) {
  const EdgesPeer peer(path_);
  asks(peer, 1);
  for (const std::size_t size : {std::size_t{2048}, std::size_t{4096}, std::size_t{65536}, std::size_t{300000}}) {
    for (const std::size_t around : {size - 1, size, size + 1}) {
      test::Octets both = echo(++id_, text_of(around));
      const std::uint32_t first = id_;
      const test::Octets second = echo(++id_, 10);
      both.insert(both.end(), second.begin(), second.end());
      std::thread sender([&] { peer.send(both); });
      EXPECT_TRUE(peer.takes(reply(first, text_of(around)))) << around;
      EXPECT_TRUE(peer.takes(reply(id_, 10))) << around;
      sender.join();
      asks(peer, text_of(around));
      asks(peer, 3);
    }
  }
}

TEST_P(Edges, TheEndThatComesWithARequestIsHeard) {
  for (int i = 0; i < 200; ++i) {
    const EdgesPeer peer(path_);
    if (i % 2 == 0) asks(peer, 5);
    peer.send(echo(++id_, 7));
    peer.end_sending();
    ASSERT_TRUE(peer.takes(reply(id_, 7)));
    ASSERT_TRUE(peer.takes_end());
  }
}

TEST_P(Edges, WhatComesWhileARequestRunsIsServedThen) {
  const EdgesPeer peer(path_);
  for (int i = 0; i < 50; ++i) {
    asks(peer, 4);
    const std::uint32_t slow = ++id_;
    peer.send(echo(slow, 1, "slow"));
    std::this_thread::sleep_for(i % 4 * 1ms);
    const std::uint32_t next = ++id_;
    peer.send(echo(next, 2));
    ASSERT_TRUE(peer.takes(reply(slow, 1)));
    ASSERT_TRUE(peer.takes(reply(next, 2)));
  }
}

/// Of a large message no more is received than it needs.
TEST_P(Edges, WhatIsBehindALargeRequestIsServed) {
  const EdgesPeer peer(path_);
  for (int i = 0; i < 10; ++i) {
    asks(peer, 4);
    const std::uint32_t slow = ++id_;
    peer.send(echo(slow, 1, "slow"));
    std::this_thread::sleep_for(3ms);
    const std::uint32_t large = ++id_;
    test::Octets both = echo(large, 60000);
    const test::Octets small = echo(++id_, 2);
    both.insert(both.end(), small.begin(), small.end());
    peer.send(both);
    ASSERT_TRUE(peer.takes(reply(slow, 1)));
    ASSERT_TRUE(peer.takes(reply(large, 60000)));
    ASSERT_TRUE(peer.takes(reply(id_, 2)));
  }
}

/// Many peers, each with several requests under way, that come in pieces and at any time.
TEST_P(Edges, EachOfManyRequestsIsAnsweredOnce) {
  constexpr int kPeers = 6;
  constexpr int kRounds = 600;
  std::atomic<int> sent{0};
  const auto work = [&](unsigned seed) {
    std::minstd_rand random(seed);
    const EdgesPeer peer(path_);
    std::uint32_t id = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::uint32_t many = 1 + random() % 4;
      std::vector<test::Octets> replies;
      test::Octets out;
      for (std::uint32_t i = 0; i < many; ++i) {
        const std::size_t size = random() % 8 == 0 ? random() % 9000 : random() % 100;
        const bool oneway = random() % 5 == 0;
        const test::Octets one = echo(++id, size, random() % 197 == 0 ? "slow" : "echo", oneway ? 0 : 3);
        out.insert(out.end(), one.begin(), one.end());
        if (!oneway) replies.push_back(reply(id, size));
        ++sent;
      }
      for (std::size_t at = 0; at < out.size();) {
        const std::size_t piece = std::min<std::size_t>(1 + random() % 3000, out.size() - at);
        peer.send(test::Octets(out.begin() + static_cast<std::ptrdiff_t>(at),
                               out.begin() + static_cast<std::ptrdiff_t>(at + piece)));
        at += piece;
        if (random() % 16 == 0) std::this_thread::yield();
      }
      for (const test::Octets& each : replies) ASSERT_TRUE(peer.takes(each)) << "round " << round;
    }
    peer.send(echo(++id, 1));
    ++sent;
    ASSERT_TRUE(peer.takes(reply(id, 1)));
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kPeers; ++i) threads.emplace_back(work, i + 1);
  for (auto& each : threads) each.join();
  EXPECT_EQ(served_, sent);
}

INSTANTIATE_TEST_SUITE_P(All, Edges,
                         testing::Values(EdgesMode{"single", policy::Concurrency::single, 1, 0},
                                         EdgesMode{"pool", policy::Concurrency::pool, 3, 0},
                                         EdgesMode{"pool_of_two", policy::Concurrency::pool, 2, 0},
                                         EdgesMode{"adaptive", policy::Concurrency::adaptive, 4, 2}),
                         [](const auto& mode) { return std::string(mode.param.name); });

}  // namespace
}  // namespace corbel::connection
