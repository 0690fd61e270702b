// SPDX-License-Identifier: Apache-2.0
// Connections that are held and silent: how many, and what one costs the server.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <random>
#include <thread>

#include "castle.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

constexpr std::size_t kWanted = 10'000;
constexpr std::size_t kOthers = 200;  // descriptors besides

/// How many descriptors this process may open: as many as the system lets it.
std::size_t most_descriptors() {
  rlimit limit{};
  EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit.rlim_max == RLIM_INFINITY ? SIZE_MAX : limit.rlim_max;
}

/// Octets that are allocated in this process. Does not change where a sanitizer has memory of its own.
std::size_t allocated() {
  const struct mallinfo2 memory = mallinfo2();
  return memory.uordblks + memory.hblkhd;
}

test::Octets ask_fast(const Target& target, std::uint32_t number) {
  return test::raw_request(number, target.key, "fast", [&](test::Writer& w) { w.u32(number); });
}

bool is_answered(test::RawPeer& peer, const Target& target, std::uint32_t number) {
  return peer.send(ask_fast(target, number)) && peer.message().has_value();
}

TEST(IdleConnections, AreHeldByTheThousandForSomeKilobytesEach) {
  const std::size_t limit = most_descriptors();
  const std::size_t count = std::min(kWanted, (limit - kOthers) / 2);  // both ends are in this process
  if (count < kWanted) {
    std::cout << "skipped: " << kWanted - count << " of " << kWanted << " idle connections: no more than " << limit
              << " descriptors (ulimit -Hn)\n";
  }
  Server server({"-ORBMaxConnections", std::to_string(count + 100), "-ORBMaxConnectionsPerPeer",
                 std::to_string(count + 100), "-ORBIdleTimeout", "0"});
  const Target target(server.reference);
  {
    test::RawPeer first(target.port);
    ASSERT_TRUE(is_answered(first, target, 1));
  }
  std::vector<test::RawPeer> clients;
  clients.reserve(count);
  const std::size_t before = allocated();
  for (std::uint32_t i = 0; i < count; ++i) {
    clients.emplace_back(target.port);
    ASSERT_TRUE(is_answered(clients.back(), target, i)) << "connection " << i;
  }
  const std::size_t each = (allocated() - before) / count;
  std::cout << "counted: " << count << " idle connections held\n";
  if (each != 0) {
    EXPECT_LT(each, 1'300U) << "buffers and what most never need are there while they are used";
    std::cout << "measured: " << each << " octets of a server's memory for each idle connection\n";
    EXPECT_LT(each, 8192U);
  }
  for (const std::size_t place : {std::size_t{0}, count / 2, count - 1})
    EXPECT_TRUE(is_answered(clients[place], target, 7)) << "connection " << place << " is there";
  EXPECT_TRUE(std::all_of(clients.begin(), clients.end(), [](const auto& client) { return client.silent(); }))
      << "none was closed";
  Client newcomer(server.reference);
  EXPECT_EQ(newcomer.castle->fast(5), 5);
  EXPECT_EQ(server.servant->fast_calls, static_cast<int>(count) + 5);
}

// The peer is told of no end: a request that came to a server just then would be lost.
TEST(IdleConnections, OfDatagramsEndWithoutLosingRequests) {
  Server server({"-ORBIdleTimeout", "20", "-ORBConcurrency", "pool"}, "udp://127.0.0.1:0");
  std::atomic<int> lost{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 16; ++i) {
    threads.emplace_back([&, i] {
      const Client client(server.reference, {"-ORBCallTimeout", "5000"}, "client " + std::to_string(i));
      std::minstd_rand random(i + 1);
      for (const auto end = std::chrono::steady_clock::now() + 2s; std::chrono::steady_clock::now() < end;) {
        std::this_thread::sleep_for(std::chrono::microseconds(15'000 + random() % 12'000));
        try {
          (void)client.castle->fast(1);
        } catch (const CORBA::TIMEOUT&) {
          ++lost;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace corbel::siege
