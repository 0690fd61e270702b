// SPDX-License-Identifier: Apache-2.0
// Many requests under way at once, and what ends them: clients that cancel or go, servers that die or do not read.
#include <future>
#include <set>

#include "support.hpp"

namespace corbel::bridge_test {
namespace {

namespace answer = test::answer;
using test::eventually;
using test::raw_request;

constexpr std::uint32_t kIdAt = 12;  // in replies and CancelRequests of GIOP 1.2

std::uint32_t id_of(const test::Octets& message) {
  return test::Reader(message, true, kIdAt).u32();
}

test::Octets cancel_of(std::uint32_t id) {
  return test::Writer().giop(test::kCancelRequest, 2).u32(id).finish();
}

/// Answers nothing until it is told to, and then everything.
class Keeper {
 public:
  test::Answer keep() {
    return [this](test::Conversation& conversation, const test::Received& request) {
      const std::lock_guard lock(mutex_);
      kept_.emplace_back(&conversation, request);
    };
  }
  std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }
  /// The last first.
  void answer_all() {
    const std::lock_guard lock(mutex_);
    for (; !kept_.empty(); kept_.pop_back()) kept_.back().first->reply(kept_.back().second, 0);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<test::Conversation*, test::Received>> kept_;
};

std::uint64_t under_way(const Between& between) {
  return between.bridge.counts().under_way;
}

/// Sends so many requests with ids from 1 on, and waits until all of them are under way.
void send_many(const Between& between, test::RawPeer& client, std::uint32_t count) {
  test::Octets all;
  for (std::uint32_t id = 1; id <= count; ++id) {
    const auto one = raw_request(id, "k", "wait", [](test::Writer& body) { body.string("argument"); });
    all.insert(all.end(), one.begin(), one.end());
  }
  ASSERT_TRUE(client.send(all));
  ASSERT_TRUE(eventually([&] { return under_way(between) == count; })) << under_way(between);
}

/// The ids that so many replies have.
std::set<std::uint32_t> take_replies(test::RawPeer& client, std::size_t count) {
  std::set<std::uint32_t> ids;
  for (std::size_t i = 0; i < count; ++i) {
    const auto reply = client.message();
    if (!reply) break;
    ids.insert(id_of(*reply));
  }
  return ids;
}

TEST(UnderWay, TenThousandRequestsWaitWithFourThreads) {
  constexpr std::uint32_t kCount = 10'000;
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  Between between({}, {"tcp://127.0.0.1:0"}, {"-ORBThreads", "4"});
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  send_many(between, client, kCount);
  ASSERT_TRUE(eventually([&] { return keeper.count() == kCount; })) << keeper.count();
  auto ids = std::async(std::launch::async, [&] { return take_replies(client, kCount); });
  keeper.answer_all();
  EXPECT_EQ(ids.get().size(), kCount) << "each has its own answer";
  EXPECT_TRUE(eventually([&] { return under_way(between) == 0; }));
  EXPECT_EQ(between.orb->_core().value_memory()->used(), 0U);
  EXPECT_EQ(between.bridge.counts().forwarded, kCount);
  EXPECT_EQ(between.bridge.counts().failed, 0U);
}

TEST(UnderWay, ThereAreLimits) {
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  Between between({}, {"tcp://127.0.0.1:0"}, {"-ORBMaxDeferredPerConnection", "2"});
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  send_many(between, client, 2);
  ASSERT_TRUE(eventually([&] { return keeper.count() == 2; }));
  ASSERT_TRUE(client.send(raw_request(9, "k", "wait")));
  const auto refused = client.message();
  ASSERT_TRUE(refused);
  EXPECT_EQ(id_of(*refused), 9U);
  EXPECT_NE(std::string(refused->begin(), refused->end()).find("TRANSIENT"), std::string::npos);
  keeper.answer_all();
  EXPECT_EQ(take_replies(client, 2), (std::set<std::uint32_t>{1, 2}));
}

TEST(UnderWay, ACancelledRequestIsCancelledAtTheServer) {
  Keeper keeper;
  test::FakePeer peer({keeper.keep(), answer::nothing(), answer::text("other")});
  Between between;
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  ASSERT_TRUE(client.send(raw_request(5, "k", "wait")));
  ASSERT_TRUE(eventually([&] { return keeper.count() == 1; }));
  ASSERT_TRUE(client.send(cancel_of(6)));  // of nothing
  ASSERT_TRUE(client.send(cancel_of(5)));
  ASSERT_TRUE(client.send(cancel_of(5)));
  ASSERT_TRUE(peer.wait_for_messages(2));
  const auto messages = peer.messages();
  EXPECT_EQ(messages[1].type, test::kCancelRequest);
  EXPECT_EQ(messages[1].request_id, messages[0].request_id);
  EXPECT_EQ(messages[1].connection, messages[0].connection);
  ASSERT_TRUE(eventually([&] { return under_way(between) == 0; }));
  EXPECT_EQ(between.bridge.counts().cancelled, 1U);
  keeper.answer_all();  // too late: it goes nowhere
  ASSERT_TRUE(client.send(raw_request(7, "k", "note", {}, 0)));
  ASSERT_TRUE(client.send(raw_request(8, "k", "other")));
  const auto reply = client.message();
  ASSERT_TRUE(reply);
  EXPECT_EQ(id_of(*reply), 8U);
  EXPECT_EQ(between.bridge.counts().failed, 0U);
}

TEST(UnderWay, TheRequestsOfAClientThatGoesAreCancelled) {
  constexpr std::uint32_t kCount = 50;
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  Between between;
  {
    test::RawPeer client(port_of(between.add(peer.ior(), "k")));
    send_many(between, client, kCount);
    ASSERT_TRUE(peer.wait_for_messages(kCount));
  }
  EXPECT_TRUE(eventually([&] { return under_way(between) == 0; }));
  EXPECT_TRUE(eventually([&] { return between.bridge.counts().cancelled == kCount; }));
  EXPECT_EQ(between.orb->_core().value_memory()->used(), 0U);
  // A courtesy: a CancelRequest is left out while another thread sends.
  EXPECT_TRUE(peer.wait_for_messages(kCount + 1));
  keeper.answer_all();
}

TEST(UnderWay, AServerThatDiesTakesNothingElseWithIt) {
  constexpr std::uint32_t kCount = 50;
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  test::FakePeer other({answer::text("lives")});
  Between between;
  const std::uint16_t port = port_of(between.add(peer.ior(), "k"));
  (void)between.add(other.ior(), "other");
  test::RawPeer client(port);
  send_many(between, client, kCount);
  ASSERT_TRUE(peer.wait_for_messages(kCount));
  peer.close_all(false);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const auto reply = client.message();
    ASSERT_TRUE(reply) << i;
    EXPECT_NE(std::string(reply->begin(), reply->end()).find("COMM_FAILURE"), std::string::npos);
    EXPECT_EQ((*reply)[reply->size() - 4], 2) << "COMPLETED_MAYBE";
  }
  EXPECT_EQ(peer.requests(), kCount) << "none is repeated";
  ASSERT_TRUE(client.send(raw_request(99, "other", "echo")));
  EXPECT_TRUE(client.message());
  EXPECT_TRUE(eventually([&] { return under_way(between) == 0; }));
}

/// No thread waits for them any more, and all of them go to the server that comes after it.
TEST(UnderWay, WhatAServerGivesBackInOrderIsSentAgain) {
  constexpr std::uint32_t kCount = 50;
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  Between between;
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  for (const bool last : {false, true}) {  // a server that closes a new connection is told as it is
    send_many(between, client, kCount);
    ASSERT_TRUE(eventually([&] { return keeper.count() == kCount; }));
    if (last) peer.set({answer::text("again")});
    last ? peer.close_all(true) : keeper.answer_all();
    EXPECT_EQ(take_replies(client, kCount).size(), kCount);
    ASSERT_TRUE(eventually([&] { return under_way(between) == 0; }));
  }
  EXPECT_EQ(between.bridge.counts().failed, 0U);
  EXPECT_EQ(between.bridge.counts().forwarded, 2 * kCount);
  for (const test::Received& message : peer.messages()) {
    if (message.type != test::kRequest) continue;
    EXPECT_EQ(test::Reader(message.octets, true, message.body).string(), "argument");
  }
}

TEST(UnderWay, OneThatIsTooLargeToBeKeptIsGivenBack) {
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  Between between;
  test::RawPeer client(port_of(between.add(peer.ior(), "k")));
  send_many(between, client, 2);  // a server that closes a new connection is told as it is
  ASSERT_TRUE(eventually([&] { return keeper.count() == 2; }));
  keeper.answer_all();
  ASSERT_EQ(take_replies(client, 2).size(), 2U);
  ASSERT_TRUE(client.send(raw_request(1, "k", "wait", [](test::Writer& body) { body.octets(test::Octets(200'000)); })));
  ASSERT_TRUE(eventually([&] { return keeper.count() == 1; }));
  // Until the thread has left, it has the message.
  ASSERT_TRUE(client.send(raw_request(2, "k", "wait")));
  ASSERT_TRUE(eventually([&] { return keeper.count() == 2; }));
  peer.set({answer::text("again")});
  peer.close_all(true);
  std::set<std::uint32_t> refused;
  for (int i = 0; i < 2; ++i) {
    const auto reply = client.message();
    ASSERT_TRUE(reply);
    if (std::string(reply->begin(), reply->end()).find("TRANSIENT") != std::string::npos) refused.insert(id_of(*reply));
  }
  EXPECT_EQ(refused, std::set<std::uint32_t>{1});
}

/// Threads that try to reach one server are not all there are.
TEST(UnderWay, AServerThatTakesNothingLeavesThreadsForOthers) {
  test::SilentPort silent;
  test::FakePeer peer({answer::text("here")});
  bridge::Settings settings;
  settings.connect_timeout = std::chrono::seconds(2);
  Between between(settings, {"tcp://127.0.0.1:0"}, {"-ORBThreads", "8", "-ORBMaxRequestsPerConnection", "7"});
  const std::uint16_t port = port_of(between.add(test::ior_string({silent.profile()}), "silent"));
  (void)between.add(peer.ior(), "k");
  test::RawPeer client(port), other(port);
  for (std::uint32_t id = 1; id <= 6; ++id) ASSERT_TRUE(client.send(raw_request(id, "silent", "wait")));
  ASSERT_TRUE(eventually([&] { return between.bridge.counts().failed >= 1; }));
  EXPECT_GE(under_way(between), 1U) << "the first ones still wait";
  ASSERT_TRUE(other.send(raw_request(1, "k", "echo")));
  EXPECT_TRUE(other.message());
  EXPECT_EQ(take_replies(client, 6).size(), 6U);
}

/// A bridge's end waits for what no thread waits for, and no longer than it may.
TEST(UnderWay, AnEndWaitsForAnswersOnlySoLong) {
  Keeper keeper;
  test::FakePeer peer({keeper.keep()});
  for (const bool answers : {true, false}) {
    Between between({}, {"tcp://127.0.0.1:0"}, {"-ORBShutdownTimeout", answers ? "60000" : "100"});
    test::RawPeer client(port_of(between.add(peer.ior(), "k")));
    send_many(between, client, 20);
    ASSERT_TRUE(eventually([&] { return keeper.count() == 20; }));
    auto ended = std::async(std::launch::async, [&] { between.orb->shutdown(true); });
    if (answers) {
      ASSERT_TRUE(eventually([&] { return between.orb->_core().is_shut_down(); }));
      keeper.answer_all();
      EXPECT_EQ(take_replies(client, 20).size(), 20U);
    }
    ended.get();
    EXPECT_EQ(under_way(between), 0U);
    peer.close_all(false);
    ASSERT_TRUE(peer.wait_for_open(0));
    peer.set({keeper.keep()});
  }
}

}  // namespace
}  // namespace corbel::bridge_test
