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

TEST(Endings, AServerThatWantsMoreThanAKeyIsToldByAMinorCode) {
  test::FakePeer peer({answer::status(kNeedsAddressingMode, [](test::Writer& body) { body.u16(1); })});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  const std::uint32_t minor = corba::vendor_minor(base::Stage::receive, base::Code::unsupported);
  EXPECT_EQ(own_minor_of([&] { (void)target->echo("x"); }), static_cast<int>(minor - corba::kCorbelVmcid));
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
  settings.call_timeout = std::chrono::milliseconds(1000);
  std::string ending = ending_with(peer, settings);
  // On a loaded machine the time may be over before the request has left: once more, then.
  for (int tries = 1; tries < 10 && ending.starts_with("TIMEOUT NO"); ++tries) ending = ending_with(peer, settings);
  EXPECT_EQ(ending.substr(0, 13), "TIMEOUT MAYBE");
  ASSERT_TRUE(peer.wait_for_messages(2));
  EXPECT_EQ(peer.requests(), 1U);
  EXPECT_EQ(peer.messages().at(1).type, test::kCancelRequest);
}

/// No request is lost on a connection that the server has closed in order.
TEST(Endings, AConnectionThatEndedMeanwhileIsReplaced) {
  test::FakePeer peer({answer::text("first"), answer::text("second")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  EXPECT_EQ(target->echo("x"), "first");
  peer.close_all(true);
  ASSERT_TRUE(peer.wait_for_open(0));
  EXPECT_EQ(target->echo("x"), "second");
  EXPECT_EQ(between.bridge.counts().forwarded, 2U);
}

/// As after a server's restart: nothing says that the connection has ended, so the bridge asks before it uses it.
TEST(Endings, AConnectionThatBrokeWhileItWasIdleIsReplaced) {
  test::FakePeer peer({answer::text("first"), answer::text("second")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  EXPECT_EQ(target->echo("x"), "first");
  peer.close_all(false);
  ASSERT_TRUE(peer.wait_for_open(0));
  between.age_connections();
  EXPECT_EQ(target->echo("x"), "second");
  EXPECT_EQ(peer.requests(), 2U);
}

/// The request had left when the server closed in order, and so was not executed.
TEST(Endings, ACloseInOrderOfAConnectionThatServedIsNotTold) {
  test::FakePeer peer({answer::text("first"), answer::close_connection(), answer::text("second")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  EXPECT_EQ(target->echo("x"), "first");
  EXPECT_EQ(target->echo("x"), "second");
  EXPECT_EQ(peer.requests(), 3U);
  EXPECT_EQ(between.bridge.counts().forwarded, 2U) << "one request, sent twice";
}

TEST(Endings, WhatMayHaveBeenExecutedIsNotRepeated) {
  test::FakePeer peer({answer::text("first"), answer::reset(), answer::text("second")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(peer.ior()));
  EXPECT_EQ(target->echo("x"), "first");
  EXPECT_EQ(ending_of([&] { (void)target->echo("x"); }).substr(0, 18), "COMM_FAILURE MAYBE");
  EXPECT_EQ(peer.requests(), 2U);
}

/// A server that closes in order has another address.
TEST(Endings, AnotherAddressIsTriedAfterACloseInOrder) {
  test::FakePeer first({answer::close_connection()}), second({answer::text("here")});
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(test::ior_string({first.profile(), second.profile()})));
  EXPECT_EQ(target->echo("x"), "here");
  EXPECT_EQ(first.requests(), 1U);
}

/// A reply that cannot be passed on says all the same whether the request was executed.
TEST(Endings, OfRepliesThatMakeNoSenseTellWhatIsKnown) {
  constexpr std::uint32_t kSystemException = 2, kForward = 3;
  const auto junk = [](test::Writer& body) { body.u32(0xffffffff); };
  const auto strange = [](test::Writer& body) { body.string("IDL:omg.org/CORBA/TRANSIENT:1.0").u32(1).u32(9); };
  const test::FakePeer elsewhere;
  int late = 0;
  const struct {
    test::Answer answer;
    const char* ending;
  } kAll[] = {
      {answer::status(kForward, junk), "MARSHAL NO"},
      {answer::forward({elsewhere.profile(std::string(20'000, 'k'))}), "MARSHAL NO"},
      {answer::status(kSystemException, junk), "MARSHAL MAYBE"},
      {answer::status(kSystemException, strange), "MARSHAL MAYBE"},
      {answer::system_exception("INTERNAL", 0, 1), "INTERNAL YES"},
      {answer::user_exception("IDL:Bridged/Unheard:1.0"), "UNKNOWN YES 1"},
      {answer::unfinished(8), "TIMEOUT MAYBE"},
  };
  for (const auto& one : kAll) {
    const bool times_out = std::string(one.ending).starts_with("TIMEOUT");
    for (bool again = true; std::exchange(again, false);) {
      test::FakePeer peer({one.answer});
      bridge::Settings settings = with_types(true);
      settings.call_timeout = std::chrono::milliseconds(times_out ? 1000 : 50'000);
      Between between(settings);
      const std::string reference = between.add(peer.ior());
      const Side client("client");
      const std::string ending = ending_of([&] { (void)client.target(reference)->echo("x"); });
      // On a loaded machine the time may be over before the request has left: once more, then.
      again = times_out && ending.starts_with("TIMEOUT NO") && ++late < 10;
      if (again) continue;
      EXPECT_EQ(ending.substr(0, std::string(one.ending).size()), one.ending);
      EXPECT_TRUE(peer.wait_for_messages(1));
      EXPECT_EQ(peer.requests(), 1U) << one.ending;
      EXPECT_EQ(between.bridge.counts().failed, std::string(one.ending).starts_with("INTERNAL") ? 0U : 1U)
          << one.ending;
    }
  }
}

/// What an exception says in words names addresses behind the bridge.
TEST(Endings, AreToldInWordsOnlyIfThatIsWanted) {
  const test::RefusingPort port;
  for (const bool on : {false, true}) {
    Between between({}, {"tcp://127.0.0.1:0"}, {"-ORBExceptionDetail", on ? "on" : "off"});
    test::RawPeer raw(port_of(between.add(test::ior_string({port.profile()}), "k")));
    ASSERT_TRUE(raw.send(test::raw_request(5, "k", "echo")));
    const auto reply = raw.message();
    ASSERT_TRUE(reply);
    std::string text;
    std::copy_if(reply->begin(), reply->end(), std::back_inserter(text), [](auto octet) { return octet != 0; });
    EXPECT_NE(text.find("TRANSIENT"), std::string::npos);
    EXPECT_EQ(text.find(port.endpoint()) != std::string::npos, on);
  }
}

/// Other clients keep the bridge's connections busy: the request that follows a oneway takes the oneway's all the same.
TEST(Endings, ARequestDoesNotOvertakeTheOnewayBeforeIt) {
  test::FakePeer peer({answer::nothing(), answer::nothing(), answer::nothing(), answer::text("x"), answer::text("y")});
  Between between;
  const std::uint16_t port = port_of(between.add(peer.ior(), "k"));
  test::RawPeer client(port), other(port), another(port);
  ASSERT_TRUE(other.send(test::raw_request(1, "k", "busy")));
  ASSERT_TRUE(peer.wait_for_messages(1));
  ASSERT_TRUE(client.send(test::raw_request(1, "k", "note", {}, 0)));
  ASSERT_TRUE(peer.wait_for_messages(2));
  ASSERT_TRUE(another.send(test::raw_request(1, "k", "busy")));
  ASSERT_TRUE(peer.wait_for_messages(3));
  for (const std::uint32_t id : {2U, 3U}) {
    ASSERT_TRUE(client.send(test::raw_request(id, "k", "noted")));
    ASSERT_TRUE(client.message());
  }
  const auto messages = peer.messages();
  EXPECT_NE(messages.at(1).connection, messages.at(0).connection);
  EXPECT_EQ(messages.at(2).connection, messages.at(1).connection) << "which is busy, too, from then on";
  EXPECT_EQ(messages.at(3).connection, messages.at(1).connection);
  EXPECT_NE(messages.at(4).connection, messages.at(1).connection) << "the oneway has been read by then";
  peer.close_all(false);  // the end does not wait for it
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

TEST(IdleConnections, EndWithTheirServer) {
  for (const char* endpoint : {"tcp://127.0.0.1:0", "shm://"}) {
    Side server("server", endpoint);
    Between between;
    auto& cache = between.orb->_core().cache();
    const Side client("client");
    const TargetRef target = client.target(between.add(server.reference(), endpoint));
    EXPECT_EQ(target->echo("x"), "x");
    ASSERT_EQ(cache.all().size(), 1U);
    std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
    EXPECT_EQ(cache.all().size(), 1U) << "while the server is there";
    EXPECT_EQ(target->echo("y"), "y");
    server.orb->shutdown(true);
    EXPECT_TRUE(test::eventually([&] { return cache.all().empty(); }));
  }
}

TEST(IdleConnections, KeepNoMemory) {
  Side server("server");
  Between between;
  const Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  const std::string text(1U << 20, 'x');
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(target->echo(text), text);
    const auto all = between.orb->_core().cache().all();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_TRUE(test::eventually([&] { return all[0]->input_size() == 0; }));
  }
  EXPECT_EQ(server.servant->calls, 2);
}

}  // namespace
}  // namespace corbel::bridge_test
