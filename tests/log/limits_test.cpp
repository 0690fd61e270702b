// SPDX-License-Identifier: Apache-2.0
// What a server tells of a client that reaches one of its limits: which limit, and whose connection that was.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <optional>

#include "connection/without_handles.hpp"
#include "corbel/orb/parts.hpp"
#include "raw_peer.hpp"
#include "staged.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

using test::Octets;
using test::raw_control;
using test::raw_request;
using test::RawPeer;

constexpr int kTinyBuffer = 4096;
constexpr std::uint32_t kMuch = 3'000'000;
constexpr const char* kPeer = "tcp://127.0.0.1:";

std::vector<std::string> with(std::vector<std::string> options) {
  options.insert(options.end(),
                 {"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBStickyConnections", "0", "-ORBSendBuffer", "4096"});
  return options;
}

Octets ask_for(const Target& target, std::uint32_t id, std::uint32_t size) {
  return raw_request(id, target.key, "big", [&](test::Writer& writer) { writer.u32(size).octet(1); });
}

Octets plain_request(const Target& target) {
  return raw_request(1, target.key, "add", [](test::Writer& writer) { writer.i32(1).i32(2); });
}

/// A peer whose request runs until the servant is opened.
RawPeer busy_peer(const Server& server, const Target& target) {
  server.servant->open(false);
  RawPeer peer(target.port);
  EXPECT_TRUE(peer.send(ask_for(target, 1, 1)));
  EXPECT_TRUE(eventually([&] { return server.servant->inside == 1; }));
  return peer;
}

/// While one exists this process cannot open anything, but in place of what it closes.
class NoDescriptors {
 public:
  NoDescriptors() {
    int highest = 0;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      highest = std::max(highest, std::stoi(each.path().filename()));
    }
    while (filling_.empty() || filling_.back().get() < highest) filling_.emplace_back(::dup(0));
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(filling_.back().get()) + 1;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  std::vector<ipc::Handle> filling_;
  rlimit before_{};
};

TEST(Limits, TooManyConnectionsThatAreAllServed) {
  const std::pair<const char*, const char*> cases[] = {{"1", "-ORBMaxConnections"},
                                                       {"100", "-ORBMaxConnectionsPerPeer"}};
  for (const auto& [most, limit] : cases) {
    Server server(with({"-ORBMaxConnections", most, "-ORBMaxConnectionsPerPeer", "1"}));
    const Target target(server.reference);
    RawPeer busy = busy_peer(server, target);
    RawPeer newcomer(target.port);
    EXPECT_EQ(newcomer.rest(), raw_control(5));
    expect_event(server, LogLevel::warning, LogModule::connection, "connection refused: too many",
                 {{"peer", kPeer}, {"connections", "1"}, {"limit", limit}});
    EXPECT_EQ(server.log->wait_for("connection refused: too many").value("limit"), limit);
    server.servant->open();
    EXPECT_TRUE(busy.message());
  }
}

TEST(Limits, TheOneIdleLongestMakesRoom) {
  Server server(with({"-ORBMaxConnections", "1", "-ORBMaxConnectionsPerPeer", "1"}));
  const Target target(server.reference);
  RawPeer first(target.port);
  ASSERT_TRUE(first.send(plain_request(target)));
  ASSERT_TRUE(first.message());
  EXPECT_TRUE(eventually([&] {  // a moment after the reply it is idle
    const RawPeer newcomer(target.port);
    return !first.silent();
  }));
  EXPECT_EQ(first.rest(), raw_control(5));
  expect_event(server, LogLevel::debug, LogModule::connection, "connection dismissed",
               {{"peer", kPeer}, {"why", "idle longest"}});
}

TEST(Limits, IdleForTooLong) {
  Server server(with({"-ORBIdleTimeout", "50"}));
  RawPeer silent(Target(server.reference).port);
  EXPECT_EQ(silent.rest(), raw_control(5));
  expect_event(server, LogLevel::debug, LogModule::connection, "connection dismissed",
               {{"peer", kPeer}, {"why", "idle for too long"}});
}

TEST(Limits, NoDescriptorsAreLeftAndNobodyIsIdle) {
  Server server(with({"-ORBMaxConnections", "1000", "-ORBMaxConnectionsPerPeer", "1000"}));
  const Target target(server.reference);
  RawPeer busy = busy_peer(server, target);
  RawPeer newcomers[2];  // what the first is refused with is there for the second, too
  std::optional<NoDescriptors> none(std::in_place);
  for (RawPeer& newcomer : newcomers) {
    EXPECT_TRUE(newcomer.connect(target.port));
    EXPECT_EQ(newcomer.rest(), raw_control(5));
  }
  none.reset();
  expect_event(server, LogLevel::warning, LogModule::connection, "connection refused: no descriptors are left",
               {{"peer", kPeer}});
}

TEST(Limits, MoreServiceContextsThanTheServerTakes) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBMaxServiceContexts", "0"});
  const LoggingOrb client({});
  const auto thing = client.thing(server.reference);
  try {
    thing->say("hello");  // the first tells the code sets
    ADD_FAILURE();
  } catch (const CORBA::IMP_LIMIT& refused) {
    EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_NO);
  }
  expect_event(server, LogLevel::warning, LogModule::messaging, "the header of a message is beyond a limit",
               {{"peer", kPeer}, {"message", "request"}, {"limit", "-ORBMaxServiceContexts"}});
  EXPECT_EQ(thing->say("hello"), "hello") << "the connection is still there";
  // Of a oneway nobody hears; what follows is served.
  Server usual({"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const Target target(usual.reference);
  RawPeer peer(target.port);
  test::Writer writer;
  writer.giop(0, 2).u32(1).octet(0).octet(0).octet(0).octet(0).u16(0);
  writer.octets(test::octets_of(target.key)).string("note").u32(257);
  for (std::uint32_t i = 0; i < 257; ++i) writer.u32(0x4142).octets(test::octets_of("of no use"));
  ASSERT_TRUE(peer.send(writer.align(8).i32(0).finish()));
  ASSERT_TRUE(peer.send(plain_request(target)));
  EXPECT_TRUE(peer.message());
}

TEST(Limits, HalfAMessage) {
  Server server(with({"-ORBMessageTimeout", "50"}));
  RawPeer half(Target(server.reference).port);
  ASSERT_TRUE(half.send(test::octets_of("GIOP\1\2")));
  EXPECT_EQ(half.rest(), raw_control(5));
  expect_event(server, LogLevel::warning, LogModule::connection,
               "connection closed: half a message, and no more in time",
               {{"peer", kPeer}, {"limit", "-ORBMessageTimeout"}});
}

TEST(Limits, TheMemoryOfWhatComesIn) {
  Server server(with({"-ORBMaxInputMemory", "2000000"}));
  const Target target(server.reference);
  Octets half = raw_request(1, target.key, "say", [](test::Writer& w) { w.string(std::string(1'500'000, 'x')); });
  half.resize(1'200'000);
  std::list<RawPeer> peers;
  for (int i = 0; i < 4; ++i) {
    peers.emplace_back(target.port);
    ASSERT_TRUE(peers.back().send(half));
  }
  expect_event(server, LogLevel::warning, LogModule::connection,
               "connection cut: incoming messages take too much memory",
               {{"peer", kPeer}, {"octets", ""}, {"limit", "-ORBMaxInputMemory"}});
}

// Empty lists are four octets each on the wire, and six times that in memory.
TEST(Limits, TheMemoryOfValues) {
  constexpr std::uint32_t kLists = 64U << 10;
  Server server(with({"-ORBMaxInputMemory", "2000000"}));
  const Target target(server.reference);
  const Octets request = raw_request(1, target.key, "keep", [](test::Writer& writer) {
    writer.u32(kLists);
    for (std::uint32_t i = 0; i < kLists; ++i) writer.u32(0);
  });
  server.servant->open(false);
  RawPeer first(target.port);
  ASSERT_TRUE(first.send(request));
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 1; }));
  RawPeer second(target.port);
  ASSERT_TRUE(second.send(request));
  EXPECT_TRUE(second.message());
  expect_event(
      server, LogLevel::warning, LogModule::server, "request refused: values of messages take too much memory",
      {{"operation", "keep"}, {"peer", kPeer}, {"octets", ""}, {"oneway", "false"}, {"limit", "-ORBMaxInputMemory"}});
  server.servant->open();
  EXPECT_TRUE(first.message());
}

TEST(Limits, TheTimeForTakingReplies) {
  Server server(with({"-ORBServerSendTimeout", "100"}));
  const Target target(server.reference);
  RawPeer slow(target.port, kTinyBuffer);
  ASSERT_TRUE(slow.send(ask_for(target, 1, kMuch)));
  expect_event(server, LogLevel::warning, LogModule::connection, "connection cut: its replies are not read",
               {{"peer", kPeer}, {"limit", "-ORBServerSendTimeout"}});
}

TEST(Limits, TheRepliesThatWaitForOne) {
  Server server(
      with({"-ORBMaxReplyBacklog", "4000000"}));  // what waits of the first is less, with the second it is more
  const Target target(server.reference);
  server.servant->open(false);
  RawPeer slow(target.port, kTinyBuffer);
  for (std::uint32_t id = 1; id <= 2; ++id) ASSERT_TRUE(slow.send(ask_for(target, id, kMuch)));
  ASSERT_TRUE(eventually([&] { return server.servant->inside == 2; }));
  server.servant->open();
  expect_event(server, LogLevel::warning, LogModule::connection, "connection cut: its replies are not read",
               {{"peer", kPeer}, {"octets", ""}, {"limit", "-ORBMaxReplyBacklog"}});
}

TEST(Limits, TheRepliesThatWaitForAll) {
  Server server(with({"-ORBMaxReplyMemory", "4000000"}));
  const Target target(server.reference);
  std::list<RawPeer> slow;
  for (int i = 1; i <= 2; ++i) {
    slow.emplace_back(target.port, kTinyBuffer);
    ASSERT_TRUE(slow.back().send(ask_for(target, 1, kMuch)));
    ASSERT_TRUE(eventually([&] { return server.servant->inside == i; }));
  }
  expect_event(server, LogLevel::warning, LogModule::connection, "connection cut: unread replies take too much memory",
               {{"peer", kPeer}, {"octets", ""}, {"limit", "-ORBMaxReplyMemory"}});
}

// Where servants expect one thread, there is no other that could read.
TEST(Limits, ACarrierWithoutAHandle) {
  Server server(with({"-ORBConcurrency", "single"}));
  std::thread runner([&] { server.orb->run(); });
  const auto carrier = std::make_shared<connection::WithoutHandles>();
  corbel::orb::add_transport(*server.orb, carrier);
  ASSERT_EQ(corbel::orb::listen(*server.orb, "bare://limits").size(), 1U);
  const auto deadline = base::Deadline::after(std::chrono::seconds(10));
  const auto client = carrier->make_connector()->connect(**carrier->parse("limits"), {}, deadline);
  EXPECT_TRUE(client);
  expect_event(server, LogLevel::warning, LogModule::connection,
               "connection refused: its carrier needs a thread of its own", {{"peer", ""}, {"error", "not supported"}});
  server.orb->shutdown(false);
  runner.join();
}

TEST(Limits, AcceptingThatFails) {
  Server server(with({}));
  corbel::orb::add_transport(*server.orb, std::make_shared<Staged>());
  ASSERT_EQ(corbel::orb::listen(*server.orb, "staged://here").size(), 1U);
  expect_event(server, LogLevel::warning, LogModule::connection, "accepting goes on in a moment",
               {{"endpoint", "staged://here"}, {"error", "unreachable"}});
}

}  // namespace
}  // namespace corbel::log_test
