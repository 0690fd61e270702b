// SPDX-License-Identifier: Apache-2.0
// What an ORB tells of what it is made of and listens at, and of what peers say of themselves.
#include "corbel/orb/parts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "raw_peer.hpp"
#include "staged.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

TEST(PartsEvents, WhatComesAndGoes) {
  Server server;
  corbel::orb::add_transport(*server.orb, std::make_shared<Staged>());
  expect_event(server, LogLevel::info, LogModule::orb, "transport added", {{"transport", "staged"}});
  EXPECT_TRUE(corbel::orb::withdraw_transport(*server.orb, "staged"));
  expect_event(server, LogLevel::info, LogModule::orb, "transport withdrawn", {{"transport", "staged"}});
  EXPECT_TRUE(corbel::orb::withdraw_protocol(*server.orb, "giop_lite"));
  expect_event(server, LogLevel::info, LogModule::orb, "protocol withdrawn", {{"protocol", "giop_lite"}});
  corbel::orb::add_protocol(*server.orb, messaging::make_giop_lite());
  expect_event(server, LogLevel::info, LogModule::orb, "protocol added", {{"protocol", "giop_lite"}});
  corbel::orb::add_lane(*server.orb, "late", 2);
  expect_event(server, LogLevel::info, LogModule::orb, "lane added", {{"lane", "late"}});
}

TEST(PartsEvents, WhereNobodyListensAnyMore) {
  Server server;
  const auto endpoints = corbel::orb::listen(*server.orb, "tcp://127.0.0.1:0");
  ASSERT_EQ(endpoints.size(), 1U);
  EXPECT_TRUE(corbel::orb::stop_listening(*server.orb, endpoints.front()));
  expect_event(server, LogLevel::info, LogModule::transport, "listening no more", {{"endpoint", endpoints.front()}});
}

TEST(PartsEvents, AddressesThatLeadOthersNowhere) {
  const auto staged_alone = [](corbel::orb::Components& made_of) { made_of.transports = {std::make_shared<Staged>()}; };
  for (const std::string asked : {"", "staged://there", "staged://wide"}) {
    std::vector<std::string> options;
    if (!asked.empty()) options = {"-ORBListenEndpoints", asked};
    LoggingOrb server(options, "trace", staged_alone);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
    (void)poa->create_reference("IDL:Logged/Thing:1.0");
    poa->the_POAManager()->activate();
    expect_event(server, LogLevel::info, LogModule::transport, "listening",
                 {{"endpoint", "staged://"}, {"reach", "this link"}});
    constexpr const char* kEvent = "references name an address that other hosts cannot reach";
    if (asked == "staged://there") {
      EXPECT_EQ(server.log->count(kEvent), 0U) << "one asked for it";
    } else {
      expect_event(
          server, LogLevel::warning, LogModule::transport, kEvent,
          {{"endpoint", asked.empty() ? "staged://anywhere" : "staged://narrow"}, {"mend", "-ORBPublishHost"}});
    }
    EXPECT_EQ(corbel::orb::listen(*server.orb, "staged://here").size(), 1U);
    expect_event(server, LogLevel::info, LogModule::transport, "listening", {{"endpoint", "staged://here"}});
    EXPECT_EQ(server.log->count(kEvent), asked == "staged://there" ? 0U : 1U);
  }
}

// Whatever the exception becomes. Nothing stays open that would be in the way of the next attempt, or of others.
TEST(PartsEvents, ListeningThatFailsHalfway) {
  char folder[] = "/tmp/corbel-log-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string socket = std::string(folder) + "/socket", missing = std::string(folder) + "/missing/socket";
  {
    LoggingOrb server({"-ORBListenEndpoints", "unix://" + socket + ";unix://" + missing}, "trace");
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        (void)poa->create_reference("IDL:Logged/Thing:1.0");
        ADD_FAILURE() << "it listens nowhere";
      } catch (const CORBA::INITIALIZE& failure) {
        EXPECT_NE(std::string(failure.what()).find(missing), std::string::npos) << failure.what();
      }
      EXPECT_NE(::access(socket.c_str(), F_OK), 0) << "the first is closed again";
    }
    expect_event(server, LogLevel::error, LogModule::transport, "cannot listen",
                 {{"endpoint", "unix://" + missing}, {"why", "listening at"}});
    EXPECT_TRUE(eventually([&] { return server.log->count("cannot listen") == 2; }));
    EXPECT_EQ(server.log->count("listening"), 0U);
    ASSERT_EQ(::mkdir((std::string(folder) + "/missing").c_str(), 0700), 0);
    EXPECT_NE(poa->create_reference("IDL:Logged/Thing:1.0"), nullptr) << "it is tried anew";
    EXPECT_THROW(corbel::orb::listen(*server.orb, "pigeon://loft"), CORBA::BAD_PARAM);
    EXPECT_TRUE(eventually([&] { return server.log->count("cannot listen") == 3; }));
  }
  ::rmdir((std::string(folder) + "/missing").c_str());
  ::rmdir(folder);
}

/// An adapter whose objects answer over connections that this process has opened.
void serve_both_ways(const Server& server) {
  server.poa->create_POA("both", server.poa->the_POAManager(),
                         {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
}

TEST(PartsEvents, BothWaysWithASingleThread) {
  Server server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBConcurrency", "single"});
  serve_both_ways(server);
  expect_event(server, LogLevel::warning, LogModule::orb, "BidirectionalPolicy has no effect with a single thread",
               {{"option", "-ORBConcurrency"}});
}

/// A call of add(1, 2) with a service context, and that it was answered.
void call_with_context(const Target& target, std::uint32_t id, const test::Octets& data) {
  test::Writer request;
  request.giop(0, 2).u32(2).octet(3).octet(0).octet(0).octet(0).u16(0).octets(test::octets_of(target.key));
  request.string("add").u32(1).u32(id).octets(data).align(8).i32(1).i32(2);
  test::RawPeer peer(target.port);
  ASSERT_TRUE(peer.send(request.finish()));
  EXPECT_TRUE(peer.message());
}

test::Octets listen_points(std::uint32_t announced, std::uint32_t points) {
  test::Writer data;
  data.octet(1).align(4).u32(announced);
  for (std::uint32_t i = 0; i < points; ++i) data.string("192.0.2.7").u16(static_cast<std::uint16_t>(4000 + i));
  return data.written();
}

TEST(PartsEvents, ListenPointsThatAreNoneOrTooMany) {
  Server server;
  serve_both_ways(server);
  const Target target(server.reference);
  constexpr std::uint32_t kContext = 5;
  call_with_context(target, kContext, listen_points(1000, 1));
  expect_event(server, LogLevel::debug, LogModule::server, "listen points make no sense",
               {{"peer", "tcp://127.0.0.1:"}});
  EXPECT_EQ(server.log->count("too many listen points"), 0U);
  call_with_context(target, kContext, listen_points(40, 40));
  expect_event(server, LogLevel::debug, LogModule::server, "too many listen points",
               {{"peer", "tcp://127.0.0.1:"}, {"most", "32"}});
}

TEST(PartsEvents, CodeSetsThatAreNotSpokenHere) {
  Server server;
  constexpr std::uint32_t kContext = 1;
  constexpr std::uint32_t kEbcdic = 0x10020025;
  constexpr std::uint32_t kUcs2 = 0x00010100;
  call_with_context(Target(server.reference), kContext,
                    test::Writer().octet(1).align(4).u32(kEbcdic).u32(kUcs2).written());
  expect_event(server, LogLevel::warning, LogModule::messaging, "the peer's code sets are not supported",
               {{"char", std::to_string(kEbcdic)}, {"wchar", std::to_string(kUcs2)}, {"peer", "tcp://127.0.0.1:"}});
}

}  // namespace
}  // namespace corbel::log_test
