// SPDX-License-Identifier: Apache-2.0
// What clients are told when something goes wrong behind the bridge; and that no request is sent twice.
#include "support.hpp"

namespace corbel::bridge_test {
namespace {

namespace answer = test::answer;

constexpr std::uint32_t kNeedsAddressingMode = 5;

/// How a call through a bridge to this peer ends.
std::string ending_with(test::FakePeer& peer, bridge::Settings settings = {}) {
  Between between(std::move(settings));
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  std::string ending = ending_of([&] { (void)target->echo("x"); });
  return ending;
}

TEST(Endings, TellTheTruthAboutWhatWasExecuted) {
  const struct {
    test::Answer answer;
    const char* ending;
  } kAll[] = {
      {answer::reset(), "COMM_FAILURE MAYBE"},
      {answer::end(), "COMM_FAILURE MAYBE"},
      {answer::half(answer::text("a longer result"), 30), "COMM_FAILURE MAYBE"},
      {answer::garbage("HTTP/1.1 400 Bad Request\r\n\r\n"), "MARSHAL MAYBE"},
      {answer::system_exception("NO_PERMISSION", 1, 3), "NO_PERMISSION NO"},
      {answer::system_exception("INTERNAL", 0, 0), "INTERNAL YES"},
      {answer::status(kNeedsAddressingMode, [](test::Writer& body) { body.u16(1); }), "NO_IMPLEMENT NO"},
  };
  for (const auto& one : kAll) {
    test::FakePeer peer({one.answer});
    const std::string ending = ending_with(peer);
    EXPECT_EQ(ending.substr(0, std::string(one.ending).size()), one.ending);
    EXPECT_EQ(peer.requests(), 1U) << one.ending;
  }
}

/// The server says that it has not executed the request: so does the bridge, whose client may then repeat it.
TEST(Endings, ACloseInOrderIsToldAsNotExecuted) {
  test::FakePeer peer({answer::close_connection()});
  Between between;
  const std::string reference = between.add(peer.ior(), "k");
  test::RawPeer raw(port_of(reference));
  ASSERT_TRUE(raw.send(test::raw_request(5, "k", "echo", [](test::Writer& writer) { writer.string("x"); })));
  const auto reply = raw.message();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->back(), 0);
  EXPECT_EQ((*reply)[reply->size() - 4], 1) << "COMPLETED_NO";
  EXPECT_NE(std::string(reply->begin(), reply->end()).find("TRANSIENT"), std::string::npos);
  EXPECT_EQ(peer.requests(), 1U);
}

TEST(Endings, WhatCannotBeReachedWasNotExecuted) {
  const test::RefusingPort port;
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(test::ior_string({port.profile()})));
  EXPECT_EQ(ending_of([&] { (void)target->echo("x"); }).substr(0, 12), "TRANSIENT NO");
}

TEST(Endings, AnotherAddressIsTriedAsLongAsNothingWasSent) {
  const test::RefusingPort port;
  test::FakePeer peer({answer::text("here")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(test::ior_string({port.profile(), peer.profile()})));
  EXPECT_EQ(target->echo("x"), "here");
  EXPECT_EQ(peer.requests(), 1U);
}

TEST(Endings, AServerThatIsSilentIsGivenUpAndTold) {
  test::FakePeer peer({answer::nothing()});
  bridge::Settings settings;
  settings.call_timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(ending_with(peer, settings).substr(0, 13), "TIMEOUT MAYBE");
  EXPECT_EQ(peer.requests(), 1U);
  ASSERT_TRUE(peer.wait_for_messages(2));
  EXPECT_EQ(peer.messages().at(1).type, test::kCancelRequest);
}

/// A request that may have reached the end of a conversation is not repeated, but what comes after it gets through.
TEST(Endings, AConnectionThatEndedMeanwhileIsReplaced) {
  test::FakePeer peer({answer::text("first"), answer::text("second")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  EXPECT_EQ(target->echo("x"), "first");
  peer.close_all(true);
  ASSERT_TRUE(peer.wait_for_open(0));
  const std::string ending = ending_of([&] { (void)target->echo("x"); });
  EXPECT_TRUE(ending == "done" || ending.starts_with("TRANSIENT NO")) << ending;
  EXPECT_EQ(target->echo("x"), "second");
}

/// Without types, forwards are the only references that the bridge knows of.
TEST(Endings, ForwardsLeadThroughTheBridge) {
  test::FakePeer second({answer::text("second")});
  test::FakePeer first({answer::forward({second.profile("other")})});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(first.ior()));
  EXPECT_EQ(target->echo("x"), "second");
  EXPECT_EQ(target->echo("x"), "second");
  EXPECT_EQ(first.requests(), 1U);
  EXPECT_EQ(second.requests(), 2U);
  EXPECT_EQ(second.last().key, "other");
  EXPECT_EQ(between.bridge.counts().forwarded, 3U);
  EXPECT_EQ(between.bridge.counts().references, 2U);
}

/// A bridge that ends answers first what is under way.
TEST(Endings, AnEndWaitsForWhatIsUnderWay) {
  Side server("server");
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  auto held = std::async(std::launch::async, [&] { return ending_of([&] { target->hold(); }); });
  server.servant->held.get_future().wait();
  between.orb->shutdown(false);
  server.servant->released.set_value();
  EXPECT_EQ(held.get(), "done");
  EXPECT_EQ(between.bridge.counts().forwarded, 1U);
}

/// A slow call holds neither others of the same client nor those of another one.
TEST(Endings, ASlowCallDoesNotHoldOthers) {
  Side server("server");
  Between between;
  const Side client("client");
  const Side other("other");
  const std::string reference = between.add(server.reference());
  const TargetRef target = client.target(reference);
  auto held = std::async(std::launch::async, [&] { return ending_of([&] { target->hold(); }); });
  server.servant->held.get_future().wait();
  EXPECT_EQ(target->echo("same client"), "same client");
  EXPECT_EQ(other.target(reference)->echo("another"), "another");
  server.servant->released.set_value();
  EXPECT_EQ(held.get(), "done");
}

TEST(Endings, ManyThreadsGetWhatTheyAskedFor) {
  Side server("server");
  Between between(with_types(), {"tcp://127.0.0.1:0", "unix://"});
  const std::string reference = between.add(server.reference());
  const Side client("client");
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      const TargetRef target = client.target(reference);
      for (int i = 0; i < 100; ++i) {
        const std::string text(static_cast<std::size_t>(thread) * 700 + 1, static_cast<char>('a' + thread));
        right += target->echo(text) == text && target->same(target) != nullptr ? 1 : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

}  // namespace
}  // namespace corbel::bridge_test
