// SPDX-License-Identifier: Apache-2.0
// What the policies of single references make of connections.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <thread>

#include "corbel/corba/transport_policy.hpp"
#include "support.hpp"

namespace corbel::policies_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;
using policy::TransportOptions;

PolicyRef options(TransportOptions wanted) {
  return CORBA::make_reference<TransportOptionsPolicy>(std::move(wanted));
}

constexpr int kMostDescriptors = 1024;

/// The sockets of this process that are connected to the port of this host; 0: to any.
std::vector<int> connected_to(std::uint16_t port) {
  std::vector<int> found;
  for (int handle = 0; handle < kMostDescriptors; ++handle) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(handle, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET) continue;
    if (port == 0 || ntohs(peer.sin_port) == port) found.push_back(handle);
  }
  return found;
}

int option(int handle, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(handle, level, name, &value, &size), 0);
  return value;
}

/// "no_delay keep_alive", then the octets of both buffers as Linux has them: twice what was asked for.
std::string shown(int handle) {
  return std::string(option(handle, IPPROTO_TCP, TCP_NODELAY) != 0 ? "no_delay " : "delay ") +
         (option(handle, SOL_SOCKET, SO_KEEPALIVE) != 0 ? "keep_alive " : "- ") +
         std::to_string(option(handle, SOL_SOCKET, SO_SNDBUF)) + ' ' +
         std::to_string(option(handle, SOL_SOCKET, SO_RCVBUF));
}

/// The message of what a call throws, with its name.
template <class F>
std::string told_by(const F& call) {
  try {
    call();
  } catch (const CORBA::SystemException& exception) {
    return exception.what();
  }
  return "done";
}

class TransportPolicies : public ::testing::Test {
 protected:
  /// How the connections to the peer are set.
  std::vector<std::string> sockets() const {
    std::vector<std::string> all;
    for (const int handle : connected_to(peer_.port())) all.push_back(shown(handle));
    std::sort(all.begin(), all.end());
    return all;
  }
  static constexpr const char* kSizes = " 131072 262144";

  FakePeer peer_{{answer::text("yes")}};
  Orb orb_{{"-ORBSendBuffer", "65536", "-ORBReceiveBuffer", "131072"}};
  ThingRef thing_ = orb_.thing(peer_.ior());
};

TEST_F(TransportPolicies, ReachTheSocketOfTheReferenceThatHasThem) {
  EXPECT_EQ(thing_->ask(""), "yes");
  EXPECT_EQ(sockets(), std::vector<std::string>{std::string("no_delay keep_alive") + kSizes});
  const ThingRef other = with_policies(
      thing_,
      {options(
          {{"no_delay", "off"}, {"keep_alive", "off"}, {"send_buffer_size", "20000"}, {"recv_buffer_size", "30000"}})});
  EXPECT_EQ(other->ask(""), "yes");
  EXPECT_EQ(sockets(), (std::vector<std::string>{"delay - 40000 60000", std::string("no_delay keep_alive") + kSizes}));
}

TEST_F(TransportPolicies, ConnectionsAreSharedByThoseWhoWantTheSame) {
  const ThingRef slow = with_policies(thing_, {options({{"no_delay", "off"}, {"keep_alive", "on"}})});
  const ThingRef also_slow = with_policies(thing_, {options({{"keep_alive", "on"}, {"no_delay", "off"}})});
  const ThingRef explicit_default = with_policies(thing_, {options({{"no_delay", "on"}})});
  EXPECT_EQ(thing_->ask(""), "yes");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(slow->ask(""), "yes");
    EXPECT_EQ(also_slow->ask(""), "yes");
    EXPECT_EQ(also_slow->async_ask("").get(), "yes");
    EXPECT_EQ(thing_->ask(""), "yes");
  }
  EXPECT_EQ(peer_.connections(), 2U);
  EXPECT_EQ(explicit_default->ask(""), "yes");
  EXPECT_EQ(peer_.connections(), 3U);
}

TEST_F(TransportPolicies, OfTheOrbAndOfThreadsHoldFromTheNextCallOn) {
  EXPECT_EQ(thing_->ask(""), "yes");
  orb_.manager()->set_policy_overrides({options({{"no_delay", "off"}})}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing_->ask(""), "yes");
  EXPECT_EQ(sockets(), (std::vector<std::string>{std::string("delay keep_alive") + kSizes,
                                                 std::string("no_delay keep_alive") + kSizes}));
  std::thread([&] {
    orb_.current()->set_policy_overrides({options({{"keep_alive", "off"}})}, SetOverrideType::SET_OVERRIDE);
    EXPECT_EQ(thing_->ask(""), "yes");
    EXPECT_EQ(sockets().size(), 3U);
    EXPECT_EQ(sockets().back(), std::string("no_delay keep_alive") + kSizes);
    EXPECT_EQ(sockets()[1], std::string("no_delay -") + kSizes);
  }).join();
  EXPECT_EQ(thing_->ask(""), "yes");  // with those of the ORB again
  orb_.manager()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  EXPECT_EQ(thing_->ask(""), "yes");
  EXPECT_EQ(peer_.connections(), 3U);
}

TEST_F(TransportPolicies, SurviveAForwardAndANewConnection) {
  FakePeer away{{answer::text("away")}};
  const ThingRef slow = with_policies(thing_, {options({{"no_delay", "off"}})});
  peer_.set({answer::forward({away.profile()})});
  EXPECT_EQ(slow->ask(""), "away");
  ASSERT_EQ(connected_to(away.port()).size(), 1U);
  EXPECT_EQ(option(connected_to(away.port())[0], IPPROTO_TCP, TCP_NODELAY), 0);
  away.close_all(true);
  ASSERT_TRUE(away.wait_for_open(0));
  EXPECT_EQ(slow->ask(""), "away");
  EXPECT_EQ(away.connections(), 2U);
  EXPECT_EQ(option(connected_to(away.port()).back(), IPPROTO_TCP, TCP_NODELAY), 0);
}

TEST_F(TransportPolicies, ThatNoTransportOfTheReferenceHasAreRefusedInWords) {
  const auto ask_with = [&](const char* name, const char* value) {
    const ThingRef other = with_policies(thing_, {options({{name, value}})});
    EXPECT_EQ(ending_of([&] { other->ask(""); }), "INV_POLICY NO");
    EXPECT_EQ(ending_of([&] { other->async_ask("").get(); }), "INV_POLICY NO");
    EXPECT_EQ(ending_of([&] { other->note(1); }), "INV_POLICY NO");
    return told_by([&] { other->ask(""); });
  };
  EXPECT_NE(
      ask_with("nodelay", "on")
          .find(
              "transport 'tcp' has no option 'nodelay'; it has send_buffer_size, "
              "recv_buffer_size, dscp, socket_priority, pacing_rate, time_to_live, no_delay, keep_alive, unsent_limit"),
      std::string::npos);
  EXPECT_NE(ask_with("no_delay", "yes")
                .find("transport 'tcp': 'yes' is no value of option 'no_delay', which takes on "
                      "or off"),
            std::string::npos);
  for (const char* const size : {"-1", "64k", "", "1073741825"}) ask_with("send_buffer_size", size);
  EXPECT_EQ(peer_.connections(), 0U);
  EXPECT_EQ(thing_->ask(""), "yes");
}

TEST(TransportPolicy, HoldsAnOptionOnceAndKnowsItsType) {
  EXPECT_THROW(options({}), CORBA::BAD_PARAM);
  EXPECT_THROW(options({{"", "on"}}), CORBA::BAD_PARAM);
  EXPECT_THROW(options({{"a", "1"}, {"b", "1"}, {"a", "1"}}), CORBA::BAD_PARAM);
  const PolicyRef policy = options({{"b", "1"}, {"a", "2"}});
  const auto copy = IDL::traits<TransportOptionsPolicy>::narrow(policy->copy());
  EXPECT_EQ(copy->options(), (TransportOptions{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(copy->policy_type(), TRANSPORT_OPTIONS_POLICY_TYPE);
  EXPECT_TRUE(policy->_is_a("IDL:corbel.org/TransportOptionsPolicy:1.0"));
}

TEST(TransportPolicy, IsMadeOfText) {
  const Orb orb;
  CORBA::Any any;
  any <<= std::string("no_delay=off,send_buffer_size=65536");
  const auto policy = orb->create_policy(TRANSPORT_OPTIONS_POLICY_TYPE, any);
  EXPECT_EQ(IDL::traits<TransportOptionsPolicy>::narrow(policy)->options(),
            (TransportOptions{{"no_delay", "off"}, {"send_buffer_size", "65536"}}));
  for (const char* const bad : {"", "no_delay", "=on", "a=1,a=2", ",", "a=1,b"}) {
    any <<= std::string(bad);
    EXPECT_THROW((void)orb->create_policy(TRANSPORT_OPTIONS_POLICY_TYPE, any), CORBA::PolicyError) << bad;
  }
  any <<= std::uint32_t{1};
  EXPECT_THROW((void)orb->create_policy(TRANSPORT_OPTIONS_POLICY_TYPE, any), CORBA::PolicyError);
}

struct YesServant final : CORBA::servant_traits<Policies::Thing>::base_type {
  std::string ask(const std::string&) override { return "yes"; }
  void note(std::int32_t) override {}
};

/// Over a transport that has some of the options, but not others.
TEST(TransportPolicy, LeavesAsideTransportsWithoutTheOption) {
  const Orb server({"-ORBListenEndpoints", "tcp://127.0.0.1:0;unix://", "-ORBCollocation", "off"});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const std::string ior = server->object_to_string(CORBA::make_reference<YesServant>()->_this());
  const Orb client;
  const ThingRef thing = client.thing(ior);
  const std::size_t before = connected_to(0).size();
  const auto tcp_sockets = [&] { return connected_to(0).size() - before; };
  // Local sockets come first, but have no keep_alive.
  EXPECT_EQ(thing->ask(""), "yes");
  EXPECT_EQ(tcp_sockets(), 0U);
  const ThingRef sized = with_policies(thing, {options({{"send_buffer_size", "20000"}})});
  EXPECT_EQ(sized->ask(""), "yes");
  EXPECT_EQ(tcp_sockets(), 0U);
  const ThingRef kept = with_policies(thing, {options({{"keep_alive", "on"}})});
  EXPECT_EQ(kept->ask(""), "yes");
  EXPECT_EQ(tcp_sockets(), 2U);  // both ends are here
}

/// The sockets of this process that are connected to an address of this host.
std::size_t connected_to_host(const char* host) {
  std::size_t found = 0;
  for (int handle = 0; handle < kMostDescriptors; ++handle) {
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(handle, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET) continue;
    if (peer.sin_addr.s_addr == ::inet_addr(host)) ++found;
  }
  return found;
}

/// Two endpoints in one profile, of which the first promises what a radio carries.
TEST(TransportPolicy, ChoosesEndpointsByTheBandwidthThatReferencesPromise) {
  constexpr const char* kFast = "127.0.0.3";
  const Orb server({"-ORBListenEndpoints", "tcp://127.0.0.1:0?bandwidth=64;tcp://127.0.0.3:0?bandwidth=100000"});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const std::string ior = server->object_to_string(CORBA::make_reference<YesServant>()->_this());
  const auto with = [&](const ThingRef& thing, const char* name, const char* value) {
    return with_policies(thing, {options({{name, value}})});
  };
  const auto goes_fast = [&](const char* name, const char* value) {
    const Orb client({"-ORBCollocation", "off"});
    EXPECT_EQ(with(client.thing(ior), name, value)->ask(""), "yes");
    return connected_to_host(kFast) == 1;
  };
  EXPECT_FALSE(goes_fast("gather_threshold", "1")) << "the first endpoint is the first that is tried";
  EXPECT_FALSE(goes_fast("least_bandwidth", "64"));
  EXPECT_TRUE(goes_fast("least_bandwidth", "65"));
  EXPECT_TRUE(goes_fast("preferred_bandwidth", "65"));
  EXPECT_FALSE(goes_fast("preferred_bandwidth", "100001")) << "a preference falls back";

  const Orb client({"-ORBCollocation", "off"});
  const ThingRef thing = client.thing(ior);
  const ThingRef faster = with(thing, "least_bandwidth", "100001");
  EXPECT_EQ(ending_of([&] { faster->ask(""); }), "INV_POLICY NO");
  EXPECT_NE(told_by([&] { faster->ask(""); }).find("promises 64 kbit/s, not 100001 kbit/s"), std::string::npos);
  for (const char* const bad : {"", "0", "-1", "64k", "4294967296"}) {
    EXPECT_EQ(ending_of([&] { with(thing, "least_bandwidth", bad)->ask(""); }), "INV_POLICY NO") << bad;
  }
  CORBA::PolicyList inconsistent;
  EXPECT_FALSE(faster->_validate_connection(inconsistent));
  EXPECT_EQ(inconsistent.size(), 1U);
  EXPECT_EQ(with(thing, "least_bandwidth", "65")->ask(""), "yes");
  EXPECT_EQ(with(thing, "preferred_bandwidth", "65")->async_ask("").get(), "yes");
  EXPECT_EQ(connected_to_host(kFast), 1U) << "who chooses an endpoint shares its connections with the others";
}

// 8.3.10
TEST_F(TransportPolicies, ValidatingTheConnectionNamesThoseThatNoTransportHas) {
  const PolicyRef unfit = options({{"no_delay", "perhaps"}});
  const PolicyRef fit = options({{"no_delay", "off"}});
  const auto add = SetOverrideType::ADD_OVERRIDE;
  const auto names_unfit = [&](const ThingRef& thing) {
    CORBA::PolicyList inconsistent = {round_trip(1)};
    EXPECT_FALSE(thing->_validate_connection(inconsistent));
    EXPECT_EQ(ending_of([&] { thing->ask(""); }), "INV_POLICY NO");
    ASSERT_EQ(inconsistent.size(), 1U);
    EXPECT_EQ(inconsistent.front(), unfit);
  };
  const auto is_well = [](const ThingRef& thing) {
    CORBA::PolicyList inconsistent = {round_trip(1)};
    EXPECT_TRUE(thing->_validate_connection(inconsistent));
    EXPECT_TRUE(inconsistent.empty());
    EXPECT_EQ(thing->ask(""), "yes");
  };
  is_well(thing_);
  names_unfit(with_policies(thing_, {scope(Messaging::SYNC_WITH_TARGET), unfit, round_trip(1'000 * kMillisecond)}));
  is_well(with_policies(thing_, {fit}));
  // The thread's and the ORB's, of a reference that is bound.
  orb_.current()->set_policy_overrides({unfit}, add);
  names_unfit(thing_);
  is_well(with_policies(thing_, {fit}));
  std::thread([&] { is_well(thing_); }).join();
  orb_.current()->set_policy_overrides({}, SetOverrideType::SET_OVERRIDE);
  is_well(thing_);
  orb_.manager()->set_policy_overrides({unfit}, add);
  names_unfit(thing_);
}

TEST_F(TransportPolicies, ValidatingTheConnectionRaisesWhatElsePreventsACall) {
  const auto ending = [](const ThingRef& thing) {
    CORBA::PolicyList inconsistent;
    return ending_of([&] { thing->_validate_connection(inconsistent); });
  };
  const test::RefusingPort nobody;
  const ThingRef gone = orb_.thing(test::ior_string({nobody.profile()}));
  EXPECT_EQ(ending(with_policies(gone, {options({{"no_delay", "off"}})})), "TRANSIENT NO");
  EXPECT_EQ(ending(with_policies(gone, {options({{"no_delay", "perhaps"}})})), "done") << "it is not even asked";
  const PolicyRef late = CORBA::make_reference<Messaging::RequestEndTimePolicy>(utc(1));
  EXPECT_EQ(ending(with_policies(thing_, {late})).substr(0, 7), "TIMEOUT");
}

TEST(TransportPolicy, EndpointsPromiseBandwidthInNumbers) {
  for (const char* const bad : {"?bandwidth=", "?bandwidth=0", "?bandwidth=many", "?bandwidth=4294967296"}) {
    const Orb server({"-ORBListenEndpoints", std::string("tcp://127.0.0.1:0") + bad});
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    const std::string why = told_by([&] { (void)server->object_to_string(poa->create_reference("IDL:a:1.0")); });
    EXPECT_NE(why.find("'?bandwidth=' is followed by kbit/s"), std::string::npos) << bad << ": " << why;
  }
}

}  // namespace
}  // namespace corbel::policies_test
