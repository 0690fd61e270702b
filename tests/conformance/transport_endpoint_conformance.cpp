// SPDX-License-Identifier: Apache-2.0
#include "conformance/transport_helpers.hpp"

namespace corbel::conformance {
namespace {

ior::ProfileBase sample_base(std::uint8_t minor) {
  ior::ProfileBase base;
  base.version = {1, minor};
  base.object_key = {0xff, 'k', 'e', 'y', 0, 1};
  if (minor > 0)
    base.components.push_back(
        {static_cast<std::uint32_t>(ior::ComponentTag::orb_type), {1, 0, 0, 0, 0, 'L', 'B', 'C'}});
  return base;
}

}  // namespace

// --- connecting and accepting ---

TEST_P(TransportConformance, AcceptingNobodyWouldBlock) {
  if (is_group()) GTEST_SKIP() << "one carrier hears everybody";
  acceptor_ = listen();
  const auto nobody = acceptor_->accept();
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::would_block);
}

TEST_P(TransportConformance, ConnectingWhereNobodyListensFailsAtOnce) {
  if (!connects()) GTEST_SKIP() << "connecting asks nobody";
  for (const Deadline deadline : {Deadline::none(), Deadline::after(kPatience)}) {
    base::Error error;
    for (int tries = 0; tries < 5 && error.code != Code::refused; ++tries) {  // another process may get the port
      auto acceptor = listen();
      const EndpointPtr there = acceptor->endpoints().front();
      acceptor->close();
      acceptor->close();
      const auto refused = connector_->connect(*there, {}, deadline);
      error = refused ? base::Error() : refused.error();
    }
    EXPECT_EQ(error.stage, Stage::connect);
    EXPECT_TRUE(error.code == Code::refused || error.code == Code::unreachable) << base::to_string(error);
  }
}

TEST_P(TransportConformance, ConnectingToAnAddressThatDoesNotExistIsUnreachable) {
  if (GetParam().nowhere.empty()) GTEST_SKIP() << "there is no such address";
  const auto nowhere = connector_->connect(*endpoint(GetParam().nowhere), {}, Deadline::after(kPatience));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::unreachable) << base::to_string(nowhere.error());
}

TEST_P(TransportConformance, AFullAcceptQueueEndsAConnectAtItsDeadline) {
  if (!connects()) GTEST_SKIP() << "connecting asks nobody";
  Options options = GetParam().options;
  options.backlog = 1;
  acceptor_ = listen(options);
  std::vector<std::unique_ptr<Transport>> clients;
  for (int i = 0; i < 16; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    auto connected = connector_->connect(*acceptor_->endpoints().front(), {}, Deadline::after(80ms));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    if (!connected) {
      EXPECT_EQ(connected.error().code, Code::timed_out) << base::to_string(connected.error());
      EXPECT_EQ(connected.error().stage, Stage::connect);
      return;
    }
    clients.push_back(*std::move(connected));
  }
  FAIL() << "the queue never filled";
}

TEST_P(TransportConformance, ManyPeersTalkSideBySide) {
  if (is_group()) GTEST_SKIP() << "one carrier hears everybody";
  acceptor_ = listen();
  constexpr std::uint32_t kPeers = 100;
  std::vector<std::unique_ptr<Transport>> clients, servers;
  for (std::uint32_t i = 0; i < kPeers; ++i) {
    std::unique_ptr<Transport> accepted;
    clients.push_back(connect_to(*acceptor_, accepted));
    servers.push_back(std::move(accepted));
    ASSERT_TRUE(clients.back() && servers.back());
  }
  for (std::uint32_t i = 0; i < kPeers; ++i) ASSERT_TRUE(send(*clients[i], pattern(500, i)));
  for (std::uint32_t i = 0; i < kPeers; ++i) EXPECT_EQ(receive(*servers[i], 500), pattern(500, i));
}

TEST_P(TransportConformance, ConnectsFromManyThreadsAtOnce) {
  if (is_group()) GTEST_SKIP() << "one carrier hears everybody";
  acceptor_ = listen();
  const EndpointPtr there = acceptor_->endpoints().front();
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint32_t i = 0; i < 8; ++i) {
    workers.push_back(std::make_unique<Worker>([&] {
      auto connected = connector_->connect(*there, {}, Deadline::after(kPatience));
      ASSERT_TRUE(connected);
      EXPECT_TRUE(send(**connected, pattern(10)));
    }));
  }
  for (int i = 0; i < 8; ++i) {
    auto peer = accept(*acceptor_);
    ASSERT_TRUE(peer);
    EXPECT_EQ(receive(*peer, 10), pattern(10));
  }
}

TEST_P(TransportConformance, TwoListenersCannotShareAnEndpoint) {
  if (is_group()) GTEST_SKIP() << "many listen to a group";
  acceptor_ = listen();
  const auto second = factory_->listen(*acceptor_->endpoints().front(), {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::address_in_use);
  EXPECT_EQ(second.error().stage, Stage::listen);
}

TEST_P(TransportConformance, AnEndpointIsFreeAgainAfterClose) {
  bool is_free = false;
  for (int tries = 0; tries < 5 && !is_free; ++tries) {  // another process may get the port
    auto first = listen();
    const EndpointPtr there = first->endpoints().front();
    first->close();
    is_free = factory_->listen(*there, {}).ok();
  }
  EXPECT_TRUE(is_free);
}

TEST_P(TransportConformance, WhoWaitsIsAcceptedThoughMoreAreRefused) {
  if (!connects()) GTEST_SKIP() << "nobody waits";
  acceptor_ = listen();
  const EndpointPtr there = acceptor_->endpoints().front();
  Worker connecting([&] { client_ = connect(*there); });
  ASSERT_TRUE(becomes_ready(acceptor_->handle()));
  acceptor_->refuse_more();
  server_ = accept(*acceptor_);
  connecting.join();
  ASSERT_TRUE(client_ && server_);
  ASSERT_TRUE(send(*client_, pattern(100)));
  EXPECT_EQ(receive(*server_, 100), pattern(100));
  const auto scheme = factory_->scheme();
  const bool is_local = scheme == "unix" || scheme == "packet" || scheme == "shm";
  if (!is_local && scheme != "tcp" && scheme != "tls") return;
  const auto patience = is_local ? kPatience : base::Duration(std::chrono::milliseconds(50));
  const auto more = connector_->connect(*there, {}, Deadline::after(patience));
  ASSERT_FALSE(more);
  if (more.error().code != Code::refused) {
    EXPECT_EQ(more.error().code, is_local ? Code::refused : Code::timed_out);
  }
  const auto nobody = acceptor_->accept();
  ASSERT_FALSE(nobody);
  EXPECT_TRUE(nobody.error().code == Code::would_block || nobody.error().code == Code::cancelled);
}

TEST_P(TransportConformance, TellsBothEndsForDiagnostics) {
  connect_pair();
  const std::string prefix = std::string(factory_->scheme()) + "://";
  for (const auto* end : {client_.get(), server_.get()}) {
    EXPECT_TRUE(end->local().starts_with(prefix)) << end->local();
    EXPECT_TRUE(end->peer().starts_with(prefix)) << end->peer();
  }
  EXPECT_GT(client_->peer().size(), prefix.size());
}

TEST_P(TransportConformance, WhatIsMadeHasTheTraitsThatTheFactoryAnnounced) {
  connect_pair();
  const Traits announced = factory_->traits();
  EXPECT_EQ(announced.byte_stream, announced.largest_message == 0) << "who keeps messages says how large they may be";
  for (const auto* end : {client_.get(), server_.get()}) {
    const Traits traits = end->traits();
    EXPECT_EQ(traits.byte_stream, announced.byte_stream);
    EXPECT_EQ(traits.reliable, announced.reliable);
    EXPECT_EQ(traits.ordered, announced.ordered);
    EXPECT_EQ(traits.shakes_hands, announced.shakes_hands);
    EXPECT_EQ(traits.largest_message == 0, announced.byte_stream);
    EXPECT_LE(traits.largest_message, announced.largest_message);
  }
}

TEST_P(TransportConformance, ConnectionsOfOneConnectorHaveOptionsOfTheirOwn) {
  if (is_group()) GTEST_SKIP() << "one carrier hears everybody";
  acceptor_ = listen();
  transport::ConnectionOptions odd;
  odd.send_buffer = odd.receive_buffer = 16384;
  odd.no_delay = odd.keep_alive = false;
  odd.spin = 20us;
  for (const auto& options : {transport::ConnectionOptions(), odd, transport::ConnectionOptions()}) {
    client_ = connect_to(*acceptor_, server_, options);
    ASSERT_TRUE(client_ && server_);
    ASSERT_TRUE(send(*client_, pattern(3000)));
    EXPECT_EQ(receive(*server_, 3000), pattern(3000));
  }
}

TEST_P(TransportConformance, ListensWhereItSaysItDoesByDefault) {
  const auto address = factory_->default_address();
  if (!address) GTEST_SKIP() << "does not listen unless told to";
  const auto opened = factory_->listen(*endpoint(*address), {});
  ASSERT_TRUE(opened) << base::to_string(opened.error());
  EXPECT_FALSE((*opened)->endpoints().empty());
}

// --- endpoints ---

TEST_P(TransportConformance, EqualAddressesHaveEqualText) {
  const std::string prefix = std::string(factory_->scheme()) + "://";
  for (const auto& [address, canonical] : GetParam().spelled) {
    const EndpointPtr parsed = endpoint(address);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->text(), prefix + canonical);
    EXPECT_EQ(parsed->scheme(), factory_->scheme());
    EXPECT_EQ(endpoint(canonical)->text(), parsed->text()) << "the text reads back as itself";
  }
}

TEST_P(TransportConformance, RefusesBadAddresses) {
  for (const std::string& address : GetParam().bad) {
    const auto parsed = factory_->parse(address);
    ASSERT_FALSE(parsed) << address;
    EXPECT_EQ(parsed.error().stage, Stage::resolve);
    EXPECT_TRUE(parsed.error().code == Code::bad_argument || parsed.error().code == Code::too_large) << address;
  }
}

TEST_P(TransportConformance, RefusesEndpointsOfOtherTransports) {
  class Foreign final : public transport::Endpoint {
   public:
    std::string_view scheme() const noexcept override { return "foreign"; }
    const std::string& text() const noexcept override { return text_; }

   private:
    std::string text_ = "foreign://somewhere";
  } foreign;
  const auto connected = connector_->connect(foreign, {}, Deadline::after(kPatience));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error(), base::error(Stage::connect, Code::bad_argument));
  const auto listening = factory_->listen(foreign, {});
  ASSERT_FALSE(listening);
  EXPECT_EQ(listening.error(), base::error(Stage::listen, Code::bad_argument));
}

TEST_P(TransportConformance, PublishedEndpointsReadBack) {
  acceptor_ = listen();
  ASSERT_FALSE(acceptor_->endpoints().empty());
  for (const EndpointPtr& each : acceptor_->endpoints()) {
    const std::string address = each->text().substr(factory_->scheme().size() + 3);
    EXPECT_EQ(endpoint(address)->text(), each->text());
  }
}

// --- profiles ---

TEST_P(TransportConformance, DecodesTheProfilesItPublishes) {
  if (is_group()) GTEST_SKIP() << "listening publishes nothing";
  acceptor_ = listen();
  const auto endpoints = acceptor_->endpoints();
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
    std::vector<ior::TaggedProfile> profiles;
    const ior::ProfileBase base = sample_base(minor);
    if (!factory_->publish(endpoints, base, profiles)) {
      EXPECT_TRUE(profiles.empty());
      continue;
    }
    ASSERT_FALSE(profiles.empty());
    std::size_t found = 0;
    for (const auto& profile : profiles) {
      const auto reachable = factory_->decode(profile, {});
      ASSERT_TRUE(reachable) << base::to_string(reachable.error());
      EXPECT_EQ(reachable->protocol, "giop");
      EXPECT_EQ(reachable->base.version, base.version);
      EXPECT_EQ(reachable->base.object_key, base.object_key);
      EXPECT_EQ(ior::find_component(reachable->base.components, ior::ComponentTag::orb_type) != nullptr, minor > 0);
      for (const auto& each : reachable->endpoints) {
        for (const auto& wanted : endpoints) found += each->text() == wanted->text() ? 1 : 0;
      }
    }
    EXPECT_GE(found, endpoints.size());
    const auto published = factory_->decode(profiles.front(), {})->endpoints.front();
    Worker connecting([&] { EXPECT_TRUE(connect(*published) != nullptr); });
    EXPECT_TRUE(accept(*acceptor_));
  }
}

TEST_P(TransportConformance, LeavesForeignProfilesAlone) {
  const auto foreign = factory_->decode({0x12345678, {1, 2, 3}}, {});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, Code::unsupported);
}

TEST_P(TransportConformance, SurvivesHostileProfiles) {
  acceptor_ = listen();
  std::vector<ior::TaggedProfile> profiles;
  (void)factory_->publish(acceptor_->endpoints(), sample_base(2), profiles);
  for (const auto& profile : profiles) {
    for (std::size_t size = 0; size < profile.data.size(); ++size) {
      auto cut = profile;
      cut.data.resize(size);
      (void)factory_->decode(cut, {}).ok();
      for (const base::Octet octet : Bytes{0x00, 0x01, 0x7f, 0x80, 0xff}) {
        auto mutated = profile;
        mutated.data[size] = octet;
        (void)factory_->decode(mutated, {}).ok();
      }
    }
  }
  for (const std::uint32_t tag : {0U, 0x54414f00U}) {
    for (std::uint32_t seed = 0; seed < 200; ++seed) (void)factory_->decode({tag, pattern(seed, seed)}, {}).ok();
  }
}

TEST_P(TransportConformance, AcceptingShakesNoHandsAndHandshakeNeverBlocks) {
  if (!factory_->traits().shakes_hands) GTEST_SKIP() << "shakes no hands";
  acceptor_ = listen();
  // A connection that this thread does not help cannot get further than its time allows.
  const auto connected = connector_->connect(*acceptor_->endpoints().front(), {}, Deadline::after(50ms));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error(), base::error(Stage::connect, Code::timed_out));
  ASSERT_TRUE(becomes_ready(acceptor_->handle()));
  auto accepted = acceptor_->accept();
  ASSERT_TRUE(accepted);
  // The other end has gone. Whether it had said its part is the carrier's affair; it must come to an end.
  base::Status shaken = shake_on(**accepted);
  for (int i = 0; i < 100 && !shaken && shaken.error().code == Code::would_block; ++i) {
    ASSERT_TRUE(becomes_ready(**accepted));
    shaken = shake_on(**accepted);
  }
  EXPECT_TRUE(shaken || shaken.error().code != Code::would_block);
}

// --- which peer is there ---

TEST_P(TransportConformance, AProcessOfThisHostIsTheOneThatConnected) {
  connect_pair();
  for (const auto* end : {client_.get(), server_.get()}) {
    const auto identity = end->identity();
    if (!identity.process) continue;
    EXPECT_EQ(identity.process->id, ::getpid());
    EXPECT_EQ(identity.process->user, ::geteuid());
    EXPECT_EQ(identity.process->group, ::getegid());
  }
}

// --- waiting by handle ---

TEST_P(TransportConformance, TheHandleOrTheCarrierTellsThatThereIsSomethingToReceive) {
  connect_pair();
  EXPECT_EQ(server_->handle(), server_->handle());
  EXPECT_FALSE(ready(*server_));
  const std::size_t part = is_stream() ? 4 : 10;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(send(*client_, pattern(10)));
    if (!is_stream()) {
      ASSERT_TRUE(send(*client_, pattern(10)));
    }
    EXPECT_TRUE(becomes_ready(*server_));
    EXPECT_EQ(receive(*server_, part).size(), part);
    EXPECT_TRUE(becomes_ready(*server_)) << "part of the data is still there";
    EXPECT_EQ(receive(*server_, is_stream() ? 6 : 10).size(), is_stream() ? 6U : 10U);
    EXPECT_FALSE(ready(*server_));
  }
  if (!connects()) return;
  client_->shutdown();
  EXPECT_TRUE(becomes_ready(*server_)) << "the end of the stream";
  Bytes room(std::max<std::size_t>(server_->traits().largest_message, 1));
  EXPECT_FALSE(server_->receive(room, Deadline::after(kPatience)));
}

TEST_P(TransportConformance, DataThatCameBeforeTheHandleWasAskedForMakesItReadable) {
  connect_pair();
  ASSERT_TRUE(send(*client_, pattern(10)));
  EXPECT_TRUE(becomes_ready(*server_));
  EXPECT_EQ(receive(*server_, 10), pattern(10));
}

TEST_P(TransportConformance, AReceiveThatWaitsIsWokenByWhatComes) {
  connect_pair();
  Worker receiver([&] { EXPECT_EQ(receive(*server_, 10), pattern(10)); });
  receiver.until_asleep();
  ASSERT_TRUE(send(*client_, pattern(10)));
}

TEST_P(TransportConformance, TheAcceptorsHandleIsReadableWhilePeersWait) {
  if (is_group()) GTEST_SKIP() << "one carrier hears everybody";
  acceptor_ = listen();
  EXPECT_FALSE(ready(acceptor_->handle()));
  std::vector<std::unique_ptr<Worker>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(
        std::make_unique<Worker>([&] { EXPECT_TRUE(connect(*acceptor_->endpoints().front()) != nullptr); }));
  }
  std::vector<std::unique_ptr<Transport>> peers;
  for (int i = 0; i < 3; ++i) {
    if (i == 0 || connects()) {
      EXPECT_TRUE(becomes_ready(acceptor_->handle()));
    }
    peers.push_back(accept(*acceptor_));
    EXPECT_TRUE(peers.back());
  }
  EXPECT_FALSE(ready(acceptor_->handle()));
}

}  // namespace corbel::conformance
