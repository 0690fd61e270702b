// SPDX-License-Identifier: Apache-2.0
// What an ORB tells of what it is made of and listens at, and of what peers say of themselves.
#include "corbel/orb/parts.hpp"
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
  for (const bool asked : {false, true}) {
    std::vector<std::string> options;
    if (asked) options = {"-ORBListenEndpoints", "staged://there"};
    LoggingOrb server(options, "trace", staged_alone);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server.orb->resolve_initial_references("RootPOA"));
    (void)poa->create_reference("IDL:Logged/Thing:1.0");
    poa->the_POAManager()->activate();
    expect_event(server, LogLevel::info, LogModule::transport, "listening",
                 {{"endpoint", "staged://"}, {"reach", "this link"}});
    constexpr const char* kEvent = "references name an address that other hosts cannot reach";
    if (asked) {
      EXPECT_EQ(server.log->count(kEvent), 0U);
    } else {
      expect_event(server, LogLevel::warning, LogModule::transport, kEvent,
                   {{"endpoint", "staged://anywhere"}, {"mend", "-ORBPublishHost"}});
    }
  }
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
