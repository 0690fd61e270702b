// SPDX-License-Identifier: Apache-2.0
// Peers that do not take their replies, where these are at the limits of what may wait.
#include <list>

#include "castle.hpp"
#include "raw_peer.hpp"

namespace corbel::siege {
namespace {

constexpr std::uint32_t kLargeReply = 3U << 20;
constexpr int kTinyBuffer = 4096;

test::Octets large_request(const Target& target, std::uint32_t id, const char* operation = "big") {
  return test::raw_request(id, target.key, operation, [](test::Writer& writer) { writer.u32(kLargeReply); });
}

void expect_honest_service(const Server& server) {
  Client honest(server.reference, {}, "honest");
  for (int i = 0; i < 20; ++i) ASSERT_EQ(honest.castle->fast(i), i);
}

// One of any size may wait, another one behind it only within the limit.
TEST(ReplyBacklog, ASecondReplyBeyondTheLimitEndsTheConnection) {
  Server server({"-ORBMaxReplyBacklog", "100000", "-ORBSendBuffer", "4096"});
  const Target target(server.reference);
  test::RawPeer slow(target.port, kTinyBuffer);
  for (std::uint32_t id = 1; id <= 3; ++id) ASSERT_TRUE(slow.send(large_request(target, id, "slow_and_big")));
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 3; }));
  server.servant->open();
  const test::Octets cancel = test::Writer().giop(2, 2).u32(1000).finish();  // harmless
  ASSERT_TRUE(eventually([&] { return !slow.send(cancel); }));
  EXPECT_FALSE(slow.message());
  expect_honest_service(server);
}

// They are more than may wait, and wait for nobody but each other.
TEST(ReplyBacklog, WhoReadsGetsAllRepliesHoweverManyThereAre) {
  const Server server({"-ORBMaxReplyBacklog", "1000000"});
  for (const char* connections : {"1", "4"}) {
    const Client client(server.reference, {"-ORBConnectionsPerEndpoint", connections});
    std::atomic<int> whole{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int n = 0; n < 4; ++n) try {
            if (client.castle->big(kLargeReply).size() == kLargeReply) ++whole;
          } catch (const CORBA::Exception& exception) {
            ADD_FAILURE() << exception.what();
          }
      });
    }
    for (auto& caller : callers) caller.join();
    EXPECT_EQ(whole, 32) << connections;
    std::vector<decltype(client.castle->async_big(1))> futures;
    for (int i = 0; i < 10; ++i) futures.push_back(client.castle->async_big(kLargeReply));
    for (auto& each : futures) EXPECT_EQ(each.get().size(), kLargeReply);
  }
}

TEST(ReplyBacklog, RepliesWithinTheLimitAllArrive) {
  Server server({"-ORBMaxReplyBacklog", "10000000", "-ORBSendBuffer", "4096"});
  const Target target(server.reference);
  test::RawPeer slow(target.port, kTinyBuffer);
  for (std::uint32_t id = 1; id <= 3; ++id) ASSERT_TRUE(slow.send(large_request(target, id, "slow_and_big")));
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 3; }));
  server.servant->open();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(slow.message());
}

/// Newcomers that ask for more than is left, until `over`.
bool besiege(const Target& target, const std::function<bool()>& over) {
  std::list<test::RawPeer> newcomers;
  return eventually([&] {
    newcomers.emplace_back(target.port, kTinyBuffer);
    if (newcomers.size() > 8) newcomers.pop_front();
    (void)newcomers.back().send(large_request(target, 1));
    std::this_thread::sleep_for(20ms);  // so that there are not too many of them
    return over();
  });
}

// Both have their time first: a second, in which it is the newcomers that have to go.
TEST(ReplyMemory, WhoTakesNothingMakesRoomForOthers) {
  Server server({"-ORBMaxReplyMemory", "4000000", "-ORBSendBuffer", "4096"});
  const Target target(server.reference);
  test::RawPeer first(target.port, kTinyBuffer);
  ASSERT_TRUE(first.send(large_request(target, 1)));
  ASSERT_TRUE(eventually([&] { return server.servant->big_calls == 1; }));
  EXPECT_TRUE(besiege(target, [&] { return !first.send({0}); }));
  expect_honest_service(server);
}

TEST(ReplyMemory, ADropNowAndThenDoesNotKeepAPlace) {
  Server server({"-ORBMaxReplyMemory", "4000000", "-ORBSendBuffer", "4096"});
  const Target target(server.reference);
  test::RawPeer drips(target.port, kTinyBuffer);
  ASSERT_TRUE(drips.send(large_request(target, 1)));
  ASSERT_TRUE(eventually([&] { return server.servant->big_calls == 1; }));
  EXPECT_TRUE(besiege(target, [&] {
    (void)drips.take(3000);
    return !drips.send({0});
  }));
  expect_honest_service(server);
}

}  // namespace
}  // namespace corbel::siege
